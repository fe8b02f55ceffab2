#include "estimators/prediction/predicted_inclusion.hpp"

#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "estimators/population/plane_signal.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

void check_budget(Index keys, Index budget) {
  require(budget >= 1 && budget <= keys, "budget is {}: allowed are 1 to the {} keys", budget, keys);
}

void check_laws(const ScoreLaws& laws) {
  for (Index j = 0; j < laws.mean.size(); ++j) {
    const double mean = laws.mean[j], deviation = laws.deviation[j], skewness = laws.skewness[j];
    if (!(std::isfinite(mean) && std::isfinite(skewness) && std::isfinite(deviation) && deviation >= 0)) {
      refuse("law of key {}: mean {}, deviation {}, skewness {}: allowed are finite ones, a deviation of 0 and more", j,
             mean, deviation, skewness);
    }
  }
}

Vector tails(const ScoreLaws& laws, double threshold) {
  const Index keys = laws.mean.size();
  Vector tail(keys);
#pragma omp parallel for schedule(static)
  for (Index j = 0; j < keys; ++j) {
    const double above = threshold - laws.mean[j];
    if (laws.deviation[j] > 0)
      tail[j] = skewed_tail(above / laws.deviation[j], laws.skewness[j]);
    else
      tail[j] = above < 0 ? 1 : 0;
  }
  return tail;
}

// Two thresholds with tails of a sum >= budget and <= budget.
std::pair<double, double> bracket(const ScoreLaws& laws, double budget) {
  const double least = laws.mean.minCoeff(), most = laws.mean.maxCoeff();
  double step = std::fmax(laws.deviation.maxCoeff(), std::fmax(most - least, std::abs(most) * 1e-15));
  if (step == 0) step = 1;
  double lo = least, hi = most;
  for (double down = step; tails(laws, lo).sum() < budget; down *= 2) lo = least - down;
  for (double up = step; tails(laws, hi).sum() > budget; up *= 2) hi = most + up;
  return {lo, hi};
}

// The mixture of two vectors of probabilities, of sums above and below it, that has this sum.
Vector mixed_to_sum(const Vector& above, const Vector& below, double sum) {
  const double surplus = above.sum() - sum, gap = above.sum() - below.sum();
  if (gap <= 0) return above;
  return above + surplus / gap * (below - above);
}

// P(Bin(draws, chance) > count), as a sum from the count outward, where its terms fall.
class CountTail {
 public:
  explicit CountTail(Index draws) : draws_(draws), log_choices_(draws + 1) {
    for (Index n = 0; n <= draws; ++n) {
      log_choices_[n] = std::lgamma(real(draws + 1)) - std::lgamma(real(n + 1)) - std::lgamma(real(draws - n + 1));
    }
  }

  double above(Index count, double chance) const {
    if (count >= draws_ || chance == 0) return count < 0 ? 1 : 0;
    if (count < 0 || chance == 1) return 1;
    const double odds = chance / (1 - chance);
    return real(count) >= real(draws_) * chance ? upwards(count + 1, chance, odds) : 1 - downwards(count, chance, odds);
  }

 private:
  static constexpr double kLost = std::numeric_limits<double>::epsilon() / 4;  // of the sum

  double probability(Index n, double chance) const {
    return std::exp(log_choices_[n] + real(n) * std::log(chance) + real(draws_ - n) * std::log1p(-chance));
  }
  double upwards(Index first, double chance, double odds) const {
    double term = probability(first, chance), sum = 0;
    for (Index n = first; n <= draws_ && term > kLost * sum; ++n) {
      sum += term;
      term *= real(draws_ - n) / real(n + 1) * odds;
    }
    return sum;
  }
  double downwards(Index first, double chance, double odds) const {
    double term = probability(first, chance), sum = 0;
    for (Index n = first; n >= 0 && term > kLost * sum; --n) {
      sum += term;
      term *= real(n) / (real(draws_ - n + 1) * odds);
    }
    return sum;
  }

  Index draws_;
  Vector log_choices_;
};

Vector counts_above(const CountTail& counts, const Vector& chance, Index count) {
  Vector tail(chance.size());
#pragma omp parallel for schedule(static)
  for (Index j = 0; j < chance.size(); ++j) tail[j] = counts.above(count, chance[j]);
  return tail;
}

}  // namespace

double skewed_tail(double x, double skewness) {
  if (skewness < 0) return 1 - skewed_tail(-x, -skewness);
  if (skewness < 1e-6) return normal_cdf(-x);  // the root's correction, at most |x|^2 skewness / 6, is lost below
  const double base = 1 + skewness * x / 2;
  if (base <= 0) return 1;  // below the least value of the law
  return normal_cdf(-(6 / skewness * (std::cbrt(base) - 1) + skewness / 6));
}

Vector inclusion_between(const TailsAt& tails, double lo, double hi, double budget) {
  const auto surplus = [&](double threshold) { return tails(threshold).sum() - budget; };
  const double at_lo = surplus(lo), at_hi = surplus(hi);
  if (at_lo > 0 && at_hi < 0) {
    std::uintmax_t steps = 200;  // bisection alone takes 64 between any two doubles of one sign
    const auto near = [](double a, double b) {
      return std::abs(b - a) <= 2 * std::numeric_limits<double>::epsilon() * std::fmax(std::abs(a), std::abs(b));
    };
    std::tie(lo, hi) = boost::math::tools::toms748_solve(surplus, lo, hi, at_lo, at_hi, near, steps);
  }
  return mixed_to_sum(tails(lo), tails(hi), budget);
}

Vector inclusion_by_moments(const ScoreLaws& laws, Index budget) {
  check_budget(laws.mean.size(), budget);
  check_laws(laws);
  if (budget == laws.mean.size()) return Vector::Ones(budget);
  const auto [lo, hi] = bracket(laws, real(budget));
  return inclusion_between([&](double threshold) { return tails(laws, threshold); }, lo, hi, real(budget));
}

Vector inclusion_by_counts(const Vector& chance, Index draws, Index budget) {
  check_budget(chance.size(), budget);
  if (draws < 1) refuse("draws is {}: allowed are 1 and more", draws);
  for (Index j = 0; j < chance.size(); ++j) {
    if (!(chance[j] >= 0 && chance[j] <= 1)) refuse("chance of key {} is {}: allowed is 0 to 1", j, chance[j]);
  }
  const double wanted = real(budget);
  const CountTail counts(draws);
  // The threshold: the least count that at most `budget` keys exceed on average.
  Index low = -1, high = draws;
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (counts_above(counts, chance, middle).sum() > wanted ? low : high) = middle;
  }
  return mixed_to_sum(counts_above(counts, chance, high - 1), counts_above(counts, chance, high), wanted);
}

}  // namespace skt
