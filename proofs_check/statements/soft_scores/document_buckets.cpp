#include "estimators/population/population.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::document_buckets_group {

extern const StatementGroup kGroup = {
    .question =
        "Does document 000 give a distribution over buckets, and does its count rise with the cosine? (sections 4.5 "
        "and 5.1)",
    .notes = "Query and key are not zero; the planes are Gaussian and independent.",
    .method =
        "For S000-7 the softmax over all corners; for S000-8 the population oracle on a grid, and one draw in which "
        "the closer key scores lower, which refutes \"always\".",
    .power = "Exact; a probability 1% too large is planted and seen."};

namespace {

Vector at_angle(Index dim, double angle) {
  return std::cos(angle) * Vector::Unit(dim, 0) + std::sin(angle) * Vector::Unit(dim, 1);
}

// S000-7: `distribution` of one table's buckets, given all tables' signals.
using Distribution = std::vector<double> (*)(const Matrix& signal, Index table, double temperature);

std::vector<double> softmax_of_table(const Matrix& signal, Index table, double temperature) {
  return bucket_probabilities_softmax(std::span(signal.row(table).data(), signal.cols()), temperature);
}

std::vector<double> without_maximum(const Matrix& signal, Index table, double temperature) {
  const Index planes = signal.cols();
  std::vector<double> p(std::size_t{1} << planes);
  double sum = 0;
  for (std::uint32_t r = 0; r < p.size(); ++r) {
    double logit = 0;
    for (Index plane = 0; plane < planes; ++plane) logit += signal(table, plane) * corner(r, plane, planes);
    sum += p[r] = std::exp(logit / temperature);
  }
  for (double& x : p) x /= sum;
  return p;
}

std::vector<double> one_percent_more(const Matrix& signal, Index table, double temperature) {
  std::vector<double> p = softmax_of_table(signal, table, temperature);
  for (double& x : p) x *= 1.01;
  return p;
}

std::vector<double> over_all_tables(const Matrix& signal, Index table, double temperature) {
  std::vector<double> p = softmax_of_table(signal, table, temperature);
  for (double& x : p) x /= real(signal.rows());
  return p;
}

std::vector<Evidence> distribution_over_buckets(const Context& context, Distribution distribution) {
  constexpr Index kTables = 4;
  constexpr Index kPlanes = 12;
  const Hyperplanes planes = context.estimators.draw(context.seed, 0, kTables, kPlanes, 16);
  const Matrix signal = query_signal(planes, 3 * Vector::Ones(16), Scaling::none);
  double not_finite = 0, negative = 0;
  BothSides sums;
  for (const double temperature : {1e-3, 0.3, 1e3}) {
    for (Index l = 0; l < kTables; ++l) {
      const std::vector<double> p = distribution(signal, l, temperature);
      for (const double x : p) {
        if (!std::isfinite(x)) ++not_finite;
        if (x < 0) ++negative;
      }
      const double sum = std::accumulate(p.begin(), p.end(), 0.0);
      // 2^P terms that sum to 1, added in order.
      if (std::isfinite(sum)) sums.add(sum, 1, std::exp2(kPlanes) * 2 * kUnit);
    }
  }
  const Observed what{"P=12, tau=.001, .3, 1000", "buckets without a finite probability"};
  return {exact(what, not_finite, equals(0)), exact({what.instance, "negative probabilities"}, negative, equals(0)),
          sums.evidence({what.instance, "sum of the probabilities, furthest from 1"})};
}

// S000-8.
std::vector<Evidence> expected_count_rises(double (*argument)(double cosine)) {
  constexpr Index kPlanes = 12;
  const PopulationParameters parameters{std::sqrt(128.0), 0.3, 128, kPlanes, Scaling::none};
  double least = std::numeric_limits<double>::infinity(), error = 0;
  for (int step = -20; step < 20; ++step) {
    const Estimate here = plane_agreement(parameters, Cosine::of(argument(step / 20.0)));
    const Estimate next = plane_agreement(parameters, Cosine::of(argument((step + 1) / 20.0)));
    least = smaller(least, kPlanes * std::log(next.value / here.value));
    error = larger(error, kPlanes * (here.error / here.value + next.error / next.value));
  }
  return {exact({"d=128, P=12, tau=.3, |q|=sqrt(128), cosine -1 to 1", "least rise of log E C in a step of .05"}, least,
                at_least(0, error))};
}

std::vector<Evidence> every_realisation_rises(const Context& context) {
  std::uint64_t inversions = 0;
  const std::uint64_t trials = context.trials(2000);
  Matrix keys(2, 8);
  // In two planes through the query: on one great arc from it, no hyperplane could part the query from the closer key
  // alone.
  keys << at_angle(8, 1.0).transpose(),
      (std::cos(1.2) * Vector::Unit(8, 0) + std::sin(1.2) * Vector::Unit(8, 2)).transpose();
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    const Hyperplanes planes = context.estimators.draw(context.seed, trial, 4, 3, 8);
    const Vector scores = context.estimators.soft(planes, context.estimators.hash(planes, keys), Vector::Unit(8, 0),
                                                  {0.3, Scaling::none});
    if (scores(0) < scores(1)) ++inversions;
  }
  return {exact({"angles 1 and 1.2, d=8, P=3, L=4", "draws in which the closer key scores lower"}, real(inversions),
                equals(0))};
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S000-7",
       .title = "Each query and table has a probability distribution over the buckets",
       .source = "document 000, section 4.5",
       .quote = "This yields a probability distribution over buckets for each query and table",
       .scope = "any temperature that is a normal number",
       .measure = [](const Context& c) { return distribution_over_buckets(c, softmax_of_table); },
       .mutants = {{"exponentials without subtracting the largest logit",
                    [](const Context& c) { return distribution_over_buckets(c, without_maximum); }},
                   {"each 1% larger", [](const Context& c) { return distribution_over_buckets(c, one_percent_more); }},
                   {"one normaliser for all tables",
                    [](const Context& c) { return distribution_over_buckets(c, over_all_tables); }}}},
      {.id = "S000-8",
       .title = "The expected count rises strictly with the cosine of query and key",
       .source = "document 000, section 5.1",
       .quote = "Larger values indicate stronger query",
       .kind = Kind::ordering,
       .scope = "expectation over the planes",
       .measure = [](const Context&) { return expected_count_rises([](double cosine) { return cosine; }); },
       .mutants = {{"in every realisation", every_realisation_rises},
                   {"with |cosine|",
                    [](const Context&) {
                      return expected_count_rises([](double cosine) { return std::abs(cosine); });
                    }}},
       .no_near_mutant = "The claim is an order: the count rises with the cosine or does not."}};
}

}  // namespace skt::document_buckets_group
