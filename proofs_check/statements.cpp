#include "proofs_check/statements.hpp"

namespace skt {

#define SKT_GROUP(folder, name) std::vector<Statement> name##_statements();
#include "proofs_check/groups.def"
#undef SKT_GROUP

namespace {

void append(std::vector<Statement>& list, const std::vector<Statement>& group) {
  list.insert(list.end(), group.begin(), group.end());
}

}  // namespace

std::vector<Statement> all_statements() {
  std::vector<Statement> list;
#define SKT_GROUP(folder, name) append(list, name##_statements());
#include "proofs_check/groups.def"
#undef SKT_GROUP
  return list;
}

}  // namespace skt
