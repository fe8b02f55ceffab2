#include "proofs_check/bounds/selection/lost_key_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "estimators/population/half_angle.hpp"
#include "proofs_check/bounds/score_difference.hpp"
#include "proofs_check/rounding.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// Where a competitor lies: the larger `cotangent` and the smaller `turn_cosine`, the more probably it wins.
struct Place {
  double cotangent, turn_cosine;
};

// Every competitor of the key at the worst place that rounding allows.
struct Field {
  double key_cotangent = 0;
  std::vector<Place> places;
};

HalfAngle angle_to(const Vector& direction, const Vector& unit) {
  return unit.isZero(0) ? HalfAngle::of_cosine(0) : HalfAngle::between(unit, direction);
}

// The part of a unit vector that is orthogonal to the query, of length 1 where there is one.
Vector turn_of(const Vector& unit, const Vector& direction) {
  Vector across = unit;
  for (int pass = 0; pass < 2; ++pass) across -= direction.dot(across) * direction;
  return unit_or_zero(across, "a key");
}

Field field_of(const Instance& instance, Index key) {
  const Vector direction = unit_or_zero(instance.query, "query");
  const auto unit_key = [&](Index j) { return unit_or_zero(instance.keys.row(j), "a key"); };
  const Vector kept = unit_key(key), kept_turn = turn_of(kept, direction);
  const HalfAngle kept_angle = angle_to(direction, kept);
  const double kept_sine = 2 * kept_angle.sine * kept_angle.cosine;
  // A product over the coordinates of two turns, each right to that over the sine.
  const double units = real(instance.dim() + 8) * kUnit;
  Field field{kept_angle.cotangent_of_angle(), {}};
  for (Index i = 0; i < instance.num_keys(); ++i) {
    if (i == key) continue;
    const Vector unit = unit_key(i);
    const HalfAngle half = angle_to(direction, unit);
    const double sine = 2 * half.sine * half.cosine, cot = half.cotangent_of_angle();
    // A zero key's bits are all ones: two of them are equal, and independent of any other key's.
    const bool both_zero = unit.isZero(0) && kept.isZero(0);
    const double cosine = both_zero ? 1 : kept_turn.dot(turn_of(unit, direction));
    const double error = both_zero ? 0 : units / std::fmin(sine, kept_sine);
    // An angle between unit vectors is right to some units, its cotangent to that over the squared sine.
    const double cot_error = std::isfinite(cot) ? 16 * kUnit * (1 + cot * cot) : 0;
    field.places.push_back({cot + cot_error, std::clamp(cosine - error, -1.0, 1.0)});
  }
  return field;
}

// Competitors with the worst of their places, and what dividing them may gain.
struct Group {
  std::vector<Place> members;
  double bound = 0;  // number of members times the probability at the worst place
  double gain = 0;
  bool by_cotangent = true;  // which division gains more
};

class Division {
 public:
  Division(const PopulationParameters& parameters, double key_cotangent, double tables)
      : parameters_(parameters), key_cotangent_(key_cotangent), tables_(tables) {}

  Group evaluated(std::vector<Place> members) const {
    Place worst = members.front(), best = worst;
    for (const Place& place : members) {
      worst = {std::max(worst.cotangent, place.cotangent), std::min(worst.turn_cosine, place.turn_cosine)};
      best = {std::min(best.cotangent, place.cotangent), std::max(best.turn_cosine, place.turn_cosine)};
    }
    Group group{.members = std::move(members)};
    const double count = real(std::ssize(group.members)), at_worst = probability(worst);
    group.bound = count * at_worst;
    if (count == 1) return group;
    if (count <= 3) {  // its members take no more evaluations than the gain
      group.gain = group.bound;
      return group;
    }
    const double lower = probability({best.cotangent, worst.turn_cosine});
    const double turned = probability({worst.cotangent, best.turn_cosine});
    group.by_cotangent = lower <= turned;
    group.gain = group.bound - count * std::fmin(lower, turned);
    return group;
  }

  static std::array<std::vector<Place>, 2> halves(Group group) {
    const auto middle = group.members.begin() + std::ssize(group.members) / 2;
    std::nth_element(group.members.begin(), middle, group.members.end(), [&](const Place& a, const Place& b) {
      return group.by_cotangent ? a.cotangent < b.cotangent : a.turn_cosine < b.turn_cosine;
    });
    return {std::vector<Place>(group.members.begin(), middle), std::vector<Place>(middle, group.members.end())};
  }

 private:
  // Of a score over all tables that is not lower; above 0, so that none is lost to underflow.
  double probability(Place place) const {
    const ScoreDifference difference(parameters_, {place.cotangent, place.turn_cosine, key_cotangent_});
    return std::fmax(std::numeric_limits<double>::min(), std::pow(difference.least_moment(), tables_));
  }

  const PopulationParameters& parameters_;
  double key_cotangent_, tables_;
};

double total(const std::vector<Group>& groups) {
  double sum = 0;
  for (const Group& group : groups) sum += group.bound;
  return sum;
}

// Divides the groups whose division gains most until all gains are a tenth of the sum, or there are enough groups.
std::vector<Group> divided(const Division& division, std::vector<Place> all) {
  constexpr Index kMostGroups = 400;
  constexpr double kWorthwhile = 0.1;
  std::vector<Group> groups{division.evaluated(std::move(all))};
  while (std::ssize(groups) < kMostGroups) {
    const double least_gain = kWorthwhile * total(groups) / real(std::ssize(groups));
    std::vector<std::vector<Place>> parts;
    for (Group& group : groups) {
      if (!(group.gain > least_gain)) continue;
      for (auto& half : Division::halves(std::exchange(group, {}))) parts.push_back(std::move(half));
    }
    if (parts.empty()) break;
    std::erase_if(groups, [](const Group& group) { return group.members.empty(); });
    const std::size_t kept = groups.size();
    groups.resize(kept + parts.size());
    const Index count = std::ssize(parts);
#pragma omp parallel for schedule(dynamic, 1)
    for (Index p = 0; p < count; ++p) groups[kept + p] = division.evaluated(std::move(parts[p]));
  }
  return groups;
}

}  // namespace

LostKey lost_key(const Instance& instance, const PopulationParameters& parameters, Index tables, Index budget,
                 Index key) {
  const Index keys = instance.num_keys();
  require(tables >= 1, "tables is {}: allowed are 1 and more", tables);
  require(budget >= 1 && budget <= keys, "budget is {}: allowed are 1 to {}", budget, keys);
  require(key >= 0 && key < keys, "key {}: allowed are 0 to {}", key, keys - 1);
  if (budget == keys) return {};
  Field field = field_of(instance, key);
  const Division division(parameters, field.key_cotangent, real(tables));
  const std::vector<Group> groups = divided(division, std::move(field.places));
  return {std::fmin(1, total(groups) / real(budget)), std::ssize(groups)};
}

double lost_key_bound(const Instance& instance, const PopulationParameters& parameters, Index tables, Index budget,
                      Index key) {
  return lost_key(instance, parameters, tables, budget, key).probability;
}

}  // namespace skt
