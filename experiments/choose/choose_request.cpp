#include "experiments/choose/choose_request.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/attend/choices.hpp"
#include "experiments/attend/request.hpp"
#include "experiments/attend/variants.hpp"
#include "experiments/command/fields.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

void add_arrays(Fields& fields, ChooseRequest& r) {
  fields
      .add("queries", &r.files.queries,
           "q.npy or FILE.safetensors[:NAME], [queries, dim], [heads, queries, dim] or [batch, heads, queries, dim]; "
           "float16, bfloat16, float32 or float64")
      .needed();
  fields.add("keys", &r.files.keys, "k.npy [keys, dim], [key_heads, keys, dim] or with the batch in front").needed();
  fields.add("values", &r.files.values, "v.npy, as --keys with value_dim").needed();
  fields.add("hyperplanes", &r.files.hyperplanes, "w.npy [tables, planes, dim]; by default drawn from --seed")
      .unless("search", {"true"});
  fields.add("mask", &r.files.mask,
             "m.npy [keys], [queries, keys] or [heads, queries, keys]: bool, or floating point to be added to the "
             "logits, where 0 or more allows a key");
  fields.add("mask-true", r.files.mask_true, kMaskTrue, "What true means in a bool mask").used_with("mask");
  fields.add("causal", &r.files.causal, "Queries are the last positions: query i of Q sees keys 0 to N - Q + i");
  fields.add(
      "scores", &r.scores,
      fmt::format("Your own scores, shaped as the queries with keys for dim; higher is better. The tables call them {}",
                  kOwnScores));
  fields.add("calibration", &r.calibration,
             "Other queries of the head, [queries, dim], from which double-sparsity learns");
}

void add_rules(Fields& fields, ChooseRequest& r) {
  std::vector<std::string> rankers = all_rule_names();
  rankers.push_back(kOwnScores);
  fields.add("rankers", &r.rankers, "Rules that score keys, to be compared, -value times the value norm")
      .of(rankers)
      .unless("search", {"true"});
  fields
      .add("budgets", &r.budgets,
           "Keys that each ranker selects on top of sink and window: counts, or with a decimal point fractions of "
           "the keys")
      .also("budget")
      .unless("search", {"true"});
  fields.add("sink", &r.sink, "First keys, always selected, on top of the budget").from(0);
  fields.add("window", &r.window, "Last keys, always selected, on top of the budget").from(0);
  fields.add("tables", &r.tables, "Hash tables L")
      .from(1, kMostTables)
      .usually(fmt::format("{}", kDefaultTables))
      .unless("search", {"true"});
  fields.add("planes", &r.planes, "Hyperplanes P of a table")
      .from(1, kMaxPlanes)
      .usually(fmt::format("{}", kDefaultPlanes))
      .unless("search", {"true"});
  fields.add("temperature", &r.temperature, "Temperature tau").above(0).unless("search", {"true"});
  fields.add("scaling", r.scaling, kScalings, "Divisor of tanh(Wq)");
  fields.add("top", &r.top, "Buckets that bucket-attention opens").from(1).unless("search", {"true"});
  add_list_fields(fields, r.lists, r.group, r.bits);
  for (const char* name : {"lists", "group", "normaliser", "bits"}) fields.at(name).unless("search", {"true"});
  fields
      .add("family-error", &r.family_error,
           "Probability that any interval of the differences misses, for independent queries")
      .above(0, 1)
      .unless("search", {"true"});
}

void add_search(Fields& fields, ChooseRequest& r) {
  fields.add("search", &r.search,
             "Instead looks for the planes, tables, temperature and fewest keys of SOCKET, with and without the value "
             "norm, that reach a target. The time is in proportion to queries times settings");
  fields
      .add("target-error", &r.target_error,
           "Mean error of the output, over the norm of the dense output; 0.1 if neither target "
           "is given")
      .above(0, 1)
      .used_with("search")
      .excludes({"target-mass"});
  fields.add("target-mass", &r.target_mass, "Mean softmax mass of the selected keys").above(0, 1).used_with("search");
  fields.add("search-planes", &r.searched.planes, "Planes P that are tried").from(1, 16).used_with("search");
  fields.add("search-tables", &r.searched.tables, "Tables L that are tried, rising").from(1, 4096).used_with("search");
  fields.add("search-temperatures", &r.searched.temperatures, "Temperatures that are tried")
      .above(0)
      .used_with("search");
  fields
      .add("search-queries", &r.searched.queries, "Queries that are searched at most, spread evenly over each key head")
      .from(1)
      .used_with("search");
  fields
      .add("redraws", &r.redraws,
           "Other draws of the tables on which the eight best settings are measured again; 0: none")
      .from(0, 1000)
      .used_with("search");
}

}  // namespace

void add_fields(Fields& fields, ChooseRequest& request) {
  add_arrays(fields, request);
  add_rules(fields, request);
  add_search(fields, request);
}

ChoosePlan choose_plan(const ChooseRequest& r, AttendProblem& problem, Seed seed) {
  ChoosePlan plan{r.rankers, {}, r.sink, r.window, {}, seed};
  for (const std::string& budget : r.budgets)
    plan.budgets.push_back(budget_of(budget, problem.num_keys(), "--budgets"));
  for (const Index budget : plan.budgets)
    require(budget <= problem.num_keys(), "--budgets: {} keys; allowed are at most {}", budget, problem.num_keys());
  std::sort(plan.budgets.begin(), plan.budgets.end());
  require(std::adjacent_find(plan.budgets.begin(), plan.budgets.end()) == plan.budgets.end(),
          "--budgets: two of {} are one number of keys", fmt::join(r.budgets, ","));
  plan.hash = {
      r.tables.value_or(kDefaultTables), r.planes.value_or(kDefaultPlanes), {r.temperature, r.scaling}, r.top, r.bits};
  plan.lists = r.lists;
  plan.group = r.group;
  if (problem.has_hyperplanes()) {
    const Hyperplanes given = problem.hyperplanes(r.tables, r.planes);
    plan.hash.tables = given.tables;
    plan.hash.planes = given.planes;
  }
  if (!r.scores.empty() && std::find(plan.rules.begin(), plan.rules.end(), kOwnScores) == plan.rules.end())
    plan.rules.push_back(kOwnScores);
  return plan;
}

SearchPlan search_plan(const ChooseRequest& r, Seed seed) {
  SearchPlan plan = r.searched;
  plan.metric = r.target_mass ? Metric::mass : Metric::error;
  plan.target = r.target_mass.value_or(r.target_error.value_or(plan.target));
  plan.scaling = r.scaling;
  plan.sink = r.sink;
  plan.window = r.window;
  plan.seed = seed;
  return plan;
}

ChooseInput choose_input(const ChooseRequest& r, AttendProblem& problem, std::optional<TensorFile> scores,
                         std::optional<TensorFile> calibration) {
  ChooseInput input{problem, std::move(scores), {}};
  if (calibration) {
    require(calibration->shape().size() == 2, "{}: {}; allowed is [queries, dim]", calibration->name(),
            calibration->describe());
    input.calibration = calibration->read_rows(0, calibration->rows());
  }
  if (problem.has_hyperplanes()) input.hyperplanes = problem.hyperplanes(r.tables, r.planes);
  return input;
}

}  // namespace skt
