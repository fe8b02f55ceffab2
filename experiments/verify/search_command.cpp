// socketlab search: how close to a violation can an optimiser bring each deterministic inequality?
//
// Writes search.csv (supremum found, starts, evaluations), worst_instances.json (the archive that
// tests/proofs_check/inequalities/adversarial_search_test.cpp replays) and provenance.json. Exit code 1 if an inequality
// that should hold is violated, or none is found for a printed one that is false; 2 without NLopt.
#include <fmt/format.h>

#include "experiments/command/command.hpp"
#include "experiments/files/csv.hpp"
#include "experiments/parts/run_parts.hpp"
#include "experiments/verify/search_parts.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

int run_search_command(const Job<SearchEffort>& effort, const SharedOptions& shared) {
  if (!can_search()) refuse("search: built without NLopt (package libnlopt-cxx-dev), nothing was searched");
  const RunFacts facts{fmt::format("socketlab search --starts {} --evaluations {} --seed {}", effort.starts,
                                   effort.evaluations, shared.seed),
                       shared.seed, ""};
  const auto parts = [&](const WorkSeen& seen) { return search_parts(effort, Seed{shared.seed}, seen); };
  const auto results = run_parts(parts, facts, effort.how, shared);
  if (!results) return kAsExpected;
  const std::vector<WorstInstance> archive = assemble_search(*results);
  const std::vector<SearchedInequality> list = searched_inequalities();
  CsvTable table = CsvTable::of("inequality,expected,supremum,starts,evaluations,as_expected");
  bool all_as_expected = true;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const SearchedInequality& inequality = list[i];
    const WorstInstance& worst = archive[i];
    const bool good = as_expected(inequality, worst.ratio);
    all_as_expected = all_as_expected && good;
    const std::string expected = inequality.expectation == SearchExpectation::holds ? "at most 1" : "above 1";
    table.add({inequality.name, expected, worst.ratio, effort.starts, worst.evaluations, good ? "yes" : "no"});
    fmt::print("{} {:<24} {:<9}  {:.12g}\n", good ? ' ' : '!', inequality.name, expected, worst.ratio);
  }
  fmt::print("{}", write_results_of_parts(
                       shared, {{"search.csv", table.text()}, {"worst_instances.json", to_json(archive)}}, facts));
  return all_as_expected ? kAsExpected : kNotAsExpected;
}

}  // namespace

static void add_fields(Fields& fields, SearchEffort& effort) {
  fields.add("starts", &effort.starts, "Random starts per inequality").from(1, 100'000);
  fields.add("evaluations", &effort.evaluations, "Maximum number of evaluations per start").from(1, 10'000'000);
}

Command search_command() {
  return make_command<Job<SearchEffort>>("search", "Searches for counterexamples to every deterministic inequality",
                                         run_search_command);
}

}  // namespace skt
