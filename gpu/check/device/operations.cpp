#include "gpu/check/device/operations.hpp"

#include "gpu/check/cases/published_profile.hpp"

namespace skt::gpu {
namespace {

std::int32_t cache_form(const CheckCase& c) {
  return c.has_e4m3_cache() ? SKT_CACHE_E4M3 : SKT_CACHE_OF_TYPE;
}

skt_decode_step_args decode_sizes(const CheckCase& c) {
  skt_decode_step_args args = {};
  args.allowed_per_head = mask_per_head(c) ? 1 : 0;
  args.batch = c.batch;
  args.heads = c.heads;
  args.kv_heads = c.kv_heads;
  args.capacity = c.capacity;
  args.used = c.keys;
  args.dim = c.dim;
  args.tables = c.tables;
  args.planes = c.planes;
  args.budget = c.budget;
  args.sink = c.sink;
  args.window = c.window;
  args.scale = inverse_sqrt_dim(c);
  args.temperature = temperature_of(c);
  args.logit_scale = inverse_sqrt_dim(c);
  args.type = c.element_type();
  args.cache_form = cache_form(c);
  args.rule = c.rule();
  args.query_rows = c.query_rows;
  return args;
}

skt_score_buckets_args score_arguments(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                                       Bytes& probabilities, DeviceArray<float>& scores, std::int64_t* bad_codes) {
  const PublishedProfile profile = published_profile(c.profile);
  return {probabilities.data(),
          index.codes.data(),
          index.norms.data(),
          problem.mask(),
          scores.data(),
          bad_codes,
          c.batch,
          c.heads,
          c.kv_heads,
          c.capacity,
          c.keys,
          c.tables,
          c.planes,
          mask_per_head(c) ? 1 : 0,
          profile.probability_type,
          profile.norm_type()};
}

// Keys and values with their scales, and their pages where there are some.
template <class Arguments>
void take_cache(Arguments& args, DeviceProblem& problem, DevicePages* pages) {
  args.keys = problem.keys_of_cache();
  args.values = problem.values_of_cache();
  if (problem.key_scales.size() != 0) args.key_scales = problem.key_scales.data();
  if (problem.value_scales.size() != 0) args.value_scales = problem.value_scales.data();
  if (pages == nullptr) return;
  args.keys = pages->keys.data();
  args.values = pages->values.data();
  args.block_table = pages->table.data();
  args.blocks = pages->shape.blocks;
  args.pages = pages->shape.pages;
  args.page_size = pages->shape.page_size;
  args.page_stride = pages->shape.page_stride;
  args.head_stride = pages->shape.head_stride;
  args.token_stride = pages->shape.token_stride;
}

}  // namespace

void soft_buckets(const Library& library, const CheckCase& c, DeviceProblem& problem, std::int32_t type, Bytes& out) {
  call(library.soft_buckets, {problem.queries.data(), problem.hyperplanes.data(), out.data(), c.batch, c.heads, c.dim,
                              c.tables, c.planes, inverse_sqrt_dim(c), temperature_of(c), c.element_type(), SKT_BUCKETS,
                              type, problem.corners_or_null(), nullptr});
}

void half_tables(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceArray<float>& out) {
  const std::int32_t form = c.rule() == SKT_SIGNED_PROJECTION ? SKT_HALF_SUMS : SKT_HALF_TABLES;
  call(library.soft_buckets,
       {problem.queries.data(), problem.hyperplanes.data(), out.data(), c.batch, c.heads, c.dim, c.tables, c.planes,
        inverse_sqrt_dim(c), temperature_of(c), c.element_type(), form, SKT_F32, nullptr, nullptr});
}

void score_buckets(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                   Bytes& probabilities, DeviceArray<float>& scores, cudaStream_t stream) {
  call(library.score_buckets, score_arguments(c, problem, index, probabilities, scores, nullptr), stream);
}

int score_checked_buckets(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                          Bytes& probabilities, DeviceArray<float>& scores, DeviceArray<std::int64_t>& bad_codes,
                          skt_error& error) {
  const auto args = score_arguments(c, problem, index, probabilities, scores, bad_codes.data());
  const int code = library.score_buckets(&args, nullptr, &error);
  if (code != SKT_BAD_CODES) require(code, error);
  return code;
}

skt_score_packed_args score_packed_arguments(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                                             DeviceArray<float>& half_tables, void* scores) {
  return {half_tables.data(),
          index.packed.data(),
          index.norms.data(),
          problem.mask(),
          scores,
          c.batch,
          c.heads,
          c.kv_heads,
          c.capacity,
          c.keys,
          c.tables,
          c.planes,
          mask_per_head(c) ? 1 : 0,
          c.rule(),
          nullptr,
          nullptr,
          0,
          0,
          0,
          c.query_rows,
          nullptr,
          0,
          0,
          0,
          0,
          SKT_F32};
}

void score_packed(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                  DeviceArray<float>& half_tables, DeviceArray<float>& scores, cudaStream_t stream) {
  call(library.score_packed, score_packed_arguments(c, problem, index, half_tables, scores.data()), stream);
}

void score_packed_in_bf16(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                          DeviceArray<float>& half_tables, Bytes& scores) {
  skt_score_packed_args args = score_packed_arguments(c, problem, index, half_tables, scores.data());
  args.score_type = SKT_BF16;
  scores.poison();
  call(library.score_packed, args);
}

skt_select_keys_args select_arguments(const CheckCase& c, const void* scores, DeviceArray<std::int32_t>& selected,
                                      DeviceArray<std::int32_t>& counts) {
  const std::int64_t of_length = c.query_rows > 1 ? c.heads : 0;
  return {scores, selected.data(), counts.data(), c.all_rows(), c.capacity, c.keys,       c.budget,
          c.sink, c.window,        nullptr,       of_length,    0,          c.query_rows, SKT_F32};
}

void select_keys(const Library& library, const CheckCase& c, DeviceArray<float>& scores,
                 DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts) {
  call(library.select_keys, select_arguments(c, scores.data(), selected, counts));
}

void published_list(const Library& library, const CheckCase& c, DeviceArray<std::int32_t>& best,
                    DeviceArray<std::int32_t>& counts, DeviceArray<std::int32_t>& selected,
                    DeviceArray<std::int32_t>& list_counts) {
  call(library.published_list,
       {best.data(), counts.data(), selected.data(), list_counts.data(), c.rows(), c.keys, c.budget, c.sink, c.window});
}

skt_sparse_attention_args attention_arguments(const CheckCase& c) {
  skt_sparse_attention_args args = {};
  args.batch = c.batch;
  args.heads = c.heads;
  args.kv_heads = c.kv_heads;
  args.capacity = c.capacity;
  args.dim = c.dim;
  args.list = c.list();
  args.logit_scale = inverse_sqrt_dim(c);
  args.type = c.element_type();
  args.cache_form = cache_form(c);
  args.query_rows = c.query_rows;
  return args;
}

void sparse_attention(const Library& library, const CheckCase& c, DeviceProblem& problem,
                      DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts,
                      DeviceArray<float>& output, DeviceArray<float>& log_sum_exp, DevicePages* pages) {
  skt_sparse_attention_args args = attention_arguments(c);
  args.queries = problem.queries.data();
  args.selected = selected.data();
  args.counts = counts.data();
  args.output = output.data();
  args.log_sum_exp = log_sum_exp.data();
  take_cache(args, problem, pages);
  skt_error error = {};
  require(library.sparse_attention_workspace_bytes(&args, &args.workspace_bytes, &error), error);
  Bytes workspace(args.workspace_bytes);
  args.workspace = workspace.data();
  call(library.sparse_attention, args);
  require(cudaDeviceSynchronize(), "sparse attention");  // before its workspace goes
}

std::int64_t decode_step_workspace(const Library& library, const CheckCase& c) {
  const skt_decode_step_args args = decode_sizes(c);
  std::int64_t bytes = 0;
  skt_error error = {};
  require(library.decode_step_workspace_bytes(&args, &bytes, &error), error);
  return bytes;
}

skt_decode_step_args decode_arguments(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index, Bytes& workspace,
                                      DeviceArray<float>& output, DevicePages* pages) {
  skt_decode_step_args args = decode_sizes(c);
  args.queries = problem.queries.data();
  args.hyperplanes = problem.hyperplanes.data();
  args.packed = index.packed.data();
  args.norms = index.norms.data();
  args.allowed = problem.mask();
  args.output = output.data();
  args.workspace = workspace.data();
  args.workspace_bytes = workspace.size();
  take_cache(args, problem, pages);
  return args;
}

void decode_step(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                 Bytes& workspace, DeviceArray<float>& output, cudaStream_t stream, DevicePages* pages) {
  call(library.decode_step, decode_arguments(c, problem, index, workspace, output, pages), stream);
}

}  // namespace skt::gpu
