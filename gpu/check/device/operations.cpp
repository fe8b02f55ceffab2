#include "gpu/check/device/operations.hpp"

#include "gpu/check/cases/published_profile.hpp"
#include "gpu/functors/half_table.hpp"

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

skt_sequences sequences_of(const CheckCase& c, const Given& given = {}) {
  return {.used = c.keys, .lengths = given.lengths, .dense_up_to = c.dense};
}

// Codes, norms and mask of an index in pages.
template <class Arguments>
void take_paged_index(const Given& given, Arguments& args) {
  if (given.index == nullptr) return;
  args.packed = given.index->packed.data();
  args.norms = given.index->norms.data();
  args.mask.allowed = given.index->mask();
  args.paged = pages_of(given.pages->shape, given.table == nullptr ? given.pages->table : *given.table);
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

}  // namespace

Stages::Stages(const CheckCase& c)
    : halves(half_table_floats(c)),
      scores(c.all_list_rows() * c.capacity),
      selected(c.all_list_rows() * c.list()),
      counts(c.all_list_rows()),
      output(c.all_rows() * c.dim),
      log_sum_exp(c.all_rows()) {}

void run_stages(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                const Given& given, Stages& out) {
  half_tables(library, c, problem, out.halves);
  out.scores.poison();
  call(library.score_packed, score_packed_arguments(c, problem, index, out.halves, out.scores.data(), given));
  call(library.select_keys, select_arguments(c, out.scores.data(), out.selected, out.counts, given));
  sparse_attention(library, c, problem, out.selected, out.counts, out.output, out.log_sum_exp, given);
}

std::int64_t half_table_floats(const CheckCase& c) {
  return c.all_rows() * c.tables * half_table_entries(c.code_bits());
}

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

skt_score_buckets_args score_buckets_arguments(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                                               Bytes& probabilities, DeviceArray<float>& scores) {
  const PublishedProfile profile = published_profile(c.profile);
  return {.probabilities = probabilities.data(),
          .codes = index.codes.data(),
          .norms = index.norms.data(),
          .scores = scores.data(),
          .shape = shape_of(c),
          .used = c.keys,
          .mask = mask_of(c, problem),
          .probability_type = profile.probability_type,
          .norm_type = profile.norm_type()};
}

skt_score_packed_args score_packed_arguments(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                                             DeviceArray<float>& half_tables, void* scores, const Given& given) {
  skt_score_packed_args args = {.half_tables = half_tables.data(),
                                .packed = index.packed.data(),
                                .norms = index.norms.data(),
                                .scores = scores,
                                .shape = shape_of(c),
                                .sequences = sequences_of(c, given),
                                .mask = mask_of(c, problem),
                                .rule = c.rule(),
                                .lists = lists_of(c),
                                .weight_scale = weight_scale_of(c),
                                .log_sums = given.log_sums,
                                .work = problem.work.data()};
  take_paged_index(given, args);
  return args;
}

skt_select_keys_args select_arguments(const CheckCase& c, const void* scores, DeviceArray<std::int32_t>& selected,
                                      DeviceArray<std::int32_t>& counts, const Given& given) {
  skt_select_keys_args args = {.scores = scores,
                               .selected = selected.data(),
                               .counts = counts.data(),
                               .shape = shape_of_lists(c),
                               .sequences = sequences_of(c, given),
                               .list = list_of(c)};
  args.list.sparsity = given.sparsity;
  return args;
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

std::int64_t attention_workspace(const Library& library, const skt_sparse_attention_args& args) {
  std::int64_t bytes = 0;
  skt_error error = {};
  require(library.sparse_attention_workspace_bytes(&args, &bytes, &error), error);
  return bytes;
}

skt_sparse_attention_args attention_arguments(const CheckCase& c, DeviceProblem& problem,
                                              DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts,
                                              const Given& given) {
  skt_sparse_attention_args args = attention_sizes(c);
  args.queries = problem.queries.data();
  args.cache = cache_of(c, problem, given.pages);
  if (given.pages != nullptr) args.paged = pages_of(given.pages->shape, given.pages->table);
  args.selected = selected.data();
  args.counts = counts.data();
  args.sequences.lengths = given.lengths;
  return args;
}

void sparse_attention(const Library& library, const CheckCase& c, DeviceProblem& problem,
                      DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts,
                      DeviceArray<float>& output, DeviceArray<float>& log_sum_exp, const Given& given) {
  skt_sparse_attention_args args = attention_arguments(c, problem, selected, counts, given);
  args.output = output.data();
  args.log_sum_exp = log_sum_exp.data();
  args.workspace_bytes = attention_workspace(library, args);
  Bytes workspace(args.workspace_bytes);
  args.workspace = workspace.data();
  call(library.sparse_attention, args);
  require(cudaDeviceSynchronize(), "sparse attention");  // before its workspace goes
}

std::int64_t decode_step_workspace(const Library& library, const CheckCase& c, std::int64_t rest_samples) {
  skt_decode_step_args args = decode_sizes(c);
  args.rest.rest_samples = rest_samples;
  std::int64_t bytes = 0;
  skt_error error = {};
  require(library.decode_step_workspace_bytes(&args, &bytes, &error), error);
  return bytes;
}

skt_decode_step_args decode_arguments(const CheckCase& c, DeviceProblem& problem, DeviceIndex& index, Bytes& workspace,
                                      DeviceArray<float>& output, const Given& given) {
  skt_decode_step_args args = decode_sizes(c);
  args.queries = problem.queries.data();
  args.cache = cache_of(c, problem, given.pages);
  args.hyperplanes = problem.hyperplanes.data();
  args.packed = index.packed.data();
  args.norms = index.norms.data();
  args.output = output.data();
  args.workspace = workspace.data();
  args.workspace_bytes = workspace.size();
  args.mask = mask_of(c, problem);
  if (given.pages != nullptr) args.paged = pages_of(given.pages->shape, given.pages->table);
  args.sequences.lengths = given.lengths;
  args.list.sparsity = given.sparsity;
  args.log_sums = given.log_sums;
  args.paged_index = given.index == nullptr ? 0 : 1;
  take_paged_index(given, args);
  return args;
}

}  // namespace skt::gpu
