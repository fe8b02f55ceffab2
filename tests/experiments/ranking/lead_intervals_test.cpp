#include "experiments/ranking/lead_intervals.hpp"

#include "tests/numbers.hpp"

using namespace skt;

namespace {

Moments around(double mean) {
  Moments moments;
  for (const double step : {-1.0, 1.0}) moments.add(mean + step);
  return moments;
}

}  // namespace

TEST_CASE("The leads of a part share a third of the rankings' error evenly", "[unit]") {
  for (const std::size_t leads : {1, 3, 1000})
    CHECK(LeadIntervals(leads).error() * 3 * double(leads) == Approx(kRankingFamilyError).epsilon(1e-12));
  CHECK(kRankingFamilyError < kFamilyWiseError);
}

TEST_CASE("A lead's interval is Student's, at the share of one lead", "[unit]") {
  // Two samples, mean +- 1: deviation of the mean 1; with one degree of freedom the quantile is cot(pi error / 2).
  const LeadIntervals intervals(1);
  const double half = 1 / std::tan(std::acos(-1.0) * intervals.error() / 2);

  CHECK(intervals.of(around(5)).hi == Approx(5 + half).epsilon(1e-9));
  CHECK(intervals.of(around(5)).lo == Approx(5 - half).epsilon(1e-9));
  CHECK(LeadIntervals(2).of(around(5)).width() == Approx(4 * half).epsilon(1e-3));
}

TEST_CASE("A lead that 95% alone would call is not called among many", "[unit]") {
  Moments lead;
  for (int i = 0; i < 16; ++i) lead.add(i % 2 == 0 ? 0.03 : -0.01);  // mean .01, deviation of the mean .0052
  REQUIRE(student(lead, 0.05).lo < 0.0);

  Moments clearer;
  for (int i = 0; i < 16; ++i) clearer.add(i % 2 == 0 ? 0.03 : 0.0);  // mean .015, deviation of the mean .0039
  CHECK(student(clearer, 0.05).lo > 0);
  CHECK(LeadIntervals(1000).in_words(clearer) == std::string("no difference seen"));
}

TEST_CASE("A lead is called by the side of its interval", "[unit]") {
  const LeadIntervals intervals(4);
  CHECK(intervals.in_words(around(1e9)) == std::string("SOCKET above"));
  CHECK(intervals.in_words(around(-1e9)) == std::string("SOCKET below"));
  CHECK(intervals.in_words(around(0)) == std::string("no difference seen"));
  CHECK(intervals.in_words(Moments{}) == std::string("no difference seen"));
  CHECK(std::isnan(intervals.of(Moments{}).lo));
}
