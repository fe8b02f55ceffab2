#include "experiments/verify/measured_seconds.hpp"

namespace skt {

double measured_seconds(const Statement&, Profile) {
  return 0.1;
}

}  // namespace skt
