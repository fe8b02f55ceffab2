#include "gpu/check/device/library.hpp"

namespace skt::gpu {

Library built_in_library() {
  Library own;
  own.hash_keys = &skt_hash_keys;
  own.value_norms = &skt_value_norms;
  own.pack_codes = &skt_pack_codes;
  own.build_index = &skt_build_index;
  own.soft_buckets = &skt_soft_buckets;
  own.score_buckets = &skt_score_buckets;
  own.score_packed = &skt_score_packed;
  own.select_keys = &skt_select_keys;
  own.published_list = &skt_published_list;
  own.sparse_attention_workspace_bytes = &skt_sparse_attention_workspace_bytes;
  own.sparse_attention = &skt_sparse_attention;
  own.decode_step_workspace_bytes = &skt_decode_step_workspace_bytes;
  own.decode_step = &skt_decode_step;
  return own;
}

}  // namespace skt::gpu
