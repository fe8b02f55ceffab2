// Where in a JSON value does a test change something? By places such as "/evidence/0/trials".
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sim/json.hpp"

namespace skt {

inline Json& at_place(Json& json, std::string_view place) {
  Json* at = &json;
  while (!place.empty()) {
    place.remove_prefix(1);
    const std::string_view step = place.substr(0, place.find('/'));
    place.remove_prefix(step.size());
    at = at->is_array() ? &at->at(std::stoul(std::string(step))) : &(*at)[step];
  }
  return *at;
}

// Of everything that holds nothing else, with an empty array or object.
inline std::vector<std::string> places_of(const Json& json, const std::string& place = "") {
  if ((!json.is_array() && !json.is_object()) || json.empty()) return {place};
  std::vector<std::string> all;
  const auto add = [&](const auto& step, const Json& below) {
    for (std::string& found : places_of(below, fmt::format("{}/{}", place, step))) all.push_back(std::move(found));
  };
  if (json.is_object())
    for (const auto& [key, value] : json.items()) add(key, value);
  else
    for (std::size_t i = 0; i < json.size(); ++i) add(i, json[i]);
  return all;
}

}  // namespace skt
