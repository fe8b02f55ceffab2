#include "experiments/verify/verify_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "experiments/command/command.hpp"
#include "experiments/command/fields.hpp"
#include "experiments/command/messages.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/files/result_file.hpp"
#include "experiments/parts/journal.hpp"
#include "experiments/parts/workers.hpp"
#include "experiments/verify/kill_matrix.hpp"
#include "experiments/verify/verdict_table.hpp"
#include "experiments/verify/verify_fields.hpp"
#include "experiments/verify/verify_parts.hpp"
#include "proofs_check/names.hpp"
#include "proofs_check/rows/verdict_rows.hpp"
#include "proofs_check/statements.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

std::string command_line(const VerifyOptions& options) {
  const std::string only = options.only.empty() ? "" : fmt::format(" --only {}", fmt::join(options.only, ","));
  const std::string fault = options.fault.empty() ? "" : " --fault " + options.fault;
  return fmt::format("socketlab verify{} --profile {} --seed {}{}{}{}", only, options.profile, options.seed, fault,
                     options.no_lies ? " --no-lies" : "", options.keep_trials ? " --keep-trials" : "");
}

double seconds_to_run(const std::vector<Statement>& all, RunSettings settings, Profile profile) {
  settings.profile = profile;
  const auto start = std::chrono::steady_clock::now();
  run_statements(all, settings);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// To stderr, as all that depends on the machine.
void announce_deep(const std::vector<Statement>& all, const RunSettings& settings) {
  say("verify: runs smoke and standard first, to estimate the time of the deep run\n");
  const double smoke = seconds_to_run(all, settings, Profile::smoke);
  const double standard = seconds_to_run(all, settings, Profile::standard);
  say("verify: intervals ten times narrower than standard will take about {:.0f} minutes "
      "(an estimate from {:.0f} s at smoke and {:.0f} s at standard size)\n",
      std::ceil(deep_seconds(smoke, standard) / 60), smoke, standard);
}

std::string command_of_faults(const VerifyOptions& options) {
  return fmt::format("socketlab verify --all-faults --profile {} --seed {}", options.profile, options.seed);
}

SharedOptions shared_of(const VerifyOptions& options) {
  SharedOptions shared;
  shared.seed = options.seed;
  shared.out = options.out;
  shared.force = options.force;
  return shared;
}

// A run that goes on, or that several processes share, knows by its progress how long it takes.
bool should_announce(const RunSettings& settings, const VerifyOptions& options, const PartsOptions& how) {
  return settings.profile == Profile::deep && how.slice.empty() && !how.merge && journals_in(options.out).empty() &&
         runs_alone();
}

// What was asked for would be an empty file.
void require_some_kept(const std::vector<Statement>& all, const std::vector<std::string>& only) {
  const auto keeps = [](const Statement* s) { return s->trials == Trials::kept; };
  const std::vector<const Statement*> chosen = chosen_statements(all, only);
  if (std::any_of(chosen.begin(), chosen.end(), keeps)) return;
  std::vector<std::string> ids;
  for (const Statement& s : all)
    if (keeps(&s)) ids.push_back(s.id);
  refuse("--keep-trials: none of the chosen statements keeps its trials: allowed are {}", fmt::join(ids, ", "));
}

}  // namespace

double deep_seconds(double smoke, double standard) {
  const auto trials = [](Profile profile) {
    constexpr std::uint64_t kAny = 1000;
    return real(Context{.profile = profile}.trials(kAny));
  };
  const double slope = (standard - smoke) / (trials(Profile::standard) - trials(Profile::smoke));
  return standard + std::max(0.0, slope) * (trials(Profile::deep) - trials(Profile::standard));
}

std::string verdict_lines(const std::vector<StatementResult>& results) {
  std::string lines;
  for (const StatementResult& r : results) lines += to_row(r).dump() + "\n";
  return lines;
}

std::string coverage_list(const std::vector<CoverageEntry>& entries) {
  std::string lines;
  for (const CoverageEntry& e : entries)
    lines +=
        fmt::format("{:<22}  {:<13}  {:<7}  {} ({}){}{}\n", e.id, name_of(e.state),
                    e.wording ? name_of(*e.wording) : "", e.title, e.source, e.detail.empty() ? "" : ": ", e.detail);
  return lines;
}

RunSettings settings_of(const VerifyOptions& options, const std::vector<Statement>& all) {
  if (!options.fault.empty()) estimators_with_fault(options.fault);
  chosen_statements(all, options.only);
  check(options.outcomes);
  if (options.keep_trials) require_some_kept(all, options.only);
  return {.seed = {options.seed},
          .profile = named<Profile>(options.profile),
          .fault = options.fault,
          .only = options.only,
          .version = program_version(),
          .trials = options.keep_trials ? Trials::kept : Trials::summed_up,
          .mutants = options.no_lies ? Mutants::left_out : Mutants::measured};
}

