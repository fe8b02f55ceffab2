// The decode step as its stages one after the other, each this library's own or, where it has none, the right one; see
// planted.hpp. The project's own step launches its kernels without passing through the interface, so that without this
// one a fault in a stage would stand beside a step that does not have it.
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/lengths.hpp"
#include "gpu/planted/planted.hpp"

namespace skt::gpu {
namespace {

// A piece of the workspace. refuse_workspace says whether all of them fit.
template <class T>
T* take(char*& begin, std::int64_t count) {
  auto* piece = reinterpret_cast<T*>(begin);
  begin += ceil_div(count * std::int64_t{sizeof(T)}, 256) * 256;
  return piece;
}

// The workspace is as large as the right step asks for. Scores that are bf16 numbers have 2 bytes there (step_score_type),
// and of long rows 4 would not fit.
std::int32_t score_type_of(const skt_decode_step_args& a) {
  return a.rule == SKT_SIGNED_PROJECTION && a.shape.heads > a.shape.kv_heads ? SKT_BF16 : SKT_F32;
}

int refuse_workspace(const skt_decode_step_args& a, std::int64_t needed, skt_error* error) {
  if (needed <= a.workspace_bytes) return SKT_OK;
  if (error != nullptr) {
    std::snprintf(error->message, sizeof error->message, "planted step: %lld bytes of workspace, %lld needed",
                  static_cast<long long>(a.workspace_bytes), static_cast<long long>(needed));
  }
  return SKT_BAD_ARGUMENT;
}

}  // namespace
}  // namespace skt::gpu

using namespace skt::gpu;

int skt_decode_step(const skt_decode_step_args* args, CUstream_st* stream, skt_error* error) {
  int code = right<decltype(skt_decode_step)>("skt_decode_step")(args, stream, error);
  if (code != SKT_OK) return code;
  const skt_decode_step_args& a = *args;
  const std::int64_t rows = all_rows(a.shape);
  const std::int64_t list = length_of_list(a.list);
  auto* begin = static_cast<char*>(a.workspace);
  auto* tables = take<float>(begin, rows * a.shape.tables * half_table_entries(to_int(a.shape.planes)));
  const std::int32_t score_type = score_type_of(a);
  auto* scores = take<std::byte>(begin, rows * a.shape.capacity * (score_type == SKT_BF16 ? 2 : 4));
  auto* selected = take<std::int32_t>(begin, rows * list);
  auto* counts = take<std::int32_t>(begin, rows);
  const skt_soft_buckets_args buckets = {.queries = a.queries,
                                         .hyperplanes = a.hyperplanes,
                                         .probabilities = tables,
                                         .shape = a.shape,
                                         .scale = a.scale,
                                         .temperature = a.temperature,
                                         .query_type = a.type,
                                         .form = a.rule == SKT_SIGNED_PROJECTION ? SKT_HALF_SUMS : SKT_HALF_TABLES};
  const skt_score_packed_args score = {.half_tables = tables,
                                       .packed = a.packed,
                                       .norms = a.norms,
                                       .scores = scores,
                                       .shape = a.shape,
                                       .sequences = a.sequences,
                                       .mask = a.mask,
                                       .paged = a.paged_index != 0 ? a.paged : skt_pages{},
                                       .rule = a.rule,
                                       .score_type = score_type};
  const skt_select_keys_args select = {.scores = scores,
                                       .selected = selected,
                                       .counts = counts,
                                       .shape = a.shape,
                                       .sequences = a.sequences,
                                       .list = a.list,
                                       .score_type = score_type};
  skt_sparse_attention_args attention = {.queries = a.queries,
                                         .cache = a.cache,
                                         .selected = selected,
                                         .counts = counts,
                                         .output = a.output,
                                         .log_sum_exp = a.log_sum_exp,
                                         .workspace = begin,
                                         .shape = a.shape,
                                         .paged = a.paged,
                                         .list = list,
                                         .logit_scale = a.logit_scale,
                                         .type = a.type};
  code = skt_sparse_attention_workspace_bytes(&attention, &attention.workspace_bytes, error);
  const std::int64_t pieces = begin - static_cast<char*>(a.workspace);
  if (code == SKT_OK) code = refuse_workspace(a, pieces + attention.workspace_bytes, error);
  if (code == SKT_OK) code = skt_soft_buckets(&buckets, stream, error);
  if (code == SKT_OK) code = skt_score_packed(&score, stream, error);
  if (code == SKT_OK) code = skt_select_keys(&select, stream, error);
  if (code == SKT_OK) code = skt_sparse_attention(&attention, stream, error);
  return code;
}
