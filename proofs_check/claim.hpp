// How does a row of a list of statements become a Statement?
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "proofs_check/statement.hpp"

namespace skt {

// A claim that should survive, unless it stands in printed(..).
inline Statement claim(std::string id, std::string title, std::string source, Kind kind, std::string scope,
                       Measure measure, std::vector<Mutant> mutants) {
  return {.id = std::move(id),
          .title = std::move(title),
          .source = std::move(source),
          .kind = kind,
          .scope = std::move(scope),
          .measure = std::move(measure),
          .mutants = std::move(mutants)};
}

// A claim that its source prints and that is false; `remark` says why.
inline Statement printed(Statement claimed, std::string remark) {
  claimed.expected = Verdict::refuted;
  claimed.remark = std::move(remark);
  return claimed;
}

}  // namespace skt
