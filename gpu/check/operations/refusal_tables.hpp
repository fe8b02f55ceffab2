// What must each function of the C interface refuse, and what take? A table each, which refusals.cpp reads.
#pragma once

#include <string>

namespace skt::gpu {

// The table of a function: the good arguments, then a line for each change of them.
//
//   name=value name=value ..   the change; `*` is an array of its own, `@2` one 2 bytes behind a multiple of 16. Alone in
//                              a line, before two dots, it is made before those of the lines below, up to the next such
//                              line
//   change => ok               accepted; of `good`, what that line says
//   change => line             refused by this line; by one that begins so, if it ends in `..`
//   name=value|value: allowed  for each value, refused by "name is value: allowed is allowed"
//   name name: pointer 16      refused where it is missing, and where it does not begin at a multiple of 16 bytes
//   name name: optional 4      refused in the second case alone

// What builds an index, and appends no key to one kv head of 256: a place, or lengths in the place of the first key.
inline const std::string kPlaces = R"(
count=257: 0 to 256
first=-1: 0 to 256
first=7 => ok
lengths=* => ok
lengths: optional 4
lengths=* first=7 => first, beside lengths, is 7: allowed is 0
)";

// An index of 256 keys of two kv heads. Without a table nobody looks at the size of its pages.
inline const std::string kPages = R"(
page_size=32 => ok
block_table=@2 => block_table, modulo 4, is 2: allowed is 0
block_table=* blocks=2 pages=3 page_size=128 ..
good => ok
page_size=65536 => ok
blocks=4 page_size=64 => ok
page_size=32 => page_size of a paged index is 32: allowed is a power of two, 64 to 65536
page_size=96 => page_size of a paged index is 96: allowed is a power of two, 64 to 65536
page_size=131072 => page_size of a paged index is 131072: allowed is a power of two, 64 to 65536
blocks=1: 2 to 2147483647
pages=0: 1 to 2147483647
pages=536870912 => tiles of all pages is 2147483648: allowed is 0 to 2147483647
)";

// Its keys and values in those pages: the last row is 2 pages on, and 128 + 127 rows in that one.
inline const std::string kStrides = R"(
block_table=* blocks=2 pages=3 page_size=128 page_stride=256 head_stride=128 token_stride=1 ..
good => ok
head_stride=0: 1 to 2147483647
token_stride=0: 1 to 2147483647
page_stride=1073741824 => last row of all pages is 2147483903: allowed is 0 to 2147483647
)";

inline const std::string kScales = R"(
cache_form=2: 0 to 1
key_scales=* => cache_form, beside scales, is 0: allowed is 1, SKT_CACHE_E4M3
value_scales=* => cache_form, beside scales, is 0: allowed is 1, SKT_CACHE_E4M3
key_scales value_scales: optional 4
)";

// What counting and selecting of a rank have in common: 6 rows of 100 own keys, from key 300 of 1000 on.
inline const std::string kShard =
    "scores=* counts=* last_counts=* marks=* batch=3 heads=2 capacity=128 keys=100 first=300 used=1000 budget=10 ";
inline const std::string kShards = R"(
scores counts last_counts marks: pointer 16
lengths: optional 4
heads=0: 1 to 65535
query_rows=2: 0 to 1
keys=129: 0 to 128
first=-1|2147483548: 0 to 2147483547
used=-1|2147483648: 0 to 2147483647
dense_up_to=1: 0 to 0
budget=-1: 0 to 2147483647
sparsity=-1: 0 to 2147483647
budget=0 => sink + budget + window is 0: allowed is 1 to 2147483647
)";

inline const std::string kHashKeys = R"(
keys=* hyperplanes=* codes=* batch=1 kv_heads=2 capacity=256 dim=64 tables=4 planes=8
keys hyperplanes codes: pointer 16
planes=0|16: 1 to 15
tables=0: 1 to 4096
dim=65: a multiple of 8
key_type=3: 0 to 2
)" + kPlaces;

inline const std::string kValueNorms = R"(
values=* norms=* batch=1 kv_heads=2 capacity=256 dim=64
values norms: pointer 16
value_type=-1|3: 0 to 2
form=3: 0 to 2
dim=264: 16 to 256
)" + kPlaces + kPages + kStrides;

