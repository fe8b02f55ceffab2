// Allocations of the emulated device: each ends within 256 bytes of a page that may not be touched, and holds 0xff, NaN
// as a number, until it is written.
#pragma once

#include <cstdint>

namespace skt::emulation {

// The kernel fails, naming `what`, if these bytes are not within one allocation.
void require_allocated(const void* from, std::int64_t bytes, const char* what);

}  // namespace skt::emulation
