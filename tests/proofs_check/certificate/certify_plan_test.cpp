#include "proofs_check/certificate/certify_plan.hpp"

#include <functional>

#include "estimators/error_terms/table_moments.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

CertifyPlan plan_by_hand() {
  CertifyPlan plan;
  plan.setting = {.planes = 8, .tables = 60, .samples = 10, .budget = 10};
  return plan;
}

// What check says, or nothing.
std::string refused(const std::function<void(CertifyPlan&)>& change) {
  CertifyPlan plan = plan_by_hand();
  change(plan);
  return refusal<InputError>([&] { check(plan); });
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("What has no certificate is refused, naming the option", "[unit]") {
  CHECK(refused([](CertifyPlan&) {}).empty());
  for (const double delta : {0.0, 1.0, -0.1, kNan})
    CHECK(holds(refused([&](CertifyPlan& p) { p.delta = delta; }), "--delta"));
  for (const double target : {0.0, -1.0, kNan})
    CHECK(holds(refused([&](CertifyPlan& p) { p.target = target; }), "--target-error"));
  CHECK(holds(refused([](CertifyPlan& p) { p.setting.temperature = 0; }), "--temperature"));
  CHECK(holds(refused([](CertifyPlan& p) { p.setting.budget = 0; }), "--budget"));
  CHECK(holds(refused([](CertifyPlan& p) { p.setting.samples = 0; }), "--samples"));
}

TEST_CASE("Too few redraws or fresh tables are refused with the number that would do", "[unit]") {
  // The largest of n redraws is exceeded with probability 1/(n + 1): at delta = .05 that takes 19.
  CHECK(holds(refused([](CertifyPlan& p) { p.redraws = 18; }), "19"));
  CHECK(refused([](CertifyPlan& p) { p.redraws = 19; }).empty());
  const std::string few = refused([](CertifyPlan& p) { p.fresh_tables = 1000; });
  CHECK(holds(few, "--fresh-tables is 1000"));
  CHECK(holds(refused([](CertifyPlan& p) { p.fresh_tables = 1'000'000, p.pairs = Pairs::none; }), "--pairs"));
  CHECK(refused([](CertifyPlan& p) { p.fresh_tables = 1'000'000; }).empty());
}

TEST_CASE("The whole work is that of its parts", "[unit]") {
  CertifyPlan plan = plan_by_hand();
  const ProblemSize size{300, 16, 4};
  const CertifyWork work = work_of(size, plan);

  CHECK(work_of_query(size, plan) == work.query + 6 * work.pair_block);  // 300 keys: 6 blocks of pairs
  plan.fresh_tables = 100;
  CHECK(work_of_query(size, plan) == work.query + 6 * work.pair_block + 100 * work.fresh_table);
  plan.pairs = Pairs::none;
  CHECK(work_of_query(size, plan) == work.query);
  CHECK(work.pair_block > 0);
  CHECK(work.redraw_hash > 0);
  CHECK(work.query == 300 * 15);
}
