#include "proofs_check/laws/instances/table_cases.hpp"

#include "proofs_check/trial_accumulators.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

// Binomial probabilities are good to some hundred units, and so are their sums.
constexpr double kRounding = 1e-12;

TwoPointTables uneven_tables(double rare_normaliser, double chance) {
  return {{Vector::Constant(1, -1), 1}, {Vector::Constant(1, 1), rare_normaliser}, chance};
}

}  // namespace

std::vector<TableCase> two_sign_cases() {
  std::vector<TableCase> cases;
  for (const double delta : {0.45, 0.49, 0.495, 0.505, 0.51, 0.55}) cases.push_back({sign_tables(), 2, delta});
  return cases;
}

std::vector<TableCase> many_sign_cases() {
  std::vector<TableCase> cases;
  for (const double delta : {0.05, 0.01})
    for (const Index tables : {10, 20, 30, 40, 60, 100, 200, 400, 1000, 2000})
      cases.push_back({sign_tables(), tables, delta});
  return cases;
}

std::vector<TableCase> sign_cases_in_many_dimensions() {
  return {{sign_tables(128), 60, 0.05}};
}

std::vector<TableCase> jump_cases() {
  std::vector<TableCase> cases;
  for (const double delta : {0.05, 0.01})
    for (const Index tables : {1, 4, 60})
      for (const double chance : {1e-4, 1e-3, 0.00999, 0.0101, 0.02, 0.04995, 0.0505, 0.06})
        cases.push_back({jump_tables(chance), tables, delta});
  return cases;
}

std::vector<TableCase> uneven_cases() {
  std::vector<TableCase> cases;
  for (const double delta : {0.2, 0.05, 0.01})
    for (const Index tables : {2, 4, 8, 60})
      for (const double rare_normaliser : {3.0, 9.0})
        for (const double chance : {0.02, 0.05, 0.1, 0.3, 0.5, 0.9, 0.98})
          cases.push_back({uneven_tables(rare_normaliser, chance), tables, delta});
  return cases;
}

std::vector<TableCase> shifted(const std::vector<TableCase>& cases, const std::vector<double>& shifts) {
  std::vector<TableCase> all;
  for (const double shift : shifts)
    for (TableCase at : cases) {
      at.shift = shift;
      all.push_back(at);
    }
  return all;
}

Evidence largest_miss(const std::string& instance, const std::vector<TableCase>& cases, const RadiusOfCase& radius) {
  Largest worst;
  for (const TableCase& at : cases) {
    const Vector target = at.target();
    const TargetMoments moments = at.law.moments(target);
    // 2000 tables leave out 2e-13 of delta, which the rounding holds.
    const double missed = miss_probability(
        at.law, at.tables, target, [&](const TableSums& sums) { return radius(sums, at, moments); }, 1e-16 * at.delta);
    worst.add(missed / at.delta);
  }
  return supremum({instance, "P(error > radius)/delta"}, worst.value, kRounding, worst.trials, worst.in_scope);
}

}  // namespace skt
