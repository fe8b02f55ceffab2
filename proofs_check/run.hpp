// Which verdicts does a list of statements get?
//
// One family-wise error is divided equally among all measurements of the whole list (truths and mutants), so that a
// statement gets the same share, the same seed and hence the same numbers whether it runs alone or with the others. It
// would be wrong if a statement spent more than its share: run_statements adds up the evidence and throws.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "proofs_check/statement.hpp"
#include "sim/statistics/error_budget.hpp"

namespace skt {

struct MutantResult {
  std::string name{};
  std::vector<Evidence> evidence{};
  Verdict verdict = Verdict::inconclusive;
};

struct StatementResult {
  std::string id{};
  std::string title{};
  std::string source{};
  Kind kind = Kind::identity;
  std::string scope{};
  std::string remark{};
  std::vector<Evidence> evidence{};
  Verdict verdict = Verdict::inconclusive;
  Verdict expected = Verdict::not_refuted;
  std::vector<MutantResult> mutants{};
  std::string failure{};  // what a measurement threw, which leaves its evidence empty
};

// The verdict is the expected one and every mutant is refuted.
bool as_expected(const StatementResult& result);
std::size_t mutants_refuted(const StatementResult& result);

// The piece to look at first: of the worst verdict, the one nearest to refutation. Null if there is none.
const Evidence* worst_evidence(const std::vector<Evidence>& evidence);

struct RunSettings {
  Seed seed{1};
  Profile profile = Profile::standard;
  EstimatorsUnderTest estimators{};
  double family_error = kFamilyWiseError;
  std::vector<std::string> only{};  // ids; empty: all
};

// Called with each result as soon as it is there.
using Progress = std::function<void(const StatementResult&)>;

// The statements named in `only`, in the order of the list. InputError names the nearest ids for an unknown one.
std::vector<const Statement*> chosen_statements(const std::vector<Statement>& all,
                                                const std::vector<std::string>& only);

// The seed of one statement: a function of the run's seed and of the id alone.
Seed statement_seed(Seed seed, const std::string& id);

std::vector<StatementResult> run_statements(const std::vector<Statement>& all, const RunSettings& settings,
                                            const Progress& progress = {});

}  // namespace skt
