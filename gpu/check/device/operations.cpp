#include "gpu/check/device/operations.hpp"

#include <algorithm>
#include <utility>

#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

// Calls one operation and waits for nothing.
template <class Arguments>
void call(int (*operation)(const Arguments*, cudaStream_t, skt_error*), const Arguments& arguments,
          cudaStream_t stream = nullptr) {
  skt_error error = {};
  require(operation(&arguments, stream, &error), error);
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
  args.rule = c.rule();
  return args;
}

// Codes of 16 planes, which skt_hash_keys does not give: it hashes them as twice the tables of 8, of which
// two by two are the halves of a code, first the most significant.
void hash_halves(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index) {
  const std::int64_t rows = c.batch * c.kv_heads * c.tables;
  const auto used = static_cast<std::size_t>(c.keys);
  const std::size_t used_bytes = used * sizeof(std::int16_t);
  const std::size_t row_bytes = static_cast<std::size_t>(c.capacity) * sizeof(std::int16_t);
  const auto height = static_cast<std::size_t>(rows);
  DeviceArray<std::int16_t> halves(2 * rows * c.capacity);
  call(library.hash_keys, {problem.keys.data(), problem.hyperplanes.data(), halves.data(), c.batch, c.kv_heads,
                           c.capacity, 0, c.keys, c.dim, 2 * c.tables, c.planes / 2, c.element_type()});
  std::vector<std::int16_t> of_keys(2 * height * used), codes(height * used);
  require(cudaMemcpy2D(of_keys.data(), used_bytes, halves.data(), row_bytes, used_bytes, 2 * height,
                       cudaMemcpyDeviceToHost),
          "halves of codes");
  for (std::size_t at = 0; at < codes.size(); ++at) {
    const std::size_t high = at / used * 2 * used + at % used;
    codes[at] = static_cast<std::int16_t>(of_keys[high] << c.planes / 2 | of_keys[high + used]);
  }
  require(
      cudaMemcpy2D(index.codes.data(), row_bytes, codes.data(), used_bytes, used_bytes, height, cudaMemcpyHostToDevice),
      "codes");
}

// The keys first .. first + count - 1 by the calls for codes, where it gives them, norms and packed codes.
void index_by_three_calls(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                          std::int64_t first, std::int64_t count, cudaStream_t stream = nullptr) {
  if (c.planes <= kMostInt16Planes) {
    call(library.hash_keys,
         {problem.keys.data(), problem.hyperplanes.data(), index.codes.data(), c.batch, c.kv_heads, c.capacity, first,
          count, c.dim, c.tables, c.planes, c.element_type()},
         stream);
  }
  call(library.value_norms,
       {problem.values.data(), index.norms.data(), c.batch, c.kv_heads, c.capacity, first, count, c.dim,
        c.element_type(), published_profile(c.profile).norm_form},
       stream);
  if (c.planes < 4) return;
  call(library.pack_codes,
       {index.codes.data(), index.packed.data(), c.batch, c.kv_heads, c.capacity, first, count, c.tables, c.planes},
       stream);
}

