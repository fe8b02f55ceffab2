// A case's keys and values in pages, as the block table of gpu/socketlab_gpu.h finds them; needs no device.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/check/cases/check_case.hpp"
#include "gpu/check/problems/problem.hpp"

namespace skt::gpu {

struct PagedCache {
  std::vector<std::int32_t> table;  // [batch, blocks]; -1 where a block holds no used key
  std::vector<float> keys, values;  // every row that is nobody's is NaN
  std::int64_t blocks = 0, pages = 0, page_size = 0;
  std::int64_t page_stride = 0, head_stride = 0, token_stride = 0;

  // Of the pool, in rows of dim elements.
  std::int64_t row(std::int64_t batch, std::int64_t kv_head, std::int64_t key) const;
  // Whose row of the pool it is.
  std::int64_t kv_head_of(std::int64_t row) const {
    return row % page_stride / head_stride % (page_stride / page_size);
  }
};

// The pages stand in an order drawn from the seed, with some among them that no table names.
PagedCache paged_cache(const CheckCase& c, const Problem& problem);

// How many keys the sequences of a batch begin with in common: half of them, in whole pages; of one sequence none.
std::int64_t common_keys(const CheckCase& c);
// The problem with these keys, values and masks of the first sequence in all of them.
Problem with_common_keys(const CheckCase& c, Problem problem);
// Of such a problem: all tables begin with the pages of the first, and what the others had there is nobody's.
PagedCache with_shared_pages(const CheckCase& c, PagedCache cache);
// The table of sequences of these lengths, [batch]: -1 where a block holds none of their keys.
std::vector<std::int32_t> table_of(const PagedCache& cache, const std::vector<std::int32_t>& lengths);

}  // namespace skt::gpu
