#include "experiments/verify/kill_matrix.hpp"

#include <algorithm>

#include "proofs_check/evidence.hpp"
#include "tests/catch.hpp"

using namespace skt;

namespace {

const std::string kCommand = "socketlab verify --only S1 --profile smoke --seed 3";
const std::string kOnInstances = "rounding on the instances tried";

}  // namespace

TEST_CASE("The kill matrix has a row for each statement, mutant and control, with the evidence that decides",
          "[unit]") {
  StatementResult result{.statement = {.id = "S1"}, .verdict = Verdict::not_refuted};
  result.origin = {.seed = 3, .profile = Profile::smoke};
  result.evidence = {exact({"near", "x"}, 1.5, at_most(2, 0.25)), exact({"far", "x"}, 0.5, at_most(2, 0.25))};
  result.mutants = {{"1.4 for 2", {exact({"near", "x"}, 1.5, at_most(1.4, 0.0625))}, Verdict::refuted},
                    {"1 for 2", {exact({"near", "x"}, 1.5, at_most(1, 0.25))}, Verdict::refuted},
                    {"measures nothing", {}, Verdict::inconclusive}};
  result.controls = {{"3 for 2", {exact({"near", "x"}, 1.5, at_least(0.5, 0.25))}, Verdict::not_refuted}};

  const std::string text = kill_matrix({result});
  const auto has = [&](const std::string& line) { return text.find(line) != std::string::npos; };

  CHECK(std::count(text.begin(), text.end(), '\n') == 6);
  CHECK(has(
      "id,measured,mutant,verdict,expected,near,fault,command,instance,quantity,relation,share,deviation_is,claimed,"
      "claimed_error,observed_lo,observed_hi,trials,error_share,distance_from_claim,visible_deviation,"
      "refuted_below_factor,refuted_above_factor,bound_over_quantile\n"));
  // (1.5 - 0.25)/2 below; (1.5 - 0.25)/1; (1.5 + 0.25)/0.5 above.
  CHECK(has("S1,statement,,not-refuted,not-refuted,,," + kCommand + ",near,x,<=,none," + kOnInstances +
            ",2,0.25,1.5,1.5,1,0,-0.5,0.25,0.625,,\n"));
  CHECK(has("S1,mutant,1.4 for 2,refuted,refuted,yes,," + kCommand + ","));
  CHECK(has("S1,mutant,1 for 2,refuted,refuted,no,," + kCommand + ",near,x,<=,none," + kOnInstances +
            ",1,0.25,1.5,1.5,1,0,0.5,0.25,1.25,,\n"));
  CHECK(has("S1,mutant,measures nothing,inconclusive,refuted,no,," + kCommand + ",,,,,,,,,,,,,,,,\n"));
  CHECK(has("S1,control,3 for 2,not-refuted,not-refuted,,," + kCommand + ",near,x,>=,none," + kOnInstances +
            ",0.5,0.25,1.5,1.5,1,0,-1,0.25,,3.5,\n"));
}

TEST_CASE("The kill matrix names a planted fault in every row", "[unit]") {
  StatementResult result{.statement = {.id = "S1"}, .verdict = Verdict::refuted};
  result.origin = {.seed = 3, .profile = Profile::smoke, .fault = "no-scaling"};
  result.mutants = {{"a lie", {}, Verdict::inconclusive}};

  const std::string text = kill_matrix({result});

  CHECK(text.find("S1,statement,,refuted,not-refuted,,no-scaling," + kCommand + " --fault no-scaling,") !=
        std::string::npos);
  CHECK(text.find("S1,mutant,a lie,inconclusive,refuted,no,no-scaling,") != std::string::npos);
}

TEST_CASE("Random evidence says what its share is worth, what its deviation is, and how far a bound is off", "[unit]") {
  StatementResult result{.statement = {.id = "S1"}, .verdict = Verdict::not_refuted};
  result.evidence = {frequency({"near", "x"}, 0, 100, at_most(0.5), {0.25, 1})};
  result.evidence[0].bound_over_quantile = 1.25;

  const std::string text = kill_matrix({result});

  CHECK(text.find(",near,x,<=,guaranteed,seen with probability 0.99,0.5,0,0,") != std::string::npos);
  CHECK(text.find(",1.25\n") != std::string::npos);
}

TEST_CASE("The fault matrix has a row for each statement that notices, and one for a fault that none does", "[unit]") {
  StatementResult notices{.statement = {.id = "S1"}, .verdict = Verdict::refuted};
  notices.evidence = {exact({"I-ONE", "x"}, 3, equals(2, 0.25))};

  const std::string text = fault_matrix({{"seen", {notices}}, {"unseen", {}}}, "socketlab x");

  CHECK(text.find("\nseen,S1,socketlab x,I-ONE,x,=,none," + kOnInstances + ",2,0.25,3,3,1,0,1,0.25,1.375,1.625,\n") !=
        std::string::npos);
  CHECK(text.find("\nunseen,,socketlab x,,,,,,,,,,,,,,,,\n") != std::string::npos);
}
