// How are Monte Carlo trials run in parallel with the same bits for any number of threads?
//
// Trials run in blocks of fixed size; each block fills its own accumulator in trial order; blocks merge in block order.
// It would be wrong if 1 and 16 threads gave different bits, which tests/sim/trial_loop_test.cpp checks.
#pragma once

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <vector>

#include "sim/stop.hpp"

namespace skt {

// Accumulator: copyable from `empty`, with merge(const Accumulator& later).
// body(trial, accumulator) must depend on the trial number only, a std::uint32_t as in the addresses of random numbers
// (sim/randomness.hpp): with more trials than those number, draws would repeat, so more are refused. If bodies throw,
// the exception of the first failing trial is rethrown here, whichever thread met it. Throws Stopped where the caller's
// thread heeds a Stop that is asked for; bodies heed it too.
template <class Accumulator, class Body>
Accumulator run_trials(std::uint64_t trials, const Accumulator& empty, Body&& body, std::uint64_t block_size = 64) {
  if (block_size == 0) throw std::invalid_argument("run_trials: block_size must be 1 and more");
  if (trials > std::uint64_t{1} << 32) throw std::invalid_argument("run_trials: at most 2^32 trials");
  const std::uint64_t blocks = trials / block_size + (trials % block_size != 0);
  const Stop* const stop = heeded_stop();
  const auto is_stopped = [stop] { return stop != nullptr && stop->is_asked(); };
  std::vector<Accumulator> partial(blocks, empty);
  std::exception_ptr failure;
  std::uint64_t failed_block = blocks;
#pragma omp parallel for schedule(dynamic, 1)
  for (std::uint64_t b = 0; b < blocks; ++b) {
    if (is_stopped()) continue;
    try {
      const StopScope heeds(stop);
      const std::uint64_t first = b * block_size;
      const std::uint64_t last = trials - first < block_size ? trials : first + block_size;
      for (std::uint64_t trial = first; trial < last; ++trial) body(static_cast<std::uint32_t>(trial), partial[b]);
    } catch (...) {
#pragma omp critical(skt_trial_failure)
      if (b < failed_block) {
        failed_block = b;
        failure = std::current_exception();
      }
    }
  }
  if (is_stopped()) throw Stopped{};
  if (failure) std::rethrow_exception(failure);
  Accumulator total = empty;
  for (const Accumulator& part : partial) total.merge(part);
  return total;
}

}  // namespace skt
