// Scores over the inputs that --write-case writes: every order of summation passes, and nothing else.
#include "gpu/check/references/scoring_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "gpu/check/cases/published_profile.hpp"
#include "gpu/check/references/host_twin.hpp"
#include "gpu/check/references/reference.hpp"
#include "gpu/check/references/score_bounds.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

namespace {

using Terms = std::vector<float>;

float forwards(const Terms& terms) {
  float sum = 0;
  for (const float term : terms) sum += term;
  return sum;
}

float backwards(const Terms& terms) {
  return forwards({terms.rbegin(), terms.rend()});
}

float pairwise(const Terms& terms) {
  if (terms.size() < 2) return terms.empty() ? 0 : terms[0];
  const auto middle = terms.begin() + static_cast<std::ptrdiff_t>(terms.size() / 2);
  return pairwise({terms.begin(), middle}) + pairwise({middle, terms.end()});
}

float in_fp16(const Terms& terms) {
  float sum = 0;
  for (const float term : terms) sum = round_to_half(sum + term);
  return sum;
}

// A score for the terms [tables] of a key and its norm.
using Kernel = std::function<float(const Terms&, float)>;

Kernel summed(float (*sum)(const Terms&)) {
  return [sum](const Terms& terms, float norm) { return norm * sum(terms); };
}

std::vector<double> scores_by(const CheckCase& c, const Kernel& kernel) {
  const Problem problem = make_problem(c);
  const ScoringInputs inputs = scoring_inputs(c, problem);
  const int planes = c.code_bits();
  const int entries = scores_packed_codes(c) ? half_table_entries(planes) : 1 << planes;
  std::vector<double> scores;
  for (std::int64_t row = 0; row < c.batch * c.heads; ++row) {
    const std::span<const float> tables = inputs.tables_of(c, row);
    for (std::int64_t key = 0; key < c.keys; ++key) {
      const std::int64_t kv_row = row / c.group();
      Terms terms;
      std::size_t table = 0;
      for (const std::int16_t bits : inputs.codes_of(c, kv_row, key)) {
        const int code = static_cast<std::uint16_t>(bits);
        const float* entry = tables.data() + table++ * static_cast<std::size_t>(entries);
        const float* low = entry + (1 << high_planes(planes));
        terms.push_back(scores_packed_codes(c)
                            ? entry[code >> low_planes(planes)] * low[code & ((1 << low_planes(planes)) - 1)]
                            : entry[code]);
      }
      const float norm = inputs.norms[kv_row * c.keys + key];
      scores.push_back(is_allowed(c, problem, row, key) ? double{kernel(terms, norm)} : -INFINITY);
    }
  }
  return scores;
}

std::int64_t failures(const CheckCase& c, const std::vector<double>& scores) {
  const Comparison result = compare_scores(c, ScoredFrom::written_inputs, scores);
  CHECK(result.compared() == c.batch * c.heads * c.keys);
  INFO(c.text() << ": " << result.worst());
  return result.failures();
}

CheckCase sixty_table_case(const std::string& more) {
  return CheckCase::parse("batch=2,heads=2,kv_heads=2,keys=70,tables=60,planes=10" + more);
}

}  // namespace

TEST_CASE("scores in any order of summation lie within the interval of their inputs", "[unit][gpu]") {
  std::vector<std::string> cases = {",operation=score-packed", ",operation=score-packed,planes=5,mask=random",
                                    ",operation=score-packed,mask=causal,inputs=large,tables=33",
                                    ",operation=score-packed,heads=8,mask=causal",
                                    ",operation=score-packed,planes=16,tables=7"};
  for (const std::string& profile : names_of<Profile>()) {
    for (const char* more : {",mask=random", ",inputs=large,mask=causal", ",inputs=subnormals", ",inputs=zeros",
                             ",tables=1,mask=padding", ",heads=4,type=f32,planes=3"}) {
      cases.push_back(",operation=score-buckets,profile=" + profile + more);
    }
  }
  for (const std::string& more : cases) {
    std::string text = "batch=2,kv_heads=2,keys=70";
    for (const char* field : {"heads=2", "tables=60", "planes=10"}) {
      const std::string name(field, std::strchr(field, '='));
      if (more.find("," + name + "=") == std::string::npos) text += std::string(",") + field;
    }
    const CheckCase c = CheckCase::parse(text + more);
    CHECK(failures(c, scores_by(c, summed(forwards))) == 0);
    CHECK(failures(c, scores_by(c, summed(backwards))) == 0);
    CHECK(failures(c, scores_by(c, summed(pairwise))) == 0);
    const Kernel norm_first = [](Terms terms, float norm) {
      for (float& term : terms) term *= norm;
      return backwards(terms);
    };
    // An infinite norm times a probability of 0 is no number, where it comes first.
    const bool overflows = published_profile(c.profile).norm_form == SKT_NORM_F16_OVERFLOWS;
    if (!overflows || c.inputs != InputKind::large) CHECK(failures(c, scores_by(c, norm_first)) == 0);
  }
}

