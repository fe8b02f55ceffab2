#include "gpu/check/references/score_bounds.hpp"

#include <cmath>

#include "gpu/check/cases/published_profile.hpp"
#include "gpu/check/references/host_twin.hpp"
#include "gpu/check/references/reference.hpp"
#include "sim/require.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

enum class Fault { none, little_endian, no_temperature, mask_ignored, first_kv_head };

std::span<const float> row(const std::vector<float>& numbers, std::int64_t at, std::int64_t dim) {
  return std::span<const float>(numbers).subspan(std::size_t(at * dim), std::size_t(dim));
}

std::int16_t reversed(std::int16_t code, std::int64_t planes) {
  int bits = 0;
  for (std::int64_t p = 0; p < planes; ++p) bits = 2 * bits + (code >> p & 1);
  return static_cast<std::int16_t>(bits);
}

// Scores as a kernel computes them, in fp32 and in the types of the profile, with a fault.
std::vector<double> scores_with(const CheckCase& c, Fault fault) {
  const Problem problem = make_problem(c);
  const PublishedProfile profile = published_profile(c.profile);
  CheckCase of_tables = c;
  if (fault == Fault::no_temperature) of_tables.temperature = 1;
  std::vector<double> scores;
  for (std::int64_t query = 0; query < c.batch * c.heads; ++query) {
    std::vector<float> p;
    for (const ReferenceBuckets& table : reference_buckets(of_tables, problem, double_hyperplanes(c, problem), query)) {
      for (const double x : table.probability) p.push_back(round_to(profile.probability_type, float(x)));
    }
    const std::int64_t kv_row = fault == Fault::first_kv_head ? 0 : query / c.group();
    for (std::int64_t key = 0; key < c.keys; ++key) {
      if (!is_allowed(c, problem, query, key) && fault != Fault::mask_ignored) {
        scores.push_back(-INFINITY);
        continue;
      }
      const std::int64_t at = kv_row * c.capacity + key;
      std::vector<std::int16_t> codes;
      for (std::int64_t table = 0; table < c.tables; ++table) {
        const std::int16_t code =
            twin_code(row(problem.keys, at, c.dim), row(problem.hyperplanes, table, c.planes * c.dim), c.planes);
        codes.push_back(fault == Fault::little_endian ? reversed(code, c.planes) : code);
      }
      scores.push_back(
          double{twin_bucket_score(p, codes, c.planes, twin_norm(row(problem.values, at, c.dim), profile.norm_form))});
    }
  }
  return scores;
}

CheckCase sixty_key_case(const std::string& more) {
  return CheckCase::parse("operation=score-buckets,heads=2,kv_heads=2,keys=60,tables=5,planes=6" + more);
}

}  // namespace

TEST_CASE("scores of every profile, mask and type lie within their interval", "[unit][gpu]") {
  for (const std::string& profile : names_of<Profile>()) {
    for (const std::string inputs : {"gaussian", "dyadic", "zeros", "constant", "large", "subnormals"}) {
      for (const std::string more : {",mask=causal,type=f32", ",mask=random,type=f16", ",mask=none,type=bf16"}) {
        const CheckCase c = sixty_key_case(",profile=" + profile + ",inputs=" + inputs + more);

        const Comparison result = compare_scores(c, ScoredFrom::own_hash, scores_with(c, Fault::none));

        INFO(c.text() << ": " << result.worst());
        CHECK(result.failures() == 0);
        CHECK(result.compared() == c.heads * c.keys);
      }
    }
  }
}

TEST_CASE("scores with a fault leave their interval", "[unit][gpu][mutant]") {
  const CheckCase c = sixty_key_case(",mask=random");

  for (const Fault fault : {Fault::little_endian, Fault::no_temperature, Fault::mask_ignored, Fault::first_kv_head}) {
    CHECK(compare_scores(c, ScoredFrom::own_hash, scores_with(c, fault)).failures() > 0);
  }
}

TEST_CASE("a score of a table too few leaves its interval", "[unit][gpu][mutant]") {
  const CheckCase c = sixty_key_case("");
  std::vector<double> scores = scores_with(c, Fault::none);
  const Problem problem = make_problem(c);
  const ScoreInterval first = score_intervals(c, problem, 0)[0];
  scores[0] *= 1 - 1.0 / 5 / 64;  // an average bucket of one of 5 tables

  CHECK(compare_scores(c, ScoredFrom::own_hash, scores).failures() == 1);
  CHECK((first.high - first.low) / first.high <= 0.003);  // an interval that could not tell would be no check
}

TEST_CASE("a failing score is named by batch, head and key", "[unit][gpu]") {
  const CheckCase c = CheckCase::parse("operation=score-buckets,batch=2,heads=2,kv_heads=1,keys=60,tables=5");
  std::vector<double> scores = scores_with(c, Fault::none);
  scores[3 * 60 + 31] *= 2;

  CHECK(compare_scores(c, ScoredFrom::own_hash, scores).worst().starts_with("batch 1, head 1, key 31: score[211] is "));
}

TEST_CASE("inputs whose sums overflow are refused", "[unit][gpu]") {
  for (const char* inputs : {",inputs=huge", ",inputs=non-finite"}) {
    for (const ScoredFrom from : {ScoredFrom::own_hash, ScoredFrom::written_inputs}) {
      CHECK_THROWS_AS(compare_scores(sixty_key_case(inputs), from, std::vector<double>(120)), skt::InputError);
    }
  }
}
