// Where do these results come from? Version, commit, compiler, flags, seed, profile, machine, the bits of its elementary
// functions (numeric_fingerprint.hpp) and GPU: what can change a number. No time, no thread count: the same seed gives the same bytes for any number of threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace skt {

struct RunFacts {
  std::string command;  // what to type to get these results again, e.g. "socketlab reproduce --seed 1"
  std::uint64_t seed = 0;
  std::string profile;          // empty where the command has none
  std::string fault{};          // planted in the estimators; empty: none, as in every run whose results count
  std::string learned_heads{};  // which file the learned family is of; empty: no instance is
};

// As the root CMakeLists.txt has it, e.g. "0.1.0".
std::string program_version();

// provenance.json as text.
std::string provenance_json(const RunFacts& facts);

// By their names.
using FileTexts = std::vector<std::pair<std::string, std::string>>;

// Writes the files and provenance.json, all or none. The line that says where they are: the path of the first, and the
// names of the others beside it.
std::string write_results(const std::filesystem::path& folder, FileTexts files, const RunFacts& facts);

}  // namespace skt
