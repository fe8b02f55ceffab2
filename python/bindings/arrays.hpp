// How do NumPy arrays become the matrices of the core, and its results arrays?
//
// A C-contiguous array of doubles is seen where it lies; the Python side converts any other before it comes here. A
// result's memory is handed over, not copied. A copy would show as an address that differs: python/tests/arrays_test.py.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "experiments/files/tensor_file.hpp"
#include "sim/matrix.hpp"

namespace skt::python {

namespace nb = nanobind;

template <class Element, int Dimensions>
using ArrayOf = nb::ndarray<const Element, nb::numpy, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
using Rows = ArrayOf<double, 2>;
using Numbers = ArrayOf<double, 1>;
using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

template <class Array>
Index size_of(const Array& array, int dimension) {
  return static_cast<Index>(array.shape(dimension));
}

inline Eigen::Map<const Matrix> seen(const Rows& rows) {
  return {rows.data(), size_of(rows, 0), size_of(rows, 1)};
}
inline Eigen::Map<const Vector> seen(const Numbers& numbers) {
  return {numbers.data(), size_of(numbers, 0)};
}

// Hands `numbers` over as an array of this shape.
template <class Element>
nb::object handed(std::vector<Element>&& numbers, const std::vector<std::size_t>& shape) {
  auto* kept = new std::vector<Element>(std::move(numbers));
  const nb::capsule owner(kept, [](void* at) noexcept { delete static_cast<std::vector<Element>*>(at); });
  return nb::cast(nb::ndarray<nb::numpy, Element>(kept->data(), shape.size(), shape.data(), owner));
}

inline nb::object handed(Matrix&& matrix) {
  auto* kept = new Matrix(std::move(matrix));
  const nb::capsule owner(kept, [](void* at) noexcept { delete static_cast<Matrix*>(at); });
  const std::size_t shape[2] = {static_cast<std::size_t>(kept->rows()), static_cast<std::size_t>(kept->cols())};
  return nb::cast(nb::ndarray<nb::numpy, double>(kept->data(), 2, shape, owner));
}

inline nb::object handed(const Vector& vector) {
  return handed(std::vector<double>(vector.begin(), vector.end()), {static_cast<std::size_t>(vector.size())});
}

// An array of any type and shape as the readers of files take it; it must outlive what is made of it.
TensorFile tensor_of(const AnyArray& array, const std::string& name);

// The number of threads of a call, as OpenMP has it, put back at its end; 0 leaves it as it is.
class Threads {
 public:
  explicit Threads(int threads);  // InputError below 0
  ~Threads();
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_;
};

// Computes without the interpreter's lock, with so many threads.
template <class Compute>
auto unlocked(int threads, Compute&& compute) {
  const nb::gil_scoped_release released;
  const Threads limited(threads);
  return compute();
}

void bind_attend(nb::module_& module);
void bind_certify(nb::module_& module);
void bind_check(nb::module_& module);
void bind_long_calls(nb::module_& module);
void bind_instances(nb::module_& module);
void bind_options(nb::module_& module);
void bind_oracle(nb::module_& module);
void bind_choose(nb::module_& module);
void bind_scores(nb::module_& module);
void bind_steps(nb::module_& module);
void bind_sweep(nb::module_& module);
void bind_verify(nb::module_& module);

}  // namespace skt::python
