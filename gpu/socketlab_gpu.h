/* The C interface of libsocketlab_gpu: SOCKET's decode path on an NVIDIA GPU, one function for each stage.
 *
 * An argument struct says what a function reads and writes. What several functions take stands in structs within, such as
 * skt_shape, which may be filled once for all functions of a step. A designated initialiser leaves members 0 or NULL that
 * it does not name: the usual choice, or refused where there is none.
 *
 * Every pointer named in an argument struct is a device pointer; arrays are dense in the order of their shape, last
 * index fastest, and 16-byte aligned (counts, list_counts, lengths, log_sum_exp, block_table, scales and rest_.. but
 * rest_output 4, bad_codes 8;
 * counts of [.., 2048] bins 16).
 * `args` and `bytes` are host pointers and not NULL. Every function only launches work on `stream`, which belongs to the
 * current device: it allocates nothing, waits for nothing (but skt_score_buckets when it checks codes) and may be
 * captured in a CUDA graph; host threads may call at the same time.
 *
 * Scratch memory comes from the caller: the size by the function ending in _workspace_bytes, which reads sizes and
 * types and no pointer; 256-byte aligned, contents irrelevant before and after. It serves one call at a time: a call
 * may begin when the one before on the same stream has not ended, but two streams, or two graphs in flight, need a
 * workspace each.
 *
 * On sm_90 kernels are launched as programmatic dependents: whatever the stream holds before is waited for to its end
 * before anything is read, but a kernel of yours that is launched as such a dependent behind a call must itself wait
 * (cudaGridDependencySynchronize) before it reads an output.
 *
 * Each returns SKT_OK or a code, and has then written one line to error->message (error may be NULL): which argument,
 * what it is, what is allowed. After SKT_BAD_ARGUMENT nothing was launched; after another code skt_decode_step may have
 * launched its first stages, but nothing that writes `output`, and skt_score_packed the scores without their counts.
 *
 * Ranges, beside those that stand at an argument:
 *
 *   batch * heads                   1 .. 65535, heads a multiple of kv_heads
 *   capacity                        1 .. 2^31 - 1
 *   used, first + count             0 .. capacity
 *   tables                          1 .. 4096
 *   sink, budget, window            0 .. 2^31 - 1, with a sum of 1 .. 2^31 - 1, of a step 1 .. 2^30
 *   sparsity                        0 .. 2^31 - 1
 *   query_rows                      0 .. 8, where 0 is 1; batch * query_rows * heads 1 .. 65535
 *
 * Words: a cache holds `capacity` keys per (batch, kv head), of which the first `used` are in use. Query head h reads kv
 * head h / (heads / kv_heads). Bit = 1 iff projection >= 0; plane 0 is the most significant bit.
 *
 * Lengths: with `lengths`, sequence b uses its first lengths[b] keys, and `used` is the most that any of them has;
 * NULL: all use that many. A length below 0 counts as 0, one above the most as the most. They are read on the
 * device when the stream comes to the call, so that one captured graph serves all lengths up to the most, and must not
 * change until it is done. What is computed for a sequence has the same bits as by a call with that length for all.
 *
 * Query rows: with `query_rows` R a sequence has R queries to a head, of its last R keys, as speculative decoding has
 * them: row r sees the first L - (R - 1 - r) of the L keys that the sequence uses, none where that is below 1. Those
 * are its own length, which sink, window, sparsity and the tiles of scores follow; mask, keys, norms and codes are the
 * sequence's. What is computed for a row has the same bits as by a call with that row alone and its own length.
 *
 * The functions that build an index take the same array after it has grown: with `lengths` they read and write keys
 * lengths[b] - count .. lengths[b] - 1 of sequence b, the last `count` that it has, and `first` must be 0. Of these,
 * keys outside 0 .. capacity - 1 are neither read nor written: a length of 0 or less appends nothing.
 *
 * Lists of kv heads: with `lists` SKT_LIST_OF_KV_HEAD the query heads that share a kv head share one list, as serving
 * engines have it. Scores, counts, selected keys and their numbers are then [batch, kv_heads, ..] where they are
 * [batch, heads, ..] else; functions without `lists` are called with kv_heads as their heads. The score of a key is, by
 * SKT_SOFT_COLLISION, the largest of the heads' scores; by SKT_SIGNED_PROJECTION the sum over heads of its weight
 *
 *   2^(weight_scale * score - c),  c the head's normaliser,
 *
 * for which gpu/functors/group_weights.hpp has the arithmetic. c is the head's log_sums, or without them an estimate of
 * the log-sum-exp over its row from 16 of its tiles of 64 keys, without the newest 8 keys. The step's weight_scale is that of the estimated logit,
 * log2(e) sqrt(pi / 2) / (tables * planes) * logit_scale / scale, where norms are the keys'. A key whose score is NaN for
 * one head is never selected.
 * With as many heads as kv heads `lists` changes nothing. At most 8 query heads share a kv head, by SKT_SOFT_COLLISION
 * 4 whose half-tables take at most 64 KB.
 *
 * Pages: with a block table, key t of sequence b is key t % page_size of page block_table[b][t / page_size], so that
 * sequences may share pages. Of keys and values page_size is a power of two, 1 .. 65536 (skt_sparse_attention says
 * where a page lies). An index in pages has whole tiles of 64 keys to a page, page_size 64 .. 65536, and these arrays:
 *
 *   packed codes   [pages, kv_heads, page_size / 64, words of a key, 64]
 *   norms          [pages, kv_heads, page_size]
 *   masks          [pages, page_size], or [pages, heads, page_size] for a mask to each head
 *
 * blocks is at least capacity / page_size, rounded up, and pages * kv_heads * page_size / 64 below 2^31. An entry is
 * read only where its block has a key that is asked for, before the length of the sequence, and is then in
 * 0 .. pages - 1; the table is read where lengths are, and must not change until the call is done. Results have the
 * same bits as without pages. Not in pages are skt_hash_keys' codes, scores, lists and what skt_score_buckets reads.
 */
