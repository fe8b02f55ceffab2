// Where does gpu/socketlab_gpu.h say that an index in pages lies? Counted element by element, without the functor of the
// kernels, and what a case's index then is.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/problems/paged_cache.hpp"
#include "gpu/check/problems/problem.hpp"

namespace skt::gpu {

// Elements of the arrays, of key `in_page` of a page.
struct IndexLayout {
  std::int64_t page_size, kv_heads, words;
  std::int64_t mask_heads;  // 1: one mask for all heads

  IndexLayout(const CheckCase& c, std::int64_t keys_to_a_page);
  std::int64_t word(std::int64_t page, std::int64_t kv_head, std::int64_t in_page, std::int64_t word) const;
  std::int64_t norm(std::int64_t page, std::int64_t kv_head, std::int64_t in_page) const;
  std::int64_t mask(std::int64_t page, std::int64_t head, std::int64_t in_page) const;
};

// Packed codes, bits of norms, and masks, [pages, ..].
struct IndexArrays {
  std::vector<std::uint32_t> packed;
  std::vector<std::uint16_t> norms;
  std::vector<std::uint8_t> allowed;  // empty where the case has no mask
};

// The index of a case's keys, packed [batch, kv_heads, capacity / 64, words, 64] and norms [batch, kv_heads, capacity], in
// the pages of its cache. What is nobody's is garbage: codes of all kinds, NaN, and allowed.
IndexArrays index_in_pages(const CheckCase& c, const Problem& problem, const PagedCache& cache,
                           const std::vector<std::uint32_t>& packed, const std::vector<std::uint16_t>& norms);

}  // namespace skt::gpu
