#include "estimators/metrics/ranking_correlation.hpp"
#include "estimators/peers/product_quantiser.hpp"
#include "estimators/peers/sign_projection.hpp"
#include "estimators/population/plane_signal.hpp"
#include "estimators/selection.hpp"
#include "proofs_check/evidence.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::correlation_limits_group {

extern const StatementGroup kGroup = {
    .question = "How well can a score from b bits of a key correlate with q.k, and one from n signs of planes?",
    .notes =
        R"(Keys are N(0, I) and the code of a key does not know the query. Correlations are over keys and the code's own
randomness, squared and averaged over the directions of the query. c = E|u_1| of a random unit vector u.

  OWN-bits         any score of code and query: 1 - 2^(-2b/d); and of any list of top keys, on average over the directions,
                   the mutual information of being a top key and being listed: b/d + 2 log2(N + 1)/N
  OWN-signs        sum_i f_i sign(w_i.k) with weights f of query and planes: n c^2/(1 + (n - 1) c^2)
  OWN-products     SOCKET's mean of products, whatever P, tau and |q|: n G/(1 + n G), G = (2/pi) d/(d-1)^2
                   E (1 - rho^2)/(1 - (2/pi) asin rho^2); about (1 + 1/(2d)) times the G = c^2/(1 - c^2) of OWN-signs

The proofs are in docs/bounds/bits.md.)",
    .method =
        "Correlations in closed form and by quadrature; of product quantisation and RaBitQ the mean over drawn queries. "
        "Near the first limit: the number of the largest of d = 2^b coordinates.",
    .power = "The limits are reached to .4%, exactly and to 1%; lies are refuted by exact values.",
    .source = "docs/bounds/bits.md",
    .kind = Kind::inequality};

namespace {

constexpr Index kDims[] = {64, 128}, kBits[] = {32, 64, 128, 256, 480, 600, 720, 1024};

// Of bits and dim.
using Limit = double (*)(double bits, double dim);

Evidence below(Index dim, double bits, const std::string& rule, double correlation, Limit limit) {
  return exact({fmt::format("d={}, {} bits", dim, bits), "correlation of " + rule}, correlation,
               at_most(limit(bits, real(dim)), 1e-9));
}

// Correlation of the mean of independent parts with the cosine: 1/Corr^2 is a constant and a term in 1/draws.
class MeanOfParts {
 public:
  MeanOfParts(const ScorePart& part, Index dim) {
    constexpr double kMany = 1e12;
    limit_ = std::pow(correlation_with_cosine(part, kMany, dim), -2);
    noise_ = std::pow(correlation_with_cosine(part, 1, dim), -2) - limit_;
  }
  double at(double draws) const { return 1 / std::sqrt(limit_ + noise_ / draws); }

