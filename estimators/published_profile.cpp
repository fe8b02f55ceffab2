#include "estimators/published_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr Index kScoredKeys = 4096;
constexpr Index kSplit = 256;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Matrix rounded(const Matrix& x, ModelType type) {
  return x.unaryExpr([type](double entry) { return skt::rounded(entry, type); });
}

Matrix sign_corners(Index planes) {
  Matrix corners(Index{1} << planes, planes);
  for (std::uint32_t r = 0; r < corners.rows(); ++r)
    for (Index p = 0; p < planes; ++p) corners(r, p) = corner(r, p, planes);
  return corners;
}

// By falling score, NaN first, ties to the lower index; the first `count` of the keys 0 .. scores.size() - 1.
std::vector<Index> best_keys(const Eigen::Ref<const Eigen::VectorXf>& scores, Index count) {
  std::vector<Index> order(scores.size());
  std::iota(order.begin(), order.end(), Index{0});
  const auto better = [&](Index a, Index b) {
    const bool a_nan = std::isnan(scores[a]), b_nan = std::isnan(scores[b]);
    if (a_nan != b_nan) return a_nan;
    return scores[a] > scores[b] || (!(scores[a] < scores[b]) && a < b);
  };
  const auto chosen = order.begin() + std::min(count, std::ssize(order));
  std::nth_element(order.begin(), chosen, order.end(), better);
  std::sort(order.begin(), chosen, better);
  order.erase(chosen, order.end());
  return order;
}

std::vector<Index> listed_selection(const Eigen::VectorXf& scores, Index length, const SelectionRule& rule,
                                    bool drops_listed) {
  const Index sink = std::min(rule.sink, length), behind = length - std::min(rule.window, length);
  const Index window = drops_listed ? std::max(sink, behind) : behind;
  std::vector<Index> list;
  for (Index j = 0; j < sink; ++j) list.push_back(j);
  for (Index j = window; j < length; ++j) list.push_back(j);
  for (const Index j : best_keys(scores.head(length), rule.budget))
    if (!drops_listed || (j >= sink && j < window)) list.push_back(j);
  return list;
}

std::vector<Index> union_selection(Eigen::VectorXf scores, std::span<const Allowed> mask, const SelectionRule& rule) {
  const Index keys = scores.size();
  std::vector<Index> joined;
  std::vector<char> in(keys, 0);
  for (Index j = 0; j < keys; ++j) {
    const bool allowed = mask.empty() || mask[j] == Allowed::yes;
    if (!allowed) scores[j] = -kInfinity;
    in[j] = allowed && (j < rule.sink || keys - 1 - j < rule.window);
    if (in[j]) joined.push_back(j);
  }
  for (const Index j : best_keys(scores, rule.budget))
    if (std::isfinite(scores[j]) && !in[j]) joined.push_back(j);
  return joined;
}

}  // namespace

double rounded(double x, ModelType type) {
  switch (type) {
    case ModelType::f16:
      return static_cast<double>(Eigen::half(static_cast<float>(x)));
    case ModelType::bf16:
      return static_cast<double>(Eigen::bfloat16(static_cast<float>(x)));
    case ModelType::f32:
      return static_cast<float>(x);
    case ModelType::f64:
      break;
  }
  return x;
}

PublishedTraits traits_of(Published profile) {
  PublishedTraits traits;
  if (profile == Published::gpt_fast) {
    traits = {.plane_scale = 0.02,
              .noise_corners = true,
              .temperature = 1.0,
              .lists_twice = true,
              .half_norms = true,
              .sink = 120,
              .window = 120,
              .budget = 3600};
  } else if (profile == Published::gpt_fast_later) {
    traits = {.temperature = 0.3,
              .lists_twice = true,
              .drops_listed = true,
              .half_norms = true,
              .half_scores = true,
              .sink = 120,
              .window = 120,
              .budget = 860};
  } else if (profile == Published::hf) {
    traits = {.temperature = 0.3, .lists_twice = true, .half_norms = true, .sink = 20, .window = 20};
  } else {
    traits = {.sink = 128, .window = 128};
  }
  return traits;
}

PublishedHash published_hash(Published profile, ModelType type, const Hyperplanes& drawn, const Matrix& noise,
                             double temperature) {
  const PublishedTraits traits = traits_of(profile);
  const Index planes = drawn.planes;
  if (planes > kPublishedPlanes)
    refuse("planes is {}: the published codes are 16-bit integers with a sign; allowed are 1 to {}", planes,
           kPublishedPlanes);
  if (traits.noise_corners && (noise.rows() != Index{1} << planes || noise.cols() != planes))
    refuse("corners [{}, {}] are given for {} planes; allowed is [{}, {}]", noise.rows(), noise.cols(), planes,
           Index{1} << planes, planes);
  const double scale = traits.plane_scale;  // of the noise corners too
  PublishedHash hash{profile, type, traits.temperature.value_or(temperature), drawn, {}};
  hash.hyperplanes.rows = rounded(scale * drawn.rows, type);
  hash.corners = traits.noise_corners ? rounded(scale * noise, type) : sign_corners(planes);
  return hash;
}

