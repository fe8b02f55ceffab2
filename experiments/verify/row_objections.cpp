#include "experiments/verify/row_objections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proofs_check/names.hpp"
#include "proofs_check/rows/verdict_rows.hpp"
#include "proofs_check/statements.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// Quantiles of another build differ by some hundred roundings of a double (1e-13), and no reader sees what is below.
constexpr double kSameNumber = 1e-9;

bool same(double a, double b, double width) {
  if (std::isnan(a) && std::isnan(b)) return true;
  return std::abs(a - b) <= kSameNumber * std::max({std::abs(a), std::abs(b), width});
}

std::string in_words(const Interval& interval) {
  return fmt::format("[{}, {}]", interval.lo, interval.hi);
}

Objection interval(const std::string& field, const Evidence& e) {
  Interval again;
  try {
    again = interval_of(e.basis, e.error_share);
  } catch (const InputError& error) {
    return fmt::format("{}: {}", field, error.what());
  }
  // What is not finite is null in a row.
  const double width = std::isfinite(again.width()) ? again.width() : 0;
  const auto kept = [](double x) { return std::isfinite(x) ? x : NAN; };
  if (same(e.observed.lo, kept(again.lo), width) && same(e.observed.hi, kept(again.hi), width)) return {};
  return fmt::format("{}: {} in the row, {} by its basis", field, in_words(e.observed), in_words(again));
}

// Every constructor of random evidence counts its trials as its samples; an estimate such as a slope is one sample.
Objection trials(const std::string& field, const Evidence& e) {
  const bool counted = e.basis.law != IntervalLaw::point && e.basis.samples.count > 1;
  if (counted && e.trials != e.basis.samples.count)
    return fmt::format("{}: {} in the row, {} by its basis", field, e.trials, e.basis.samples.count);
  if (e.trials_in_scope > e.trials) return fmt::format("{}: fewer than trials_in_scope", field);
  return {};
}

// A resolution is in the unit of what is observed. Beyond this many times its size, or the deviation of a sample, every
// interval would say something; those of the statements are below 30 times it.
constexpr double kWidestResolution = 1000;

double size_of(const Evidence& e) {
  double size = std::sqrt(std::max(0.0, e.basis.samples.variance));
  for (const double x : {e.claimed, e.observed.lo, e.observed.hi, e.basis.scale})
    if (std::isfinite(x)) size = std::max(size, std::abs(x));
  return size;
}

// The widest resolution that means anything: no proportion is wider than 1, no mean wider than the range of its samples.
double widest_resolution(const Evidence& e) {
  switch (e.basis.law) {
    case IntervalLaw::point:
      return 0;
    case IntervalLaw::proportion:
      return 1;
    case IntervalLaw::bounded:
      return e.basis.scale;
    case IntervalLaw::student:
    case IntervalLaw::known_deviation:
      break;
  }
  return kWidestResolution * size_of(e);
}

// Fields that no measurement gives, whatever was measured. What is not finite is null in a row, and judged.
Objection nonsense(const std::string& field, const Evidence& e) {
  const double most_share = e.basis.law == IntervalLaw::point ? 0 : 1;
  const std::tuple<const char*, double, double, double> limits[] = {
      {"error_share", e.error_share, 0, most_share},
      {"claimed_error", e.claimed_error, 0, INFINITY},
      {"resolution", e.resolution, 0, widest_resolution(e)},
      {"bound_over_quantile", e.bound_over_quantile.value_or(1), 0, INFINITY},
      {"bound_over_trivial", e.bound_over_trivial.value_or(1), 0, INFINITY},
      {"basis/variance", e.basis.samples.variance, 0, INFINITY},
      {"basis", e.basis.scale, 0, INFINITY}};
  for (const auto& [name, value, least, most] : limits) {
    if (value < least || value > most)
      return fmt::format("{}/{}: {}, allowed are {} to {:.6g}", field, name, value, least, most);
  }
  if (std::isnan(e.error_share)) return fmt::format("{}/error_share: no number", field);
  if (e.observed.lo > e.observed.hi) return fmt::format("{}/observed: {}", field, in_words(e.observed));
  return {};
}

