// What does a statement measure with? Its seed, its size, its share of the error budget and the estimators under test.
#pragma once

#include <concepts>
#include <cstdint>

#include "proofs_check/estimators_under_test.hpp"
#include "sim/number.hpp"
#include "sim/randomness.hpp"

namespace skt {

enum class Profile { smoke, standard, deep };

struct Context {
  Seed seed{};  // of this statement; its mutants see the same numbers
  Profile profile = Profile::standard;
  double error_share = 0;            // of this statement or mutant, divided among its random evidence
  EstimatorsUnderTest estimators{};  // the real ones, or one with a planted fault

  // The share of each of `pieces` random pieces of evidence; run_statements checks their sum.
  double share(std::integral auto pieces) const { return error_share / real(pieces); }

  // A quarter of `standard` for smoke, a hundred times it for deep: intervals twice and a tenth as wide.
  std::uint64_t trials(std::uint64_t standard) const;
};

}  // namespace skt
