#include "gpu/rest/arguments.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "gpu/device/validate.hpp"
#include "gpu/functors/fixed_weights.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

// What fp32 and half sums add to the error of an estimated cosine, of rows at most 2 sqrt(dim) long.
double rounding_of_cosine(const skt_shape& shape) {
  const double dim = static_cast<double>(shape.dim), half = high_planes(to_int(shape.planes));
  const double roundings = dim / 32 + 13 + static_cast<double>(shape.planes + shape.tables) + half * half;
  return roundings * 0x1p-24 * 2 * std::sqrt(dim) * std::sqrt(std::numbers::pi / 2);
}

bool share_lists(const RestStage& stage) {
  return stage.score.lists == SKT_LIST_OF_KV_HEAD && stage.score.shape.heads > stage.score.shape.kv_heads;
}
std::int64_t lists_to_sequence(const RestStage& stage) {
  return share_lists(stage) ? stage.score.shape.kv_heads : stage.score.shape.heads;
}

RestWork work_of(const RestStage& stage) {
  const skt_shape& shape = stage.score.shape;
  return {stage.work, shape, shape.batch * lists_to_sequence(stage), stage.rest.rest_samples};
}

}  // namespace

float normal_quantile(double delta) {
  double low = -40, high = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) / 2 > delta ? low : high) = middle;
  }
  return static_cast<float>(high);
}

std::int64_t rest_work_bytes(const RestStage& stage) {
  return work_of(stage).bytes;
}

ListEnd* rest_ends(const RestStage& stage) {
  return stage.rest.rest_samples != 0 ? work_of(stage).ends : nullptr;
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
  kernel.normalisers = stage.bins.normalisers;
  kernel.scored = stage.scored;
  kernel.scores = score.scores;
  kernel.capacity = shape.capacity;
  kernel.score_type = score.score_type;
  kernel.unscored = stage.unscored;
  kernel.counts = stage.bins.counts;
  kernel.lowest = stage.bins.lowest;
  static_cast<RestWork&>(kernel) = work_of(stage);
  kernel.sequences = score.sequences;
  kernel.list = stage.list;
  kernel.kv_heads = to_int(shape.kv_heads);
  kernel.kv_rows = to_int(shape.batch) * kernel.kv_heads;
  constexpr int kNormWarps = 2048;  // of all rows: about four to a scheduler of an H200
  kernel.norm_shares = std::clamp(kNormWarps / kernel.kv_rows, 1, kMostNormShares);
  kernel.lists_to_sequence = to_int(lists_to_sequence(stage));
  kernel.lists_to_kv_head = kernel.lists_to_sequence / kernel.kv_heads;
  kernel.tables = to_int(shape.tables);
  kernel.planes = to_int(shape.planes);
  kernel.weight_scale = score.weight_scale;
  const double bits = static_cast<double>(shape.tables * shape.planes);
  const double length = std::numbers::log2e * stage.logit_scale;
  kernel.octaves_of_length = static_cast<float>(length * (stage.rest.rest_radius + rounding_of_cosine(shape)));
  const double of_weight = (grouped ? 1.01 / (2 * kMostWeight) : 0) + 0x1p-10;
  kernel.octaves_of_projection = static_cast<float>(score.weight_scale * bits * of_weight);
  kernel.octaves_of_score = score.weight_scale * (grouped ? 0x1p-8f : 0x1p-22f);
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