#ifndef SOCKETLAB_GPU_H
#define SOCKETLAB_GPU_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define SKT_API __declspec(dllexport)
#else
#define SKT_API __attribute__((visibility("default")))
#endif

struct CUstream_st; /* *cudaStream_t */

enum skt_code {
  SKT_OK = 0,
  SKT_BAD_ARGUMENT = 1, /* a size, type, pointer or alignment outside what is written here */
  SKT_UNSUPPORTED = 2,  /* allowed in principle, not on this device or in this build */
  SKT_CUDA_ERROR = 3,   /* the CUDA runtime refused the launch */
  SKT_BAD_CODES = 4     /* skt_score_buckets, asked to check: some code is no bucket's */
};

typedef struct skt_error {
  char message[256];
} skt_error;

enum skt_type { SKT_F32 = 0, SKT_F16 = 1, SKT_BF16 = 2 };

/* What keys and values are in a cache that attention reads; queries and outputs do not follow it.
 *
 * SKT_CACHE_E4M3: bytes of OCP's E4M3 (torch.float8_e4m3fn), a sign, 4 bits of exponent with bias 7, 3 of mantissa: to
 * 448 in steps of 2^-9 and up, no infinity, NaN at 0x7f and 0xff. What a key holds is key_scales[kv head] times that of
 * its bytes, and so for values: float32 [kv_heads], read on the device when the stream comes to the call, or NULL for 1.
 * Sequences share them, as they may share pages. One scale for a layer is the same number for every head.
 *
 * A NaN of a selected key makes the head's output and log_sum_exp NaN, one of its value that coordinate alone.
 *
 * The functions that build an index do not take it: codes and norms are made of keys and values before they are cast,
 * when a token is written. Nor are scales taken beside SKT_CACHE_OF_TYPE. */
enum skt_cache_form { SKT_CACHE_OF_TYPE = 0, SKT_CACHE_E4M3 = 1 };

/* Of this header. A library whose number differs reads other argument structs and must not be called. */
#define SKT_ABI_VERSION 13
SKT_API int skt_abi_version(void);

/* ---- What several functions take, with one meaning in all of them ---- */

/* A function reads the sizes that its arrays have in their shapes, and kv_heads and capacity where it has a cache. */
typedef struct skt_shape {
  int64_t batch, heads, kv_heads;
  int64_t query_rows; /* as above: an array [batch, heads, ..] is [batch, query_rows, heads, ..] */
  int64_t capacity;   /* of packed codes a multiple of 64 */
  int64_t dim;        /* 32, 64, 128 or 256; of skt_hash_keys, skt_value_norms, skt_soft_buckets 16 .. 256, by 8 */
  int64_t tables;
  int64_t planes; /* of packed codes 4 .. 16, of half-tables and sums 1 .. 16, of int16 codes and buckets 1 .. 15: a
                     code of 16 bits would turn negative */
} skt_shape;

/* How many keys sequences have. */
typedef struct skt_sequences {
  int64_t used;           /* each of them; with lengths, the most */
  const int32_t* lengths; /* NULL, or [batch]: as above */
  int64_t dense_up_to;    /* 0 .. 2^30: sequences of at most so many keys are attended to whole, in all their query
                             rows. They are not scored, and their lists are empty. 0 in ranks and beside a mask */
} skt_sequences;

