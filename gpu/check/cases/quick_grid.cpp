// Which cases does the quick grid hold? Each operation over key counts around the sizes of a warp, a tile, a block and a
// cluster, types, masks, kinds of input, planes and profiles; and the cases that one feature of a kernel needs.
#include "gpu/check/cases/quick_grid.hpp"

namespace skt::gpu {

void add_prefill_cases(Grid& grid) {
  grid.add(R"(
heads,kv_heads=2,2:
  operation=hash-keys|value-norms type=* dim=16|64|128|256 keys=129 \
    inputs=dyadic|gaussian|zeros|constant|large|huge|subnormals|non-finite
  operation=hash-keys|value-norms inputs=dyadic keys=1|31|32|33|127|128|129|1000
  operation=hash-keys|value-norms keys=1000 profile=* inputs=gaussian|large|huge
  operation=hash-keys keys=200 planes=1..15

operation=build-index heads,kv_heads=2,2:
  type=f16|bf16 dim=32|64|128|256 inputs=gaussian|dyadic|zeros|large keys=129
  type=f16|bf16 dim=32|64|128|256 inputs=dyadic keys=1|31|32|33|127|128|129|1000
  keys=200 planes=4..16 tables=1|16|33
  # 3008 groups of 64 keys: several to a warp.
  batch=8 heads,kv_heads=8,8 keys=3000 dim=32 tables=1 planes=4
  # More hyperplanes than the shared memory of a block holds.
  keys=300 dim=128 tables=300 planes=10

# Places of appended keys by lengths on the device, in a full cache: types and groups of keys to a warp; one tile; one
# sequence; many, of which a warp takes several; words that tables straddle.
operation=append-lengths heads,kv_heads=2,2:
  batch=3 keys,capacity=192,192 type=* dim=32|128|256
  batch=3 keys,capacity=64,64
  keys,capacity=320,320
  batch=160 heads,kv_heads=8,8 keys,capacity=64,64 tables=1
  batch=2 heads,kv_heads=3,3 keys,capacity=128,128 tables=33 planes=15

# An index that is written again behind what reads it. A few blocks to a reader, so that a call that does not wait finds a
# free multiprocessor: types; more keys to a row, one query head and four, and dimensions. Then longer readers, for tens of
# microseconds, which is more than a launch takes. Eight cases at least, one to each run of kill_matrix.sh.
operation=rewritten-index:
  batch=2 heads=4 kv_heads=2 keys=200 dim=32 tables=60 budget=20 type=*
  keys=1000 tables=60 budget=100 dim=32|128 group=1|4
  # Scores of one query head at a time, in 67 passes, take as many of the 132 multiprocessors of an H100 or H200: one range
  # of the tiles to each pass, four tiles to a warp. What is launched behind them begins at once, on the others. Tables too
  # many for four heads at once, and so many tiles that rows of a step go on as soon as they are scored.
  heads=67 keys=6100 dim=32 tables=140 planes=10 budget=600
)");
}

void add_score_cases(Grid& grid) {
  grid.add(R"(
operation=soft-buckets heads,kv_heads=3,3 tables=5:
  planes=1..16
  profile=* planes=1|5|10
  planes=10 dim=16|128|256 type=* temperature=0.001|0.3|10
  planes=10 dim=256 temperature=10 inputs=zeros|large

# Of 14 planes and more one sequence: the host makes 2^planes probabilities for each table of each head.
operation=score-buckets|score-packed heads=4 kv_heads=2:
  batch=2 inputs=dyadic|gaussian|zeros|large|non-finite mask=* keys=1|31|32|33|127|128|129|1000
  batch=2 mask=random keys=300 planes=4..13 tables=1|31|32|33|60|65
  mask=random keys=300 planes=14|15 tables=1|31|32|33|60|65
  batch=2 mask=random keys=20000 tables=60 planes=10

operation=score-packed:
  heads=4 kv_heads=2 mask=random keys=300 planes=16 tables=1|31|32|33|60|65
  # Tables and planes that an instance of the kernel knows, and with no mask that there is none; and planes alone.
  batch=2 kv_heads=2 tables=60 planes=10 mask=* keys=1|64|300 group=1|4
  batch=2 kv_heads=2 keys=300 tables,planes=30,10|32,10|40,8|20,12 group=1|4
  # More units of keys than the device holds blocks: a block passes from one kv row to the next.
  batch=8 kv_heads=16 keys=4500 dim=16 group=1|4
  batch=2 kv_heads=16 keys=4500 dim=16 tables=60 planes=10 group=1|4
  # Rows of one tile, as when many sequences have just begun, and of a few: a warp's next tile is several kv rows on, and a
  # block's range spans more rows than it keeps half-tables of.
  batch=64 kv_heads=8 dim=16 keys=40|64|200 group=1|4
  batch=64 kv_heads=8 dim=16 keys=200 tables=60 planes=10 group=1|4
  # Query heads that fill no four, and one to a kv head.
  batch=2 heads=2|6|16 kv_heads=2 mask=random keys=1000 tables=60 planes=10

operation=score-signed batch=2 heads=4 kv_heads=2:
  # As nearly 64, 320 and 640 bits as whole tables allow.
  mask=random keys=300 tables,planes=8,8|6,10|4,16|40,8|32,10|20,16|80,8|64,10|40,16
  # One query head to a kv head, and groups that fill no four, four, eight, and two passes of eight.
  keys=200 tables=60 planes=10 group=1|2|3|4|5|7|8|16|32 mask=*
  # Words that fill no four, and more than the warps of a block keep; keys around a tile; inputs whose weights are exact,
  # none, or below the normal range.
  heads=8 keys=200 tables=4|8|12|16|20|24|28|52|60|64|180
  heads=8 keys=1|63|64|65 tables=64
  heads=8 keys=200 tables=64 inputs=dyadic|zeros|subnormals
  # Behind the heads of the last row is nobody's memory.
  batch=1 heads=3 kv_heads=1 keys=200 tables=64

# Blocks that pass from one kv row to the next, and to several; more tiles to a warp than it keeps at once, of words that a
# kernel knows and of others; and two rows with more words than the warps keep.
operation=score-signed kv_heads=16 dim=16:
  batch=16 tables=8 keys=40|200|4500 group=1|4
  batch=4 group=4 planes=10 tables,keys=60,4500|32,8500
  group=8 planes=10 tables=60 keys=8500

# The published scoring kernel with each profile's types, and with codes that are none.
batch=2 heads=4 kv_heads=2 keys=200 planes=6 profile=*:
  operation=score-buckets inputs=gaussian|large|non-finite mask=*
  operation=bad-codes mask=random tables=1|9|10|33
)");
}

void add_attention_cases(Grid& grid) {
  grid.add(R"(
# Clusters from 8192 keys on; at 400000, several batches of reads to every warp of the largest cluster.
operation=select-keys heads,kv_heads=3,3 sink=5 window=7:
  inputs=gaussian|ties|zeros|low-contrast|large|non-finite mask=* keys=1|31|32|33|1000|4096 \
    budget,window=0,7|1,7|37,0|5000,7
  inputs=gaussian|ties|zeros|low-contrast|large|non-finite mask=none|random|nothing \
    keys,budget,window=8200,37,0|8200,5000,7|40000,5000,7
  heads,kv_heads=1,1 mask=random keys=400000 budget=5000 inputs=gaussian|ties

batch=2 heads=4 kv_heads=2:
  operation=published-list profile=hf sink=20 window=20 mask=* keys=1|33|39|40|700 budget=1|40|700

operation=sparse-attention batch=2 heads=4 kv_heads=2 keys=700:
  type=* dim=32|64|128|256 inputs=gaussian|zeros|large budget=1|31|128|129|600
  mask=nothing dim=256 budget=600
  pages=hnd|nhd page_size=1|16|256 type=* dim=32|64|128|256 budget=1|129|600
  # So many rows that one block takes a whole list, by several batches of entries to a warp.
  batch=8 heads=64 pages=nhd budget=600 type=* dim=32|64|128|256

# Bytes of e4m3, with scales and without, of kv heads with neighbours on both sides: every type of query and dimension,
# subnormals, NaN, pages of both layouts, lists of few keys and many.
operation=sparse-attention batch=2 heads=8 kv_heads=4 keys=700 cache=e4m3 dim=32|64|128|256:
  type=* budget=1|31|129|600
  inputs=subnormals|large|zeros budget=129
  # Lists with a value of NaN and no key of it, and with both.
  inputs=non-finite budget=4|12
  cache=e4m3-unscaled budget=12
  pages=hnd|nhd page_size=1|16|256 budget=600
  batch=8 heads=64 pages=nhd budget=600

operation=refusals heads=4 kv_heads=2
)");
}

void add_step_cases(Grid& grid) {
  grid.add(R"(
operation=decode-step sink=8 window=8:
  batch=2 heads=8 dim=128 tables=60 planes=10 mask=* kv_heads=1|2|8 keys,budget=1,1|20,3|2000,201
  batch=2 heads=8 kv_heads=8 keys=2000 budget=201 tables=60 type=f16
  batch=2 heads=8 kv_heads=8 keys=2000 budget=201 tables=60 type=f16 pages=hnd|nhd page_size=16|64
  # Half-tables of few blocks that take long: others score at once.
  heads=4 keys=2000 budget=201 dim=256 type=f16 planes,tables=15,16|16,16|16,60 kv_heads=1|4
  # Blocks of the scores that pass from one kv row to the next.
  batch=8 kv_heads=16 keys=4500 budget=201 dim=32 type=f16 group=1|4

operation=decode-signed batch=2 kv_heads=2 tables=32 planes=10 sink=8 window=8:
  mask=* heads=2|8 keys,budget=1,1|20,3|2000,201
  heads=8 keys=2000 budget=201 pages=nhd type=* inputs=gaussian|ties|zeros|needle
  heads=8 keys=2000 budget=201 pages=nhd inputs=needle tables=40 planes=16

# Lengths of their own, by both rules: few heads and many, masks, pages, a list that takes every key of most lengths, a full
# cache; and so many tiles that rows go on as soon as they are scored, some of them with none.
operation=decode-lengths batch=5 kv_heads=2 dim=32 tables=8 sink=4 window=40 budget=50:
  mask=none|random|causal keys,budget=40,200|64,200|700,50 group=1|4
  heads=4 keys=700 pages=nhd
  heads=4 keys,capacity=640,640
  batch=64 heads,kv_heads=8,8 keys=130
  batch=9 kv_heads=8 keys=6000 planes=10 tables=36 budget=400 group=1|4
  # One of ragged lengths to a kernel of long rows, each row over several blocks.
  batch=3 kv_heads=4 keys=36000 tables=4 planes=10 budget=900 sink=8 window=8 group=1|4

# Instances of the scores that know what a launch of a step has not: of the usual tables, whose steps without lengths are
# above, and of others.
batch=3 keys=200 dim=32 budget=50 sink=4 window=40:
  operation=decode-lengths tables=60 planes=10 group=1|4
  tables,planes=30,10|32,10|40,8|20,12 operation=decode-lengths|decode-step group=1|4

# Over a cache of e4m3: both rules, types, dimensions, pages, lengths of their own, and rows that go on as soon as they are
# scored, as below.
cache=e4m3 kv_heads=2 tables=16:
  operation=decode-step|decode-signed batch=2 heads=4 keys=2000 budget=201 sink=8 window=8 \
    dim,type,pages=32,f32,none|64,f16,none|128,bf16,nhd|256,bf16,hnd
  operation=decode-lengths batch=5 keys=700 budget=50 sink=4 window=40 dim=128 pages=none|nhd group=1|4
  operation=decode-step batch=2 heads,kv_heads=8,8 keys=22000 budget=700 sink=4 window=40 dim=128 tables=4 planes=10

operation=append-step planes=10:
  # The last key of a tile, and the first.
  keys,type,dim,tables,planes=33,f32,128,60,10|64,f16,128,60,10|65,bf16,256,16,15|2000,bf16,128,60,10|20000,bf16,128,60,10 \
    heads,kv_heads=1,1|8,1|8,8
  # Rows that go on as soon as they are scored, as below.
  keys=45000 tables=8 kv_heads=8 heads=8|32
  # Half of the device, as above: room for a selection that is launched while the counters are still the last step's.
  heads=67 keys=6100 tables=140 budget=600

# Keys enough that each warp of the scores takes several tiles of two stages of tables one after another, and that the
# selection divides a row among several blocks.
operation=score-packed|decode-step kv_heads=8 keys=60000 dim=32 tables=60 planes=10 budget=1800 sink=128 window=128:
  heads=8|32

# Rows long enough that each goes on as soon as it is scored (should_count_rows() on up to 132 multiprocessors): more than
# blocks divide evenly, heads in one pass and in two, masks, pages.
batch=2 kv_heads=8 keys=22000 dim=32 planes=10 budget=700 sink=8 window=8:
  operation=decode-step mask,heads,pages=random,8,none|padding,64,none|none,16,nhd
  operation=decode-signed heads=16 pages=nhd tables=8

# Rows of one tile, as when many sequences have just begun; of three, by the signed rule, with heads that fill four or leave
# some out; and of seven. So many that a block counts those of several pairs of rows one after the other, and of seven each
# goes on as soon as it is scored.
batch=64 dim=32 budget=10:
  operation=decode-step kv_heads=8 keys=40 sink=2 window=2 group=1|4
  operation=decode-signed kv_heads=8 keys=130 sink=2 window=2 group=2..7
  heads,kv_heads=16,16 keys=400 operation,sink,window=decode-step,2,2|append-step,0,0

# From keys, values and query to the output, under each profile with the masks that its code takes.
operation=pipeline batch=2 heads=4 kv_heads=2 tables=8 planes=6 budget=20 inputs=gaussian|needle|large:
  profile=paper|paper-f16|hub mask=* keys,type,sink,window=1,bf16,8,8|33,f16,0,0|300,bf16,8,8
  profile=gpt-fast|hf keys,type,sink,window=1,bf16,8,8|33,f16,0,0|300,bf16,8,8
)");
}

// What lists leave out: each case runs several sample counts.
void add_rest_cases(Grid& grid) {
  grid.add(R"(
operation=decode-rest batch=2 kv_heads=2 dim=64 tables=32 planes=10 sink=8 window=8:
  # One head to a list and a group, keys around a group of 32, dimensions and types; groups of one pass and of two, full and not.
  heads=2|8 lists=head|kv-head keys,budget=1,1|20,3|256,9|300,40|2000,60
  heads=8 lists=head|kv-head keys,budget=2000,60 dim=32|128|256 type=*
  heads=6|10|14|16 lists=kv-head keys,budget=2000,60
  # Warps that draw in several rounds, and empty their queue between them; many lists.
  heads,kv_heads=4,1 batch=1 lists=kv-head keys,budget,inputs=40000,500,gaussian|100000,500,non-finite tables=4
  heads,kv_heads=8,8 batch=20 keys,budget=700,30 dim=32 tables=8
  # Rows that go on as soon as they are scored, as above.
  heads=16 kv_heads=8 lists=head|kv-head keys,budget=22000,700 dim=32 tables=8
  # Ties, weights that are all the same, norms that leave fp16, NaN, one key that has all weight, masks.
  heads=8 lists=head|kv-head keys,budget=700,30 inputs=dyadic|ties|zeros|constant|low-contrast|large|huge|subnormals|needle|non-finite
  heads=8 lists=head|kv-head keys,budget=700,30 mask=random|padding|nothing
  heads=8 keys,budget=700,30 mask=causal
  heads=8 lists=head|kv-head keys,budget=700,0
  heads=8 lists=kv-head batch=5 keys,budget=700,30 dense=400
  # Pages of keys and values alone, and of the index too.
  heads=8 lists=head|kv-head keys,budget=700,30 pages=hnd|nhd page_size=16|64
)");
}

// Of several query rows to a sequence: each case runs all of lengths_of_query_rows() (problems/step_lengths.hpp).
void add_query_row_cases(Grid& grid) {
  grid.add(R"(
operation=decode-rows batch=3 heads,kv_heads=2,2 keys=200 dim=32 tables=8 budget=20 sink=4 window=10 query_rows=3:
  # One row as well: a field of 1 is a step of old. Groups of one pass and of several, the last of fewer heads.
  query_rows=1|2|3|8 group=1|2|4|8
  query_rows=8 group=5
  # Sequences that are never as long as they have rows; a full cache; a list of every key.
  query_rows=8 keys=1|5 group=1|4
  query_rows=8 keys,capacity=128,128 budget=200
  mask=random|padding|causal|nothing group=1|4
  heads=4 inputs=ties|zeros
  heads=4 type=f32
  heads=4 type=f16 dim=128 pages,cache=hnd,type|nhd,type|nhd,e4m3
  # Codes, norms and masks in pages too, which are then of whole tiles.
  pages=hnd page_size=64 mask=none|random group=1|4
  pages=nhd page_size=128 mask=random query_rows=8
  # The usual tables; tables too large for fp16, which four heads then score one by one; and 16 planes.
  planes=10 tables=60|132 group=1|4
  planes=16 tables=16 heads=8
  # Many sequences; rows that go on as soon as they are scored, with one pass and with several.
  batch=64 heads,kv_heads=8,8 query_rows=2 keys=130
  batch=2 kv_heads=8 query_rows=4 keys=12000 tables=4 planes=10 budget=400 group=1|4
)");
}

// Of one sequence over several ranks: each case runs all of checked_runs() (gpu/check/problems/runs.hpp).
void add_shard_cases(Grid& grid) {
  grid.add(R"(
operation=select-shards:
  # Kinds of scores, masks and budgets, none and more than there are keys among them.
  batch=5 sink=5 window=7 inputs=gaussian|ties|zeros|low-contrast|large|non-finite mask=none|random|nothing \
    keys=1|33|1000 budget=0|37|1500
  # All keys tie, and the last that is taken lies beside an edge of two, three, four or eight even runs.
  inputs=zeros keys=96 budget=11..13|23..25|31..33|35..37|47..49|59..61|63..65|71..73|83..85
  # Sink and window that reach over the edges of runs, and a rank that is all sink or all window.
  batch=2 keys=300 budget=20 sink=0|80|200 window=0|75|160
  # Rows over several blocks on each rank, with more ties than a block gathers.
  batch=2 keys=70000 sink=128 window=128 budget=9000 inputs=gaussian|ties|zeros

operation=sharded-step batch=3 kv_heads=2 sink=4 window=40 budget=60:
  # The larger budget reaches scores below 0 by the signed rule.
  mask=none|causal keys,dim,budget=40,32,60|700,64,60|700,64,500 group=1|4
  # An instance of the scores knows these tables and planes, and how ranks count.
  keys=700 tables=60 planes=10 group=1|4
  heads=2 keys=200 inputs,type,dim=ties,f32,128|needle,f16,128|large,f16,256
  # Parts of a rank take in the scales of its bytes.
  cache=e4m3 keys=200 dim=32 group=1|4
  # Four heads at once, so few keys that the emulated device comes to an end: of the usual tables, and of others.
  batch=1 heads=4 kv_heads=1 keys=100 dim=32 budget=20 window=10 tables,planes=4,8|60,10
)");
}

// An index in pages of one tile and of several, by each kernel of packed scores; and rows that go on by themselves.
void add_page_cases(Grid& grid) {
  grid.add(R"(
operation=paged-writes:
  batch=3 heads,kv_heads=2,2 keys=300 page_size,pages=64,hnd|128,nhd|256,hnd \
    dim,type,planes,tables=32,f32,8,5|64,f16,8,5|128,bf16,10,60|256,bf16,8,5
  heads,kv_heads=5,5 keys=1000 tables=5 pages=hnd page_size=512

operation=paged-index batch=3 kv_heads=2 keys=700 dim=32 tables=8 sink=4 window=40 budget=50 pages=hnd:
  mask=* page_size=64|256 group=1|4
  # An instance of the scores knows these tables and planes, and where there are no pages.
  tables=60 planes=10 page_size=256 group=1|4
  # Heads in one pass and in two.
  mask=random pages=nhd page_size=128 group=2|6|10
  mask=random pages=nhd page_size=128 planes=16 group=1|4
  # A page of more keys than there are.
  mask=random pages=nhd page_size=512 kv_heads=3 keys=60 group=1|4
  # Tables of two stages; many short rows.
  batch=2 kv_heads=8 keys=26000 tables=36 planes=10 budget=700 sink=8 window=8 page_size=64 group=1|4
  batch=40 kv_heads=8 keys=200 tables=4 planes=10 budget=20 sink=8 window=8 page_size=128 group=1|4
)");
}

// What a list of a kv head, sequences that are attended to whole and keys that the step appends change in each stage: groups
// that fill a pass of four or eight heads and that do not, rows whose tiles are all sampled and longer ones, lengths on both
// sides of what is still whole.
void add_group_cases(Grid& grid) {
  grid.add(R"(
lists=kv-head batch=2 kv_heads=2:
  operation=score-packed mask=none|random|nothing keys=1|64|300 tables,planes=4,8|60,10 group=2|3|4
  operation=score-signed mask=none|random|nothing keys=1|65|1500 tables,planes=8,8|32,10|60,10 group=4|8
  operation=score-signed keys=200|1500 tables=16 planes=10 group=2|3|5|6|7
  operation=score-signed keys=300 tables=16 inputs=dyadic|zeros|needle|large|non-finite group=4
  operation=score-signed keys=1500 tables,planes=4,16|3,5 group=4|8
  # Blocks that pass from one kv row to the next.
  operation=score-packed|score-signed batch=16 kv_heads=16 dim=16 tables=8 keys=200|1500 group=4
  operation=sparse-attention keys=700 type=* dim=32|64|128|256 budget=1|129|600 group=4
  operation=sparse-attention keys=700 dim=128 budget=31|600 group=2|3|5|8
  operation=sparse-attention keys=700 dim=64|128 budget=600 group=4 pages=hnd|nhd
  operation=sparse-attention keys=700 dim=32|64|128|256 budget=129 group=4 cache=e4m3 inputs=gaussian|non-finite
  operation=sparse-attention batch=8 kv_heads=16 keys=700 dim=64|128 budget=600 group=4
  # Several parts of the one list and an empty one beside it, also on a small device.
  operation=sparse-attention batch=1 keys=700 budget=300 group=2

operation=sparse-attention batch=5 kv_heads=2 keys=700 budget=129 dense=60|600|2000:
  lists=* group=1|4
  lists=kv-head group=4 pages=nhd cache=e4m3

lists=kv-head batch=2 kv_heads=2 tables=16 planes=10 sink=8 window=8:
  operation=decode-step|decode-signed group=4 mask=none|random|padding|nothing keys,budget=1,1|20,3|2000,201
  operation=decode-signed group=2|3|5|8 keys=2000 budget=201
  operation=decode-step|decode-signed group=4 keys=2000 budget=201 \
    dim,type,pages,cache=128,f16,hnd,type|32,f32,none,type|64,bf16,nhd,e4m3|256,f16,none,e4m3
  operation=decode-step|decode-signed group=4 keys=2000 budget=201 tables=60
  operation=decode-step|decode-signed group=4 keys=64|65 budget=20 dense=64 lists=*
  # Rows that go on as soon as they are scored, and many short ones.
  operation=decode-step|decode-signed kv_heads=8 group=4 keys=22000 dim=32 tables=8 budget=700
  operation=decode-step|decode-signed batch=64 kv_heads=8 group=4 keys=40|130|400 dim=32 tables=8 budget=10 sink=2 window=2
  operation=decode-signed batch=1 kv_heads=8 group=4|8 keys=60000 dim=32 tables=32 budget=1800 sink=128 window=128

operation=decode-lengths lists=kv-head batch=5 kv_heads=2 dim=32 tables=8 sink=4 window=40 budget=50:
  mask=none|random keys=40|700 group=4|8
  keys=1500 tables=32 planes=10 group=4
  keys=700 dim=128 pages=nhd cache=e4m3 group=4
  keys=700 group=4 dense=64|300
  keys=700 group=1|4 dense=300 lists=head pages=none|hnd
  batch=9 kv_heads=8 keys=6000 planes=10 tables=36 budget=400 group=4 dense=0|2000

operation=decode-rows lists=kv-head batch=3 kv_heads=2 keys=200 dim=32 tables=8 budget=20 sink=4 window=10:
  query_rows=2|8 group=4|8
  query_rows=3 group=4 pages=hnd page_size=64 mask=none|random
  query_rows=3 group=4 dense=66 lists=*
  query_rows=3 group=4 type=f16 dim=128 pages=nhd cache=e4m3

operation=paged-index lists=kv-head batch=3 kv_heads=2 keys=700 dim=32 tables=8 sink=4 window=40 budget=50 pages=hnd:
  page_size=64 mask=none|random group=4|8
  page_size=256 group=4 dense=100
  page_size=128 group=4 keys=1500 tables=32 planes=10

operation=sharded-step lists=kv-head batch=3 kv_heads=2 sink=4 window=40 budget=60 dim=32 group=4:
  keys=40|700
  keys=200 cache=e4m3
  keys=700 tables=60 planes=10

# Of sequences that grow by these keys a step.
operation=append-step batch=3 kv_heads=2 group=2 keys=200 tables=8 budget=20 sink=4 window=10:
  append=1|4 group=1|4 type=f16|bf16 dim=64|128
  append=1 dim=32|256
  append=2 lists=kv-head group=4|8 dense=0|70|256 window=1|10
  append=3 pages=hnd page_size=16|64 cache=type|e4m3
  append=3 query_rows=3 lists=kv-head group=4 pages=nhd page_size=64
  append=8 tables,planes=33,15|60,10 group=4 window=7|8
  batch=9 kv_heads=8 append=1 keys=6000 dim=32 tables=36 planes=10 budget=400 lists=* group=4
)");
}

// Cases that show a mistake in any one thing that the contract of scores or of a step names: heads that share keys, every
// mask, keys that end a little behind tiles of 64 and 128, halves of a code that differ in length, and tables that fill no
// word; of a step also sink, window, budget, temperature and type. No two sizes of an array agree, so that an index of one
// in the place of another shows. python/tests/kernels/mistakes.py lists what must be seen.
void add_contract_cases(Grid& grid) {
  const std::string sizes = " batch=2 kv_heads=2 dim=32",
                    axes = "group=1|2|4 keys=130|200 mask=* planes=5|8 tables=3|9";
  grid.add_pairs("operation=score-packed" + sizes, axes);
  grid.add_pairs("operation=score-buckets" + sizes, axes);
  grid.add_pairs("operation=decode-step" + sizes, axes + " sink=0|4 window=0|11 budget=1|24 temperature=0.3|1 type=*");
}

}  // namespace skt::gpu
