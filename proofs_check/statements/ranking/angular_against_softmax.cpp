#include "estimators/attention.hpp"
#include "estimators/metrics/ranking_metrics.hpp"
#include "estimators/peers/reference_rankings.hpp"
#include "estimators/population/angular_kernel.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::angular_against_softmax_group {

extern const StatementGroup kGroup = {
    .question = "How near is angular attention to softmax attention, and how well can a ranking by the angle rank q.k?",
    .notes = R"(
S002-ARI            cosine kernels closely match softmax attention, read as: in most draws y* errs by less than a
                    tenth of how far softmax attention is from the plain mean of the values
S002-ARI-corrected  the kernel is e^{(2P/pi) cos} where softmax has e^{|q||k| cos/sqrt d}, so it sees no key norm,
                    and P = 18 is nearer than P = 8 for Gaussian keys in d = 128
S002-F2abc-ceiling  infinitely many tables rank by the cosine: below .9 for Gaussian keys, 1 for unit keys)",
    .method =
        "Exact weights of Gaussian keys, d = 128, in independent problems: counts in exact intervals; the mean of a "
        "bounded precision.",
    .power = "The rounding of sums; a share of half of the problems; a mean precision off by 0.15.",
    .scope = "no key or query 0",
    .chance = Chance::random};

