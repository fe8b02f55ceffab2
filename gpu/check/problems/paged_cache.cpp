#include "gpu/check/problems/paged_cache.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
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

std::int64_t common_keys(const CheckCase& c) {
  return c.batch > 1 ? c.keys / 2 / c.page_size * c.page_size : 0;
}

Problem with_common_keys(const CheckCase& c, Problem problem) {
  const auto spread = [&](auto& numbers, std::int64_t heads, std::int64_t width) {
    const std::int64_t sequence = heads * c.capacity * width;
    for (std::int64_t row = heads; row < c.batch * heads; ++row) {
      const auto from = numbers.begin() + row % heads * c.capacity * width;
      std::copy_n(from, common_keys(c) * width, numbers.begin() + row / heads * sequence + (from - numbers.begin()));
    }
  };
  spread(problem.keys, c.kv_heads, c.dim);
  spread(problem.values, c.kv_heads, c.dim);
  if (!problem.allowed.empty()) spread(problem.allowed, mask_per_head(c) ? c.heads : 1, 1);
  return problem;
}

PagedCache with_shared_pages(const CheckCase& c, PagedCache cache) {
  const std::int64_t page = cache.page_stride * c.dim;
  for (std::int64_t i = cache.blocks; i < std::ssize(cache.table); ++i) {
    if (i % cache.blocks >= common_keys(c) / cache.page_size) continue;
    std::fill_n(cache.keys.begin() + cache.table[i] * page, page, NAN);
    std::fill_n(cache.values.begin() + cache.table[i] * page, page, NAN);
    cache.table[i] = cache.table[i % cache.blocks];
  }
  return cache;
}

std::vector<std::int32_t> table_of(const PagedCache& cache, const std::vector<std::int32_t>& lengths) {
  std::vector<std::int32_t> table = cache.table;
  for (std::int64_t i = 0; i < std::ssize(table); ++i) {
    if (i % cache.blocks * cache.page_size >= lengths[i / cache.blocks]) table[i] = -1;
  }
  return table;
}

}  // namespace skt::gpu
