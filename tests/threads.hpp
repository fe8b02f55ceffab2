// Runs the rest of a scope on a given number of threads, and restores the number however the scope ends.
#pragma once

#include <omp.h>

namespace skt {

class Threads {
 public:
  explicit Threads(int count) : before_(omp_get_max_threads()) { omp_set_num_threads(count); }
  ~Threads() { omp_set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

}  // namespace skt
