#include "proofs_check/bounds/drawn_table_bounds.hpp"
#include "proofs_check/laws/instances/table_cases.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::self_normalised_error_group {

extern const StatementGroup kGroup = {
    .question = "Do Theorem 1(a) and (b) keep their probability, and what of them could be spared?",
    .method =
        "Exact binomial sums over tables with two outcomes (laws/table_cases.hpp): signs, rare jumps, and normalisers "
        "that rise or fall with the numerator. The radius is that of the functions that certify.",
    .power = "Exact; attained for two signs at delta = 1/2.",
    .kind = Kind::high_probability,
    .scope = "independent tables, L >= 2, positive normalisers; any keys, values, tau and P"};

namespace {

auto keeps_delta(const RadiusOfCase& radius) {
  return [radius](const Context&) -> std::vector<Evidence> {
    return {largest_miss("two signs, delta .45 to .55", two_sign_cases(), radius),
            largest_miss("10 to 2000 signs", many_sign_cases(), radius),
            largest_miss("60 signs in 128 coordinates", sign_cases_in_many_dimensions(), radius),
            largest_miss("jumps of probability 1e-4 to .06, L = 1, 4, 60", jump_cases(), radius),
            largest_miss("two outcomes of N and D, L = 2 to 60", uneven_cases(), radius)};
  };
}

// Theorem 1(a) or (b) with its moments tampered with.
using Tampering = void (*)(TargetMoments& at);
RadiusOfCase with_y_tau(Tampering tamper) {
  return [tamper](const TableSums& sums, const TableCase& at, TargetMoments moments) {
    tamper(moments);
    return self_normalised_bound(sums, at.law.output(), moments, at.delta);
  };
}
RadiusOfCase from_the_sums(Tampering tamper) {
  return [tamper](const TableSums& sums, const TableCase& at, TargetMoments moments) {
    tamper(moments);
    return certified_bound(sums, moments, at.delta);
  };
}

void as_it_is(TargetMoments&) {}
void no_second_term(TargetMoments& at) {
  at.trace_of_square = 0;
}
void pairs_counted_once(TargetMoments& at) {
  at.trace_of_square /= 2;
}
void smaller_by_a_twentyfifth(TargetMoments& at) {
  at.trace_of_square *= 0.96;
}
void isotropic(TargetMoments& at) {
  at.trace_of_square = at.trace * at.trace / real(at.covariance.rows());
}

// Theorem 1(a) without its division by Dbar'.
double undivided(const TableSums& sums, const TableCase& at, const TargetMoments& moments) {
  return self_normalised_bound(sums, at.law.output(), moments, at.delta) * sums.normalisers.mean() / moments.mass;
}

// A, b and B of Theorem 1(b), recovered from its radius, put together again with another A or b.
struct Quadratic {
  double a, b, c;
  double root() const { return (b + std::sqrt(b * b + a * c)) / a; }
};
Quadratic quadratic_of(const TableSums& sums, const TableCase& at, const TargetMoments& moments) {
  const double square = real(sums.tables()) * real(sums.tables());
  const Matrix r = sums.numerators - sums.normalisers * sums.output().transpose();
  const double a = (std::pow(sums.normalisers.sum(), 2) - sums.normalisers.squaredNorm()) / square;
  const double b = (r.transpose() * sums.normalisers).norm() / square;
  const double radius = certified_bound(sums, moments, at.delta);
  return {a, b, radius * (a * radius - 2 * b)};
}
double whole_square_for_a(const TableSums& sums, const TableCase& at, const TargetMoments& moments) {
  Quadratic q = quadratic_of(sums, at, moments);
  q.a = std::pow(sums.normalisers.mean(), 2);
  return q.root();
}
double without_b(const TableSums& sums, const TableCase& at, const TargetMoments& moments) {
  Quadratic q = quadratic_of(sums, at, moments);
  q.b = 0;
  return q.root();
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "OWN-1a",
           .title = "|y_tauL - y_tau|^2 <= (sum |xi_l|^2/L^2 + k sqrt(2(L-1) T2/L^3))/Dbar'^2 except with probability "
                    "delta",
           .source = "docs/bounds/drawn_tables.md, Theorem 1(a)",
           .measure = keeps_delta(with_y_tau(as_it_is)),
           .mutants = {{"T2 -> .96 T2", keeps_delta(with_y_tau(smaller_by_a_twentyfifth))},
                       {"no second term", keeps_delta(with_y_tau(no_second_term))},
                       {"2(L-1) -> L-1", keeps_delta(with_y_tau(pairs_counted_once))},
                       {"T2 -> T1^2/d_v", keeps_delta(with_y_tau(isotropic))},
                       {"no division by Dbar'", keeps_delta(undivided)}}},
          {.id = "OWN-1b",
           .title = "|y_tauL - y_tau| is at most the larger root of A e^2 - 2 b e - B, from the drawn sums and Z^4 T2",
           .source = "docs/bounds/drawn_tables.md, Theorem 1(b)",
           .measure = keeps_delta(from_the_sums(as_it_is)),
           .mutants = {{"T2 -> .96 T2", keeps_delta(from_the_sums(smaller_by_a_twentyfifth))},
                       {"no second term", keeps_delta(from_the_sums(no_second_term))},
                       {"2(L-1) -> L-1", keeps_delta(from_the_sums(pairs_counted_once))},
                       {"T2 -> T1^2/d_v", keeps_delta(from_the_sums(isotropic))},
                       {"A = Dbar^2", keeps_delta(whole_square_for_a)},
                       {"b = 0", keeps_delta(without_b)}}}};
}

}  // namespace skt::self_normalised_error_group
