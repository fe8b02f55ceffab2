#include "gpu/check/cases/published_profile.hpp"

#include <cmath>

#include "gpu/check/problems/problem.hpp"
#include "gpu/check/references/host_twin.hpp"
#include "gpu/check/references/reference.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("each profile has the differences published for it, the paper none", "[unit][gpu]") {
  CHECK(published_profile(Profile::paper).probability_type == SKT_F32);
  CHECK(published_profile(Profile::paper).norm_form == SKT_NORM_F16);
  CHECK(published_profile(Profile::paper).list == ListRule::joined);
  CHECK(published_profile(Profile::paper_f16).probability_type == SKT_F16);
  CHECK(published_profile(Profile::paper_f16).norm_form == SKT_NORM_F16);
  for (const Profile name : {Profile::paper, Profile::paper_f16, Profile::gpt_fast}) {
    CHECK(published_profile(name).plane_type == PlaneType::f32);
  }
  for (const Profile name : {Profile::hf, Profile::hub}) CHECK(published_profile(name).plane_type == PlaneType::model);
  for (const Profile name : {Profile::gpt_fast, Profile::hf, Profile::hub}) {
    CHECK(published_profile(name).probability_type == SKT_BF16);
  }
  for (const Profile name : {Profile::gpt_fast, Profile::hf}) {
    CHECK(published_profile(name).norm_form == SKT_NORM_F16_OVERFLOWS);
  }
  CHECK(published_profile(Profile::gpt_fast).plane_scale == 0.02);
  CHECK(published_profile(Profile::gpt_fast).corners == Corners::noise);
  CHECK(published_profile(Profile::gpt_fast).temperature == 1.0);
  CHECK(published_profile(Profile::hf).temperature == 0.3);
  CHECK(published_profile(Profile::hf).list == ListRule::repeated);
  CHECK_FALSE(published_profile(Profile::hub).temperature.has_value());
  CHECK(published_profile(Profile::hub).norm_type() == SKT_BF16);
}

TEST_CASE("a key that is sink and among the best stands twice in the published list only", "[unit][gpu]") {
  CHECK(attended_keys(ListRule::repeated, {0, 3}, 6, 2, 1) == std::vector<std::int32_t>{0, 1, 5, 0, 3});
  CHECK(attended_keys(ListRule::joined, {0, 3}, 6, 2, 1) == std::vector<std::int32_t>{0, 1, 3, 5});
  CHECK(attended_keys(ListRule::repeated, {}, 2, 5, 5) == std::vector<std::int32_t>{0, 1, 0, 1});
}

TEST_CASE("masks by length, by forbidding and by an addend mean what their code means", "[unit][gpu]") {
  CHECK(allowed_by_length(4, 5));
  CHECK_FALSE(allowed_by_length(5, 5));
  CHECK_FALSE(allowed_by_forbidding(true));
  CHECK(allowed_by_addend(0.0f));
  CHECK(allowed_by_addend(-0.0f));
  CHECK_FALSE(allowed_by_addend(-1e-30f));
  CHECK_FALSE(allowed_by_addend(-INFINITY));
}

TEST_CASE("only the published norms overflow", "[unit][gpu]") {
  const std::vector<float> value(16, 6e4f);

  CHECK(twin_norm(value, SKT_NORM_F16) == 65504.0f);
  CHECK(std::isinf(twin_norm(value, SKT_NORM_F16_OVERFLOWS)));
  CHECK(twin_norm(value, SKT_NORM_BF16) == 239616.0f);  // 4 * 6e4, to 8 bits
}

TEST_CASE("noise corners and no temperature give every bucket almost the same probability", "[unit][gpu]") {
  const CheckCase c = CheckCase::parse("operation=soft-buckets,profile=gpt-fast,planes=6,tables=2");
  const Problem problem = make_problem(c);

  const auto tables = reference_buckets(c, problem, double_hyperplanes(c, problem), 0);

  // |u_p| <= 1/sqrt(dim), corners below 0.02 * 6: a logit is at most 6 * 0.12 / 8 = 0.09.
  REQUIRE(problem.corners.size() == 64 * 6);
  for (const ReferenceBuckets& table : tables) {
    double sum = 0;
    for (const double p : table.probability) {
      CHECK(std::abs(p * 64 - 1) <= std::exp(2 * 0.09) - 1);
      sum += p;
    }
    CHECK(std::abs(sum - 1) <= 64 * 0x1p-52);
  }
}
