#include "gpu/check/cases/published_profile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt::gpu {

PublishedProfile published_profile(const std::string& name) {
  PublishedProfile profile;
  if (name == "paper") return profile;
  if (name == "paper-f16") {
    profile.probability_type = SKT_F16;
    return profile;
  }
  profile.probability_type = SKT_BF16;
  profile.norm_form = SKT_NORM_F16_OVERFLOWS;
  if (name == "gpt-fast") {
    profile.plane_scale = 0.02;
    profile.corners = Corners::noise;
    profile.corner_scale = 0.02;
    profile.temperature = 1;  // there is none
    profile.list = ListRule::repeated;
  } else if (name == "hf") {
    profile.plane_type = PlaneType::model;
    profile.temperature = 0.3;
    profile.list = ListRule::repeated;
  } else if (name == "hub") {
    profile.plane_type = PlaneType::model;
    profile.norm_form = SKT_NORM_BF16;
  } else {
    refuse("profile '{}': allowed are {}", name, fmt::join(profile_names(), ", "));
  }
  return profile;
}

const std::vector<std::string>& profile_names() {
  static const std::vector<std::string> names = {"paper", "paper-f16", "gpt-fast", "hf", "hub"};
  return names;
}

std::int64_t budget_of_share(double share, std::int64_t keys) {
  return static_cast<std::int64_t>(share * real(keys));
}

std::vector<std::int32_t> attended_keys(ListRule rule, const std::vector<std::int32_t>& best, std::int64_t keys,
                                        std::int64_t sink, std::int64_t window) {
  std::vector<std::int32_t> list;
  for (std::int64_t key = 0; key < std::min(sink, keys); ++key) list.push_back(static_cast<std::int32_t>(key));
  for (std::int64_t key = std::max<std::int64_t>(keys - window, 0); key < keys; ++key) {
    list.push_back(static_cast<std::int32_t>(key));
  }
  list.insert(list.end(), best.begin(), best.end());
  if (rule == ListRule::repeated) return list;
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

}  // namespace skt::gpu
