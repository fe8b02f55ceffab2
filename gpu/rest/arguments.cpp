#include "gpu/rest/arguments.hpp"

#include <cmath>
#include <numbers>

#include "gpu/device/validate.hpp"
#include "gpu/functors/fixed_weights.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

// x with P(normal > x) = delta.
float normal_quantile(double delta) {
  double low = -40, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) / 2 > delta ? low : high) = middle;
  }
  return static_cast<float>(high);
}

// What fp32 and half sums add to the error of an estimated cosine, of rows at most 2 sqrt(dim) long.
double rounding_of_cosine(const skt_shape& shape) {
  const double dim = static_cast<double>(shape.dim), half = high_planes(to_int(shape.planes));
  const double roundings = dim / 32 + 13 + static_cast<double>(shape.planes + shape.tables) + half * half;
  return roundings * 0x1p-24 * 2 * std::sqrt(dim) * std::sqrt(std::numbers::pi / 2);
}

RestWork work_of(const RestStage& stage) {
  const skt_shape& shape = stage.score.shape;
  const std::int64_t lists = shape.batch * (stage.normalisers != nullptr ? shape.kv_heads : shape.heads);
  return {stage.work, shape, lists, stage.rest.rest_samples};
}

}  // namespace

std::int64_t rest_work_bytes(const RestStage& stage) {
  return work_of(stage).bytes;
}

RestArguments rest_arguments(const RestStage& stage) {
  RestArguments kernel;
  kernel.rest = stage.rest;
  if (!kernel.samples()) return kernel;
  const skt_score_packed_args& score = stage.score;
  const skt_shape& shape = score.shape;
  const bool grouped = shape.heads > shape.kv_heads;
  kernel.pages = index_pages(score);
  kernel.norms = score.norms;
  kernel.half_sums = score.half_tables;
  kernel.normalisers = stage.normalisers;
  kernel.progress = stage.progress;
  const RestWork work = work_of(stage);
  kernel.ends = work.ends;
  kernel.rows = work.rows;
  kernel.drawn = work.drawn;
  kernel.parts = work.parts;
  kernel.vectors = work.vectors;
  kernel.room = rest_room(to_int(stage.rest.rest_samples));
  kernel.lists_to_kv_head = stage.normalisers != nullptr ? 1 : to_int(shape.heads / shape.kv_heads);
  kernel.tables = to_int(shape.tables);
  kernel.planes = to_int(shape.planes);
  kernel.weight_scale = score.weight_scale;
  const double bits = static_cast<double>(shape.tables * shape.planes);
  const double length = std::numbers::log2e * stage.logit_scale;
  kernel.octaves_of_length = static_cast<float>(length * (stage.rest.rest_radius + rounding_of_cosine(shape)));
  const double of_weight = (grouped ? 1.01 / (2 * kMostWeight) : 0) + 0x1p-10;
  kernel.octaves_of_projection = static_cast<float>(score.weight_scale * bits * of_weight);
  kernel.octaves_of_score = score.weight_scale * (grouped ? 0x1p-8f : 0x1p-22f);
  kernel.normal_quantile = normal_quantile(stage.rest.rest_delta);
  return kernel;
}

int check_rest(const RestStage& stage, const skt_sparse_attention_args& attention, skt_error* error) {
  Validation check(error);
  const skt_rest& rest = stage.rest;
  check.in_range("rest_samples", rest.rest_samples, 0, kMostRestSamples);
  if (rest.rest_samples == 0) return check.code();
  check.in_range("rule, beside rest_samples,", stage.score.rule, SKT_SIGNED_PROJECTION, SKT_SIGNED_PROJECTION);
  check.one_query_row(attention.shape, "query_rows, beside rest_samples,");
  check.in_range("cache_form, beside rest_samples,", attention.cache.cache_form, SKT_CACHE_OF_TYPE, SKT_CACHE_OF_TYPE);
  check.optional_pointer("rest_step", rest.rest_step, 4);
  check.share("rest_delta", rest.rest_delta, false);
  check.positive("rest_radius", rest.rest_radius);
  check.share("rest_target", rest.rest_target, true);
  check.pointer("rest_weight", rest.rest_weight, 4);
  check.pointer("rest_limit", rest.rest_limit, 4);
  check.pointer("rest_nominal", rest.rest_nominal, 4);
  check.pointer("rest_flags", rest.rest_flags, 4);
  check.optional_pointer("rest_flagged", rest.rest_flagged, 4);
  check.optional_pointer("rest_output", rest.rest_output);
  check.optional_pointer("rest_drawn", rest.rest_drawn, 4);
  check.optional_pointer("rest_keys", rest.rest_keys, 4);
  return check.code();
}

}  // namespace skt::gpu
