#include "experiments/ranking/own_rankings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "estimators/peers/bucket_attention.hpp"
#include "estimators/peers/reference_rankings.hpp"
#include "experiments/command/fields.hpp"
#include "sim/require.hpp"
#include "sim/stop.hpp"

namespace skt {
namespace {

// As published_rankers lists them.
const std::vector<std::vector<std::string>>& names_of_groups() {
  static const std::vector<std::vector<std::string>> names = {
      {"socket", "socket-value", "hard-lsh", "hamming", "bucket-attention"},
      {"signature-hamming", "signed-orthogonal", "signed-orthogonal-norm", "rabitq", "signed-independent", "qjl"},
      {"quest"},
      {"double-sparsity"},
      {"loki"},
      {"pqcache"},
      {"value-norm", "random", "streaming-llm", "cosine-oracle", "oracle-top-k"}};
  return names;
}

bool is_asked(const OwnRankingPlan& plan, const std::string& ranker) {
  return plan.rankers.empty() || std::find(plan.rankers.begin(), plan.rankers.end(), ranker) != plan.rankers.end();
}

// As the files of `attend` are held to: squares of such numbers and their sums are finite.
void check_elements(const char* name, const Matrix& rows) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  for (Index r = 0; r < rows.rows(); ++r)
    for (Index c = 0; c < rows.cols(); ++c)
      require(std::abs(rows(r, c)) <= kLargest,
              "{}: element [{}, {}] is {}: allowed are finite numbers up to {:.4g} in size", name, r, c, rows(r, c),
              kLargest);
}

void check(const OwnRankingInput& input) {
  const Index dim = input.keys.cols();
  require(input.keys.rows() >= 1, "keys: there are none; allowed are 1 and more");
  require(input.values.rows() == input.keys.rows(), "values: {} rows; allowed are the {} of the keys",
          input.values.rows(), input.keys.rows());
  require(input.queries.cols() == dim, "queries: dim is {}; the keys have {}", input.queries.cols(), dim);
  require(input.calibration_queries.cols() == dim && input.calibration_queries.rows() >= 1,
          "calibration queries: {} of dim {}; allowed are 1 and more of the keys' {}", input.calibration_queries.rows(),
          input.calibration_queries.cols(), dim);
  check_elements("keys", input.keys);
  check_elements("values", input.values);
  check_elements("queries", input.queries);
  check_elements("calibration queries", input.calibration_queries);
}

std::vector<DenseTruth> truths_of(const OwnRankingInput& input) {
  std::vector<DenseTruth> truths;
  for (Index i = 0; i < input.queries.rows(); ++i) {
    look_for_stop();
    const auto trial = static_cast<std::uint32_t>(input.trial + i);
    truths.emplace_back(Instance{"own", input.queries.row(i), input.keys, input.values},
                        random_scores(input.keys.rows(), derive_seed(input.seed, 1), trial));
  }
  return truths;
}

// step: called after each query.
OwnRanking measured(const Ranking& ranking, const std::vector<DenseTruth>& truths, const OwnRankingPlan& plan,
                    const std::function<void()>& step) {
  OwnRanking own{ranking.name, ranking.bits_per_token, {}};
  for (const DenseTruth& truth : truths) {
    const std::vector<Index> order = order_by_score(ranking.scores(truth.instance().query), truth.tickets());
    for (const double density : plan.densities) {
      const Index count = truth.keys_at(density);
      own.kept.push_back(truth.kept_of_first(order, count, count));
    }
    step();
  }
  return own;
}

}  // namespace

void add_fields(Fields& fields, OwnRankingPlan& plan) {
  fields.add("rankers", &plan.rankers, "Which to run, by default all").of(ranker_names());
  fields.add("densities", &plan.densities, "Fractions of the keys that are selected, above 0 and at most 1")
      .above(0)
      .at_most(1);
  fields.add("tables", &plan.hash.tables, "Tables L of SOCKET").from(1, kMostTables);
  fields.add("planes", &plan.hash.planes, "Planes P to a table").from(1, kMostBucketPlanes);
  fields.add("temperature", &plan.hash.socket.temperature, "Temperature tau of SOCKET").above(0);
  fields.add("scaling", plan.hash.socket.scaling, kScalings, "Divisor of tanh(Wq)");
  fields.add("top", &plan.hash.top, "Buckets that Bucket Attention opens per table").from(1);
}

std::vector<std::string> ranker_names() {
  std::vector<std::string> all;
  for (const std::vector<std::string>& names : names_of_groups()) all.insert(all.end(), names.begin(), names.end());
  return all;
}

std::vector<OwnRanking> rank_keys(const OwnRankingInput& input, const OwnRankingPlan& plan, const RankingsDone& done) {
  check(input);
  const std::vector<std::string> names = ranker_names();
  const auto asked = std::count_if(names.begin(), names.end(), [&](const auto& name) { return is_asked(plan, name); });
  const auto total = static_cast<std::uint64_t>(asked * input.queries.rows());
  std::uint64_t seen = 0;
  const auto step = [&] {
    if (done) done(++seen, total);
  };
  const RankerInput given{input.keys, input.values, input.calibration_queries, input.seed, input.trial};
  const std::vector<DenseTruth> truths = truths_of(input);
  const std::vector<RankerGroup> groups = published_rankers(plan.hash, input.keys.cols());
  std::vector<OwnRanking> all;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::vector<std::string>& of_group = names_of_groups().at(g);
    if (std::none_of(of_group.begin(), of_group.end(), [&](const auto& name) { return is_asked(plan, name); }))
      continue;
    const std::vector<Ranking> rankings = groups[g](given);
    for (std::size_t i = 0; i < rankings.size(); ++i) {
      if (rankings[i].name != of_group.at(i))
        throw std::logic_error(rankings[i].name + " is not called so in its group");
      if (is_asked(plan, rankings[i].name)) all.push_back(measured(rankings[i], truths, plan, step));
    }
  }
  return all;
}

}  // namespace skt
