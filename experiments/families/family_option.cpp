#include "experiments/families/family_option.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "experiments/command/shipped_files.hpp"
#include "sim/learned_heads.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr const char* kKeptHeads = "experiments/families/learned_heads.safetensors";

}  // namespace

void add_families(CLI::App& sub, FamilyOptions& options, const std::string& description) {
  add_list(sub, "--families,--family", options.families, description);
  sub.add_option("--learned", options.learned,
                 "File for the family learned: q, k and v of heads of a\n"
                 "trained model (.safetensors), which sets keys and dim;\n"
                 "by default the file that comes with the program");
}

std::string learned_file(const FamilyOptions& options) {
  const bool used = std::any_of(options.families.begin(), options.families.end(), is_learned);
  if (!options.learned.empty() && !used)
    refuse("--learned {}: no family is learned; allowed is --learned with --families learned", options.learned);
  if (!used || !options.learned.empty()) return options.learned;
  return shipped_file(kKeptHeads, "; allowed is such a file, or --learned FILE (docs/howto/learned_keys.md makes one)")
      .string();
}

void note_learned(const FamilyParameters& parameters, RunFacts& facts) {
  if (parameters.learned) facts.learned_heads = parameters.learned->source;
}

}  // namespace skt
