// Which verdicts does a list of statements get?
//
// One family-wise error is divided equally among the measurements that draw random numbers, of the whole list and not
// of what is chosen from it: a statement gets the same share, the same seed and hence the same row whether it runs alone
// or with the others. It would be wrong if a statement spent more than its share, or one without chance anything at all:
// run_statements adds up the evidence and throws.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proofs_check/statement.hpp"
#include "sim/statistics/error_budget.hpp"

namespace skt {

// What was measured beside the statement itself: a mutant or a control.
struct VariantResult {
  std::string name{};
  std::vector<Evidence> evidence{};
  Verdict verdict = Verdict::inconclusive;
};

// Are the planted lies measured? Without them statements and controls get the same evidence: the shares of the error
// are those of the whole list either way.
enum class Mutants { measured, left_out };

// What makes a result again, and tells that of another version.
struct Origin {
  std::string version{};   // of the program; empty where the caller gives none
  std::string list{};      // fingerprint of all statements (statements.hpp)
  std::uint64_t seed = 0;  // of the run
  Profile profile = Profile::standard;
  std::string fault{};  // planted in the estimators; empty: none
  Mutants mutants = Mutants::measured;
  bool operator==(const Origin&) const = default;
};

struct StatementResult {
  Statement statement{};  // without what measures it, and without mutants and controls, in a result that was read
  std::vector<Evidence> evidence{};
  Verdict verdict = Verdict::inconclusive;
  std::vector<VariantResult> mutants{};
  std::vector<VariantResult> controls{};
  std::string failure{};  // what a measurement threw, which leaves its evidence empty
  Origin origin{};
};

// The verdict is the expected one, every mutant that was measured is refuted and no control is, nor inconclusive.
bool as_expected(const StatementResult& result);
std::size_t mutants_refuted(const StatementResult& result);
std::size_t controls_kept(const StatementResult& result);

// At how many settings does a bound that holds say nothing? Where it is the trivial one or above it
// (Evidence::bound_over_trivial). Both 0 unless the statement is not refuted.
struct VacuousSettings {
  std::uint64_t vacuous = 0;  // pieces of evidence
  std::uint64_t of = 0;       // those that tell
  bool all() const { return of > 0 && vacuous == of; }
};
VacuousSettings vacuous_settings(const StatementResult& result);

// The piece to look at first: of the worst verdict, the one nearest to refutation. Null if there is none.
const Evidence* worst_evidence(const std::vector<Evidence>& evidence);

struct RunSettings {
  Seed seed{1};
  Profile profile = Profile::standard;
  std::string fault{};  // planted in the estimators under test; empty: none
  double family_error = kStatementsError;
  std::vector<std::string> only{};    // ids; empty: all
  std::string version{};              // of the program, for the results
  Trials trials = Trials::summed_up;  // kept: of the statements that hand them out
  Mutants mutants = Mutants::measured;
};

// The share of the error of each measurement: of a statement, of each of its mutants, of each of its controls. It is 0
// for a statement without chance; `all` decides for the others.
double share_of(const Statement& statement, const std::vector<Statement>& all, double family_error = kStatementsError);

// Called with each result as soon as it is there.
using Progress = std::function<void(const StatementResult&)>;

// The statements named in `only`, in the order of the list. InputError names the nearest ids for an unknown one.
std::vector<const Statement*> chosen_statements(const std::vector<Statement>& all,
                                                const std::vector<std::string>& only);

// The seed of one statement: a function of the run's seed and of the id alone.
Seed statement_seed(Seed seed, const std::string& id);

// A statement is measured as claimed, and so is each of its mutants and controls. These know nothing of each other and
// may be measured in any order, and in different processes.
enum class MeasurementOf { claim, mutant, control };
struct Measurement {
  MeasurementOf what = MeasurementOf::claim;
  Index number = 0;  // among the mutants, or among the controls
};
// Null of the claim.
const Variant* variant_of(const Statement& statement, const Measurement& measurement);
// The claim, the mutants unless they are left out, the controls.
std::vector<Measurement> measurements_of(const Statement& statement, Mutants mutants = Mutants::measured);

struct Measured {
  std::vector<Evidence> evidence{};
  std::string failure{};           // what the measurement threw
  std::vector<KeptTrials> kept{};  // only where the settings ask for them
};
Measured measured(const Statement& statement, const Measurement& measurement, const Context& context,
                  Trials trials = Trials::summed_up);

// The seed, share of the error and estimators that all measurements of a statement get.
Context context_of(const Statement& statement, const std::vector<Statement>& all, const RunSettings& settings);

// From what was measured, in the order of measurements_of with the mutants of the origin.
StatementResult judged(const Statement& statement, std::vector<Measured> all_measured, const Origin& origin);

Origin origin_of(const std::vector<Statement>& all, const RunSettings& settings);

// All of this, one statement after the other. InputError for an unknown id or fault.
std::vector<StatementResult> run_statements(const std::vector<Statement>& all, const RunSettings& settings,
                                            const Progress& progress = {});

}  // namespace skt
