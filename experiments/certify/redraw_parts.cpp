#include "experiments/certify/redraw_parts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/parts/exact_numbers.hpp"
#include "experiments/parts/work_estimates.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {

constexpr auto members_of(const DrawErrors*) {
  return std::apply([](auto... functional) { return std::tuple(functional.value...); }, kFunctionals);
}

namespace {

struct PartOfRedraws {
  std::size_t group = 0;
  RedrawRange range;
};

double work_of_redraw(const LoadedGroups& groups, std::size_t g) {
  const CertifyWork work = work_of(groups.size_of(g), groups.plan());
  return real(work.redraw_hash) + real(work.redraw_query) * real(groups.list()[g].queries.size());
}

std::vector<PartOfRedraws> cut(const LoadedGroups& groups) {
  const Index redraws = groups.plan().redraws;
  std::vector<PartOfRedraws> all;
  for (std::size_t g = 0; g < groups.list().size(); ++g) {
    const auto block = static_cast<Index>(trials_of_a_part(work_of_redraw(groups, g)));
    for (Index first = 0; first < redraws; first += block)
      all.push_back({g, {first, std::min(block, redraws - first)}});
  }
  return all;
}

Json run_part(LoadedGroups& groups, const PartOfRedraws& part, Seed seed, PartWork& work) {
  const LoadedGroup& group = groups.at(part.group);
  const Seed of_group = derive_seed(seed, 2 + 2 * groups.list()[part.group].queries.front());
  const auto by_query =
      redraw_errors(group.keys_and_values.keys, group.keys_and_values.values, group.queries, group.targets,
                    groups.plan(), part.range, of_group, [&work](std::uint64_t done) { work.add(real(done)); });
  return to_json(by_query);
}

}  // namespace

std::vector<Part> redraw_parts(LoadedGroups& groups, Seed seed, const WorkSeen& seen) {
  std::vector<Part> parts;
  for (const PartOfRedraws& part : cut(groups)) {
    const double weight = real(part.range.count) * work_of_redraw(groups, part.group);
    const Index first_query = groups.list()[part.group].queries.front();
    const std::string name = fmt::format("certify from query {}: redraws {} to {}", first_query, part.range.first,
                                         part.range.first + part.range.count - 1);
    parts.push_back(part_of(name, weight, seen,
                            [&groups, part, seed](PartWork& work) { return run_part(groups, part, seed, work); }));
  }
  return parts;
}

RedrawsOfGroups assemble_redraws(const LoadedGroups& groups, const std::vector<Json>& results) {
  const std::vector<PartOfRedraws> parts = cut(groups);
  require(parts.size() == results.size(), "{} results of redraws: allowed are those of their {} parts", results.size(),
          parts.size());
  RedrawsOfGroups redraws;
  for (const Group& group : groups.list()) redraws.emplace_back(group.queries.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto& of_group = redraws[parts[i].group];
    require(results[i].size() == of_group.size(),
            "{} queries in the result of redraws: allowed are the {} of the group", results[i].size(), of_group.size());
    for (std::size_t q = 0; q < of_group.size(); ++q)
      for (const Json& errors : results[i][q]) of_group[q].push_back(from_json<DrawErrors>(errors));
  }
  return redraws;
}

}  // namespace skt
