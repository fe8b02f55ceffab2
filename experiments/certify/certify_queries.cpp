#include "experiments/certify/certify_queries.hpp"

#include "estimators/occupancy.hpp"

namespace skt {
namespace {

// redraws: [queries of the group][redraws]
void add_group(LoadedGroups& groups, std::size_t g, const Hyperplanes& hyperplanes, Seed seed,
               const std::vector<std::vector<DrawErrors>>& redraws, const WorkDone& done,
               std::vector<QueryCertificate>& results) {
  const LoadedGroup& loaded = groups.at(g);
  Instance instance = loaded.keys_and_values;
  const KeyCodes codes = hash_keys(hyperplanes, instance.keys);
  const Group& group = groups.list()[g];
  const Index half_space = half_space_occupancy_at_least(instance.keys, derive_seed(seed, 1));
  for (std::size_t k = 0; k < group.queries.size(); ++k) {
    const Index i = group.queries[k];
    instance.query = loaded.queries[k];
    results.push_back({i, groups.problem().head_of(i), group.key_head, instance.num_keys(),
                       certify(instance, groups.plan(), loaded.targets[k], hyperplanes, codes, half_space, redraws[k],
                               derive_seed(seed, 3 + 2 * i), done)});
    done(work_of(groups.size_of(g), groups.plan()).redraw_query);
  }
}

}  // namespace

std::uint64_t certify_work(const LoadedGroups& groups) {
  std::uint64_t total = 0;
  for (std::size_t g = 0; g < groups.list().size(); ++g)
    total += std::ssize(groups.list()[g].queries) * work_of_query(groups.size_of(g), groups.plan());
  return total;
}

std::vector<QueryCertificate> certify_queries(LoadedGroups& groups, const Hyperplanes& hyperplanes, Seed seed,
                                              const RedrawsOfGroups& redraws, const WorkDone& done) {
  std::vector<QueryCertificate> results;
  for (std::size_t g = 0; g < redraws.size(); ++g) add_group(groups, g, hyperplanes, seed, redraws[g], done, results);
  return results;
}

}  // namespace skt