/* Which query heads have a list of their own: each, or all that share a kv head one, as above. */
enum skt_lists { SKT_LIST_OF_HEAD = 0, SKT_LIST_OF_KV_HEAD = 1 };

/* The keys whose part of an index is written. */
typedef struct skt_written {
  int64_t first, count;   /* keys first .. first + count - 1 of each sequence */
  const int32_t* lengths; /* NULL, or [batch]: the last `count` keys of each sequence, as above */
} skt_written;

/* What is in pages, as above: of an index, or of keys and values. */
typedef struct skt_pages {
  const int32_t* block_table;                     /* NULL: no pages, and the rest is ignored. Else [batch, blocks] */
  int64_t blocks;                                 /* of a sequence */
  int64_t pages;                                  /* each entry that is read is in 0 .. pages - 1 */
  int64_t page_size;                              /* keys to a page */
  int64_t page_stride, head_stride, token_stride; /* of keys and values: skt_sparse_attention. To build an index,
                                                     page_stride 0: keys and values are not in pages */
} skt_pages;

/* Keys that may be selected; in pages where the index is. */
typedef struct skt_mask {
  const uint8_t* allowed;   /* NULL: all; else [batch, capacity] or [batch, heads, capacity]; 0 forbids */
  int32_t allowed_per_head; /* 0: one mask for all heads; 1: a mask for each head */
} skt_mask;

/* Which keys a list has: the first `sink`, the last `window`, and the `budget` best of the others. */
typedef struct skt_list {
  int64_t budget, sink, window;
  int64_t sparsity; /* 0: `budget` at every length; else as skt_select_keys has it */
} skt_list;

/* The keys and values that are attended to. */
typedef struct skt_cache {
  const void* keys;          /* [batch, kv_heads, capacity, dim] */
  const void* values;        /* likewise */
  int32_t cache_form;        /* enum skt_cache_form */
  const float* key_scales;   /* NULL, or [kv_heads] */
  const float* value_scales; /* NULL, or [kv_heads] */
} skt_cache;

/* ---- Index building: at prefill, and for each token appended (count = 1, and first = its position or lengths) ---- */

/* Bucket of each key in each table (paper, Algorithm 1). Projections in fp32, fused multiply-add in order of dim. */
typedef struct skt_hash_keys_args {
  const void* keys;         /* key_type [batch, kv_heads, capacity, dim] */
  const float* hyperplanes; /* [tables, planes, dim] */
  int16_t* codes;           /* out: [batch, kv_heads, tables, capacity] */
  skt_shape shape;
  skt_written written;
  int32_t key_type; /* enum skt_type */
} skt_hash_keys_args;
SKT_API int skt_hash_keys(const skt_hash_keys_args* args, struct CUstream_st* stream, skt_error* error);

/* Euclidean norms of the value rows: fp32 sum in order of dim, rounded as `form` says. */
enum skt_norm_form {
  SKT_NORM_F16 = 0,           /* above 65504, the largest fp16 number, it stays 65504 */
  SKT_NORM_F16_OVERFLOWS = 1, /* above 65504 it becomes infinite, as published */
  SKT_NORM_BF16 = 2
};
typedef struct skt_value_norms_args {
  const void* values; /* value_type [batch, kv_heads, capacity, dim], or in pages */
  void* norms;        /* out: [batch, kv_heads, capacity], or in pages */
  skt_shape shape;
  skt_written written;
  skt_pages paged;
  int32_t value_type;
  int32_t form; /* enum skt_norm_form */
} skt_value_norms_args;
SKT_API int skt_value_norms(const skt_value_norms_args* args, struct CUstream_st* stream, skt_error* error);

/* The codes of a key, four tables side by side in the bytes of its words: ceil(ceil(tables / 4) * planes / 8) words to
 * a key. With low = floor(planes / 2) bits to the low half of a code, the others to the high one:
 *
 *   bit b of table t's code is slice s = floor(t / 4) * planes + b, in word floor(s / 8), there at bit s % 8
 *   of byte t % 4, but of byte (t + 1) % 4 where the half that it belongs to begins (bit 0 or bit low) in the word
 *   before;
 *   bits of no table are 0;
 *   word w of key k is element [k / 64][w][k % 64] of its (batch, kv head).
 *
 * Appending overwrites the words of the keys asked for only. A code outside 0 .. 2^planes - 1 keeps its
 * low bits. Of 16 planes its 16 bits are taken without a sign: its halves, the high one first, are the codes of twice
 * the tables of 8 planes. */
