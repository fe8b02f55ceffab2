#include "experiments/verify/kept_trials_rows.hpp"

#include "tests/numbers.hpp"

#include <fmt/format.h>

using namespace skt;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

const KeptTrials kTwoValues{"a, b", "X", Relation::at_least, {{0.5, 3}, {kInfinite, 1}}, {{0.75, 0.5}}};

}  // namespace

TEST_CASE("Kept trials read back as they were, an infinite one too", "[unit]") {
  const std::vector<KeptTrials> again = kept_trials_from(Json::parse(to_json({kTwoValues}).dump()));

  REQUIRE(again.size() == 1);
  CHECK(again[0].instance == "a, b");
  CHECK(again[0].quantity == "X");
  CHECK(again[0].relation == Relation::at_least);
  REQUIRE(again[0].values.size() == 2);
  CHECK((again[0].values[0].value == 0.5 && again[0].values[0].count == 3));
  CHECK((again[0].values[1].value == kInfinite && again[0].values[1].count == 1));
  REQUIRE(again[0].law.size() == 1);
  CHECK((again[0].law[0].value == 0.75 && again[0].law[0].probability == 0.5));
  CHECK_THROWS_AS(kept_trials_from(Json::parse(R"({"instance": "x"})")), InputError);
}

TEST_CASE("The two files hold every value and every point of a law", "[unit]") {
  const std::vector<KeptOf> kept{{"S1", "claim", kTwoValues}, {"S1", "half", kTwoValues}};
  // Two bands share an error of 0.05; four trials each: sqrt(log(2/0.025)/8).
  const double band = std::sqrt(std::log(80.0) / 8);

  CHECK(trials_csv(kept) ==
        "id,measured,instance,quantity,value,count\n"
        "S1,claim,\"a, b\",X,0.5,3\nS1,claim,\"a, b\",X,inf,1\n"
        "S1,half,\"a, b\",X,0.5,3\nS1,half,\"a, b\",X,inf,1\n");
  CHECK(laws_csv(kept) == fmt::format("id,measured,instance,quantity,relation,value,probability,band\n"
                                      "S1,claim,\"a, b\",X,>=,0.75,0.5,{0}\nS1,half,\"a, b\",X,>=,0.75,0.5,{0}\n",
                                      band));
}
