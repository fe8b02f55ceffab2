#include "sim/trial_loop.hpp"

#include "sim/randomness.hpp"
#include "sim/statistics/moments.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/numbers.hpp"
#include "tests/threads.hpp"

using namespace skt;

namespace {

struct TrialList {
  std::vector<std::uint64_t> trials;
  void merge(const TrialList& later) { trials.insert(trials.end(), later.trials.begin(), later.trials.end()); }
};

struct BlockCount {
  std::uint64_t blocks = 0;
  void merge(const BlockCount&) { ++blocks; }
};

VectorMoments moments_of_normals(std::uint64_t trials) {
  return run_trials(trials, VectorMoments{}, [](std::uint32_t trial, VectorMoments& moments) {
    Vector x(3);
    fill_normal(Seed{1}, {.trial = trial}, {x.data(), 3});
    moments.add(x);
  });
}

}  // namespace

TEST_CASE("Every trial runs once and results come in trial order", "[unit]") {
  for (const std::uint64_t trials : {0u, 1u, 2u, 63u, 64u, 65u, 1000u}) {
    for (const std::uint64_t block_size : {1u, 7u, 64u, 5000u}) {
      const TrialList done = run_trials(
          trials, TrialList{}, [](std::uint64_t trial, TrialList& list) { list.trials.push_back(trial); }, block_size);

      std::vector<std::uint64_t> expected(trials);
      for (std::uint64_t t = 0; t < trials; ++t) expected[t] = t;
      CHECK(done.trials == expected);
    }
  }
}

TEST_CASE("Trials are reduced 64 to a block where nothing else is asked for", "[unit]") {
  // The last bits of every record follow from how its trials are grouped.
  for (const auto& [trials, blocks] : {std::pair{0u, 0u}, {1u, 1u}, {64u, 1u}, {65u, 2u}, {128u, 2u}, {129u, 3u}})
    CHECK(run_trials(trials, BlockCount{}, [](std::uint64_t, BlockCount&) {}).blocks == blocks);
}

TEST_CASE("1, 2 and 16 threads give the same bits", "[unit]") {
  VectorMoments one, two, sixteen;
  {
    const Threads threads(1);
    one = moments_of_normals(1001);
  }
  {
    const Threads threads(2);
    two = moments_of_normals(1001);
  }
  {
    const Threads threads(16);
    sixteen = moments_of_normals(1001);
  }

  CHECK(one.count() == 1001);
  for (const VectorMoments* other : {&two, &sixteen}) {
    CHECK(other->count() == one.count());
    CHECK(other->mean() == one.mean());
    CHECK(other->variance() == one.variance());
  }
}

TEST_CASE("The exception of the first failing trial comes out, for any number of threads", "[unit]") {
  for (const int count : {1, 2, 16}) {
    const Threads threads(count);
    const auto run = [] {
      run_trials(1000, TrialList{}, [](std::uint64_t trial, TrialList&) {
        if (trial % 100 == 77) throw std::runtime_error(std::to_string(trial));
      });
    };

    CHECK(refusal(run) == "77");
  }
}

TEST_CASE("Blocks of no trial and more trials than draws can be addressed by are refused", "[unit]") {
  CHECK_THROWS_AS(run_trials(1, TrialList{}, [](std::uint64_t, TrialList&) {}, 0), std::invalid_argument);
  CHECK_THROWS_AS(run_trials((std::uint64_t{1} << 32) + 1, TrialList{}, [](std::uint64_t, TrialList&) {}),
                  std::invalid_argument);
}
