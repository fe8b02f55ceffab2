#include "estimators/error_terms/measured_terms.hpp"

#include <atomic>

#include "estimators/error_terms/predictions.hpp"
#include "sim/families.hpp"
#include "sim/statistics/intervals.hpp"
#include "tests/numbers.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

Instance gaussian() {
  return make_instance({.keys = 48, .dim = 8}, Seed{5}, 0);
}

const Setting kSetting{.planes = 3, .tables = 64, .samples = 32};

}  // namespace

TEST_CASE("A wrong centre is refuted for every error term", "[mutant]") {
  const Instance instance = gaussian();
  const Centre centre = exact_centre(instance, kSetting);
  const MeasuredTerms measured = measure_terms(instance, kSetting, centre, Seed{5}, {100, 8});

  // The lies: mean squares off by a factor of two, and no bias at all.
  const auto misses = [](const Moments& squares, double claim) { return !student(squares, 1e-4).contains(claim); };
  CHECK(!misses(measured.finite_tables, centre.tables.mean_square.value / 64));
  CHECK(misses(measured.finite_tables, 2 * centre.tables.mean_square.value / 64));
  CHECK(!misses(measured.sampling, measured.sampling_expected.mean()));
  CHECK(misses(measured.sampling, 2 * measured.sampling_expected.mean()));
  CHECK(!misses(measured.bias, centre.bias.value));
  CHECK(misses(measured.bias, 0));
  // The total is a limit in L: it is met up to its correction, and a lie lies beyond it.
  const Estimate sampling{measured.sampling_expected.mean(), 0};
  const Estimate total = total_mean_square(centre, kSetting, sampling);
  const Interval seen = student(measured.total, 1e-4);
  CHECK(seen.lo <= total.value + total.error);
  CHECK(seen.hi >= total.value - total.error);
  CHECK(seen.hi < 2 * total.value - total.error);
  CHECK(seen.lo > total.value / 2 + total.error);
}

TEST_CASE("Where the bias is zero it is measured as zero, along the values", "[unit]") {
  // I-TWO: every table has normaliser 2 and y* = y_tau = 0; I-COPY: all values are equal.
  for (const InstanceFamily family : {InstanceFamily::two_sided, InstanceFamily::copies}) {
    const Instance instance = make_instance({.family = family, .dim = 4, .copies = 2}, Seed{1}, 0);
    const Setting setting{.planes = 1, .tables = 5, .samples = 2};
    const Centre centre = population_centre(instance, setting);

    const Moments bias = measure_terms(instance, setting, centre, Seed{3}, {400, 1}).bias;

    CHECK(student(bias, 1e-6).contains(0));
    CHECK(!student(bias, 1e-6).contains(0.5));
    CHECK((bias.variance() > 0.01) == (family == InstanceFamily::two_sided));
  }
}

TEST_CASE("One plane whose corners are equally likely misses half of its fullest bucket", "[unit]") {
  // tau so high that p = 1/2 in every table: B_l (1 - p_l) is half the fullest bucket, all of four equal keys.
  const Instance instance = make_instance({.family = InstanceFamily::copies, .dim = 4, .copies = 4}, Seed{1}, 0);
  const Setting setting{.planes = 1, .tables = 40, .samples = 2, .temperature = 1e12};

  const MeasuredTerms measured =
      measure_terms(instance, setting, population_centre(instance, setting), Seed{3}, {3, 1});

  CHECK(measured.occupied_miss.count() == 3);
  CHECK(measured.occupied_miss.mean() == Approx(2).epsilon(1e-9));
}

TEST_CASE("On I-RAD one sample of T is +1 or -1, and the tables change nothing", "[unit]") {
  const Instance instance = make_instance({.family = InstanceFamily::rademacher, .dim = 4}, Seed{1}, 0);
  const Setting setting{.planes = 2, .tables = 3, .samples = 1};

  const MeasuredTerms measured =
      measure_terms(instance, setting, population_centre(instance, setting), Seed{1}, {7, 3});

  // y* = y_tau = y_{tau,L} = 0 and ||T||^2 = 1, up to rounding.
  CHECK(measured.sampling.count() == 7);
  CHECK(std::abs(measured.sampling.mean() - 1) <= 1e-14);
  CHECK(std::abs(measured.sampling_expected.mean() - 1) <= 1e-14);
  CHECK(std::abs(measured.total.mean() - 1) <= 1e-14);
  CHECK(measured.finite_tables.mean() <= 1e-28);
  CHECK(measured.occupancy == 2);
}

TEST_CASE("Selecting every key leaves nothing out; without a budget nothing is selected", "[unit]") {
  const Instance instance = gaussian();
  Setting setting = kSetting;
  setting.budget = 48;
  const Centre centre = population_centre(instance, setting);

  const MeasuredTerms all = measure_terms(instance, setting, centre, Seed{3}, {4, 1});
  setting.budget = 0;
  const MeasuredTerms none = measure_terms(instance, setting, centre, Seed{3}, {4, 1});

  CHECK(all.selection.count() == 4);
  CHECK(all.selection.mean() <= std::pow(48 * 1e-15 * centre.largest_value, 2));
  CHECK(all.left_out.mean() <= std::pow(48 * 1e-15, 2));
  CHECK(none.selection.count() == 0);
}

TEST_CASE("Every trial is reported once, and the numbers are the same for any number of threads", "[unit]") {
  const Instance instance = gaussian();
  const Centre centre = population_centre(instance, kSetting);
  std::atomic<int> done = 0;
  const auto total = [&](int threads) {
    const Threads scope(threads);
    return measure_terms(instance, kSetting, centre, Seed{3}, {5, 2}, [&done] { ++done; }).total.mean();
  };

  const double alone = total(1), together = total(3);

  CHECK(done == 10);
  CHECK(alone == together);
}

TEST_CASE("Trials measured by themselves, in any ranges, merge to the bits of all in one go", "[unit]") {
  const Instance instance = gaussian();
  Setting setting = kSetting;
  setting.budget = 5;
  const Centre centre = population_centre(instance, setting);

  const MeasuredTerms whole = measure_terms(instance, setting, centre, Seed{5}, {10, 3});
  MeasuredTerms merged;
  for (const TrialRange range : {TrialRange{0, 4}, TrialRange{4, 1}, TrialRange{5, 5}}) {
    const auto trials = measure_each_trial(instance, setting, centre, Seed{5}, 3, range);
    CHECK(trials.size() == range.count);
    for (const MeasuredTerms& trial : trials) merged.merge(trial);
  }

  for (const auto term : {&MeasuredTerms::sampling, &MeasuredTerms::finite_tables, &MeasuredTerms::bias,
                          &MeasuredTerms::total, &MeasuredTerms::selection, &MeasuredTerms::occupied_miss}) {
    CHECK((merged.*term).count() == 10);
    CHECK((merged.*term).mean() == (whole.*term).mean());
    CHECK((merged.*term).variance() == (whole.*term).variance());
  }
  CHECK(merged.occupancy == whole.occupancy);
}
