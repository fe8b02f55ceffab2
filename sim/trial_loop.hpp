// The one parallel loop over Monte Carlo trials. Trials run in blocks of fixed size; each block fills its own
// accumulator in trial order; blocks merge in block order. The result has the same bits for any thread count.
#pragma once

#include <cstdint>
#include <exception>
#include <vector>

namespace skt {

// Accumulator: copyable from `empty`, with merge(const Accumulator& later).
// body(trial, accumulator) must depend on the trial number only. An exception of a body is rethrown here.
template <class Accumulator, class Body>
Accumulator run_trials(std::uint64_t trials, const Accumulator& empty, Body&& body,
                       std::uint64_t block_size = 64) {
  const std::int64_t blocks = static_cast<std::int64_t>((trials + block_size - 1) / block_size);
  std::vector<Accumulator> partial(static_cast<std::size_t>(blocks), empty);
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, 1)
  for (std::int64_t b = 0; b < blocks; ++b) {
    try {
      const std::uint64_t first = static_cast<std::uint64_t>(b) * block_size;
      const std::uint64_t last = first + block_size < trials ? first + block_size : trials;
      for (std::uint64_t trial = first; trial < last; ++trial) body(trial, partial[static_cast<std::size_t>(b)]);
    } catch (...) {
#pragma omp critical(skt_trial_failure)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  Accumulator total = empty;
  for (const Accumulator& part : partial) total.merge(part);
  return total;
}

}  // namespace skt
