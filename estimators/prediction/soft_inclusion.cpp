#include "estimators/prediction/soft_inclusion.hpp"

#include <cmath>
#include <memory>
#include <utility>

#include "estimators/population/soft_score_moments.hpp"
#include "estimators/prediction/soft_score_law.hpp"
#include "sim/number.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

Vector angles_of(const Vector& cosines) {
  return cosines.unaryExpr([](double rho) { return std::acos(rho); });
}

// The keys and the law of their scores, at one threshold after the other.
struct LawOfKeys {
  Vector angles, factors;
  SoftScoreLaw law;

  Vector tails(double threshold) const {
    Vector tail(angles.size());
    const bool alike = (factors.array() == 1).all();
    const std::vector<double> common = law.tails(threshold);
#pragma omp parallel for schedule(static)
    for (Index j = 0; j < tail.size(); ++j) {
      if (alike)
        tail[j] = law.at_angle(common, angles[j]);
      else if (factors[j] > 0)
        tail[j] = law.at_angle(law.tails(threshold / factors[j]), angles[j]);
      else
        tail[j] = threshold < 0 ? 1 : 0;
    }
    return tail;
  }
};

}  // namespace

ScoreLaws soft_score_laws(const Vector& cosines, const PopulationParameters& parameters, Index tables) {
  require(tables >= 1, "tables is {}: allowed are 1 and more", tables);
  const SoftScoreMoments moments(parameters);
  const Index keys = cosines.size();
  ScoreLaws laws{Vector(keys), Vector(keys), Vector(keys)};
  const double scale = std::sqrt(real(tables));
#pragma omp parallel for schedule(static)
  for (Index j = 0; j < keys; ++j) {
    const ScoreMoments one = moments.of_table(HalfAngle::of_cosine(cosines[j]));
    laws.mean[j] = one.mean;
    laws.deviation[j] = std::sqrt(one.variance) / scale;
    laws.skewness[j] = one.skewness() / scale;
  }
  return laws;
}

double skewness_of_right_angle(const PopulationParameters& parameters, Index tables) {
  return soft_score_laws(Vector::Zero(1), parameters, tables).skewness[0];
}

InclusionAt soft_inclusion_by_moments(const Vector& cosines, const Vector& factors,
                                      const PopulationParameters& parameters, Index tables) {
  ScoreLaws laws = soft_score_laws(cosines, parameters, tables);
  laws.mean = laws.mean.cwiseProduct(factors);
  laws.deviation = laws.deviation.cwiseProduct(factors);
  return [laws = std::move(laws)](Index budget) { return inclusion_by_moments(laws, budget); };
}

InclusionAt soft_inclusion_by_law(const Vector& cosines, const Vector& factors, const PopulationParameters& parameters,
                                  Index tables) {
  require(cosines.size() > 0, "a law of scores: no key: allowed are 1 and more");
  Vector angles = angles_of(cosines);
  SoftScoreLaw law(parameters, tables, angles.minCoeff(), angles.maxCoeff());
  const auto keys = std::make_shared<const LawOfKeys>(LawOfKeys{std::move(angles), factors, std::move(law)});
  return [keys](Index budget) -> Vector {
    const Index count = keys->angles.size();
    require(budget >= 1 && budget <= count, "budget is {}: allowed are 1 to the {} keys", budget, count);
    if (budget == count) return Vector::Ones(count);
    const double most = keys->law.most_score() * keys->factors.maxCoeff();
    return inclusion_between([&](double threshold) { return keys->tails(threshold); }, -1, most, real(budget));
  };
}

InclusionAt soft_inclusion(const Vector& cosines, const Vector& factors, const PopulationParameters& parameters,
                           Index tables) {
  const bool told_by_moments = skewness_of_right_angle(parameters, tables) < kMostSkewness;
  return (told_by_moments ? soft_inclusion_by_moments : soft_inclusion_by_law)(cosines, factors, parameters, tables);
}

}  // namespace skt
