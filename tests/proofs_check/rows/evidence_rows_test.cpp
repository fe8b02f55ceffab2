#include "proofs_check/rows/evidence_rows.hpp"

#include "tests/json_places.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

// 0, 1, 0, 1: mean 1/2, variance 1/3.
Moments four() {
  Moments moments;
  for (const double x : {0.0, 1.0, 0.0, 1.0}) moments.add(x);
  return moments;
}

std::vector<Evidence> of_every_law() {
  return {exact({"I", "x"}, 0.1, equals(0.1)),
          supremum({"I", "x"}, 0.1 + 0.2, 1e-16, 7, 5),
          frequency({"I", "x"}, 2, 5, at_most(0.5), {0.25, 1}),
          mean({"I", "x"}, four(), at_least(0), {0.05, 6}),
          mean_of_bounded({"I", "x"}, four(), 1, equals(2), {0.05, 40}),
          normal_estimate({"I", "x"}, -0.5, 0.25, 300, equals(-0.5), {0.05, 2})};
}

}  // namespace

TEST_CASE("Evidence of every law reads back as it was written, and its interval follows from what was read", "[unit]") {
  for (const Evidence& written : of_every_law()) {
    const Json json = to_json(written);
    INFO(json.dump());

    const Evidence read = evidence_from(Json::parse(json.dump()));

    CHECK(to_json(read) == json);
    CHECK(interval_of(read.basis, read.error_share).lo == written.observed.lo);
    CHECK(interval_of(read.basis, read.error_share).hi == written.observed.hi);
  }
}

TEST_CASE("A basis holds what its formula takes and no more", "[unit]") {
  const std::vector<Evidence> all = of_every_law();

  CHECK(to_json(all[0])["basis"] == Json::parse(R"({"law":"point"})"));
  CHECK(to_json(all[2])["basis"] == Json::parse(R"({"law":"proportion","hits":2,"trials":5})"));
  CHECK(to_json(all[3])["basis"]["count"] == 4);
  CHECK(to_json(all[3])["basis"]["mean"] == 0.5);
  CHECK(to_json(all[3])["basis"]["variance"] == 1.0 / 3);
  CHECK(to_json(all[4])["basis"]["range"] == 1);
  CHECK(to_json(all[5])["basis"] == Json::parse(R"({"law":"known-deviation","count":1,"mean":-0.5,"deviation":0.25})"));
  CHECK(to_json(all[3])["share"] == "nominal");
  CHECK(to_json(all[4])["share"] == "guaranteed");
}

TEST_CASE("The ratios of a bound to the quantile and to the trivial one stand where they were measured", "[unit]") {
  Evidence e = exact({"I", "x"}, 0.01, at_most(0.05));
  CHECK_FALSE(to_json(e).contains("bound_over_quantile"));
  CHECK_FALSE(evidence_from(to_json(e)).bound_over_quantile.has_value());

  e.bound_over_quantile = 1.25;

  CHECK(to_json(e)["bound_over_quantile"] == 1.25);
  CHECK(evidence_from(to_json(e)).bound_over_quantile == 1.25);
  CHECK_FALSE(to_json(e).contains("bound_over_trivial"));
  CHECK_FALSE(evidence_from(to_json(e)).bound_over_trivial.has_value());

  e.bound_over_trivial = 2.5;

  CHECK(to_json(e)["bound_over_trivial"] == 2.5);
  CHECK(evidence_from(to_json(e)).bound_over_trivial == 2.5);
}

TEST_CASE("A count that is no whole number, or a law that there is not, is refused", "[unit]") {
  const Json good = to_json(of_every_law()[2]);
  for (const auto& [place, value] : std::vector<std::pair<std::string, Json>>{
           {"/basis/hits", -1}, {"/basis/hits", 0.5}, {"/basis/trials", nullptr}, {"/basis/law", "exact"}}) {
    INFO(place << " " << value);
    Json bad = good;
    at_place(bad, place) = value;
    CHECK_THROWS_AS(evidence_from(bad), InputError);
  }
  CHECK_THROWS_AS(evidence_list_from(Json::object()), InputError);
}
