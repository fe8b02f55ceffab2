#include "experiments/verify/verify_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "experiments/command/command.hpp"
#include "experiments/command/option_text.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/files/result_file.hpp"
#include "experiments/parts/journal.hpp"
#include "experiments/parts/workers.hpp"
#include "experiments/verify/kill_matrix.hpp"
#include "experiments/verify/verify_parts.hpp"
#include "proofs_check/names.hpp"
#include "proofs_check/rows/verdict_rows.hpp"
#include "proofs_check/statements.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

std::string in_words(const Evidence& e) {
  const std::string observed = e.observed.width() > 0 ? fmt::format("in [{:.5g}, {:.5g}]", e.observed.lo, e.observed.hi)
                                                      : fmt::format("= {:.6g}", e.observed.lo);
  const std::string error = e.claimed_error > 0 ? fmt::format(" +- {:.1g}", e.claimed_error) : "";
  return fmt::format("{} {}, claimed {} {:.6g}{} ({})", e.quantity, observed, name_of(e.relation), e.claimed, error,
                     e.instance);
}

std::string worst_in_words(const StatementResult& result) {
  if (!result.failure.empty()) return "failed: " + result.failure;
  if (result.verdict == result.expected) {
    for (const VariantResult& mutant : result.mutants) {
      if (mutant.verdict != Verdict::refuted)
        return fmt::format("mutant \"{}\" is {}", mutant.name, name_of(mutant.verdict));
    }
    for (const VariantResult& control : result.controls) {
      if (control.verdict != Verdict::not_refuted)
        return fmt::format("control \"{}\" is {}", control.name, name_of(control.verdict));
    }
  }
  const Evidence* worst = worst_evidence(result.evidence);
  return worst == nullptr ? "no evidence" : in_words(*worst);
}

std::string command_line(const VerifyOptions& options) {
  const std::string only = options.only.empty() ? "" : fmt::format(" --only {}", fmt::join(options.only, ","));
  const std::string fault = options.fault.empty() ? "" : " --fault " + options.fault;
  return fmt::format("socketlab verify{} --profile {} --seed {}{}", only, options.profile, options.seed, fault);
}

