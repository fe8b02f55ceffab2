#include "experiments/command/provenance.hpp"

#include <omp.h>

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("Provenance names what can change a number, and not the number of threads", "[unit]") {
  const RunFacts facts{"socketlab reproduce --seed 18446744073709551615", 18446744073709551615u, "smoke"};
  const int threads = omp_get_max_threads();

  omp_set_num_threads(1);
  const std::string one = provenance_json(facts);
  omp_set_num_threads(16);
  const std::string sixteen = provenance_json(facts);
  omp_set_num_threads(threads);

  const auto json = nlohmann::json::parse(one);
  CHECK(one == sixteen);
  CHECK(json.at("seed") == 18446744073709551615u);
  CHECK(json.at("profile") == "smoke");
  CHECK(json.at("flags").get<std::string>().find("-ffp-contract=off") != std::string::npos);
  for (const char* key : {"version", "git_commit", "compiler", "processor"}) {
    INFO(key);
    CHECK(!json.at(key).get<std::string>().empty());
  }
}
