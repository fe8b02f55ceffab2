#include "gpu/check/problems/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include "gpu/check/cases/published_profile.hpp"
#include "sim/number.hpp"
#include "sim/randomness.hpp"

namespace skt::gpu {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kLargestHalf = 65504;
constexpr double kE4m3Spread = 4;  // of drawn numbers in e4m3, whose normal ones are 2^-6 to 448

// Multiples of 1/4 in [-1, 1]: sums of 256 of their products are exact in fp32.
float dyadic(double uniform) {
  return to_single(std::floor(uniform * 9) - 4) / 4;
}

// How much larger than N(0, 1) an input of this kind is.
double scale_of(const CheckCase& c, Role role) {
  if (role == Role::hyperplane) return 1;
  // Near the top of what fp16 holds for values, so that norms exceed it; keys and queries moderate.
  if (c.inputs == InputKind::large) return role == Role::value ? 2e4 : 4;
  // Squares beyond fp32 where the type holds such numbers; a query of this size would only saturate tanh.
  if (c.inputs == InputKind::huge) return role == Role::query ? 1 : 1e19;
  // Below the smallest normal number of the type.
  if (c.inputs == InputKind::subnormals && role != Role::query) {
    return c.has_e4m3_cache() ? 1e-3 : c.type == NumberType::f16 ? 1e-6 : 1e-39;
  }
  if (c.inputs == InputKind::needle) return role == Role::key ? 0.1 : 1;
  return 1;
}

// Row `row` of an input, [dim], by the case's kind.
void draw_row(const CheckCase& c, Role role, std::int64_t row, std::span<double> numbers) {
  const DrawAddress at = draw_address(role, 0, row);
  if (c.inputs == InputKind::dyadic || c.inputs == InputKind::ties) {
    fill_uniform(Seed{c.seed}, at, numbers);
    for (double& x : numbers) x = dyadic(x);
    return;
  }
  if (role != Role::hyperplane && (c.inputs == InputKind::zeros || c.inputs == InputKind::constant)) {
    std::fill(numbers.begin(), numbers.end(), c.inputs == InputKind::zeros ? 0.0 : 0.5);
    return;
  }
  fill_normal(Seed{c.seed}, at, numbers);
  const double scale = scale_of(c, role);
  for (double& x : numbers) x *= scale;
}

bool forbids(const CheckCase& c, std::int64_t batch, std::int64_t head, std::int64_t key) {
  switch (c.mask) {
    case MaskKind::none:
      return false;
    case MaskKind::nothing:
      return true;
    case MaskKind::padding:
      return key >= (c.keys + batch + 1) / 2;
    case MaskKind::causal:
      return key > c.keys * (head + 1) / c.heads;  // the last head sees every key
    case MaskKind::random:
      break;
  }
  return random_uniforms(Seed{c.seed}, draw_address(Role::test_draw, 0, key, batch))[0] < 0.5;
}

std::vector<float> draw_queries(const CheckCase& c) {
  std::vector<float> numbers(c.rows() * c.dim);
  std::vector<double> drawn(c.dim);
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    draw_row(c, Role::query, row, drawn);
    std::transform(drawn.begin(), drawn.end(), numbers.begin() + row * c.dim,
                   [&](double x) { return round_to(c.element_type(), x); });
  }
  return numbers;
}

// Between 0 and 8, as of one key and of some thousand.
std::vector<float> draw_log_sums(const CheckCase& c) {
  std::vector<float> sums;
  for (std::int64_t row = 0; row < c.rows(); ++row)
    sums.push_back(to_single(8 * random_uniforms(Seed{c.seed}, draw_address(Role::test_draw, 3, 0, row))[0]));
  sums[0] = -std::numeric_limits<float>::infinity();
  return sums;
}

// One key of the cache in place; `draw` is the row that is drawn for it.
void draw_key(const CheckCase& c, Role role, std::int64_t draw, std::int64_t key, std::span<float> out) {
  std::vector<double> drawn(out.size());
  draw_row(c, role, draw, drawn);
  if (c.inputs == InputKind::needle && role == Role::key && key == c.keys / 2) {
    draw_row(c, Role::query, 0, drawn);  // towards the first query
    for (double& x : drawn) x *= 4;
  }
  const double most = c.type == NumberType::f16 ? kLargestHalf : std::numeric_limits<float>::max();
  for (std::size_t d = 0; d < out.size(); ++d) {
    out[d] = c.has_e4m3_cache() ? round_to_e4m3(kE4m3Spread * drawn[d])
                                : round_to(c.element_type(), std::clamp(drawn[d], -most, most));
  }
  if (c.has_e4m3_cache()) {
    // No infinity; and not in key and value of one key, so that each shows alone.
    if (c.inputs == InputKind::non_finite && key % 10 == (role == Role::key ? 2 : 7)) out[key % std::ssize(out)] = kNan;
    return;
  }
  if (c.inputs != InputKind::non_finite || key % 5 != 2) return;
  const float planted[] = {kNan, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()};
  out[key % std::ssize(out)] = planted[key % 3];
}