double seconds_to_run(const std::vector<Statement>& all, RunSettings settings, Profile profile) {
  settings.profile = profile;
  const auto start = std::chrono::steady_clock::now();
  run_statements(all, settings);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// To stderr, as all that depends on the machine.
void announce_deep(const std::vector<Statement>& all, const RunSettings& settings) {
  fmt::print(stderr, "verify: a smoke and a standard run first, to estimate the time of the deep one\n");
  const double smoke = seconds_to_run(all, settings, Profile::smoke);
  const double standard = seconds_to_run(all, settings, Profile::standard);
  fmt::print(stderr,
             "verify: intervals ten times narrower than standard will take about {:.0f} minutes "
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

}  // namespace

double deep_seconds(double smoke, double standard) {
  const auto trials = [](Profile profile) {
    constexpr std::uint64_t kAny = 1000;
    return real(Context{.profile = profile}.trials(kAny));
  };
  const double slope = (standard - smoke) / (trials(Profile::standard) - trials(Profile::smoke));
  return standard + std::max(0.0, slope) * (trials(Profile::deep) - trials(Profile::standard));
}

std::string verdict_table(const std::vector<StatementResult>& results) {
  std::size_t id_width = 2, title_width = 5;
  for (const StatementResult& r : results) {
    id_width = std::max(id_width, r.id.size());
    title_width = std::max(title_width, r.title.size());
  }
  std::string table = fmt::format("  {:<{}}  {:<7}  {:<{}}  {:<12}  {:<12}  {:>7}  {}\n", "id", id_width, "words",
                                  "title", title_width, "verdict", "expected", "mutants", "worst evidence");
  for (const StatementResult& r : results) {
    table += fmt::format("{} {:<{}}  {:<7}  {:<{}}  {:<12}  {:<12}  {:>7}  {}\n", as_expected(r) ? ' ' : '!', r.id,
                         id_width, name_of(r.wording), r.title, title_width, name_of(r.verdict), name_of(r.expected),
                         fmt::format("{}/{}", mutants_refuted(r), r.mutants.size()), worst_in_words(r));
  }
  const auto unexpected = std::count_if(results.begin(), results.end(), [](const auto& r) { return !as_expected(r); });
  std::size_t mutants = 0, refuted = 0, controls = 0, kept = 0;
  for (const StatementResult& r : results) {
    mutants += r.mutants.size(), refuted += mutants_refuted(r);
    controls += r.controls.size(), kept += controls_kept(r);
  }
  return table +
         fmt::format("{} statements, {} not as expected; {} of {} mutants and {} of {} controls as they should\n",
                     results.size(), unexpected, refuted, mutants, kept, controls);
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
  return {.seed = {options.seed},
          .profile = profile_named(options.profile),
          .fault = options.fault,
          .only = options.only,
          .version = program_version()};
}

int write_verdicts(const std::vector<StatementResult>& results, const std::filesystem::path& folder) {
  write_result(folder / "verdicts.jsonl", verdict_lines(results));
  write_result(folder / "kill_matrix.csv", kill_matrix(results));
  fmt::print("{}", verdict_table(results));
  return std::all_of(results.begin(), results.end(), as_expected) ? kAsExpected : kNotAsExpected;
}

int run_verify(const VerifyOptions& options, const PartsOptions& how) {
  const std::vector<Statement> all = all_statements();
  const RunSettings settings = settings_of(options, all);  // what is unknown is refused before there is a folder
  if (should_announce(settings, options, how)) announce_deep(all, settings);
  const RunFacts facts{command_line(options), options.seed, options.profile};
  const auto results = run_parts(statement_parts(all, settings), facts, how, shared_of(options));
  if (!results) return kAsExpected;

  const int code = write_verdicts(statement_results(all, settings, *results), options.out);
  write_provenance(options.out, facts);
  remove_journals(options.out);
  return code;
}

int write_faults(const std::vector<FaultResult>& faults, const VerifyOptions& options) {
  const std::filesystem::path folder = options.out;
  write_result(folder / "faults.csv", fault_matrix(faults, command_of_faults(options)));
  for (const FaultResult& f : faults) {
    std::vector<std::string> ids;
    for (const StatementResult& r : f.noticed_by) ids.push_back(r.id);
    fmt::print("{} {:<16}  noticed by {}\n", ids.empty() ? '!' : ' ', f.fault,
               ids.empty() ? "no statement" : fmt::format("{}: {}", ids.size(), fmt::join(ids, ", ")));
  }
  const bool noticed =
      std::none_of(faults.begin(), faults.end(), [](const FaultResult& f) { return f.noticed_by.empty(); });
  return noticed ? kAsExpected : kNotAsExpected;
}

int run_all_faults(const VerifyOptions& options, const PartsOptions& how) {
  const std::vector<Statement> all = all_statements();
  const FaultSettings settings{{options.seed}, profile_named(options.profile)};
  const RunFacts facts{command_of_faults(options), options.seed, options.profile};
  const auto results = run_parts(fault_parts(all, settings), facts, how, shared_of(options));
  if (!results) return kAsExpected;

  const int code = write_faults(fault_results(*results), options);
  write_provenance(options.out, facts);
  remove_journals(options.out);
  return code;
}

void add_verify_command(CLI::App& app, SharedOptions& shared) {
  struct Parsed {
    VerifyOptions options;
    PartsOptions how;
    bool list = false;
    bool all_faults = false;
  };
  const auto parsed = std::make_shared<Parsed>();
  const auto run_parsed = [parsed, &shared]() -> int {
    if (parsed->list) {
      fmt::print("{}", coverage_list(coverage()));
      return kAsExpected;
    }
    parsed->options.seed = shared.seed;
    parsed->options.out = shared.out;
    parsed->options.force = shared.force;
    return parsed->all_faults ? run_all_faults(parsed->options, parsed->how) : run_verify(parsed->options, parsed->how);
  };
  CLI::App& sub = add_subcommand(app, "verify", "Runs the statements and their mutants", shared, run_parsed);
  CLI::Option* only = &add_list(sub, "--only", parsed->options.only, "Ids of statements, separated by commas");
  sub.add_option("--profile", parsed->options.profile, "How many trials: smoke, standard or deep")
      ->capture_default_str();
  CLI::Option* fault = sub.add_option("--fault", parsed->options.fault,
                                      "Plants a fault in the estimators, which must be noticed:\n" +
                                          comma_list(fault_names(), {.width = kDescriptionWidth}));
  CLI::Option* list = sub.add_flag(
      "--list", parsed->list,
      "Lists every entry of the sources, runs nothing: its state,\nwhose words it judges, and those words");
  list->excludes(only);
  sub.add_flag("--all-faults", parsed->all_faults, "Plants each fault in turn; faults.csv says who notices")
      ->excludes(only, fault, list);
  add_parts_options(sub, parsed->how);
}

}  // namespace skt
