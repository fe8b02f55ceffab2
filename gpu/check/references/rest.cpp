#include "gpu/check/references/rest.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "estimators/residual/fixed_bet.hpp"
#include "gpu/check/references/attention.hpp"
#include "gpu/functors/fixed_weights.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/rest_sample.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

constexpr double kUnit = 0x1p-24;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::uint32_t word_of(const RestDraw& draw, std::int64_t key) {
  const RestStream stream = {draw.seed, draw.row, draw.step};
  const auto of = static_cast<std::uint32_t>(key);
  return high_bits(stream, of / 32).of_key(static_cast<int>(key % 32)) << kLowBits | low_bits(stream, of);
}

}  // namespace

TwinRest twin_rest(const RestRow& row, const RestDraw& draw) {
  const std::int64_t length = std::ssize(row.scores), window = std::max<std::int64_t>(0, length - row.window);
  const auto is_forced = [&](std::int64_t key) { return key < row.sink || key >= window; };
  const std::uint32_t lowest = row.of_group ? kLowestBinOfGroupWeights : kLowestBinOfSignedProjections;
  std::vector<char> listed(length, 0);
  float least = INFINITY, best = -INFINITY;
  for (const std::int32_t key : row.list) {
    listed[key] = 1;
    if (!is_forced(key)) least = std::fmin(least, row.scores[key]);
  }
  for (std::int64_t key = 0; key < length; ++key) {
    if (!is_forced(key)) best = std::fmax(best, row.scores[key]);
  }
  const RestScale scale =
      rest_scale(bin_of_score(std::fmin(least, best), lowest), lowest, row.weight_scale, row.of_group);
  const auto is_candidate = [&](std::int64_t key) {
    const float score = row.scores[key];
    return score != -INFINITY && (!is_forced(key) || std::isnan(score)) && scale.may_be_rest(score);
  };
  TwinRest rest;
  rest.normaliser = scale.normaliser;
  std::uint64_t units = 0;
  for (std::int64_t key = 0; key < length; ++key) {
    if (!is_candidate(key)) continue;
    const float score = row.scores[key];
    const int bin = bin_of_score(score, lowest);
    units += scale.units_of(scale.weight(std::isnan(score) ? score : lowest_score_of(bin, lowest)));
    ++rest.candidates;
  }
  for (std::int64_t key = row.sink; key < window; ++key) rest.norm = std::fmax(rest.norm, known(row.norms[key]));
  rest.score = known(scale.edge);
  rest.rate = rest_rate(scale, units, rest.candidates, static_cast<int>(draw.samples));
  for (std::int64_t key = 0; key < length; ++key) {
    if (!is_candidate(key)) continue;
    const std::uint32_t last = last_word(scale.weight(row.scores[key]), rest.rate);
    if (word_of(draw, key) > last) continue;
    ++rest.drawn;
    if (listed[key] != 0) continue;
    rest.keys.push_back(static_cast<std::int32_t>(key));
    rest.last.push_back(last);
  }
  return rest;
}

namespace {

// b, and how far the kernel's may be off, relatively.
struct Ceiling {
  double value = kInfinite, error = 0;
};

Ceiling ceiling_of(const CheckCase& c, double length, const TwinRest& rest, const RestHead& of, const RestPlan& plan) {
  if (!(rest.norm < 65504)) return {};
  const bool grouped = c.group() > 1;
  const double scale = weight_scale_of(c), half = high_planes(c.code_bits());
  const double norm = rest.norm * (1 + 0x1p-10) + 0x1p-24;
  const double roundings = real(c.dim) / 32 + 13 + real(c.planes + c.tables) + half * half;
  const double rounding = roundings * kUnit * 2 * std::sqrt(real(c.dim)) * std::sqrt(std::numbers::pi / 2);
  const double of_length = std::numbers::log2e * inverse_sqrt_dim(c) * (plan.radius + rounding) * length;
  const double of_weight = (grouped ? 1.01 / (2 * kMostWeight) : 0) + 0x1p-10;
  const double of_projection = scale * real(c.tables * c.planes) * of_weight * of.projection;
  double octaves = norm * (of_length + of_projection), parts = octaves;
  const double normaliser = (c.shares_lists() ? of.normaliser : rest.normaliser) / kOctaveSteps;
  if (!(std::abs(normaliser) < kMostNormaliser / kOctaveSteps)) return {};
  const double log_sum = of.log_sum_exp * std::numbers::log2e;
  octaves += normaliser - log_sum;
  parts += std::abs(normaliser) + std::abs(log_sum);
  if (!c.shares_lists()) {
    const double of_score = scale * rest.score * (grouped ? 0x1p-8 : 0x1p-22);
    octaves += of_score;
    parts += of_score;
  }
  const double error = 8 * kUnit * std::numbers::ln2 * parts + real(2 * c.dim + 40) * kUnit +
                       parts * std::numbers::ln2 * real(2 * c.dim + 40) * kUnit;
  return {std::exp2(octaves) / rest.rate * kRestRounding * 1.0001, std::abs(error)};
}

ScoreInterval shares(double low, double high, double error) {
  const auto share = [](double x) { return std::isinf(x) ? 1 : x / (1 + x); };
  return {share(low) * (1 - error) - 0x1p-140, share(high) * (1 + error) + 0x1p-140};
}

}  // namespace

