#include "proofs_check/near_mutants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "proofs_check/power.hpp"

namespace skt {
namespace {

// How far a lie is off, in visible deviations or as a share of the value, and how far off is still near.
struct Distance {
  double distance = std::numeric_limits<double>::infinity();
  double unit = 1;
  double near = kNearShare;
  bool by_chance = false;
  bool is_near() const { return distance <= near * unit; }
  double in_units_of_near() const { return distance / (near * unit); }
};

// Infinite for a lie that is not refuted.
Distance distance_of(const VariantResult& mutant) {
  const Evidence* piece = worst_evidence(mutant.evidence);
  if (mutant.verdict != Verdict::refuted || piece == nullptr) return {};
  const double distance = distance_from_claim(*piece);
  if (piece->error_share > 0) return {distance, visible_deviation(*piece), kNearDeviations, true};
  const double unit = piece->claimed == 0 ? 1 : std::max(std::abs(piece->claimed), std::abs(piece->observed.lo));
  return {.distance = distance, .unit = unit};
}

std::string in_words(const std::string& name, const Distance& d) {
  if (!std::isfinite(d.distance)) return "No lie was refuted.";
  const double size = d.distance / d.unit;
  if (!d.by_chance)
    return fmt::format("The nearest lie, \"{}\", is off by {:.2g} times the value; near means at most {}.", name, size,
                       d.near);
  return fmt::format(
      "The nearest lie, \"{}\", is off by {:.2g} times the smallest visible deviation; near means at most {}. A lie "
      "keeps its size, but with more trials smaller deviations become visible.",
      name, size, d.near);
}

}  // namespace

bool is_near(const VariantResult& mutant) {
  return distance_of(mutant).is_near();
}

bool has_near_mutant(const StatementResult& result) {
  return std::any_of(result.mutants.begin(), result.mutants.end(), is_near);
}

std::string why_no_near_mutant(const StatementResult& result) {
  if (result.statement.expected == Verdict::refuted || has_near_mutant(result)) return {};
  if (result.origin.mutants == Mutants::left_out) return "The planted lies were left out of this run.";
  if (!result.statement.no_near_mutant.empty()) return result.statement.no_near_mutant;
  std::string name;
  Distance nearest;
  for (const VariantResult& mutant : result.mutants) {
    const Distance distance = distance_of(mutant);
    if (distance.in_units_of_near() < nearest.in_units_of_near()) name = mutant.name, nearest = distance;
  }
  return in_words(name, nearest);
}

}  // namespace skt
