// Do two records of gpu-bench agree within their noise?
//
// A row has a stage of one shape, with the median, the fastest and the slowest of its repetitions. A time left its noise
// where the slowest of one run is faster than the fastest of the other. Slower, or vanished, is worse.
#pragma once

#include <istream>
#include <map>
#include <string>

#include "experiments/compare/difference.hpp"

namespace skt {

struct StageTime {
  double median_us = 0, fastest_us = 0, slowest_us = 0;
};

// Times by stage and shape, from a gpu_bench.csv. InputError with the number of the line.
std::map<std::string, StageTime> read_times(std::istream& lines, const std::string& name);

RunComparison compare_times(const std::map<std::string, StageTime>& first,
                            const std::map<std::string, StageTime>& second);

}  // namespace skt
