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
#include <memory>
#include <optional>
#include <span>

#include "experiments/command/option_text.hpp"
#include "experiments/command/plotting.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/error_curves/sweep_rows.hpp"
#include "experiments/files/result_file.hpp"
#include "experiments/parts/journal.hpp"
#include "experiments/parts/run_parts.hpp"
#include "experiments/parts/workers.hpp"
#include "experiments/ranking/rank.hpp"
#include "experiments/reproduce_plans.hpp"
#include "experiments/verify/verify_command.hpp"
#include "experiments/verify/verify_parts.hpp"
#include "proofs_check/names.hpp"
#include "proofs_check/statements.hpp"

namespace skt {
namespace {

using Json = nlohmann::ordered_json;

struct ReproduceOptions {
  std::string profile = "standard";
  std::string python;
  PartsOptions how;
  const CLI::App* sub = nullptr;
};

// Smoke runs are too short for narrow intervals: there only a refutation is unexpected.
bool unexpected(Verdict verdict, Profile profile) {
  return verdict == Verdict::refuted || (verdict == Verdict::inconclusive && profile != Profile::smoke);
}

Json json_of(const SweepResult& sweep, Seed seed) {
  Json verdict_names = Json::array();
  for (const Verdict verdict : verdicts(sweep)) verdict_names.push_back(name_of(verdict));
  const std::string command = command_of_sweep(sweep.plan, seed.value);
  return {{"readable", readable(sweep)},
          {"sweep.csv", sweep_table({sweep}).add_column("command", command).text()},
          {"sweep_slopes.csv", slope_table({sweep}).add_column("command", command).text()},
          {"verdicts", verdict_names}};
}

// The column names of a table stand in its first line only.
void append_rows(std::string& table, const std::string& more) {
  table += table.empty() ? more : more.substr(more.find('\n') + 1);
}

// A draw costs as much as the scores of its tables.
double microseconds_of(const SweepPlan& plan) {
  constexpr double kMicrosecondsAScore = 2e-3;  // of one key in one table
  double draws = 0;
  for (const double value : plan.values) draws += plan.axis == Axis::tables ? value : real(plan.setting.tables);
  return draws * real(plan.family.keys) * real(plan.effort.trials * plan.effort.draws) * kMicrosecondsAScore;
}

std::vector<Part> parts_of_sweeps(const std::vector<SweepPlan>& plans, Seed seed) {
  std::vector<Part> parts;
  for (const SweepPlan& plan : plans)
    parts.push_back({.name = name_of_sweep(plan), .weight = microseconds_of(plan), .run = [plan, seed] {
                       return json_of(run_sweep(plan, seed), seed);
                     }});
  return parts;
}

// Writes the two files; the verdicts of all sweeps.
std::vector<Verdict> write_sweeps(std::span<const Json> sweeps, const std::filesystem::path& folder) {
  std::string rows, slopes;
  std::vector<Verdict> verdicts;
  for (const Json& sweep : sweeps) {
    fmt::print("{}\n", sweep.at("readable").get<std::string>());
    append_rows(rows, sweep.at("sweep.csv"));
    append_rows(slopes, sweep.at("sweep_slopes.csv"));
    for (const Json& name : sweep.at("verdicts")) verdicts.push_back(verdict_named(name));
  }
  write_result(folder / "sweep.csv", rows);
  write_result(folder / "sweep_slopes.csv", slopes);
  return verdicts;
}

std::vector<Part> ranking_parts(Profile profile, Seed seed) {
  const double microseconds = profile == Profile::smoke ? 3e6 : profile == Profile::standard ? 6e7 : 1e9;
  return {{.name = "rankings", .weight = microseconds, .run = [profile, seed] {
             return Json(run_rank(short_rank_plan(profile), seed).files);
           }}};
}

void write_rankings(const Json& files, const std::filesystem::path& folder) {
  for (const auto& [name, contents] : files.items()) write_result(folder / name, contents.get<std::string>());
}

// What the pieces of the run are computed from.
struct Pieces {
  std::vector<Statement> all = all_statements();
  VerifyOptions verify, faults;
  RunSettings settings;
  std::vector<std::vector<Part>> parts;  // of the statements, sweeps, rankings, faults

