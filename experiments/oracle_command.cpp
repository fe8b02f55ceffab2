// socketlab oracle QUANTITY: one exact population quantity, as one line of JSON with its error.
#include <fmt/format.h>

#include "experiments/command/command.hpp"
#include "experiments/oracle_request.hpp"

namespace skt {

Command oracle_command() {
  const auto run = [](const OracleRequest& request, const SharedOptions&) {
    const Estimate estimate = answer(request);
    fmt::print("{{\"value\": {:.17g}, \"error\": {:.17g}}}\n", estimate.value, estimate.error);
    return kAsExpected;
  };
  return make_command<OracleRequest>("oracle", "Prints one exact population quantity as {\"value\":..,\"error\":..}",
                                     run, Writes::nothing);
}

}  // namespace skt
