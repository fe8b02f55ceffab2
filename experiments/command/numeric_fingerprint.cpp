#include "experiments/command/numeric_fingerprint.hpp"

#include <Eigen/Core>
#include <cmath>
#include <cstring>

#include "experiments/files/content_hash.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

// Results that differ between two variants of a function do so for about one argument in a hundred and rarer.
constexpr Index kArguments = 512;

class Bits {
 public:
  template <class T>
  void add(T x) {
    char bytes[sizeof x];
    std::memcpy(bytes, &x, sizeof x);
    text_.append(bytes, sizeof x);
  }
  std::string hash() const { return content_hash(text_); }

 private:
  std::string text_;
};

// The i-th of numbers spread evenly over (0, 1): multiples of the golden ratio without their whole part, by operations
// that IEEE 754 rounds the same way everywhere.
double spread(Index i) {
  constexpr double kGoldenRatio = 0.6180339887498949;
  const double multiple = (real(i) + 0.5) * kGoldenRatio;
  return multiple - std::floor(multiple);
}

struct Range {
  double low, high;
};

template <class T, class Function>
void add_function(Bits& bits, Range range, Function function) {
  for (Index i = 0; i < kArguments; ++i)
    bits.add(function(static_cast<T>(range.low + (range.high - range.low) * spread(i))));
}

// Functions that both kinds of number are given to.
template <class T>
void add_functions(Bits& bits) {
  add_function<T>(bits, {-40, 5}, [](T x) { return std::exp(x); });
  add_function<T>(bits, {-40, 5}, [](T x) { return std::exp2(x); });
  add_function<T>(bits, {-2, 2}, [](T x) { return std::expm1(x); });
  add_function<T>(bits, {1e-6, 20}, [](T x) { return std::log(x); });
  add_function<T>(bits, {1e-6, 20}, [](T x) { return std::log2(x); });
  add_function<T>(bits, {-0.9, 5}, [](T x) { return std::log1p(x); });
  add_function<T>(bits, {-7, 7}, [](T x) { return std::sin(x); });
  add_function<T>(bits, {-7, 7}, [](T x) { return std::cos(x); });
  add_function<T>(bits, {-5, 5}, [](T x) { return std::tanh(x); });
  add_function<T>(bits, {-1, 1}, [](T x) { return std::acos(x); });
  add_function<T>(bits, {-1, 1}, [](T x) { return std::asin(x); });
  add_function<T>(bits, {-4, 4}, [](T x) { return std::erf(x); });
  add_function<T>(bits, {0, 100}, [](T x) { return std::sqrt(x); });
  add_function<T>(bits, {0.01, 10}, [](T x) { return std::pow(x, T{2} - x / 3); });
}

void add_double_functions(Bits& bits) {
  add_function<double>(bits, {-7, 7}, [](double x) { return std::tan(x); });
  add_function<double>(bits, {-5, 5}, [](double x) { return std::sinh(x); });
  add_function<double>(bits, {-5, 5}, [](double x) { return std::cosh(x); });
  add_function<double>(bits, {-4, 20}, [](double x) { return std::erfc(x); });
  add_function<double>(bits, {0.1, 400}, [](double x) { return std::lgamma(x); });
  add_function<double>(bits, {0.1, 100}, [](double x) { return std::tgamma(x); });
  add_function<double>(bits, {-20, 20}, [](double x) { return std::cbrt(x); });
  add_function<double>(bits, {-3, 3}, [](double x) { return std::atan2(x, 1 - x); });
  add_function<double>(bits, {-3, 3}, [](double x) { return std::hypot(x, 1 - x); });
}

template <class T>
using MatrixOf = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
MatrixOf<T> fixed_matrix(Index rows, Index columns) {
  MatrixOf<T> matrix(rows, columns);
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = static_cast<T>(spread(i) - 0.5);
  return matrix;
}

template <class T>
void add_product(Bits& bits, Index rows, Index inner, Index columns) {
  const MatrixOf<T> product = fixed_matrix<T>(rows, inner) * fixed_matrix<T>(inner, columns);
  for (Index i = 0; i < product.size(); ++i) bits.add(product.data()[i]);
}

// Sizes that no register and no block divides: the first as in a trial, the second with sums longer than a block of any
// level-one cache there is.
template <class T>
void add_products(Bits& bits) {
  add_product<T>(bits, 67, 131, 45);
  add_product<T>(bits, 49, 1031, 7);
}

std::string computed() {
  Bits bits;
  add_functions<double>(bits);
  add_functions<float>(bits);
  add_double_functions(bits);
  add_products<double>(bits);
  add_products<float>(bits);
  return bits.hash();
}

}  // namespace

const std::string& numeric_fingerprint() {
  static const std::string fingerprint = computed();
  return fingerprint;
}

}  // namespace skt
