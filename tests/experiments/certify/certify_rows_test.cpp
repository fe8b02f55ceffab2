#include "experiments/certify/certify_rows.hpp"

#include "tests/catch.hpp"

using namespace skt;
namespace {

QueryCertificate third_query() {
  QueryCertificate q{.query = 3, .head = 2, .key_head = 1, .keys = 40};
  q.certificate.longest_value = 8;
  q.certificate.dense_norm = 0.5;
  q.certificate.query_norm = 6;
  q.certificate.effective_rank = 7;
  q.certificate.occupancy_drawn = 9;
  q.certificate.occupancy_sure = 21;
  q.certificate.numbers = {{"finite-tables", Basis::measured, "at hand", 0, 0.25},
                           {"bias", Basis::measured, "at hand", 0, 2},
                           {"finite-tables", Basis::certified, "Theorem 1(b)", 0.1, 1}};
  return q;
}

}  // namespace

TEST_CASE("A query of certificate.json has the names by which a reader finds it", "[unit]") {
  const Json query = certificate_json({}, {third_query()}).at("queries").at(0);

  CHECK(query.at("query") == 3);
  CHECK(query.at("head") == 2);
  CHECK(query.at("key_head") == 1);
  CHECK(query.at("keys") == 40);
  CHECK(query.at("query_norm") == 6);
  CHECK(query.at("dense_norm_value_units") == 0.5);
  CHECK(query.at("longest_value_value_units") == 8);
  CHECK(query.at("effective_rank") == 7);
  CHECK(query.at("occupancy_drawn_keys") == 9);
  CHECK(query.at("occupancy_sure_keys") == 21);
  REQUIRE(query.at("numbers").size() == 3);
  CHECK(query.at("numbers").at(2).at("term") == "finite-tables");
}

TEST_CASE("A certificate is told term by term, each number once", "[unit]") {
  const std::string text = readable({}, third_query());

  CHECK(
      text.starts_with("query 3 (head 2): 40 keys, |q| 6, longest value 8, |dense output| 0.5\n"
                       "  B, the most keys in one bucket: 9 in these tables; some draw puts at least 21 into one\n"));
  // The numbers of one term stand together, and its name before the first of them alone.
  const auto at = [&](const char* words) { return text.find(words); };
  REQUIRE(at("Theorem 1(b)") != std::string::npos);
  CHECK(at("finite-tables") == text.rfind("finite-tables"));
  std::size_t lines = 0;
  for (const char c : text) lines += c == '\n' ? 1 : 0;
  CHECK(lines == 5);
}
