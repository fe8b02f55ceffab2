#include "proofs_check/certificate/certificate.hpp"

#include "sim/families.hpp"
#include "sim/statistics/intervals.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

CertifyPlan plan_of(Index queries) {
  CertifyPlan plan;
  plan.setting = {.planes = 3, .tables = 20, .samples = 30, .temperature = 0.3, .budget = 6};
  plan.queries = queries;
  return plan;
}

Certificate certificate_of(const Instance& instance, const CertifyPlan& plan, std::uint32_t trial) {
  const Setting& s = plan.setting;
  const Hyperplanes hyperplanes = draw_hyperplanes(Seed{5}, trial, s.tables, s.planes, instance.dim());
  return certify(instance, plan, targets_of(instance, s), hyperplanes, hash_keys(hyperplanes, instance.keys), 0, {},
                 derive_seed(Seed{7}, trial));
}

std::vector<CertifiedNumber> named(const Certificate& certificate, const std::string& term, const std::string& name) {
  std::vector<CertifiedNumber> found;
  for (const CertifiedNumber& n : certificate.numbers)
    if (n.term == term && n.name == name) found.push_back(n);
  return found;
}

double value_of(const Certificate& certificate, const std::string& term, const std::string& name) {
  return named(certificate, term, name).at(0).value;
}

}  // namespace

TEST_CASE("Certified radii are missed no more often than delta over draws, and a tenth of them is", "[oracle]") {
  const Instance instance = make_instance({.keys = 40, .dim = 16, .value_dim = 4}, Seed{4}, 0);
  constexpr std::uint32_t kDraws = 150;
  struct Case {
    const char *term, *name;
    std::uint64_t misses = 0, misses_of_tenth = 0;
  };
  std::vector<Case> cases{{"finite-tables", "Theorem 1(b)"},
                          {"finite-tables", "Theorem 2"},
                          {"tables-to-angular", "Theorem 1(b) and bias"},
                          {"sampling", "Theorem 7(a)"},
                          {"sampling", "Theorem 7(c)"},
                          {"total", "Theorem 9(a)"},
                          {"total", "Theorem 9(b)"},
                          {"total", "Theorem 7(c) and the offset"},
                          {"finite-tables", "Chebyshev"},
                          {"finite-tables", "Corollary 3, kurtosis by 4(i)"},
                          {"missed-mass", "Theorem 15"}};

  for (std::uint32_t trial = 0; trial < kDraws; ++trial) {
    const Certificate certificate = certificate_of(instance, plan_of(1), trial);
    for (Case& one : cases) {
      const double error = value_of(certificate, one.term, "this draw");
      const double radius = value_of(certificate, one.term, one.name);
      one.misses += error > radius;
      one.misses_of_tenth += error > radius / 10;
    }
  }

  for (const Case& one : cases) {
    INFO(one.term << " " << one.name);
    CHECK(clopper_pearson(one.misses, kDraws, 1e-6).lo <= 0.05);
    CHECK(clopper_pearson(one.misses_of_tenth, kDraws, 1e-6).lo > 0.05);
  }
}

TEST_CASE("On I-ANTI the certificate is worked out by hand", "[unit]") {
  // B = 2 keys along the query with value +1, two against it with value -1: every table has D = 2 and N = 2 (2s - 1);
  // one plane, so s and 1 - s. Angular weights are 1 and 0, hence y* = +1; dense attention weighs by exp(+-1/2).
  const Instance instance = make_instance({.family = InstanceFamily::antipodal, .dim = 4, .copies = 2}, Seed{1}, 0);
  CertifyPlan plan = plan_of(1);
  plan.setting = {.planes = 1, .tables = 10, .samples = 4, .temperature = 0.3, .budget = 2};

  const Certificate c = certificate_of(instance, plan, 0);

  const double dense = std::tanh(0.5);
  CHECK(c.longest_value == 1);
  CHECK(c.dense_norm == Approx(dense).epsilon(1e-12));
  CHECK(c.effective_rank == Approx(1).epsilon(1e-6));
  CHECK(value_of(c, "angular-to-dense", "exact") == Approx(1 - dense).epsilon(1e-12));
  // Both keys with value +1 are selected: what is missed agrees, so 10(i) is the error itself.
  CHECK(value_of(c, "top-m", "this draw") == Approx(1 - dense).epsilon(1e-12));
  CHECK(value_of(c, "top-m", "Theorem 10(i)") == Approx(1 - dense).epsilon(1e-12));
  CHECK(value_of(c, "missed-mass", "this draw") == Approx((1 - dense) / 2).epsilon(1e-12));
  CHECK(value_of(c, "missed-top", "this draw") == 0);
  CHECK(value_of(c, "missed-top", "approximation 12") == Approx(0).margin(1e-6));
  CHECK(value_of(c, "missed-mass", "approximation 12") == Approx((1 - dense) / 2).epsilon(1e-6));
  // Two keys share the missed mass; the variance of the values is 1 - dense^2.
  const double missed = value_of(c, "missed-mass", "Theorem 15");
  CHECK(missed >= (1 - dense) / 2);
  CHECK(missed < 1);
  CHECK(value_of(c, "top-m", "Theorem 15 and 10(ii)") ==
        Approx(std::sqrt(missed / (1 - missed) * (1 - dense * dense))).epsilon(1e-9));
  // Lemma 10: |V| sqrt(8 log(2/delta)/M), |V| = 2 for four rows of length 1 on one line.
  CHECK(value_of(c, "sampling", "Lemma 10") == Approx(2 * std::sqrt(8 * std::log(40.0) / 4)).epsilon(1e-12));
  // The largest bucket of any table holds two keys, and two is half of the keys: both readings of B agree.
  CHECK(value_of(c, "bias", "Lemma 11, B of the drawn tables") ==
        value_of(c, "bias", "Lemma 11, B that can hold surely"));
}

