#include "experiments/files/family_word.hpp"

namespace skt {
namespace {

constexpr const char* kNeedles = "needles";

}  // namespace

FamilyParameters with_family(FamilyParameters parameters, const std::string& name) {
  const bool several = name == kNeedles;
  parameters.family = several ? InstanceFamily::needle : instance_family(name);
  if (several) parameters.needles = kSeveralNeedles;
  return parameters;
}

std::string name_of(const FamilyParameters& parameters) {
  const bool several = parameters.family == InstanceFamily::needle && parameters.needles > 1;
  return several ? kNeedles : name_of(parameters.family);
}

}  // namespace skt
