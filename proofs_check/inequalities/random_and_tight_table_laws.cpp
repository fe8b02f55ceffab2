#include "proofs_check/inequalities/random_and_tight_table_laws.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "sim/families.hpp"
#include "sim/number.hpp"
#include "sim/tight_families.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

constexpr InstanceFamily kFamilies[] = {InstanceFamily::gaussian,         InstanceFamily::clustered,
                                        InstanceFamily::needle,           InstanceFamily::anisotropic,
                                        InstanceFamily::rotary_low_rank,  InstanceFamily::attention_sink,
                                        InstanceFamily::orthogonal_values};
constexpr Index kDrawnTables = 4;
// At which a score differs from 0 or 1 by less than e^-20 unless a projection is below 2e-11.
constexpr double kHard = 1e-12;

struct RandomLaw {
  TableLaw law;
  std::string name;
};

RandomLaw random_law(const Context& context, std::uint32_t trial) {
  FamilyParameters family{.family = kFamilies[trial % std::size(kFamilies)], .keys = 1 + trial % 20, .dim = 6};
  if (family.family != InstanceFamily::orthogonal_values) family.value_dim = 1 + trial % 3;
  family.clusters = 3;
  family.key_rank = 2;
  family.sinks = 1;
  const Instance instance = make_instance(family, context.seed, trial);
  const Index planes = 1 + trial / 3 % 3;
  const double temperature = std::pow(10.0, -2 + real(trial / 9 % 4));  // 0.01 .. 10
  const Hyperplanes drawn = context.estimators.draw(context.seed, trial, kDrawnTables, planes, 6);
  return {
      table_law(context, instance, drawn, temperature),
      fmt::format("{}, N={} P={} tau={}, trial {}", name_of(family.family), family.keys, planes, temperature, trial)};
}

}  // namespace

TableLaw grid_law(const Context& context, double temperature) {
  const Instance instance = grid_instance(axis_planes(3, 6), {.copies = 4}, context.seed, 0);
  return table_law(context, instance, {1, 3, 6, axis_planes(3, 6)}, temperature);
}

TableLaw copies_law(const Context& context, Index copies) {
  const Instance instance =
      make_instance({.family = InstanceFamily::copies, .dim = 2, .copies = copies, .angle = 0}, context.seed, 0);
  return table_law(context, instance, context.estimators.draw(context.seed, 0, 2, 1, 2), kHard);
}

// A Gaussian plane separates two directions `angle` apart with probability angle/pi; one plane of each kind.
TableLaw two_sided_law(const Context& context, Index copies, double angle) {
  Instance instance = make_instance({.family = InstanceFamily::two_sided, .dim = 2, .copies = copies}, context.seed, 0);
  instance.query = Vector{{std::cos(angle), std::sin(angle)}};
  const double between = (angle + std::numbers::pi) / 2;  // e_1 on the other side than the query
  const Hyperplanes tables{
      2, 1, 2,
      (Matrix(2, 2) << std::cos(angle / 2), std::sin(angle / 2), std::cos(between), std::sin(between)).finished()};
  const double separated = angle / std::numbers::pi;
  return table_law(context, instance, tables, kHard, Vector{{1 - separated, separated}});
}

TableLaw opposite_law(const Context& context, Index copies) {
  const Instance instance =
      make_instance({.family = InstanceFamily::antipodal, .dim = 2, .copies = copies}, context.seed, 0);
  return table_law(context, instance, context.estimators.draw(context.seed, 0, kDrawnTables, 1, 2), 1);
}

TableLaw sure_and_unsure_law(const Context& context, SureTable sure) {
  constexpr double kTemperature = 0.01, kLong = 100;
  Instance instance{"sure and unsure", Vector{{1, 0.1, 0.1}}, Matrix(8, 3), Matrix::Ones(8, 1)};
  for (Index j = 0; j < 8; ++j) {
    instance.keys(j, 0) = 1;
    instance.keys(j, 1) = j < 4 ? 0.5 : -0.5;
    instance.keys(j, 2) = j % 2 == 0 ? 0.5 : -0.5;
  }
  // A logit 2 tanh(w.q)/(sqrt(3) tau) is above 100 for w.q = 10, and 1/2 for the plane near the query.
  const double near = std::atanh(std::sqrt(3.0) * kTemperature / 4);
  Matrix rows = Matrix::Zero(4, 3);
  rows(0, sure == SureTable::quarters ? 2 : 0) = kLong;
  rows(1, sure == SureTable::quarters ? 1 : 0) = kLong;
  rows(2, 0) = kLong;
  rows(3, 0) = near - 0.1;
  rows(3, 1) = 1;
  return table_law(context, instance, {2, 2, 3, rows}, kTemperature);
}

SidesOfLaw times(double factor, SidesOfLaw sides) {
  return [=](const TableLaw& law) {
    InequalitySides s = sides(law);
    s.right *= factor;
    return s;
  };
}

Evidence supremum_over_laws(const Context& context, const SidesOfLaw& sides) {
  const AttainedSupremum worst =
      run_trials(context.trials(4'000), AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& supremum) {
        const RandomLaw at = random_law(context, trial);
        supremum.add(sides(at.law), [&] { return at.name; });
      });
  return supremum("four tables, 1 to 20 keys of seven families, d=6", worst);
}

NamedLaw grid(double temperature) {
  return {fmt::format("I-GRID(4) P=3 d=6 tau={}", temperature),
          [=](const Context& context) { return grid_law(context, temperature); }};
}
NamedLaw copies(Index number) {
  return {fmt::format("I-COPY({}, 0), tau -> 0", number),
          [=](const Context& context) { return copies_law(context, number); }};
}
NamedLaw two_sided(Index number, double angle) {
  return {fmt::format("I-TWO({}), query at {:.3g} pi to +e_1, tau -> 0", number, angle / std::numbers::pi),
          [=](const Context& context) { return two_sided_law(context, number, angle); }};
}

NamedLaw opposite(Index number) {
  return {fmt::format("I-ANTI({}), four tables, tau=1", number),
          [=](const Context& context) { return opposite_law(context, number); }};
}
NamedLaw sure_and_unsure(SureTable sure) {
  const char* const of_sure = sure == SureTable::quarters ? "quarters" : "holds all";
  return {fmt::format("a table that is sure and {} the keys, one that is not and halves them", of_sure),
          [=](const Context& context) { return sure_and_unsure_law(context, sure); }};
}

Measure step_holds(SidesOfLaw sides, std::vector<NamedLaw> tight_laws, Equality equality) {
  return [=](const Context& context) {
    std::vector<Evidence> evidence = {supremum_over_laws(context, sides)};
    for (const NamedLaw& at : tight_laws) evidence.push_back(tight(at.name, sides(at.law(context)), equality));
    return evidence;
  };
}

}  // namespace skt
