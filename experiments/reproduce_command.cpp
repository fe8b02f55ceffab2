// socketlab reproduce: the main job. Statements, the error curves, the rankings, the planted faults, then figures and
// report.html. Exit 1 if a verdict is not as expected or a fault is not noticed.
//
// All of it is one list of parts (experiments/parts/run_parts.hpp): each is kept as it is done, after an interruption the
// same command goes on where it was, and slices or the processes of a launcher share them.
//
// One error covers all verdicts of the run. Its parts are fixed (sim/statistics/error_budget.hpp), so that each row is
// the one that its own command makes.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "experiments/command/command.hpp"
#include "experiments/command/plotting.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/error_curves/audit_parts.hpp"
#include "experiments/error_curves/audit_rows.hpp"
#include "experiments/error_curves/sweep_parts.hpp"
#include "experiments/error_curves/sweep_rows.hpp"
#include "experiments/files/result_file.hpp"
#include "experiments/parts/journal.hpp"
#include "experiments/parts/run_parts.hpp"
#include "experiments/parts/workers.hpp"
#include "experiments/ranking/rank_parts.hpp"
#include "experiments/reproduce_plans.hpp"
#include "experiments/verify/verify_command.hpp"
#include "experiments/verify/verify_parts.hpp"
#include "proofs_check/names.hpp"
#include "proofs_check/statements.hpp"

namespace skt {
namespace {

struct ReproduceOptions {
  std::string profile = "quick";
  std::string python;
};

void add_fields(Fields& fields, ReproduceOptions& options) {
  fields.add("profile", &options.profile, "How much is computed").of({"smoke", "quick", "standard", "deep"});
  fields.add("python", &options.python, "Python with matplotlib and jinja2; by default /usr/bin/python3, else python3");
}

// Smoke and quick runs are too short for narrow intervals: there only a refutation is unexpected.
bool unexpected(Verdict verdict, JobProfile profile) {
  const bool wide = statements_profile(profile) == Profile::smoke;
  return verdict == Verdict::refuted || (verdict == Verdict::inconclusive && !wide);
}

// The column names of a table stand in its first line only.
void append_rows(std::string& table, const std::string& more) {
  table += table.empty() ? more : more.substr(more.find('\n') + 1);
}

// Writes the two files; the verdicts of all sweeps.
std::vector<Verdict> write_sweeps(const std::vector<SweepResult>& sweeps, Seed seed,
                                  const std::filesystem::path& folder) {
  std::string rows, slopes;
  std::vector<Verdict> all_verdicts;
  for (const SweepResult& sweep : sweeps) {
    fmt::print("{}\n", readable(sweep));
    const std::string command = command_of_sweep(sweep.plan, seed.value);
    append_rows(rows, sweep_table({sweep}).add_column("command", command).text());
    append_rows(slopes, slope_table({sweep}).add_column("command", command).text());
    for (const Verdict verdict : verdicts(sweep)) all_verdicts.push_back(verdict);
  }
  write_result(folder / "sweep.csv", rows);
  write_result(folder / "sweep_slopes.csv", slopes);
  return all_verdicts;
}

void write_bounds(const std::vector<Audit>& audits, Seed seed, const std::filesystem::path& folder) {
  std::string rows;
  for (const Audit& audit : audits)
    append_rows(rows, bound_ratio_table(audit).add_column("command", command_of_bounds(audit.plan, seed.value)).text());
  write_result(folder / "bound_ratios.csv", rows);
}

void write_rankings(const RankResult& rankings, const std::filesystem::path& folder) {
  for (const auto& [name, contents] : rankings.files) write_result(folder / name, contents);
}

// What the run consists of, and the parts of each piece.
struct Pieces {
  Seed seed;
  std::vector<Statement> all = all_statements();
  VerifyOptions verify, faults;
  Ask ask;
  RunSettings settings;
  std::vector<SweepPlan> sweeps;
  std::vector<AuditPlan> bounds;
  RankPlan rankings;
  std::vector<std::vector<Part>> parts;  // of the statements, sweeps, rankings, faults, then of each of the bounds