inline const std::string kPackCodes = R"(
codes=* packed=* batch=1 kv_heads=2 capacity=256 tables=4 planes=8
codes packed: pointer 16
planes=3|17: 4 to 16
capacity=200: a multiple of 64
)" + kPlaces + kPages;

inline const std::string kBuildIndex = R"(
keys=* hyperplanes=* packed=* values=* norms=* batch=1 kv_heads=2 capacity=256 dim=64 tables=4 planes=8 type=2
keys hyperplanes packed values norms: pointer 16
values=null norms=null => ok
planes=17: 4 to 16
dim=48|96: 32, 64, 128 or 256
type=0: 1 to 2
)" + kPlaces + kPages + kStrides;

inline const std::string kSoftBuckets = R"(
queries=* hyperplanes=* probabilities=* batch=1 heads=4 dim=64 tables=4 planes=8 scale=0.125 temperature=0.5
queries hyperplanes probabilities: pointer 16
corners counts: optional 16
planes=16: 1 to 15
temperature=0|nan: a finite number above 0
form=3: 0 to 2
probability_type=3: 0 to 2
form=1 probability_type=1 => probability_type is 1: allowed is 0 to 0
form=1 planes=17 => planes is 17: allowed is 1 to 16
)";

inline const std::string kScoreBuckets = R"(
probabilities=* codes=* norms=* scores=* batch=1 heads=4 kv_heads=2 capacity=256 tables=4 planes=8 norm_type=1
probabilities codes norms scores: pointer 16
allowed: optional 16
bad_codes: optional 8
planes=16: 1 to 15
heads=5: a multiple of kv_heads
used=257: 0 to 256
norm_type=0: 1 to 2
)";

// Rule 1 is SKT_SIGNED_PROJECTION, and type 2 SKT_BF16. Without counts nobody asks for a place among all ranks.
inline const std::string kScorePacked = R"(
half_tables=* packed=* norms=* scores=* work=* batch=1 heads=8 kv_heads=2 capacity=256 tables=60 planes=10
half_tables packed norms scores: pointer 16
allowed: optional 16
lengths: optional 4
counts: optional 16
planes=3|17: 4 to 16
tables=5000: 1 to 4096
capacity=200: a multiple of 64
heads=9: a multiple of kv_heads
used=257: 0 to 256
query_rows=-1|9: 0 to 8
batch=4096 query_rows=2 => batch * query_rows * heads is 65536: allowed is 1 to 65535
score_type=1: 0 (SKT_F32) or 2 (SKT_BF16)
score_type=2 => score_type, but by the signed rule of heads that share a kv head, is 2: allowed is 0 (SKT_F32)
score_type=2 rule=1 => ok
rule=1 work=null => work is 0: allowed is a device pointer
rule=1 work=@2 => work, modulo 16, is 2: allowed is 0
work=null => ok
rule=1 kv_heads=8 work=null => ok
score_type=2 rule=1 kv_heads=8 => score_type, but by the signed rule of heads that share a kv head, is 2: allowed is ..
score_type=2 rule=1 counts=* => score_type of scores that are counted is 2: allowed is 0 (SKT_F32)
counts=* query_rows=2 => query_rows of scores that are counted is 2: allowed is 0 to 1
lists=-1|2: 0 to 1
lists=1 => ok
lists=1 heads=18 => heads to a kv head that share a list is 9: allowed is 1 to 8
lists=1 heads=10 => lists of kv heads by the soft rule, of heads is 5: allowed is 2 to 4 whose half-tables take at most 64 KB
lists=1 tables=200 => lists of kv heads by the soft rule, of heads is 4: allowed is 2 to 4 whose half-tables take at most 64 KB
lists=1 allowed=* allowed_per_head=1 => allowed_per_head, beside lists of kv heads, is 1: allowed is 0 to 0
lists=1 rule=1 => weight_scale is 0: allowed is a finite number above 0
lists=1 rule=1 weight_scale=1 => ok
lists=1 rule=1 weight_scale=1 log_sums=@2 => log_sums, modulo 4, is 2: allowed is 0
lists=1 rule=1 weight_scale=1 counts=* => log_sums, beside counts, is 0: allowed is a device pointer
lists=1 rule=1 weight_scale=1 counts=* log_sums=* => ok
dense_up_to=-1|1073741825: 0 to 1073741824
dense_up_to=5 allowed=* => dense_up_to, beside a mask, is 5: allowed is 0 to 0
dense_up_to=5 counts=* => dense_up_to, beside counts, is 5: allowed is 0 to 0
first=-1 => ok
)" + kPages + R"(
counts=* block_table=null ..
first=-1: 0 to 2147483647
whole=-1|2147483648: 0 to 2147483647
sink=-1: 0 to 2147483647
window=-1: 0 to 2147483647
)";

