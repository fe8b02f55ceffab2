// The exact population quantities of `socketlab oracle`, as (value, error).
#include <utility>

#include "estimators/population/population.hpp"
#include "experiments/attend/choices.hpp"
#include "python/bindings/arrays.hpp"
#include "sim/require.hpp"

namespace skt::python {
namespace {

using Answer = std::pair<double, double>;

Answer answer(const Estimate& estimate) {
  return {estimate.value, estimate.error};
}

Cosine cosine_of(double value, const char* name) {
  require(std::abs(value) <= 1, "{} is {}: allowed is -1 to 1", name, value);
  return Cosine::of(value);
}

// The arguments that all quantities but the angular weight have.
template <class Compute, class... Extra>
void define(nb::module_& module, const char* name, Compute compute, const Extra&... extra) {
  module.def(name, compute, nb::arg("planes"), nb::arg("temperature"), nb::arg("dim"), nb::arg("query_norm"),
             nb::arg("scaling"), extra...);
}

PopulationParameters parameters(Index planes, double temperature, Index dim, double query_norm,
                                const std::string& scaling) {
  return {query_norm, temperature, dim, planes, meant_by(kScalings, "scaling", scaling)};
}

}  // namespace

void bind_oracle(nb::module_& module) {
  define(module, "epsilon", [](Index planes, double temperature, Index dim, double norm, const std::string& scaling) {
    return answer(epsilon(parameters(planes, temperature, dim, norm, scaling)));
  });
  define(
      module, "weight",
      [](Index planes, double temperature, Index dim, double norm, const std::string& scaling, double cosine) {
        return answer(
            population_weight(parameters(planes, temperature, dim, norm, scaling), cosine_of(cosine, "cosine")));
      },
      nb::arg("cosine"));
  define(
      module, "weight_variance",
      [](Index planes, double temperature, Index dim, double norm, const std::string& scaling, double cosine) {
        return answer(population_weight_variance(parameters(planes, temperature, dim, norm, scaling),
                                                 cosine_of(cosine, "cosine")));
      },
      nb::arg("cosine"));
  define(
      module, "pair_moment",
      [](Index planes, double temperature, Index dim, double norm, const std::string& scaling, double i, double j,
         double ij) {
        return answer(population_pair_moment(parameters(planes, temperature, dim, norm, scaling),
                                             cosine_of(i, "cosine_i"), cosine_of(j, "cosine_j"),
                                             cosine_of(ij, "cosine_ij")));
      },
      nb::arg("cosine_i"), nb::arg("cosine_j"), nb::arg("cosine_ij"));
  module.def(
      "angular_weight",
      [](Index planes, double cosine) { return answer(angular_weight(planes, cosine_of(cosine, "cosine"))); },
      nb::arg("planes"), nb::arg("cosine"));
}

}  // namespace skt::python
