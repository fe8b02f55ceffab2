# Edits of what a step says of the rest of its lists. The form is that of edits.cmake.

# Draws
edit(rest-words-of-the-first-list attention/attention.cu attention/draw_rest.cuh
[[static_cast<std::uint32_t>(row.list),]]
[[0u,]])
edit(rest-of-every-step-the-same attention/attention.cu attention/draw_rest.cuh
[[static_cast<std::uint32_t>(*kernel.rest.rest_step)]]
[[0u]])
edit(rest-drawn-too-seldom attention/attention.cu attention/draw_rest.cuh
[[low_bits(stream, key)) > last || !may_be)]]
[[low_bits(stream, key)) > last - last / 16 || !may_be)]])
edit(rest-words-looked-up-too-seldom attention/attention.cu attention/draw_rest.cuh
[[bits.at_most(most >> kLowBits)]]
[[bits.at_most(most >> kLowBits >> 1)]])
edit(rest-high-bits-of-the-next-key attention/attention.cu attention/draw_rest.cuh
[[queue[place++] = bits.of_key(i)]]
[[queue[place++] = bits.of_key(i ^ 1)]])
edit(rest-sum-without-the-first-bin attention/attention.cu attention/draw_rest.cuh
[[for (int bin = static_cast<int>(threadIdx.x); bin <= least;]]
[[for (int bin = static_cast<int>(threadIdx.x) + 1; bin <= least;]])
edit(rest-sum-of-low-units attention/attention.cu attention/draw_rest.cuh
[[(std::uint64_t{high} << kLowUnits) + low,]]
[[low,]])
edit(rest-sum-of-one-warp attention/attention.cu attention/draw_rest.cuh
[[sum = {sum.units + warp.units,]]
[[sum = {warp.units,]])
edit(rest-bin-of-fewer attention/attention.cu attention/draw_rest.cuh
[[bin_that_holds(bins, max(budget, 1u), total, shared);]]
[[bin_that_holds(bins, max(budget - budget / 4, 1u), total, shared);]])
edit(rest-listed-ties-among-it attention/attention.cu rest/arguments.hpp
[[<= span ? key < cut :]]
[[<= span ? key + 1 < cut :]])
edit(rest-first-tie-behind-the-list attention/attention.cu rest/arguments.hpp
[[<= span ? key < cut :]]
[[<= span ? key <= cut :]])
edit(rest-end-of-the-first-tie selection/selection.cu selection/kernel.cuh
[[for (std::uint32_t place = before.tied + 1; place < threshold.need; ++place) left &= left - 1;]]
[[]])
edit(rest-with-sink-and-window attention/attention.cu attention/draw_rest.cuh
[[key >= sink && key < window_begin;]]
[[key >= sink && key <= window_begin;]])
edit(rest-forbidden-drawn attention/attention.cu attention/draw_rest.cuh
[[(row.is_open(key) && score > -INFINITY && scale]]
[[(row.is_open(key) && scale]])
edit(rest-norms-of-sink-and-window scores/soft_buckets.cu rest/largest_norms.cuh
[[        each[i] = key + i >= of.open_begin && key + i < of.open_end ? each[i] : 0;]]
[[]])
edit(rest-nan-not-drawn attention/attention.cu attention/draw_rest.cuh
[[of_row.heavy != 0 ? kCertain : last_word]]
[[last_word]])
edit(rest-of-the-longest-sequence attention/attention.cu attention/draw_rest.cuh
[[scored_length(kernel.sequences, of_list / kernel.lists_to_sequence)]]
[[scored_length(kernel.sequences, 0)]])
edit(rest-parts-over-one-another attention/attention.cu attention/draw_rest.cuh
[[const int begin = min((part * kAttentionWarps + warp) * each, row.length),]]
[[const int begin = min((part * kAttentionWarps + warp) * each / 2, row.length),]])
edit(rest-log-sum-of-the-list-natural attention/merge_rows.cu attention/rest_result.cuh
[[const float log_sum = log_sum_exp * kLog2e,]]
[[const float log_sum = log_sum_exp,]])
edit(rest-reference-of-zero attention/attention.cu functors/rest_sample.hpp
[[finite_normaliser(reference * steps),]]
[[0,]])

# Estimates
edit(rest-probability-not-divided-out attention/attention.cu attention/weigh_rest.cuh
[[drawn.is_rest(i) ? 1 / rest_probability<float>(drawn.drawn.last[i]) : 0;]]
[[drawn.is_rest(i) ? 1 : 0;]])
edit(rest-key-of-another-head attention/attention.cu attention/attention.cu
[[cache_rows_of(args, target.sequence, target.kv_head, Layout::bytes), list,]]
[[cache_rows_of(args, target.sequence, is_rest ? 0 : target.kv_head, Layout::bytes), list,]])
edit(rest-warp-left-out attention/attention.cu attention/weigh_rest.cuh
[[  for (int i = 1; i < to_head; ++i) {]]
[[  for (int i = 2; i < to_head; ++i) {]])
edit(rest-part-left-out attention/merge_rows.cu attention/rest_result.cuh
[[    sum += rest.parts[i].sum * factor;]]
[[    if (i + 1 < kernel.parts) sum += rest.parts[i].sum * factor;]])
edit(rest-logits-of-the-first-head attention/attention.cu attention/weigh_rest.cuh
[[kernel.logits_of(target.first + head, part);]]
[[kernel.logits_of(target.first, part);]])
edit(rest-exponent-of-the-part attention/merge_rows.cu attention/rest_result.cuh
[[sum += rest.parts[i].sum * factor;]]
[[sum += rest.parts[i].sum;]])
edit(rest-sums-not-raised attention/merge_rows.cu attention/rest_result.cuh
[[    sums.certain += rest.sums[i].certain * factor;]]
[[    sums.certain += rest.sums[i].certain;]])
edit(rest-squares-raised-once attention/merge_rows.cu attention/rest_result.cuh
[[    sums.square += rest.sums[i].square * factor * factor;]]
[[    sums.square += rest.sums[i].square * factor;]])
edit(rest-certain-keys-left-out attention/attention.cu attention/weigh_rest.cuh
[[        sums.certain += weight;
]]
[[]])
edit(rest-output-not-normalised attention/merge_rows.cu attention/rest_result.cuh
[[output = (output + over_list(vector, exponent, log_sum)) / (1 + all);]]
[[output = output + over_list(vector, exponent, log_sum);]])
edit(rest-vectors-not-raised attention/merge_rows.cu attention/rest_result.cuh
[[vector = fmaf(kernel.vectors[(std::int64_t{head} * kMostRestParts + i) * dim + d], factor, vector);]]
[[vector += kernel.vectors[(std::int64_t{head} * kMostRestParts + i) * dim + d];]])

# Limits
edit(rest-bet-of-all attention/attention.cu attention/weigh_rest.cuh
[[bet_lost(bet, fminf(share, 1));]]
[[-log1pf(-fminf((bet == 0 ? 1 : 0.2f) * share, 1));]])
edit(rest-delta-not-divided attention/merge_rows.cu attention/rest_result.cuh
[[kernel.rest.rest_delta);]]
[[kFixedBets * kernel.rest.rest_delta);]])
edit(rest-norm-not-the-largest scores/soft_buckets.cu rest/largest_norms.cuh
[[largest = max(largest, max(two]]
[[largest = max(0u, max(two]])
edit(rest-normaliser-of-the-first-head attention/attention.cu attention/rest_ceilings.cuh
[[shared ? kernel.normalisers[head] :]]
[[shared ? kernel.normalisers[0] :]])
edit(rest-projection-of-the-first-head attention/attention.cu attention/rest_ceilings.cuh
[[std::int64_t{head} * kernel.tables * entries};]]
[[std::int64_t{0} * kernel.tables * entries};]])
edit(rest-nominal-of-all-squares attention/attention.cu attention/weigh_rest.cuh
[[sums.square += weight * weight * (1 - rest_probability<float>(list.drawn.last[i]));]]
[[sums.square += weight * weight;]])
edit(rest-ceiling-not-watched attention/attention.cu attention/weigh_rest.cuh
[[sums.broken += share <= 1 ? 0 : 1;]]
[[]])
edit(rest-flag-at-the-estimate attention/merge_rows.cu attention/rest_result.cuh
[[if (!(result.limit <= kernel.rest.rest_target))]]
[[if (!(result.weight <= kernel.rest.rest_target))]])
edit(rest-flags-not-counted-by-bit attention/merge_rows.cu attention/rest_result.cuh
[[atomicAdd(&rest.rest_flagged[bit], 1);]]
[[atomicAdd(&rest.rest_flagged[0], 1);]])
edit(rest-draws-unscored attention/attention.cu attention/draw_rest.cuh
[[(score != score && key < row.scored) ||]]
[[score != score ||]])
edit(rest-rows-cut-for-the-most-parts attention/attention.cu attention/draw_rest.cuh
[[kernel.parts * kAttentionWarps)]]
[[kMostRestParts * kAttentionWarps)]])
edit(rest-sums-of-a-part-too-many attention/merge_rows.cu attention/rest_result.cuh
[[sums[i] = i < kernel.parts ?]]
[[sums[i] = i <= kernel.parts ?]])