namespace {

// |y* - softmax attention| over |mean value - softmax attention|.
double relative_error(const Instance& instance, Index planes) {
  const Vector target = *dense_attention(instance.query, instance.keys, instance.values, {});
  const Vector angular = weighted_output(angular_weights(instance, planes), instance.values);
  const Vector plain = instance.values.colwise().mean().transpose();
  return (angular - target).norm() / (plain - target).norm();
}

enum class KeyNorms { drawn, one };

// 512 Gaussian keys as drawn, or all of the norm at which |q||k|/sqrt d is 2P/pi for P = 8: there both exponents agree.
Instance problem(const Context& context, std::uint32_t trial, KeyNorms norms) {
  Instance instance = make_instance({.keys = 512, .value_dim = 32}, context.seed, trial);
  if (norms == KeyNorms::one)
    instance.keys = instance.keys.rowwise().normalized() * (16 / std::numbers::pi) * std::sqrt(real(instance.dim())) /
                    instance.query.norm();
  return instance;
}

auto close_match(KeyNorms norms) {
  return [norms](const Context& context) -> std::vector<Evidence> {
    const std::uint64_t problems = context.trials(128);
    const Counts far = run_trials(
        problems, Counts(1),
        [&](std::uint32_t trial, Counts& counts) {
          counts.of[0] += relative_error(problem(context, trial, norms), 8) > 0.1;
        },
        4);
    return {frequency({"512 Gaussian keys, d=128 P=8", "P(|y* - softmax output| > |mean value - softmax output|/10)"},
                      far.of[0], problems, at_most(0.5), {context.error_share, 0.5})};
  };
}

// In how many problems is y* at `sharper` planes nearer to softmax attention than at `duller`?
Evidence nearer(const Context& context, Index sharper, Index duller) {
  const std::uint64_t problems = context.trials(128);
  const Counts hits = run_trials(
      problems, Counts(1),
      [&](std::uint32_t trial, Counts& counts) {
        const Instance instance = problem(context, trial, KeyNorms::drawn);
        counts.of[0] += relative_error(instance, sharper) < relative_error(instance, duller);
      },
      4);
  return frequency({"512 Gaussian keys, d=128", fmt::format("P(y* is nearer at P={} than at P={})", sharper, duller)},
                   hits.of[0], problems, at_least(0.5), {context.error_share, 0.5});
}

enum class Norms { ignored, ranked };

auto exponential_of_cosine(double slope_over_planes, Norms norms, Index sharper = 18, Index duller = 8) {
  return [=](const Context& context) {
    std::vector<Evidence> evidence;
    for (const double planes : {1.0, 8.0, 12.0}) {
      const double rho = 1e-3;
      const auto log_weight = [&](double c) { return planes * std::log(1 - std::acos(c) / std::numbers::pi); };
      // An odd function of rho: the next term is of relative size rho^2 (1/6 + (2/pi)^2/3) < rho^2.
      evidence.push_back(exact({fmt::format("P={}", planes), "slope of log w in the cosine at a right angle"},
                               (log_weight(rho) - log_weight(-rho)) / (2 * rho),
                               equals(slope_over_planes * planes, planes * (rho * rho + 8 * kUnit / rho))));
    }
    Instance ray = make_instance({.keys = 2, .dim = 16}, context.seed, 0);
    ray.keys.row(1) = 2 * ray.keys.row(0);
    const Vector w = angular_weights(ray, 8), alpha = *softmax(scaled_logits(ray.query, ray.keys));
    const double in_softmax = std::log(alpha(1) / alpha(0));
    evidence.push_back(exact({"k and 2k", "log of the ratio of their angular weights"}, std::log(w(1) / w(0)),
                             equals(norms == Norms::ignored ? 0 : in_softmax, 64 * kUnit)));
    evidence.push_back(exact({"k and 2k", "log of the ratio of their softmax weights"}, in_softmax,
                             equals(scaled_logits(ray.query, ray.keys)(0), 64 * kUnit)));
    evidence.push_back(nearer(context, sharper, duller));
    return evidence;
  };
}

constexpr Index kSelected = 16;

Moments cosine_precision(const Context& context, std::uint64_t problems, InstanceFamily family) {
  return run_trials(problems, Moments{}, [&](std::uint32_t trial, Moments& m) {
    const Instance instance =
        make_instance({.family = family, .keys = 512, .dim = 32, .value_dim = 1}, context.seed, trial);
    const std::vector<Index> by_cosine =
        select_keys(cosine_scores(instance.query, instance.keys), {}, {.budget = kSelected});
    m.add(*precision(by_cosine, select_keys(instance.keys * instance.query, {}, {.budget = kSelected})));
  });
}

auto ceiling(const Claim& of_gaussian, const Claim& of_unit) {
  return [=](const Context& context) -> std::vector<Evidence> {
    const char* const quantity = "mean precision of the exact cosine at k=16";
    return {mean_of_bounded({"512 Gaussian keys, d=32", quantity},
                            cosine_precision(context, context.trials(1600), InstanceFamily::gaussian), 1, of_gaussian,
                            {context.error_share, 0.3}),
            exact({"4 problems of 512 unit keys, d=32", quantity},
                  cosine_precision(context, 4, InstanceFamily::unit_sphere).mean(), of_unit)};
  };
}

// Two scores that agree but for rounding may swap a last pair: one of 64 selected keys at most.
const Claim kAllButOne = at_least(1 - 1.0 / 64);

Statement match_corrected() {
  constexpr double kSlope = 2 / std::numbers::pi;
  return {.id = "S002-ARI-corrected",
          .title = "Near a right angle w is e^{(2P/pi) cos}, which does not depend on key norms",
          .source = "derived from paper, eq. (5)",
          .measure = exponential_of_cosine(kSlope, Norms::ignored),
          .mutants = {{"slope P/pi", exponential_of_cosine(kSlope / 2, Norms::ignored)},
                      {"slope .65 P", exponential_of_cosine(0.65, Norms::ignored)},
                      {"slope 2P", exponential_of_cosine(2, Norms::ignored)},
                      {"P = 8 nearer than P = 18", exponential_of_cosine(kSlope, Norms::ignored, 8, 18)},
                      {"keys of one ray ranked by their norms", exponential_of_cosine(kSlope, Norms::ranked)}}};
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S002-ARI",
           .title = "Angular attention closely matches softmax attention, even on random data",
           .source = "paper, section 5 (on earlier work)",
           .wording = Wording::reading,
           .kind = Kind::inequality,
           .measure = close_match(KeyNorms::drawn),
           .controls = {{"keys of the norm at which both exponents agree", close_match(KeyNorms::one)}},
           .expected = Verdict::refuted,
           .remark =
               "The paper cites earlier work for it and gives no measure. We read it as an error of at most a tenth of "
               "the distance from softmax attention to the plain mean of the values, which any weights that ignore the "
               "query reach. For 4096 Gaussian keys in d = 128 the median error over 200 draws is .70 of that distance "
               "at P = 8 (5% to 95%: .63 to .78), .51 (.41 to .62) at 12 and .19 (.13 to .31) at 18. Keys of one norm "
               "that suits P = 8 bring it to .05."},
          match_corrected(),
          {.id = "S002-F2abc-ceiling",
           .title = "With infinitely many tables the precision against q.k stays below .9 at k = 16",
           .source = "derived from paper, Figure 2",
           .kind = Kind::inequality,
           .scope = "512 Gaussian keys, d = 32",
           .measure = ceiling(at_most(0.9), kAllButOne),
           .mutants = {{"1 for Gaussian keys too", ceiling(at_least(1), kAllButOne)},
                       {"below .9 for keys of one norm too", ceiling(at_most(0.9), at_most(0.9))}},
           .remark =
               "For 4096 keys in d = 128 the cosine's precision is .81 at k = 16 (standard deviation over draws .08), "
               ".86 at 64, .92 at 256 and .98 at 1024."}};
}

}  // namespace skt::angular_against_softmax_group
