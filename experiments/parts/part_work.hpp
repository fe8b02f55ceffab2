// How is the work of parts counted, so that a long part can say how far it is?
//
// The unit is a microsecond of one core as the weights of the parts estimate it. A part says what it has done as it
// goes, and its weight in all, neither more nor less: the whole of a command is known before it starts, and the time
// left follows from the pace (command/progress.hpp). Weights that are off by a factor would show as a time left that is.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "experiments/parts/part.hpp"

namespace skt {

// Called from whichever thread did the work.
using WorkSeen = std::function<void(std::uint64_t microseconds)>;

// The work of one part while it runs.
class PartWork {
 public:
  // seen: may be empty.
  PartWork(double weight, const WorkSeen& seen);
  ~PartWork();  // says the rest, unless the part failed
  PartWork(const PartWork&) = delete;
  PartWork& operator=(const PartWork&) = delete;

  // What would exceed the weight is left out.
  void add(double microseconds);

 private:
  std::uint64_t whole_;
  const WorkSeen& seen_;
  int failures_before_;
  std::atomic<std::uint64_t> done_ = 0;
};

// compute(PartWork&) gives the result, or what is one as Json.
template <class Compute>
Part part_of(std::string name, double weight, const WorkSeen& seen, Compute compute) {
  return {std::move(name), weight, [weight, seen, compute]() -> Json {
            PartWork work(weight, seen);
            return compute(work);
          }};
}

// A weight in whole microseconds, 1 at least.
std::uint64_t whole_work(double weight);

// Of all parts together.
std::uint64_t total_work(const std::vector<Part>& parts);

// Runs the parts one after the other here, without a word and without a journal (run_parts.hpp has both).
std::vector<Json> run_in_order(const std::vector<Part>& parts);

}  // namespace skt