ExactRest exact_rest(const CheckCase& c, const Problem& problem, std::int64_t head, const TwinRest& rest,
                     const RestHead& of, const RestPlan& plan, std::span<const float> output) {
  const Vector query = row_of(problem.queries, head, c.dim);
  const Ceiling ceiling = ceiling_of(c, query.norm(), rest, of, plan);
  const bool is_whole = rest.candidates <= static_cast<std::uint32_t>(plan.samples);
  const double n = real(std::ssize(rest.keys));
  ExactRest exact;
  double all[2] = {}, certain[2] = {}, square[2] = {}, lost[2][kFixedBets] = {}, worst = 0;
  Vector moved = Vector::Zero(c.dim), absolute = Vector::Zero(c.dim);
  const auto logit_of = [&](std::int64_t key) {
    return inverse_sqrt_dim(c) * query.dot(row_of(problem.keys, head / c.group() * c.capacity + key, c.dim));
  };
  double largest_logit = -kInfinite;
  for (const std::int32_t key : rest.keys) largest_logit = std::fmax(largest_logit, logit_of(key));
  for (std::size_t i = 0; i < rest.keys.size(); ++i) {
    const std::int64_t at = head / c.group() * c.capacity + rest.keys[i];
    const Vector key = row_of(problem.keys, at, c.dim), value = row_of(problem.values, at, c.dim);
    const double logit = logit_of(rest.keys[i]);
    const double most = inverse_sqrt_dim(c) * query.cwiseAbs().dot(key.cwiseAbs());
    const double numbers = std::abs(logit) + std::abs(largest_logit) + std::abs(double{of.log_sum_exp});
    const double rho = 1.01 * (attention_units(c).logit * kUnit * most + 8 * kUnit * numbers + 20 * kUnit);
    const double probability = rest_probability<double>(rest.last[i]);
    const double weight = std::exp(logit - of.log_sum_exp) / probability;
    exact.is_judged = exact.is_judged && !(rho >= 1);
    if (!(weight < 0x1p120)) exact.in_range = false;
    worst = std::max(worst, rho);
    moved += weight * value;
    absolute += weight * value.cwiseAbs();
    for (const int high : {0, 1}) {
      const double sign = high != 0 ? 1 : -1, bounded = weight * (1 + sign * rho);
      all[high] += bounded;
      if (rest.last[i] == kCertain) {
        certain[high] += bounded;
        continue;
      }
      square[high] += bounded * bounded * (1 - probability);
      const double share = bounded / (ceiling.value * (1 - sign * ceiling.error));
      if (share > 1) (high != 0 ? exact.may_be_unknown : exact.must_be_unknown) = true;
      for (int bet = 0; bet < kFixedBets; ++bet) lost[high][bet] += bet_lost(bet, std::min(share, 1.0));
    }
  }
  if (!exact.in_range || !std::isfinite(all[1])) {
    exact.in_range = false;
    return exact;
  }
  const double sums = (n + 64) * kUnit;
  double limits[2];
  for (const int high : {0, 1}) {
    const double largest = ceiling.value * (1 + (high != 0 ? 1 : -1) * ceiling.error);
    limits[high] = certain[high] + (is_whole ? 0 : fixed_bet_limit(lost[high], largest, double{plan.delta}));
  }
  if (!is_whole && !(limits[1] < 0x1p127)) exact.may_be_unknown = true;
  if (!is_whole && !(limits[0] < 0x1.fp127)) exact.must_be_unknown = true;
  exact.weight = shares(all[0], all[1], sums);
  exact.limit = shares(limits[0], limits[1], sums);
  const double quantile = boost::math::quantile(complement(boost::math::normal(), double{plan.delta}));
  const double vanished = all[1] * std::sqrt(n * 0x1p-146);  // squares below the least number, under the root
  const auto nominal = [&](bool above, bool wide) {
    const double root = std::sqrt(square[wide]);
    return all[above] + quantile * (wide ? root + vanished : std::max(0.0, root - vanished));
  };
  const bool rises = quantile >= 0;
  exact.nominal = shares(nominal(false, !rises), nominal(true, rises), 2 * sums);
  const double total = 1 + (all[0] + all[1]) / 2, off = worst + sums;
  const double of_vector = std::max(0.0, attention_units(c).sum(n) * kUnit - sums);
  for (std::int64_t d = 0; d < c.dim; ++d) {
    const double corrected = (output[d] + moved[d]) / total;
    exact.output.push_back(corrected);
    exact.tolerance.push_back(1.01 * ((absolute[d] * (off + of_vector) + std::abs(double{output[d]}) * sums) / total +
                                      std::abs(corrected) * (off * all[1] / total + 8 * kUnit)) +
                              0x1p-120);
  }
  return exact;
}

}  // namespace skt::gpu