typedef struct skt_pack_codes_args {
  const int16_t* codes; /* [batch, kv_heads, tables, capacity] */
  uint32_t* packed;     /* out: [batch, kv_heads, capacity / 64, words of a key, 64], or in pages */
  skt_shape shape;
  skt_written written;
  skt_pages paged;
} skt_pack_codes_args;
SKT_API int skt_pack_codes(const skt_pack_codes_args* args, struct CUstream_st* stream, skt_error* error);

/* The three above in one call, on the tensor cores, from keys of 16 bits to packed codes with nothing in between.
 * Hyperplanes are rounded to `type` first: a bit is that of the rounded hyperplane wherever its projection exceeds
 * 3 dim 2^-24 sum_d |w_d k_d|. Round those that score the keys likewise, or both sides differ by it. */
typedef struct skt_build_index_args {
  const void* keys;         /* type [batch, kv_heads, capacity, dim], or in pages */
  const float* hyperplanes; /* [tables, planes, dim] */
  uint32_t* packed;         /* out: as skt_pack_codes writes it */
  const void* values;       /* as keys; NULL, with norms: no norms */
  void* norms;              /* out: as skt_value_norms writes them, SKT_NORM_F16 */
  skt_shape shape;
  skt_written written;
  skt_pages paged;
  int32_t type; /* SKT_F16 or SKT_BF16, of keys and values */
} skt_build_index_args;
SKT_API int skt_build_index(const skt_build_index_args* args, struct CUstream_st* stream, skt_error* error);

/* ---- Query side (paper, Algorithm 2) ---- */

/* u = tanh(Wq) * scale; p(code) = softmax over codes of (u . corner of the code) / temperature. With corners
 * {-1, +1}^planes that is prod_p sigma(+-2 u_p / temperature). `form` says what is written. */
enum skt_probability_form {
  SKT_BUCKETS = 0,     /* [batch, heads, tables, 2^planes], in order of code */
  SKT_HALF_TABLES = 1, /* [batch, heads, tables, 2^ceil(planes/2) + 2^floor(planes/2)], high half first */
  SKT_HALF_SUMS = 2    /* likewise, sums over a half's planes of +-scale * (Wq)_p; no temperature */
};
typedef struct skt_soft_buckets_args {
  const void* queries;      /* query_type [batch, heads, dim] */
  const float* hyperplanes; /* [tables, planes, dim] */
  void* probabilities;      /* out, by `form` */
  int32_t* counts;          /* NULL; or out: [batch, heads, 2048] zeros, for skt_score_packed to count in. Of lists of
                               kv heads the caller clears [batch, kv_heads, 2048] himself */
  const float* corners;     /* NULL: {-1, +1}^planes; else [2^planes, planes], for SKT_BUCKETS */
  skt_shape shape;
  float scale;       /* > 0: 1/sqrt(dim), or 1 for no scaling */
  float temperature; /* > 0, also where `form` does not use it */
  int32_t query_type;
  int32_t form;             /* enum skt_probability_form */
  int32_t probability_type; /* of SKT_BUCKETS; half-tables and sums are SKT_F32 */
} skt_soft_buckets_args;
SKT_API int skt_soft_buckets(const skt_soft_buckets_args* args, struct CUstream_st* stream, skt_error* error);

/* ---- Scores of all keys ---- */

/* The published scoring kernel (paper, Algorithm 4): norm * sum over tables in order of p[table][code], fp32; -infinity
 * where not allowed. */
typedef struct skt_score_buckets_args {
  const void* probabilities; /* probability_type [batch, heads, tables, 2^planes] */
  const int16_t* codes;      /* [batch, kv_heads, tables, capacity] */
  const void* norms;         /* norm_type [batch, kv_heads, capacity] */
  float* scores;             /* out: [batch, heads, capacity], written at 0 .. used - 1 */
  /* NULL: codes are trusted. Else [2] to write: codes outside 0 .. 2^planes - 1 add 0 to the scores, and the call
   * waits for the stream, leaves their number here and the place in `codes` of the first (-1: none), and returns
   * SKT_BAD_CODES with a message that says both, if there are any. */
  int64_t* bad_codes; /* not written where `used` is 0 */
  skt_shape shape;    /* query_rows 0 or 1 */
  int64_t used;
  skt_mask mask;
  int32_t probability_type; /* enum skt_type */
  int32_t norm_type;        /* SKT_F16 or SKT_BF16 */
} skt_score_buckets_args;
SKT_API int skt_score_buckets(const skt_score_buckets_args* args, struct CUstream_st* stream, skt_error* error);

/* Scores from half-tables and packed codes: norm * sum over tables of a term of high and low entry. They are marked to
 * stay in L2. So that it keeps them, and they need not go to memory: write to one place call after call, and call
 * cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes of scores) once, for at most 24 of the 60 MB of an H200; 37
 * slowed everything else. The limit is that of the context, for whatever else runs in it. No result depends on it. */