TEST_CASE("scores that are scaled, rounded or summed in fp16 leave the interval", "[unit][gpu][mutant]") {
  for (const char* operation : {",operation=score-buckets,mask=random", ",operation=score-packed,mask=random"}) {
    const CheckCase c = sixty_table_case(operation);
    const std::vector<double> good = scores_by(c, summed(forwards));
    const std::int64_t allowed = std::count_if(good.begin(), good.end(), [](double x) { return x > 0; });
    REQUIRE(allowed > 100);

    std::vector<double> scaled = good;
    for (double& score : scaled) score *= 1.0005;
    CHECK(failures(c, scaled) == allowed);

    std::vector<double> one = good;
    *std::find_if(one.begin(), one.end(), [](double x) { return x > 0; }) *= 1.001;
    CHECK(failures(c, one) == 1);

    std::vector<double> rounded = good;
    for (double& score : rounded) score = double{round_to_half(static_cast<float>(score))};
    CHECK(failures(c, rounded) > allowed / 2);
    CHECK(failures(c, scores_by(c, summed(in_fp16))) > allowed / 2);

    std::vector<double> unmasked = good;
    *std::find(unmasked.begin(), unmasked.end(), -INFINITY) = 0;
    CHECK(failures(c, unmasked) == 1);
  }
}

TEST_CASE("half-tables multiply to the probabilities, and packed codes hold the codes", "[unit][gpu]") {
  const CheckCase packed_case = sixty_table_case(",operation=score-packed");
  CheckCase bucket_case = packed_case;
  bucket_case.operation = Operation::score_buckets;
  const ScoringInputs packed = scoring_inputs(packed_case, make_problem(packed_case));
  const ScoringInputs buckets = scoring_inputs(bucket_case, make_problem(bucket_case));

  const std::vector<std::uint32_t> words = packed_codes(packed_case, packed);
  const std::int64_t per_key = words_per_key(60, 10);
  CHECK(words.size() == static_cast<std::size_t>(2 * 2 * 2 * per_key * 64));
  CHECK(packed.codes == buckets.codes);
  CHECK(packed.norms == buckets.norms);
  for (const std::int64_t key : {0, 63, 64, 69}) {
    const std::vector<std::int16_t> codes = packed.codes_of(packed_case, 3, key);
    for (std::int64_t table = 0; table < 60; ++table) {
      int code = 0;
      for (int bit = 0; bit < 10; ++bit) {
        const BitPlace place = bit_place(table, bit, 10);
        const std::int64_t at = 3 * 2 * per_key * 64 + packed_position(key, place.word, per_key);
        code |= static_cast<int>(words[at] >> place.bit & 1u) << bit;
      }
      REQUIRE(code == codes[table]);
      const float* halves = packed.tables_of(packed_case, 3).data() + table * half_table_entries(10);
      const float p = buckets.tables_of(bucket_case, 3)[(table << 10) + code];
      REQUIRE(std::abs(halves[code >> 5] * halves[32 + (code & 31)] - p) <= 4 * 0x1p-24f * p);
    }
  }
}

TEST_CASE("fp16 sums of score-packed pass where its query heads share a kv head", "[unit][gpu]") {
  const CheckCase c = CheckCase::parse("operation=score-packed,heads=4,kv_heads=1,keys=70," +
                                       GENERATE(as<std::string>{}, "tables=33,planes=8", "tables=16,planes=16"));
  const Problem problem = make_problem(c);
  const ScoringInputs inputs = scoring_inputs(c, problem);
  std::vector<double> scores;
  for (std::int64_t row = 0; row < 4; ++row) {
    for (std::int64_t key = 0; key < c.keys; ++key) {
      scores.push_back(
          double{twin_half_score(inputs.tables_of(c, row), inputs.codes_of(c, 0, key), c.planes, inputs.norms[key])});
    }
  }

  CHECK(failures(c, scores) == 0);
  CHECK(compare_scores(c, ScoredFrom::own_hash, scores).failures() == 0);
  for (double& score : scores) score *= 1.01;
  CHECK(failures(c, scores) > 0);
  CHECK(compare_scores(c, ScoredFrom::own_hash, scores).failures() > 0);
}

TEST_CASE("probabilities and norms are numbers of the profile's types", "[unit][gpu]") {
  for (const std::string& name : names_of<Profile>()) {
    const CheckCase c = sixty_table_case(",operation=score-buckets,profile=" + name);
    const PublishedProfile profile = published_profile(c.profile);
    const ScoringInputs inputs = scoring_inputs(c, make_problem(c));
    const auto foreign = [](const std::vector<float>& numbers, std::int32_t type) {
      return std::count_if(numbers.begin(), numbers.end(), [&](float x) { return round_to(type, x) != x; });
    };

    CHECK(foreign(inputs.probabilities, profile.probability_type) == 0);
    CHECK(foreign(inputs.norms, profile.norm_type()) == 0);
  }
}
