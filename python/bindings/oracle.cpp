// The exact population quantities of `socketlab oracle`, as (value, error).
#include <utility>

#include "experiments/oracle_request.hpp"
#include "python/bindings/options.hpp"

namespace skt::python {

void bind_oracle(nb::module_& module) {
  const auto oracle = [](const nb::dict& options) {
    const Estimate estimate = answer(request_of<OracleRequest>(options));
    return std::pair{estimate.value, estimate.error};
  };
  module.def("oracle", oracle, nb::arg("options"));
}

}  // namespace skt::python