enum skt_rule {
  SKT_SOFT_COLLISION = 0,   /* high * low, from SKT_HALF_TABLES: the score above. One query head to a kv head:
                             each product fused into the running fp32 sum, in order. More: fp16 entries and
                             sums over 4 tables, gpu/functors/half_score.hpp, while the tables fit 64 KB. */
  SKT_SIGNED_PROJECTION = 1 /* high + low, from SKT_HALF_SUMS: sum_i sign(w_i.k) (w_i.q); the norms are then the
                               caller's factors of keys. One query head to a kv head: fp32, table by table. More:
                               sums of 8-bit weights, which must come from half sums and no other entries, and
                               scores rounded to bf16, gpu/functors/fixed_weights.hpp. */
};
typedef struct skt_score_packed_args {
  const float* half_tables; /* as `rule` says; all of one head must fit the shared memory of a block, or by the
                               signed rule of heads that share a kv head 384 bytes to a word of a key and 176 more */
  const uint32_t* packed;   /* as skt_pack_codes writes them */
  const void* norms;        /* fp16 [batch, kv_heads, capacity], or in pages */
  void* scores;             /* out: score_type [batch, heads, capacity], written at the keys that a row sees, left
                               behind them */
  skt_shape shape;          /* of half_tables and scores the query rows */
  skt_sequences sequences;
  skt_mask mask;
  skt_pages paged; /* the index */
  int32_t rule;    /* enum skt_rule */
  /* SKT_F32; or SKT_BF16 by SKT_SIGNED_PROJECTION with more query heads than kv heads and without `counts`, where it
   * is half the bytes of the same numbers, and quicker */
  int32_t score_type;
  int32_t* counts; /* NULL, and the fields below are ignored; or, with one query row, [batch, heads, 2048]: to zeros is
                      added what skt_count_shard counts as digit 0. By SKT_SOFT_COLLISION norms and half-tables must then
                      be 0 or more. Lengths are those of sequences less `first`, held at `whole` - `first` and not at
                      `used` */
  int64_t first;   /* as skt_count_shard has it */
  int64_t whole;   /* what sequences.used is there: keys of a sequence on all ranks */
  skt_list list;   /* sink and window */
  int32_t lists;   /* enum skt_lists; SKT_LIST_OF_KV_HEAD with one mask for all heads */
  float weight_scale; /* > 0, of SKT_LIST_OF_KV_HEAD by SKT_SIGNED_PROJECTION: a score times it is a logit to base 2 */
  const float*
      log_sums; /* of these: NULL, but not with `counts`; or [batch, heads], natural: log-sum-exps of the heads'
                            logits, as a step before has left them. One that is not finite counts as 0 */
  /* By SKT_SIGNED_PROJECTION with more query heads than kv heads, else not looked at: memory to work in, at a multiple of
   * 16 bytes. For each of [batch, query_rows, kv_heads] rows, with g query heads and words of 32 bits to a key,
   * ceil(g / 8) * (1024 * ceil(words / 4) + 128) + 64 * g bytes. What it holds does not matter; NULL is refused, and calls
   * that may run at once need one each. */
  void* work;
} skt_score_packed_args;
SKT_API int skt_score_packed(const skt_score_packed_args* args, struct CUstream_st* stream, skt_error* error);

/* ---- Selection (paper, Algorithm 3) and attention over it ---- */

/* The first `sink` and last `window` keys, and the `budget` best of the others: falling score, ties to the lower index.
 * Keys that score -infinity or NaN are never selected. Indices rise along the list. With a sparsity the best are as
 * many as min(budget, max(1, floor(length / sparsity))) of a row of `length` keys; `budget` still sizes the lists. */
typedef struct skt_select_keys_args {
  const void* scores; /* score_type [batch, heads, capacity] */
  int32_t* selected;  /* out: [batch, heads, sink + budget + window], -1 behind the last */
  int32_t* counts;    /* out: [batch, heads], how many were selected */
  skt_shape shape;
  skt_sequences sequences; /* `used`, of 2 bits in shared memory: at least to 5.3 million (H200), 404,480 (A100) */
  skt_list list;
  int32_t score_type; /* SKT_F32; or SKT_BF16, and then the capacity is a multiple of 8 */
} skt_select_keys_args;
SKT_API int skt_select_keys(const skt_select_keys_args* args, struct CUstream_st* stream, skt_error* error);

/* The list of the published code: the first `sink` keys, the last `window` and the `budget` best of all keys, sink and
 * window included, in this order. A key that is two of these stands twice in the list and counts twice in the
 * softmax. */
