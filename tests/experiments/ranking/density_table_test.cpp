#include "experiments/ranking/density_table.hpp"

#include <map>

#include "tests/experiments/ranking/small_plans.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("No ranker keeps more mass than the true top keys, whose recall is one", "[unit]") {
  const DensityPlan plan = small_table({"gaussian", "needles", "attention-sink", "rotary-low-rank"});
  const DensityTable table = density_table(plan, Seed{4});

  std::map<std::pair<std::string, double>, double> most;
  for (const DensityRow& row : table.rows) {
    if (row.ranker == "oracle-top-k") most[{row.family, row.density}] = row.mass.mean();
  }
  REQUIRE(most.size() == 8);
  for (const DensityRow& row : table.rows) {
    INFO(row.family << " " << row.ranker << " at " << row.density);
    CHECK(row.recall.count() == plan.trials);
    if (row.ranker == "oracle-top-k") CHECK(row.recall.mean() == 1);
    if (row.ranker.starts_with("oracle-top")) CHECK(row.bits_per_token == 512);  // 32 numbers of 16 bits
    if (row.ranker == "magicpig" || row.ranker == "oracle-top-p") continue;      // their budgets differ
    CHECK(row.mass.mean() <= most.at({row.family, row.density}) * (1 + 1e-12));
    CHECK(row.selected.mean() == std::round(row.density * 256) / 256);
  }
}

TEST_CASE("Top-p spends about the budget of top-k, for the mass that it is given", "[unit]") {
  const DensityTable table = density_table(small_table({"gaussian"}), Seed{5});

  double wanted = 0;
  for (const DensityRow& row : table.rows) {
    if (row.density != 0.2) continue;
    if (row.ranker == "oracle-top-k") wanted = row.mass.mean();
    if (row.ranker == "oracle-top-p") {
      CHECK(row.mass.mean() >= wanted);
      CHECK(row.selected.mean() > 0.1);
      CHECK(row.selected.mean() < 0.4);
    }
  }
}

TEST_CASE("The sinks' small values mislead a value-aware score, not a bare one", "[unit]") {
  const DensityTable table = density_table(small_table({"attention-sink"}), Seed{6});

  std::map<std::string, double> mass;
  for (const DensityRow& row : table.rows) {
    if (row.density == 0.05 && row.size == kPublishedSize) mass[row.ranker] = row.mass.mean();
  }
  CHECK(mass["socket"] > 0.5);
  CHECK(mass["socket-value"] < 0.5);
}

TEST_CASE("Each ranker recalls about what its law predicts, at the sizes and families that are asked", "[unit]") {
  const DensityTable table = density_table(small_table({"gaussian", "anisotropic"}), Seed{7});

  int predicted = 0;
  for (const DensityRow& row : table.rows) {
    INFO(row.family << " " << row.ranker << " " << row.size << " at " << row.density);
    if (row.family == "anisotropic" && row.size != kPublishedSize) CHECK(row.predicted_recall.count() == 0);
    if (row.ranker == "quest") CHECK(row.predicted_recall.count() == 0);
    if (row.predicted_recall.count() == 0) continue;
    ++predicted;
    CHECK(row.predicted_recall.count() == row.recall.count());
    // 6 times 13 or 51 keys of 256: a standard deviation of 1/2 over sqrt(78), of which .25 is more than four.
    CHECK(std::abs(row.predicted_recall.mean() - row.recall.mean()) <= 0.25);
  }
  // Ten rankers at two densities: on Gaussian keys at two sizes (random has one), else at one.
  CHECK(predicted == 2 * (10 + 9 + 10) + 2 * 0);
}

TEST_CASE("Correlations stand beside Gaussian keys only, and order the recalls as they are measured", "[unit]") {
  const DensityTable table = density_table(small_table({"gaussian", "needle"}), Seed{7});

  std::vector<const DensityRow*> known;
  for (const DensityRow& row : table.rows) {
    if (row.family == "needle") CHECK(std::isnan(row.correlation));
    if (row.density == 0.2 && !std::isnan(row.correlation)) known.push_back(&row);
  }
  REQUIRE(known.size() > 12);
  for (const DensityRow* a : known) {
    for (const DensityRow* b : known) {
      INFO(a->ranker << " " << a->size << " and " << b->ranker << " " << b->size);
      // .3 in correlation is over .15 in recall, five deviations of 51 keys of 256 in each of 6 instances.
      if (a->correlation > b->correlation + 0.3) CHECK(a->recall.mean() > b->recall.mean());
    }
  }
}

TEST_CASE("A lead is the published SOCKET's recall beyond a row's, instance by instance", "[unit]") {
  const DensityTable table = density_table(small_table({"gaussian"}), Seed{8});

  std::map<double, double> socket;
  for (const DensityRow& row : table.rows)
    if (row.ranker == "socket" && row.size == kPublishedSize) socket[row.density] = row.recall.mean();
  for (const DensityRow& row : table.rows) {
    INFO(row.ranker << " " << row.size);
    if (row.ranker == "oracle-top-p") {
      CHECK(row.lead.count() == 0);
    } else {
      CHECK(row.lead.count() == 6);
      CHECK(std::abs(row.lead.mean() - (socket.at(row.density) - row.recall.mean())) <= 1e-14);
    }
    if (row.ranker == "socket" && row.size == kPublishedSize) CHECK(row.lead.variance() == 0);
    if (row.ranker == "random") CHECK(row.lead.variance() > 0);
  }
}

TEST_CASE("MagicPIG has an index of its own for each density, every other ranker one", "[unit]") {
  DensityRow row;
  row.ranker = "magicpig";
  row.density = 0.05;
  CHECK(index_name(row) == "magicpig at 0.05");
  row.ranker = "socket";
  CHECK(index_name(row) == "socket");
}

TEST_CASE("Trials share no tickets and no query to calibrate by", "[unit]") {
  for (const char* name : {"gaussian", "needles"}) {
    INFO(name);
    const FamilyParameters parameters = small_table({name}).families.at(0).parameters;
    std::set<std::vector<double>> tickets, queries;
    Index drawn = 0;
    for (std::uint32_t trial = 0; trial < 4; ++trial) {
      const DenseTruth truth = drawn_truth(parameters, Seed{3}, trial);
      tickets.insert({truth.tickets().begin(), truth.tickets().end()});
      queries.insert({truth.instance().query.begin(), truth.instance().query.end()});
      const Matrix calibration = calibration_queries(parameters, Seed{3}, trial);
      REQUIRE((calibration.rows() == 16 && calibration.cols() == 32));
      for (const auto& row : calibration.rowwise()) queries.insert({row.begin(), row.end()});
      drawn += 1 + calibration.rows();
    }
    CHECK(tickets.size() == 4);
    CHECK(std::ssize(queries) == drawn);
  }
}