inline const std::string kSelectKeys = R"(
scores=* selected=* counts=* batch=3 heads=4 capacity=256 used=200 budget=20 sink=4 window=4
scores selected: pointer 16
counts: pointer 4
lengths: optional 4
budget=-1: 0 to 2147483647
used=257: 0 to 256
heads=0: 1 to 65535
heads=21846 => batch * query_rows * heads is 65538: allowed is 1 to 65535
sparsity=-1: 0 to 2147483647
query_rows=9: 0 to 8
dense_up_to=-1|1073741825: 0 to 1073741824
score_type=1: 0 (SKT_F32) or 2 (SKT_BF16)
score_type=2 capacity=252 => capacity of bf16 scores is 252: allowed is a multiple of 8
)";

inline const std::string kSparseAttention = R"(
queries=* keys=* values=* selected=* counts=* output=* workspace=* workspace_bytes=1048576 \
  batch=1 heads=4 kv_heads=2 capacity=1000 dim=64 list=300 logit_scale=0.125 type=2
queries keys values selected: pointer 16
counts: pointer 4
output: pointer 16
workspace: pointer 256
log_sum_exp: optional 4
part: optional 16
part=* output=null => ok
workspace_bytes=0 => workspace_bytes is 0: allowed is ..
dim=48: 32, 64, 128 or 256
type=3: 0 to 2
)" + kScales + R"(
query_rows=-1: 0 to 8
lists=-1|2: 0 to 1
lists=1 => ok
lists=1 heads=18 => heads to a kv head that share a list is 9: allowed is 1 to 8
dense_up_to=-1|1073741825: 0 to 1073741824
dense_up_to=5 used=1000 => ok
dense_up_to=5 used=1001 => used is 1001: allowed is 0 to 1000
dense_up_to=5 lengths=@2 => lengths, modulo 4, is 2: allowed is 0
batch=8192 query_rows=2 => batch * query_rows * heads is 65536: allowed is 1 to 65535
block_table=* blocks=63 pages=63 page_size=16 page_stride=32 head_stride=16 token_stride=1 ..
good => ok
block_table: optional 4
page_size=24: a power of two
blocks=62: 63 to 2147483647
pages=2147483648: 1 to 2147483647
head_stride=0: 1 to 2147483647
token_stride=-1: 1 to 2147483647
page_stride=1073741824 => last row of all pages is 66571993119: allowed is 0 to 2147483647
)";

inline const std::string kPublishedList = R"(
best=* counts=* selected=* list_counts=* batch=1 heads=4 used=200 budget=20 sink=4 window=4
best: pointer 16
counts: pointer 4
selected: pointer 16
list_counts: pointer 4
heads=0: 1 to 65535
budget=-1|0: 1 to 2147483647
)";

inline const std::string kCountShard = kShard + "digit=2" + kShards + "digit=-1|3: 0 to 2";

inline const std::string kSelectShard = kShard + "selected=* list_counts=* rank=3 ranks=4" + kShards + R"(
selected: pointer 16
list_counts: pointer 4
rank=-1|4: 0 to 3
ranks=0|1025: 1 to 1024
)";

inline const std::string kMergeParts = R"(
parts=* output=* ranks=2 batch=3 heads=2 dim=64
parts output: pointer 16
log_sum_exp: optional 4
ranks=0|1025: 1 to 1024
heads=0: 1 to 65535
dim=48|66: 32, 64, 128 or 256
)";