int write_verdicts(const std::vector<StatementResult>& results, const std::filesystem::path& folder) {
  write_result(folder / "verdicts.jsonl", verdict_lines(results));
  write_result(folder / "kill_matrix.csv", kill_matrix(results));
  fmt::print("{}", verdict_table(results));
  return std::ranges::all_of(results, [](const StatementResult& result) { return as_expected(result); })
             ? kAsExpected
             : kNotAsExpected;
}

void write_kept(const std::vector<KeptOf>& kept, const std::filesystem::path& folder) {
  write_result(folder / "trials.csv", trials_csv(kept));
  write_result(folder / "laws.csv", laws_csv(kept));
}

int run_verify(const VerifyOptions& options, const PartsOptions& how) {
  const std::vector<Statement> all = all_statements();
  const RunSettings settings = settings_of(options, all);  // what is unknown is refused before there is a folder
  if (should_announce(settings, options, how)) announce_deep(all, settings);
  const RunFacts facts{command_line(options), options.seed, options.profile, options.fault};
  const auto measured = run_parts(statement_parts(all, settings), facts, how, shared_of(options));
  if (!measured) return kAsExpected;

  const std::vector<StatementResult> results = statement_results(all, settings, *measured);
  const int code = write_verdicts(results, options.out);
  if (options.keep_trials) write_kept(kept_of(all, settings, *measured), options.out);
  write_results(options.out, {}, facts);
  report(options.outcomes, options.no_lies ? "socketlab verify --no-lies" : "socketlab verify", outcomes_of(results));
  remove_journals(options.out);
  return code;
}

int write_faults(const std::vector<FaultResult>& faults, const VerifyOptions& options, Ask ask) {
  const std::filesystem::path folder = options.out;
  write_result(folder / "faults.csv", fault_matrix(faults, command_of_faults(options)));
  for (const FaultResult& f : faults) {
    std::vector<std::string> ids;
    for (const StatementResult& r : f.noticed_by) ids.push_back(r.statement.id);
    const std::string number = ask == Ask::all ? fmt::format("by {}:", ids.size()) : "first by";
    const std::string who = ids.empty() ? "by no statement" : fmt::format("{} {}", number, fmt::join(ids, ", "));
    fmt::print("{} {:<16}  noticed {}\n", ids.empty() ? '!' : ' ', f.fault, who);
  }
  const bool noticed =
      std::none_of(faults.begin(), faults.end(), [](const FaultResult& f) { return f.noticed_by.empty(); });
  return noticed ? kAsExpected : kNotAsExpected;
}

int run_all_faults(const VerifyOptions& options, const PartsOptions& how) {
  const std::vector<Statement> all = all_statements();
  const FaultSettings settings{{options.seed}, named<Profile>(options.profile)};
  const RunFacts facts{command_of_faults(options), options.seed, options.profile};
  const auto results = run_parts(fault_parts(all, settings), facts, how, shared_of(options));
  if (!results) return kAsExpected;

  const int code = write_faults(fault_results(all, settings, *results), options);
  write_results(options.out, {}, facts);
  remove_journals(options.out);
  return code;
}

namespace {

struct VerifyRequest : VerifyOptions {
  bool list = false, all_faults = false;
};

void add_fields(Fields& fields, VerifyRequest& r) {
  add_statement_fields(fields, r.only, r.profile, r.fault, r.no_lies);
  fields
      .add("list", &r.list,
           "Runs nothing; lists every claim of the sources: whether it is checked, whose words they are, its title and "
           "source")
      .excludes({"only", "profile", "fault", "no-lies", "junit", "annotations", "keep-trials", "all-faults"})
      .prints_only();
  add_fields(fields, r.outcomes);
  fields.add("keep-trials", &r.keep_trials,
             "Also writes the trials of statements about a distribution and the claimed distribution: trials.csv and "
             "laws.csv, for plots/trial_distributions.py");
  fields.add("all-faults", &r.all_faults, "Plants each fault in turn; faults.csv lists who notices")
      .excludes({"only", "fault", "no-lies", "junit", "annotations", "keep-trials"});
}

int run_verify_command(Job<VerifyRequest>& request, const SharedOptions& shared) {
  if (request.list) {
    fmt::print("{}", coverage_list(coverage()));
    return kAsExpected;
  }
  request.seed = shared.seed;
  request.out = shared.out;
  request.force = shared.force;
  return request.all_faults ? run_all_faults(request, request.how) : run_verify(request, request.how);
}

}  // namespace

Command verify_command() {
  return make_command<Job<VerifyRequest>>(
      "verify", "Runs the statements, their planted lies (false variants) and controls (true ones)",
      run_verify_command);
}

}  // namespace skt
