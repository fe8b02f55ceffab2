// A problem of two heads that is small enough to redraw in a test, and a plan for it.
#pragma once

#include "experiments/attend/problem.hpp"
#include "proofs_check/certificate/certify_plan.hpp"
#include "tests/experiments/array_file.hpp"
#include "tests/experiments/temporary_folder.hpp"

namespace skt {

// Two heads of two queries, each with five keys of its own; the mask forbids the second head its last key.
class TwoHeads {
 public:
  TwoHeads() {
    write("q.npy", {2, 2, 3});
    write("k.npy", {2, 5, 3});
    write("v.npy", {2, 5, 2});
    write_array(folder_.path / "m.npy", ElementType::boolean, {2, 1, 5},
                std::vector<std::uint8_t>{1, 1, 1, 1, 1, 1, 1, 1, 1, 0});
  }

  AttendFiles files() const {
    AttendFiles files;
    files.queries = path("q.npy");
    files.keys = path("k.npy");
    files.values = path("v.npy");
    files.mask = path("m.npy");
    return files;
  }

  // The last number is `change` larger.
  void write(const char* name, const std::vector<Index>& shape, double change = 0) const {
    std::vector<double> numbers(shape[0] * shape[1] * shape[2]);
    for (Index i = 0; i < std::ssize(numbers); ++i) numbers[i] = real((7 * i + 3) % 11) - 5.5;
    numbers.back() += change;
    write_array(folder_.path / name, ElementType::f64, shape, numbers);
  }

 private:
  std::string path(const char* name) const { return (folder_.path / name).string(); }

  TemporaryFolder folder_;
};

inline CertifyPlan toy_plan() {
  CertifyPlan plan;
  plan.setting = {.planes = 2, .tables = 6, .samples = 3, .budget = 2};
  plan.redraws = 20;
  return plan;
}

}  // namespace skt
