#include "experiments/compare/compare_times.hpp"

#include <sstream>

#include "tests/catch.hpp"
#include "tests/experiments/refusal.hpp"

using namespace skt;

namespace {

const std::string kHeader =
    "batch,heads,kv_heads,keys,tables,planes,budget,sink,window,stage,median_us,fastest_us,slowest_us,ratio\n";

std::map<std::string, StageTime> read(const std::string& text) {
  std::istringstream lines(text);
  return read_times(lines, "gpu_bench.csv");
}

std::map<std::string, StageTime> with(StageTime time) {
  return {{"decode-step", time}};
}

std::string kind(StageTime first, StageTime second) {
  const RunComparison comparison = compare_times(with(first), with(second));
  if (comparison.differences.empty()) return "";
  return (comparison.differences[0].weight == Weight::worse ? "! " : "  ") + comparison.differences[0].kind;
}

}  // namespace

TEST_CASE("Times are read by stage and shape", "[unit]") {
  const auto times =
      read(kHeader +
           "1,32,8,1024,60,10,100,0,0,decode-step,10,9,12,1.5\n1,32,8,2048,60,10,100,0,0,decode-step,20,18,24,1.5\r\n");

  REQUIRE(times.size() == 2);
  const StageTime& first =
      times.at("decode-step batch=1 heads=32 kv_heads=8 keys=1024 tables=60 planes=10 budget=100 sink=0 window=0");
  CHECK(first.median_us == 10);
  CHECK(first.fastest_us == 9);
  CHECK(first.slowest_us == 12);
}

TEST_CASE("A time beyond the noise of both runs is told, and worse where it is longer", "[unit]") {
  CHECK(kind({10, 9, 12}, {13, 12, 15}).empty());  // they touch
  CHECK(kind({10, 9, 12}, {14, 12.5, 15}) == "! time");
  CHECK(kind({14, 12.5, 15}, {10, 9, 12}) == "  time");
  CHECK(kind({10, 9, 12}, {10, 9, 12}).empty());
}

TEST_CASE("A stage that vanished is worse, and a new one is told", "[unit]") {
  const RunComparison vanished = compare_times(with({1, 1, 1}), {});
  const RunComparison came = compare_times({}, with({1, 1, 1}));

  REQUIRE(vanished.differences.size() == 1);
  CHECK(vanished.differences[0].weight == Weight::worse);
  REQUIRE(came.differences.size() == 1);
  CHECK(came.differences[0].weight == Weight::told);
  CHECK(compare_times(with({1, 1, 1}), with({1, 1, 1})).compared == 1);
}

TEST_CASE("A record that gpu-bench did not write is refused with its line", "[unit]") {
  const std::string row = "1,32,8,1024,60,10,100,0,0,decode-step,10,9,12,1.5\n";
  const auto refused = [](const std::string& text) { return refusal([&] { read(text); }); };

  CHECK(refused("") == "gpu_bench.csv: empty; allowed is a file that gpu-bench wrote");
  CHECK(refused(kHeader) == "gpu_bench.csv: no rows; allowed is a file that gpu-bench wrote");
  CHECK(refused("stage,keys\n") == "gpu_bench.csv: no column batch; allowed is a file that gpu-bench wrote");
  CHECK(refused(kHeader + "1,32\n") == "gpu_bench.csv, line 2: 2 cells; allowed are 14, one for each column");
  CHECK(refused(kHeader + row + row).starts_with("gpu_bench.csv, line 3: decode-step batch=1 "));
  for (const std::string bad : {"", "x", "-1", "nan", "inf", "1e999", "1 "})
    CHECK(refused(kHeader + "1,32,8,1024,60,10,100,0,0,decode-step," + bad + ",9,12,1.5\n")
              .find("line 2: " + (bad.empty() ? "nothing" : bad) + " is no time") != std::string::npos);
  CHECK(refused(kHeader + "1,32,8,1024,60,10,100,0,0,decode-step,10,12,9,1.5\n") ==
        "gpu_bench.csv, line 2: fastest_us above slowest_us; allowed is at most that");
}
