#include "experiments/attend/variants.hpp"

#include "tests/catch.hpp"
#include "tests/experiments/attend/four_keys.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

namespace {

std::vector<AttendVariant> variants_of(const AttendRequest& request) {
  AttendProblem problem(request.files);
  return attend_variants(request, problem, Seed{1});
}

// A request for a published profile, with nothing that it fixes.
AttendRequest published_request(const FourKeys& four, const std::string& profile) {
  AttendRequest request = four.request();
  request.profile = profile;
  request.settings.ranker = Ranker::socket;
  return request;
}

}  // namespace

TEST_CASE("A budget is a count, or with a decimal point a fraction of the keys, rounded down", "[unit]") {
  CHECK(budget_of("0", 60) == 0);
  CHECK(budget_of("128", 60) == 128);
  CHECK(budget_of("0.05", 60) == 3);
  CHECK(budget_of("0.05", 79) == 3);  // 3.95
  CHECK(budget_of(".5", 7) == 3);
  CHECK(budget_of("1.0", 60) == 60);
  CHECK(budget_of("0.", 60) == 0);
}

TEST_CASE("A fraction above 0 of which no key is left is refused", "[unit]") {
  CHECK(refusal([&] { budget_of("0.0166", 60); }) ==
        "--budget 0.0166: less than one of 60 keys; allowed are fractions from 0.01667 on, or a count of keys");
  CHECK(budget_of("0.0167", 60) == 1);  // 1.002
}

TEST_CASE("Anything else is no budget", "[unit]") {
  for (const std::string text :
       {"", "-1", "5x", "x", "1e2", "1.5", "-0.1", "0.5.5", "nan.", " 5", "0x10", "9223372036854775808"}) {
    CHECK(refusal([&] { budget_of(text, 60); }) ==
          "--budget " + text + ": allowed are a count such as 128 or a fraction such as 0.05");
  }
}

TEST_CASE("One variant is the profile's, a second one that of --compare", "[unit]") {
  const FourKeys four;
  AttendRequest request = four.request();
  request.settings.ranker = Ranker::socket;
  CHECK(variants_of(request).size() == 1);
  request.compare = "hub";

  const auto variants = variants_of(request);

  REQUIRE(variants.size() == 2);
  CHECK(variants[0].profile == "paper");
  CHECK(!variants[0].published);
  CHECK(variants[0].settings.selection.sink == 0);
  CHECK(variants[0].settings.precision == ScorePrecision::f64);
  CHECK(variants[1].profile == "hub");
  CHECK(variants[1].published->profile == Published::hub);
  CHECK(variants[1].settings.selection.sink == 128);
  CHECK(variants[1].settings.selection.budget == 2);
  CHECK(variants[1].settings.precision == ScorePrecision::f32);
}

TEST_CASE("A published profile brings what is not given", "[unit]") {
  const FourKeys four;
  AttendRequest request = published_request(four, "gpt-fast");
  request.budget.clear();

  const AttendVariant defaults = variants_of(request).front();
  CHECK(defaults.settings.selection.budget == 3600);
  CHECK(defaults.settings.selection.sink == 120);
  CHECK(defaults.settings.socket.temperature == 1);

  request.sink = 0;
  request.budget = "0.5";
  const AttendVariant given = variants_of(request).front();
  CHECK(given.settings.selection.budget == 2);
  CHECK(given.settings.selection.sink == 0);
}

TEST_CASE("Without hyperplanes in a file the paper's 60 tables of 10 planes are drawn", "[unit]") {
  const FourKeys four;
  AttendRequest request = four.request();
  request.files.hyperplanes.clear();

  const Hyperplanes drawn = variants_of(request).front().hyperplanes;
  CHECK(drawn.tables == 60);
  CHECK(drawn.planes == 10);
  request.tables = 3;
  request.planes = 2;
  CHECK(variants_of(request).front().hyperplanes.rows.rows() == 6);
}

TEST_CASE("What a profile cannot do is refused in a line that names the option", "[unit]") {
  const FourKeys four;
  const auto refused = [](const AttendRequest& request) { return refusal([&] { variants_of(request); }); };

  AttendRequest request = four.request();
  request.budget.clear();
  CHECK(refused(request) == "--budget is required under --profile paper");
  request = four.request();
  request.temperature = 0;
  CHECK(refused(request) == "--temperature 0: allowed are finite numbers above 0");
  request = four.request();
  request.compare = "paper";
  CHECK(refused(request) == "--compare paper: the same as --profile");
  request.compare = "other";
  CHECK(refused(request) == "--compare other: allowed are gpt-fast, gpt-fast-later, hf, hub, paper");
  request = four.request();
  request.files.corners = four.at("keys").string();
  CHECK(refused(request) == "--corners: for --profile gpt-fast or --compare gpt-fast only");

  request = published_request(four, "hf");
  request.temperature = 0.5;
  CHECK(refused(request) == "--temperature: fixed under --profile hf; leave it out");
  request = published_request(four, "hub");
  request.settings.precision = ScorePrecision::f32;
  CHECK(refused(request) ==
        "--ranker, --lists, --no-value-norm, --output-rule, --scaling and --precision: fixed under --profile hub; "
        "leave them out");
  request.compare = "paper";  // which these are for
  CHECK(refused(request).empty());
}

TEST_CASE("gpt-fast supports one length for all queries", "[unit]") {
  FourKeys four;
  four.write("queries", {2, 1}, {1, 1});
  four.write("mask", {2, 4}, {1, 1, 1, 0, 1, 1, 0, 0}, ElementType::boolean);

  CHECK(refusal([&] { variants_of(published_request(four, "gpt-fast")); }) ==
        "--mask allows 3 keys to query 0 and 2 to query 1; gpt-fast supports one length for all queries");
  CHECK(refusal([&] { variants_of(published_request(four, "hf")); }).empty());

  AttendRequest causal = published_request(four, "gpt-fast");
  causal.files.mask.clear();
  causal.files.causal = true;
  CHECK(refusal([&] { variants_of(causal); }) ==
        "--causal allows 3 keys to query 0 and 4 to query 1; gpt-fast supports one length for all queries");
}

TEST_CASE("The settings of a summary have the words that a user types", "[unit]") {
  const FourKeys four;
  AttendProblem problem(four.files());

  const auto settings = attend_settings(problem, attend_variants(four.request(), problem, Seed{1}).front());

  CHECK(settings.dump() ==
        R"({"profile":"paper","heads":1,"key_heads":1,"queries":1,"keys":4,"dim":1,"value_dim":1,"tables":1,)"
        R"("planes":1,"hyperplanes":"given","temperature":0.5,"scaling":"inverse-sqrt-dim","ranker":"hard-lsh",)"
        R"("output_rule":"exact-softmax","precision":"f64","budget":2,"sink":0,"window":0})");
}

TEST_CASE("A defect of a published kernel that is not reproduced is said where it strikes", "[unit]") {
  FourKeys four;
  const auto struck = [&](const std::string& profile) {
    AttendProblem problem(four.files());
    const auto variants = attend_variants(published_request(four, profile), problem, Seed{1});
    return attend_settings(problem, variants.front()).at("defects_not_reproduced").dump();
  };
  CHECK(struck("hf") == "[]");

  four.write("values", {4, 2}, {5, 1, -2, 3, 5, 1, -2, 3});

  CHECK(struck("hf") == R"(["values are read with the strides of the keys"])");
  CHECK(struck("hub") == "[]");
}
