#include "sim/statistics/error_budget.hpp"

#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("The shares of a budget never add up to more than its total", "[unit]") {
  for (const std::size_t items : {1u, 2u, 3u, 7u, 49u, 93u, 1000u}) {
    ErrorBudget budget(kFamilyWiseError, items);
    long double sum = 0;
    while (budget.left() > 0) sum += budget.take();

    // 64 bits of significand hold the sum of 1000 numbers of 53 bits without rounding.
    CHECK(sum <= static_cast<long double>(kFamilyWiseError));
    CHECK(sum >= (1 - 4 * std::numeric_limits<double>::epsilon()) * static_cast<long double>(kFamilyWiseError));
  }
}

TEST_CASE("A budget refuses one share more than it was divided into", "[unit]") {
  ErrorBudget budget(0.5, 2);
  budget.take();
  budget.take();
  CHECK_THROWS_AS(budget.take(), std::logic_error);

  ErrorBudget empty(0.5, 0);
  CHECK_THROWS_AS(empty.take(), std::logic_error);
}

TEST_CASE("A share can be divided again", "[unit]") {
  ErrorBudget whole(kFamilyWiseError, 3);
  ErrorBudget part(whole.take(), 5);
  double sum = 0;
  while (part.left() > 0) sum += part.take();

  CHECK(sum <= kFamilyWiseError / 3);
}

TEST_CASE("A budget outside (0, 1) is refused", "[unit]") {
  for (const double total : {0.0, 1.0, -1e-3, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS(ErrorBudget(total, 1), InputError);
  }
}

TEST_CASE("What the commands take of the error of a run adds up to it", "[unit]") {
  CHECK(kStatementsError + kSweepsError + kFaultsError + kRankingsError == kFamilyWiseError);  // 1/2 + 1/4 + 1/8 + 1/8
  for (const double part : {kStatementsError, kSweepsError, kFaultsError, kRankingsError}) CHECK(part > 0);
}