FloatMatrix published_probabilities(const PublishedHash& hash, const Vector& query) {
  const ModelType type = hash.type;
  const double divisor = std::max(std::sqrt(real(hash.hyperplanes.dim)), 1e-6);
  const Matrix signal = query_projections(hash.hyperplanes, query).unaryExpr([&](double x) {
    return skt::rounded(skt::rounded(std::tanh(skt::rounded(x, type)), type) / divisor, type);
  });
  const bool divides = !(hash.profile == Published::gpt_fast);
  FloatMatrix probabilities(signal.rows(), hash.corners.rows());
  for (Index l = 0; l < signal.rows(); ++l) {
    Vector logits = hash.corners * signal.row(l).transpose();
    for (double& x : logits) {
      x = skt::rounded(x, type);
      if (divides) x = skt::rounded(x / hash.temperature, type);
    }
    const double largest = logits.maxCoeff();
    const Vector weights = logits.unaryExpr([largest](double x) { return std::exp(x - largest); });
    const double sum = weights.sum();
    for (Index r = 0; r < weights.size(); ++r)
      probabilities(l, r) = static_cast<float>(skt::rounded(weights[r] / sum, type));
  }
  return probabilities;
}

Eigen::VectorXf published_sums(const FloatMatrix& probabilities, const KeyCodes& codes) {
  if (probabilities.rows() != codes.tables || probabilities.cols() != Index{1} << codes.planes)
    refuse("probabilities [{}, {}] for codes of {} tables with {} planes", probabilities.rows(), probabilities.cols(),
           codes.tables, codes.planes);
  Eigen::VectorXf sums = Eigen::VectorXf::Zero(codes.keys);
  const Index blocks = (codes.keys + kScoredKeys - 1) / kScoredKeys;
#pragma omp parallel for schedule(static) if (blocks > 1)
  for (Index b = 0; b < blocks; ++b) {
    const Index last = std::min((b + 1) * kScoredKeys, codes.keys);
    for (Index l = 0; l < codes.tables; ++l) {
      const std::span<const std::uint32_t> table = codes.table(l);
      const float* p = probabilities.row(l).data();
      for (Index j = b * kScoredKeys; j < last; ++j) sums[j] += p[table[j]];
    }
  }
  return sums;
}

Eigen::VectorXf published_norms(const PublishedHash& hash, const Vector& norms) {
  const ModelType kept = traits_of(hash.profile).half_norms ? ModelType::f16 : hash.type;
  Eigen::VectorXf result(norms.size());
  for (Index j = 0; j < norms.size(); ++j)
    result[j] = static_cast<float>(skt::rounded(static_cast<float>(norms[j]), kept));
  return result;
}

Eigen::VectorXf published_scores(const PublishedHash& hash, const Eigen::VectorXf& sums, const Eigen::VectorXf& norms) {
  const Eigen::VectorXf scores = sums.cwiseProduct(norms);
  if (!traits_of(hash.profile).half_scores) return scores;
  return scores.unaryExpr([](float x) { return static_cast<float>(skt::rounded(x, ModelType::f16)); });
}

Index allowed_length(std::span<const Allowed> mask, Index keys) {
  if (mask.empty()) return keys;
  const auto end = std::find(mask.begin(), mask.end(), Allowed::no);
  const auto stray = std::find(end, mask.end(), Allowed::yes);
  if (stray != mask.end())
    refuse(
        "the mask forbids key {} and allows key {}; allowed for gpt-fast and hf, which know a length only, are masks "
        "that allow the first keys",
        end - mask.begin(), stray - mask.begin());
  return end - mask.begin();
}

std::vector<Index> published_selection(Published profile, const Eigen::VectorXf& scores, std::span<const Allowed> mask,
                                       const SelectionRule& rule) {
  if (!mask.empty() && std::ssize(mask) != scores.size())
    refuse("the mask has {} entries for {} keys", mask.size(), scores.size());
  if (rule.budget < 0 || rule.sink < 0 || rule.window < 0)
    refuse("budget, sink and window are {}, {} and {}: allowed are 0 and more", rule.budget, rule.sink, rule.window);
  const PublishedTraits traits = traits_of(profile);
  if (!traits.lists_twice) return union_selection(scores, mask, rule);
  return listed_selection(scores, allowed_length(mask, scores.size()), rule, traits.drops_listed);
}

Eigen::VectorXf published_attention(const Eigen::VectorXf& logits,
                                    const std::function<Matrix(Index first, Index count)>& values, Index value_dim) {
  Eigen::VectorXf total = Eigen::VectorXf::Zero(value_dim);
  float weight = 0, reference = -kInfinity;  // of the splits so far, relative to e^reference
  for (Index first = 0; first < logits.size(); first += kSplit) {
    const Index count = std::min(kSplit, logits.size() - first);
    const Eigen::VectorXf part = logits.segment(first, count);
    const FloatMatrix rows = values(first, count).cast<float>();
    const float largest = part.maxCoeff();
    const Eigen::VectorXf weights = part.unaryExpr([largest](float x) { return std::exp(x - largest); });
    const float sum = weights.sum();
    const Eigen::VectorXf mean = rows.transpose() * weights / sum;
    const float log_sum = largest + std::log(sum);
    const float next = std::max(reference, log_sum);
    const float before = std::exp(reference - next), now = std::exp(log_sum - next);
    total = before * total + now * mean;
    weight = before * weight + now;
    reference = next;
  }
  return total / weight;
}

}  // namespace skt
