#include "estimators/metrics/tie_groups.hpp"

#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("Keys stand by falling score, those of one group by index", "[unit]") {
  const TieGroups groups = tie_groups(Vector{{2.0, 1.0, 2.0, 0.0, 1.0, 1.0}});

  CHECK(groups.order == std::vector<Index>{0, 2, 1, 4, 5, 3});
  CHECK(groups.begin == std::vector<Index>{0, 2, 5, 6});
}

TEST_CASE("Infinite scores tie with each other, and 0 with -0", "[unit]") {
  const TieGroups groups = tie_groups(Vector{{-kInfinity, 0.0, kInfinity, -0.0, -kInfinity}});

  CHECK(groups.order == std::vector<Index>{2, 1, 3, 0, 4});
  CHECK(groups.begin == std::vector<Index>{0, 1, 3, 5});
}

TEST_CASE("No keys make no group, and NaN is refused with its position", "[unit]") {
  CHECK(tie_groups(Vector(0)).order.empty());
  CHECK(tie_groups(Vector(0)).begin == std::vector<Index>{0});
  CHECK_THROWS_WITH(tie_groups(Vector{{1.0, std::numeric_limits<double>::quiet_NaN()}}),
                    "score[1] is NaN: it cannot be ranked");
}
