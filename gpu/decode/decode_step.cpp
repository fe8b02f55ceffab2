// One decode step of SOCKET: half-tables of the query, scores of all keys, selection, attention over it.
//
// Nothing of its own but the division of the workspace; every stage refuses what it cannot do.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <utility>

#include "gpu/decode/decode_stages.hpp"
#include "gpu/device/validate.hpp"
#include "gpu/functors/group_weights.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "gpu/functors/rest_sample.hpp"
#include "gpu/functors/score_bins.hpp"
#include "gpu/functors/whole_numbers.hpp"

namespace skt::gpu {
namespace {

// Pieces of one workspace, each aligned as the workspace is.
class Pieces {
 public:
  static constexpr std::int64_t kAlignment = 256;

  explicit Pieces(void* begin) : begin_(static_cast<char*>(begin)) {}

  template <class T>
  T* take(std::int64_t count) {
    T* piece = begin_ == nullptr ? nullptr : reinterpret_cast<T*>(begin_ + used_);
    used_ += ceil_div(count * std::int64_t{sizeof(T)}, kAlignment) * kAlignment;
    return piece;
  }
  std::int64_t used() const { return used_; }

 private:
  char* begin_;
  std::int64_t used_ = 0;
};

struct Stages {
  BuildStage append = {};
  skt_soft_buckets_args buckets = {};
  skt_score_packed_args score = {};
  skt_select_keys_args select = {};
  skt_sparse_attention_args attention = {};
  RestStage rest = {};
  RowBins bins = {};
  RowProgress progress = {};
  std::int64_t cleared_words = 0;  // from bins.counts on
  std::int64_t bytes = 0;
};

void validate_sizes(const skt_decode_step_args& args, Validation& check) {
  check.heads(args.shape);
  check.capacity(args.shape);
  check.packed_hash(args.shape);
  check.used(args.sequences.used, args.shape);
  check.vector_dim(args.shape.dim);
  check.list(args.list, 0, kMostAttended);
  check.in_range("paged_index", args.paged_index, 0, 1);
  check.lists(args.lists, args.shape);
  check.dense_up_to(args.sequences);
  check.in_range("rest_samples", args.rest.rest_samples, 0, kMostRestSamples);
}

// What index building does not say of itself.
void validate_append(const skt_decode_step_args& args, Validation& check) {
  const skt_append& append = args.append;
  const std::int64_t most = args.sequences.lengths == nullptr ? args.sequences.used : args.shape.capacity;
  check.in_range("append_count", append.append_count, 0, std::min<std::int64_t>(kMostAppended, most));
  if (check.failed() || append.append_count == 0) return;
  check.in_range("append_norms", append.append_norms, SKT_APPEND_NO_NORMS, SKT_APPEND_KEY_NORMS);
  if (append.append_keys == nullptr) {
    check.in_range("cache_form, beside append_count without append_keys,", args.cache.cache_form, SKT_CACHE_OF_TYPE,
                   SKT_CACHE_OF_TYPE);
    if (args.paged.block_table != nullptr) {
      check.in_range("paged_index, beside append_count without append_keys,", args.paged_index, 1, 1);
    }
  } else if (append.append_norms == SKT_APPEND_VALUE_NORMS) {
    check.pointer("append_values", append.append_values);
  }
}

skt_build_index_args appended(const skt_decode_step_args& a) {
  const skt_append& append = a.append;
  const bool given = append.append_keys != nullptr;
  const void* keys = given ? append.append_keys : a.cache.keys;
  const void* values = given ? append.append_values : a.cache.values;
  skt_build_index_args args = {
      .keys = keys, .hyperplanes = a.hyperplanes, .packed = a.packed, .shape = a.shape, .type = a.type};
  if (append.append_norms != SKT_APPEND_NO_NORMS) {
    args.values = append.append_norms == SKT_APPEND_KEY_NORMS ? keys : values;
    args.norms = a.norms;
  }
  const std::int64_t first = a.sequences.lengths == nullptr ? a.sequences.used - append.append_count : 0;
  args.written = {first, append.append_count, a.sequences.lengths};
  if (a.paged_index != 0) args.paged = a.paged;
  if (given) args.paged.page_stride = 0;
  return args;
}

// How the sum over signs that the signed rule scores a key of norm 1 by becomes a logit to base 2: the mean of
// |w.u| sign(w.u) over Gaussian hyperplanes w is sqrt(2 / pi) for a unit vector u.
float weight_scale_of(const skt_decode_step_args& a) {
  const double bits = static_cast<double>(a.shape.tables * a.shape.planes);
  return static_cast<float>(std::numbers::log2e * std::sqrt(std::numbers::pi / 2) / bits * a.logit_scale / a.scale);
}

int divide(const skt_decode_step_args& a, Stages& stages, skt_error* error) {
  Pieces pieces(a.workspace);
  const bool shared = a.lists == SKT_LIST_OF_KV_HEAD && a.shape.heads > a.shape.kv_heads;
  skt_shape lists = a.shape;
  if (shared) lists.heads = lists.kv_heads;
  const std::int64_t rows = all_rows(lists);
  const std::int64_t list = length_of_list(a.list);
  const bool is_signed = a.rule == SKT_SIGNED_PROJECTION;
  auto* tables = pieces.take<float>(all_rows(a.shape) * a.shape.tables * half_table_entries(to_int(a.shape.planes)));
  const std::int32_t score_type = step_score_type(a.rule, a.shape);
  void* scores = pieces.take<std::byte>(rows * a.shape.capacity * (score_type == SKT_BF16 ? 2 : 4));
  auto* selected = pieces.take<std::int32_t>(rows * list);
  auto* counts = pieces.take<std::int32_t>(rows);
  if (a.selected != nullptr) {
    selected = a.selected;
    counts = a.list_counts;
  }
  void* work = pieces.take<std::byte>(a.shape.heads > a.shape.kv_heads ? score_work_bytes(a.shape) : 0);
  const std::int64_t counters = rows * (kScoreBins + kRowCounters);
  auto* bins = pieces.take<std::uint32_t>(counters);
  stages.buckets = {.queries = a.queries,
                    .hyperplanes = a.hyperplanes,
                    .probabilities = tables,
                    .shape = a.shape,
                    .scale = a.scale,
                    .temperature = a.temperature,
                    .query_type = a.type,
                    .form = is_signed ? SKT_HALF_SUMS : SKT_HALF_TABLES};
  stages.score = {.half_tables = tables,
                  .packed = a.packed,
                  .norms = a.norms,
                  .scores = scores,
                  .shape = a.shape,
                  .sequences = a.sequences,
                  .mask = a.mask,
                  .paged = a.paged_index != 0 ? a.paged : skt_pages{},
                  .rule = a.rule,
                  .score_type = score_type,
                  .lists = a.lists,
                  .weight_scale = weight_scale_of(a),
                  .log_sums = a.log_sums,
                  .work = work};
  stages.select = {.scores = scores,
                   .selected = selected,
                   .counts = counts,
                   .shape = lists,
                   .sequences = a.sequences,
                   .list = a.list,
                   .score_type = score_type};
  stages.attention = {.queries = a.queries,
                      .cache = a.cache,
                      .selected = selected,
                      .counts = counts,
                      .output = a.output,
                      .log_sum_exp = a.log_sum_exp,
                      .shape = a.shape,
                      .paged = a.paged,
                      .list = list,
                      .logit_scale = a.logit_scale,
                      .type = a.type,
                      .lists = a.lists,
                      .sequences = a.sequences,
                      .output_type = a.output_type};
  if (a.append.append_count != 0) {
    stages.append = {appended(a), a.append.append_keys == nullptr ? 0 : a.append.append_count};
  }
  if (can_count_scores(stages.score)) {
    stages.bins = {bins, to_int(a.list.sink), to_int(a.list.window)};
    stages.cleared_words = counters;
  }
  // Draws from a rest are to begin with the selection, in short rows too.
  if (stages.bins.counts != nullptr && (a.rest.rest_samples != 0 || should_count_rows(stages.score))) {
    std::uint32_t* row_counters = bins + rows * kScoreBins;
    stages.progress = {row_counters, row_counters + rows};
  }
  stages.bins.lowest = !is_signed ? lowest_bin_of_collisions(a.shape.tables, a.shape.planes)
                       : shared   ? kLowestBinOfGroupWeights
                                  : kLowestBinOfSignedProjections;
  if (a.rest.rest_samples != 0) {
    auto* normalisers = pieces.take<float>(all_rows(a.shape));
    stages.bins.normalisers = shared ? normalisers : nullptr;
    stages.bins.scores_stay = true;
    stages.rest = {.rest = a.rest,
                   .score = stages.score,
                   .bins = stages.bins,
                   .list = a.list,
                   .logit_scale = a.logit_scale,
                   .scored = stages.progress.scored};
    stages.rest.work = pieces.take<std::byte>(rest_work_bytes(stages.rest));
  }
  std::int64_t bytes = 0;
  const int code = skt_sparse_attention_workspace_bytes(&stages.attention, &bytes, error);
  if (code != SKT_OK) return code;
  stages.attention.workspace = pieces.take<std::byte>(bytes);
  stages.attention.workspace_bytes = bytes;
  stages.bytes = pieces.used();
  return SKT_OK;
}

// The code of the first stage that refuses its arguments.
int refused(const Stages& stages, skt_error* error) {
  int code = stages.append.any() ? check_build_index(stages.append.index, error) : SKT_OK;
  if (code == SKT_OK) code = check_soft_buckets(stages.buckets, error);
  if (code == SKT_OK) code = check_score_packed(stages.score, error);
  if (code == SKT_OK) code = check_select_keys(stages.select, error);
  if (code == SKT_OK) code = check_sparse_attention(stages.attention, error);
  if (code == SKT_OK) code = check_rest(stages.rest, stages.attention, error);
  return code;
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_decode_step_workspace_bytes(const skt_decode_step_args* args, std::int64_t* bytes, skt_error* error) {
  Validation check(error);
  validate_sizes(*args, check);
  if (check.failed()) return check.code();
  Stages stages;
  const int code = divide(*args, stages, error);
  if (code == SKT_OK) *bytes = stages.bytes;
  return code;
}

int skt_decode_step(const skt_decode_step_args* args, CUstream_st* stream, skt_error* error) {
  Validation check(error);
  validate_sizes(*args, check);
  if (args->paged.block_table == nullptr)
    check.in_range("paged_index, without a block_table,", args->paged_index, 0, 0);
  check.pointer("workspace", args->workspace, Pieces::kAlignment);
  validate_append(*args, check);
  check.optional_pointer("selected", args->selected);
  if (args->selected != nullptr) check.pointer("list_counts", args->list_counts, 4);
  if (check.failed()) return check.code();
  Stages stages;
  int code = divide(*args, stages, error);
  if (code != SKT_OK) return code;
  check.in_range("workspace_bytes", args->workspace_bytes, stages.bytes, INT64_MAX);
  if (check.failed()) return check.code();
  code = refused(stages, error);
  if (code != SKT_OK) return code;
  const bool all_whole = args->sequences.used <= args->sequences.dense_up_to && args->selected == nullptr;
  if (all_whole) {
    stages.rest.scored = nullptr;
    return launch_sparse_attention(stages.attention, {}, stages.rest, stages.append, Inputs::may_be_in_flight, stream,
                                   error);
  }
  // Keys in the window are listed whatever they score: so the index of new ones can wait for the last kernel. Other new keys
  // must be ranked, and those that a mask may bar need scores.
  BuildStage behind = {};
  if (args->list.window >= args->append.append_count && args->mask.allowed == nullptr) {
    std::swap(behind, stages.append);
    stages.rest.unscored = to_int(behind.index.written.count);
  } else if (stages.append.any()) {
    code = launch_build_index(stages.append, stream, error);
  }
  // The first kernel lets the next begin only when all before it is done: what Inputs names is settled.
  const RowProgress& progress = stages.progress;
  if (code == SKT_OK)
    code = launch_soft_buckets(stages.buckets, stages.bins.counts, stages.cleared_words, stages.rest, stream, error);
  if (code == SKT_OK) code = launch_score_packed(stages.score, stages.bins, progress, Inputs::settled, stream, error);
  if (code == SKT_OK) {
    code = launch_select_keys(stages.select, stages.bins, progress, stages.rest, Inputs::settled,
                              to_int(behind.index.written.count), stream, error);
  }
  if (code == SKT_OK) {
    code = launch_sparse_attention(stages.attention, progress, stages.rest, behind, Inputs::settled, stream, error);
  }
  return code;
}
