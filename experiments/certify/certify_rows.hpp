// How is a certificate written down? certificate.csv: one row for each query and number; certificate.json: the same,
// nested, with the smallest counts; and a text for the reader at the terminal. A radius that does not exist is "inf" in
// the CSV and null in the JSON.
#pragma once

#include <string>
#include <vector>

#include "experiments/files/csv.hpp"
#include "proofs_check/certificate/certificate.hpp"
#include "sim/json.hpp"

namespace skt {

// Which query the numbers belong to.
struct QueryCertificate {
  Index query = 0, head = 0, key_head = 0, keys = 0;
  Certificate certificate{};
};

CsvTable certificate_table(const CertifyPlan& plan, const std::vector<QueryCertificate>& queries);
Json certificate_json(const CertifyPlan& plan, const std::vector<QueryCertificate>& queries);

// For one query.
std::string readable(const CertifyPlan& plan, const QueryCertificate& query);

}  // namespace skt
