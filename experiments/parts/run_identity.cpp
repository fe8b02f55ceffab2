#include "experiments/parts/run_identity.hpp"

#include <fmt/format.h>

#include "experiments/command/numeric_fingerprint.hpp"
#include "experiments/files/content_hash.hpp"
#include "experiments/files/result_file.hpp"

namespace skt {
namespace {

// What a difference in each field is, the most telling first: another version is another program file as well.
struct IdentityField {
  const char* name;
  const char* difference;
};
constexpr IdentityField kFields[] = {{"program", "another program"},
                                     {"version", "another version"},
                                     {"command", "another command"},
                                     {"seed", "another seed"},
                                     {"profile", "another profile"},
                                     {"program_file", "another build of the program"},
                                     {"learned_heads", "another file of learned heads"},
                                     {"numbers", "numbers of another processor or C library"}};

// Sources may have changed since the version: the content of the program tells.
const std::string& program_file() {
  static const std::string hash = content_hash(read_file("/proc/self/exe"));
  return hash;
}

std::string text_of(const Json& identity, const char* field) {
  if (!identity.is_object() || !identity.contains(field)) return "nothing";
  const Json& value = identity.at(field);
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

Json run_identity(const RunFacts& facts) {
  Json identity = {{"program", "socketlab"},          {"version", program_version()},
                   {"command", facts.command},        {"seed", facts.seed},
                   {"profile", facts.profile},        {"program_file", program_file()},
                   {"numbers", numeric_fingerprint()}};
  if (!facts.learned_heads.empty()) identity["learned_heads"] = facts.learned_heads;
  return identity;
}

std::optional<std::string> first_difference(const Json& there, const Json& here) {
  for (const IdentityField& field : kFields) {
    const std::string theirs = text_of(there, field.name), ours = text_of(here, field.name);
    if (theirs != ours) return fmt::format("{} ({} there, {} here)", field.difference, theirs, ours);
  }
  return {};
}

}  // namespace skt
