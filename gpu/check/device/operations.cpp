#include "gpu/check/device/operations.hpp"

#include "gpu/check/cases/published_profile.hpp"

namespace skt::gpu {
namespace {

skt_mask mask_of(const CheckCase& c, DeviceProblem& problem) {
  return {.allowed = problem.mask(), .allowed_per_head = mask_per_head(c) ? 1 : 0};
}

// Keys and values with their scales, in pages where there are some.
skt_cache cache_of(const CheckCase& c, DeviceProblem& problem, DevicePages* pages) {
  const auto scales = [](DeviceArray<float>& of_heads) { return of_heads.size() != 0 ? of_heads.data() : nullptr; };
  return {.keys = pages == nullptr ? problem.keys_of_cache() : pages->keys.data(),
          .values = pages == nullptr ? problem.values_of_cache() : pages->values.data(),
          .cache_form = c.has_e4m3_cache() ? SKT_CACHE_E4M3 : SKT_CACHE_OF_TYPE,
          .key_scales = scales(problem.key_scales),
          .value_scales = scales(problem.value_scales)};
}

skt_pages pages_or_none(const DevicePages* pages) {
  return pages == nullptr ? skt_pages{} : pages_of(pages->shape, pages->table);
}

skt_sequences sequences_of(const CheckCase& c) {
  return {.used = c.keys, .dense_up_to = c.dense};
}

std::int32_t lists_of(const CheckCase& c) {
  return static_cast<std::int32_t>(c.lists);
}

skt_decode_step_args decode_sizes(const CheckCase& c) {
  return {.shape = shape_of(c),
          .sequences = sequences_of(c),
          .list = list_of(c),
          .scale = inverse_sqrt_dim(c),
          .temperature = temperature_of(c),
          .logit_scale = inverse_sqrt_dim(c),
          .type = c.element_type(),
          .rule = c.rule(),
          .lists = lists_of(c)};
}

skt_score_buckets_args score_arguments(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                                       Bytes& probabilities, DeviceArray<float>& scores, std::int64_t* bad_codes) {
  const PublishedProfile profile = published_profile(c.profile);
  return {.probabilities = probabilities.data(),
          .codes = index.codes.data(),
          .norms = index.norms.data(),
          .scores = scores.data(),
          .bad_codes = bad_codes,
          .shape = shape_of(c),
          .used = c.keys,
          .mask = mask_of(c, problem),
          .probability_type = profile.probability_type,
          .norm_type = profile.norm_type()};
}

}  // namespace

skt_soft_buckets_args half_table_arguments(const CheckCase& c, DeviceProblem& problem, DeviceArray<float>& out) {
  return {.queries = problem.queries.data(),
          .hyperplanes = problem.hyperplanes.data(),
          .probabilities = out.data(),
          .shape = shape_of(c),
          .scale = inverse_sqrt_dim(c),
          .temperature = temperature_of(c),
          .query_type = c.element_type(),
          .form = c.rule() == SKT_SIGNED_PROJECTION ? SKT_HALF_SUMS : SKT_HALF_TABLES};
}

void soft_buckets(const Library& library, const CheckCase& c, DeviceProblem& problem, std::int32_t type, Bytes& out) {
  call(library.soft_buckets, {.queries = problem.queries.data(),
                              .hyperplanes = problem.hyperplanes.data(),
                              .probabilities = out.data(),
                              .corners = problem.corners_or_null(),
                              .shape = shape_of(c),
                              .scale = inverse_sqrt_dim(c),
                              .temperature = temperature_of(c),
                              .query_type = c.element_type(),
                              .form = SKT_BUCKETS,
                              .probability_type = type});
}

void half_tables(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceArray<float>& out) {
  call(library.soft_buckets, half_table_arguments(c, problem, out));
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
  return {.half_tables = half_tables.data(),
          .packed = index.packed.data(),
          .norms = index.norms.data(),
          .scores = scores,
          .shape = shape_of(c),
          .sequences = sequences_of(c),
          .mask = mask_of(c, problem),
          .rule = c.rule(),
          .lists = lists_of(c),
          .weight_scale = weight_scale_of(c),
          .work = problem.work.data()};
}

void score_packed(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                  DeviceArray<float>& half_tables, DeviceArray<float>& scores, cudaStream_t stream) {
  call(library.score_packed, score_packed_arguments(c, problem, index, half_tables, scores.data()), stream);
}

skt_select_keys_args select_arguments(const CheckCase& c, const void* scores, DeviceArray<std::int32_t>& selected,
                                      DeviceArray<std::int32_t>& counts) {
  return {.scores = scores,
          .selected = selected.data(),
          .counts = counts.data(),
          .shape = shape_of_lists(c),
          .sequences = sequences_of(c),
          .list = list_of(c)};
}

void select_keys(const Library& library, const CheckCase& c, DeviceArray<float>& scores,
                 DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts) {
  call(library.select_keys, select_arguments(c, scores.data(), selected, counts));
}

void published_list(const Library& library, const CheckCase& c, DeviceArray<std::int32_t>& best,
                    DeviceArray<std::int32_t>& counts, DeviceArray<std::int32_t>& selected,
                    DeviceArray<std::int32_t>& list_counts) {
  call(library.published_list, {.best = best.data(),
                                .counts = counts.data(),
                                .selected = selected.data(),
                                .list_counts = list_counts.data(),
                                .shape = shape_of(c),
                                .used = c.keys,
                                .list = list_of(c)});
}

skt_sparse_attention_args attention_sizes(const CheckCase& c) {
  return {.shape = shape_of(c),
          .list = c.list(),
          .logit_scale = inverse_sqrt_dim(c),
          .type = c.element_type(),
          .lists = lists_of(c),
          .sequences = sequences_of(c)};
}

skt_sparse_attention_args attention_arguments(const CheckCase& c, DeviceProblem& problem,
                                              DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts,
                                              DevicePages* pages) {
  skt_sparse_attention_args args = attention_sizes(c);
  args.queries = problem.queries.data();
  args.cache = cache_of(c, problem, pages);
  args.paged = pages_or_none(pages);
  args.selected = selected.data();
  args.counts = counts.data();
  return args;
}

void sparse_attention(const Library& library, const CheckCase& c, DeviceProblem& problem,
                      DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts,
                      DeviceArray<float>& output, DeviceArray<float>& log_sum_exp, DevicePages* pages,
                      const std::int32_t* lengths) {
  skt_sparse_attention_args args = attention_arguments(c, problem, selected, counts, pages);
  args.sequences.lengths = lengths;
  args.output = output.data();
  args.log_sum_exp = log_sum_exp.data();
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
  args.cache = cache_of(c, problem, pages);
  args.hyperplanes = problem.hyperplanes.data();
  args.packed = index.packed.data();
  args.norms = index.norms.data();
  args.output = output.data();
  args.workspace = workspace.data();
  args.workspace_bytes = workspace.size();
  args.mask = mask_of(c, problem);
  args.paged = pages_or_none(pages);
  return args;
}

void decode_step(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                 Bytes& workspace, DeviceArray<float>& output, cudaStream_t stream, DevicePages* pages) {
  call(library.decode_step, decode_arguments(c, problem, index, workspace, output, pages), stream);
}

}  // namespace skt::gpu
