#include "experiments/choose/choose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/attend/request.hpp"
#include "experiments/attend/variants.hpp"
#include "experiments/command/fields.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

void add_rules(Fields& fields, ChooseRequest& r) {
  std::vector<std::string> rankers = all_rule_names();
  rankers.push_back(kOwnScores);
  fields.add("rankers", &r.plan.rules, "Rules that score keys, to be compared, -value times the value norm")
      .of(rankers);
  fields
      .add("budgets", &r.budgets,
           "Keys that each ranker selects on top of sink and window: counts, or with a decimal point fractions of "
           "the keys")
      .also("budget");
  fields.add("sink", &r.plan.always.sink, "First keys, always selected, on top of the budget").from(0);
  fields.add("window", &r.plan.always.window, "Last keys, always selected, on top of the budget").from(0);
  add_table_fields(fields, r.tables, r.planes);
  fields.add("temperature", &r.plan.hash.socket.temperature, "Temperature tau").above(0);
  fields.add("scaling", r.plan.hash.socket.scaling, kScalings, "Divisor of tanh(Wq)");
  fields.add("top", &r.plan.hash.top, "Buckets that bucket-attention opens").from(1);
  add_list_fields(fields, r.plan.lists, r.plan.group, r.plan.hash.bits);
  fields
      .add("family-error", &r.family_error,
           "Probability that any interval of the differences misses, for independent queries")
      .above(0, 1);
  for (const char* name : {"hyperplanes", "rankers", "budgets", "tables", "planes", "temperature", "top", "lists",
                           "group", "normaliser", "bits", "family-error"})
    fields.at(name).unless("search", {"true"});
}

void add_search(Fields& fields, ChooseRequest& r) {
  fields.add("search", &r.search,
             "Instead looks for the planes, tables, temperature and fewest keys of SOCKET, with and without the value "
             "norm, that reach a target. The time grows with queries and settings");
  fields
      .add("target-error", &r.plan.target_error,
           "Mean error of the output, over the norm of the dense output; 0.1 if neither target "
           "is given")
      .above(0, 1)
      .excludes({"target-mass"});
  fields.add("target-mass", &r.plan.target_mass, "Mean softmax mass of the selected keys").above(0, 1);
  fields.add("search-planes", &r.plan.planes, "Planes P that are tried").from(1, 16);
  fields.add("search-tables", &r.plan.tables, "Tables L that are tried, rising").from(1, 4096);
  fields.add("search-temperatures", &r.plan.temperatures, "Temperatures that are tried").above(0);
  fields.add("search-queries", &r.plan.queries, "Queries that are searched at most, spread evenly over each key head")
      .from(1);
  fields
      .add("redraws", &r.plan.redraws,
           "Other draws of the tables on which the eight best settings are measured again; 0: none")
      .from(0, 1000);
  for (const char* name : {"target-error", "target-mass", "search-planes", "search-tables", "search-temperatures",
                           "search-queries", "redraws"})
    fields.at(name).used_with("search");
}

// Budgets as numbers of keys, and what follows from the arrays.
void complete(ChoosePlan& plan, const ChooseRequest& r, AttendProblem& problem) {
  for (const std::string& budget : r.budgets)
    plan.budgets.push_back(budget_of(budget, problem.num_keys(), "--budgets"));
  for (const Index budget : plan.budgets)
    require(budget <= problem.num_keys(), "--budgets: {} keys; allowed are at most {}", budget, problem.num_keys());
  std::ranges::sort(plan.budgets);
  require(std::ranges::adjacent_find(plan.budgets) == plan.budgets.end(), "--budgets: two of {} are one number of keys",
          fmt::join(r.budgets, ","));
  plan.hyperplanes = problem.hyperplanes(r.tables, r.planes, plan.seed);
  plan.hash.tables = plan.hyperplanes.tables;
  plan.hash.planes = plan.hyperplanes.planes;
  if (problem.has_scores() && std::ranges::count(plan.rules, kOwnScores) == 0) plan.rules.push_back(kOwnScores);
}

}  // namespace

void add_fields(Fields& fields, ChooseRequest& request) {
  add_array_fields(fields, request.files, Batches::merged);
  add_mask_fields(fields, request.files);
  fields.add(
      "scores", &request.files.scores,
      fmt::format("Your own scores, shaped as the queries with keys for dim; higher is better. The tables call them {}",
                  kOwnScores));
  fields.add("calibration", &request.files.calibration,
             "Other queries of the head, [queries, dim], from which double-sparsity learns");
  add_rules(fields, request);
  add_search(fields, request);
}

Chosen chosen(const ChooseRequest& request, AttendProblem& problem, Seed seed,
              const std::function<void(std::uint64_t)>& expect, const std::function<void()>& step) {
  SearchPlan plan = request.plan;
  plan.seed = seed;
  if (request.search) {
    expect(search_steps(problem, plan));
    return searched(problem, plan, step);
  }
  complete(plan, request, problem);
  expect(static_cast<std::uint64_t>(problem.num_queries()));
  return compared(measure_rules(problem, plan, step), plan, request.family_error);
}

}  // namespace skt
