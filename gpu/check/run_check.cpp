#include "gpu/check/run_check.hpp"

#include <stdexcept>

namespace skt::gpu {

Comparison run_check(const Library& library, const CheckCase& c) {
  if (c.operation == "hash-keys") return check_hash_keys(library, c);
  if (c.operation == "build-index") return check_build_index(library, c);
  if (c.operation == "value-norms") return check_value_norms(library, c);
  if (c.operation == "soft-buckets") return check_soft_buckets(library, c);
  if (c.operation == "score-buckets" || c.operation == "score-packed") return check_scores(library, c);
  if (c.operation == "score-signed") return check_signed_scores(library, c);
  if (c.operation == "bad-codes") return check_bad_codes(library, c);
  if (c.operation == "select-keys") return check_select_keys(library, c);
  if (c.operation == "published-list") return check_published_list(library, c);
  if (c.operation == "sparse-attention") return check_sparse_attention(library, c);
  if (c.operation == "decode-step" || c.operation == "decode-signed") return check_decode_step(library, c);
  if (c.operation == "append-step") return check_append_step(library, c);
  if (c.operation == "pipeline") return check_pipeline(library, c);
  if (c.operation == "refusals") return check_refusals(library, c);
  if (c.operation == "far-addresses") return check_far_addresses(library, c);
  if (c.operation == "far-packed") return check_far_packed(library, c);
  if (c.operation == "far-attention") return check_far_attention(library, c);
  if (c.operation == "far-index") return check_far_index(library, c);
  throw std::logic_error("no check for operation " + c.operation);
}

}  // namespace skt::gpu
