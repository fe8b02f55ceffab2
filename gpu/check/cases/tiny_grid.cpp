// Which cases does the tiny grid hold? Kernel templates at forty keys, but for most of one-head and signed scores; and of
// scores and steps what their contracts name, in keys that end behind full tiles.
#include "gpu/check/cases/grid.hpp"
#include "gpu/check/cases/quick_grid.hpp"

namespace skt::gpu {

std::vector<CheckCase> tiny_grid(std::uint64_t seed) {
  Grid grid(seed);
  grid.add(R"(
heads=2 keys=40 dim=32 tables=2 mask=random:
  operation=hash-keys|value-norms|soft-buckets type=*
  operation=sparse-attention type=* dim=32|64|128|256
  operation=sparse-attention cache=e4m3 dim=32|64|128|256
  operation=score-packed planes=4..16
  # Three stages of tables, the third in a slot that the first has left.
  operation=score-packed heads=1 tables=70 planes=5
  # An instance of the scores knows these tables and planes, and that there is no mask.
  operation,heads=score-packed,2|score-signed,2|score-packed,1 mask=none tables=60 planes=10
  operation=build-index mask=none planes=5 type=f16|bf16 dim=32|64|128|256
  operation=score-buckets|bad-codes|soft-buckets|published-list planes=5 profile=*
  # One block, and a cluster.
  operation=select-keys planes=5 inputs=ties keys=40|9000
  operation=decode-step|decode-signed|decode-lengths|select-shards|sharded-step planes=5
  operation=sharded-step heads=1 cache=e4m3 planes=5
  # An instance of the scores, of lengths and 10 planes.
  operation=decode-lengths mask=none planes=10 tables=30
  # Of three tiles, the first in common.
  operation=paged-writes|paged-index planes=5 batch=2 heads=1 keys=130 pages=hnd page_size=64
  operation=decode-rows planes=5 query_rows=2
  operation=append-step|append-lengths|rewritten-index planes=5 mask=none
  # One list for the heads of a kv head, sequences that are attended to whole, and keys that the step appends.
  operation=score-packed|score-signed|sparse-attention|decode-step|decode-signed|decode-lengths|sharded-step planes=5 \
    lists=kv-head
  operation=sparse-attention|decode-lengths planes=5 mask=none dense=20
  operation=append-step planes=5 mask=none append=1 window=0|1 dense=0|40
  # What the list leaves out; so many keys that all warps draw; all keys tie.
  operation=decode-rest planes=5 batch=2 kv_heads=1 sink=2 window=3 lists=head|kv-head inputs=gaussian|constant
  operation=decode-rest planes=5 heads=1 keys=9000 budget=300 sink=2 window=3
  operation=decode-rest planes=5 mask=none inputs=constant sink=2 window=3
)");
  add_contract_cases(grid);
  return grid.take();
}

}  // namespace skt::gpu
