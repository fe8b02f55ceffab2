#include "experiments/parts/part_work.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

namespace skt {

PartWork::PartWork(double weight, const WorkSeen& seen)
    : whole_(whole_work(weight)), seen_(seen), failures_before_(std::uncaught_exceptions()) {}

PartWork::~PartWork() {
  const bool failed = std::uncaught_exceptions() > failures_before_;
  if (seen_ && !failed && done_ < whole_) seen_(whole_ - done_);
}

void PartWork::add(double microseconds) {
  if (!seen_) return;
  const auto work = static_cast<std::uint64_t>(std::max(0.0, microseconds));
  const std::uint64_t before = done_.fetch_add(work);
  if (before < whole_) seen_(std::min(work, whole_ - before));
}

std::uint64_t whole_work(double weight) {
  return static_cast<std::uint64_t>(std::max(1.0, std::ceil(weight)));
}

std::uint64_t total_work(const std::vector<Part>& parts) {
  std::uint64_t total = 0;
  for (const Part& part : parts) total += whole_work(part.weight);
  return total;
}

std::vector<Json> run_in_order(const std::vector<Part>& parts) {
  std::vector<Json> results;
  for (const Part& part : parts) results.push_back(part.run());
  return results;
}

}  // namespace skt
