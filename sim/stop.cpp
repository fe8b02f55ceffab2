#include "sim/stop.hpp"

#include <omp.h>

#include <utility>

namespace skt {
namespace {

thread_local const Stop* heeded = nullptr;
thread_local int level_of_heeded = 0;  // of parallel regions around it

}  // namespace

StopScope::StopScope(const Stop* stop)
    : stop_before_(std::exchange(heeded, stop)), level_before_(std::exchange(level_of_heeded, omp_get_level())) {}

StopScope::~StopScope() {
  heeded = stop_before_;
  level_of_heeded = level_before_;
}

const Stop* heeded_stop() {
  return heeded != nullptr && omp_get_level() == level_of_heeded ? heeded : nullptr;
}

void look_for_stop() {
  const Stop* const stop = heeded_stop();
  if (stop != nullptr && stop->is_asked()) throw Stopped{};
}

}  // namespace skt
