#include "experiments/verify/measured_again.hpp"

#include "experiments/verify/row_objections.hpp"
#include "proofs_check/rows/verdict_rows.hpp"
#include "proofs_check/statements.hpp"

namespace skt {
namespace {

constexpr const char* kWhich = "when measured again";
constexpr const char* kClaimFields[] = {"instance", "quantity", "relation", "claimed", "claimed_error", "resolution"};

Json measure(const StatementResult& row, Profile profile, const std::vector<Statement>& all) {
  const RunSettings settings{.seed = {row.origin.seed},
                             .profile = profile,
                             .fault = row.origin.fault,
                             .only = {row.id},
                             .version = row.origin.version,
                             .mutants = row.origin.mutants};
  return to_row(run_statements(all, settings).front());
}

// What is claimed in an "evidence" list.
Json claims_of(const Json& evidence) {
  Json claims = Json::array();
  for (const Json& piece : evidence) {
    Json claim = Json::object();
    for (const char* field : kClaimFields) claim[field] = piece.at(field);
    claims.push_back(claim);
  }
  return claims;
}

Json claims_of_row(const Json& row) {
  Json claims = {{"evidence", claims_of(row.at("evidence"))}};
  for (const char* list : {"mutants", "controls"}) {
    claims[list] = Json::array();
    for (const Json& variant : row.at(list)) claims[list].push_back({{"evidence", claims_of(variant.at("evidence"))}});
  }
  return claims;
}

}  // namespace

Again measured_again(const StatementResult& row, const Rerun& rerun) {
  if (random_uniforms(derive_seed(rerun.seed, text_hash(row.id)), {})[0] < rerun.share) return Again::everything;
  if (row.chance == Chance::random) return Again::claims;
  return row.origin.profile == Profile::deep ? Again::nothing : Again::everything;
}

std::optional<std::string> difference_when_measured_again(const Json& row, const std::vector<Statement>& all,
                                                          const Rerun& rerun) {
  const StatementResult read = from_row(row);
  switch (measured_again(read, rerun)) {
    case Again::nothing:
      return {};
    case Again::claims:
      return first_difference(claims_of_row(row), claims_of_row(measure(read, Profile::smoke, all)), kWhich);
    case Again::everything:
      return first_difference(row, measure(read, read.origin.profile, all), kWhich);
  }
  return {};
}

}  // namespace skt
