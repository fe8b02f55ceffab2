# Edits of what a step says of the rest of its lists. The form is that of edits.cmake.

# Draws
edit(rest-words-of-the-first-list rest/rest.cu rest/rest.cu
[[rest_words(rest.rest_seed, row.list, step,]]
[[rest_words(rest.rest_seed, 0, step,]])
edit(rest-of-every-step-the-same rest/rest.cu rest/rest.cu
[[rest.rest_step == nullptr ? 0 : *rest.rest_step;]]
[[0;]])
edit(rest-drawn-too-seldom rest/rest.cu rest/rest.cu
[[if (words.of_key[i] > last ||]]
[[if (words.of_key[i] > last - last / 16 ||]])
edit(rest-sum-without-the-last-share rest/rest.cu rest/drawn.cuh
[[for (int share = lane; share < kRestShares; share += 32) {]]
[[for (int share = lane; share < kRestShares - 32; share += 32) {]])
edit(rest-of-listed-ties-drawn rest/rest.cu rest/rest.cu
[[          if (score == least && is_listed(list, count, key)) continue;
]]
[[]])
edit(rest-with-sink-and-window rest/rest.cu rest/shares.cuh
[[((key >= sink && key < window_begin) || score != score);]]
[[((key >= sink && key <= window_begin) || score != score);]])
edit(rest-forbidden-drawn rest/rest.cu rest/shares.cuh
[[return score != -INFINITY && (]]
[[return (]])
edit(rest-heavier-than-listed-summed rest/rest.cu rest/shares.cuh
[[!row.is_candidate(eight.first + i, score) || !may_be_rest(score, least)) continue;
      of]]
[[!row.is_candidate(eight.first + i, score)) continue;
      of]])
edit(rest-of-the-longest-sequence rest/rest.cu rest/shares.cuh
[[length = scored_length(kernel.attention.sequences, sequence);]]
[[length = scored_length(kernel.attention.sequences, 0);]])
edit(rest-log-sum-of-the-first-head rest/rest.cu rest/rest.cu
[[attention.log_sum_exp[row.first + thread] * kLog2e;]]
[[attention.log_sum_exp[row.first] * kLog2e;]])
edit(rest-normaliser-of-zero rest/rest.cu rest/rest.cu
[[finite_normaliser(least * steps),]]
[[0,]])

# Estimates
edit(rest-probability-not-divided-out rest/rest.cu rest/drawn.cuh
[[- own.log_sum) / probability;]]
[[- own.log_sum);]])
edit(rest-key-of-another-head rest/rest.cu rest/rest.cu
[[cache_rows_of(attention, row.sequence, row.kv_head,]]
[[cache_rows_of(attention, row.sequence, 0,]])
edit(rest-last-block-not-summed rest/rest.cu rest/rest.cu
[[sum_of_lanes(lane < cluster ? *shared_of(&shared.sums[warp], lane)]]
[[sum_of_lanes(lane == 0 || lane + 1 < cluster ? *shared_of(&shared.sums[warp], lane)]])
edit(rest-warp-left-out rest/rest.cu rest/rest.cu
[[sum_of_lanes(lane < kRestWarps ?]]
[[sum_of_lanes(lane + 1 < kRestWarps ?]])
edit(rest-certain-keys-bet-against rest/rest.cu rest/drawn.cuh
[[      sums.certain += weight;
      continue;]]
[[      continue;]])
edit(rest-output-not-normalised rest/rest.cu rest/rest.cu
[[sum / (1 + shared.warp_sums[0][i / dim].all)]]
[[sum]])

# Limits
edit(rest-bet-of-all rest/rest.cu rest/drawn.cuh
[[bet_lost(bet, fminf(share, 1));]]
[[-log1pf(-fminf((bet == 0 ? 1 : 0.2f) * share, 1));]])
edit(rest-delta-not-divided rest/rest.cu rest/drawn.cuh
[[numbers.largest, kernel.rest.rest_delta);]]
[[numbers.largest, kFixedBets * kernel.rest.rest_delta);]])
edit(rest-norm-not-the-largest rest/rest.cu rest/shares.cuh
[[of.norm = fmaxf(of.norm, known(eight.norms[i]));]]
[[of.norm = known(eight.norms[i]);]])
edit(rest-normaliser-of-the-first-head rest/rest.cu rest/drawn.cuh
[[kernel.normalisers[row.first + head] :]]
[[kernel.normalisers[row.first] :]])
edit(rest-projection-of-the-first-head rest/rest.cu rest/drawn.cuh
[[std::int64_t{row.first + head} * tables * entries;]]
[[std::int64_t{row.first} * tables * entries;]])
edit(rest-nominal-of-all-squares rest/rest.cu rest/drawn.cuh
[[weight * weight * (1 - probability);]]
[[weight * weight;]])
edit(rest-ceiling-not-watched rest/rest.cu rest/drawn.cuh
[[if (!(share <= 1)) ++sums.broken;]]
[[]])
edit(rest-flag-at-the-estimate rest/rest.cu rest/drawn.cuh
[[if (!(result.limit <= kernel.rest.rest_target))]]
[[if (!(result.weight <= kernel.rest.rest_target))]])
edit(rest-flags-not-counted-by-bit rest/rest.cu rest/drawn.cuh
[[atomicAdd(&rest.rest_flagged[bit], 1);]]
[[atomicAdd(&rest.rest_flagged[0], 1);]])
