#include "proofs_check/inequalities/searched_inequalities.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "estimators/attention.hpp"
#include "estimators/metrics/snr_decomposition.hpp"
#include "estimators/peers/linearised_softmax.hpp"
#include "proofs_check/inequalities/bias_proof_steps.hpp"
#include "proofs_check/inequalities/plane_score_correlation.hpp"
#include "proofs_check/inequalities/ratio_proof_steps.hpp"
#include "proofs_check/inequalities/sampling_summands.hpp"
#include "proofs_check/inequalities/table_proof_steps.hpp"
#include "proofs_check/rounding.hpp"

namespace skt {
namespace {

using Parameters = std::span<const double>;

constexpr InequalitySides kOutOfScope{0, 1, 0};

// Takes numbers off the front.
struct Reader {
  Parameters left;

  double number() { return std::exchange(left, left.subspan(1)).front(); }
  Vector vector(Index size) {
    Vector v(size);
    for (double& x : v) x = number();
    return v;
  }
  Matrix matrix(Index rows, Index cols) {
    Matrix m(rows, cols);
    for (double& x : m.reshaped<Eigen::RowMajor>()) x = number();
    return m;
  }
};

// Two tables of two planes with a probability, four keys and values in the plane, temperatures 1e-4 .. 1e4: enough for
// the equality instances of all steps.
constexpr Index kTables = 2, kPlanes = 2, kKeys = 4, kDim = 2;
constexpr int kLawParameters = 2 + kDim * (1 + 2 * kKeys + kTables * kPlanes);

TableLaw law_of(Parameters parameters) {
  Reader next{parameters};
  const double temperature = std::pow(10.0, next.number());
  const double first = 1 / (1 + std::exp(-3 * next.number()));
  const Vector query = next.vector(kDim);
  const Matrix keys = next.matrix(kKeys, kDim), values = next.matrix(kKeys, kDim);
  const Hyperplanes planes{kTables, kPlanes, kDim, next.matrix(kTables * kPlanes, kDim)};
  return table_law(Context{}, {"searched", query, keys, values}, planes, temperature, Vector{{first, 1 - first}});
}

SearchedInequality of_law(std::string name, std::function<InequalitySides(const TableLaw&)> sides,
                          SearchExpectation expectation = SearchExpectation::holds) {
  return {std::move(name), kLawParameters, expectation, [sides](Parameters p) { return sides(law_of(p)); }};
}

SearchedInequality of_bias(const BiasProofStep& step) {
  return of_law(step.id, of_population(step.left, step.right));
}

SearchedInequality of_ratio(std::string name, InequalitySides (*sides)(const DrawnRatio&), double least_share_of_mass) {
  return of_law(std::move(name), [=](const TableLaw& law) {
    const DrawnRatio r = drawn_ratio(law, 0);
    const double least = std::max(kLeastMass, least_share_of_mass * r.population.normaliser);
    if (!(r.drawn.normaliser >= least && r.population.normaliser > kLeastMass)) return kOutOfScope;
    InequalitySides s = sides(r);
    s.rounding += law.rounding() * law.spectral * (1 / r.drawn.normaliser + 1 / r.population.normaliser);
    return s;
  });
}

// B counted in the first table only, as if it alone had been drawn.
InequalitySides realised_distance(const TableLaw& law) {
  const BiasCase c = bias_case(law);
  return {weight_gap_1(c), 2 * law.fullest(0) * c.epsilon(), law.rounding()};
}
InequalitySides realised_mass(const TableLaw& law) {
  return {law.mean_collisions().sum(), law.fullest(0), law.rounding()};
}

// Three weights over eight decades and values in the plane.
SearchedInequality of_summands(std::string name, InequalitySides (*sides)(const SamplingSummands&)) {
  return {std::move(name), 9, SearchExpectation::holds, [sides](Parameters p) {
            Reader next{p};
            const Vector weights = next.vector(3).array().exp().square();
            const Matrix values = next.matrix(3, 2);
            if (!(values.rowwise().norm().minCoeff() > 1e-3)) return kOutOfScope;  // an undrawn key has no summand
            return sides({weights, values});
          }};
}

constexpr int kCoordinates = 5;
using OfSignal = double (*)(const Vector& x);

SearchedInequality of_signal(std::string name, OfSignal left, OfSignal right) {
  return {std::move(name), kCoordinates, SearchExpectation::holds, [=](Parameters p) {
            const Vector x = Reader{p}.vector(kCoordinates);
            if (!(x.norm() > 1e-3)) return kOutOfScope;
            return InequalitySides{left(x), right(x), 64 * kUnit * right(x)};
          }};
}

SearchedInequality decreasing_in_beta() {
  return {"S002-R7e-decreasing", kCoordinates + 1, SearchExpectation::holds, [](Parameters p) {
            Reader next{p};
            const Vector x = std::exp(next.number()) * next.vector(kCoordinates);
            if (!(x.norm() > 1e-3)) return kOutOfScope;
            const double right = gamma_soft(x);
            return InequalitySides{gamma_of(x, (2 * x).array().tanh().matrix()), right, 64 * kUnit * right};
          }};
}

// Six scores in [-4, 4]; the first three are active, sorted before if A is to be a top-k set.
enum class Selection { top_k, any };
using OfSet = double (*)(const ActiveSet&);

SearchedInequality of_set(std::string name, Selection selection, OfSet left, OfSet right,
                          SearchExpectation expectation = SearchExpectation::holds) {
  return {std::move(name), 6, expectation, [=](Parameters p) {
            Vector scores = Reader{p}.vector(6);
            if (selection == Selection::top_k) std::sort(scores.begin(), scores.end(), std::greater<>());
            const ActiveSet set = describe_active_set(scores, {0, 1, 2});
            return InequalitySides{left(set), right(set), 256 * kUnit * (left(set) + right(set))};
          }};
}

double snr(const ActiveSet& a) {
  return a.snr;
}
double one(const ActiveSet&) {
  return 1;
}
double loss_to_least(const ActiveSet& a) {  // eps >= 1/(1 + |A| e^gap), as a ratio
  return (1 + a.snr) / (1 + relaxed_upper_bound(a));
}

// Five scores, scaled to a range of at most `most`.
Vector scores_of_range(Parameters p, double most) {
  Vector scores = Reader{p}.vector(5);
  const double range = dynamic_range(scores);
  return range > most ? Vector(scores * most / range) : scores;
}

InequalitySides remainder_sides(Parameters p) {
  const double x = -std::exp(p[0]);
  return {exponential_remainder(x), x * x / 2, 16 * kUnit * x * x};
}
InequalitySides linearisation_sides(Parameters p) {
  const Vector scores = scores_of_range(p, 1);
  if (!(dynamic_range(scores) > 0.01)) return kOutOfScope;
  return {(*softmax(scores) - linearised_softmax(scores).weights).lpNorm<1>(),
          linearisation_bound(dynamic_range(scores)), 64 * kUnit};
}

enum class Filter { low_pass, sharper };
auto top_weight_sides(Filter claim) {
  return [=](Parameters p) {
    const Vector scores = scores_of_range(p, claim == Filter::sharper ? 8 : 1);  // low pass where weights are positive
    const LinearisedSoftmax linear = linearised_softmax(scores);
    if (linear.state == LinearisedState::non_positive_denominator) return kOutOfScope;
    const double soft_top = softmax(scores)->maxCoeff(), linear_top = linear.weights.maxCoeff();
    const double rounding = 64 * kUnit * (soft_top + linear_top);
    return claim == Filter::sharper ? InequalitySides{soft_top, linear_top, rounding}
                                    : InequalitySides{linear_top, soft_top, rounding};
  };
}

// Appendix B: finite tables, then sampling.
std::vector<SearchedInequality> of_appendix_b() {
  const auto fails = SearchExpectation::fails;
  return {of_law("S002-E9", normaliser_sides),
          of_law("S002-E13", square_sides),
          of_law("S002-E14", numerator_sides),
          of_law("S002-E18", mean_numerator_sides),
          of_law("S002-E18-second", numerator_mean_sides),
          of_law("S002-E19", deviation_sides),
          of_law("S002-E19-sharper", sharper_deviation_sides),
          of_ratio("S002-E22-corrected", triangle_sides, 0),
          of_ratio("S002-E23", enough_mass_sides, 0.5),
          of_law("S002-E37", inside_sides),
          of_law("S002-E38", outside_sides),
          of_law("S002-E39", distance_sides),
          of_law("S002-AS2", realised_distance, fails),
          of_law("S002-ZB-realised", realised_mass, fails),
          of_summands("S002-E26", output_sides),
          of_summands("S002-E27-corrected", centred_sides),
          of_summands("S002-E28", value_sides),
          of_summands("S002-E29", total_sides)};
}

std::vector<SearchedInequality> of_remark_7() {
  return {of_signal("S002-R7c", gamma_soft, gamma_most), of_signal("S002-R7d", gamma_hard, gamma_most),
          of_signal("S002-R7e", gamma_hard, gamma_soft), decreasing_in_beta()};
}

std::vector<SearchedInequality> of_document_004() {
  const auto fails = SearchExpectation::fails;
  const auto holds = SearchExpectation::holds;
  return {of_set("S004-5", Selection::top_k, top_k_bound, snr),
          of_set("S004-9", Selection::any, printed_relaxed_bound, snr, fails),
          of_set("S004-9-corrected", Selection::any, relaxed_lower_bound, snr),
          of_set("S004-9-corrected-upper", Selection::any, snr, relaxed_upper_bound),
          of_set("S004-10-corrected", Selection::any, loss_to_least, one),
          {"S004-12", 1, holds, remainder_sides},
          {"S004-14", 5, holds, linearisation_sides},
          {"S004-16", 5, fails, top_weight_sides(Filter::low_pass)},
          {"S004-16-corrected", 5, holds, top_weight_sides(Filter::sharper)}};
}

}  // namespace

std::vector<SearchedInequality> searched_inequalities() {
  std::vector<SearchedInequality> list;
  for (const auto& part : {of_appendix_b(), of_remark_7(), of_document_004()})
    list.insert(list.end(), part.begin(), part.end());
  for (const BiasProofStep& step : bias_proof_steps()) list.push_back(of_bias(step));
  return list;
}

}  // namespace skt
