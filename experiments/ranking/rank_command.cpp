// socketlab rank: how the rankers compare, against k (Figure 2), density, memory and temperature; and what can be
// predicted of it.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/command/command.hpp"
#include "experiments/families/family_option.hpp"
#include "experiments/parts/run_parts.hpp"
#include "experiments/ranking/rank_parts.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

struct RankRequest {
  std::string part = "all";
  Profile profile = Profile::standard;
  Scaling scaling = Scaling::inverse_sqrt_dim;
  std::vector<std::string> families;  // none: all that are drawn from a formula
  FamilyRequest of_families;
  std::optional<Index> tables, planes, top, histogram_cut;
  std::optional<double> temperature;
  std::optional<std::uint64_t> trials;
  std::vector<Index> cuts, sizes;
  std::vector<double> densities;
};

const Words<Profile> kRankProfiles = {
    {"smoke", Profile::smoke}, {"standard", Profile::standard}, {"deep", Profile::deep}};

void add_fields(Fields& fields, RankRequest& r) {
  fields
      .add("part", &r.part,
           "curves: Figure 2 against k;\n"
           "rankers: every ranker by family, density, memory;\n"
           "temperatures: SOCKET at the settings of Table 6 and by query norm, against equal bits;\n"
           "prediction: recall, missed softmax mass and output error, predicted before tables are drawn and measured")
      .of({"curves", "rankers", "temperatures", "prediction", "all"});
  fields.add("profile", r.profile, kRankProfiles, "Default sizes and trials");
  add_families(fields, r.families, r.of_families,
               "Families of the rankers and temperatures, by default gaussian, gaussian-unit-query, "
               "gaussian-large-query, needle, needles, clustered, anisotropic, rotary-low-rank, attention-sink; also "
               "allowed: sink-mean, learned, learned-HEAD, learned-HEAD-QUERY (from 0)");
  for (const char* option : {"families", "learned"})
    fields.at(option).used_with("part", {"rankers", "temperatures", "all"});
  const std::vector<std::string> of_hash = {"curves", "rankers", "prediction", "all"};
  fields.add("keys", &r.of_families.keys, "Keys N, by default 4096").from(1);
  fields.add("dim", &r.of_families.dim, "Dimension d, by default 128").from(1);
  fields.add("tables", &r.tables, "Tables L, by default 60").from(1, kMostTables);
  fields.add("planes", &r.planes, "Planes P to a table, by default 8, as in docs/records; not of the temperatures")
      .from(1, kMaxPlanes)
      .used_with("part", of_hash);
  fields.add("temperature", &r.temperature, "Temperature tau, by default 0.5; not of the temperatures")
      .above(0)
      .used_with("part", of_hash);
  fields.add("scaling", r.scaling, kScalings, "Divisor of tanh(Wq), sqrt(dim) or none");
  fields.add("top", &r.top, "Buckets that Bucket Attention opens per table, by default 4")
      .from(1)
      .used_with("part", {"curves", "rankers", "all"});
  fields.add("trials", &r.trials, "Number of instances").from(2, kMostTrials);
  fields.add("cuts", &r.cuts, "Values of k for the curves and the prediction")
      .from(1)
      .used_with("part", {"curves", "prediction", "all"});
  fields.add("histogram-cut", &r.histogram_cut, "Value of k for the histogram")
      .from(1)
      .used_with("part", {"curves", "all"});
  fields.add("densities", &r.densities, "Fractions of the keys that are selected, by default 0.02,0.05,0.1,0.2,0.5")
      .above(0, 1)
      .used_with("part", {"rankers", "all"});
  fields.add("sizes", &r.sizes, "Memory in bits per token, besides the published sizes; by default 64,128,256,512")
      .from(1)
      .used_with("part", {"rankers", "all"});
}

std::vector<NamedFamily> families_named(const RankRequest& o, Index keys, Index dim) {
  std::vector<NamedFamily> all = table_families(keys, dim);
  FamilyRequest request = o.of_families;
  request.learned_file = learned_file(o.families, request.learned_file);
  if (o.families.empty()) return all;
  all.push_back({"sink-mean", {.family = InstanceFamily::sink_mean, .keys = keys, .dim = dim}});
  std::vector<NamedFamily> chosen;
  for (const std::string& name : o.families) {
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

RankPlan plan_of(const RankRequest& o) {
  RankPlan plan = rank_plan(o.profile);
  CurvePlan setting = plan.curves.front();
  setting.family.keys = o.of_families.keys.value_or(setting.family.keys);
  setting.family.dim = o.of_families.dim.value_or(setting.family.dim);
  HashSettings& hash = setting.hash;
  hash.tables = o.tables.value_or(hash.tables);
  hash.planes = o.planes.value_or(hash.planes);
  const Index buckets = Index{1} << std::clamp<Index>(hash.planes, 0, kMaxPlanes);
  hash.top = o.top.value_or(std::min(hash.top, buckets));
  if (hash.top < 1 || hash.top > buckets)
    refuse("--top is {}: allowed are 1 to the {} buckets of a table", hash.top, buckets);
  hash.socket.temperature = o.temperature.value_or(hash.socket.temperature);
  hash.socket.scaling = o.scaling;
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

int run_rank_command(const Job<RankRequest>& options, const SharedOptions& shared) {
  const RankPlan plan = plan_of(options);
  BuildSeconds build_seconds;
  const auto parts = [&](const WorkSeen& seen) { return rank_parts(plan, Seed{shared.seed}, seen, &build_seconds); };
  RunFacts facts{shared.command, shared.seed, word_for(kRankProfiles, options.profile)};
  for (const NamedFamily& family : plan.table.families) note_learned(family.parameters, facts);
  for (const NamedFamily& family : plan.temperatures.families) note_learned(family.parameters, facts);
  const auto results = run_parts(parts, facts, options.how, shared);
  if (!results) return kAsExpected;
  const RankResult result = assemble_rank(plan, *results, build_seconds);
  const std::string wrote = write_results_of_parts(shared, {result.files.begin(), result.files.end()}, facts);
  fmt::print("{}\n{}", result.summary, wrote);
  return kAsExpected;
}

}  // namespace

Command rank_command() {
  return make_command<Job<RankRequest>>("rank", "Compares rankers by k, density and memory (Figure 2 and beyond)",
                                        run_rank_command);
}

}  // namespace skt