typedef struct skt_published_list_args {
  const int32_t* best;   /* [batch, heads, budget], as skt_select_keys writes it with neither sink nor window */
  const int32_t* counts; /* [batch, heads] */
  int32_t* selected;     /* out: [batch, heads, sink + window + budget], -1 behind the last */
  int32_t* list_counts;  /* out: [batch, heads] */
  skt_shape shape;
  int64_t used;  /* 0 .. 2^31 - 1 */
  skt_list list; /* budget from 1 */
} skt_published_list_args;
SKT_API int skt_published_list(const skt_published_list_args* args, struct CUstream_st* stream, skt_error* error);

/* Softmax attention of each query over its selected keys, in fp32, of bf16 lists that heads share with dim up to 128 on
 * the tensor cores with fp32 sums, where an infinite value may give NaN: parts of the list, merged by log-sum-exp in order. An
 * empty selection has no attention: its output is NaN, its log_sum_exp -infinity.
 *
 * Paged keys and values: with a block table, key t of batch b and kv head h is row
 *
 *   table[b][t / page_size] * page_stride + h * head_stride + t % page_size * token_stride
 *
 * of `keys`, in rows of dim elements, and so for `values`. The layouts of FlashInfer and vLLM, K and V in arrays of
 * their own, are
 *
 *   HND [pages, kv_heads, page_size, dim]: strides kv_heads * page_size, page_size, 1
 *   NHD [pages, page_size, kv_heads, dim]: strides page_size * kv_heads, 1, kv_heads
 *
 * and in [pages, 2, ..] page_stride doubles, `values` beginning half a page_stride behind `keys`. Entries of blocks in
 * which no key is selected are not read. The result has the same bits as without pages. */
typedef struct skt_sparse_attention_args {
  const void* queries; /* type [batch, heads, dim] */
  skt_cache cache;
  const int32_t* selected; /* [batch, heads, list] */
  const int32_t* counts;   /* [batch, heads]: entries 0 .. count - 1 are read, each in 0 .. capacity - 1 */
  void* output;            /* out: output_type [batch, heads, dim] */
  float* log_sum_exp;      /* out, or NULL: [batch, heads], natural, of the scaled logits */
  float* part; /* NULL; or out: [batch, heads, dim + 2], see skt_merge_parts. output and log_sum_exp are ignored then */
  void* workspace;
  int64_t workspace_bytes;
  skt_shape shape;
  skt_pages paged;         /* keys and values; the last row of all pages below 2^31 */
  int64_t list;            /* entries to a list, at most 2^30 */
  float logit_scale;       /* > 0, of q.k; usually 1/sqrt(dim) */
  int32_t type;            /* of queries, and of keys and values but as cache_form says */
  int32_t lists;           /* enum skt_lists: of `selected` and `counts` */
  skt_sequences sequences; /* read where dense_up_to is not 0: which sequences are attended to whole */
  int32_t output_type;     /* enum skt_type; a number of 16 bits is that of SKT_F32 rounded to the nearest */
} skt_sparse_attention_args;
SKT_API int skt_sparse_attention_workspace_bytes(const skt_sparse_attention_args* args, int64_t* bytes,
                                                 skt_error* error);
SKT_API int skt_sparse_attention(const skt_sparse_attention_args* args, struct CUstream_st* stream, skt_error* error);

/* ---- One sequence over several GPUs ----
 *
 * Rank r of `ranks` holds a run of the keys of every sequence, those at positions first .. first + keys - 1, as keys
 * 0 .. keys - 1 of a cache of its own. The runs follow one another in the order of the ranks; any may be empty. The
 * library communicates nothing: between its calls the caller exchanges arrays of a size that the host knows, by NCCL,
 * MPI or torch.distributed. A step, on every rank, in one stream or one captured graph:
 *
 *   skt_soft_buckets            the same queries everywhere; with counts[0] as `counts`
 *   skt_score_packed            own keys; with lengths, those of the sequences less `first`; with counts[0] as `counts`,
 *                               or skt_count_shard with digit 0 behind it
 *                               then counts[0] is summed over the ranks in place: all-reduce
 *   skt_count_shard, digit 1    then counts[1] likewise
 *   skt_count_shard, digit 2    then last_counts is gathered in the order of the ranks: all-gather
 *   skt_select_shard            what of the list of all keys is here
 *   skt_sparse_attention        with `part`, which is then gathered likewise
 *   skt_merge_parts             the output, the same bits on every rank
 *
 * The lists of the ranks are together the list of skt_select_keys over all keys, for any runs. The output has the same
 * bits in every run of the program; over other runs of keys it is summed in another order (gpu/attention/merge_parts.cu).
 *
 * first + keys is at most 2^31 - 1, keys at most `capacity` and what skt_select_keys allows; what lies behind `used` or a
 * length is not there. Counts that were not exchanged give wrong lists, but no list is longer than its room.
 *
 * Digit 0 is a bin of gpu/functors/shards.hpp, rising with the score; 1 and 2 are parts of the bin before, 2048 at most. */
