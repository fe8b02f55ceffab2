#include "experiments/gpu/check_on_device.hpp"

#include "experiments/command/command.hpp"
#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"

using namespace skt;

// Cases that run: tests/gpu/, where there is a device.
TEST_CASE("a candidate that is no library is refused before a device is asked for", "[unit][gpu]") {
  const TemporaryFolder folder;
  const std::string path = (folder.path / "text.so").string();
  std::ofstream(path) << "no library\n";
  DeviceCheck check;
  check.candidate = path;

  CHECK(refusal([&] { check_on_device(check); }).find(path) != std::string::npos);
}

TEST_CASE("without a device no check passes, and nor does one of no case", "[unit][gpu]") {
  const int code = check_on_device(DeviceCheck{});

  CHECK((code == kNoGpu || code == kNotAsExpected));
}
