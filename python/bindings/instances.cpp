// The instances of the families, and the hyperplanes that a seed stands for.

#include "estimators/hyperplanes.hpp"
#include "experiments/families/family_word.hpp"
#include "python/bindings/arrays.hpp"
#include "sim/families.hpp"
#include "sim/require.hpp"

namespace skt::python {
namespace {

// Sets the parameter of this name; InputError for another name.
void set_parameter(FamilyParameters& p, const std::string& name, nb::handle value) {
  const auto count = [&](Index& member) { member = nb::cast<Index>(value); };
  const auto number = [&](double& member) { member = nb::cast<double>(value); };
  if (name == "keys") return count(p.keys);
  if (name == "dim") return count(p.dim);
  if (name == "value_dim") return count(p.value_dim.emplace());
  if (name == "query_norm") return number(p.query_norm.emplace());
  if (name == "needle_cosine") return number(p.needle_cosine);
  if (name == "needles") return count(p.needles);
  if (name == "needle_value") return number(p.needle_value);
  if (name == "clusters") return count(p.clusters);
  if (name == "cluster_spread") return number(p.cluster_spread);
  if (name == "shared_value_variance") return number(p.shared_value_variance);
  if (name == "spectrum_decay") return number(p.spectrum_decay);
  if (name == "key_rank") return count(p.key_rank);
  if (name == "key_noise") return number(p.key_noise);
  if (name == "sinks") return count(p.sinks);
  if (name == "sink_value") return number(p.sink_value);
  if (name == "copies") return count(p.copies);
  if (name == "angle") return number(p.angle);
  if (name == "planes") return count(p.planes);
  refuse("{}: no parameter of a family is called so; sim/family_parameters.hpp lists them", name);
}

FamilyParameters parameters_of(const std::string& family, const nb::dict& parameters, const std::string& learned_file) {
  FamilyParameters p = with_family({}, family, {{}, {}, learned_file});
  for (const auto& [name, value] : parameters) set_parameter(p, nb::cast<std::string>(name), value);
  return p;
}

nb::object other_queries(const std::string& family, const nb::dict& parameters, const std::string& learned_file,
                         std::uint64_t seed, std::uint32_t trial) {
  const FamilyParameters p = parameters_of(family, parameters, learned_file);
  return handed(unlocked(0, [&] { return calibration_queries(p, Seed{seed}, trial); }));
}

nb::tuple instance(const std::string& family, const nb::dict& parameters, const std::string& learned_file,
                   std::uint64_t seed, std::uint32_t trial) {
  const FamilyParameters p = parameters_of(family, parameters, learned_file);
  Instance made = unlocked(0, [&] { return make_instance(p, Seed{seed}, trial); });
  return nb::make_tuple(handed(made.query), handed(std::move(made.keys)), handed(std::move(made.values)));
}

nb::object drawn_hyperplanes(Index tables, Index planes, Index dim, std::uint64_t seed, std::uint32_t trial) {
  const Hyperplanes drawn = unlocked(0, [&] { return draw_hyperplanes(Seed{seed}, trial, tables, planes, dim); });
  return handed(std::vector<double>(drawn.rows.data(), drawn.rows.data() + drawn.rows.size()),
                {static_cast<std::size_t>(tables), static_cast<std::size_t>(planes), static_cast<std::size_t>(dim)});
}

}  // namespace

void bind_instances(nb::module_& module) {
  module.def("families", &instance_family_names);
  const auto of_family = [&](const char* name, auto function) {
    module.def(name, function, nb::arg("family"), nb::arg("parameters"), nb::arg("learned_file"), nb::arg("seed"),
               nb::arg("trial"));
  };
  of_family("instance", &instance);
  of_family("other_queries", &other_queries);
  module.def("hyperplanes", &drawn_hyperplanes, nb::arg("tables"), nb::arg("planes"), nb::arg("dim"), nb::arg("seed"),
             nb::arg("trial"));
  module.def(
      "derive_seed", [](std::uint64_t seed, std::uint64_t stream) { return derive_seed(Seed{seed}, stream).value; },
      nb::arg("seed"), nb::arg("stream"));
  // Where the core sees an array: an address that differs from NumPy's own is a copy.
  module.def("address", [](const Rows& rows) { return reinterpret_cast<std::uintptr_t>(seen(rows).data()); });
}

}  // namespace skt::python