// Of a statement, a mutant or a control: `at` is "" or "mutants/0/".
Objection evidence(const std::string& at, const std::vector<Evidence>& pieces, double share) {
  double spent = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Evidence& piece = pieces[i];
    if (const Objection objection = nonsense(fmt::format("{}evidence/{}", at, i), piece)) return objection;
    if (const Objection objection = interval(fmt::format("{}evidence/{}/observed", at, i), piece)) return objection;
    if (const Objection objection = trials(fmt::format("{}evidence/{}/trials", at, i), piece)) return objection;
    spent += piece.error_share;
  }
  if (spent <= share * (1 + 1e-12)) return {};  // rounding of a division by the number of pieces
  return fmt::format("{}evidence: error shares of {:.6g}, allowed are {:.6g}", at, spent, share);
}

// Where two rows differ first: "field: a in the row, b `which`".
Objection first_difference(const Json& row, const Json& again, const char* which) {
  const auto found = json_difference(row, again);
  if (!found) return {};
  const auto text = [](const std::optional<Json>& value) { return value ? value->dump() : "nothing"; };
  return fmt::format("{}: {:.200} in the row, {:.200} {}", found->place, text(found->left), text(found->right), which);
}

// What is claimed in a row, a mutant or a control.
Json claims_of(const Json& measured) {
  Json claims = {{"evidence", Json::array()}};
  for (const Json& piece : measured.at("evidence")) {
    Json claim;
    for (const char* field : {"instance", "quantity", "relation", "claimed", "claimed_error", "resolution"})
      claim[field] = piece.at(field);
    claims["evidence"].push_back(claim);
  }
  for (const char* list : {"mutants", "controls"}) {
    if (!measured.contains(list)) continue;
    for (const Json& variant : measured.at(list)) claims[list].push_back(claims_of(variant));
  }
  return claims;
}

Json measured_row(const StatementResult& row, Profile profile, const std::vector<Statement>& all) {
  const RunSettings settings{.seed = {row.origin.seed},
                             .profile = profile,
                             .fault = row.origin.fault,
                             .only = {row.statement.id},
                             .version = row.origin.version,
                             .mutants = row.origin.mutants};
  return to_row(run_statements(all, settings).front());
}

}  // namespace

Objection objection_to(const Json& row, const Statement& compiled, double share) {
  const StatementResult read = from_row(row);
  if (!read.failure.empty()) return fmt::format("failure: {}", read.failure);
  const std::size_t mutants = read.origin.mutants == Mutants::left_out ? 0 : compiled.mutants.size();
  std::vector<Measured> measured{{.evidence = read.evidence}};
  Objection of_evidence = evidence("", read.evidence, share);
  for (const auto& [field, variants, count] : {std::tuple{"mutants", &read.mutants, mutants},
                                               std::tuple{"controls", &read.controls, compiled.controls.size()}}) {
    if (variants->size() != count)
      return fmt::format("{}: {} in the row, {} in this program", field, variants->size(), count);
    for (const VariantResult& variant : *variants) {
      const std::string at = fmt::format("{}/{}/", field, &variant - variants->data());
      if (!of_evidence) of_evidence = evidence(at, variant.evidence, share);
      measured.push_back({.evidence = variant.evidence});
    }
  }
  if (of_evidence) return of_evidence;
  const StatementResult again = judged(compiled, std::move(measured), read.origin);
  if (const Objection o = first_difference(row, to_row(again), "in this program")) return o;
  if (as_expected(again)) return {};
  return fmt::format("as_expected: false; expected are {}, every planted lie refuted and every control not refuted",
                     name_of(compiled.expected));
}

Again measured_again(const StatementResult& row, const Rerun& rerun) {
  const Seed seed = derive_seed(rerun.seed, text_hash(row.statement.id));
  if (random_uniforms(seed, {})[0] < rerun.share) return Again::everything;
  if (row.statement.chance == Chance::random) return Again::claims;
  return row.origin.profile == Profile::deep ? Again::nothing : Again::everything;
}

Objection objection_when_measured_again(const Json& row, const std::vector<Statement>& all, const Rerun& rerun) {
  constexpr const char* kWhich = "when measured again";
  const StatementResult read = from_row(row);
  const Again again = measured_again(read, rerun);
  if (again == Again::nothing) return {};
  if (again == Again::everything) return first_difference(row, measured_row(read, read.origin.profile, all), kWhich);
  return first_difference(claims_of(row), claims_of(measured_row(read, Profile::smoke, all)), kWhich);
}

}  // namespace skt
