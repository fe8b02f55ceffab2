#include "gpu/check/run_check.hpp"

#include <stdexcept>

namespace skt::gpu {

Comparison run_check(const CheckCase& c) {
  if (c.operation == "hash-keys") return check_hash_keys(c);
  if (c.operation == "build-index") return check_build_index(c);
  if (c.operation == "value-norms") return check_value_norms(c);
  if (c.operation == "soft-buckets") return check_soft_buckets(c);
  if (c.operation == "score-buckets" || c.operation == "score-packed") return check_scores(c);
  if (c.operation == "select-keys") return check_select_keys(c);
  if (c.operation == "sparse-attention") return check_sparse_attention(c);
  if (c.operation == "decode-step") return check_decode_step(c);
  throw std::logic_error("no check for operation " + c.operation);
}

}  // namespace skt::gpu
