// What the functions of a rank must refuse; refusals.cpp says how.
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/refusals.hpp"
#include "gpu/check/problems/problem.hpp"
#include "gpu/functors/shards.hpp"
#include "gpu/functors/whole_numbers.hpp"

namespace skt::gpu {
namespace {

constexpr std::int64_t kMostRanks = 1024;

struct Arrays {
  explicit Arrays(const CheckCase& c)
      : scores(make_scores(c)),
        counts(std::vector<std::int32_t>(2 * c.rows() * kShardBins)),
        last(std::vector<std::int32_t>(c.rows() * kShardBins)),
        marks(std::vector<std::uint32_t>(c.rows() * ceil_div<std::int64_t>(c.capacity, 32) * 2)),
        selected(c.rows() * c.list()),
        list_counts(c.rows()),
        lengths(c.rows()),
        parts(std::vector<float>(c.rows() * (c.dim + 2))),
        output(c.rows() * c.dim),
        log_sum_exp(c.rows()) {}

  DeviceArray<float> scores;
  DeviceArray<std::int32_t> counts, last;
  DeviceArray<std::uint32_t> marks;
  DeviceArray<std::int32_t> selected, list_counts, lengths;
  DeviceArray<float> parts, output, log_sum_exp;
};

// What counting and selecting have in common.
template <class Args>
void refuse_shard(Refusals<Args>& refusals, const CheckCase& c, Arrays& arrays) {
  refusals.pointer("scores", &skt_shard::scores);
  refusals.pointer("counts", &skt_shard::counts);
  refusals.pointer("last_counts", &Args::last_counts);
  refusals.pointer("marks", &skt_shard::marks);
  refusals.number("heads", &skt_shape::heads, 0);
  refusals.number("query_rows", &skt_shape::query_rows, 2);
  refusals.number("keys", &skt_shard::keys, c.capacity + 1);
  refusals.number("first", &skt_shard::first, -1);
  refusals.number("first", &skt_shard::first, (std::int64_t{1} << 31) - c.keys);
  refusals.number("used", &skt_sequences::used, -1);
  refusals.number("budget", &skt_list::budget, -1);
  refusals.number("sparsity", &skt_list::sparsity, -1);
  refusals.optional_pointer("lengths", &skt_sequences::lengths, arrays.lengths.data());
}

skt_shard good_shard(const CheckCase& c, Arrays& arrays) {
  return {.scores = arrays.scores.data(),
          .counts = arrays.counts.data(),
          .marks = arrays.marks.data(),
          .shape = shape_of(c),
          .keys = c.keys,
          .sequences = {.used = c.keys},
          .list = list_of(c)};
}

void refuse_count_shard(const Library& library, const CheckCase& c, Arrays& arrays, Comparison& result) {
  using Count = skt_count_shard_args;
  Refusals<Count> count(library, &Library::count_shard, "skt_count_shard",
                        {.shard = good_shard(c, arrays), .last_counts = arrays.last.data(), .digit = 2}, result);
  refuse_shard(count, c, arrays);
  count.number("digit", &Count::digit, -1);
  count.number("digit", &Count::digit, 3);
}

void refuse_select_shard(const Library& library, const CheckCase& c, Arrays& arrays, Comparison& result) {
  using Select = skt_select_shard_args;
  Refusals<Select> select(library, &Library::select_shard, "skt_select_shard",
                          {.shard = good_shard(c, arrays),
                           .last_counts = arrays.last.data(),
                           .selected = arrays.selected.data(),
                           .list_counts = arrays.list_counts.data(),
                           .ranks = 1},
                          result);
  refuse_shard(select, c, arrays);
  select.pointer("selected", &Select::selected);
  select.pointer("list_counts", &Select::list_counts);
  select.number("rank", &Select::rank, -1);
  select.number("rank", &Select::rank, 1);
  select.number("ranks", &Select::ranks, 0);
  select.number("ranks", &Select::ranks, kMostRanks + 1);
}

void refuse_merge_parts(const Library& library, const CheckCase& c, Arrays& arrays, Comparison& result) {
  using Merge = skt_merge_parts_args;
  Refusals<Merge> merge(library, &Library::merge_parts, "skt_merge_parts",
                        {.parts = arrays.parts.data(),
                         .output = arrays.output.data(),
                         .log_sum_exp = arrays.log_sum_exp.data(),
                         .ranks = 1,
                         .shape = shape_of(c)},
                        result);
  merge.pointer("parts", &Merge::parts);
  merge.pointer("output", &Merge::output);
  merge.optional_pointer("log_sum_exp", &Merge::log_sum_exp, arrays.log_sum_exp.data());
  merge.number("ranks", &Merge::ranks, 0);
  merge.number("ranks", &Merge::ranks, kMostRanks + 1);
  merge.number("heads", &skt_shape::heads, 0);
  merge.number("dim", &skt_shape::dim, 48);
}

}  // namespace

void refuse_shards(const Library& library, const CheckCase& c, Comparison& result) {
  Arrays arrays(c);
  refuse_count_shard(library, c, arrays, result);
  refuse_select_shard(library, c, arrays, result);
  refuse_merge_parts(library, c, arrays, result);
  arrays.selected.to_host();  // waits for what the good arguments launched
  arrays.output.to_host();
}

}  // namespace skt::gpu