// Another for each head, and for keys than for values: 4 bits, exact in 16 bits with the 4 of a number; 18 of the
// attention alone, which a scale rounded to 16 bits would miss.
std::vector<float> draw_scales(const CheckCase& c, Role role) {
  std::vector<float> scales;
  if (!c.has_e4m3_cache() || c.cache == CacheForm::e4m3_unscaled) return scales;
  for (std::int64_t h = 0; h < c.kv_heads; ++h) {
    double scale = role == Role::key ? std::ldexp(real(9 + 3 * h % 7), -5 - static_cast<int>(h % 3))
                                     : std::ldexp(real(15 - 2 * h % 7), -4 + static_cast<int>(h % 2));
    if (c.operation == Operation::sparse_attention) scale *= 1 + real(2 * (h % 32) + 1) * 0x1p-14;
    scales.push_back(to_single(scale));
  }
  return scales;
}

// Long caches repeat their rows with a prime period, so that a wrong address by any power of two still shows.
constexpr std::int64_t kPeriod = 8191;

std::vector<float> draw_cache(const CheckCase& c, Role role, const std::vector<float>& scales) {
  const std::int64_t rows = c.kv_rows() * c.capacity;
  std::vector<float> numbers(rows * c.dim);
  const bool repeats = repetitions(c) > 1;
  std::vector<float> period;
  if (repeats) {
    period.resize(kPeriod * c.dim);
    for (std::int64_t row = 0; row < kPeriod; ++row) {
      draw_key(c, role, row, 0, std::span(period).subspan(row * c.dim, c.dim));
    }
  }
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t key = row % c.capacity;
    const std::int64_t batch = row / c.capacity / c.kv_heads;
    const std::span<float> out = std::span(numbers).subspan(row * c.dim, c.dim);
    if (key >= c.keys || forbids(c, batch, c.heads - 1, key)) {
      std::fill(out.begin(), out.end(), kNan);
    } else if (repeats) {
      std::copy_n(period.begin() + row % kPeriod * c.dim, c.dim, out.begin());
    } else {
      draw_key(c, role, row, key, out);
    }
    for (float& number : out) number *= scale_of_head(scales, row / c.capacity % c.kv_heads);
  }
  return numbers;
}

// Fresh N(0, scale^2) numbers in `rows` rows of `width`, rounded as the planes of the profile are.
std::vector<float> draw_constants(const CheckCase& c, std::uint32_t trial, std::int64_t rows, std::int64_t width,
                                  double scale) {
  std::vector<float> numbers;
  std::vector<double> drawn(width);
  for (std::int64_t row = 0; row < rows; ++row) {
    fill_normal(Seed{c.seed}, draw_address(Role::hyperplane, trial, row), drawn);
    for (const double x : drawn) numbers.push_back(to_single(scale * x));
  }
  return numbers;
}

std::vector<float> draw_hyperplanes(const CheckCase& c, const PublishedProfile& profile) {
  std::vector<float> numbers;
  std::vector<double> drawn(c.dim);
  for (std::int64_t row = 0; row < c.tables * c.planes; ++row) {
    draw_row(c, Role::hyperplane, row, drawn);
    for (const double x : drawn) {
      const float scaled = to_single(profile.plane_scale * x);
      numbers.push_back(profile.plane_type == PlaneType::model ? round_to(c.element_type(), scaled) : scaled);
    }
  }
  return numbers;
}

// A score drawn from a uniform number.
float score_of_kind(InputKind kind, std::int64_t key, double u) {
  switch (kind) {
    case InputKind::ties:
      return to_single(std::floor(8 * u));
    case InputKind::zeros:
      return u < 0.5 ? -0.0f : 0.0f;
    case InputKind::low_contrast:
      return 1 + to_single(std::floor(64 * u)) * 0x1p-23f;
    case InputKind::large:
      return to_single(std::ldexp(u - 0.5, static_cast<int>(1e4 * u) % 250 - 125));
    case InputKind::non_finite:
      if (key % 5 == 2) return key % 2 ? kNan : std::numeric_limits<float>::infinity();
      break;
    default:
      break;
  }
  return to_single(std::log(u));  // all octaves below 0
}

}  // namespace

DrawAddress draw_address(Role role, std::uint32_t trial, std::int64_t row, std::int64_t block) {
  return {role, trial, 0, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(block)};
}

float scale_of_head(const std::vector<float>& scales, std::int64_t kv_head) {
  return scales.empty() ? 1 : scales[kv_head];
}

