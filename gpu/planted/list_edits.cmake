# Edits of what query heads that share a list change, of sequences that are attended to whole, and of keys that a step
# appends. The form is that of edits.cmake.

# Scores of a list by the signed rule
edit(normaliser-of-the-neighbour packed_scores/grouped_signed.cu packed_scores/shared_list.cuh
[[of_row.scales[head_of(i)].offset]]
[[of_row.scales[head_of(i) ^ 1].offset]])
edit(normalisers-of-the-first-row packed_scores/grouped_signed.cu packed_scores/shared_list.cuh
[[range_.row_of(here_[row_of(i)]) + head_of(i);]]
[[range_.row_of(here_[0]) + head_of(i);]])
edit(last-tile-not-sampled packed_scores/grouped_signed.cu functors/group_weights.hpp
[[  if (i == kSampledTiles - 1) return tiles - 1;]]
[[  if (i == kSampledTiles - 1) return tiles - 2;]])
edit(weight-of-tiles-left-out packed_scores/grouped_signed.cu functors/group_weights.hpp
[[octaves / others + steps_of(stood_for) : -INFINITY;]]
[[octaves / others : -INFINITY;]])
edit(masked-keys-sampled packed_scores/grouped_signed.cu packed_scores/prepare_rows.cuh
[[*factors.mask(args, row.kv.row * row.group + head, key) != 0)]]
[[true)]])
edit(keys-behind-the-length-sampled packed_scores/grouped_signed.cu packed_scores/prepare_rows.cuh
[[is_there && key < row.kv.length - kMostAppended && head]]
[[is_there && head]])
edit(tiles-of-the-first-page-sampled packed_scores/grouped_signed.cu packed_scores/prepare_rows.cuh
[[tile.page(kernel.pages, tiles) : 0;]]
[[Tile{0, row.kv}.page(kernel.pages, tiles) : 0;]])
edit(weight-scale-left-out packed_scores/grouped_signed.cu packed_scores/prepare_rows.cuh
[[Heads::shares ? args.weight_scale * kOctaveSteps : 1.0f]]
[[Heads::shares ? kOctaveSteps : 1.0f]])
edit(log-sum-of-the-kv-head packed_scores/grouped_signed.cu packed_scores/shared_list.cuh
[[__ldcg(&kernel_.args.log_sums[head])]]
[[__ldcg(&kernel_.args.log_sums[range_.kv_list_of(here_[row_of(i)])])]])
edit(heads-that-are-not-there-weigh packed_scores/grouped_signed.cu packed_scores/shared_list.cuh
[[const std::uint32_t of_head = two & row.is_there[set];]]
[[const std::uint32_t of_head = two;]])
edit(first-four-heads-of-a-list-left-out packed_scores/grouped_signed.cu packed_scores/shared_list.cuh
[[set == 0 ? of_head : sum_of_pairs(half_weights[i], of_head);]]
[[of_head;]])
edit(half-of-a-sampled-tile packed_scores/grouped_signed.cu packed_scores/prepare_rows.cuh
[[  return join(shared[warp / 2 * 2], shared[warp / 2 * 2 + 1]);]]
[[  return shared[warp / 2 * 2];]])
edit(every-second-quad-of-a-sampled-key packed_scores/grouped_signed.cu packed_scores/prepare_rows.cuh
[[    for (int i = 1; i < kKeyThreads<Heads>; ++i) sum]]
[[    for (int i = 1; i < 1; ++i) sum]])
edit(weights-of-the-first-pass packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[(range.kv_list_of(kv) * kernel.passes + range.pass) * row_bytes]]
[[range.kv_list_of(kv) * kernel.passes * row_bytes]])
edit(sampled-tile-of-the-block packed_scores/grouped_signed.cu packed_scores/prepare_rows.cuh
[[prepare_tile<Heads, fixed_planes>(a, row, blockIdx.y, shared);]]
[[prepare_tile<Heads, fixed_planes>(a, row, blockIdx.y & ~1u, shared);]])
edit(quarter-of-another-lane packed_scores/grouped_signed.cu packed_scores/shared_list.cuh
[[joined((lane & 1) != 0, even_quarter, odd_quarter, 1);]]
[[joined(false, even_quarter, odd_quarter, 1);]])
edit(masked-score-of-a-list-kept packed_scores/grouped_signed.cu packed_scores/shared_list.cuh
[[  if ((allowed & 0xff) == 0) sums = (sums & 0xffff0000u) | kNever;]]
[[]])
edit(last-of-odd-scores-of-a-list-dropped packed_scores/grouped_signed.cu packed_scores/shared_list.cuh
[[      static_cast<__nv_bfloat16*>(args.scores)[at] = __float2bfloat16_rn(scores.x);]]
[[]])
edit(window-counted-by-a-list packed_scores/grouped_signed.cu packed_scores/shared_list.cuh
[[max(window_begin(kv.length, kernel.bins.window) - kernel.bins.sink, 0)]]
[[max(kv.length - kernel.bins.sink, 0)]])
edit(uncounted-scores-of-a-list-counted packed_scores/grouped_signed.cu packed_scores/shared_list.cuh
[[row.counts + 4 * bin_of_score(score, kernel.bins.lowest) : uncounted]]
[[row.counts + 4 * bin_of_score(score, kernel.bins.lowest) : row.counts]])
edit(list-of-the-first-query-row packed_scores/grouped_signed.cu packed_scores/tiles.cuh
[[static_cast<unsigned>(query_rows - 1) + blockIdx.y) * std::int64_t{kv_heads};]]
[[static_cast<unsigned>(query_rows - 1)) * std::int64_t{kv_heads};]])