  Pieces(JobProfile profile, const SharedOptions& shared, const WorkSeen& seen)
      : seed{shared.seed},
        verify{.profile = name_of(statements_profile(profile)),
               .seed = shared.seed,
               .out = shared.out,
               .keep_trials = true},
        // A fault is either seen at smoke size, or no statement looks at what it breaks.
        faults{.profile = "smoke", .seed = shared.seed, .out = shared.out},
        ask(asked_of_faults(profile)),
        settings(settings_of(verify, all)),
        sweeps(sweeps_of(profile)),
        bounds(bounds_of(profile)),
        rankings(rankings_of(profile)) {
    parts = {statement_parts(all, settings), sweep_parts(sweeps, seed, seen), rank_parts(rankings, seed, seen),
             fault_parts(all, fault_settings())};
    for (std::vector<Part>& of_plan : audit_parts(bounds, AuditPart::bounds, seed, seen))
      parts.push_back(std::move(of_plan));
  }
  Pieces(const Pieces&) = delete;  // the parts refer to the statements
  Pieces& operator=(const Pieces&) = delete;

  FaultSettings fault_settings() const { return {.seed = seed, .profile = named<Profile>(faults.profile), .ask = ask}; }

  std::vector<Part> list() const {
    std::vector<Part> list;
    for (const std::vector<Part>& of_piece : parts) list.insert(list.end(), of_piece.begin(), of_piece.end());
    return list;
  }
};

// Writes all files but the report; whether everything is as expected.
bool write_pieces(const Pieces& pieces, const std::vector<Json>& results, JobProfile profile,
                  const std::filesystem::path& folder) {
  auto next = results.begin();
  const auto take = [&](std::size_t piece) {
    const auto first = next;
    next += std::ssize(pieces.parts[piece]);
    return std::vector<Json>(first, next);
  };
  const std::vector<Json> measured = take(0);
  const int statements = write_verdicts(statement_results(pieces.all, pieces.settings, measured), folder);
  write_kept(kept_of(pieces.all, pieces.settings, measured), folder);
  const std::vector<Verdict> verdicts =
      write_sweeps(assemble_sweeps(pieces.sweeps, pieces.seed, take(1)), pieces.seed, folder);
  write_rankings(assemble_rank(pieces.rankings, take(2)), folder);
  const int faults =
      write_faults(fault_results(pieces.all, pieces.fault_settings(), take(3)), pieces.faults, pieces.ask);
  std::vector<Audit> bounds;
  for (std::size_t i = 0; i < pieces.bounds.size(); ++i)
    bounds.push_back(assemble_audit(pieces.bounds[i], AuditPart::bounds, pieces.seed, take(4 + i)));
  write_bounds(bounds, pieces.seed, folder);
  return statements == kAsExpected && faults == kAsExpected &&
         std::none_of(verdicts.begin(), verdicts.end(), [&](Verdict v) { return unexpected(v, profile); });
}

int run_reproduce_command(const Job<ReproduceOptions>& options, const SharedOptions& shared) {
  const JobProfile profile = job_profile_named(options.profile);
  std::optional<Plotter> plotter;  // looked for before any computing: nothing is wasted if it is missing
  if (leads_the_run() && options.how.slice.empty()) plotter = find_plotter(options.python);
  const RunFacts facts{shared.command, shared.seed, options.profile};
  std::optional<Pieces> pieces;
  const auto make = [&](const WorkSeen& seen) { return pieces.emplace(profile, shared, seen).list(); };
  const auto results = run_parts(make, facts, options.how, shared);
  if (!results) return kAsExpected;

  const std::filesystem::path folder = shared.out;
  std::error_code ignored;
  std::filesystem::remove(folder / "report.html", ignored);  // of older verdicts, should this run end before its own
  const bool as_expected = write_pieces(pieces.value(), *results, profile, folder);
  write_results(folder, {}, facts);
  draw_report(plotter.value(), folder);
  remove_journals(folder);
  fmt::print("{}\nOpen {}\n", as_expected ? "Every verdict is as expected." : "Some verdicts are not as expected.",
             std::filesystem::absolute(folder / "report.html").lexically_normal().string());
  return as_expected ? kAsExpected : kNotAsExpected;
}

}  // namespace

Command reproduce_command() {
  return make_command<Job<ReproduceOptions>>(
      "reproduce", "Runs the main job: statements, error curves, figures, report.html", run_reproduce_command);
}

}  // namespace skt
