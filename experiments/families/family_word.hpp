// By which word does one ask for the family of an instance, and how is it called in the files?
//
// sim/family_parameters.hpp knows the families, each with parameters of its own; "needles" is the needle family with
// several of them, so that a name of the rankings means the same instances in every command. "learned" takes queries
// and heads of a file in turn, "learned-HEAD" those of one head, "learned-HEAD-QUERY" is one instance. It would be wrong
// if two problems that differ had one name in a file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/family_parameters.hpp"

namespace skt {

class Fields;

inline constexpr Index kSeveralNeedles = 8;

// Whose keys have a needle at a cosine of one's choice.
inline const std::vector<std::string> kFamiliesWithNeedle = {"needle", "needles", "attention-sink"};

// What a user may say beside the word.
struct FamilyRequest {
  std::optional<Index> keys{}, dim{};  // of a family that is drawn from a formula; none: as the parameters have them
  std::string learned_file{};          // of the learned family
  std::shared_ptr<const LearnedHeads> learned_heads{};  // in memory, in the file's place
};

// Is it a word of the learned family?
bool is_learned(const std::string& name);

// The parameters with the family of this name. InputError for another name, for keys or dim given to the learned family,
// whose file says them, and for what its file refuses.
FamilyParameters with_family(FamilyParameters parameters, const std::string& name, const FamilyRequest& request = {});

// "needles" where there are several, "learned-4-17" where head and query are set, else the name of the family.
std::string name_of(const FamilyParameters& parameters);

// --families LIST, and --family, the word of earlier versions; --learned FILE.
void add_families(Fields& fields, std::vector<std::string>& families, FamilyRequest& request, const std::string& help);

// What a user may type for one, as a help says it.
std::string family_words();

}  // namespace skt
