// What would the same tables be with fewer planes? The first planes of each: hyperplanes drawn for fewer planes are
// those (draw_hyperplanes), and a code loses its low bits. Settings that differ in planes can share one hash so.
#pragma once

#include "estimators/key_codes.hpp"

namespace skt {

// InputError unless 1 <= planes <= those there are.
Hyperplanes leading_planes(const Hyperplanes& hyperplanes, Index planes);
KeyCodes leading_planes(const KeyCodes& codes, Index planes);

}  // namespace skt
