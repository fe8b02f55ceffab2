#include "experiments/verify/search_parts.hpp"

#include "experiments/parts/exact_numbers.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {

constexpr auto members_of(const WorstInstance*) {
  return std::tuple(&WorstInstance::inequality, &WorstInstance::ratio, &WorstInstance::parameters,
                    &WorstInstance::evaluations);
}

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
    parts.push_back(part_of("search " + inequality.name, search_work(inequality, effort), seen,
                            [=](PartWork&) { return to_json(search(inequality, effort, seed)); }));
  }
  return parts;
}

std::vector<WorstInstance> assemble_search(const std::vector<Json>& results) {
  const std::vector<SearchedInequality> list = searched_inequalities();
  require(list.size() == results.size(), "{} results of a search: allowed are those of its {} inequalities",
          results.size(), list.size());
  std::vector<WorstInstance> worst;
  for (const Json& json : results) worst.push_back(from_json<WorstInstance>(json));
  return worst;
}

}  // namespace skt
