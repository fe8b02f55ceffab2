// socketlab rank: how the rankers compare, against k (Figure 2), density, memory and temperature; and what can be
// predicted of it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "experiments/command/option_text.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/command/scaling_option.hpp"
#include "experiments/families/family_option.hpp"
#include "experiments/files/staged_files.hpp"
#include "experiments/files/wrote_line.hpp"
#include "experiments/parts/journal.hpp"
#include "experiments/parts/run_parts.hpp"
#include "experiments/ranking/rank_parts.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

struct RankOptions {
  std::string part = "all", profile = "standard", scaling = kDefaultScaling;
  FamilyOptions families;  // none: all that are drawn from a formula
  std::optional<Index> keys, dim, tables, planes, top, histogram_cut;
  std::optional<double> temperature;
  std::optional<std::uint64_t> trials;
  std::vector<Index> cuts, sizes;
  std::vector<double> densities;
  PartsOptions how;
  const CLI::App* sub = nullptr;
};

std::vector<NamedFamily> families_named(const RankOptions& o, Index keys, Index dim) {
  const std::vector<NamedFamily> all = table_families(keys, dim);
  const FamilyRequest request{o.keys, o.dim, learned_file(o.families)};
  if (o.families.families.empty()) return all;
  std::vector<NamedFamily> chosen;
  for (const std::string& name : o.families.families) {
    if (is_learned(name)) {
      const FamilyParameters learned = with_family({}, name, request);
      chosen.push_back({name_of(learned), learned});
      continue;
    }
    const auto found = std::find_if(all.begin(), all.end(), [&](const NamedFamily& f) { return f.name == name; });
    if (found == all.end()) {
      std::string allowed;
      for (const NamedFamily& f : all) allowed += (allowed.empty() ? "" : ", ") + f.name;
      refuse("--families {}: allowed are {}, learned", name, allowed);
    }
    chosen.push_back(*found);
  }
  return chosen;
}

RankPlan plan_of(const RankOptions& o) {
  RankPlan plan = rank_plan(o.profile == "smoke"  ? Profile::smoke
                            : o.profile == "deep" ? Profile::deep
                                                  : Profile::standard);
  CurvePlan setting = plan.curves.front();
  setting.family.keys = o.keys.value_or(setting.family.keys);
  setting.family.dim = o.dim.value_or(setting.family.dim);
  HashSettings& hash = setting.hash;
  hash.tables = o.tables.value_or(hash.tables);
  hash.planes = o.planes.value_or(hash.planes);
  const Index buckets = Index{1} << std::clamp<Index>(hash.planes, 0, kMaxPlanes);
  hash.top = o.top.value_or(std::min(hash.top, buckets));
  if (hash.top < 1 || hash.top > buckets)
    refuse("--top is {}: allowed are 1 to the {} buckets of a table", hash.top, buckets);
  hash.socket.temperature = o.temperature.value_or(hash.socket.temperature);
  hash.socket.scaling = scaling_named(o.scaling);
  if (!o.cuts.empty()) setting.cuts = o.cuts;
  std::erase_if(setting.cuts, [&](Index cut) { return o.cuts.empty() && cut > setting.family.keys; });
  setting.histogram_cut = o.histogram_cut.value_or(std::min(setting.histogram_cut, setting.family.keys));
  setting.trials = o.trials.value_or(setting.trials);

  plan.table.hash = hash;
  plan.table.trials = o.trials.value_or(plan.table.trials);
  if (!o.densities.empty()) plan.table.densities = o.densities;
  if (!o.sizes.empty()) plan.table.sizes = o.sizes;
  const auto asked = [&](const char* part) { return o.part == "all" || o.part == part; };
  const std::vector<NamedFamily> families = families_named(o, setting.family.keys, setting.family.dim);
  const std::uint64_t temperature_trials = o.trials.value_or(plan.temperatures.trials);
  plan.temperatures = temperature_plan(setting, families);
  plan.temperatures.trials = temperature_trials;
  plan.prediction = prediction_plan(setting, setting.trials);
  plan.curves = curve_plans(setting);
  plan.table.families = families;
  if (!asked("curves")) plan.curves.clear();
  if (!asked("rankers")) plan.table.families.clear();
  if (!asked("temperatures")) plan.temperatures.families.clear();
  if (!asked("prediction")) plan.prediction.settings.clear();
  return plan;
}

