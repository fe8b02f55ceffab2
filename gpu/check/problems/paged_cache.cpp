#include "gpu/check/problems/paged_cache.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/randomness.hpp"

namespace skt::gpu {
namespace {

constexpr std::int64_t kUnusedPages = 3;

std::vector<std::int32_t> shuffled_pages(const CheckCase& c, std::int64_t pages) {
  std::vector<double> keys(pages);
  fill_uniform(Seed{c.seed}, {Role::test_draw, 3}, keys);
  std::vector<std::int32_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return keys[a] < keys[b]; });
  return order;
}

void copy_row(const std::vector<float>& from, std::int64_t from_row, std::vector<float>& to, std::int64_t to_row,
              std::int64_t dim) {
  std::copy_n(from.begin() + from_row * dim, dim, to.begin() + to_row * dim);
}

}  // namespace

std::int64_t PagedCache::row(std::int64_t batch, std::int64_t kv_head, std::int64_t key) const {
  const std::int64_t page = table[batch * blocks + key / page_size];
  return page * page_stride + kv_head * head_stride + key % page_size * token_stride;
}

PagedCache paged_cache(const CheckCase& c, const Problem& problem) {
  PagedCache cache;
  cache.page_size = c.page_size;
  cache.blocks = (c.capacity + c.page_size - 1) / c.page_size;
  cache.pages = c.batch * cache.blocks + kUnusedPages;
  cache.page_stride = c.kv_heads * c.page_size;
  cache.head_stride = c.pages == PageLayout::nhd ? 1 : c.page_size;
  cache.token_stride = c.pages == PageLayout::nhd ? c.kv_heads : 1;
  const std::vector<std::int32_t> order = shuffled_pages(c, cache.pages);
  const std::int64_t used_blocks = (c.keys + c.page_size - 1) / c.page_size;
  for (std::int64_t i = 0; i < c.batch * cache.blocks; ++i) {
    cache.table.push_back(i % cache.blocks < used_blocks ? order[i] : -1);
  }
  const std::size_t elements = cache.pages * cache.page_stride * c.dim;
  cache.keys.assign(elements, NAN);
  cache.values.assign(elements, NAN);
  for (std::int64_t batch = 0; batch < c.batch; ++batch) {
    for (std::int64_t kv_head = 0; kv_head < c.kv_heads; ++kv_head) {
      for (std::int64_t key = 0; key < c.keys; ++key) {
        const std::int64_t from = (batch * c.kv_heads + kv_head) * c.capacity + key;
        const std::int64_t to = cache.row(batch, kv_head, key);
        copy_row(problem.keys, from, cache.keys, to, c.dim);
        copy_row(problem.values, from, cache.values, to, c.dim);
      }
    }
  }
  return cache;
}

}  // namespace skt::gpu
