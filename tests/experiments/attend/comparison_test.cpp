#include "experiments/attend/comparison.hpp"

#include <limits>

#include "tests/catch.hpp"

using namespace skt;

namespace {

QueryResult chosen(const std::vector<Index>& selected, std::optional<Vector> output) {
  QueryResult result;
  result.selected = selected;
  result.output = std::move(output);
  return result;
}

AttendComparison paper_and_hub() {
  AttendVariant hub;
  hub.profile = "hub";
  return {AttendVariant{}, hub};
}

}  // namespace

TEST_CASE("What is not defined is null, and left out of the means", "[unit]") {
  AttendComparison comparison = paper_and_hub();
  const double nan = std::numeric_limits<double>::quiet_NaN();

  comparison.add(0, chosen({}, std::nullopt), chosen({}, Vector{{nan, nan}}));
  comparison.add(0, chosen({1}, Vector{{0, 0}}), chosen({1}, Vector{{0, 2}}));
  comparison.add(0, chosen({1, 2}, Vector{{1, 0}}), chosen({1}, Vector{{1, 4}}));

  const auto& rows = comparison.rows().at("per_query");
  CHECK(rows.at(0).at("jaccard").is_null());
  CHECK(rows.at(0).at("output_distance").is_null());
  CHECK(rows.at(1).at("output_distance") == 2);
  CHECK(rows.at(1).at("relative_output_distance").is_null());  // over a length of 0
  CHECK(comparison.line() ==
        "paper against hub: mean Jaccard index of the selected sets 0.75, mean distance of the outputs 3\n");
}

TEST_CASE("Means of nothing are a dash", "[unit]") {
  CHECK(paper_and_hub().line() ==
        "paper against hub: mean Jaccard index of the selected sets -, mean distance of the outputs -\n");
}
