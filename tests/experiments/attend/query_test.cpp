#include "experiments/attend/query.hpp"

#include "experiments/attend/variants.hpp"
#include "tests/experiments/attend/four_keys.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

// What a query gets; the request's files, options and rules as they are.
QueryResult attended(const AttendRequest& request, Index query = 0) {
  AttendProblem problem(request.files);
  problem.check_elements();
  AttendVariant variant = attend_variants(request, problem, Seed{1}).front();
  variant.codes = room_for_codes(variant.hyperplanes, problem.num_keys());
  problem.visit_keys(
      0, [&](Index first, const Matrix& rows) { hash_keys_into(variant.codes, first, variant.hyperplanes, rows); });
  return attend_to(problem, view_query(problem, query), variant);
}

double output_of(const QueryResult& result) {
  REQUIRE(result.output);
  REQUIRE(result.output->size() == 1);
  return (*result.output)[0];
}

}  // namespace

TEST_CASE("Two of four keys: output, errors, masses and recall by hand", "[unit][oracle]") {
  const FourKeys four;

  const QueryResult result = attended(four.request());

  CHECK(result.scores == Vector{{5, 1, 2, 3}});
  CHECK(result.listed == std::vector<Index>{0, 3});
  CHECK(result.selected == result.listed);
  CHECK(result.allowed == 4);
  CHECK(output_of(result) == Approx(3.4));  // (1*5 + 4*3)/5
  CHECK(result.absolute_error.value() == Approx(2.1));
  CHECK(result.relative_error.value() == Approx(2.1 / 1.3));
  CHECK(result.residual_weight.value() == Approx(0.5));
  CHECK(result.snr.value() == Approx(1));
  CHECK(result.context_divergence.value() == Approx(4.2));  // the pruned mean is (2*1 - 3*2)/5 = -0.8
  CHECK(result.recall.value() == 0.5);                      // keys 3 and 2 have the largest logits
  CHECK(result.recall_failure.value() == 0);
}

TEST_CASE("Weights by the scores: two keys of equal collisions share the output", "[unit][oracle]") {
  const FourKeys four;
  AttendRequest request = four.request();
  request.settings.output = OutputRule::score_softmax;

  const QueryResult result = attended(request);

  CHECK(output_of(result) == Approx(4));  // (5 + 3)/2
  CHECK(result.absolute_error.value() == Approx(2.7));
  CHECK(result.context_divergence.value() == Approx(4.2));  // of the softmax, whatever the output's weights
}

TEST_CASE("A forbidden key has no mass, no score and no place among the best", "[unit][oracle]") {
  FourKeys four;
  four.write("mask", {4}, {1, 1, 1, 0}, ElementType::boolean);

  const QueryResult result = attended(four.request());

  CHECK(result.allowed == 3);
  CHECK(result.scores[3] == -std::numeric_limits<double>::infinity());
  CHECK(result.selected == std::vector<Index>{0, 2});
  CHECK(output_of(result) == Approx(-0.25));                       // (1*5 - 3*2)/4
  CHECK(result.absolute_error.value() == Approx(0.25 + 1.0 / 6));  // dense: (5 + 2 - 6)/6
  CHECK(result.residual_weight.value() == Approx(2.0 / 6));
  CHECK(result.snr.value() == Approx(2));
}

TEST_CASE("A causal query has its own window and no key of its future", "[unit][oracle]") {
  FourKeys four;
  four.write("queries", {2, 1}, {1, 1});
  AttendRequest request = four.request();
  request.files.causal = true;
  request.budget = "1";
  request.window = 1;

  const QueryResult first = attended(request, 0), last = attended(request, 1);

  CHECK(first.allowed == 3);
  CHECK(first.listed == std::vector<Index>{2, 0});  // the window's key, then the best of keys 0 and 1
  CHECK(first.scores[3] == -std::numeric_limits<double>::infinity());
  CHECK(output_of(first) == Approx(-0.25));                       // (1*5 - 3*2)/4
  CHECK(first.absolute_error.value() == Approx(0.25 + 1.0 / 6));  // dense: (5 + 2 - 6)/6
  CHECK(first.recall.value() == 0.5);                             // keys 2 and 1 have the largest logits
  CHECK(first.curves[0].points.front().keys == 2);                // one beside the window
  CHECK(first.curves[0].points.front().residual_weight == Approx(2.0 / 6));
  CHECK(last.allowed == 4);
  CHECK(last.listed == std::vector<Index>{3, 0});
  CHECK(output_of(last) == Approx(3.4));  // (1*5 + 4*3)/5
}

TEST_CASE("The window of a causal query of a published profile ends at its own key", "[unit]") {
  FourKeys four;
  four.write("queries", {2, 1}, {1, 1});
  AttendRequest request = four.request();
  request.settings.ranker = Ranker::socket;
  request.profile = "hub";
  request.files.causal = true;
  request.budget = "0";
  request.sink = 0;
  request.window = 1;

  CHECK(attended(request, 0).selected == std::vector<Index>{2});
  CHECK(attended(request, 1).selected == std::vector<Index>{3});
}

