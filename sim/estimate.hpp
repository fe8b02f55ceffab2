// A number that is computed with an estimate of its own error.
#pragma once

namespace skt {

struct Estimate {
  double value = 0;
  double error = 0;  // absolute, >= 0
};

}  // namespace skt