typedef struct skt_shard {
  const float* scores; /* [batch, heads, capacity]: of own keys */
  int32_t* counts;     /* [2, batch, heads, 2048]: of digits 0 and 1; those before are read, summed over the ranks */
  uint32_t* marks;     /* [batch, heads, ceil(capacity / 32), 2]: written with digit 1, then read */
  skt_shape shape;     /* query_rows 0 or 1 */
  int64_t first, keys;
  skt_sequences sequences; /* of whole ones, on all ranks: used 0 .. 2^31 - 1 */
  skt_list list;           /* of all keys */
} skt_shard;

typedef struct skt_count_shard_args {
  skt_shard shard;
  int32_t* last_counts; /* out with digit 2, not needed before: [batch, heads, 2048] */
  int64_t digit;        /* 0, 1, 2 */
} skt_count_shard_args;
SKT_API int skt_count_shard(const skt_count_shard_args* args, struct CUstream_st* stream, skt_error* error);

typedef struct skt_select_shard_args {
  skt_shard shard;            /* as skt_count_shard had it */
  const int32_t* last_counts; /* [ranks, batch, heads, 2048], in the order of the ranks */
  int32_t* selected;          /* out: [batch, heads, sink + budget + window], keys of the own cache, rising, then -1 */
  int32_t* list_counts;       /* out: [batch, heads] */
  int64_t rank, ranks;        /* ranks 1 .. 1024, rank 0 .. ranks - 1 */
} skt_select_shard_args;
SKT_API int skt_select_shard(const skt_select_shard_args* args, struct CUstream_st* stream, skt_error* error);

/* A part of a row is dim numbers sum_j 2^(x_j - e) v_j over its keys j, with logits x_j to base 2, then the integer e
 * and sum_j 2^(x_j - e); of no keys zeros and the lowest number as e. Output NaN and log_sum_exp -infinity where no
 * rank has a key. */
typedef struct skt_merge_parts_args {
  const float* parts; /* [ranks, batch, heads, dim + 2], merged in this order */
  float* output;      /* out: [batch, heads, dim] */
  float* log_sum_exp; /* out, or NULL: [batch, heads] */
  int64_t ranks;      /* 1 .. 1024 */
  skt_shape shape;
} skt_merge_parts_args;
SKT_API int skt_merge_parts(const skt_merge_parts_args* args, struct CUstream_st* stream, skt_error* error);

/* ---- The whole decode step: half-tables, packed scores, selection, attention ---- */

/* The newest keys, whose codes and norms the step writes by skt_build_index's arithmetic. Keys and values stand in the cache
 * already. Where the window has them and there is no mask, the step's last kernel writes them, and they are listed whatever
 * their norms hold; else a kernel ahead of the step. Where sequences share pages, a key that
 * one appends must not be an older key of another. */
enum skt_append_norms { SKT_APPEND_NO_NORMS = 0, SKT_APPEND_VALUE_NORMS = 1, SKT_APPEND_KEY_NORMS = 2 };
typedef struct skt_append {
  int64_t append_count;      /* 0 .. 8: the last so many keys of each sequence */
  const void* append_keys;   /* NULL: read from the cache, of SKT_CACHE_OF_TYPE and in pages only with paged_index 1;
                                else type [batch, kv_heads, append_count, dim] */
  const void* append_values; /* likewise; read for SKT_APPEND_VALUE_NORMS alone */
  int32_t append_norms;      /* enum skt_append_norms: which norms are written, if any */
} skt_append;

/* What the list leaves out. The rest of a row are the allowed keys that are not in its list; its residual weight is the
 * share of the softmax over list and rest that the rest has. Each key of the rest is read with a probability of its own,
 * in proportion to its weight as its score estimates it, independently of the others (docs/bounds/apart.md).
 * For SKT_SIGNED_PROJECTION with norms of keys in the index, one query row, keys of SKT_CACHE_OF_TYPE. Query heads that
 * share a list share its sample. A sequence that is attended to whole has no rest: 0 everywhere.
 *
 * The limit is at least the residual weight but with probability rest_delta over the draws, and but where some key of
 * the sequence has a larger cosine with the query than its signs say by more than rest_radius. It is 1 and SKT_REST_UNKNOWN
 * set where nothing is proved: a norm of 65504 or more, a number that is not finite, a key above its ceiling, or more
 * keys drawn than there is room for. The nominal limit treats the sum over the sample as normal, and is no proof.
 * Signs that rounding has turned, where a key lies on a hyperplane but for its last bits, are not in the proof. */
