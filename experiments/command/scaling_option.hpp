// What does --scaling say? One reading of its two words for every command.
#pragma once

#include <string>

#include "estimators/soft_buckets.hpp"

namespace skt {

inline constexpr const char* kDefaultScaling = "inverse-sqrt-dim";

// InputError for a word that is neither inverse-sqrt-dim nor none.
Scaling scaling_named(const std::string& name);

}  // namespace skt
