// What half-tables and buckets refuse, and how they are launched. The kernel: gpu/scores/buckets_kernel.cuh.
#include "gpu/decode/decode_stages.hpp"
#include "gpu/functors/lengths.hpp"
#include "gpu/functors/shards.hpp"
#include "gpu/scores/buckets_kernel.cuh"

namespace skt::gpu {

int check_soft_buckets(const skt_soft_buckets_args& args, skt_error* error) {
  Validation check(error);
  check.query_heads(args.shape);
  check.vector_dim(args.shape.dim);
  check.hash(args.shape, 1, args.form == SKT_BUCKETS ? kMostPublishedPlanes : kMostPackedPlanes);
  check.positive("scale", args.scale);
  check.positive("temperature", args.temperature);
  check.type("query_type", args.query_type);
  check.in_range("form", args.form, SKT_BUCKETS, SKT_HALF_SUMS);
  check.in_range("probability_type", args.probability_type, SKT_F32, args.form == SKT_BUCKETS ? SKT_BF16 : SKT_F32);
  if (args.form != SKT_BUCKETS && args.corners != nullptr) {
    check.refuse(SKT_BAD_ARGUMENT, "corners without SKT_BUCKETS", 1, "NULL");
  }
  check.optional_pointer("corners", args.corners);
  check.pointer("queries", args.queries);
  check.pointer("hyperplanes", args.hyperplanes);
  check.pointer("probabilities", args.probabilities);
  check.optional_pointer("counts", args.counts);
  return check.code();
}

int launch_soft_buckets(const skt_soft_buckets_args& args, std::uint32_t* cleared, std::int64_t words,
                        const RestStage& rest, CUstream_st* stream, skt_error* error) {
  const std::int64_t rows = all_rows(args.shape);
  const BucketArguments kernel = {.queries = args.queries,
                                  .hyperplanes = args.hyperplanes,
                                  .probabilities = args.probabilities,
                                  .corners = args.corners,
                                  .rows = rows,
                                  .dim = args.shape.dim,
                                  .tables = args.shape.tables,
                                  .planes = args.shape.planes,
                                  .scale = args.scale,
                                  .temperature = args.temperature,
                                  .form = args.form,
                                  .probability_type = args.probability_type,
                                  .cleared = cleared,
                                  .cleared_words = words,
                                  .rest = rest_arguments(rest)};
  Launch shape;
  const std::int64_t shares = std::int64_t{kernel.rest.kv_rows} * kernel.rest.norm_shares;
  shape.grid =
      grid_of(args.shape.tables, ceil_div(rows, kBucketWarps) + ceil_div(shares, kBucketWarps * args.shape.tables));
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  shape.threads = 32 * kBucketWarps;
  return with_element(args.query_type, [&]<class Element>(const Element*) {
    return kernel.rest.samples() ? launch(soft_buckets_kernel<Element, true>, shape, stream, kernel, error)
                                 : launch(soft_buckets_kernel<Element, false>, shape, stream, kernel, error);
  });
}

}  // namespace skt::gpu

int skt_soft_buckets(const skt_soft_buckets_args* args, CUstream_st* stream, skt_error* error) {
  using namespace skt::gpu;
  if (const int code = check_soft_buckets(*args, error); code != SKT_OK) return code;
  const std::int64_t counts = args->counts == nullptr ? 0 : all_rows(args->shape) * kShardBins;
  return launch_soft_buckets(*args, reinterpret_cast<std::uint32_t*>(args->counts), counts, {}, stream, error);
}