// Likewise by skt_build_index.
void index_by_one_call(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                       std::int64_t first, std::int64_t count, cudaStream_t stream = nullptr) {
  call(library.build_index,
       {problem.keys.data(), problem.hyperplanes.data(), index.packed.data(), problem.values.data(), index.norms.data(),
        c.batch, c.kv_heads, c.capacity, first, count, c.dim, c.tables, c.planes, c.element_type()},
       stream);
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

template <class Arguments>
void take_pages(Arguments& args, DevicePages* pages) {
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

PagedCache without_rows(PagedCache cache) {
  cache.keys.clear();
  cache.values.clear();
  return cache;
}

}  // namespace

DevicePages::DevicePages(const CheckCase& c, const PagedCache& cache)
    : shape(without_rows(cache)),
      keys(to_bytes(c.element_type(), cache.keys)),
      values(to_bytes(c.element_type(), cache.values)),
      table(cache.table) {}

DeviceProblem::DeviceProblem(const CheckCase& c, const Problem& problem)
    : queries(to_bytes(c.element_type(), problem.queries)),
      keys(to_bytes(c.element_type(), problem.keys)),
      values(to_bytes(c.element_type(), problem.values)),
      hyperplanes(problem.hyperplanes),
      corners(problem.corners),
      allowed(problem.allowed) {}

DeviceIndex::DeviceIndex(const CheckCase& c)
    : codes(c.batch * c.kv_heads * c.tables * c.capacity),
      packed(c.planes < 4 ? 0 : c.batch * c.kv_heads * c.capacity * words_per_key(c.tables, c.planes)),
      norms(c.batch * c.kv_heads * c.capacity) {}

void DeviceIndex::clear_last_tile(const CheckCase& c) {
  if (memory_of_checks == Memory::guarded) return;
  const std::int64_t words = words_per_key(c.tables, c.planes);
  const std::int64_t tile = c.keys / kTileKeys * kTileKeys;
  const std::int64_t in_tile = std::min(kTileKeys, c.capacity - tile);
  for (std::int64_t row = 0; row < c.batch * c.kv_heads; ++row) {
    require(cudaMemset(norms.data() + row * c.capacity + tile, 0, static_cast<std::size_t>(2 * in_tile)), "norms");
    if (packed.size() == 0) continue;
    require(
        cudaMemset(packed.data() + (row * c.capacity + tile) * words, 0, static_cast<std::size_t>(4 * in_tile * words)),
        "last tile");
  }
}

void DeviceIndex::build(const Library& library, const CheckCase& c, DeviceProblem& problem) {
  clear_last_tile(c);
  if (c.planes > kMostInt16Planes) hash_halves(library, c, problem, *this);
  const std::int64_t split = c.keys * 2 / 3;
  index_by_three_calls(library, c, problem, *this, 0, split);
  index_by_three_calls(library, c, problem, *this, split, c.keys - split);
}

void build_index(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index) {
  index.clear_last_tile(c);
  const std::int64_t split = c.keys * 2 / 3;
  const std::int64_t last = c.keys - 1;
  for (const auto& [first, end] : {std::pair{std::int64_t{0}, split}, {split, last}, {last, c.keys}}) {
    index_by_one_call(library, c, problem, index, first, std::max<std::int64_t>(end - first, 0));
  }
}

void append_last_key(const Library& library, const CheckCase& c, Appending by, DeviceProblem& problem,
                     DeviceIndex& index, cudaStream_t stream) {
  const auto append = by == Appending::build_index ? index_by_one_call : index_by_three_calls;
  append(library, c, problem, index, c.keys - 1, 1, stream);
}

std::vector<float> norms_to_host(const CheckCase& c, const DeviceArray<std::uint16_t>& norms) {
  const bool half = published_profile(c.profile).norm_type() == SKT_F16;
  std::vector<float> numbers;
  for (const std::uint16_t bits : norms.to_host()) {
    numbers.push_back(half ? half_from_bits(bits) : bfloat_from_bits(bits));
  }
  return numbers;
}

void soft_buckets(const Library& library, const CheckCase& c, DeviceProblem& problem, std::int32_t type, Bytes& out) {
  call(library.soft_buckets,
       {problem.queries.data(), problem.hyperplanes.data(), out.data(), c.batch, c.heads, c.dim, c.tables, c.planes,
        inverse_sqrt_dim(c), temperature_of(c), c.element_type(), SKT_BUCKETS, type, problem.corners_or_null()});
}

void half_tables(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceArray<float>& out) {
  const std::int32_t form = c.rule() == SKT_SIGNED_PROJECTION ? SKT_HALF_SUMS : SKT_HALF_TABLES;
  call(library.soft_buckets,
       {problem.queries.data(), problem.hyperplanes.data(), out.data(), c.batch, c.heads, c.dim, c.tables, c.planes,
        inverse_sqrt_dim(c), temperature_of(c), c.element_type(), form, SKT_F32, nullptr});
}

void score_buckets(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                   Bytes& probabilities, DeviceArray<float>& scores) {
  call(library.score_buckets, score_arguments(c, problem, index, probabilities, scores, nullptr));
}

int score_checked_buckets(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                          Bytes& probabilities, DeviceArray<float>& scores, DeviceArray<std::int64_t>& bad_codes,
                          skt_error& error) {
  const auto args = score_arguments(c, problem, index, probabilities, scores, bad_codes.data());
  const int code = library.score_buckets(&args, nullptr, &error);
  if (code != SKT_BAD_CODES) require(code, error);
  return code;
}

void score_packed(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                  DeviceArray<float>& half_tables, DeviceArray<float>& scores) {
  call(library.score_packed,
       {half_tables.data(), index.packed.data(), index.norms.data(), problem.mask(), scores.data(), c.batch, c.heads,
        c.kv_heads, c.capacity, c.keys, c.tables, c.planes, mask_per_head(c) ? 1 : 0, c.rule()});
}

void select_keys(const Library& library, const CheckCase& c, DeviceArray<float>& scores,
                 DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts) {
  call(library.select_keys, {scores.data(), selected.data(), counts.data(), c.batch * c.heads, c.capacity, c.keys,
                             c.budget, c.sink, c.window});
}

void published_list(const Library& library, const CheckCase& c, DeviceArray<std::int32_t>& best,
                    DeviceArray<std::int32_t>& counts, DeviceArray<std::int32_t>& selected,
                    DeviceArray<std::int32_t>& list_counts) {
  call(library.published_list, {best.data(), counts.data(), selected.data(), list_counts.data(), c.batch * c.heads,
                                c.keys, c.budget, c.sink, c.window});
}

skt_sparse_attention_args attention_arguments(const CheckCase& c) {
  skt_sparse_attention_args args = {};
  args.batch = c.batch;
  args.heads = c.heads;
  args.kv_heads = c.kv_heads;
  args.capacity = c.capacity;
  args.dim = c.dim;
  args.list = list_of(c);
  args.logit_scale = inverse_sqrt_dim(c);
  args.type = c.element_type();
  return args;
}

void sparse_attention(const Library& library, const CheckCase& c, DeviceProblem& problem,
                      DeviceArray<std::int32_t>& selected, DeviceArray<std::int32_t>& counts,
                      DeviceArray<float>& output, DeviceArray<float>& log_sum_exp, DevicePages* pages) {
  skt_sparse_attention_args args = attention_arguments(c);
  args.queries = problem.queries.data();
  args.keys = problem.keys.data();
  args.values = problem.values.data();
  args.selected = selected.data();
  args.counts = counts.data();
  args.output = output.data();
  args.log_sum_exp = log_sum_exp.data();
  take_pages(args, pages);
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
                                      DeviceArray<float>& output) {
  skt_decode_step_args args = decode_sizes(c);
  args.queries = problem.queries.data();
  args.keys = problem.keys.data();
  args.values = problem.values.data();
  args.hyperplanes = problem.hyperplanes.data();
  args.packed = index.packed.data();
  args.norms = index.norms.data();
  args.allowed = problem.mask();
  args.output = output.data();
  args.workspace = workspace.data();
  args.workspace_bytes = static_cast<std::int64_t>(workspace.bytes());
  return args;
}

void decode_step(const Library& library, const CheckCase& c, DeviceProblem& problem, DeviceIndex& index,
                 Bytes& workspace, DeviceArray<float>& output, cudaStream_t stream, DevicePages* pages) {
  skt_decode_step_args args = decode_arguments(c, problem, index, workspace, output);
  take_pages(args, pages);
  call(library.decode_step, args, stream);
}

}  // namespace skt::gpu