 private:
  double limit_ = 0, noise_ = 0;
};

// Weights tanh(w.q) = tanh(|q| z) of the projection z, N(0,1).
MeanOfParts of_tanh(double norm, Index dim) {
  const auto weight = [=](double z) { return std::tanh(norm * z); };
  const double scale = std::min(1.0, 1 / norm);
  const auto mean = [=](double rho) {
    const double c = rho / std::sqrt(1 - rho * rho);
    return mean_over_projection([&](double z) { return weight(z) * std::erf(c * z / std::numbers::sqrt2); },
                                std::min(scale, 1 / std::max(1.0, std::abs(c))))
        .value;
  };
  const double square = mean_over_projection([&](double z) { return weight(z) * weight(z); }, scale).value;
  return {{mean, [=](double rho) { return square - mean(rho) * mean(rho); }}, dim};
}

// Whole keys' norms take 16 bits in half precision.
std::vector<Evidence> exact_rules(Limit limit) {
  std::vector<Evidence> evidence;
  for (const Index dim : kDims) {
    // SOCKET is best as the temperature grows. Then P does not matter, and each sign counts with tanh(w.q).
    const double norm = std::sqrt(real(dim));
    const auto socket = [=](Index planes, double temperature) {
      return MeanOfParts(soft_collision({norm, temperature, dim, planes}), dim);
    };
    const MeanOfParts warm = of_tanh(norm, dim), usual = socket(8, 0.5);
    const double regularity = norm_regularity(dim);
    constexpr auto kTurned = ProjectionRows::orthogonal_blocks, kFree = ProjectionRows::independent;
    for (const Index b : kBits) {
      const auto add = [&](const char* rule, double correlation) {
        evidence.push_back(below(dim, real(b), rule, correlation, limit));
      };
      add("signed projection, orthogonal", signed_projection_correlation(b - 16, dim, kTurned));
      add("signed projection, independent", signed_projection_correlation(b - 16, dim, kFree));
      add("equal bits", regularity * signature_correlation(b, dim, kFree));
      add("SOCKET, best P and tau", regularity * warm.at(real(b)));
      add("SOCKET, P=8 tau=0.5", regularity * usual.at(real(b) / 8));
    }
    for (const Index planes : {8, 10, 12})  // 60 tables: Table 6
      for (const double temperature : {0.3, 0.5, 0.7})
        evidence.push_back(below(dim, real(60 * planes),
                                 fmt::format("SOCKET, P={} tau={}, Table 6", planes, temperature),
                                 regularity * socket(planes, temperature).at(60), limit));
  }
  return evidence;
}

// E of the largest of 2^bits normal numbers: int_0^oo (1 - Phi^n) - int_-oo^0 Phi^n, the second below 2^-n.
double largest_normal(double bits) {
  const double n = std::exp2(bits);
  return integrate_graded([=](double x) { return -std::expm1(n * std::log1p(-normal_cdf(-x))); }, 0, 38, 1e-3).value;
}

// The code that says which of d = 2^b coordinates is the largest. Given it, the mean of the largest is m, that of each
// other one -m/(d - 1), so the squared correlation is m^2 d/(d - 1)/d.
Evidence of_largest_coordinate(double bits, Limit limit) {
  const double dim = std::exp2(bits), m = largest_normal(bits);
  return exact({fmt::format("the largest of 2^{:.0f} coordinates", bits), "correlation/claimed limit"},
               m / std::sqrt(dim - 1) / limit(bits, dim), at_most(1, 1e-9));
}

std::vector<Evidence> near_the_limit(Limit limit) {
  return {of_largest_coordinate(10, limit), of_largest_coordinate(100, limit), of_largest_coordinate(900, limit)};
}

constexpr Index kMeasuredKeys = 1024, kListed = kMeasuredKeys / 10;

// How well the scores rank: correlation with q.k, and share of the true top tenth among as many highest scores; means over
// the queries.
struct Quality {
  double correlation = 0, recall = 0;
};

std::vector<Index> top_tenth(const Vector& scores) {
  std::vector<Index> top = select_keys(scores, {}, {.budget = kListed});
  std::ranges::sort(top);
  return top;
}

struct Asked {
  Vector query, logits;  // less their mean
  std::vector<Index> top;
};

std::vector<Asked> asked(const Matrix& keys, const Matrix& queries) {
  std::vector<Asked> all;
  for (Index i = 0; i < queries.rows(); ++i) {
    const Vector q = queries.row(i), truth = keys * q;
    all.push_back({q, truth.array() - truth.mean(), top_tenth(truth)});
  }
  return all;
}

template <class Scores>
Quality mean_quality(const std::vector<Asked>& all, Scores scores) {
  Quality sum;
  for (const Asked& one : all) {
    const Vector score = scores(one.query), x = score.array() - score.mean();
    sum.correlation += x.dot(one.logits) / (x.norm() * one.logits.norm());
    std::vector<Index> both;
    std::ranges::set_intersection(one.top, top_tenth(score), std::back_inserter(both));
    sum.recall += real(std::ssize(both)) / real(kListed);
  }
  return {sum.correlation / real(all.size()), sum.recall / real(all.size())};
}

// Product quantisation, its codebook among the bits, and RaBitQ. A mean over queries is at most the root mean square.
std::vector<Evidence> measured(const Context& context) {
  constexpr std::array kSizes{64, 128, 256, 512};
  constexpr Index kQueries = 64, kNorm = 16;
  std::vector<Evidence> evidence;
  for (const Index dim : kDims) {
    const MomentsList seen = run_trials(
        context.trials(32), MomentsList(6 * kSizes.size()),
        [&](std::uint32_t trial, MomentsList& m) {
          const Matrix keys =
              make_instance({.keys = kMeasuredKeys, .dim = dim, .value_dim = 1}, context.seed, trial).keys;
          Matrix queries(kQueries, dim);
          fill_normal(context.seed, {.trial = trial, .row = 1}, std::span(queries.data(), kQueries * dim));
          const std::vector<Asked> all = asked(keys, queries);
          const auto add = [&](std::size_t at, double bits, const Quality& quality) {
            m.of[at].add(bits);
            m.of[at + 1].add(quality.correlation);
            m.of[at + 2].add(quality.recall);
          };
          for (std::size_t i = 0; i < kSizes.size(); ++i) {
            if (const Index groups = kSizes[i] / 4; groups <= dim) {  // no more than a group for each coordinate
              const ProductQuantiser pq(keys, {.groups = groups, .bits = 4}, context.seed, trial);
              add(6 * i, pq.bits_per_token(), mean_quality(all, [&](const Vector& q) { return pq.scores(q); }));
            }
            const SignProjection signs(keys, kSizes[i] - kNorm, ProjectionRows::orthogonal_blocks, context.seed, trial);
            const auto scores = [&](const Vector& q) {
              return signs.scores(q, QuerySide::linear, KeyFactor::exact_on_key);
            };
            add(6 * i + 3, signs.bits_per_token(KeyFactor::exact_on_key), mean_quality(all, scores));
          }
        },
        1);
    for (std::size_t i = 0; i < 2 * kSizes.size(); ++i) {
      const Moments* const of_rule = &seen.of[3 * i];
      if (of_rule->count() == 0) continue;
      const char* const rule = i % 2 == 0 ? "product quantisation, measured" : "RaBitQ, measured";
      const double bits = of_rule->mean();
      const Precision precision{context.share(4 * std::size(kDims) * std::size(kSizes)), 0.25};
      const std::string where = fmt::format("d={}, {} bits", dim, bits);
      evidence.push_back(mean({where, fmt::format("correlation of {}", rule)}, of_rule[1],
                              at_most(most_correlation(bits, real(dim))), precision));
      evidence.push_back(mean({where, fmt::format("recall of the top tenth of {}", rule)}, of_rule[2],
                              at_most(most_recall(bits, real(dim), kListed, kMeasuredKeys)), precision));
    }
  }
  return evidence;
}

std::vector<Evidence> bits_allow(const Context& context) {
  std::vector<Evidence> evidence = exact_rules(most_correlation);
  for (Evidence& piece : near_the_limit(most_correlation)) evidence.push_back(std::move(piece));
  for (Evidence& piece : measured(context)) evidence.push_back(std::move(piece));
  return evidence;
}
auto a_lie(Limit limit) {
  return [limit](const Context&) { return near_the_limit(limit); };
}

// Of n planes in d dimensions.
using PlanesLimit = double (*)(Index planes, Index dim);

// The cosines of planes and query as weights: the mean is c times the key's cosine.
MeanOfParts of_cosines(Index dim) {
  const double d = real(dim), c = projection_gain(ProjectionRows::orthogonal_blocks, dim) / std::sqrt(d);
  return {{[=](double rho) { return c * rho; }, [=](double rho) { return 1 / d - c * c * rho * rho; }}, dim};
}

auto signs_allow(PlanesLimit limit, std::vector<Index> dims) {
  return [=](const Context&) {
    std::vector<Evidence> evidence;
    for (const Index dim : dims) {
      const double short_query = 1.2 / std::sqrt(real(dim)), usual = std::sqrt(real(dim));
      const std::pair<std::string, MeanOfParts> scores[] = {
          {fmt::format("tanh(Wq), |q|={:.3f}", short_query), of_tanh(short_query, dim)},
          {fmt::format("tanh(Wq), |q|={:.3f}", usual), of_tanh(usual, dim)},
          {"the cosines of planes and query", of_cosines(dim)}};
      for (const auto& [name, score] : scores)
        for (const Index n : {1, 60, 480})
          evidence.push_back(exact({fmt::format("d={}, n={}", dim, n), "correlation of " + name}, score.at(real(n)),
                                   at_most(limit(n, dim), 1e-10)));
    }
    return evidence;
  };
}

auto products_allow(PlanesLimit limit, std::vector<Index> dims) {
  return [=](const Context&) {
    std::vector<Evidence> evidence;
    for (const Index dim : dims)
      for (const Index planes : {1, 8})
        for (const double temperature : {0.3, 3.0})
          for (const double norm : {1.2 / std::sqrt(real(dim)), std::sqrt(real(dim))}) {
            const MeanOfParts score(soft_collision({norm, temperature, dim, planes}), dim);
            for (const Index bits : {8, 480})
              evidence.push_back(
                  exact({fmt::format("d={} n={} P={} tau={} |q|={:.3f}", dim, bits, planes, temperature, norm),
                         "correlation of SOCKET"},
                        score.at(real(bits / planes)), at_most(limit(bits, dim), 1e-9)));
          }
    return evidence;
  };
}

double of_normal_rows(Index planes, Index dim) {
  return signed_projection_correlation(planes, dim, ProjectionRows::independent);
}

Statement bits() {
  return {.id = "OWN-bits",
          .title = "No code of b bits that knows no query has a squared correlation with q.k above 1 - 2^(-2b/d)",
          .scope = "k ~ N(0, I); squared correlations averaged over the directions of q",
          .chance = Chance::random,
          .measure = bits_allow,
          .mutants = {{"exponent 1.98 b/d", a_lie([](double b, double d) { return most_correlation(0.99 * b, d); })},
                      {"exponent b/d", a_lie([](double b, double d) { return most_correlation(b / 2, d); })},
                      {"a base of 1.9 for 2",
                       a_lie([](double b, double d) { return most_correlation(b * std::log2(1.9), d); })}},
          .remark =
              "Not for a single query: a code of one bit, sign(k_1), has .637 for q = e_1. A codebook learned from the "
              "keys is counted among the bits."};
}

Statement signs() {
  return {
      .id = "OWN-signs",
      .title =
          "No weights of n independent planes' signs correlate better with q.k than the cosines of planes and query",
      .scope = "key of random direction, independent planes; d = 3 to 128, n = 1 to 480",
      .measure = signs_allow(weighted_signs_limit, {3, 64, 128}),
      .mutants = {{"w.q for the cosine", signs_allow(of_normal_rows, {64})},
                  {"n - 1 planes",
                   signs_allow([](Index n, Index d) { return weighted_signs_limit(std::max<Index>(1, n - 1), d); },
                               {64})}},
      .remark =
          "w.q itself is not best: the length of a normal row is noise, and for |q| = 1.2/sqrt(d) tanh(w.q) has "
          "the higher correlation, by 7e-5 of .613 at d = 64 and n = 60."};
}

Statement products() {
  return {.id = "OWN-products",
          .title = "Neither P nor tau nor |q| brings SOCKET's correlation with the cosine above sqrt(n G/(1 + n G))",
          .scope = "n = L P planes, key of random direction; d = 8 to 128",
          .measure = products_allow(product_score_limit, {8, 64, 128}),
          .mutants = {{"that of sum_i (w_i.q) sign(w_i.k)", products_allow(of_normal_rows, {8})},
                      {".95 G", products_allow(
                                    [](Index n, Index d) {
                                      const double c2 = std::pow(product_score_limit(n, d), 2),
                                                   gain = 0.95 * c2 / (1 - c2);
                                      return std::sqrt(gain / (1 + gain));
                                    },
                                    {64})}},
          .remark =
              "At d = 128 and 480 planes the limit is .8411; SOCKET has .742 to .780 (P = 8, tau = .3 to .7), .788 at "
              "P = 1 or as tau grows, each at |q| = sqrt(d), and the signed projection .8401."};
}

}  // namespace

std::vector<Statement> statements() {
  return {bits(), signs(), products()};
}

}  // namespace skt::correlation_limits_group