TEST_CASE("Without a selected key there is no output, and all the mass is left", "[unit][oracle]") {
  const FourKeys four;
  AttendRequest request = four.request();
  request.budget = "0";

  const QueryResult result = attended(request);

  CHECK(result.selected.empty());
  CHECK(!result.output);
  CHECK(!result.absolute_error);
  CHECK(!result.context_divergence);
  CHECK(!result.recall);
  CHECK(result.residual_weight.value() == Approx(1));
  CHECK(result.snr.value() == 0);
  CHECK(result.recall_failure.value() == 1);
}

TEST_CASE("With every key selected nothing is lost, and there is nothing to divide by", "[unit][oracle]") {
  const FourKeys four;
  AttendRequest request = four.request();
  request.budget = "4";

  const QueryResult result = attended(request);

  CHECK(output_of(result) == Approx(1.3));
  CHECK(result.absolute_error.value() == 0);
  CHECK(result.residual_weight.value() == 0);
  CHECK(!result.snr);
  CHECK(!result.context_divergence);
  CHECK(result.recall.value() == 1);
}

TEST_CASE("The curves of a query have its own ranking and the true one, sink keys on top", "[unit][oracle]") {
  const FourKeys four;
  AttendRequest request = four.request();
  request.sink = 1;

  const QueryResult result = attended(request);

  CHECK(result.listed == std::vector<Index>{0, 3, 2});
  REQUIRE(result.curves.size() == 2);
  CHECK(result.curves[0].ranking == "paper");
  CHECK(result.curves[1].ranking == "true-top-k");
  // The least share is a key, beside the sink: keys 0 and 3 of the own ranking, 3 and 2 of the true one.
  CHECK(result.curves[0].points.front().keys == 2);
  CHECK(result.curves[0].points.front().residual_weight == Approx(0.5));
  CHECK(result.curves[1].points.front().residual_weight == Approx(0.3));
}

TEST_CASE("The own curve of a list that ends with the mask has its window there", "[unit][oracle]") {
  FourKeys four;
  four.write("mask", {4}, {1, 1, 1, 0}, ElementType::boolean);
  AttendRequest request = four.request();
  request.profile = "hf";
  request.settings.ranker = Ranker::socket;
  request.budget = "1";
  request.sink = 0;
  request.window = 1;

  const QueryResult result = attended(request);

  CHECK(result.listed == std::vector<Index>{2, 0});  // the last of three keys, then the longest value
  REQUIRE(result.curves.size() == 2);
  const DensityPoint& own = result.curves[0].points.front();
  CHECK(own.keys == 2);
  CHECK(own.residual_weight == Approx(2.0 / 6).epsilon(1e-12));  // keys 2 and 0 have 3 and 1 of 6
}

TEST_CASE("A score that is no number comes first in the own curve, as in the published list", "[unit][oracle]") {
  // Key 1 is opposite to the query: in single precision its probability is e^-200, 0, and its norm of 4.2e38 infinite.
  FourKeys four;
  four.write("keys", {4, 1}, {1, -1, 1 + std::log(3.0), 1 + std::log(4.0)});
  four.write("values", {4, 2}, {5, 0, 3e38, 3e38, -2, 0, 3, 0});
  four.write("hyperplanes", {1, 1, 1}, {32});
  AttendRequest request = four.request();
  request.profile = "hub";
  request.settings.ranker = Ranker::socket;
  request.temperature = 0.01;
  request.budget = "1";
  request.sink = request.window = 0;

  const QueryResult result = attended(request);

  CHECK(result.infinite_norms == 1);
  CHECK(std::isnan(result.scores[1]));
  CHECK(result.listed.empty());  // it takes the one place and is dropped
  REQUIRE(result.curves.size() == 2);
  CHECK(result.curves[0].points.front().keys == 1);
  const double mass = std::exp(-2.0);  // beside 1, 3 and 4
  CHECK(result.curves[0].points.front().residual_weight == Approx(8 / (8 + mass)).epsilon(1e-12));
}

TEST_CASE("A list is as wide as the most keys that it can have", "[unit]") {
  AttendVariant variant;
  variant.settings.selection = {.budget = 3, .sink = 2, .window = 4};
  CHECK(variant.width(20) == 9);
  CHECK(variant.width(5) == 5);

  variant.published = PublishedHash{};
  variant.published->profile = Published::hf;  // lists a key twice
  CHECK(variant.width(20) == 9);
  CHECK(variant.width(3) == 3 + 2 + 3);
  variant.published->profile = Published::hub;
  CHECK(variant.width(3) == 3);
}