// Pages of keys and values alone may be of 16 keys.
inline const std::string kDecodeStep = R"(
queries=* keys=* values=* hyperplanes=* packed=* norms=* output=* workspace=* workspace_bytes=1048576 \
  batch=1 heads=4 kv_heads=2 capacity=256 used=200 dim=64 tables=4 planes=8 budget=20 sink=4 window=4 \
  scale=0.125 temperature=0.5 logit_scale=0.125 type=2
queries keys values hyperplanes packed norms output: pointer 16
workspace: pointer 256
allowed: optional 16
lengths log_sum_exp: optional 4
workspace_bytes=0 => workspace_bytes is 0: allowed is ..
heads=5: a multiple of kv_heads
capacity=200|257: a multiple of 64
used=257: 0 to 256
dim=48: 32, 64, 128 or 256
planes=3|17: 4 to 16
tables=0: 1 to 4096
budget=-1: 0 to 2147483647
budget=1073741817 => sink + budget + window is 1073741825: allowed is 1 to 1073741824
temperature=0: a finite number above 0
logit_scale=0: a finite number above 0
type=3: 0 to 2
rule=2|7: 0 to 1
sparsity=-1|2147483648: 0 to 2147483647
query_rows=-1|9: 0 to 8
batch=2048 query_rows=8 => batch * query_rows * heads is 65536: allowed is 1 to 65535
lists=-1|2: 0 to 1
lists=1 => ok
lists=1 heads=18 => heads to a kv head that share a list is 9: allowed is 1 to 8
lists=1 rule=1 log_sums=* => ok
lists=1 rule=1 log_sums=@2 => log_sums, modulo 4, is 2: allowed is 0
dense_up_to=-1|1073741825: 0 to 1073741824
dense_up_to=200 => ok
dense_up_to=5 allowed=* => dense_up_to, beside a mask, is 5: allowed is 0 to 0
selected=* list_counts=* => ok
selected=* => list_counts is 0: allowed is a device pointer
selected=@2 list_counts=* => selected, modulo 16, is 2: allowed is 0
append_count=-1|9: 0 to 8
append_count=8 => ok
append_count=3 used=2 => append_count is 3: allowed is 0 to 2
append_count=1 type=0 => type is 0: allowed is 1 to 2
append_count=1 append_norms=-1 => append_norms is -1: allowed is 0 to 2
append_count=1 append_norms=3 => append_norms is 3: allowed is 0 to 2
append_count=1 append_keys=* => ok
append_count=1 append_keys=@2 => keys, modulo 16, is 2: allowed is 0
append_count=1 append_keys=* append_norms=1 => append_values is 0: allowed is a device pointer
append_count=1 append_keys=* append_values=* append_norms=1 => ok
append_count=1 cache_form=1 => cache_form, beside append_count without append_keys, is 1: allowed is 0 to 0
append_count=1 cache_form=1 append_keys=* => ok
paged_index=2: 0 to 1
paged_index=1 => paged_index, without a block_table, is 1: allowed is 0 to 0
rest_samples=-1|1025: 0 to 1024
rule=1 rest_samples=8 rest_delta=0.05 rest_radius=0.5 rest_target=0.1 rest_weight=* rest_limit=* rest_nominal=* \
  rest_flags=* ..
good => ok
rest_step=* rest_flagged=* rest_output=* rest_drawn=* rest_keys=* => ok
lists=1 dense_up_to=200 => ok
rest_weight rest_limit rest_nominal rest_flags: pointer 4
rest_step rest_flagged rest_drawn rest_keys: optional 4
rest_output: optional 16
rest_delta=0|1: a number above 0 and below 1
rest_radius=0: a finite number above 0
rest_target=-1|2: 0 to 1
rule=0 => rule, beside rest_samples, is 0: allowed is 1 to 1
query_rows=2 => query_rows, beside rest_samples, is 2: allowed is 0 to 1
cache_form=1 => cache_form, beside rest_samples, is 1: allowed is 0 to 0
)" + kScales + R"(
block_table=* blocks=16 pages=3 page_size=16 page_stride=256 head_stride=128 token_stride=1 ..
good => ok
paged_index=1 => page_size of a paged index is 16: allowed is a power of two, 64 to 65536
page_stride=0: 1 to 2147483647
append_count=1 => paged_index, beside append_count without append_keys, is 0: allowed is 1 to 1
append_count=1 append_keys=* => ok
)";

}  // namespace skt::gpu
