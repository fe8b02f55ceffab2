#include "proofs_check/statements.hpp"

#include <fmt/format.h>

#include "proofs_check/names.hpp"

#define SKT_GROUP(folder, name)          \
  namespace skt::name##_group {          \
    extern const StatementGroup kGroup;  \
    std::vector<Statement> statements(); \
  }
#include "proofs_check/groups.def"
#undef SKT_GROUP

namespace skt {
namespace {

void append(std::vector<Statement>& list, const std::string& area, const char* file, StatementGroup group,
            std::vector<Statement> statements) {
  if (group.notes.starts_with('\n')) group.notes.erase(0, 1);  // the line on which a long text is opened
  group.area = area;
  for (Statement& s : statements) {
    if (s.source.empty()) s.source = group.source;
    if (s.kind == Kind::identity) s.kind = group.kind;
    if (s.scope.empty()) s.scope = group.scope;
    if (s.chance == Chance::none) s.chance = group.chance;
    if (s.trials == Trials::summed_up) s.trials = group.trials;
    if (!s.quote.empty()) s.wording = Wording::printed;
    s.group = group;
    s.place = fmt::format("proofs_check/statements/{}/{}.cpp:{}", area, file, s.id.line);
    list.push_back(std::move(s));
  }
}

// Everything a statement claims, each part with its length before it, so that no two statements give the same text.
std::string text_of(const Statement& s) {
  std::string text;
  const auto add = [&](const std::string& part) { text += fmt::format("{}:{}", part.size(), part); };
  for_each_text(s, [&](const char*, const auto& field) { add(name_of(field)); });
  add(std::to_string(s.mutants.size()));
  for (const Mutant& mutant : s.mutants) add(mutant.name);
  add(std::to_string(s.controls.size()));
  for (const Control& control : s.controls) add(control.name);
  return text;
}

}  // namespace

std::vector<Statement> all_statements() {
  std::vector<Statement> list;
#define SKT_GROUP(folder, name) append(list, #folder, #name, name##_group::kGroup, name##_group::statements());
#include "proofs_check/groups.def"
#undef SKT_GROUP
  return list;
}

std::uint64_t text_hash(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3u;
  return hash;
}

std::string fingerprint(const std::vector<Statement>& all) {
  std::string text;
  for (const Statement& s : all) text += text_of(s);
  return fmt::format("{:016x}", text_hash(text));
}

}  // namespace skt
