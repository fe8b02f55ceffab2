// What must B, Z_min and Z_tau,min of the paper's Assumptions 1 and 2 be for the proofs, of Lemma 11 say, to hold?
//
// S002-AS2            eq. (40) is ||w_tau - w||_1 <= 2 B eps; with the B of the drawn tables it fails in some draws
// S002-AS2-corrected  a table of parallel planes attains the count
// S002-ZB             Z = B for keys along the query
//
// Query and keys are not zero.
// Method: exact sums and the oracle; drawn tables where the statement is about them.
// Power: S002-AS2 sees a violation in 1 of 1000 tables.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "estimators/occupancy.hpp"
#include "estimators/population/angular_kernel.hpp"
#include "estimators/population/population.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/statement.hpp"
#include "proofs_check/trial_accumulators.hpp"
#include "sim/families.hpp"
#include "sim/number.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

Instance copies(Index keys, double angle) {
  return make_instance({.family = InstanceFamily::copies, .dim = 2, .copies = keys, .angle = angle}, {}, 0);
}

// Sums of N powers of one factor: relative rounding below N + P + 8 units.
double rounding(double keys, double planes) {
  return (keys + planes + 8) * 0x1p-52;
}

Evidence mass_of_copies(double angle, Index planes, const std::string& where, double claimed) {
  constexpr Index kKeys = 64;
  return exact({fmt::format("I-COPY({}, {}), P={}", kKeys, where, planes), "Z"},
               angular_weights(copies(kKeys, angle), planes).sum(),
               equals(claimed, rounding(kKeys, real(planes)) * kKeys));
}

std::vector<Evidence> orthogonal_and_antipodal(double orthogonal_mass, double antipodal_mass) {
  return {mass_of_copies(std::numbers::pi / 2, 8, "pi/2", orthogonal_mass),
          mass_of_copies(std::numbers::pi, 8, "pi", antipodal_mass)};
}

// Keys at one angle to the query, in directions orthogonal to each other: q = e_0, k_j = q cos a + e_j sin a.
struct Cone {
  static constexpr Index kKeys = 64;
  static constexpr Index kDim = 80;
  static constexpr Index kPlanes = 8;
  static constexpr double kAngle = std::numbers::pi / 8;
  static constexpr double kTemperature = 0.3;
  Matrix keys = Matrix::Zero(kKeys, kDim);
  double distance = 0;  // ||w_tau - w||_1
  double epsilon = 0;

  Cone() {
    keys.col(0).setConstant(std::cos(kAngle));
    for (Index j = 0; j < kKeys; ++j) keys(j, j + 1) = std::sin(kAngle);
    const PopulationParameters at{.temperature = kTemperature, .dim = kDim, .planes = kPlanes};
    const Cosine rho = Cosine::of(std::cos(kAngle));
    distance = kKeys * std::abs(population_weight(at, rho).value - angular_weight(kPlanes, rho).value);
    epsilon = skt::epsilon(at).value;
  }
};

