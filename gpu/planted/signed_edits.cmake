# Edits of the products that score query heads of a kv head by the signed rule. The form is that of edits.cmake. score-signed
# and the steps must fail every one of them.

edit(weights-one-bit-short packed_scores/grouped_signed.cu functors/fixed_weights.hpp
[[const float weight = std::rint(projection * inverse_unit);]]
[[const float weight = 2 * std::rint(projection * inverse_unit / 2);]])
edit(sum-of-all-left-out packed_scores/grouped_signed.cu functors/fixed_weights.hpp
[[static_cast<float>(2 * set - all));]]
[[static_cast<float>(2 * set));]])
edit(last-bit-not-negative packed_scores/grouped_signed.cu packed_scores/grouped_products.cuh
[[int sum = -count(kWeightBits - 1);]]
[[int sum = count(kWeightBits - 1);]])
edit(bits-of-a-pair-exchanged packed_scores/grouped_signed.cu packed_scores/grouped_weights.cuh
[[const int column = 2 * (head % kSetHeads) + bit % 2;]]
[[const int column = 2 * (head % kSetHeads) + 1 - bit % 2;]])
edit(last-word-of-a-lane-read-as-first packed_scores/grouped_signed.cu packed_scores/grouped_products.cuh
[[word + 1 < of_lanes ? bytes_between(word) : last;]]
[[word + 1 < of_lanes ? bytes_between(word) : 0;]])
edit(words-left-over-lost packed_scores/grouped_signed.cu packed_scores/grouped_products.cuh
[[  if (of_lanes % 2 != 0) counts.add]]
[[  if (false) counts.add]])
edit(last-of-an-odd-number-of-words-not-copied packed_scores/grouped_signed.cu packed_scores/grouped_products.cuh
[[(of_two < words && word_of_two == 0)]]
[[false]])
edit(pieces-of-a-word-not-exchanged packed_scores/grouped_signed.cu packed_scores/grouped_products.cuh
[[CodeRing::piece_at(word < words ? word : 0, key / kPieceKeys)]]
[[((word < words ? word : 0) * kWordBytes + key / kPieceKeys * kLaneBytes)]])
edit(second-quarter-behind-the-first packed_scores/grouped_signed.cu packed_scores/grouped_products.cuh
[[(first ^ quarter * kQuarterBytes)]]
[[(first + quarter * kQuarterBytes)]])
edit(head-of-the-neighbour packed_scores/grouped_signed.cu packed_scores/grouped_weights.cuh
[[row.plane(at.head, words, at.word, lane) = of_lane;]]
[[row.plane(at.head ^ 1, words, at.word, lane) = of_lane;]])
edit(weights-of-first-row packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[const int place = tile.kv.row == row.row ? 0 : 1;]]
[[const int place = 0;]])
edit(last-tile-not-multiplied packed_scores/grouped_signed.cu packed_scores/tiles.cuh
[[end = begin_of(range + 1);]]
[[end = begin_of(range + 1) - (range + 1 == ranges ? 1 : 0);]])
edit(last-of-two-keys-dropped packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[key + ahead + 1 < length;]]
[[key + ahead + 2 < length;]])
edit(mask-of-first-of-a-group packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[of_tile.mask(args, first_head + head, key);]]
[[of_tile.mask(args, first_head, key);]])
edit(window-counted-by-a-group packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[const int candidates_end = window_begin(length, kernel.bins.window);]]
[[const int candidates_end = length;]])
edit(tile-of-the-window-counted packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[  const int end = counted ? window_begin(length, kernel.bins.window) : length;]]
[[  const int end = length;]])
edit(tile-of-the-sink-counted packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[  const int begin = counted ? kernel.bins.sink : 0;]]
[[  const int begin = 0;]])
edit(mask-passed-over packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[  return kernel.args.mask.allowed == nullptr && range]]
[[  return range]])
edit(counts-not-cleared packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[  clear_counts<Heads>(kernel, memory.counts);]]
[[]])
edit(counts-of-the-rows-before-kept packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[      clear_counts<Heads>(kernel, counts);]]
[[]])
edit(counts-of-the-second-row-too-near packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[(counts + i * Heads::lists * kScoreBins)]]
[[(counts + i * range.lists() * kScoreBins)]])
edit(tiles-left-over-dropped packed_scores/grouped_signed.cu packed_scores/tiles.cuh
[[ + i * (tiles % ranges) / ranges;]]
[[;]])
edit(last-word-of-the-first-set packed_scores/grouped_signed.cu packed_scores/grouped_products.cuh
[[steps * kStepBytes + set * kLastWordBytes;]]
[[steps * kStepBytes;]])
edit(projections-of-the-first-word packed_scores/grouped_signed.cu packed_scores/grouped_weights.cuh
[[kept_[next - 1] = kept_[next];]]
[[kept_[next - 1] = projection;]])
edit(words-not-taken-backwards packed_scores/grouped_signed.cu packed_scores/grouped_weights.cuh
[[for (int i = count() - 1; i >= 0; --i) {]]
[[for (int i = 0; i < count(); ++i) {]])
edit(words-not-kept-as-the-last-kept packed_scores/grouped_signed.cu packed_scores/grouped_weights.cuh
[[i < kept ? kept_[kept - 1] : this->projection(entries(i));]]
[[kept_[kept - 1];]])
edit(last-words-left-out packed_scores/grouped_signed.cu packed_scores/grouped_weights.cuh
[[WordOfHead<sets>::kHeads + warps - 1 - static_cast<int>]]
[[WordOfHead<sets>::kHeads - static_cast<int>]])
edit(projections-of-the-first-row packed_scores/grouped_signed.cu packed_scores/prepare_rows.cuh
[[(std::int64_t{list} * group + first_head) * of_head;]]
[[first_head * of_head;]])
edit(heads-of-the-last-pass-as-of-all packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[ && range.heads_left >= Heads::heads && ]]
[[ && ]])
edit(norm-of-the-next-key packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[scale.unit, __low2float(]]
[[scale.unit, __high2float(]])
edit(scores-cut-off packed_scores/grouped_signed.cu packed_scores/shared_list.cuh
[[return __floats2bfloat162_rn(scores.x, scores.y);]]
[[return {__float2bfloat16_rz(scores.x), __float2bfloat16_rz(scores.y)};]])
edit(last-of-odd-bf16-scores-dropped packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[        *out = __low2bfloat16(rounded[i]);]]
[[]])
edit(f32-scores-by-the-instance-of-bf16 packed_scores/grouped_signed.cu packed_scores/grouped_signed.cu
[[    return usual_case(kernel) == Serves::step && args.score_type == SKT_BF16
]]
[[    return usual_case(kernel) == Serves::step
]])
