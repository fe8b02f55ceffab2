// What half-tables and buckets refuse, and how they are launched. The kernel: gpu/scores/buckets_kernel.cuh.
#include "gpu/decode/decode_stages.hpp"
#include "gpu/functors/shards.hpp"
#include "gpu/scores/buckets_kernel.cuh"

namespace skt::gpu {
namespace {

Validation validate(const skt_soft_buckets_args& args, skt_error* error) {
  Validation check(error);
  check.heads(args.batch, args.heads, 1);
  check.vector_dim(args.dim);
  check.hash(args.tables, args.planes, 1, args.form == SKT_BUCKETS ? kMostPublishedPlanes : kMostPackedPlanes);
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
  return check;
}

}  // namespace

int check_soft_buckets(const skt_soft_buckets_args& args, skt_error* error) {
  return validate(args, error).code();
}

int launch_soft_buckets(const skt_soft_buckets_args& args, std::uint32_t* cleared, std::int64_t words,
                        CUstream_st* stream, skt_error* error) {
  const Validation check = validate(args, error);
  if (check.failed()) return check.code();
  Launch shape;
  shape.grid = grid_of(args.tables, ceil_div(args.batch * args.heads, kBucketWarps));
  shape.carveout = cudaSharedmemCarveoutMaxShared;
  shape.threads = 32 * kBucketWarps;
  return with_element(args.query_type, [&]<class Element>(const Element*) {
    return launch(soft_buckets_kernel<Element>, shape, stream, {args, cleared, words}, error);
  });
}

}  // namespace skt::gpu

int skt_soft_buckets(const skt_soft_buckets_args* args, CUstream_st* stream, skt_error* error) {
  using namespace skt::gpu;
  const std::int64_t counts = args->counts == nullptr ? 0 : args->batch * args->heads * kShardBins;
  return launch_soft_buckets(*args, reinterpret_cast<std::uint32_t*>(args->counts), counts, stream, error);
}
