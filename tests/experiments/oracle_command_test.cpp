// oracle as a user types it: exit status, standard output, one line on standard error.
#include <string>

#include "estimators/population/population.hpp"
#include "sim/json.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/run_socketlab.hpp"

using namespace skt;

namespace {

const std::string kSetting = "--dim 16 --planes 4 --temperature 0.1 --query-norm 1 ";
const PopulationParameters kParameters{1, 0.1, 16, 4, Scaling::inverse_sqrt_dim};

}  // namespace

TEST_CASE("oracle prints the library's value and error with all their digits", "[unit]") {
  const struct {
    std::string arguments;
    Estimate expected;
  } rows[] = {
      {"epsilon " + kSetting, epsilon(kParameters)},
      {"angular-weight --planes 4 --cosine 0.5", angular_weight(4, Cosine::of(0.5))},
      {"weight --cosine -0.5 " + kSetting, population_weight(kParameters, Cosine::of(-0.5))},
      {"weight-variance --tables 60 --cosine -1 " + kSetting, population_weight_variance(kParameters, Cosine::of(-1))},
      {"pair-moment --cosine-i 0.6 --cosine-j -0.3 --cosine-ij 0.5 " + kSetting,
       population_pair_moment(kParameters, Cosine::of(0.6), Cosine::of(-0.3), Cosine::of(0.5))},
      {"epsilon --scaling none --planes 4 --temperature 0.4 --query-norm 1", epsilon(kParameters)},
  };
  for (const auto& row : rows) {
    const ProgramRun run = run_socketlab("oracle " + row.arguments);
    INFO(row.arguments << ": " << run.text);
    REQUIRE(run.status == 0);
    CHECK(is_one_line(run.text));
    const Json answer = Json::parse(run.text);
    CHECK(answer.size() == 2);
    CHECK(std::abs(answer.at("value").get<double>() - row.expected.value) <= row.expected.error);
    CHECK(answer.at("error").get<double>() <= 1e-12 * row.expected.value);
  }
}

TEST_CASE("oracle names the option that is missing", "[unit]") {
  const struct {
    std::string arguments, option;
  } rows[] = {
      {"epsilon --planes 4 --temperature 0.1 --query-norm 1", "--dim"},
      {"epsilon --dim 16 --temperature 0.1 --query-norm 1", "--planes"},
      {"epsilon --dim 16 --planes 4 --query-norm 1", "--temperature"},
      {"epsilon --dim 16 --planes 4 --temperature 0.1", "--query-norm"},
      {"weight " + kSetting, "--cosine"},
      {"pair-moment --cosine-j 0.5 --cosine-ij 0.5 " + kSetting, "--cosine-i"},
      {"pair-moment --cosine-i 0.5 --cosine-ij 0.5 " + kSetting, "--cosine-j"},
      {"pair-moment --cosine-i 0.5 --cosine-j 0.5 " + kSetting, "--cosine-ij"},
  };
  for (const auto& [arguments, option] : rows) {
    const std::string quantity = arguments.substr(0, arguments.find(' '));
    CHECK(run_socketlab("oracle " + arguments).text ==
          "socketlab: oracle " + quantity + ": " + option + " is missing\n");
  }
}

TEST_CASE("oracle refuses what it cannot answer with one line and status 2", "[unit]") {
  const std::string refused[] = {
      "",
      "median",
      "epsilon --dim 16 --planes 4 --temperature 0.1",
      "weight " + kSetting,
      "weight --cosine 1.0000001 " + kSetting,
      "pair-moment --cosine-i 0.9 --cosine-j 0.9 --cosine-ij -0.9 " + kSetting,
  };
  for (const std::string& arguments : refused) {
    const ProgramRun run = run_socketlab("oracle " + arguments);
    INFO(arguments << ": " << run.text);
    CHECK(run.status == 2);
    CHECK(is_one_line(run.text));
  }
}
