// By which word does one ask for the family of an instance, and how is it called in the files?
//
// sim/family_parameters.hpp knows the families, each with parameters of its own; "needles" is the needle family with
// several of them, so that a name of the rankings means the same instances in every command. It would be wrong if two
// problems that differ had one name in a file.
#pragma once

#include <string>

#include "sim/family_parameters.hpp"

namespace skt {

inline constexpr Index kSeveralNeedles = 8;

// The parameters with the family of this name. InputError for another name.
FamilyParameters with_family(FamilyParameters parameters, const std::string& name);

// "needles" where there are several, else that of the family.
std::string name_of(const FamilyParameters& parameters);

}  // namespace skt
