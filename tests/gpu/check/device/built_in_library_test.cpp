// The project's own library, in builds with CUDA; needs no device.
#include "gpu/check/device/library.hpp"
#include "gpu/check/operations/checks.hpp"
#include "tests/catch.hpp"

using namespace skt::gpu;

TEST_CASE("the project's own library has every function that is listed, and so every operation", "[unit][gpu]") {
  const Library own = built_in_library();

#define SKT_FUNCTION(name) CHECK(own.name == &skt_##name);
#include "gpu/check/device/functions.def"
#undef SKT_FUNCTION
  for (const Operation operation : values_of<Operation>()) {
    INFO(name_of(operation));
    CHECK(own.offers(operation));
  }
}
