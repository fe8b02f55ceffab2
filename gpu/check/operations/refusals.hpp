// What must the functions of the C interface refuse, and by which line?
//
// A call has something wrong beside good arguments. It is refused before anything is read, by a code other than SKT_OK and
// a line. gpu-check asks a library for some line, since it may have words of its own; tests/gpu/interface_test.cpp asks
// the project's own for this one, without a device.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/check/device/library.hpp"

namespace skt::gpu {

struct Call {
  std::string function;
  std::string changes;  // of the good arguments; empty: none
  std::function<int(const Library&, skt_error*)> run;
  std::string line;       // that refuses it; empty where it must be accepted
  bool launches = false;  // an accepted one: on device memory alone
};

// Pointers of the calls lie in `memory`, which accepted calls read, as zeros, and write.
constexpr std::int64_t kMemoryOfCalls = std::int64_t{24} << 20;
std::vector<Call> calls_of_all_functions(void* memory);

}  // namespace skt::gpu
