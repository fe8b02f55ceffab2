// What is a statement, what counts as evidence, and how is one judged?
//
// A statement claims a relation between an observed quantity and a claimed value. `measure` produces Evidence
// (numbers only), `judge` is a pure function of it, and a mutant is the same statement with a planted lie
// that the same judge must refute. There is no verdict "proved": a statement that survives is "not-refuted".
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "proofs_check/estimators_under_test.hpp"
#include "sim/randomness.hpp"
#include "sim/statistics/intervals.hpp"

namespace skt {

enum class Profile { smoke, standard, deep };
enum class Kind { identity, inequality, expectation, high_probability, limit, ordering };
enum class Relation { equal, at_most, at_least };
enum class Verdict { refuted, not_refuted, inconclusive };

// One comparison. `observed` contains the true quantity with probability >= 1 - error_share (a point if
// exact).
struct Evidence {
  std::string instance{};  // on what it was measured, e.g. "I-TWO(100)"
  std::string quantity{};  // what is observed, e.g. "P(|Z~ - Z_tau| > bound)"
  Relation relation = Relation::equal;
  Interval observed{};
  double claimed = 0;
  double claimed_error = 0;           // error of the oracle or of rounding; widens the claim, protecting it
  double resolution = 0;              // widest `observed` that still says something; 0 only for points
  std::uint64_t trials = 0;           // how many were run
  std::uint64_t trials_in_scope = 0;  // how many met the hypotheses
  double error_share = 0;             // probability that `observed` misses; 0 for exact evidence
};

// refuted: the observed interval lies wholly outside the claim. inconclusive: a non-finite number, no trial,
// fewer than 1% of the trials in scope, or an interval wider than the resolution. Otherwise not-refuted.
// Refuted takes precedence over a wide interval, never over a non-finite number or missing trials.
Verdict judge(const Evidence& evidence);

// Of several pieces: refuted if any is; else inconclusive if any is or if there is none; else not-refuted.
Verdict judge(const std::vector<Evidence>& evidence);

struct Context {
  Seed seed{};  // of this statement; its mutants see the same numbers
  Profile profile = Profile::standard;
  double error_share = 0;            // of this statement or mutant, divided among its random evidence
  EstimatorsUnderTest estimators{};  // the real ones, or one with a planted fault

  // The share of each of `pieces` random pieces of evidence; run_statements checks their sum.
  double share(int pieces) const { return error_share / pieces; }

  // A quarter of `standard` for smoke, a hundred times it for deep: intervals twice and a tenth as wide.
  std::uint64_t trials(std::uint64_t standard) const;
};

struct Mutant {
  std::string name{};  // what was changed, e.g. "constant 2 -> 1.3"
  std::function<std::vector<Evidence>(const Context&)> measure{};
};

struct Statement {
  std::string id{};  // ledger-style reference, e.g. "S002-L9"
  std::string title{};
  std::string source{};  // "paper, Lemma 9"
  Kind kind = Kind::identity;
  std::string scope{};  // the hypotheses
  std::function<std::vector<Evidence>(const Context&)> measure{};
  std::vector<Mutant> mutants{};
  Verdict expected = Verdict::not_refuted;
  std::string remark{};  // what a reader of the report should know, e.g. why nothing here could be refuted
};

}  // namespace skt
