# One edit of a fast kernel each: edit(name, unit compiled with it, file, passage, what stands there instead). gpu-check
# must fail every one of them. Edits of barriers, waits and fences, of which few show in every run: sync_edits.cmake.

# Half-tables
edit(plane-order-reversed scores/soft_buckets.cu functors/half_table.hpp
[[((code >> (count - 1 - plane)) & 1)]]
[[((code >> plane) & 1)]])
edit(scale-left-out scores/soft_buckets.cu scores/buckets_kernel.cuh
[[plane_logit(wq, args.scale, args.temperature);]]
[[plane_logit(wq, 1.0f, args.temperature);]])
edit(temperature-left-out scores/soft_buckets.cu scores/buckets_kernel.cuh
[[plane_logit(wq, args.scale, args.temperature);]]
[[plane_logit(wq, args.scale, 1.0f);]])
edit(corners-as-small-as-noise scores/soft_buckets.cu scores/buckets_kernel.cuh
[[const float signed_logit = set ? logit : -logit;]]
[[const float signed_logit = 0.02f * (set ? logit : -logit);]])
edit(last-coordinates-dropped scores/soft_buckets.cu scores/projections.cuh
[[  for (; d < dim; d += 32) {]]
[[  for (; d < dim - 8; d += 32) {]])
edit(bins-not-cleared scores/soft_buckets.cu scores/buckets_kernel.cuh
[[reinterpret_cast<uint4*>(words)[i] = {0, 0, 0, 0};]]
[[if (i == 0) reinterpret_cast<uint4*>(words)[i] = {0, 0, 0, 0};]])
edit(row-counters-not-cleared scores/soft_buckets.cu scores/buckets_kernel.cuh
[[clear_words(args.cleared, args.cleared_words);]]
[[clear_words(args.cleared, rows * kScoreBins);]])
edit(next-kernel-before-wait scores/soft_buckets.cu scores/buckets_kernel.cuh
[[  wait_for_previous_kernel();
  launch_next_kernel();  // after]]
[[  launch_next_kernel();
  wait_for_previous_kernel();  // after]])
edit(step-before-not-awaited scores/soft_buckets.cu scores/buckets_kernel.cuh
[[  wait_for_previous_kernel();
  launch_next_kernel();  // after]]
[[  launch_next_kernel();  // after]])

# Packed scores
edit(last-tile-dropped packed_scores/packed_scores.cu packed_scores/tiles.cuh
[[end = begin_of(range + 1);]]
[[end = begin_of(range + 1) - (range + 1 == ranges ? 1 : 0);]])
edit(row-moved-on-by-one packed_scores/packed_scores.cu packed_scores/tiles.cuh
[[    while (next < end && next >= after.kv.end()) after.kv]]
[[    if (next < end && next >= after.kv.end()) after.kv]])
edit(counted-without-room packed_scores/packed_scores.cu decode/decode_stages.hpp
[[int window = std::numeric_limits<int>::max();]]
[[int window = 0;]])
edit(last-key-dropped packed_scores/packed_scores.cu packed_scores/writing.cuh
[[if (left > 1) {]]
[[if (left > 2) {]])
edit(stale-half-tables packed_scores/packed_scores.cu packed_scores/tables.cuh
[[args.half_tables + row_of(i) * row_floats(), bytes, barrier_);]]
[[args.half_tables + row_of(0) * row_floats(), bytes, barrier_);]])
edit(stale-half-tables-of-four-heads packed_scores/four_heads.cu packed_scores/tables.cuh
[[put_together(args.half_tables + row_of(i) * row_floats(),]]
[[put_together(args.half_tables + row_of(0) * row_floats(),]])
edit(straddling-bit-lost packed_scores/packed_scores.cu functors/packed_codes.hpp
[[if (begin + width > kWordSlices) {]]
[[if (begin + width > kWordSlices + 1) {]])
edit(padding-tables-not-zeroed packed_scores/packed_scores.cu packed_scores/tables.cuh
[[row_begin(i / filling)[tables_ * kEntries + i % filling] = 0;]]
[[row_begin(i / filling)[tables_ * kEntries + i % filling] = 1;]])
edit(padding-tables-of-four-heads-not-zeroed packed_scores/four_heads.cu packed_scores/tables.cuh
[[table < tables_ ? heads_left : 0);]]
[[heads_left);]])
edit(low-half-of-the-neighbour packed_scores/packed_scores.cu packed_scores/stage.cuh
[[const int low = high + (4 << high_bits);]]
[[const int low = high + (4 << high_bits) + 4;]])
edit(chain-tail-lost packed_scores/four_heads.cu packed_scores/stage.cuh
[[    key.end_chain();]]
[[    if (quad + 1 < (first + count) / kQuadTables) key.end_chain();]])
edit(second-of-pair-lost packed_scores/four_heads.cu packed_scores/lanes.cuh
[[sum[2 * pair + 1] += __high2float(chain[pair]);]]
[[sum[2 * pair + 1] += __low2float(chain[pair]);]])
edit(norm-of-the-neighbour packed_scores/packed_scores.cu packed_scores/writing.cuh
[[sums[1].score(head, __high2float(pair.norms))]]
[[sums[1].score(head, __low2float(pair.norms))]])
edit(masked-scores-without-their-mask packed_scores/packed_scores.cu packed_scores/arguments.hpp
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr || kernel.pages.paged()]]
[[args.shape.query_rows > 1 || kernel.pages.paged()]])
edit(masked-scores-of-four-heads-without-their-mask packed_scores/four_heads.cu packed_scores/arguments.hpp
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr || kernel.pages.paged()]]
[[args.shape.query_rows > 1 || kernel.pages.paged()]])
edit(masked-signed-scores-without-their-mask packed_scores/signed.cu packed_scores/arguments.hpp
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr || kernel.pages.paged()]]
[[args.shape.query_rows > 1 || kernel.pages.paged()]])
edit(masked-products-without-their-mask packed_scores/grouped_signed.cu packed_scores/arguments.hpp
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr || kernel.pages.paged()]]
[[args.shape.query_rows > 1 || kernel.pages.paged()]])
edit(scores-of-a-rank-by-the-instance-of-a-step packed_scores/packed_scores.cu packed_scores/arguments.hpp
[[kernel.bins.of_shards ? Serves::rank : Serves::step]]
[[Serves::step]])
edit(scores-of-a-rank-of-four-heads-by-the-instance-of-a-step packed_scores/four_heads.cu packed_scores/arguments.hpp
[[kernel.bins.of_shards ? Serves::rank : Serves::step]]
[[Serves::step]])
edit(signed-scores-of-a-rank-by-the-instance-of-a-step packed_scores/signed.cu packed_scores/arguments.hpp
[[return f.template operator()<Serves::rank>();]]
[[return f.template operator()<Serves::step>();]])
edit(other-tables-of-a-rank-by-the-instance-of-a-step packed_scores/packed_scores.cu packed_scores/launch.cuh
[[usual_case(kernel) == Serves::step]]
[[usual_case(kernel) != Serves::any]])
edit(other-tables-of-a-rank-of-four-heads-by-the-instance-of-a-step packed_scores/four_heads.cu packed_scores/launch.cuh
[[usual_case(kernel) == Serves::step]]
[[usual_case(kernel) != Serves::any]])
edit(other-signed-tables-of-a-rank-by-the-instance-of-a-step packed_scores/signed.cu packed_scores/launch.cuh
[[usual_case(kernel) == Serves::step]]
[[usual_case(kernel) != Serves::any]])
edit(lengths-left-out packed_scores/packed_scores.cu packed_scores/arguments.hpp
[[    kernel.pages.table = nullptr;]]
[[    kernel.pages.table = nullptr;
    kernel.args.sequences.lengths = nullptr;]])
edit(lengths-of-four-heads-left-out packed_scores/four_heads.cu packed_scores/arguments.hpp
[[    kernel.pages.table = nullptr;]]
[[    kernel.pages.table = nullptr;
    kernel.args.sequences.lengths = nullptr;]])
edit(lengths-of-signed-scores-left-out packed_scores/signed.cu packed_scores/arguments.hpp
[[    kernel.pages.table = nullptr;]]
[[    kernel.pages.table = nullptr;
    kernel.args.sequences.lengths = nullptr;]])
edit(lengths-of-products-left-out packed_scores/grouped_signed.cu packed_scores/arguments.hpp
[[    kernel.pages.table = nullptr;]]
[[    kernel.pages.table = nullptr;
    kernel.args.sequences.lengths = nullptr;]])
edit(mask-of-first-head packed_scores/packed_scores.cu packed_scores/tiles.cuh
[[std::int64_t{args.mask.allowed_per_head ? row : sequence}]]
[[std::int64_t{sequence}]])
edit(sink-counted packed_scores/packed_scores.cu packed_scores/writing.cuh
[[const bool first_is_candidate = key >= sink && key < candidates_end;]]
[[const bool first_is_candidate = key < candidates_end;]])
edit(row-counted-by-its-first-block packed_scores/packed_scores.cu packed_scores/tiles.cuh
[[return min(end, kv.end()) - max(begin, kv.begin);]]
[[return kv.end() - kv.begin;]])
edit(bins-of-last-row-lost packed_scores/packed_scores.cu packed_scores/kernel.cuh
[[for (int i = 0; i < here.rows; ++i) {
    add_to_row]]
[[for (int i = 0; i + 1 < here.rows; ++i) {
    add_to_row]])
edit(tables-read-before-written packed_scores/packed_scores.cu packed_scores/kernel.cuh
[[  wait_for_previous_kernel();
  if (rows_counted)]]
[[  if (rows_counted)]])

# Selection
edit(scores-dropped-before-gathered selection/selection.cu selection/kernel.cuh
[[  count_and_gather(share, threshold.is_divisible(), bits, shared.marks);
  if (kernel.bins.counts != nullptr && !kernel.bins.scores_stay) share.drop();]]
[[  if (kernel.bins.counts != nullptr && !kernel.bins.scores_stay) share.drop();
  count_and_gather(share, threshold.is_divisible(), bits, shared.marks);]])
edit(ties-upward selection/selection.cu selection/places.cuh
[[if (certain || (tied && before.tied < need))]]
[[if (certain || (tied && before.tied + 1 < need))]])
edit(sink-among-the-candidates selection/selection.cu selection/row.cuh
[[if (key >= candidates_begin && key < candidates_end]]
[[if (key >= min(candidates_begin, begin) && key < candidates_end]])
edit(bins-counted-without-atomics selection/selection.cu selection/threshold.cuh
[[atomicAdd(&bins[(key - threshold.base) >> shift], 1u);]]
[[bins[(key - threshold.base) >> shift] += 1u;]])
edit(sink-one-short selection/selection.cu selection/row.cuh
[[return key < sink || key >= window_begin;]]
[[return key + 1 < sink || key >= window_begin;]])
edit(marks-of-eight-blocks-counted selection/selection.cu selection/kernel.cuh
[[lane < cluster_size() ? *shared_of(&shared.marks.here, lane) : Place{0, 0};]]
[[lane < min(cluster_size(), 8) ? *shared_of(&shared.marks.here, lane) : Place{0, 0};]])
edit(keys-of-last-block-not-brought selection/selection.cu selection/kernel.cuh
[[if (gathers && rank < cluster_size()) {]]
[[if (gathers && rank < max(cluster_size() - 1, 1)) {]])

edit(wide-bin-of-bf16-taken-for-one-number selection/selection.cu selection/kernel.cuh
[[  if (kIsBf16<Score> && threshold.width <= kScoreBinShift) threshold.width = 0;]]
[[  if (kIsBf16<Score>) threshold.width = 0;]])
edit(lines-of-bf16-shared-by-warps selection/selection.cu selection/kernel.cuh
[[  return to_int(ceil_div(static_cast<unsigned>(keys), lines) * kLineScores<Score>);]]
[[  return to_int(ceil_div(static_cast<unsigned>(keys), lines / kLineScores<Score> * 32) * 32);]])
edit(last-of-an-eight-not-read selection/selection.cu selection/row.cuh
[[} else if (left > 0) {]]
[[} else if (left > 1) {]])
edit(forbidden-sink-of-bf16-selected selection/selection.cu selection/marks.cuh
[[(forced & (may_be | ~bits_before(key, share.unscored_begin))));]]
[[forced);]])
edit(window-of-bf16-among-the-ties selection/selection.cu selection/marks.cuh
[[tied &= there & ~forced;]]
[[tied &= there;]])
edit(threshold-rounded-to-the-nearest-bf16 selection/selection.cu selection/marks.cuh
[[__float2bfloat16_ru(open_from)]]
[[__float2bfloat16_rn(open_from)]])
edit(end-of-bin-rounded-to-the-nearest-bf16 selection/selection.cu selection/marks.cuh
[[__float2bfloat16_ru(certain_from)]]
[[__float2bfloat16_rn(certain_from)]])
edit(scores-not-awaited selection/selection.cu selection/kernel.cuh
[[wait_for_row(kernel.progress.scored, row, ceil_div(length, to_int(kTileKeys)));]]
[[if (kernel.progress.scored == nullptr) wait_for_previous_kernel();]])

# Attention
edit(parts-shared-by-calls attention/attention.cu attention/attention.cu
[[  auto* workspace = static_cast<char*>(args.workspace);]]
[[  static void* const shared_by_calls = [] {
    void* begin = nullptr;
    cudaMalloc(&begin, std::size_t{1} << 30);
    return begin;
  }();
  auto* workspace = static_cast<char*>(shared_by_calls);]])
edit(list-not-awaited attention/attention.cu attention/attention.cu
[[  if (settled && !whole && !is_rest) wait_for_row(kernel.listed, target.list, kWholeRow);]]
[[  if (settled && !whole && !is_rest && kernel.listed == nullptr) wait_for_previous_kernel();]])
edit(vectors-not-rescaled attention/attention.cu attention/average.cuh
[[      for (int e = 0; e < per_piece; ++e) vector_[i][e] *= factor;]]
[[      for (int e = 0; e < per_piece; ++e) vector_[i][e] *= 1;]])
edit(warps-merged-by-one-factor attention/attention.cu attention/parts.cuh
[[vector = fmaf(vectors[w * dim + d], factors[w], vector);]]
[[vector = fmaf(vectors[w * dim + d], factors[0], vector);]])
edit(last-part-not-merged attention/merge_rows.cu attention/parts.cuh
[[held[i] = part < used ?]]
[[held[i] = part < max(used - 1, 1) ?]])
edit(copy-not-awaited attention/attention.cu attention/rows.cuh
[[wait_for_rounds<kStages - 2>();]]
[[wait_for_rounds<kStages>();]])
edit(key-behind-the-list attention/attention.cu attention/average.cuh
[[return key < left ? any : -INFINITY;]]
[[return key <= left ? any : -INFINITY;]])
edit(heads-interleaved attention/attention.cu attention/attention.cu
[[cache_rows_of(args, target.sequence, target.kv_head, Layout::bytes), list,]]
[[cache_rows_of(args, target.sequence, target.first % args.shape.heads % args.shape.kv_heads, Layout::bytes),
                    list,]])
edit(values-of-the-first-kv-head attention/attention.cu attention/rows.cuh
[[static_cast<const std::byte*>(args.cache.values) + first};]]
[[static_cast<const std::byte*>(args.cache.values) +
                   (paged ? first : sequence * args.shape.kv_heads * args.shape.capacity * bytes)};]])
edit(place-in-the-page-dropped attention/attention.cu attention/rows.cuh
[[page_stride + in_page * token_stride;]]
[[page_stride + 0 * in_page * token_stride;]])
edit(table-of-first-sequence attention/attention.cu attention/rows.cuh
[[args.paged.block_table + sequence * args.paged.blocks;]]
[[args.paged.block_table;]])
edit(rows-of-next-batch-early attention/attention.cu attention/rows.cuh
[[    row_ = next_row_;]]
[[    row_ = next_token_;]])

# Keys and values of e4m3
edit(key-scale-of-the-neighbour attention/attention.cu attention/attention.cu
[[  const float key_scale = scale_of(args.cache.key_scales, target.kv_head);]]
[[  const float key_scale = scale_of(args.cache.key_scales, max(target.kv_head - 1, 0));]])
edit(scale-of-the-query-head attention/attention.cu attention/arguments.cuh
[[    return {block_row, block_row, 1, block_row % heads / group, place.sequence, place.behind};]]
[[    return {block_row, block_row, 1, block_row % kv_heads, place.sequence, place.behind};]])
edit(value-scale-left-out attention/merge_rows.cu attention/merge_rows.cu
[[vector *= value_scale;]]
[[  vector *= 1.0f;]])
edit(key-scale-for-values attention/merge_rows.cu attention/merge_rows.cu
[[scale_of(kernel.args.cache.value_scales, target.kv_head)]]
[[scale_of(kernel.args.cache.key_scales, target.kv_head)]])
edit(key-scale-rounded attention/attention.cu attention/attention.cu
[[args.logit_scale * key_scale);]]
[[args.logit_scale * __bfloat162float(__float2bfloat16_rn(key_scale)));]])
edit(bytes-flushed attention/attention.cu device/element.cuh
[[    numbers[2 * i] = pair.x;]]
[[    numbers[2 * i] = fabsf(pair.x) < 0x1p-6f ? 0 : pair.x;]])
edit(bias-of-bytes-off-by-one attention/attention.cu device/element.cuh
[[    numbers[2 * i + 1] = pair.y;]]
[[    numbers[2 * i + 1] = fabsf(pair.y) < 0x1p-6f ? pair.y : 2 * pair.y;]])
edit(nan-byte-as-480 attention/attention.cu device/element.cuh
[[    numbers[2 * i + 1] = pair.y;]]
[[    numbers[2 * i + 1] = pair.y == pair.y ? pair.y : 480;]])
edit(sign-of-bytes-dropped attention/attention.cu device/element.cuh
[[    const float2 pair = e4m3_pair(pairs[i]);]]
[[    const float2 pair = e4m3_pair(pairs[i] & 0xff7f);]])
edit(bytes-swapped attention/attention.cu device/element.cuh
[[    const float2 pair = e4m3_pair(pairs[i]);]]
[[    const float2 pair = e4m3_pair(pairs[i] << 8 | pairs[i] >> 8);]])
edit(log-sum-exp-of-nan-as-nothing attention/merge_rows.cu functors/softmax_merge.hpp
[[part.sum == 0 ?]]
[[!(part.sum > 0) ?]])

# Lengths
edit(length-of-the-neighbour packed_scores/packed_scores.cu packed_scores/kernel.cuh
[[window_begin(length, kernel.bins.window), bin_of, tile.kv.length,]]
[[window_begin(length, kernel.bins.window), bin_of,
               length_of(kernel.args.sequences.lengths, min(to_int(tile.kv.row / to_int(kernel.args.shape.kv_heads)) + 1,
                                                  to_int(kernel.args.shape.batch) - 1), to_int(kernel.args.sequences.used)),]])
edit(window-of-a-longer-sequence selection/selection.cu selection/kernel.cuh
[[          window_begin(length, to_int(args.list.window)),]]
[[          window_begin(max(length, length_of(args.sequences.lengths, 0, to_int(args.sequences.used))), to_int(args.list.window)),]])
edit(last-partial-tile-dropped packed_scores/packed_scores.cu packed_scores/tiles.cuh
[[tiles += ceil_div<unsigned>(length_of_lane(args, first), kTileKeys);]]
[[tiles += length_of_lane(args, first) / static_cast<unsigned>(kTileKeys);]])
edit(first-row-by-the-first-length packed_scores/packed_scores.cu packed_scores/tiles.cuh
[[__shfl_sync(~0u, length, owner)};]]
[[__shfl_sync(~0u, length, 0)};]])
edit(empty-sequence-not-passed-over packed_scores/four_heads.cu packed_scores/tiles.cuh
[[behind.row = ++sequence * kv_heads) {]]
[[behind.row = ++sequence) {]])
edit(window-counted-from-used packed_scores/packed_scores.cu packed_scores/kernel.cuh
[[write(BinOfStep{kernel.bins.lowest}, tile.kv.length);]]
[[write(BinOfStep{kernel.bins.lowest}, to_int(kernel.args.sequences.used));]])
edit(window-selected-from-used selection/selection.cu selection/kernel.cuh
[[          window_begin(length, to_int(args.list.window)),]]
[[          window_begin(to_int(args.sequences.used), to_int(args.list.window)),]])
edit(budget-from-capacity selection/selection.cu selection/kernel.cuh
[[budget_of(length, to_int(args.list.budget), to_int(args.list.sparsity));]]
[[budget_of(to_int(args.shape.capacity), to_int(args.list.budget), to_int(args.list.sparsity));]])
edit(budget-rounded-up selection/selection.cu functors/lengths.hpp
[[const int share = length / sparsity;]]
[[const int share = (length + sparsity - 1) / sparsity;]])
edit(score-behind-the-length packed_scores/four_heads.cu packed_scores/writing.cuh
[[  const int left = length - key;]]
[[  const int left = length + 1 - key;]])
edit(lengths-of-the-capture selection/selection.cu selection/selection.cu
[[  const SelectionArguments kernel = {args, bins, progress, inputs, rest_ends(rest), unscored};]]
[[  skt_select_keys_args stale = args;
  if (args.sequences.lengths != nullptr) {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
    cudaStream_t beside = nullptr;
    cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking);
    std::int32_t* copy = nullptr;
    cudaMalloc(&copy, all_rows(args.shape) * sizeof *copy);
    cudaMemcpyAsync(copy, args.sequences.lengths, args.shape.batch * sizeof *copy, cudaMemcpyDeviceToDevice,
                    beside);
    cudaStreamSynchronize(beside);
    cudaStreamDestroy(beside);
    cudaThreadExchangeStreamCaptureMode(&mode);
    stale.sequences.lengths = copy;
  }
  const SelectionArguments kernel = {stale, bins, progress, inputs, rest_ends(rest), unscored};]])
edit(log-sum-exp-to-base-two attention/merge_rows.cu functors/softmax_merge.hpp
[[(part.exponent + std::log2(part.sum)) * ln2]]
[[(part.exponent * ln2 + std::log2(part.sum))]])

# Index building
edit(sign-strict index/build_index.cu index/build_kernel.cuh
[[if (sum[i / 4][i % 4] >= 0)]]
[[if (sum[i / 4][i % 4] > 0)]])
edit(hyperplanes-rounded-up index/build_index.cu index/build_kernel.cuh
[[  out = __float2bfloat16_rn(x);]]
[[  out = __float2bfloat16_ru(x);]])
edit(plane-order-of-index index/build_index.cu index/build_kernel.cuh
[[at.table * a.index.shape.planes + a.index.shape.planes - 1 - at.bit;]]
[[at.table * a.index.shape.planes + at.bit;]])
edit(bits-behind-the-last index/build_index.cu index/build_kernel.cuh
[[return __ballot_sync(~0u, at.table < index.shape.tables);]]
[[return __ballot_sync(~0u, at.table >= 0);]])
edit(append-overwrites-tile index/build_index.cu index/build_kernel.cuh
[[if (key < range.begin || key >= range.end) continue;]]
[[if (key >= range.end) continue;]])
edit(last-norm-dropped index/build_index.cu index/build_kernel.cuh
[[if (key >= range.begin && key < range.end)]]
[[if (key >= range.begin && key + 1 < range.end)]])
edit(appended-one-place-on index/build_index.cu functors/lengths.hpp
[[given_length(written.lengths, sequence) - written.count;]]
[[given_length(written.lengths, sequence) + 1 - written.count;]])
edit(appended-at-the-neighbours-length index/build_index.cu index/build_kernel.cuh
[[appended_keys(index, to_int(row_of(item) / static_cast<unsigned>(to_int(index.shape.kv_heads))));]]
[[appended_keys(index, to_int(min(row_of(item) / index.shape.kv_heads + 1, index.shape.batch - 1)));]])
edit(appended-to-an-empty-sequence index/build_index.cu functors/lengths.hpp
[[given_length(written.lengths, sequence) - written.count;]]
[[(given_length(written.lengths, sequence) > 1 ? given_length(written.lengths, sequence) : 1) - written.count;]])
edit(appended-tile-border-not-crossed attention/merge_rows.cu index/build_kernel.cuh
[[args.written.first % keys : keys - 1;]]
[[args.written.first % keys : 0;]])
edit(appended-behind-the-capacity index/value_norms.cu functors/lengths.hpp
[[end < args.shape.capacity ? end : args.shape.capacity};]]
[[end};]])
edit(code-appended-to-the-first-sequence index/key_codes.cu index/key_codes.cu
[[appended_keys(args, to_int(blockIdx.y / args.shape.kv_heads));]]
[[appended_keys(args, 0);]])
edit(words-appended-by-heads index/key_codes.cu index/key_codes.cu
[[appended_keys(args, to_int(row / args.shape.kv_heads));]]
[[appended_keys(args, to_int(row % args.shape.batch));]])
edit(bytes-between-wrong-lanes index/build_index.cu index/build_kernel.cuh
[[odd ? 0x3715 : 0x6240);]]
[[odd ? 0x3725 : 0x6140);]])
edit(hyperplanes-replaced-while-read index/key_codes.cu index/key_codes.cu
[[    block_barrier();
    for (int i = threadIdx.x; i < planes * dim; i += kKeys)]]
[[    if (table == 0) block_barrier();
    for (int i = threadIdx.x; i < planes * dim; i += kKeys)]])
