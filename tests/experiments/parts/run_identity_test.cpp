#include "experiments/parts/run_identity.hpp"

#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("The identity of a run is that of the same command, seed and profile", "[unit]") {
  const RunFacts facts{"socketlab verify --seed 1", 1, "smoke"};

  const auto identity = run_identity(facts);

  CHECK(identity == run_identity(facts));
  CHECK(!first_difference(identity, run_identity(facts)));
  for (const char* field : {"version", "program_file", "numbers"})
    CHECK(!identity.at(field).get<std::string>().empty());
  CHECK(first_difference(run_identity({"socketlab rank --seed 1", 1, "smoke"}), identity) ==
        "another command (socketlab rank --seed 1 there, socketlab verify --seed 1 here)");
  CHECK(first_difference(run_identity({"socketlab verify --seed 1", 2, "smoke"}), identity) ==
        "another seed (2 there, 1 here)");
  CHECK(first_difference(run_identity({"socketlab verify --seed 1", 1, "deep"}), identity) ==
        "another profile (deep there, smoke here)");
  CHECK(first_difference(run_identity({"socketlab verify --seed 1", 1, "smoke", "", "heads, hash 1"}), identity) ==
        "another file of learned heads (heads, hash 1 there, nothing here)");
}

TEST_CASE("The first field that differs is named, the version before the program file that comes with it", "[unit]") {
  const Json here = run_identity({"socketlab verify --seed 1", 1, "smoke"});
  const auto with = [&](const char* field, const char* value) {
    Json there = here;
    there[field] = value;
    return there;
  };

  Json older = with("version", "0.0.1");
  older["program_file"] = "0123456789abcdef";
  CHECK(first_difference(older, here) == "another version (0.0.1 there, " + program_version() + " here)");
  CHECK(
      first_difference(with("program_file", "0"), here).value().starts_with("another build of the program (0 there, "));
  CHECK(first_difference(with("numbers", "1"), here)
            .value()
            .starts_with("numbers of another processor or C library (1 there, "));
  CHECK(first_difference("no object", here) == "another program (nothing there, socketlab here)");
  Json without = here;
  without.erase("numbers");
  CHECK(
      first_difference(without, here).value().starts_with("numbers of another processor or C library (nothing there"));
}
