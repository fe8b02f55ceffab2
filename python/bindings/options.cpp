// The tables of the commands that the package mirrors, from which it takes its keywords.
#include "python/bindings/options.hpp"

#include "experiments/attend/request.hpp"
#include "experiments/certify/certify_request.hpp"
#include "experiments/choose/choose.hpp"
#include "experiments/error_curves/requests.hpp"
#include "experiments/oracle_request.hpp"
#include "experiments/verify/verify_fields.hpp"
#include "sim/require.hpp"

namespace skt::python {
namespace {

const char* word_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::flag:
      return "flag";
    case ValueKind::whole:
      return "whole";
    case ValueKind::number:
      return "number";
    case ValueKind::text:
      return "text";
    case ValueKind::wholes:
      return "wholes";
    case ValueKind::numbers:
      return "numbers";
    case ValueKind::texts:
      return "texts";
    case ValueKind::count:
      return "count";
  }
  return "";
}

// name, kind, default (empty: it follows from the rest), what is allowed, help.
template <class Request>
nb::list rows_of() {
  Request request;
  Fields fields;
  add_fields(fields, request);
  nb::list rows;
  for (const Field& field : fields.rows())
    rows.append(nb::make_tuple(field.name, word_of(field.kind()), field.text(), field.allowed(), field.help));
  return rows;
}

nb::list fields_of(const std::string& command) {
  if (command == "attend") return rows_of<AttendRequest>();
  if (command == "audit") return rows_of<AuditRequest>();
  if (command == "certify") return rows_of<CertifyRequest>();
  if (command == "choose") return rows_of<ChooseRequest>();
  if (command == "oracle") return rows_of<OracleRequest>();
  if (command == "sweep") return rows_of<SweepRequest>();
  if (command == "verify") return rows_of<StatementsRequest>();
  refuse("fields of {}: allowed are attend, audit, certify, choose, oracle, sweep, verify", command);
}

}  // namespace

void bind_options(nb::module_& module) {
  module.def("fields", &fields_of, nb::arg("command"));
}

}  // namespace skt::python