const std::vector<UsedBy> kUsesOfParts = {{"--families", {"rankers", "temperatures", "all"}},
                                          {"--learned", {"rankers", "temperatures", "all"}},
                                          {"--planes", {"curves", "rankers", "prediction", "all"}},
                                          {"--temperature", {"curves", "rankers", "prediction", "all"}},
                                          {"--top", {"curves", "rankers", "all"}},
                                          {"--cuts", {"curves", "prediction", "all"}},
                                          {"--histogram-cut", {"curves", "all"}},
                                          {"--densities", {"rankers", "all"}},
                                          {"--sizes", {"rankers", "all"}}};

int run(const RankOptions& options, const SharedOptions& shared) {
  refuse_unused(*options.sub, "--part", options.part, kUsesOfParts);
  const RankPlan plan = plan_of(options);
  StagedFiles files(shared.out);
  BuildSeconds build_seconds;
  const auto parts = [&](const WorkSeen& seen) { return rank_parts(plan, Seed{shared.seed}, seen, &build_seconds); };
  RunFacts facts{command_text(*options.sub, shared), shared.seed, options.profile};
  for (const NamedFamily& family : plan.table.families) note_learned(family.parameters, facts);
  for (const NamedFamily& family : plan.temperatures.families) note_learned(family.parameters, facts);
  const auto results = run_parts(parts, facts, options.how, shared);
  if (!results) return kAsExpected;
  const RankResult result = assemble_rank(plan, *results, build_seconds);
  std::vector<std::string> names;
  for (const auto& [name, contents] : result.files) {
    files.add(name) << contents;
    names.push_back(name);
  }
  names.emplace_back("provenance.json");
  files.add(names.back()) << provenance_json(facts);
  files.commit();
  remove_journals(shared.out);
  fmt::print("{}\n{}", result.summary, wrote_line(shared.out, names));
  return kAsExpected;
}

// In these descriptions a line of the source is a line of --help.
void add_options(CLI::App& sub, RankOptions& o) {
  sub.add_option("--part", o.part,
                 "curves: Figure 2 against k;\n"
                 "rankers: every ranker by family, density, memory;\n"
                 "temperatures: SOCKET at the settings of Table 6\n"
                 "and by query norm, against equal bits;\n"
                 "prediction: recall, missed softmax mass and output\n"
                 "error, predicted before tables are drawn and measured")
      ->check(CLI::IsMember({"curves", "rankers", "temperatures", "prediction", "all"}))
      ->capture_default_str();
  sub.add_option("--profile", o.profile, "Default sizes and trials")
      ->check(CLI::IsMember({"smoke", "standard", "deep"}))
      ->capture_default_str();
  add_families(sub, o.families,
               "Families of the rankers and temperatures, by default\n"
               "gaussian, gaussian-unit-query, gaussian-large-query,\n"
               "needle, needles, clustered, anisotropic,\n"
               "rotary-low-rank, attention-sink; also allowed: learned,\n"
               "learned-HEAD, learned-HEAD-QUERY (from 0)");
  sub.add_option("--keys", o.keys, "Keys N, by default 4096");
  sub.add_option("--dim", o.dim, "Dimension d, by default 128");
  sub.add_option("--tables", o.tables, "Tables L, by default 60")->check(whole_numbers(1, kMostTables));
  sub.add_option("--planes", o.planes, "Planes P to a table, by default 8;\nnot of the temperatures")
      ->check(whole_numbers(1, kMaxPlanes));
  sub.add_option("--temperature", o.temperature, "Temperature tau, by default 0.5;\nnot of the temperatures");
  sub.add_option("--scaling", o.scaling, "Divisor of tanh(Wq): sqrt(dim), or none")
      ->check(CLI::IsMember({"inverse-sqrt-dim", "none"}))
      ->capture_default_str();
  sub.add_option("--top", o.top,
                 "Buckets that Bucket Attention opens per table,\n"
                 "by default 4");
  sub.add_option("--trials", o.trials, "Number of instances")->check(whole_numbers(2, kMostTrials));
  add_list(sub, "--cuts", o.cuts, "Values of k for the curves and the prediction");
  sub.add_option("--histogram-cut", o.histogram_cut, "Value of k for the histogram");
  add_list(sub, "--densities", o.densities,
           "Fractions of the keys that are selected,\n"
           "by default 0.02,0.05,0.1,0.2,0.5");
  add_list(sub, "--sizes", o.sizes,
           "Memory in bits per token, besides the published sizes;\n"
           "by default 64,128,256,512");
}

}  // namespace

void add_rank_command(CLI::App& app, SharedOptions& shared) {
  const auto options = std::make_shared<RankOptions>();
  CLI::App& sub = add_subcommand(app, "rank", "Compares rankers by k, density and memory (Figure 2 and beyond)", shared,
                                 [options, &shared] { return run(*options, shared); });
  options->sub = &sub;
  add_options(sub, *options);
  add_parts_options(sub, options->how);
}

}  // namespace skt