  Pieces(Profile profile, const SharedOptions& shared)
      : verify{.profile = name_of(profile), .seed = shared.seed, .out = shared.out},
        // A fault is either seen at smoke size, or no statement looks at what it breaks.
        faults{.profile = "smoke", .seed = shared.seed, .out = shared.out},
        settings(settings_of(verify, all)) {
    const Seed seed{shared.seed};
    parts = {statement_parts(all, settings), parts_of_sweeps(sweeps_of(profile), seed), ranking_parts(profile, seed),
             fault_parts(all, {seed, Profile::smoke})};
  }
  Pieces(const Pieces&) = delete;  // the parts refer to the statements
  Pieces& operator=(const Pieces&) = delete;

  std::vector<Part> list() const {
    std::vector<Part> list;
    for (const std::vector<Part>& of_piece : parts) list.insert(list.end(), of_piece.begin(), of_piece.end());
    return list;
  }
};

// Writes all files but the report; whether everything is as expected.
bool write_pieces(const Pieces& pieces, std::span<const Json> results, Profile profile,
                  const std::filesystem::path& folder) {
  const auto take = [&](std::size_t piece) {
    const std::span<const Json> taken = results.first(pieces.parts[piece].size());
    results = results.subspan(taken.size());
    return taken;
  };
  const int statements = write_verdicts(statement_results(pieces.all, pieces.settings, take(0)), folder);
  const std::vector<Verdict> verdicts = write_sweeps(take(1), folder);
  write_rankings(take(2).front(), folder);
  const int faults = write_faults(fault_results(take(3)), pieces.faults);
  return statements == kAsExpected && faults == kAsExpected &&
         std::none_of(verdicts.begin(), verdicts.end(), [&](Verdict v) { return unexpected(v, profile); });
}

int run(const ReproduceOptions& options, const SharedOptions& shared) {
  const Profile profile = profile_named(options.profile);
  std::optional<Plotter> plotter;  // looked for before any computing: nothing is wasted if it is missing
  if (leads_the_run() && options.how.slice.empty()) plotter = find_plotter(options.python);
  const RunFacts facts{command_text(*options.sub, shared), shared.seed, options.profile};
  const Pieces pieces(profile, shared);
  const auto results = run_parts(pieces.list(), facts, options.how, shared);
  if (!results) return kAsExpected;

  const std::filesystem::path folder = shared.out;
  std::error_code ignored;
  std::filesystem::remove(folder / "report.html", ignored);  // of older verdicts, should this run end before its own
  const bool as_expected = write_pieces(pieces, *results, profile, folder);
  write_provenance(folder, facts);
  draw_report(plotter.value(), folder);
  remove_journals(folder);
  fmt::print("{}\nOpen {}\n", as_expected ? "Every verdict is as expected." : "Some verdicts are not as expected.",
             std::filesystem::absolute(folder / "report.html").lexically_normal().string());
  return as_expected ? kAsExpected : kNotAsExpected;
}

}  // namespace

void add_reproduce_command(CLI::App& app, SharedOptions& shared) {
  const auto options = std::make_shared<ReproduceOptions>();
  CLI::App& sub = add_subcommand(app, "reproduce", "The main job: statements, error curves, figures, report.html",
                                 shared, [options, &shared] { return run(*options, shared); });
  options->sub = &sub;
  sub.add_option("--profile", options->profile, "smoke, standard or deep")->capture_default_str();
  sub.add_option("--python", options->python, "Python with matplotlib; by default /usr/bin/python3, else python3");
  add_parts_options(sub, options->how);
}

}  // namespace skt
