#include "experiments/verify/kill_matrix.hpp"

#include <algorithm>

#include "proofs_check/evidence.hpp"
#include "tests/catch.hpp"

using namespace skt;

TEST_CASE("The kill matrix has a row for each statement and each mutant, with the evidence that decides", "[unit]") {
  StatementResult result{.id = "S1", .verdict = Verdict::not_refuted};
  result.evidence = {exact({"near", "x"}, 1.5, at_most(2, 0.25)), exact({"far", "x"}, 0.5, at_most(2, 0.25))};
  result.mutants = {{"1 for 2", {exact({"near", "x"}, 1.5, at_most(1, 0.25))}, Verdict::refuted},
                    {"measures nothing", {}, Verdict::inconclusive}};

  const std::string text = kill_matrix({result});

  CHECK(std::count(text.begin(), text.end(), '\n') == 4);
  CHECK(text.find("S1,statement,,not-refuted,not-refuted,near,x,<=,2,0.25,1.5,1.5,1,0,-0.5,0.25\n") !=
        std::string::npos);
  CHECK(text.find("S1,mutant,1 for 2,refuted,refuted,near,x,<=,1,0.25,1.5,1.5,1,0,0.5,0.25\n") != std::string::npos);
  CHECK(text.find("S1,mutant,measures nothing,inconclusive,refuted,,,,,,,,,,,\n") != std::string::npos);
}

TEST_CASE("The fault matrix has a row for each statement that notices, and one for a fault that none does", "[unit]") {
  StatementResult notices{.id = "S1", .verdict = Verdict::refuted};
  notices.evidence = {exact({"I-ONE", "x"}, 3, equals(2, 0.25))};

  const std::string text = fault_matrix({{"seen", {notices}}, {"unseen", {}}});

  CHECK(text.find("\nseen,S1,I-ONE,x,=,2,0.25,3,3,1,0,1,0.25\n") != std::string::npos);
  CHECK(text.find("\nunseen,,,,,,,,,,,,\n") != std::string::npos);
}
