#include "experiments/verify/search_parts.hpp"

#include "experiments/parts/exact_numbers.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// The climbs from the starts and the last one from the best. What an evaluation takes grows with the parameters.
double search_work(const SearchedInequality& inequality, const SearchEffort& effort) {
  constexpr double kParameter = 0.3;  // microseconds of a core
  return kParameter * real(effort.starts + 1) * real(effort.evaluations) * real(inequality.parameters);
}

}  // namespace

std::vector<Part> search_parts(const SearchEffort& effort, Seed seed, const WorkSeen& seen) {
  std::vector<Part> parts;
  for (const SearchedInequality& inequality : searched_inequalities()) {
    const double weight = search_work(inequality, effort);
    const auto run = [inequality, effort, seed, weight, seen]() -> Json {
      const PartWork work(weight, seen);
      const WorstInstance worst = search(inequality, effort, seed);
      return {{"ratio", to_json(worst.ratio)},
              {"parameters", to_json(worst.parameters)},
              {"evaluations", worst.evaluations}};
    };
    parts.push_back({"search " + inequality.name, weight, run});
  }
  return parts;
}

std::vector<WorstInstance> assemble_search(const std::vector<Json>& results) {
  const std::vector<SearchedInequality> list = searched_inequalities();
  require(list.size() == results.size(), "{} results of a search: allowed are those of its {} inequalities",
          results.size(), list.size());
  std::vector<WorstInstance> worst;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Json& json = results[i];
    worst.push_back({list[i].name, double_from(json.at("ratio")), doubles_from(json.at("parameters")),
                     json.at("evaluations").get<std::uint64_t>()});
  }
  return worst;
}

}  // namespace skt
