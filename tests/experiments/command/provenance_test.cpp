#include "experiments/command/provenance.hpp"

#include "sim/json.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/temporary_folder.hpp"
#include "tests/threads.hpp"

using namespace skt;

TEST_CASE("Provenance names what can change a number, and not the number of threads", "[unit]") {
  const RunFacts facts{"socketlab reproduce --seed 18446744073709551615", 18446744073709551615u, "smoke"};
  const auto with_threads = [&](int count) {
    const Threads threads(count);
    return provenance_json(facts);
  };

  const std::string one = with_threads(1);
  const std::string sixteen = with_threads(16);

  const Json json = Json::parse(one);
  CHECK(one == sixteen);
  CHECK(json.at("seed") == 18446744073709551615u);
  CHECK(json.at("profile") == "smoke");
  CHECK(json.at("flags").get<std::string>().find("-ffp-contract=off") != std::string::npos);
  CHECK(json.at("version") == program_version());
  for (const char* key : {"version", "git_commit", "compiler", "processor"}) {
    INFO(key);
    CHECK(!json.at(key).get<std::string>().empty());
  }
}

TEST_CASE("Results are written with their provenance, and the line says where they are", "[unit]") {
  const TemporaryFolder folder;
  const std::string out = (folder.path / "new").string();

  CHECK(write_results(out, {{"a.csv", "x\n"}, {"b.csv", ""}}, {"socketlab sweep", 1, ""}) ==
        "wrote " + out + "/a.csv, b.csv, provenance.json\n");

  CHECK(contents(folder.path / "new" / "a.csv") == "x\n");
  CHECK(Json::parse(contents(folder.path / "new" / "provenance.json")).at("command") == "socketlab sweep");
}

TEST_CASE("Provenance names a planted fault, and where there is none says nothing of one", "[unit]") {
  CHECK_FALSE(Json::parse(provenance_json({"socketlab verify", 1, "smoke"})).contains("fault"));
  CHECK(Json::parse(provenance_json({"socketlab verify", 1, "smoke", "no-scaling"})).at("fault") == "no-scaling");
}

TEST_CASE("Provenance names the file of learned heads, and where there is none says nothing of one", "[unit]") {
  const RunFacts plain{"socketlab rank", 1, "smoke"}, learned{"socketlab rank", 1, "smoke", "", "heads, hash 1"};

  CHECK_FALSE(Json::parse(provenance_json(plain)).contains("learned_heads"));
  CHECK(Json::parse(provenance_json(learned)).at("learned_heads") == "heads, hash 1");
}
