#include "estimators/peers/lsh_attention.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::signature_collisions_group {

extern const StatementGroup kGroup = {
    .question =
        "When do tokens share a signature, and what does one more hyperplane change (document 003, sections 3, 4 and "
        "summary)?",
    .notes = R"(S003-5            not so: the probability of a miss rises with each plane
S003-5-corrected  plane L + 1 parts a pair that the first L leave together with probability s (1 - s)^L, s = theta/pi
S003-7            x and 2x always share a bucket, x and -x never)",
    .method = "Exact binomial intervals for the probabilities; all pairs of random tokens for the partitions.",
    .power = "A probability off by 0.04 is seen with probability above 0.99 at smoke size; the others are exact."};

namespace {

// In how many of `trials` draws of planes does the pair of signatures at an angle have a property?
template <class Property>
std::uint64_t pairs(const Context& context, double angle, Index planes, std::uint64_t trials, Property property) {
  Matrix pair = Matrix::Zero(2, 4);
  pair(0, 0) = 1;
  pair(1, 0) = std::cos(angle);
  pair(1, 1) = std::sin(angle);
  const Counts hits = run_trials(trials, Counts(1), [&](std::uint32_t trial, Counts& counts) {
    const KeyCodes codes = context.estimators.hash(context.estimators.draw(context.seed, trial, 1, planes, 4), pair);
    counts.of[0] += property(codes.codes[0], codes.codes[1]);
  });
  return hits.of[0];
}

bool equal(std::uint32_t a, std::uint32_t b) {
  return a == b;
}
bool parted_by_the_last_plane(std::uint32_t a, std::uint32_t b) {
  return (a ^ b) == 1;  // the last plane is the lowest bit
}

constexpr double kResolution = 0.1;  // at smoke size; the mutants are off by .05 and more
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
                                 pairs(context, share * std::numbers::pi, planes, trials, equal), trials,
                                 equals(probability(share, real(planes))), {context.share(kPairs), kResolution}));
  }
  return evidence;
}

// S003-5: exact miss probabilities for one to five planes in one round, or rounds of four planes.
std::vector<Evidence> fewer_misses(const std::string& more, double (*miss)(Index)) {
  std::vector<Evidence> evidence;
  for (const Index count : {1, 2, 3, 4}) {
    evidence.push_back(exact({"theta = .2 pi", fmt::format("P(miss) with {} {}", count + 1, more)}, miss(count + 1),
                             at_most(miss(count))));
  }
  return evidence;
}

double miss_of_planes(Index planes) {
  return miss_probability(kNeighbour, planes, 1);
}
double miss_of_rounds(Index rounds) {
  return miss_probability(kNeighbour, 4, rounds);
}

// What a fifth plane parts, of neighbours and of strangers.
struct Parted {
  double neighbours = 0.2 * 0.8 * 0.8 * 0.8 * 0.8;
  double strangers = 1.0 / 32;
};

std::vector<Evidence> trade_off(const Context& context, const Claim& rise_of_matches, const Parted& parted) {
  double least_rise = 1, largest_rise = -1;
  for (Index planes = 1; planes < 16; ++planes) {
    const auto rise = [&](double angle) {
      return miss_probability(angle, planes + 1, 1) - miss_probability(angle, planes, 1);
    };
    least_rise = smaller(least_rise, rise(kNeighbour));
    largest_rise = larger(largest_rise, -rise(std::numbers::pi / 2));
  }
  const std::uint64_t trials = context.trials(15000);
  const auto by_the_fifth = [&](const std::string& angle, double theta, double claimed) {
    return frequency({angle, "P(the fifth plane parts what four leave together)"},
                     pairs(context, theta, 5, trials, parted_by_the_last_plane), trials, equals(claimed, 1e-15),
                     {context.share(2), kResolution});
  };
  return {exact({"theta = .2 pi, L = 1 to 16", "least rise of P(miss) with one more plane"}, least_rise, at_least(0)),
          exact({"theta = pi/2, L = 1 to 16", "largest rise of P(false match) with one more plane"}, largest_rise,
                rise_of_matches),
          by_the_fifth("theta = .2 pi", kNeighbour, parted.neighbours),
          by_the_fifth("theta = pi/2", std::numbers::pi / 2, parted.strangers)};
}

