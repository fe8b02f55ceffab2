// Would this processor, with these libraries, compute the same bits as another?
//
// The C library picks its elementary functions by processor when a program starts, and with fused multiplication and
// addition some results differ in the last bit. Eigen cuts a product into blocks by the sizes of the caches. So the same
// program and seed may write different files on two machines. The fingerprint is a hash of the bits of elementary
// functions on fixed arguments and of two products of fixed matrices: parts of runs are put together only where it
// agrees. That two machines agree in it shows nothing about arguments that are not tried. It would be wrong if it changed
// on one machine, or stayed the same without fused operations: tests/experiments/parts/ways_to_run.py.
#pragma once

#include <string>

namespace skt {

// 16 hexadecimal digits; below 2 ms, once for a process.
const std::string& numeric_fingerprint();

}  // namespace skt
