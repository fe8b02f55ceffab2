// The rankers of `socketlab rank` on the caller's own keys, values and queries.
#include "experiments/ranking/own_rankings.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/options.hpp"

namespace skt::python {
namespace {

nb::list rank(const Rows& keys, const Rows& values, const Rows& queries, const Rows& calibration,
              const nb::dict& options, std::uint64_t seed, std::uint32_t trial, int threads,
              const nb::object& progress) {
  const auto plan = request_of<OwnRankingPlan>(options);
  const std::vector<double>& densities = plan.densities;
  OwnRankingInput input{seen(keys), seen(values), seen(queries), seen(calibration), Seed{seed}, trial};
  const std::vector<OwnRanking> all = run_long(threads, progress, [input = std::move(input), plan](Progress& reached) {
    return rank_keys(input, plan, [&](std::uint64_t done, std::uint64_t total) {
      look_for_stop();
      reached.expect(total);
      reached.set(done);
    });
  });
  nb::list rows;
  for (const OwnRanking& own : all)
    for (std::size_t i = 0; i < own.kept.size(); ++i) {
      const KeptBySelection& kept = own.kept[i];
      rows.append(nb::make_tuple(own.ranker, own.bits_per_token, i / densities.size(), densities[i % densities.size()],
                                 kept.selected, kept.recall, kept.mass, kept.error));
    }
  return rows;
}

}  // namespace

void bind_rank(nb::module_& module) {
  module.def("rankers", &ranker_names);
  module.def("rank", &rank, nb::arg("keys"), nb::arg("values"), nb::arg("queries"), nb::arg("calibration"),
             nb::arg("options"), nb::arg("seed"), nb::arg("trial"), nb::arg("threads"), nb::arg("progress").none());
}

}  // namespace skt::python
