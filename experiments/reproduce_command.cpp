// socketlab reproduce: the main job. Statements, the error curves, the rankings, the planted faults, then figures and
// report.html. Exit 1 if a verdict is not as expected or a fault is not noticed.
//
// Every statement, every error curve and the rankings are kept as they are done: after an interruption the same command
// goes on where it was. Only the planted faults, which are small, run again.
//
// One error covers all verdicts of the run. Its parts are fixed (sim/statistics/error_budget.hpp), so that each row is
// the one that its own command makes.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "experiments/command/finished_parts.hpp"
#include "experiments/command/option_text.hpp"
#include "experiments/command/plotting.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/error_curves/sweep_rows.hpp"
#include "experiments/files/result_file.hpp"
#include "experiments/ranking/rank.hpp"
#include "experiments/reproduce_plans.hpp"
#include "experiments/verify/verify_command.hpp"
#include "proofs_check/names.hpp"

namespace skt {
namespace {

using Json = nlohmann::ordered_json;

struct ReproduceOptions {
  std::string profile = "standard";
  std::string python;
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

// Writes the two files; the verdicts of all sweeps.
std::vector<Verdict> run_sweeps(const std::vector<SweepPlan>& plans, Seed seed, const std::filesystem::path& folder,
                                FinishedParts& finished) {
  std::string rows, slopes;
  std::vector<Verdict> verdicts;
  for (const SweepPlan& plan : plans) {
    const std::string part = name_of_sweep(plan);
    if (!finished.find(part)) finished.add(part, json_of(run_sweep(plan, seed), seed));
    const Json& sweep = *finished.find(part);
    fmt::print("{}\n", sweep.at("readable").get<std::string>());
    std::fflush(stdout);
    append_rows(rows, sweep.at("sweep.csv"));
    append_rows(slopes, sweep.at("sweep_slopes.csv"));
    for (const Json& name : sweep.at("verdicts")) verdicts.push_back(verdict_named(name));
  }
  write_result(folder / "sweep.csv", rows);
  write_result(folder / "sweep_slopes.csv", slopes);
  return verdicts;
}

void run_rankings(Profile profile, Seed seed, const std::filesystem::path& folder, FinishedParts& finished) {
  if (!finished.find("rankings")) finished.add("rankings", run_rank(short_rank_plan(profile), seed).files);
  for (const auto& [name, contents] : finished.find("rankings")->items())
    write_result(folder / name, contents.get<std::string>());
}

int run(const ReproduceOptions& options, const SharedOptions& shared) {
  const Profile profile = profile_named(options.profile);
  const Plotter plotter = find_plotter(options.python);  // before any computing: nothing is wasted if it is missing
  make_folder(shared.out);
  const std::filesystem::path folder = shared.out;
  const RunFacts facts{command_text(*options.sub, shared), shared.seed, options.profile};
  FinishedParts finished(folder, facts);

  const int statements = run_verify({.profile = options.profile, .seed = shared.seed, .out = shared.out}, &finished);
  const std::vector<Verdict> verdicts = run_sweeps(sweeps_of(profile), Seed{shared.seed}, folder, finished);
  run_rankings(profile, Seed{shared.seed}, folder, finished);
  // A fault is either seen at smoke size, or no statement looks at what it breaks.
  const int faults = run_all_faults({.profile = "smoke", .seed = shared.seed, .out = shared.out});
  write_provenance(folder, facts);
  draw_report(plotter, folder);
  finished.remove();

  const bool as_expected =
      statements == kAsExpected && faults == kAsExpected &&
      std::none_of(verdicts.begin(), verdicts.end(), [&](Verdict v) { return unexpected(v, profile); });
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
}

}  // namespace skt
