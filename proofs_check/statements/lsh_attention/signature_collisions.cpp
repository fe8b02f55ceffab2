// When do tokens share a signature, and what does one more hyperplane change (document 003, sections 3, 4 and summary)?
//
//   S003-5            false: the probability of a miss rises with each plane
//   S003-5-corrected  misses rise and false matches fall
//   S003-7            x and 2x always share a bucket, x and -x never
//
// Method: exact binomial intervals for probabilities, all pairs of random tokens for the partitions.
// Power: a probability off by 0.03 is seen with probability above 0.99; the others are exact.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "estimators/peers/lsh_attention.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/statement.hpp"
#include "proofs_check/trial_accumulators.hpp"
#include "sim/number.hpp"
#include "sim/trial_loop.hpp"

namespace skt {
namespace {

// How many of `trials` pairs at an angle share the bucket of one draw of planes.
std::uint64_t matches(const Context& context, double angle, Index planes, std::uint64_t trials) {
  Matrix pair = Matrix::Zero(2, 4);
  pair(0, 0) = 1;
  pair(1, 0) = std::cos(angle);
  pair(1, 1) = std::sin(angle);
  const Counts hits = run_trials(trials, Counts(1), [&](std::uint32_t trial, Counts& counts) {
    const KeyCodes codes = context.estimators.hash(context.estimators.draw(context.seed, trial, 1, planes, 4), pair);
    counts.of[0] += codes.codes[0] == codes.codes[1];
  });
  return hits.of[0];
}

constexpr double kResolution = 0.1;  // at smoke size; the mutants are off by more than .07
const double kNeighbour = 0.2 * std::numbers::pi;

struct Pair {
  double share;  // theta/pi
  Index planes;
};
constexpr Pair kPairs[] = {{0.2, 1}, {0.2, 4}, {0.5, 3}};

std::vector<Evidence> collision(const Context& context, double (*probability)(double share, double planes)) {
  std::vector<Evidence> evidence;
  const std::uint64_t trials = context.trials(20000);
  for (const auto& [share, planes] : kPairs) {
    evidence.push_back(frequency({fmt::format("theta = {} pi, L={}", share, planes), "P(equal signatures)"},
                                 matches(context, share * std::numbers::pi, planes, trials), trials,
                                 equals(probability(share, real(planes))), {context.share(kPairs), kResolution}));
  }
  return evidence;
}

// S003-5: exact miss probabilities, and the measured one of four planes.
std::vector<Evidence> fewer_misses(const Context&) {
  std::vector<Evidence> evidence;
  for (const Index planes : {1, 2, 3, 4}) {
    evidence.push_back(exact({"theta = .2 pi", fmt::format("P(miss) with {} planes", planes + 1)},
                             miss_probability(kNeighbour, planes + 1, 1),
                             at_most(miss_probability(kNeighbour, planes, 1))));
  }
  return evidence;
}

std::vector<Evidence> trade_off(const Context& context, const Claim& rise_of_misses, const Claim& rise_of_matches) {
  double least_rise = 1, largest_rise = -1;
  for (Index planes = 1; planes < 16; ++planes) {
    const auto rise = [&](double angle) {
      return miss_probability(angle, planes + 1, 1) - miss_probability(angle, planes, 1);
    };
    least_rise = smaller(least_rise, rise(kNeighbour));
    largest_rise = larger(largest_rise, -rise(std::numbers::pi / 2));
  }
  const std::uint64_t trials = context.trials(20000);
  return {
      exact({"theta = .2 pi, L = 1 to 16", "least rise of P(miss) with one more plane"}, least_rise, rise_of_misses),
      exact({"theta = pi/2, L = 1 to 16", "largest rise of P(false match) with one more plane"}, largest_rise,
            rise_of_matches),
      frequency({"theta = .2 pi, L=4", "P(miss)"}, trials - matches(context, kNeighbour, 4, trials), trials,
                equals(1 - std::pow(0.8, 4), 1e-15), {context.error_share, kResolution})};
}

// S003-7: claims on the share of tables in which x meets factor * x.
std::vector<Evidence> multiples(const Context& context, const Claim& doubled, const Claim& negated) {
  Matrix tokens(3, 6);
  tokens.row(0) = Vector::LinSpaced(6, -1, 1.5).transpose();
  tokens.row(1) = 2 * tokens.row(0);
  tokens.row(2) = -tokens.row(0);
  const std::uint64_t tables = context.trials(4000);
  const KeyCodes codes = context.estimators.hash(context.estimators.draw(context.seed, 0, tables, 2, 6), tokens);
  struct Multiple {
    Index token;
    const char* quantity;
    const Claim& claim;
  };
  const Multiple multiples[] = {{1, "P(x and 2x share a bucket)", doubled}, {2, "P(x and -x share a bucket)", negated}};
  std::vector<Evidence> evidence;
  for (const auto& [token, quantity, claim] : multiples) {
    std::uint64_t shared = 0;
    for (Index l = 0; l < codes.tables; ++l) shared += codes.table(l)[0] == codes.table(l)[token];
    evidence.push_back(
        frequency({"L=2, d=6", quantity}, shared, tables, claim, {context.share(multiples), kResolution}));
  }
  return evidence;
}

// S003-8: pairs of tokens that the finer partition joins and the coarser one parts.
std::vector<Evidence> refinement(const Context& context, std::uint32_t coarse_trial, Index coarse, Index fine) {
  double violations = 0;
  const auto trials = static_cast<std::uint32_t>(context.trials(100));
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    Matrix tokens(40, 5);
    fill_normal(context.seed, {.role = Role::key, .trial = trial}, {tokens.data(), 200});
    const KeyCodes a =
        context.estimators.hash(context.estimators.draw(context.seed, coarse_trial + trial, 1, coarse, 5), tokens);
    const KeyCodes b = context.estimators.hash(context.estimators.draw(context.seed, trial, 1, fine, 5), tokens);
    for (Index i = 0; i < 40; ++i) {
      for (Index j = 0; j < i; ++j) violations += b.codes[i] == b.codes[j] && a.codes[i] != a.codes[j] ? 1 : 0;
    }
  }
  return {exact({"40 Gaussian tokens, L=4 and 5", "pairs joined by the finer, parted by the coarser partition"},
                violations, equals(0))};
}

Statement collision_statement() {
  return {
      .id = "S003-4",
      .title = "Two tokens at angle theta share a signature of L bits with probability (1 - theta/pi)^L",
      .source = "document 003, mathematical details",
      .kind = Kind::expectation,
      .scope = "independent Gaussian planes",
      .measure = [](const Context& c) { return collision(c, [](double s, double l) { return std::pow(1 - s, l); }); },
      .mutants = {
          {"1 - (theta/pi)^L",
           [](const Context& c) { return collision(c, [](double s, double l) { return 1 - std::pow(s, l); }); }},
          {"1 - L theta/pi",
           [](const Context& c) { return collision(c, [](double s, double l) { return 1 - l * s; }); }}}};
}

Statement misses_printed() {
  return {
      .id = "S003-5",
      .title = "More hyperplanes miss fewer true neighbours than one",
      .source = "document 003, section 4",
      .kind = Kind::ordering,
      .scope = "one round",
      .measure = fewer_misses,
      .expected = Verdict::refuted,
      .remark = "P(miss) = 1 - (1 - theta/pi)^L rises: .2, .36, .488, .590, .672 for 1 to 5 planes at theta = .2 pi."};
}

Statement misses_corrected() {
  return {
      .id = "S003-5-corrected",
      .title = "Every further plane misses more neighbours and matches fewer strangers",
      .source = "document 003, section 4, corrected",
      .kind = Kind::ordering,
      .scope = "one round",
      .measure = [](const Context& c) { return trade_off(c, at_least(0), at_most(0)); },
      .mutants = {{"matches more strangers", [](const Context& c) { return trade_off(c, at_least(0), at_least(0)); }},
                  {"misses as many", [](const Context& c) { return trade_off(c, equals(0), at_most(0)); }}}};
}

Statement multiples_statement() {
  return {.id = "S003-7",
          .title = "Tokens of one direction always share a bucket, opposite ones never",
          .source = "document 003, section 4",
          .kind = Kind::identity,
          .scope = "tokens other than 0; projections of 0 have probability 0",
          .measure = [](const Context& c) { return multiples(c, equals(1), equals(0)); },
          .mutants = {
              {"x and 2x part as often as not", [](const Context& c) { return multiples(c, at_most(0.5), equals(0)); }},
              {"x and -x meet as independent tokens do",
               [](const Context& c) { return multiples(c, equals(1), equals(0.25)); }}}};
}

Statement refinement_statement() {
  constexpr std::uint32_t kOtherPlanes = 1u << 20;  // trials that no measurement reaches
  return {.id = "S003-8",
          .title = "One more plane refines the buckets",
          .source = "document 003, summary",
          .kind = Kind::ordering,
          .scope = "the same first L planes",
          .measure = [](const Context& c) { return refinement(c, 0, 4, 5); },
          .mutants = {{"four other planes", [](const Context& c) { return refinement(c, kOtherPlanes, 4, 5); }},
                      {"coarsens", [](const Context& c) { return refinement(c, 0, 5, 4); }}}};
}

}  // namespace

std::vector<Statement> signature_collisions_statements() {
  return {collision_statement(), misses_printed(), misses_corrected(), multiples_statement(), refinement_statement()};
}

}  // namespace skt
