// The rankers of `socketlab rank` on the caller's own keys, values and queries.
#include "experiments/attend/choices.hpp"
#include "experiments/ranking/own_rankings.hpp"
#include "python/bindings/long_call.hpp"

namespace skt::python {
namespace {

nb::list rank(const Rows& keys, const Rows& values, const Rows& queries, const Rows& calibration,
              const std::vector<std::string>& rankers, const std::vector<double>& densities, Index tables, Index planes,
              double temperature, const std::string& scaling, Index top, std::uint64_t seed, std::uint32_t trial,
              int threads, const nb::object& progress) {
  const OwnRankingPlan plan{
      {tables, planes, {temperature, meant_by(kScalings, "scaling", scaling)}, top}, rankers, densities};
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
             nb::arg("rankers"), nb::arg("densities"), nb::arg("tables"), nb::arg("planes"), nb::arg("temperature"),
             nb::arg("scaling"), nb::arg("top"), nb::arg("seed"), nb::arg("trial"), nb::arg("threads"),
             nb::arg("progress").none());
}

}  // namespace skt::python
