// What does a run say when it is interrupted (SIGINT, SIGTERM)? One line, and it ends as it would have without.
#pragma once

#include <string>

namespace skt {

// While it lives; one at a time. A signal that is ignored stays so.
class SaysWhenInterrupted {
 public:
  explicit SaysWhenInterrupted(const std::string& line);
  ~SaysWhenInterrupted();
  SaysWhenInterrupted(const SaysWhenInterrupted&) = delete;
  SaysWhenInterrupted& operator=(const SaysWhenInterrupted&) = delete;

 private:
  std::string line_;
};

}  // namespace skt
