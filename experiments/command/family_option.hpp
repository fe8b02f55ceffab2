// The option that names families of instances; what its words mean stands in experiments/files/family_word.hpp.
#pragma once

#include <string>
#include <vector>

#include "experiments/command/command.hpp"
#include "experiments/files/family_word.hpp"

namespace skt {

// --families LIST, and --family, which is not in the help: the word of earlier versions.
void add_families(CLI::App& sub, std::vector<std::string>& families, const std::string& description);

}  // namespace skt
