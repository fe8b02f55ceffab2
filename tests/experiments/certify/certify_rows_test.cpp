#include "experiments/certify/certify_rows.hpp"

#include "tests/numbers.hpp"

using namespace skt;
using Catch::Matchers::ContainsSubstring;

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

TEST_CASE("A certificate is told in a line for each term", "[unit]") {
  CertifyPlan plan;
  plan.delta = 0.1;
  plan.target = 0.5;
  QueryCertificate query = third_query();
  SmallestCounts& needs = query.certificate.needs.emplace();
  needs.tables_certified = 12;
  needs.reason = "a larger target";
  const std::string text = readable(plan, query);

  CHECK(
      text.starts_with("query 3 (head 2): 40 keys, |q| 6, longest value 8, |dense output| 0.5\n"
                       "  B, the most keys in one bucket: 9 in these tables; some draw puts at least 21 into one\n"));
  CHECK_THAT(text, ContainsSubstring("\n  finite-tables     0.25                1                   Theorem 1(b)\n"
                                     "  bias              2\n"));
  CHECK_THAT(text, ContainsSubstring("finite tables alone L = 12 certified, none estimated"));
  CHECK_THAT(text, ContainsSubstring("\n    query 3: a larger target\n"));
  CHECK(std::count(text.begin(), text.end(), '\n') == 8);
}

TEST_CASE("The summary has the median and the largest over queries of the bound that is least", "[unit]") {
  CertifyPlan plan;
  plan.delta = 0.1;
  plan.queries = 3;
  std::vector<QueryCertificate> queries(3, third_query());
  for (int i = 0; i < 3; ++i) {
    Certificate& c = queries[i].certificate;
    c.dense_norm = 1 + i;
    // Medians 5 and 4. Those at delta/3 and without proof do not count.
    c.numbers = {{"sampling", Basis::measured, "this draw", 0, 0.1 * (i + 1)},
                 {"sampling", Basis::certified, "Theorem 7(a)", 0.1, std::array{5.0, 1.0, 9.0}[i]},
                 {"sampling", Basis::certified, "Theorem 7(b)", 0.1, std::array{4.0, 2.0, 10.0}[i]},
                 {"sampling", Basis::certified, "Theorem 7(c)", 0.1 / 3, 0.5},
                 {"sampling", Basis::estimated, "a guess", 0, 0.25},
                 {"sampling", Basis::printed, "Lemma 10", 0.1, 70.0 + i},
                 {"angular-to-dense", Basis::measured, "exact", 0, std::array{0.75, 0.25, 0.5}[i]}};
  }

  const std::string all = summary(plan, queries, 30);

  CHECK_THAT(all,
             ContainsSubstring("\n  sampling          0.2  0.3            4  10               Theorem 7(b)          "
                               "71  72              Lemma 10\n"));
  CHECK_THAT(all, ContainsSubstring("that is itself 0.5 of 2 (the norm of dense attention's"));
  CHECK_THAT(all, !ContainsSubstring("others need"));
  CHECK(std::count(all.begin(), all.end(), '\n') <= 25);

  // Of two, a median between them.
  CHECK_THAT(summary(plan, {queries[0], queries[1]}, 30), ContainsSubstring("\n  sampling          0.15  0.2  "));

  // 3 of 12 in 178 s: 59.33 s each, 534 s more; 712 s in all and a tenth, to the next ten.
  plan.queries = 12;
  CHECK(summary(plan, queries, 178)
            .starts_with("3 of 12 queries in 178 s; the others need about 9 min: --time-limit 790\n"));
}

TEST_CASE("What the queries need is told from the least to the most, and why there is none", "[unit]") {
  CertifyPlan plan;
  plan.target = 0.5;
  plan.queries = 3;
  std::vector<QueryCertificate> queries(3, third_query());
  for (int i = 0; i < 3; ++i) {
    SmallestCounts& needs = queries[i].certificate.needs.emplace();
    needs.samples = 9 - i;
    if (i > 0) needs.tables_certified = 10 * i;
    if (i == 1) needs.reason = "the bias";
    queries[i].query = i;
  }

  const std::string all = summary(plan, queries, 1);

  CHECK_THAT(all, ContainsSubstring("L = 10 to 20 (none for 1 of 3 queries) certified, none estimated"));
  CHECK_THAT(all, ContainsSubstring("M = 7 to 9 certified"));
  CHECK_THAT(all, ContainsSubstring("query 1: the bias"));
}

TEST_CASE("A time is told in the unit that suits it", "[unit]") {
  CHECK(duration_text(0.01) == "1 s");
  CHECK(duration_text(119) == "119 s");
  CHECK(duration_text(840) == "14 min");
  CHECK(duration_text(9000) == "2.5 h");
}
