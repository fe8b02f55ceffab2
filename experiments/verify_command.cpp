#include "experiments/verify_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/command.hpp"
#include "experiments/kill_matrix.hpp"
#include "experiments/progress.hpp"
#include "experiments/provenance.hpp"
#include "experiments/result_file.hpp"
#include "proofs_check/statements.hpp"
#include "proofs_check/verdict_rows.hpp"

namespace skt {
namespace {

std::string in_words(const Evidence& e) {
  const std::string observed = e.observed.width() > 0
                                   ? fmt::format("in [{:.5g}, {:.5g}]", e.observed.lo, e.observed.hi)
                                   : fmt::format("= {:.6g}", e.observed.lo);
  const std::string error = e.claimed_error > 0 ? fmt::format(" +- {:.1g}", e.claimed_error) : "";
  return fmt::format("{} {}, claimed {} {:.6g}{} ({})", e.quantity, observed, name_of(e.relation), e.claimed,
                     error, e.instance);
}

std::string worst_in_words(const StatementResult& result) {
  if (!result.failure.empty()) return "failed: " + result.failure;
  if (result.verdict == result.expected) {
    for (const MutantResult& mutant : result.mutants) {
      if (mutant.verdict != Verdict::refuted)
        return fmt::format("mutant \"{}\" is {}", mutant.name, name_of(mutant.verdict));
    }
  }
  const Evidence* worst = worst_evidence(result.evidence);
  return worst == nullptr ? "no evidence" : in_words(*worst);
}

std::string command_line(const VerifyOptions& options) {
  std::string line = fmt::format("socketlab verify --profile {} --seed {}", options.profile, options.seed);
  if (!options.only.empty()) line += fmt::format(" --only {}", fmt::join(options.only, ","));
  if (!options.fault.empty()) line += " --fault " + options.fault;
  return line;
}

}  // namespace

std::string verdict_table(const std::vector<StatementResult>& results) {
  std::size_t id_width = 2, title_width = 5;
  for (const StatementResult& r : results) {
    id_width = std::max(id_width, r.id.size());
    title_width = std::max(title_width, r.title.size());
  }
  std::string table = fmt::format("  {:<{}}  {:<{}}  {:<12}  {:<12}  {:>7}  {}\n", "id", id_width, "title",
                                  title_width, "verdict", "expected", "mutants", "worst evidence");
  for (const StatementResult& r : results) {
    table += fmt::format("{} {:<{}}  {:<{}}  {:<12}  {:<12}  {:>7}  {}\n", as_expected(r) ? ' ' : '!', r.id,
                         id_width, r.title, title_width, name_of(r.verdict), name_of(r.expected),
                         fmt::format("{}/{}", mutants_refuted(r), r.mutants.size()), worst_in_words(r));
  }
  const auto unexpected =
      std::count_if(results.begin(), results.end(), [](const auto& r) { return !as_expected(r); });
  std::size_t mutants = 0, refuted = 0;
  for (const StatementResult& r : results) mutants += r.mutants.size(), refuted += mutants_refuted(r);
  return table + fmt::format("{} statements, {} not as expected; {} of {} mutants refuted\n", results.size(),
                             unexpected, refuted, mutants);
}

std::string verdict_lines(const std::vector<StatementResult>& results) {
  std::string lines;
  for (const StatementResult& r : results) lines += to_row(r).dump() + "\n";
  return lines;
}

std::string coverage_list(const std::vector<CoverageEntry>& entries) {
  std::string lines;
  for (const CoverageEntry& e : entries)
    lines += fmt::format("{:<22}  {:<13}  {} ({}){}{}\n", e.id, name_of(e.state), e.title, e.source,
                         e.detail.empty() ? "" : ": ", e.detail);
  return lines;
}

int run_verify(const VerifyOptions& options) {
  const std::vector<Statement> all = all_statements();
  RunSettings settings{
      .seed = {options.seed}, .profile = profile_named(options.profile), .only = options.only};
  if (!options.fault.empty()) settings.estimators = estimators_with_fault(options.fault);

  const std::size_t steps = chosen_statements(all, options.only).size();
  make_folder(options.out);
  ProgressMeter meter("verify", steps);
  const std::vector<StatementResult> results =
      run_statements(all, settings, [&](const StatementResult&) { meter.advance(); });

  const std::filesystem::path folder = options.out;
  write_result(folder / "verdicts.jsonl", verdict_lines(results));
  write_result(folder / "kill_matrix.csv", kill_matrix(results));
  write_provenance(folder, {command_line(options), options.seed, options.profile});
  fmt::print("{}", verdict_table(results));
  return std::all_of(results.begin(), results.end(), as_expected) ? kAsExpected : kNotAsExpected;
}

void add_verify_command(CLI::App& app, SharedOptions& shared) {
  struct Parsed {
    VerifyOptions options;
    bool list = false;
  };
  const auto parsed = std::make_shared<Parsed>();
  CLI::App& sub =
      add_subcommand(app, "verify", "Runs the statements and their mutants", shared, [parsed, &shared] {
        if (parsed->list) {
          fmt::print("{}", coverage_list(coverage()));
          return static_cast<int>(kAsExpected);
        }
        parsed->options.seed = shared.seed;
        parsed->options.out = shared.out;
        return run_verify(parsed->options);
      });
  sub.add_option("--only", parsed->options.only, "Ids of statements, separated by commas")->delimiter(',');
  sub.add_option("--profile", parsed->options.profile, "How many trials: smoke, standard or deep")
      ->capture_default_str();
  sub.add_option("--fault", parsed->options.fault,
                 fmt::format("Plants a fault in the estimators, which must be noticed: {}",
                             fmt::join(fault_names(), ", ")));
  sub.add_flag("--list", parsed->list, "Lists every entry of the sources with its state and runs nothing");
}

}  // namespace skt
