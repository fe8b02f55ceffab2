#include "experiments/families/family_option.hpp"

#include <algorithm>

#include "experiments/command/shipped_files.hpp"
#include "sim/learned_heads.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr const char* kKeptHeads = "experiments/families/learned_heads.safetensors";

}  // namespace

std::string learned_file(const std::vector<std::string>& families, const std::string& given) {
  const bool used = std::any_of(families.begin(), families.end(), is_learned);
  if (!given.empty() && !used)
    refuse("--learned {}: no family is learned; allowed is --learned with --families learned", given);
  if (!used || !given.empty()) return given;
  return shipped_file(kKeptHeads, "; allowed is such a file, or --learned FILE (docs/howto/own_data.md describes one)")
      .string();
}

void note_learned(const FamilyParameters& parameters, RunFacts& facts) {
  if (parameters.learned) facts.learned_heads = parameters.learned->source;
}

}  // namespace skt
