#include "proofs_check/laws/error_law.hpp"

#include <algorithm>
#include <cmath>

#include "sim/require.hpp"
#include "sim/statistics/binomial_tails.hpp"

namespace skt {

ErrorLaw::ErrorLaw(std::vector<Atom> atoms) {
  require(!atoms.empty(), "error law: no error given, needs one and more");
  for (const Atom& atom : atoms)
    require(std::isfinite(atom.error), "error law: an error is {}, must be finite", atom.error);
  std::sort(atoms.begin(), atoms.end(), [](const Atom& a, const Atom& b) { return a.error > b.error; });
  double reached = 0;
  for (const Atom& atom : atoms) {
    reached += atom.probability;
    if (!tails_.empty() && tails_.back().error == atom.error)
      tails_.back().at_least = reached;
    else
      tails_.push_back({atom.error, reached});
  }
}

double ErrorLaw::quantile(double delta) const {
  for (const Tail& tail : tails_)
    if (tail.at_least > delta) return tail.error;
  return tails_.back().error;
}

// Summed by parts: E e = e_last + sum_i (e_i - e_{i+1}) P(e >= e_i), all terms but the first of one sign.
double ErrorLaw::mean() const {
  double sum = tails_.back().error;
  for (std::size_t i = 0; i + 1 < tails_.size(); ++i)
    sum += (tails_[i].error - tails_[i + 1].error) * tails_[i].at_least;
  return sum;
}

ErrorLaw ErrorLaw::times(double factor) const {
  ErrorLaw scaled = *this;
  for (Tail& tail : scaled.tails_) tail.error *= factor;
  return scaled;
}

ErrorLaw of_binomial(std::uint64_t n, double p, const std::function<double(std::uint64_t count)>& error_of) {
  std::vector<ErrorLaw::Atom> atoms;
  for (std::uint64_t count = 0; count <= n; ++count)
    atoms.push_back({error_of(count), binomial_probability(count, n, p)});
  return ErrorLaw(std::move(atoms));
}

ErrorLaw binomial_error(std::uint64_t n, double p) {
  return of_binomial(n, p, [&](std::uint64_t count) { return std::abs(real(count) / real(n) - p); });
}

ErrorLaw mean_of_signs(Index dims, Index n) {
  std::vector<double> of_square = {1};  // P(sum of the squared coordinates of the sum of n vectors = index)
  for (Index i = 0; i < dims; ++i) {
    std::vector<double> longer(of_square.size() + n * n);
    for (Index count = 0; count <= n; ++count) {
      const Index square = (2 * count - n) * (2 * count - n);
      const double probability = binomial_probability(count, n, 0.5);
      for (std::size_t s = 0; s < of_square.size(); ++s)
        if (of_square[s] > 0) longer[s + square] += probability * of_square[s];
    }
    of_square = std::move(longer);
  }
  std::vector<ErrorLaw::Atom> atoms;
  for (std::size_t s = 0; s < of_square.size(); ++s)
    if (of_square[s] > 0) atoms.push_back({std::sqrt(real(s)) / real(n), of_square[s]});
  return ErrorLaw(std::move(atoms));
}

ErrorLaw mean_of_plane_steps(Index n) {
  return mean_of_signs(2, n).times(1 / std::sqrt(2.0));
}

ErrorLaw of_sample(const std::vector<double>& errors) {
  std::vector<ErrorLaw::Atom> atoms;
  for (const double error : errors) atoms.push_back({error, 1 / real(errors.size())});
  return ErrorLaw(std::move(atoms));
}

}  // namespace skt