TEST_CASE("Theorem 9(a) is worked out by hand from the tables' radius at .15 delta and the bias", "[unit]") {
  // I-ANTI again: a draw is +1 or -1 with mean t, the drawn tables' output, so S_1 = 1 and Sigma = 1 - t^2.
  const Instance instance = make_instance({.family = InstanceFamily::antipodal, .dim = 4, .copies = 2}, Seed{1}, 0);
  CertifyPlan plan = plan_of(1), of_tables = plan_of(1);
  plan.setting = of_tables.setting = {.planes = 1, .tables = 10, .samples = 4, .temperature = 0.3, .budget = 2};
  of_tables.delta = 0.15 * 0.05;

  const Certificate c = certificate_of(instance, plan, 0);

  const double t = 1 - value_of(c, "tables-to-angular", "this draw"), variance = 1 - t * t, m = 4;
  const double bias = value_of(c, "bias", "exact");
  REQUIRE((t > 0 && bias > 0.05));
  CHECK(value_of(c, "tables-to-angular", "Theorem 1(b) and bias") ==
        Approx(value_of(c, "finite-tables", "Theorem 1(b)") + bias).epsilon(1e-12));
  const double r = value_of(certificate_of(instance, of_tables, 0), "finite-tables", "Theorem 1(b)") + bias;
  const double spread = (2 * (m - 1) * variance * variance + 4 * t * t * variance) / (m * m * m) +
                        4 * r * r * variance / m + 8 * r * variance * t / (m * m);
  const double delta = 1 - 0.95 / (1 - 0.15 * 0.05);  // (1 - .15 .05)(1 - delta) = .95
  CHECK(value_of(c, "total", "Theorem 9(a)") ==
        Approx(std::sqrt(r * r + variance / m + std::sqrt((1 - delta) / delta * spread))).epsilon(1e-9));
}

namespace {

// Keys in the plane, each with a value of its own.
Certificate certificate_in_the_plane(const Matrix& keys, const Hyperplanes& hyperplanes, Index half_space) {
  const Instance instance{"by hand", Vector{{1.0, 0.0}}, keys, Matrix::Identity(keys.rows(), keys.rows())};
  CertifyPlan plan = plan_of(1);
  plan.setting = {.planes = hyperplanes.planes, .tables = 1, .samples = 4, .temperature = 0.3, .budget = 2};
  return certify(instance, plan, targets_of(instance, plan.setting), hyperplanes, hash_keys(hyperplanes, keys),
                 half_space, {}, Seed{7});
}

}  // namespace

TEST_CASE("B that can hold surely is half of an odd number of keys, rounded up, or what was drawn", "[unit]") {
  // Two keys to the right, two to the left, one up. The planes (1, .1) and (1, -.1) make the buckets {right}, {left} and
  // {up}; a plane along (1, 1) puts right and up into one: 3 of 5.
  const Matrix keys{{1, 0}, {1, 0}, {-1, 0}, {-1, 0}, {0, 1}};
  const Hyperplanes apart = given_hyperplanes(1, 2, Matrix{{1, 0.1}, {1, -0.1}});
  const Hyperplanes together = given_hyperplanes(1, 1, Matrix{{1, 1}});

  const Certificate half = certificate_in_the_plane(keys, apart, 0);
  const Certificate drawn = certificate_in_the_plane(keys.topRows(2), together, 0);
  const Certificate found = certificate_in_the_plane(keys, apart, 4);

  CHECK(half.occupancy_drawn == 2);
  CHECK(half.occupancy_sure == 3);
  CHECK(drawn.occupancy_drawn == 2);
  CHECK(drawn.occupancy_sure == 2);  // and not 1, half of the keys
  CHECK(found.occupancy_sure == 4);
  // Lemma 9: 4 sqrt(2B)/Z + sqrt(2) B^1.5/Z^2 times |V| sqrt(log(4/delta)/L), |V| = 1.
  const auto lemma_9 = [](const Certificate& c, const char* reading) {
    return value_of(c, "finite-tables", std::string("Lemma 9, ") + reading);
  };
  const Instance instance{"by hand", Vector{{1.0, 0.0}}, keys, Matrix::Identity(5, 5)};
  const double z =
      targets_of(instance, {.planes = 2, .tables = 1, .samples = 4, .temperature = 0.3, .budget = 2}).population_mass;
  const auto by_hand = [z](double b) {
    return (4 * std::sqrt(2 * b) / z + std::sqrt(2.0) * std::pow(b, 1.5) / (z * z)) * std::sqrt(std::log(4 / 0.05));
  };
  CHECK(lemma_9(half, "B of the drawn tables") == Approx(by_hand(2)).epsilon(1e-12));
  CHECK(lemma_9(half, "B that can hold surely") == Approx(by_hand(3)).epsilon(1e-12));
  CHECK(lemma_9(found, "B that can hold surely") == Approx(by_hand(4)).epsilon(1e-12));
  for (const char* lemma : {"Lemma 11, ", "Theorem 3, "}) {
    const char* term = lemma[0] == 'L' ? "bias" : "total";
    CHECK(value_of(drawn, term, std::string(lemma) + "B that can hold surely") ==
          value_of(drawn, term, std::string(lemma) + "B of the drawn tables"));
    CHECK(value_of(half, term, std::string(lemma) + "B that can hold surely") >
          value_of(half, term, std::string(lemma) + "B of the drawn tables"));
  }
}