bool mask_per_head(const CheckCase& c) {
  return c.mask == MaskKind::causal;
}

std::int64_t repetitions(const CheckCase& c) {
  const std::int64_t rows = c.kv_rows() * c.capacity;
  const bool repeats = rows > 4 * kPeriod && c.inputs != InputKind::non_finite && c.inputs != InputKind::needle;
  return repeats ? (rows + kPeriod - 1) / kPeriod : 1;
}

Problem make_problem(const CheckCase& c) {
  const PublishedProfile profile = published_profile(c.profile);
  Problem problem;
  problem.queries = draw_queries(c);
  problem.key_scales = draw_scales(c, Role::key);
  problem.value_scales = draw_scales(c, Role::value);
  problem.keys = draw_cache(c, Role::key, problem.key_scales);
  problem.values = draw_cache(c, Role::value, problem.value_scales);
  problem.hyperplanes = draw_hyperplanes(c, profile);
  problem.log_sums = draw_log_sums(c);
  if (profile.corners == Corners::noise) {
    problem.corners = draw_constants(c, 1, std::int64_t{1} << c.planes, c.planes, profile.plane_scale);
  }
  if (c.mask == MaskKind::none) return problem;
  const std::int64_t mask_heads = mask_per_head(c) ? c.heads : 1;
  for (std::int64_t row = 0; row < c.batch * mask_heads; ++row) {
    const std::int64_t head = mask_per_head(c) ? row % c.heads : c.heads - 1;
    for (std::int64_t key = 0; key < c.capacity; ++key) {
      problem.allowed.push_back(key < c.keys && !forbids(c, row / mask_heads, head, key) ? 1 : 0);
    }
  }
  return problem;
}

Problem with_queries_of_rows(const CheckCase& c, Problem problem) {
  CheckCase all = c;
  all.heads = c.heads * c.query_rows;
  problem.queries = draw_queries(all);
  problem.log_sums = draw_log_sums(all);
  return problem;
}

std::vector<float> make_scores(const CheckCase& c) {
  std::vector<float> scores;
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    for (std::int64_t key = 0; key < c.capacity; ++key) {
      const double u = random_uniforms(Seed{c.seed}, draw_address(Role::test_draw, 1, key, row))[0];
      const float score = score_of_kind(c.inputs, key, u);
      const bool used = key < c.keys && !forbids(c, row / c.heads, row % c.heads, key);
      scores.push_back(used ? score : key < c.keys ? -std::numeric_limits<float>::infinity() : kNan);
    }
  }
  return scores;
}

bool is_allowed(const CheckCase& c, const Problem& problem, std::int64_t row, std::int64_t key) {
  const std::int64_t mask_row = mask_per_head(c) ? row : row / c.heads;
  return problem.allowed.empty() || problem.allowed[mask_row * c.capacity + key] != 0;
}

std::span<const float> float_row(std::span<const float> numbers, std::int64_t row, std::int64_t width) {
  return numbers.subspan(row * width, width);
}

Vector row_of(const std::vector<float>& numbers, std::int64_t row, std::int64_t dim) {
  return Eigen::Map<const Eigen::VectorXf>(numbers.data() + row * dim, dim).cast<double>();
}

Hyperplanes double_hyperplanes(const CheckCase& c, const Problem& problem) {
  Hyperplanes hyperplanes{c.tables, c.planes, c.dim, Matrix(c.tables * c.planes, c.dim)};
  for (Index row = 0; row < c.tables * c.planes; ++row) {
    hyperplanes.rows.row(row) = row_of(problem.hyperplanes, row, c.dim);
  }
  return hyperplanes;
}

float temperature_of(const CheckCase& c) {
  return to_single(published_profile(c.profile).temperature.value_or(c.temperature));
}

float inverse_sqrt_dim(const CheckCase& c) {
  return to_single(1 / std::sqrt(real(c.dim)));
}

float weight_scale_of(const CheckCase& c) {
  const double scale = inverse_sqrt_dim(c);  // of logits and of projections
  return to_single(std::numbers::log2e * std::sqrt(std::numbers::pi / 2) / real(c.tables * c.planes) * scale / scale);
}

skt_shape shape_of_lists(const CheckCase& c) {
  skt_shape shape = shape_of(c);
  shape.heads = c.list_heads();
  return shape;
}

skt_shape shape_of(const CheckCase& c) {
  return {.batch = c.batch,
          .heads = c.heads,
          .kv_heads = c.kv_heads,
          .query_rows = c.query_rows,
          .capacity = c.capacity,
          .dim = c.dim,
          .tables = c.tables,
          .planes = c.planes};
}

skt_list list_of(const CheckCase& c) {
  return {.budget = c.budget, .sink = c.sink, .window = c.window, .sparsity = 0};
}

}  // namespace skt::gpu
