#include "estimators/occupancy.hpp"
#include "estimators/population/angular_kernel.hpp"
#include "estimators/population/population.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::normalising_masses_group {

extern const StatementGroup kGroup = {
    .question =
        "What must Z_min, Z_tau,min and B of the paper's Assumptions 1 and 2 be, and how do they bound each other?",
    .notes = R"(S002-ZB  Z = B for keys along the query

Query and keys are not zero.)",
    .method = "Exact sums and the oracle, on keys at one angle to the query and on Gaussian ones.",
    .power = "The rounding of a sum."};

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

auto both_masses(double orthogonal_mass, double antipodal_mass) {
  return [=](const Context&) { return orthogonal_and_antipodal(orthogonal_mass, antipodal_mass); };
}

// N factor^P at N = 64, P = 8: each plane separates a key at a right angle from the query with probability 1 - factor.
double orthogonal_mass(double factor) {
  return 64 * std::pow(factor, 8);
}

Statement degenerate_mass_printed() {
  const auto vanishes_at = [](double angle, const char* where) {
    return [=](const Context&) { return std::vector{mass_of_copies(angle, 8, where, 0)}; };
  };
  return {.id = "S002-AS1",
          .title = "Z vanishes for a query orthogonal to all keys",
          .source = "paper, remark after Assumption 2",
          .quote = "excluding pathological cases in which the query is nearly orthogonal to all keys",
          .scope = "64 equal keys at a right angle",
          .measure = vanishes_at(std::numbers::pi / 2, "pi/2"),
          .controls = {{"opposite to all keys", vanishes_at(std::numbers::pi, "pi")}},
          .expected = Verdict::refuted,
          .severity = Severity::imprecise,
          .remark =
              "Orthogonal keys give Z = N 2^-P and equal weights, which is harmless; Z vanishes where all keys are "
              "opposite to the query. \"Opposite\" for \"orthogonal\" makes the sentence true."};
}

}  // namespace

std::vector<Statement> statements() {
  return {degenerate_mass_printed(),
          {.id = "S002-AS1-corrected",
           .title = "Z is N 2^-P for orthogonal keys and 0 for antipodal ones only",
           .source = "derived from paper, eq. (5)",
           .scope = "64 equal keys, P = 8",
           .measure = both_masses(orthogonal_mass(0.5), 0),
           .mutants = {{"the two exchanged", both_masses(0, orthogonal_mass(0.5))},
                       {"N 2^(1-P)", both_masses(2 * orthogonal_mass(0.5), 0)},
                       {"angles .2% larger", both_masses(orthogonal_mass(1 - 1.002 / 2), 0)}}},
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
                       {"N (1 - eps)/1.02", population_mass_below(1 / 1.02)},
                       {"no bucket holds more than ceil(N/R)", occupancy_to_pigeonhole(Relation::at_most)}},
           .remark = "With B >= N/2 the theorem needs L >= log(8/delta)/(2 (1 - epsilon)^2), whatever the keys."},
          {.id = "S002-ZB",
           .title = "Z is at most B",
           .source = "paper, after eq. (42)",
           .quote = "the following shows Z <= B",
           .kind = Kind::inequality,
           .scope = "B the largest half-space count",
           .measure = mass_to_occupancy([](double half_plane, double, double) { return half_plane; }),
           .mutants = {{"N/R", mass_to_occupancy([](double, double keys, double buckets) { return keys / buckets; })},
                       {"B/1.01", mass_to_occupancy([](double b, double, double) { return b / 1.01; })}}}};
}

}  // namespace skt::normalising_masses_group
