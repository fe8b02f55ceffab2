// Which file are learned instances of, for a command and in its results? What the words mean stands in family_word.hpp.
#pragma once

#include <string>
#include <vector>

#include "experiments/command/provenance.hpp"
#include "experiments/families/family_word.hpp"

namespace skt {

// The file of the learned family, `given` or the one that comes with the program, as shipped_files.hpp finds it; empty
// where no family is learned. InputError for one that is given for no family, and where none comes with the program.
std::string learned_file(const std::vector<std::string>& families, const std::string& given);

// In the facts of a run: which file its learned instances are of, if any are.
void note_learned(const FamilyParameters& parameters, RunFacts& facts);

}  // namespace skt
