# Edits of what becomes of keys that a step appends. The form is that of edits.cmake.

edit(unscored-by-their-scores selection/selection.cu selection/marks.cuh
[[(batch.scores[i] > -INFINITY || unscored);]]
[[batch.scores[i] > -INFINITY;]])
edit(unscored-of-bf16-by-their-scores selection/selection.cu selection/marks.cuh
[[(may_be | ~bits_before(key, share.unscored_begin))));]]
[[may_be));]])
edit(one-unscored-too-few selection/selection.cu selection/kernel.cuh
[[          length - kernel.unscored};]]
[[          length - kernel.unscored + 1};]])
edit(given-keys-from-the-first-that-is-written attention/merge_rows.cu index/build_kernel.cuh
[[key - first_appended(a.index, to_int(row) / to_int(a.index.shape.kv_heads)), 1};]]
[[key - appended_keys(a.index, to_int(row) / to_int(a.index.shape.kv_heads)).begin, 1};]])
edit(given-keys-of-the-first-kv-head attention/merge_rows.cu index/build_kernel.cuh
[[  return {row * a.given + key]]
[[  return {row / a.index.shape.kv_heads * a.index.shape.kv_heads * a.given + key]])
edit(given-keys-read-from-the-cache attention/merge_rows.cu index/build_kernel.cuh
[[  if (a.given == 0) return cache_rows]]
[[  return cache_rows]])
