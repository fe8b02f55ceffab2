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

// "47 s", "14 min", "2.3 h"
std::string duration_text(double seconds);

// Over the queries that are certified, at most 25 lines; where they are not all of the plan, also what the others need, by
// the seconds that went into these.
std::string summary(const CertifyPlan& plan, const std::vector<QueryCertificate>& queries, double seconds);

// For one query, at most 15 lines.
std::string readable(const CertifyPlan& plan, const QueryCertificate& query);

}  // namespace skt
