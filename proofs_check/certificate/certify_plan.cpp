#include "proofs_check/certificate/certify_plan.hpp"

#include <cmath>

#include "estimators/error_terms/table_moments.hpp"
#include "proofs_check/bounds/fresh_tables.hpp"
#include "proofs_check/bounds/redraws.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {

void check(const CertifyPlan& plan) {
  const Setting& s = plan.setting;
  require(plan.delta > 0 && plan.delta < 1, "--delta is {}: allowed is above 0 and below 1", plan.delta);
  if (plan.target)
    require(*plan.target > 0 && std::isfinite(*plan.target), "--target-error is {}: allowed are finite numbers above 0",
            *plan.target);
  require(s.temperature > 0 && std::isfinite(s.temperature), "--temperature is {}: allowed are finite numbers above 0",
          s.temperature);
  require(s.budget >= 1, "--budget is {}: allowed are 1 and more", s.budget);
  require(s.samples >= 1, "--samples is {}: allowed are 1 and more", s.samples);
  if (plan.redraws > 0) redraw_rank(plan.redraws, plan.delta);
  if (plan.fresh_tables == 0) return;
  require(plan.pairs == Pairs::exact, "--fresh-tables with --pairs none: allowed with --pairs exact");
  const Index needed = fresh_tables_needed(real(s.tables), plan.delta);
  require(plan.fresh_tables >= needed, "--fresh-tables is {}: at {} tables and delta {} needed are {} and more, or 0",
          plan.fresh_tables, s.tables, plan.delta, needed);
}

// From one core of a server: 100 ns for a pair of keys in its block of 128 x 128, 1e10 operations a second in products,
// 15 us a key for the tails of Theorem 15 and what a selection predicts.
CertifyWork work_of(const ProblemSize& size, const CertifyPlan& plan) {
  constexpr double kPairBlock = 128 * 128 * 0.1, kOperation = 1e-4, kTails = 15;
  const double keys = real(size.keys), tables = real(plan.setting.tables);
  const double hash = keys * real(plan.setting.planes) * 2 * real(size.dim) * kOperation;
  const double sums = keys * (2 * real(size.value_dim) + 10) * kOperation;
  const auto whole = [](double microseconds) { return static_cast<std::uint64_t>(std::ceil(microseconds)); };
  return {whole(kPairBlock), whole(hash + sums), whole(tables * hash), whole(keys * (tables + 40) * 10 * kOperation),
          whole(keys * kTails)};
}

std::uint64_t work_of_query(const ProblemSize& size, const CertifyPlan& plan) {
  const CertifyWork work = work_of(size, plan);
  if (plan.pairs == Pairs::none) return work.query;
  return work.query + work.pair_block * pair_blocks(size.keys) + work.fresh_table * plan.fresh_tables;
}

}  // namespace skt
