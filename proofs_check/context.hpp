// What does a statement measure with? Its seed, its size, its share of the error budget and the estimators under test.
#pragma once

#include <concepts>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "proofs_check/estimators_under_test.hpp"
#include "proofs_check/evidence.hpp"
#include "sim/number.hpp"
#include "sim/randomness.hpp"
#include "sim/statistics/empirical_distribution.hpp"

namespace skt {

// P(X <= value) of the claimed law. Where a tail alone is claimed the law has one point, the bound.
struct LawPoint {
  double value = 0;
  double probability = 0;
};

// The trials of a measurement beside the law that is claimed; for a plot, where an interval hides their shape. Not judged.
struct KeptTrials {
  std::string instance{};               // on what it was measured
  std::string quantity{};               // X, e.g. "error"
  Relation relation = Relation::equal;  // of the true P(X <= value) to the claimed one
  std::vector<ValueCount> values{};     // of all trials
  std::vector<LawPoint> law{};          // ascending
};

enum class Profile { smoke, standard, deep };

struct Context {
  Seed seed{};  // of this statement; its mutants see the same numbers
  Profile profile = Profile::standard;
  double error_share = 0;                   // of this statement or mutant, divided among its random evidence
  EstimatorsUnderTest estimators{};         // the real ones, or one with a planted fault
  std::vector<KeptTrials>* kept = nullptr;  // where trials go that a plot is to show; null: nowhere

  void keep(KeptTrials trials) const {
    if (kept != nullptr) kept->push_back(std::move(trials));
  }

  // The share of each of `pieces` random pieces of evidence; run_statements checks their sum.
  double share(std::integral auto pieces) const { return error_share / real(pieces); }

  // The same, where a piece belongs to each case of a list, or to each combination of the cases of several: the number
  // of pieces is the product of the sizes, so that a case more or fewer changes it by itself.
  //
  //   constexpr std::array kAngles{0.1, 0.5, 1.0};
  //   constexpr std::array kPlanes{1, 4};
  //   for (const double angle : kAngles)
  //     for (const int planes : kPlanes) frequency(.., {context.share(kAngles, kPlanes), kResolution});
  //
  // For two random pieces a case: context.share(2 * std::size(kCases)). A list written into the `for` gets a name.
  template <std::ranges::sized_range... Cases>
    requires(sizeof...(Cases) > 0)
  double share(const Cases&... cases) const {
    return share((std::ranges::size(cases) * ...));
  }

  // `standard`; a quarter of it for smoke, a hundredfold for deep: intervals twice, a tenth as wide. Looks for a stop.
  std::uint64_t trials(std::uint64_t standard) const;
};

}  // namespace skt
