#include "experiments/attend/attend_all.hpp"

#include "experiments/attend/variants.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

namespace {

// Two key heads of two keys, two query heads to each. One hyperplane, 1, so that keys above 0 collide with the queries,
// which are 1: both of the first key head, none of the second. The values have the lengths 2 and 3.
class FourHeads {
 public:
  AttendProblem problem() const {
    return AttendProblem(AttendTensors{.queries = array("queries", {4, 1, 1}, queries_),
                                       .keys = array("keys", {2, 2, 1}, keys_),
                                       .values = array("values", {2, 2, 1}, values_),
                                       .hyperplanes = array("hyperplanes", {1, 1, 1}, hyperplanes_)});
  }

 private:
  static TensorFile array(const char* name, std::vector<Index> shape, const std::vector<double>& elements) {
    return TensorFile(ArrayInMemory{name, ElementType::f64, std::move(shape), elements.data()});
  }

  std::vector<double> queries_{1, 1, 1, 1}, keys_{1, 2, -1, -2}, values_{2, 3, 2, 3}, hyperplanes_{1};
};

AttendRequest hard_lsh() {
  AttendRequest request;
  request.budget = "1";
  request.settings.ranker = Ranker::hard_lsh;
  return request;
}

}  // namespace

TEST_CASE("Query heads are scored by the codes of their own key head, and every step is told", "[unit]") {
  const FourHeads heads;
  AttendProblem problem = heads.problem();
  std::vector<AttendVariant> variants = attend_variants(hard_lsh(), problem, Seed{1});
  problem.check_elements();
  std::vector<Index> seen;
  std::vector<Vector> scores;
  Index steps = 0;

  attend_all(
      problem, variants,
      [&](Index head, const std::vector<QueryResult>& results) {
        seen.push_back(head);
        REQUIRE(results.size() == 1);
        scores.push_back(results.front().scores);
      },
      [&steps] { ++steps; });

  CHECK(seen == std::vector<Index>{0, 1, 2, 3});
  CHECK(scores[0] == Vector{{2, 3}});
  CHECK(scores[1] == scores[0]);
  CHECK(scores[2] == Vector{{0, 0}});
  CHECK(scores[3] == scores[2]);
  CHECK(steps == attend_steps(problem, variants));
  CHECK(steps == 6);  // a block of each key head, and four queries
}

TEST_CASE("An array in memory is refused by its name", "[unit]") {
  const std::vector<double> numbers(6, 1.0);
  const auto array = [&numbers](const char* name, std::vector<Index> shape) {
    return TensorFile(ArrayInMemory{name, ElementType::f64, std::move(shape), numbers.data()});
  };

  CHECK(refusal([&] {
          AttendProblem(AttendTensors{
              .queries = array("queries", {3}), .keys = array("keys", {3, 2}), .values = array("values", {3, 1})});
        }) == "queries: dim is 3 in shape [3]; keys has 2");
}
