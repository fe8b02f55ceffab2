#include "gpu/check/references/paged_index.hpp"

#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

constexpr std::uint32_t kSomeWord = 0x9e3779b9;  // the golden ratio: no bit stands as in its neighbour
constexpr std::uint16_t kNanNorm = 0x7fff;

std::int64_t mask_heads_of(const CheckCase& c) {
  return mask_per_head(c) ? c.heads : 1;
}

}  // namespace

IndexLayout::IndexLayout(const CheckCase& c, std::int64_t keys_to_a_page)
    : page_size(keys_to_a_page),
      kv_heads(c.kv_heads),
      words(words_per_key(c.tables, c.planes)),
      mask_heads(mask_heads_of(c)) {}

std::int64_t IndexLayout::word(std::int64_t page, std::int64_t kv_head, std::int64_t in_page, std::int64_t word) const {
  const std::int64_t words_before = page * kv_heads * page_size * words + kv_head * page_size * words;
  return words_before + in_page / 64 * (64 * words) + word * 64 + in_page % 64;
}

std::int64_t IndexLayout::norm(std::int64_t page, std::int64_t kv_head, std::int64_t in_page) const {
  return page * kv_heads * page_size + kv_head * page_size + in_page;
}

std::int64_t IndexLayout::mask(std::int64_t page, std::int64_t head, std::int64_t in_page) const {
  return page * mask_heads * page_size + (mask_heads > 1 ? head : 0) * page_size + in_page;
}

IndexArrays index_in_pages(const CheckCase& c, const Problem& problem, const PagedCache& cache,
                           const std::vector<std::uint32_t>& packed, const std::vector<std::uint16_t>& norms) {
  const IndexLayout layout(c, cache.page_size);
  const std::int64_t keys = cache.pages * cache.page_size;
  IndexArrays arrays;
  for (std::int64_t i = 0; i < keys * c.kv_heads * layout.words; ++i) {
    arrays.packed.push_back(kSomeWord * static_cast<std::uint32_t>(i + 1));
  }
  arrays.norms.assign(keys * c.kv_heads, kNanNorm);
  if (!problem.allowed.empty()) arrays.allowed.assign(keys * layout.mask_heads, 1);
  for (std::int64_t at = 0; at < c.batch * c.keys; ++at) {
    const std::int64_t b = at / c.keys;
    const std::int64_t key = at % c.keys;
    const std::int64_t page = cache.table[b * cache.blocks + key / cache.page_size];
    const std::int64_t in_page = key % cache.page_size;
    for (std::int64_t h = 0; h < c.kv_heads; ++h) {
      const std::int64_t row = b * c.kv_heads + h;
      arrays.norms[layout.norm(page, h, in_page)] = norms[row * c.capacity + key];
      for (std::int64_t w = 0; w < layout.words; ++w) {
        arrays.packed[layout.word(page, h, in_page, w)] =
            packed[row * c.capacity * layout.words + packed_position(key, w, layout.words)];
      }
    }
    for (std::int64_t h = 0; !problem.allowed.empty() && h < layout.mask_heads; ++h) {
      arrays.allowed[layout.mask(page, h, in_page)] = problem.allowed[(b * layout.mask_heads + h) * c.capacity + key];
    }
  }
  return arrays;
}

}  // namespace skt::gpu