TEST_CASE("Queries that share the tables have numbers for all of them together", "[unit]") {
  const Instance instance = make_instance({.keys = 40, .dim = 16, .value_dim = 4}, Seed{4}, 0);

  const auto alone = named(certificate_of(instance, plan_of(1), 0), "finite-tables", "Theorem 2");
  const auto shared = named(certificate_of(instance, plan_of(5), 0), "finite-tables", "Theorem 2");

  REQUIRE(alone.size() == 1);
  REQUIRE(shared.size() == 2);
  CHECK(shared[0].value == alone[0].value);
  CHECK(shared[1].delta == Approx(0.01));
  CHECK(shared[1].value > shared[0].value);
}

TEST_CASE("Without the pairs of keys nothing about the tables is certified", "[unit]") {
  const Instance instance = make_instance({.keys = 40, .dim = 16, .value_dim = 4}, Seed{4}, 0);
  CertifyPlan plan = plan_of(1);
  plan.pairs = Pairs::none;

  const Certificate c = certificate_of(instance, plan, 0);

  CHECK(std::isnan(c.effective_rank));
  for (const CertifiedNumber& n : c.numbers) {
    const bool of_tables = n.term == "finite-tables" || n.term == "tables-to-angular" || n.name == "Theorem 9(a)";
    if (of_tables) CHECK((n.basis != Basis::certified && n.basis != Basis::expected));
  }
  CHECK(named(c, "total", "Theorem 9(b)").size() == 1);  // of tables that are known
  CHECK(value_of(c, "total", "Theorem 7(c) and the offset") ==
        Approx(value_of(c, "sampling", "Theorem 7(c)") + value_of(c, "tables-to-angular", "this draw")));
  CHECK(named(c, "sampling", "Theorem 7(a)").size() == 1);
}

TEST_CASE("The redrawn number is the order statistic of Theorem 5", "[unit]") {
  const Instance instance = make_instance({.keys = 40, .dim = 16, .value_dim = 4}, Seed{4}, 0);
  CertifyPlan plan = plan_of(1);
  plan.pairs = Pairs::none;
  std::vector<DrawErrors> redraws(39);
  for (std::size_t k = 0; k < redraws.size(); ++k) redraws[k].total = real((7 * k) % 39);  // 0 .. 38 in some order
  const Hyperplanes hyperplanes = draw_hyperplanes(Seed{5}, 0, 20, 3, 16);

  const Certificate c = certify(instance, plan, targets_of(instance, plan.setting), hyperplanes,
                                hash_keys(hyperplanes, instance.keys), 0, redraws, Seed{7});

  CHECK(value_of(c, "total", "Theorem 5") == 37);  // the 38th smallest: ceil(.95 40)
}

TEST_CASE("Every basis of a number has a name of its own", "[unit]") {
  const std::vector<Basis> bases{Basis::measured,  Basis::certified, Basis::expected, Basis::redrawn,
                                 Basis::estimated, Basis::predicted, Basis::printed};
  std::set<std::string> names;
  for (const Basis basis : bases) names.insert(name_of(basis));
  CHECK(names ==
        std::set<std::string>{"measured", "certified", "expected", "redrawn", "estimated", "predicted", "printed"});
}

TEST_CASE("Every number belongs to a term of the report", "[unit]") {
  const Instance instance = make_instance({.keys = 40, .dim = 16, .value_dim = 4}, Seed{4}, 0);
  const std::vector<std::string> terms = certified_terms();

  for (const CertifiedNumber& n : certificate_of(instance, plan_of(2), 0).numbers)
    CHECK(std::count(terms.begin(), terms.end(), n.term) == 1);
}
