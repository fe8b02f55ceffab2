# Edits of what a step says of the rest of its lists. The form is that of edits.cmake.

# Draws
edit(rest-words-of-the-first-list selection/selection.cu selection/draw_rest.cuh
[[rest_words(kernel.rest.rest_seed, row.list, step, key / 4);]]
[[rest_words(kernel.rest.rest_seed, 0, step, key / 4);]])
edit(rest-of-every-step-the-same selection/selection.cu selection/draw_rest.cuh
[[kernel.rest.rest_step == nullptr ? 0 : *kernel.rest.rest_step;]]
[[0;]])
edit(rest-drawn-too-seldom selection/selection.cu selection/draw_rest.cuh
[[if (word > last || !may_be) return;]]
[[if (word > last - last / 16 || !may_be) return;]])
edit(rest-words-looked-up-too-seldom selection/selection.cu selection/draw_rest.cuh
[[if (shared.found[i].word <= most) draw]]
[[if (shared.found[i].word <= most / 2) draw]])
edit(rest-sum-without-the-first-bin selection/selection.cu selection/draw_rest.cuh
[[if (bin > least || of_bins[i] == 0) continue;]]
[[if (bin > least || bin == 0) continue;]])
edit(rest-sum-of-low-units selection/selection.cu selection/draw_rest.cuh
[[(std::uint64_t{high} << kLowBits) + low,]]
[[low,]])
edit(rest-sum-of-one-warp selection/selection.cu selection/draw_rest.cuh
[[sum = {sum.units + warp.units,]]
[[sum = {warp.units,]])
edit(rest-bin-of-fewer selection/selection.cu selection/draw_rest.cuh
[[min(max(budget, 1u), total);]]
[[min(max(budget - budget / 4, 1u), total);]])
edit(rest-listed-ties-among-it attention/attention.cu rest/arguments.hpp
[[<= span ? key < cut :]]
[[<= span ? key + 1 < cut :]])
edit(rest-first-tie-behind-the-list attention/attention.cu rest/arguments.hpp
[[<= span ? key < cut :]]
[[<= span ? key <= cut :]])
edit(rest-end-of-the-first-tie selection/selection.cu selection/kernel.cuh
[[for (std::uint32_t place = before.tied + 1; place < threshold.need; ++place) left &= left - 1;]]
[[]])
edit(rest-with-sink-and-window selection/selection.cu selection/draw_rest.cuh
[[key >= sink && key < window_begin;]]
[[key >= sink && key <= window_begin;]])
edit(rest-forbidden-drawn selection/selection.cu selection/draw_rest.cuh
[[(row.is_open(key) && score > -INFINITY && scale]]
[[(row.is_open(key) && scale]])
edit(rest-norms-of-sink-and-window selection/selection.cu selection/draw_rest.cuh
[[if (row.is_open(key + i)) largest]]
[[largest]])
edit(rest-nan-not-drawn selection/selection.cu selection/draw_rest.cuh
[[of_row.heavy != 0 ? kCertain : last_word]]
[[last_word]])
edit(rest-of-the-longest-sequence selection/selection.cu selection/draw_rest.cuh
[[scored_length(args.sequences, list / to_int(args.shape.heads));]]
[[scored_length(args.sequences, 0);]])
edit(rest-of-blocks-one-behind-the-other selection/selection.cu selection/draw_rest.cuh
[[lane < cluster_rank() ? of_rank : 0);]]
[[lane < cluster_rank() - 1 ? of_rank : 0);]])
edit(rest-log-sum-of-the-list-natural attention/merge_rows.cu attention/rest_result.cuh
[[const float log_sum = log_sum_exp * kLog2e;]]
[[const float log_sum = log_sum_exp;]])
edit(rest-reference-of-zero selection/selection.cu functors/rest_sample.hpp
[[finite_normaliser(reference * steps),]]
[[0,]])

# Estimates
edit(rest-probability-not-divided-out attention/attention.cu attention/drawn_rest.cuh
[[has_key ? exp2f(logit - exponent) / probability : 0;]]
[[has_key ? exp2f(logit - exponent) : 0;]])
edit(rest-key-of-another-head attention/attention.cu attention/attention.cu
[[                        cache_rows_of(args, target.sequence, target.kv_head, Layout::bytes), args.logit_scale,]]
[[                        cache_rows_of(args, target.sequence, 0, Layout::bytes), args.logit_scale,]])
edit(rest-warp-left-out attention/attention.cu attention/drawn_rest.cuh
[[if (lane < warps) mine = shared.sums[lane][head];]]
[[if (lane < warps - 1) mine = shared.sums[lane][head];]])
edit(rest-part-left-out attention/merge_rows.cu attention/rest_result.cuh
[[    joined.sums.all += part.sums.all * factors[i];]]
[[    if (i + 1 < kRestParts) joined.sums.all += part.sums.all * factors[i];]])
edit(rest-half-of-the-heads attention/attention.cu attention/drawn_rest.cuh
[[if (wanted >= heads) continue;]]
[[if (wanted >= heads || lane >= kHalf) continue;]])
edit(rest-exponent-of-the-warp attention/attention.cu attention/drawn_rest.cuh
[[part.sums.all = half_sum(mine.sums.all * factor);]]
[[part.sums.all = half_sum(mine.sums.all);]])
edit(rest-sums-not-raised attention/attention.cu attention/drawn_rest.cuh
[[    sums.certain = sums.certain * factor +]]
[[    sums.certain = sums.certain +]])
edit(rest-squares-raised-once attention/attention.cu attention/drawn_rest.cuh
[[    sums.square = sums.square * factor * factor +]]
[[    sums.square = sums.square * factor +]])
edit(rest-certain-keys-left-out attention/attention.cu attention/drawn_rest.cuh
[[half_sum(is_drawn ? 0 : weight);]]
[[half_sum(0);]])
edit(rest-output-not-normalised attention/merge_rows.cu attention/rest_result.cuh
[[(output + vector) / (1 + over_list(part.sums.all, part.exponent, log_sum));]]
[[output + vector;]])
edit(rest-vectors-not-raised attention/attention.cu attention/drawn_rest.cuh
[[shared.vectors[warp][head][lane * per_lane + e] * shared.factors[warp][head];]]
[[shared.vectors[warp][head][lane * per_lane + e];]])

# Limits
edit(rest-bet-of-all attention/attention.cu attention/drawn_rest.cuh
[[half_sum(bet_lost(bet, fminf(share, 1)));]]
[[half_sum(-log1pf(-fminf((bet == 0 ? 1 : 0.2f) * share, 1)));]])
edit(rest-delta-not-divided attention/merge_rows.cu attention/rest_result.cuh
[[part.rate), kernel.rest.rest_delta);]]
[[part.rate), kFixedBets * kernel.rest.rest_delta);]])
edit(rest-norm-not-the-largest selection/selection.cu selection/draw_rest.cuh
[[largest = max(largest, norm);]]
[[largest = norm;]])
edit(rest-normaliser-of-the-first-head attention/attention.cu attention/rest_ceilings.cuh
[[shared ? kernel.normalisers[head] :]]
[[shared ? kernel.normalisers[0] :]])
edit(rest-projection-of-the-first-head attention/attention.cu attention/rest_ceilings.cuh
[[std::int64_t{head} * kernel.tables * entries};]]
[[std::int64_t{0} * kernel.tables * entries};]])
edit(rest-nominal-of-all-squares attention/attention.cu attention/drawn_rest.cuh
[[weight * weight * (1 - probability) : 0);]]
[[weight * weight : 0);]])
edit(rest-ceiling-not-watched attention/attention.cu attention/drawn_rest.cuh
[[__ballot_sync(~0u, !(share <= 1));]]
[[0;]])
edit(rest-flag-at-the-estimate attention/merge_rows.cu attention/rest_result.cuh
[[if (!(result.limit <= kernel.rest.rest_target))]]
[[if (!(result.weight <= kernel.rest.rest_target))]])
edit(rest-flags-not-counted-by-bit attention/merge_rows.cu attention/rest_result.cuh
[[atomicAdd(&rest.rest_flagged[bit], 1);]]
[[atomicAdd(&rest.rest_flagged[0], 1);]])
edit(rest-draws-unscored selection/selection.cu selection/draw_rest.cuh
[[(score != score && key < row.scored) ||]]
[[score != score ||]])