edit(wrong-word-at-tile-border index/key_codes.cu functors/packed_codes.hpp
[[return (key / kTileKeys * words + word) * kTileKeys + key % kTileKeys;]]
[[return ((key + 1) / kTileKeys * words + word) * kTileKeys + key % kTileKeys;]])
edit(norms-overflow index/value_norms.cu index/value_norm.cuh
[[norm > kLargestHalf ? kLargestHalf : norm]]
[[norm > INFINITY ? kLargestHalf : norm]])
edit(norm-behind-the-last index/value_norms.cu index/value_norms.cu
[[if (key >= range.end) return;]]
[[if (key > range.end) return;]])
edit(published-sign-strict index/key_codes.cu index/key_codes.cu
[[(projection[p] >= 0 ? 1 : 0)]]
[[(projection[p] > 0 ? 1 : 0)]])
edit(published-plane-order index/key_codes.cu index/key_codes.cu
[[code = 2 * code + (projection[p] >= 0 ? 1 : 0);]]
[[code |= (projection[p] >= 0 ? 1 : 0) << (plane + p);]])
edit(sixteen-published-planes index/key_codes.cu index/key_codes.cu
[[check.hash(args.shape, 1, kMostPublishedPlanes);]]
[[check.hash(args.shape, 1, kMostPublishedPlanes + 1);]])
edit(norm-of-last-chunk-lost index/value_norms.cu index/value_norm.cuh
[[for (int d = 0; d < dim; d += kPerLoad<Element>) {]]
[[for (int d = 0; d + kPerLoad<Element> < dim; d += kPerLoad<Element>) {]])

# The published kernels
edit(last-table-of-rest-lost scores/collision_scores.cu scores/collision_scores.cu
[[(args, probabilities, codes, left, sum);]]
[[(args, probabilities, codes, left - 1, sum);]])
edit(published-mask-ignored scores/collision_scores.cu scores/collision_scores.cu
[[args.allowed == nullptr || args.allowed[mask_row * args.capacity + key] != 0;]]
[[args.allowed == nullptr || mask_row >= 0;]])
edit(published-heads-interleaved scores/collision_scores.cu scores/collision_scores.cu
[[row % args.heads / (args.heads / args.kv_heads);]]
[[row % args.heads % args.kv_heads;]])
edit(published-score-behind-the-last scores/collision_scores.cu scores/collision_scores.cu
[[if (key >= args.used) return;]]
[[if (key > args.used) return;]])
edit(bad-codes-counted-without-atomics scores/collision_scores.cu scores/collision_scores.cu
[[  atomicAdd(&noted[0], 1ull);]]
[[  *static_cast<volatile unsigned long long*>(noted) = noted[0] + 1;]])
edit(published-mask-of-first-head scores/collision_scores.cu scores/collision_scores.cu
[[args.allowed_per_head ? row : batch;]]
[[batch;]])
edit(window-one-late selection/published_list.cu selection/published_list.cu
[[key = args.used - window + (i - sink);]]
[[key = args.used - window + (i - sink) + (i > sink ? 0 : 1);]])

# Addresses: run on the case above 2^31 elements only.
edit(int32-wrap-of-addresses scores/collision_scores.cu scores/collision_scores.cu
[[args.codes + kv_row * args.tables * args.capacity + key;]]
[[args.codes + (kv_row * args.tables * args.capacity + key) % 0x80000000ll;]])
edit(int32-wrap-of-packed packed_scores/packed_scores.cu packed_scores/writing.cuh
[[static_cast<float*>(args.scores) + row * args.shape.capacity + key;]]
[[static_cast<float*>(args.scores) + static_cast<std::uint32_t>(row * args.shape.capacity + key) % 0x80000000u;]])
edit(int32-wrap-of-packed-words packed_scores/packed_scores.cu packed_scores/tiles.cuh
[[std::uint64_t{place(kernel, page)} * static_cast<unsigned>(words * kTileKeys);]]
[[std::uint64_t{place(kernel, page)} * static_cast<unsigned>(words * kTileKeys) % 0x80000000u;]])
edit(int32-wrap-of-attention attention/attention.cu attention/rows.cuh
[[kv_row * args.shape.capacity) * bytes;]]
[[kv_row * args.shape.capacity) * bytes % 0x80000000ll;]])
edit(int32-wrap-of-index index/build_index.cu index/build_kernel.cuh
[[index.packed + here.place / kTileKeys * (kTileKeys * a.words);]]
[[index.packed + here.place / kTileKeys * (kTileKeys * a.words) % 0x80000000ll;]])
