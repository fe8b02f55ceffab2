# Edits of what several query rows of a sequence need: lengths, places, counts and budgets of their own. The form is that
# of edits.cmake. decode-rows must fail every one of them.

edit(every-query-row-scored-to-the-full-length packed_scores/packed_scores.cu packed_scores/tiles.cuh
[[  return query_rows > 1 ? query_rows - 1 - static_cast<int>(blockIdx.y) : 0;]]
[[  return 0;]])
edit(four-heads-of-a-query-row-to-the-full-length packed_scores/four_heads.cu packed_scores/tiles.cuh
[[  return query_rows > 1 ? query_rows - 1 - static_cast<int>(blockIdx.y) : 0;]]
[[  return 0;]])
edit(every-query-row-selects-from-the-full-length selection/selection.cu functors/lengths.hpp
[[  return {query_row / query_rows, query_rows - 1 - query_row % query_rows};]]
[[  return {query_row / query_rows, 0};]])
edit(query-rows-scored-in-reverse packed_scores/grouped_signed.cu packed_scores/tiles.cuh
[[  return query_rows > 1 ? query_rows - 1 - static_cast<int>(blockIdx.y) : 0;]]
[[  return static_cast<int>(blockIdx.y);]])
edit(query-rows-selected-in-reverse selection/selection.cu functors/lengths.hpp
[[  return {query_row / query_rows, query_rows - 1 - query_row % query_rows};]]
[[  return {query_row / query_rows, query_row % query_rows};]])
edit(query-rows-one-apart packed_scores/packed_scores.cu functors/lengths.hpp
[[  return length > behind ? length - behind : 0;]]
[[  return length > behind ? length - behind + (behind > 0 ? 1 : 0) : 0;]])
edit(row-seen-by-none-sees-a-key selection/selection.cu functors/lengths.hpp
[[  return length > behind ? length - behind : 0;]]
[[  return length > behind ? length - behind : length > 0 ? 1 : 0;]])
edit(heads-outside-of-query-rows packed_scores/four_heads.cu packed_scores/kernel.cuh
[[  const std::int64_t row = range.list_of(tile.kv);]]
[[  const std::int64_t row = range.head_of(tile.kv) * gridDim.y + blockIdx.y;]])
edit(query-rows-of-the-first-sequence packed_scores/packed_scores.cu packed_scores/kernel.cuh
[[  const std::int64_t row = range.list_of(tile.kv);]]
[[  const std::int64_t row = range.head_of(tile.kv) + blockIdx.y * range.all_heads;]])
edit(bins-of-the-next-query-row packed_scores/packed_scores.cu packed_scores/writing.cuh
[[    atomicAdd(&bins.counts[row * kScoreBins + i], counts[i]);]]
[[    const std::int64_t later = gridDim.y > 1 && blockIdx.y == 0 ? 1 : 0;
    atomicAdd(&bins.counts[(row + later) * kScoreBins + i], counts[i]);]])
edit(masks-by-query-rows packed_scores/packed_scores.cu packed_scores/kernel.cuh
[[work.page, key, range.head_of(tile.kv), range.heads_left);]]
[[work.page, key,
            kernel.args.mask.allowed_per_head ? min(row, kernel.args.shape.batch * kernel.args.shape.heads - 1) : range.head_of(tile.kv),
            range.heads_left);]])
edit(budget-of-the-sequence selection/selection.cu selection/kernel.cuh
[[budget_of(length, to_int(args.list.budget), to_int(args.list.sparsity));]]
[[budget_of(length_of(args.sequences.lengths,
                                              args.sequences.lengths == nullptr ? 0 :
                                              place_of_row(blockIdx.y, to_int(args.shape.heads),
                                                           query_rows_of(args.shape)).sequence,
                                              to_int(args.sequences.used)), to_int(args.list.budget), to_int(args.list.sparsity));]])
edit(window-of-the-sequence packed_scores/packed_scores.cu packed_scores/kernel.cuh
[[write(BinOfStep{kernel.bins.lowest}, tile.kv.length);]]
[[write(BinOfStep{kernel.bins.lowest}, tile.kv.length + to_int(gridDim.y - 1 - blockIdx.y));]])
edit(keys-of-a-query-row attention/attention.cu attention/arguments.cuh
[[    return {block_row, block_row, 1, block_row % heads / group, place.sequence, place.behind};]]
[[    return {block_row, block_row, 1, block_row % heads / group, block_row / heads % to_int(shape.batch), place.behind};]])
edit(parts-by-all-query-rows attention/attention.cu attention/attention.cu
[[resident / rows_of_blocks(args));]]
[[resident / (rows_of_blocks(args) * query_rows_of(args.shape)));]])
edit(query-rows-by-the-instance-of-one packed_scores/packed_scores.cu packed_scores/arguments.hpp
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr || kernel.pages.paged()]]
[[args.mask.allowed != nullptr || kernel.pages.paged()]])
edit(query-rows-of-four-heads-by-the-instance-of-one packed_scores/four_heads.cu packed_scores/arguments.hpp
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr || kernel.pages.paged()]]
[[args.mask.allowed != nullptr || kernel.pages.paged()]])
edit(query-rows-of-signed-scores-by-the-instance-of-one packed_scores/signed.cu packed_scores/arguments.hpp
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr || kernel.pages.paged()]]
[[args.mask.allowed != nullptr || kernel.pages.paged()]])
edit(query-rows-of-products-by-the-instance-of-one packed_scores/grouped_signed.cu packed_scores/arguments.hpp
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr || kernel.pages.paged()]]
[[args.mask.allowed != nullptr || kernel.pages.paged()]])