// In which share of single-table draws is ||w_tau - w||_1 above 2 B eps with the B of that table?
std::vector<Evidence> bound_with_drawn_occupancy(const Context& context) {
  const Cone cone;
  const std::uint64_t trials = context.trials(8'000);
  const Counts violations = run_trials(trials, Counts(1), [&](std::uint32_t trial, Counts& counts) {
    const Hyperplanes drawn = context.estimators.draw(context.seed, trial, 1, Cone::kPlanes, Cone::kDim);
    const double occupancy = real(realised_occupancy(context.estimators.hash(drawn, cone.keys)));
    counts.of[0] += cone.distance > 2 * occupancy * cone.epsilon;
  });
  return {frequency({"64 keys at pi/8, d=80, P=8, tau=.3, L=1", "P(||w_tau - w||_1 > 2 B eps), B of the drawn table"},
                    violations.of[0], trials, at_most(0), {context.error_share, 0.1})};
}

// The claimed largest bucket; `half_plane` is the largest number of keys on one side of a line through 0.
using LargestBucket = double (*)(Index half_plane, Index keys, Index planes);

// The normal of a half-plane with the most keys: one whose border passes just beside a key.
Vector fullest_half_plane(const Matrix& keys) {
  Vector best;
  Index most = -1;
  for (Index j = 0; j < 2 * keys.rows(); ++j) {
    const Vector border = keys.row(j / 2).transpose();
    const double side = j % 2 == 0 ? 1 : -1;
    const Vector normal = side * Vector{{-border[1], border[0]}} + 1e-9 * border;
    const Index count = ((keys * normal).array() > 0).count();
    if (count > most) {
      most = count;
      best = normal;
    }
  }
  return best;
}

// The largest bucket of drawn tables is at most the claim, and that of a table of parallel planes equals it.
auto largest_bucket_is(LargestBucket claimed) {
  return [claimed](const Context& context) {
    constexpr Index kKeys = 12;
    const Matrix keys = make_instance({.keys = kKeys, .dim = 2}, context.seed, 0).keys;
    const Vector normal = fullest_half_plane(keys);
    const Index tables = context.trials(4'000);
    std::vector<Evidence> evidence;
    for (Index planes = 1; planes <= 4; ++planes) {
      const double claim = claimed(half_plane_occupancy(keys), kKeys, planes);
      const std::string where = fmt::format("12 Gaussian keys, d=2, P={}", planes);
      const KeyCodes drawn = context.estimators.hash(context.estimators.draw(context.seed, 0, tables, planes, 2), keys);
      Evidence piece =
          exact({where, "largest bucket of all drawn tables"}, real(realised_occupancy(drawn)), at_most(claim));
      piece.trials = piece.trials_in_scope = tables;
      evidence.push_back(piece);
      const Hyperplanes parallel{1, planes, 2, normal.transpose().replicate(planes, 1)};
      evidence.push_back(exact({where, "largest bucket of a table of parallel planes"},
                               real(realised_occupancy(context.estimators.hash(parallel, keys))), equals(claim)));
    }
    return evidence;
  };
}

// Z_tau of I-COPY(0) over N (1 - eps), and Z_tau of Gaussian keys over the same.
auto population_mass_below(double share_of_keys) {
  return [share_of_keys](const Context& context) {
    constexpr Index kKeys = 32;
    const PopulationParameters at{.dim = 16, .planes = 6};
    const double own = population_weight(at, Cosine::of(1)).value, most = 1 - epsilon(at).value;
    const Largest ratio = run_trials(context.trials(200), Largest{}, [&](std::uint32_t trial, Largest& largest) {
      const Instance instance = make_instance({.keys = kKeys, .dim = at.dim}, context.seed, trial);
      double mass = 0;
      for (const double rho : cosines_to_query(instance)) mass += population_weight(at, Cosine::of(rho)).value;
      largest.add(mass / (kKeys * share_of_keys * most));
    });
    // The oracle is good to 1e-12 relative on both sides.
    return std::vector{supremum({"32 Gaussian keys, d=16, P=6, |q|=1", "sup Z_tau/(N (1 - eps))"}, ratio.value, 2e-12,
                                ratio.trials, ratio.in_scope),
                       supremum({"I-COPY(0)", "Z_tau/(N (1 - eps))"}, own / (share_of_keys * most), 2e-12, 1, 1)};
  };
}

auto occupancy_to_pigeonhole(Relation relation) {
  return [relation](const Context& context) {
    constexpr Index kKeys = 100;
    constexpr Index kPlanes = 4;
    const Matrix keys = make_instance({.keys = kKeys, .dim = 8}, context.seed, 0).keys;
    const Hyperplanes drawn = context.estimators.draw(context.seed, 0, 200, kPlanes, 8);
    const double occupancy = real(realised_occupancy(context.estimators.hash(drawn, keys)));
    const double least = std::ceil(real(kKeys) / (1 << kPlanes));
    return std::vector{
        exact({"100 Gaussian keys, d=8, P=4", "largest bucket over ceil(N/R)"}, occupancy / least, {relation, 1, 0})};
  };
}

auto mass_to_occupancy(double (*right_side)(double half_plane, double keys, double buckets)) {
  return [right_side](const Context& context) {
    constexpr Index kKeys = 20;
    constexpr Index kPlanes = 2;
    constexpr double kBuckets = 1 << kPlanes;
    const Largest ratio = run_trials(context.trials(2'000), Largest{}, [&](std::uint32_t trial, Largest& largest) {
      const Instance at = make_instance({.keys = kKeys, .dim = 2}, context.seed, trial);
      const double half_plane = real(half_plane_occupancy(at.keys));
      largest.add(angular_weights(at, kPlanes).sum() / right_side(half_plane, kKeys, kBuckets));
    });
    const double along = angular_weights(copies(kKeys, 0), kPlanes).sum() / right_side(kKeys, kKeys, kBuckets);
    return std::vector{supremum({"20 Gaussian keys, d=2, P=2", "sup Z/B"}, ratio.value, rounding(kKeys, kPlanes),
                                ratio.trials, ratio.in_scope),
                       supremum({"I-COPY(20, 0), P=2", "Z/B"}, along, rounding(kKeys, kPlanes), 1, 1)};
  };
}

Mutant both_masses(const std::string& name, double orthogonal_mass, double antipodal_mass) {
  return {name, [=](const Context&) { return orthogonal_and_antipodal(orthogonal_mass, antipodal_mass); }};
}

}  // namespace

std::vector<Statement> occupancy_statements() {
  return {{.id = "S002-AS1",
           .title = "Z vanishes for a query orthogonal to all keys",
           .source = "paper, remark after Assumption 2",
           .kind = Kind::identity,
           .scope = "64 equal keys at a right angle",
           .measure = [](const Context&) { return std::vector{mass_of_copies(std::numbers::pi / 2, 8, "pi/2", 0)}; },
           .expected = Verdict::refuted,
           .remark = "Orthogonal keys give Z = N 2^-P, which is harmless; Z vanishes for antipodal keys only."},
          {.id = "S002-AS1-corrected",
           .title = "Z is N 2^-P for orthogonal keys and 0 for antipodal ones only",
           .source = "derived from paper, eq. (5)",
           .kind = Kind::identity,
           .scope = "64 equal keys, P = 8",
           .measure = [](const Context&) { return orthogonal_and_antipodal(64 * 0x1p-8, 0); },
           .mutants = {both_masses("the two exchanged", 0, 64 * 0x1p-8), both_masses("N 2^(1-P)", 64 * 0x1p-7, 0)}},
          {.id = "S002-AS2",
           .title = "The occupancy of the drawn tables is enough for eq. (40)",
           .source = "paper, Assumption 2 as worded",
           .kind = Kind::high_probability,
           .scope = "one table, B counted in it",
           .measure = bound_with_drawn_occupancy,
           .expected = Verdict::refuted,
           .remark = "The proofs bound expectations over the hyperplanes, so B must hold for every table that can be "
                     "drawn: at least half of the keys, whatever P."},
          {.id = "S002-AS2-corrected",
           .title = "The largest bucket that can be drawn is the largest half-space count, for every P",
           .source = "derived; paper, Assumption 2 as the proofs need it",
           .kind = Kind::identity,
           .scope = "two dimensions, where the count is exact",
           .measure = largest_bucket_is([](Index half_plane, Index, Index) { return real(half_plane); }),
           .mutants = {{"ceil(N/R)", largest_bucket_is([](Index, Index keys, Index planes) {
                          return std::ceil(real(keys) / std::exp2(real(planes)));
                        })},
                       {"one key fewer",
                        largest_bucket_is([](Index half_plane, Index, Index) { return real(half_plane - 1); })}}},
          {.id = "S002-PIG",
           .title = "Z_tau is at most N (1 - epsilon), and some bucket holds ceil(N/R) keys",
           .source = "derived",
           .kind = Kind::inequality,
           .scope = "any keys",
           .measure =
               [](const Context& context) {
                 std::vector<Evidence> evidence = population_mass_below(1)(context);
                 evidence.push_back(occupancy_to_pigeonhole(Relation::at_least)(context)[0]);
                 return evidence;
               },
           .mutants = {{"N (1 - eps)/2", population_mass_below(0.5)},
                       {"no bucket holds more than ceil(N/R)", occupancy_to_pigeonhole(Relation::at_most)}},
           .remark = "With B >= N/2 the theorem needs L >= log(8/delta)/(2 (1 - epsilon)^2), whatever the keys."},
          {.id = "S002-ZB",
           .title = "Z is at most B",
           .source = "paper, after eq. (42)",
           .kind = Kind::inequality,
           .scope = "B the largest half-space count",
           .measure = mass_to_occupancy([](double half_plane, double, double) { return half_plane; }),
           .mutants = {{"N/R", mass_to_occupancy([](double, double keys, double buckets) { return keys / buckets; })},
                       {"B/1.01", mass_to_occupancy([](double b, double, double) { return b / 1.01; })}}}};
}

}  // namespace skt
