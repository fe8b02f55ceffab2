#include "gpu/check/cases/published_profile.hpp"

#include <algorithm>

#include "estimators/published_profile.hpp"

namespace skt::gpu {

namespace {

PublishedProfile profile_of(Published code) {
  const PublishedTraits traits = traits_of(code);
  PublishedProfile profile;
  profile.plane_scale = traits.plane_scale;
  profile.plane_type = code == Published::gpt_fast ? PlaneType::f32 : PlaneType::model;
  profile.corners = traits.noise_corners ? Corners::noise : Corners::signs;
  profile.temperature = traits.temperature;
  profile.probability_type = SKT_BF16;
  profile.norm_form = traits.half_norms ? SKT_NORM_F16_OVERFLOWS : SKT_NORM_BF16;
  profile.list = traits.lists_twice ? ListRule::repeated : ListRule::joined;
  return profile;
}

}  // namespace

PublishedProfile published_profile(Profile name) {
  PublishedProfile paper;
  switch (name) {
    case Profile::gpt_fast:
      return profile_of(Published::gpt_fast);
    case Profile::hf:
      return profile_of(Published::hf);
    case Profile::hub:
      return profile_of(Published::hub);
    case Profile::paper_f16:
      paper.probability_type = SKT_F16;
      return paper;
    case Profile::paper:
      break;
  }
  return paper;
}

std::vector<std::int32_t> attended_keys(ListRule rule, const std::vector<std::int32_t>& best, std::int64_t keys,
                                        std::int64_t sink, std::int64_t window) {
  std::vector<std::int32_t> list;
  const auto add = [&](std::int64_t first, std::int64_t end) {
    for (std::int64_t key = first; key < end; ++key) list.push_back(static_cast<std::int32_t>(key));
  };
  add(0, std::min(sink, keys));
  add(std::max<std::int64_t>(keys - window, 0), keys);
  list.insert(list.end(), best.begin(), best.end());
  if (rule == ListRule::repeated) return list;
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

}  // namespace skt::gpu