enum skt_rest_flag {
  SKT_REST_ABOVE = 1,         /* the limit is above rest_target */
  SKT_REST_NOMINAL_ABOVE = 2, /* so is the nominal limit */
  SKT_REST_UNKNOWN = 4        /* nothing is proved: the limit is 1 */
};
typedef struct skt_rest {
  int64_t
      rest_samples; /* 0: nothing of this, and what follows is ignored. 1 .. 1024: about so many keys of a rest at most are
                           expected to be read, and there is room for 2 rest_samples + 64. A rest that is no larger, with the listed
                           keys of the bin of the least listed score (a 128th of an octave), is read whole */
  int64_t rest_seed;        /* any; one for each layer, as equal seeds draw by the same words */
  const int32_t* rest_step; /* NULL: 0. Else [1], read on the device: number of the step. The same seed, step and list
                               row read the same keys, a replay too */
  float rest_delta;         /* above 0, below 1 */
  float rest_radius;     /* above 0: of b = tables * planes independent rows sqrt(pi log(keys / delta_1) / b) holds for
                               all keys with probability 1 - delta_1. Rows at most 2 sqrt(dim) long */
  float rest_target;     /* 0 .. 1: a residual weight that is still good */
  float* rest_weight;    /* out: [batch, heads], estimate of the residual weight, 0 .. 1. NaN where SKT_REST_UNKNOWN
                               is set because of a number that is not finite or of the room */
  float* rest_limit;     /* out: [batch, heads], 0 .. 1 */
  float* rest_nominal;   /* out: [batch, heads], 0 .. 1, of the same rest_delta */
  int32_t* rest_flags;   /* out: [batch, heads], sums of enum skt_rest_flag */
  int32_t* rest_flagged; /* NULL, or [3]: how many of [batch, heads] have each flag is added */
  float* rest_output;    /* NULL, or out: [batch, heads, dim], the output with the rest as the sample estimates it */
  int32_t* rest_drawn;   /* NULL, or out: [batch, heads or kv_heads], keys drawn for a list; with listed keys of that
                               bin if they are more than there is room for */
  int32_t* rest_keys;    /* NULL, or out: [batch, heads or kv_heads, 2 rest_samples + 64], these keys, rising, -1
                               behind the last */
} skt_rest;

/* Sizes as each stage allows: dim 32, 64, 128 or 256, planes 4 .. 16, capacity a multiple of 64. Keys and values may be
 * paged as above, and with paged_index packed codes, norms and masks by the same table. Without `lengths` a captured
 * graph is that of one length, `used`; with them, and `used` the capacity, of all. A head that selects nothing, as of
 * an empty sequence, has output NaN and log_sum_exp -infinity: who merges it with attention elsewhere leaves it out. */
typedef struct skt_decode_step_args {
  const void* queries; /* type [batch, heads, dim] */
  skt_cache cache;
  const float* hyperplanes; /* [tables, planes, dim] */
  uint32_t* packed;         /* [batch, kv_heads, capacity / 64, words of a key, 64], as skt_pack_codes writes it */
  void* norms;              /* fp16 [batch, kv_heads, capacity] */
  void* output;             /* out: output_type [batch, heads, dim] */
  float* log_sum_exp;       /* out, or NULL: [batch, heads], natural, of the scaled logits of the selected keys */
  void* workspace;
  int64_t workspace_bytes;
  skt_shape shape;
  skt_sequences sequences;
  skt_mask mask;
  skt_pages paged;
  skt_list list;
  float scale, temperature, logit_scale; /* each > 0; the signed rule does not use the temperature */
  int32_t type;                          /* enum skt_type, of queries, and of keys and values but for cache_form */
  int32_t rule;                          /* enum skt_rule */
  int32_t output_type;                   /* enum skt_type, as skt_sparse_attention_args has it */
  int32_t paged_index;   /* 0, and with a block table keys and values alone are paged; 1, with one: the index too */
  int32_t lists;         /* enum skt_lists */
  const float* log_sums; /* NULL, or as skt_score_packed has them */
  int32_t* selected;     /* NULL, or out with list_counts: the lists, as skt_select_keys writes them */
  int32_t* list_counts;
  skt_append append;
  skt_rest rest;
} skt_decode_step_args;
SKT_API int skt_decode_step_workspace_bytes(const skt_decode_step_args* args, int64_t* bytes, skt_error* error);
SKT_API int skt_decode_step(const skt_decode_step_args* args, struct CUstream_st* stream, skt_error* error);

#ifdef __cplusplus
}
#endif

#endif /* SOCKETLAB_GPU_H */
