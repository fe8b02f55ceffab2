#include "proofs_check/context.hpp"

#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("A share is the error of the statement over the number of random pieces", "[unit]") {
  const Context context{.error_share = 0.75};

  CHECK(context.share(1) == 0.75);
  CHECK(context.share(6) == 0.125);
  CHECK(context.share(std::size_t{3}) == 0.25);
}

TEST_CASE("Lists of cases stand for one piece each, several lists for one piece a combination", "[unit]") {
  const Context context{.error_share = 0.75};
  const std::array<double, 3> angles{};
  const std::vector<int> planes(4);
  const int temperatures[2] = {1, 2};

  CHECK(context.share(angles) == 0.25);
  CHECK(context.share(angles, temperatures) == 0.125);            // 0.75/(3*2)
  CHECK(context.share(angles, planes, temperatures) == 0.03125);  // 0.75/(3*4*2)
  CHECK(context.share(2 * std::size(angles)) == 0.125);
}

TEST_CASE("Smoke runs a quarter of the standard trials, deep a hundred times them", "[unit]") {
  CHECK(Context{.profile = Profile::smoke}.trials(4'000) == 1'000);
  CHECK(Context{.profile = Profile::standard}.trials(4'000) == 4'000);
  CHECK(Context{.profile = Profile::deep}.trials(4'000) == 400'000);
}
