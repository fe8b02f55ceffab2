// Of what is socketlab._core made? A room for each folder of functions; refusals of the core become ValueError with
// their one line. The package in python/socketlab/ is what users see.
#include <nanobind/nanobind.h>
#include <omp.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "python/bindings/arrays.hpp"
#include "sim/require.hpp"

namespace skt::python {

TensorFile tensor_of(const AnyArray& array, const std::string& name) {
  const nb::dlpack::dtype type = array.dtype();
  const auto is = [&](nb::dlpack::dtype_code code, int bits) {
    return type.code == static_cast<std::uint8_t>(code) && type.bits == bits && type.lanes == 1;
  };
  ArrayInMemory given{name, ElementType::f64, {}, array.data()};
  for (std::size_t i = 0; i < array.ndim(); ++i) given.shape.push_back(static_cast<Index>(array.shape(i)));
  if (is(nb::dlpack::dtype_code::Float, 64))
    given.type = ElementType::f64;
  else if (is(nb::dlpack::dtype_code::Float, 32))
    given.type = ElementType::f32;
  else if (is(nb::dlpack::dtype_code::Float, 16))
    given.type = ElementType::f16;
  else if (is(nb::dlpack::dtype_code::Bfloat, 16))
    given.type = ElementType::bf16;
  else if (is(nb::dlpack::dtype_code::Bool, 8))
    given.type = ElementType::boolean;
  else
    refuse(
        "{}: elements of {} bits of another type; allowed are float16, bfloat16, float32, float64, and bool in a mask",
        name, type.bits);
  return TensorFile(given);
}

Threads::Threads(int threads) : before_(omp_get_max_threads()) {
  constexpr int kMost = 4096;  // of some hundred thousand OpenMP finds no memory, and ends the process
  require(threads >= 0 && threads <= kMost, "threads is {}: allowed are 1 to {}, and 0 for all", threads, kMost);
  if (threads > 0) omp_set_num_threads(threads);
}

Threads::~Threads() {
  omp_set_num_threads(before_);
}

// "--query-norm" is query_norm here, and words that the caller gave break no line.
std::string in_names_of_python(std::string line) {
  std::replace(line.begin(), line.end(), '\n', ' ');
  for (std::size_t at = line.find("--"); at != std::string::npos; at = line.find("--", at)) {
    const bool starts = at == 0 || line[at - 1] == ' ' || line[at - 1] == '(';
    if (!starts || at + 2 == line.size() || line[at + 2] < 'a' || line[at + 2] > 'z') {
      at += 2;
      continue;
    }
    line.erase(at, 2);
    for (; at < line.size() && (line[at] == '-' || std::isalnum(static_cast<unsigned char>(line[at]))); ++at)
      if (line[at] == '-') line[at] = '_';
  }
  return line;
}

}  // namespace skt::python

NB_MODULE(_core, module) {
  using namespace skt::python;
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const skt::InputError& error) {
      std::string line = in_names_of_python(error.what());
      PyErr_SetString(PyExc_ValueError, line.c_str());
    }
  });
  module.def("version", [] { return SKT_VERSION; });
  bind_options(module);
  bind_oracle(module);
  bind_instances(module);
  bind_scores(module);
  bind_attend(module);
  bind_certify(module);
  bind_choose(module);
  bind_check(module);
  bind_steps(module);
  bind_sweep(module);
  bind_verify(module);
  bind_long_calls(module);
}
