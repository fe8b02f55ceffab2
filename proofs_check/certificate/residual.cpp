#include "proofs_check/certificate/residual.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "proofs_check/bounds/or_infinite.hpp"
#include "sim/require.hpp"
#include "sim/statistics/betting.hpp"
#include "sim/statistics/intervals.hpp"

namespace skt {
namespace {

// A logit and its ceiling are sums of dim products, and may differ by their rounding where they are equal.
constexpr double kRoundingOfShare = 1e-9;

double mean_weight(const RestDraws& draws) {
  return draws.keys.empty() ? 0 : draws.weights.mean();
}

double longest_off(const Matrix& values, std::span<const Index> rest, const Vector& output) {
  double longest = 0;
  for (const Index j : rest) longest = std::max(longest, values.row(j).norm());
  return longest + output.norm();
}

// One list, `error` for its draws.
ResidualReport of_list(const Vector& logits, const Matrix& values, const Vector& ceilings, std::vector<Index> list,
                       const ResidualPlan& plan, const RestAddress& at, double error) {
  const ListedSums listed = listed_sums(logits, values, list);
  const std::vector<Index> rest = rest_of(logits, list);
  const RestDraws draws = draw_rest(logits, rest, ceilings, listed.largest, plan.samples, plan.sampling, at);
  const RestEstimate estimate = rest_estimate(draws, values, listed.output);
  ResidualReport report;
  report.list = std::move(list);
  report.read = std::ssize(draws.keys);
  report.estimate = residual_of(listed.weight, estimate.weight);
  report.limit = residual_of(listed.weight, rest_weight_limit(draws, error));
  report.nominal_limit = residual_of(listed.weight, nominal_rest_weight_limit(draws, plan.delta));
  report.corrected = corrected_output(listed, estimate);
  report.error_estimate = estimate.moved.norm() / (listed.weight + estimate.weight);
  if (draws.is_whole()) {
    report.error_limit = report.error_estimate;
    return report;
  }
  const double weight_limit = rest_weight_limit(draws, error / 2);
  const double longest = longest_off(values, rest, listed.output);
  const double ball = (estimate.moved.norm() + moved_radius(draws, weight_limit, longest, error / 2)) / listed.weight;
  report.error_limit = std::min(or_infinite(ball), longest * residual_of(listed.weight, weight_limit));
  return report;
}

}  // namespace

double residual_of(double listed_weight, double rest_weight) {
  return rest_weight > 0 ? 1 / (1 + listed_weight / rest_weight) : rest_weight;
}

double rest_weight_limit(const RestDraws& draws, double error) {
  if (draws.is_whole()) return mean_weight(draws);
  std::vector<double> shares = draws.shares;
  for (double& share : shares) {
    if (!(share <= 1 + kRoundingOfShare)) return kInfinity;
    share = std::min(share, 1.0);
  }
  return std::exp(draws.log_total) * mean_limit_by_betting(shares, error);
}

double nominal_rest_weight_limit(const RestDraws& draws, double error) {
  if (draws.is_whole()) return mean_weight(draws);
  Moments moments;
  for (const double weight : draws.weights) moments.add(weight);
  return student(moments, 2 * error).hi;
}

double moved_radius(const RestDraws& draws, double weight_limit, double longest, double error) {
  if (draws.is_whole()) return 0;
  const double n = real(draws.keys.size()), total = std::exp(draws.log_total), level = std::log(2 / error);
  const double most = longest * (total + weight_limit);                               // of one draw from its mean
  const double variance = longest * longest * total * std::min(weight_limit, total);  // of one draw, at most
  const double by_range = most * level / 3;
  return or_infinite((by_range + std::sqrt(by_range * by_range + 2 * n * variance * level)) / n);
}

std::vector<Index> budgets_tried(Index budget, Index allowed, bool grows) {
  if (!grows) return {budget};
  std::vector<Index> budgets;
  for (budget = std::max<Index>(budget, 1); budget < allowed; budget += (budget + 1) / 2) budgets.push_back(budget);
  budgets.push_back(allowed);
  return budgets;
}

std::optional<ResidualReport> residual_report(const Vector& logits, const Matrix& values, const Vector& ceilings,
                                              Index budget, const ListOfBudget& list_of, const ResidualPlan& plan,
                                              const RestAddress& at) {
  if (plan.samples < 2) refuse("samples of the rest is {}: allowed are 2 and more", plan.samples);
  const Index allowed = (logits.array() > -kInfinity).count();
  const std::vector<Index> budgets = budgets_tried(budget, allowed, plan.target.has_value());
  // All keys leave nothing to prove, and need no part of delta.
  const Index random = std::max<Index>(1, std::ssize(budgets) - 1);
  const double error = (1 - kCeilingShare) * plan.delta / real(random);
  std::optional<ResidualReport> report;
  Index read = 0;
  for (Index i = 0; i < std::ssize(budgets); ++i) {
    std::vector<Index> list = list_of(budgets[i]);
    if (list.empty()) return std::nullopt;
    const RestAddress stage{at.seed, at.row, at.step + static_cast<std::uint32_t>(i)};
    report = of_list(logits, values, ceilings, std::move(list), plan, stage, error);
    read += report->read;
    report->read = read;
    report->stages = i + 1;
    if (plan.target && report->limit <= *plan.target) break;
  }
  return report;
}

}  // namespace skt
