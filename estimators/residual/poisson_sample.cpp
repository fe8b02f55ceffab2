#include "estimators/residual/poisson_sample.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "estimators/residual/fixed_bet.hpp"

namespace skt {
namespace {

constexpr double kWords = 0x1p32;

// How many of 2^32 words draw each key of the rest: kWords where it is certain.
std::vector<double> words_that_draw(std::span<const Index> rest, const Vector& ceilings, Index samples) {
  std::vector<double> words(rest.size(), kWords);
  if (std::ssize(rest) <= samples) return words;
  double top = -std::numeric_limits<double>::infinity(), total = 0;
  for (const Index j : rest) top = std::max(top, ceilings[j]);
  for (std::size_t i = 0; i < rest.size(); ++i) total += words[i] = std::exp(ceilings[rest[i]] - top);
  for (double& of_key : words) {
    const double probability = of_key * real(samples) / total;
    of_key = probability < 1 ? std::floor(probability * kWords) + 1 : kWords;
  }
  return words;
}

}  // namespace

PoissonDraws draw_rest_apart(const Vector& logits, std::span<const Index> rest, const Vector& ceilings, double largest,
                             Index samples, const RestAddress& at) {
  const std::vector<double> words = words_that_draw(rest, ceilings, samples);
  PoissonDraws draws;
  std::vector<double> weights;
  DrawAddress block{Role::rest_sample, at.step, 0, at.row, 0};
  std::array<std::uint32_t, 4> of_block = random_words(at.seed, block);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const Index j = rest[i];
    const double probability = words[i] / kWords;
    if (probability < 1) draws.largest = std::max(draws.largest, std::exp(ceilings[j] - largest) / probability);
    if (j / 4 != block.block) {
      block.block = static_cast<std::uint32_t>(j / 4);
      of_block = random_words(at.seed, block);
    }
    if (!(of_block[j % 4] < words[i])) continue;
    draws.keys.push_back(j);
    draws.probabilities.push_back(probability);
    weights.push_back(std::exp(logits[j] - largest) / probability);
  }
  draws.weights = Eigen::Map<const Vector>(weights.data(), std::ssize(weights));
  return draws;
}

double rest_variance(const Vector& logits, std::span<const Index> rest, const Vector& ceilings, double largest,
                     Index samples) {
  const std::vector<double> words = words_that_draw(rest, ceilings, samples);
  double variance = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const double probability = words[i] / kWords;
    variance += std::exp(2 * (logits[rest[i]] - largest)) * (1 - probability) / probability;
  }
  return variance;
}

double apart_weight_limit(const PoissonDraws& draws, double error) {
  constexpr double kRounding = 1 + 1e-9;
  double certain = 0, lost[kFixedBets] = {};
  for (std::size_t i = 0; i < draws.keys.size(); ++i) {
    if (draws.probabilities[i] == 1) {
      certain += draws.weights[i];
      continue;
    }
    const double share = draws.weights[i] / draws.largest;
    if (!(share <= kRounding)) return std::numeric_limits<double>::infinity();
    for (int bet = 0; bet < kFixedBets; ++bet) lost[bet] += bet_lost(bet, std::min(share, 1.0));
  }
  return certain + (draws.largest > 0 ? fixed_bet_limit(lost, draws.largest, error) : 0);
}

}  // namespace skt
