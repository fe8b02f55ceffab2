// Another processor has another fingerprint: tests/experiments/parts/ways_to_run.py, in a process of its own.
#include "experiments/command/numeric_fingerprint.hpp"

#include <cctype>

#include "experiments/command/provenance.hpp"
#include "tests/catch.hpp"
#include "tests/threads.hpp"

using namespace skt;

TEST_CASE("The fingerprint of the numbers is 16 digits, and provenance has it", "[unit]") {
  const std::string fingerprint = numeric_fingerprint();
  const Threads threads(3);

  CHECK(fingerprint.size() == 16);
  for (const unsigned char digit : fingerprint) CHECK(std::isxdigit(digit));
  CHECK(numeric_fingerprint() == fingerprint);
  CHECK(provenance_json({"socketlab verify", 1, "smoke"}).find("\"numbers\": \"" + fingerprint + "\"") !=
        std::string::npos);
}
