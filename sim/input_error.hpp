// The one exception for input a user can mend: what is wrong, where, and what is allowed, in one line.
// The command line prints it and exits with status 2.
#pragma once

#include <stdexcept>

namespace skt {

class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace skt