// S003-7: claims on the share of tables in which x meets 2x and -x. Each draw must do what is sure.
std::vector<Evidence> multiples(const Context& context, double doubled, double negated) {
  Matrix tokens(3, 6);
  tokens.row(0) = Vector::LinSpaced(6, -1, 1.5).transpose();
  tokens.row(1) = 2 * tokens.row(0);
  tokens.row(2) = -tokens.row(0);
  const std::uint64_t tables = context.trials(4000);
  const KeyCodes codes = context.estimators.hash(context.estimators.draw(context.seed, 0, tables, 2, 6), tokens);
  double with_doubled = 0, with_negated = 0;
  for (Index l = 0; l < codes.tables; ++l) {
    with_doubled += codes.table(l)[0] == codes.table(l)[1] ? 1 : 0;
    with_negated += codes.table(l)[0] == codes.table(l)[2] ? 1 : 0;
  }
  const std::string instance = fmt::format("{} tables, L=2, d=6", tables);
  return {exact({instance, "share in which x and 2x have one bucket"}, with_doubled / real(tables), equals(doubled)),
          exact({instance, "share in which x and -x have one bucket"}, with_negated / real(tables), equals(negated))};
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

Statement misses_corrected() {
  constexpr Parted kAsMany{.neighbours = Parted{}.strangers};
  return {.id = "S003-5-corrected",
          .title = "Each further plane misses more neighbours and matches fewer strangers, by s (1 - s)^L",
          .source = "derived from document 003, section 4",
          .kind = Kind::expectation,
          .scope = "one round, s = theta/pi",
          .chance = Chance::random,
          .measure = [](const Context& c) { return trade_off(c, at_most(0), {}); },
          .mutants = {{"loses no more neighbours than strangers",
                       [=](const Context& c) { return trade_off(c, at_most(0), kAsMany); }},
                      {"matches more strangers", [](const Context& c) { return trade_off(c, at_least(0), {}); }}}};
}

Statement refinement_statement() {
  constexpr std::uint32_t kOtherPlanes = 1u << 20;  // trials that no measurement reaches
  return {.id = "S003-8",
          .title = "One more plane refines the buckets",
          .source = "document 003, summary",
          .quote = "More hyperplanes -> finer granularity",
          .kind = Kind::ordering,
          .scope = "the same first L planes",
          .measure = [](const Context& c) { return refinement(c, 0, 4, 5); },
          .mutants = {{"four other planes", [](const Context& c) { return refinement(c, kOtherPlanes, 4, 5); }},
                      {"coarsens", [](const Context& c) { return refinement(c, 0, 5, 4); }}},
          .no_near_mutant = "A partition refines another or does not; nothing lies between."};
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S003-4",
       .title = "Two tokens at angle theta share a signature of L bits with probability (1 - theta/pi)^L",
       .source = "document 003, mathematical details",
       .quote = "two vectors at angle theta collide with probability 1-theta/pi per hyperplane",
       .kind = Kind::expectation,
       .scope = "independent Gaussian planes",
       .chance = Chance::random,
       .measure = [](const Context& c) { return collision(c, [](double s, double l) { return std::pow(1 - s, l); }); },
       .mutants = {{"1.2 theta for theta",
                    [](const Context& c) {
                      return collision(c, [](double s, double l) { return std::pow(1 - 1.2 * s, l); });
                    }},
                   {"1 - (theta/pi)^L",
                    [](const Context& c) {
                      return collision(c, [](double s, double l) { return 1 - std::pow(s, l); });
                    }},
                   {"max(0, 1 - L theta/pi)",
                    [](const Context& c) {
                      return collision(c, [](double s, double l) { return std::max(0.0, 1 - l * s); });
                    }}}},
      {.id = "S003-5",
       .title = "More hyperplanes miss fewer true neighbours than one",
       .source = "document 003, section 4",
       .wording = Wording::reading,
       .kind = Kind::ordering,
       .scope = "one round",
       .measure = [](const Context&) { return fewer_misses("planes", miss_of_planes); },
       .controls = {{"more rounds of four planes",
                     [](const Context&) { return fewer_misses("rounds", miss_of_rounds); }}},
       .expected = Verdict::refuted,
       .remark =
           "Section 4 says what one hyperplane misses and then why several help, but does not compare them. P(miss) "
           "= 1 - (1 - theta/pi)^L rises: .2, .36, .488, .590, .672 for 1 to 5 planes at theta = .2 pi."},
      misses_corrected(),
      {.id = "S003-7",
       .title = "Tokens with the same direction always share a bucket; opposite ones never do",
       .source = "derived from document 003, section 4",
       .scope = "tokens other than 0; projections of 0 have probability 0",
       .measure = [](const Context& c) { return multiples(c, 1, 0); },
       .mutants = {{"x and 2x part in one table of twenty", [](const Context& c) { return multiples(c, 0.95, 0); }},
                   {"x and -x meet as independent tokens do", [](const Context& c) { return multiples(c, 1, 0.25); }}}},
      refinement_statement()};
}

}  // namespace skt::signature_collisions_group
