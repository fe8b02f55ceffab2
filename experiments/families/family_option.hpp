// The options that name families of instances; what the words mean stands in experiments/families/family_word.hpp.
#pragma once

#include <string>
#include <vector>

#include "experiments/command/command.hpp"
#include "experiments/command/provenance.hpp"
#include "experiments/families/family_word.hpp"

namespace skt {

struct FamilyOptions {
  std::vector<std::string> families;
  std::string
      learned{};  // the file; empty: experiments/families/learned_heads.safetensors, as shipped_files.hpp finds it
};

// --families LIST, and --family, which is not in the help: the word of earlier versions. --learned FILE.
void add_families(CLI::App& sub, FamilyOptions& options, const std::string& description);

// The file of the learned family; empty where no family is learned. InputError for one that is given for no family, and
// where none is given and none comes with the program.
std::string learned_file(const FamilyOptions& options);

// In the facts of a run: which file its learned instances are of, if any are.
void note_learned(const FamilyParameters& parameters, RunFacts& facts);

}  // namespace skt
