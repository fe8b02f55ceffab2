#include "sim/family_parameters.hpp"

#include <functional>

#include "tests/experiments/refusal.hpp"
#include "tests/numbers.hpp"

using namespace skt;

TEST_CASE("A family and its name are each other's inverse", "[unit]") {
  const std::vector<std::string> names = instance_family_names();

  CHECK(names.size() == 16);
  for (const std::string& name : names) CHECK(name_of(instance_family(name)) == name);
  CHECK(instance_family("needle") == InstanceFamily::needle);
  CHECK(instance_family("I-RAD") == InstanceFamily::rademacher);
}

TEST_CASE("An unknown family is refused with the list of the allowed ones", "[unit]") {
  const std::string message = refusal<InputError>([] { instance_family("gausian"); });
  CHECK(message.find("gausian") != std::string::npos);
  for (const std::string& name : instance_family_names()) CHECK(message.find(name) != std::string::npos);
}

TEST_CASE("A parameter outside its range is refused, NaN included", "[unit]") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const std::vector<std::function<void(FamilyParameters&)>> lies = {
      [](auto& p) { p.keys = -1; },
      [](auto& p) { p.keys = Index{1} << 32; },
      [](auto& p) { p.dim = 0; },
      [](auto& p) { p.value_dim = 0; },
      [](auto& p) { p.query_norm = 0; },
      [](auto& p) { p.query_norm = -1; },
      [=](auto& p) { p.query_norm = nan; },
      [=](auto& p) { p.query_norm = infinity; },
      [](auto& p) { p.needle_cosine = 1.0000001; },
      [=](auto& p) { p.needle_cosine = nan; },
      [=](auto& p) { p.needle_value = infinity; },
      [](auto& p) { p.needles = 0; },
      [](auto& p) { p.clusters = 0; },
      [](auto& p) { p.key_rank = 0; },
      [=](auto& p) { p.key_noise = nan; },
      [](auto& p) { p.key_noise = 1.0000001; },
      [](auto& p) { p.sinks = -1; },
      [=](auto& p) { p.sink_value = infinity; },
      [](auto& p) { p.cluster_spread = -0.1; },
      [=](auto& p) { p.cluster_spread = nan; },
      [](auto& p) { p.shared_value_variance = -0.1; },
      [](auto& p) { p.shared_value_variance = 1.0000001; },
      [=](auto& p) { p.shared_value_variance = nan; },
      [](auto& p) { p.spectrum_decay = -1; },
      [=](auto& p) { p.spectrum_decay = infinity; },
      [](auto& p) { p.copies = 0; },
      [](auto& p) { p.angle = -0.1; },
      [=](auto& p) { p.angle = nan; },
      [](auto& p) { p.family = InstanceFamily::grid, p.planes = 0; },
      [](auto& p) { p.family = InstanceFamily::grid, p.planes = 21; },
      [](auto& p) { p.family = InstanceFamily::grid, p.dim = 2, p.planes = 3; },
      [](auto& p) { p.family = InstanceFamily::grid, p.planes = 20, p.copies = Index{1} << 13; },
  };
  for (std::size_t i = 0; i < lies.size(); ++i) {
    FamilyParameters p;
    p.keys = 2;
    CHECK_NOTHROW(require_allowed(p));
    lies[i](p);
    INFO("lie " << i);
    CHECK_THROWS_AS(require_allowed(p), InputError);
  }
}

TEST_CASE("The ends of the ranges are allowed", "[unit]") {
  FamilyParameters p;
  p.keys = 0xffffffff;
  p.dim = 1;
  p.needle_cosine = -1;
  p.cluster_spread = 0;
  p.key_noise = 1;
  p.sinks = 0;
  p.angle = 0;
  CHECK_NOTHROW(require_allowed(p));

  p.family = InstanceFamily::grid;
  p.dim = 20;
  p.planes = 20;
  p.copies = 0xfff;  // 2^20 buckets of so many are below 2^32 keys
  CHECK_NOTHROW(require_allowed(p));
}

TEST_CASE("I-GRID has room for 2^32 keys, and its refusal names the parameter", "[unit]") {
  FamilyParameters p;
  p.family = InstanceFamily::grid;
  p.planes = 20;
  p.copies = Index{1} << 13;
  CHECK_THROWS_WITH(require_allowed(p), Catch::Matchers::StartsWith("copies is 8192: allowed are 1 to 4095"));
}

TEST_CASE("A number out of range is told with both ends, or with the one there is", "[unit]") {
  FamilyParameters p;
  p.needle_cosine = 2;
  CHECK_THROWS_WITH(require_allowed(p), "needle_cosine is 2: allowed are -1 to 1");
  p = {};
  p.spectrum_decay = -0.5;
  CHECK_THROWS_WITH(require_allowed(p), "spectrum_decay is -0.5: allowed are 0 and more, finite");
}