# Scores of a list by the collision rule
edit(largest-of-two-heads packed_scores/four_heads.cu packed_scores/lanes.cuh
[[larger(larger(sum[0], sum[1]), larger(sum[2], sum[3]))]]
[[larger(sum[0], sum[1])]])
edit(smallest-of-the-heads packed_scores/four_heads.cu packed_scores/lanes.cuh
[[return a > b || a != a ? a : b;]]
[[return a < b || a != a ? a : b;]])

# Attention over a list of several heads
edit(list-of-another-kv-head attention/attention.cu attention/arguments.cuh
[[  return {list,        list / kv_heads]]
[[  return {list / 2 * 2, list / kv_heads]])
edit(heads-of-the-first-pass attention/attention.cu attention/arguments.cuh
[[  const int first = block_row % kernel.passes * heads_at_once;]]
[[  const int first = 0;]])
edit(parts-merged-by-another-list attention/merge_rows.cu attention/merge_rows.cu
[[to_int(kernel.args.shape.kv_heads) + target.kv_head;]]
[[to_int(kernel.args.shape.kv_heads);]])
edit(part-of-another-head attention/attention.cu attention/group_average.cuh
[[      if (lane() == lane_of(head)) parts[head * part_stride] = part_;]]
[[      if (lane() == lane_of(head ^ 1)) parts[head * part_stride] = part_;]])
edit(rescaled-by-the-first-head attention/attention.cu attention/group_average.cuh
[[      const float of_head = __shfl_sync(~0u, factor, lane_of(head));]]
[[      const float of_head = __shfl_sync(~0u, factor, lane_of(0));]])
edit(weights-of-the-first-key-of-a-warp attention/attention.cu attention/group_average.cuh
[[__shfl_sync(~0u, weight, lane() / row_lanes * row_lanes + lane_of(head));]]
[[__shfl_sync(~0u, weight, lane_of(head));]])
edit(rest-of-a-round-weighs attention/attention.cu attention/group_average.cuh
[[      logits[step] = weights.logit(row, logit(round + row * Layout::bytes));]]
[[      logits[step] = logit(round + row * Layout::bytes);]])
edit(part-of-another-head-of-a-product attention/attention.cu attention/product_average.cuh
[[    if (in_row() == 0 && row() < heads) parts[row() * part_stride] = part_;]]
[[    if (in_row() == 0 && row() < heads) parts[(row() ^ 1) * part_stride] = part_;]])
edit(rescaled-by-the-next-head-of-a-product attention/attention.cu attention/product_average.cuh
[[vectors_[i][j] *= of_columns[j % 2];]]
[[vectors_[i][j] *= of_columns[0];]])
edit(second-number-of-a-weight-left-out attention/attention.cu attention/product_average.cuh
[[bits_of(row() < heads ? rounded : rest);]]
[[row() < heads ? bits_of(rounded) : 0;]])
edit(rest-of-a-round-weighs-in-products attention/attention.cu attention/product_average.cuh
[[        logit = weights.logit(first_key(eight) + of_two, (sums[0][of_two] + sums[1][of_two]) * scale_);]]
[[        logit = (sums[0][of_two] + sums[1][of_two]) * scale_;]])
edit(values-of-the-first-eight-keys attention/attention.cu attention/product_average.cuh
[[upper[half] = two_keys(values, eight + 1, half);]]
[[upper[half] = two_keys(values, eight, half);]])
edit(pieces-of-values-not-exchanged attention/attention.cu attention/product_average.cuh
[[(in_value ^ Layout::of_value(first_key(0)));]]
[[in_value;]])

# Sequences that are attended to whole
edit(whole-by-less attention/attention.cu attention/arguments.cuh
[[length <= sequences.dense_up_to};]]
[[length < sequences.dense_up_to};]])
edit(whole-by-the-first-sequence attention/attention.cu attention/arguments.cuh
[[length_of(sequences.lengths, target.sequence, to_int(sequences.used));]]
[[length_of(sequences.lengths, 0, to_int(sequences.used));]])
edit(whole-of-all-query-rows attention/attention.cu attention/arguments.cuh
[[  return {length_before(length, target.behind), length <=]]
[[  return {length, length <=]])
edit(key-of-a-whole-sequence-one-on attention/attention.cu attention/rows.cuh
[[list_ == nullptr ? entry :]]
[[list_ == nullptr ? entry + (entry > 0 ? -1 : 0) :]])
edit(whole-sequence-scored packed_scores/grouped_signed.cu functors/lengths.hpp
[[  return length > sequences.dense_up_to ? length : 0;]]
[[  return length >= sequences.dense_up_to ? length : 0;]])
edit(whole-sequence-selected selection/selection.cu functors/lengths.hpp
[[  return length > sequences.dense_up_to ? length : 0;]]
[[  return length >= sequences.dense_up_to ? length : 0;]])
edit(newest-keys-sampled packed_scores/grouped_signed.cu packed_scores/prepare_rows.cuh
[[key < row.kv.length - kMostAppended && head]]
[[key < row.kv.length && head]])
