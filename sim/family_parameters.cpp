#include "sim/family_parameters.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "sim/learned_heads.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr std::array kNames = {
    "gaussian", "unit-sphere", "needle", "clustered", "anisotropic", "rotary-low-rank",  "attention-sink", "I-COPY",
    "I-TWO",    "I-ANTI",      "I-GRID", "I-ORTHV",   "I-RAD",       "clustered-values", "sink-mean",      "learned"};

constexpr double kUnlimited = std::numeric_limits<double>::max();
constexpr Index kMostKeys = 0xffffffff;  // the row of a draw's address has 32 bits
constexpr Index kMostDims = 1 << 20;
constexpr Index kMostPlanes = 20;

void require_count(const char* name, Index value, Index least, Index most) {
  require(value >= least && value <= most, "{} is {}: allowed are {} to {}", name, value, least, most);
}

void require_number(const char* name, double value, double least, double most) {
  const bool holds = value >= least && value <= most;
  if (most == kUnlimited) {
    require(holds, "{} is {}: allowed are {} and more, finite", name, value, least);
  } else {
    require(holds, "{} is {}: allowed are {} to {}", name, value, least, most);
  }
}

}  // namespace

void require_allowed(const FamilyParameters& p) {
  require_count("keys", p.keys, 0, kMostKeys);
  require_count("dim", p.dim, 1, kMostDims);
  if (p.value_dim) require_count("value_dim", *p.value_dim, 1, kMostKeys);
  if (p.query_norm) require_number("query_norm", *p.query_norm, std::numeric_limits<double>::min(), kUnlimited);
  require_number("needle_cosine", p.needle_cosine, -1, 1);
  require_number("needle_value", p.needle_value, -kUnlimited, kUnlimited);
  require_count("needles", p.needles, 1, kMostKeys);
  require_count("clusters", p.clusters, 1, kMostKeys);
  require_number("cluster_spread", p.cluster_spread, 0, 1);
  require_number("shared_value_variance", p.shared_value_variance, 0, 1);
  require_number("spectrum_decay", p.spectrum_decay, 0, kUnlimited);
  require_count("key_rank", p.key_rank, 1, kMostDims);
  require_number("key_noise", p.key_noise, 0, 1);
  require_count("sinks", p.sinks, 0, kMostKeys);
  require_number("sink_value", p.sink_value, -kUnlimited, kUnlimited);
  require_count("copies", p.copies, 1, kMostKeys / 2);
  require_number("angle", p.angle, 0, std::numbers::pi);
  if (p.family == InstanceFamily::grid) {
    require_count("planes", p.planes, 1, std::min(kMostPlanes, p.dim));
    require_count("copies", p.copies, 1, kMostKeys >> p.planes);
  }
  if (p.family == InstanceFamily::learned) require_learned(p);
}

std::vector<std::string> instance_family_names() {
  return {kNames.begin(), kNames.end()};
}

std::string name_of(InstanceFamily family) {
  return kNames[static_cast<std::size_t>(family)];
}

InstanceFamily instance_family(const std::string& name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) {
    refuse("instance family is \"{}\": allowed are {}", name, fmt::join(kNames, ", "));
  }
  return static_cast<InstanceFamily>(found - kNames.begin());
}

}  // namespace skt
