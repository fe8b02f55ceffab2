#include "experiments/error_curves/sweep_rows.hpp"

#include "tests/numbers.hpp"

#include <sstream>

using namespace skt;

namespace {

SweepPlan sweep_of_tables() {
  SweepPlan plan;
  plan.family.keys = 48;
  plan.family.dim = 8;
  plan.setting = {.planes = 3, .tables = 16, .samples = 32};
  plan.axis = Axis::tables;
  plan.values = {4, 16, 64};
  plan.effort = {20, 4};
  return plan;
}

// A sweep that was never run.
SweepResult sweep_by_hand() {
  SweepResult result{sweep_of_tables()};
  AxisPoint point{16, result.plan.setting};
  point.terms.sampling = {.term = Term::sampling, .measured = 0.5, .predicted = {0.25, 0}, .verdict = Verdict::refuted};
  point.terms.finite_tables.term = Term::finite_tables;
  point.terms.bias.term = Term::bias;
  result.points.push_back(point);
  result.slope = SlopeResult{Term::finite_tables, {.slope = -0.5, .predicted = -0.5, .first_value = 16}};
  return result;
}

Index lines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

TEST_CASE("A point has a row for each term there is, a sweep one for its slope", "[unit]") {
  SweepResult result = sweep_by_hand();
  CHECK(lines(sweep_table({result}).text()) == 1 + 4);
  result.points.front().terms.selection = TermResult{.term = Term::selection};
  CHECK(lines(sweep_table({result}).text()) == 1 + 5);
  CHECK(lines(sweep_table({result, result}).text()) == 1 + 10);
  CHECK(lines(slope_table({result, result}).text()) == 1 + 2);
  result.slope.reset();
  CHECK(lines(slope_table({result}).text()) == 1);
}

TEST_CASE("Verdicts stand in words, and a term that was not judged says so", "[unit]") {
  const std::string rows = sweep_table({sweep_by_hand()}).text();

  CHECK(rows.find("sampling,48,8,3,16,32") != std::string::npos);
  CHECK(rows.find(",refuted\n") != std::string::npos);
  CHECK(rows.find(",not-judged\n") != std::string::npos);
  CHECK(slope_table({sweep_by_hand()}).text().find("finite-tables,3,0.5,16,-0.5,") != std::string::npos);
  CHECK(readable(sweep_by_hand()).find("slope of log finite-tables error against log tables from 16") !=
        std::string::npos);
}

TEST_CASE("Each number of a term stands in the column of its name", "[unit]") {
  SweepResult result = sweep_by_hand();
  result.error_share = 0.0625;
  AxisPoint& point = result.points.front();
  point.query_norm = 7;
  point.largest_value = 8;
  point.occupancy_drawn = 9, point.occupancy_sure = 10;
  point.required_drawn = 11, point.required_sure = 12;
  point.terms.sampling = {.term = Term::sampling,
                          .measured = 0.5,
                          .interval = {0.375, 0.625},
                          .predicted = {0.25, 0.125},
                          .bound_drawn = 2,
                          .bound_sure = 3,
                          .bound_repaired = 4,
                          .scaled = 5,
                          .scaled_interval = {4.5, 5.5},
                          .scaled_predicted = {6, 0.75},
                          .verdict = Verdict::refuted};

  std::istringstream rows(sweep_table({result}).text());
  std::string names, cells;
  std::getline(rows, names);
  std::getline(rows, cells);

  CHECK(names.substr(names.find("query_norm")) ==
        "query_norm,needle_cosine,key_norm_spread,trials,draws_per_trial,confidence,error_value_units,"
        "error_lo_value_units,error_hi_value_units,predicted_value_units,predicted_uncertainty_value_units,"
        "bound_drawn_occupancy_value_units,bound_sure_occupancy_value_units,bound_repaired_value_units,"
        "trivial_bound_value_units,scaled_mse_value_units_squared,scaled_mse_lo_value_units_squared,"
        "scaled_mse_hi_value_units_squared,predicted_scaled_mse_value_units_squared,"
        "predicted_scaled_mse_uncertainty_value_units_squared,delta,drawn_occupancy_keys,sure_occupancy_keys,"
        "required_tables_drawn_occupancy,required_tables_sure_occupancy,verdict");
  CHECK(cells.substr(cells.find(",20,4,")) ==
        ",20,4,0.9375,0.5,0.375,0.625,0.25,0.125,2,3,4,8,5,4.5,5.5,6,0.75,0.1,9,10,11,12,refuted");
}

TEST_CASE("A bound that is kept and lies at the trivial one or above it is marked, and the mark explained", "[unit]") {
  const auto marked = [](double bound, double measured) {
    SweepResult result = sweep_by_hand();
    result.points.front().largest_value = 2;
    result.points.front().terms.sampling.bound_drawn = bound;
    result.points.front().terms.sampling.measured = measured;
    const std::string text = readable(result);
    const bool mark = text.find("* ") != std::string::npos;
    CHECK(mark == (text.find("\n* the bound holds but says nothing") != std::string::npos));
    return mark;
  };

  CHECK(marked(2, 0.5));
  CHECK(marked(3, 0.5));
  CHECK_FALSE(marked(1.75, 0.5));
  CHECK_FALSE(marked(3, 4));  // it does not hold
  CHECK_FALSE(marked(NAN, 0.5));
}

TEST_CASE("A second axis is named, and its cells are empty without one", "[unit]") {
  SweepResult result = sweep_by_hand();
  CHECK(sweep_table({result}).text().find("\ngaussian,tables,16,,,sampling,") != std::string::npos);
  result.plan.second = SecondAxis{Axis::planes, 3};
  CHECK(sweep_table({result}).text().find("\ngaussian,tables,16,planes,3,sampling,") != std::string::npos);
  CHECK(readable(result).find("tables on gaussian at planes 3:") == 0);
}
