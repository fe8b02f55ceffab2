// Integrals enclosed by FLINT/Arb: an answer with a proven radius, by arithmetic and quadrature that share nothing with
// the library under test.
#pragma once

#if __has_include(<flint/acb_calc.h>)
#include <flint/acb.h>
#include <flint/acb_calc.h>
#include <flint/acb_hypgeom.h>
#include <flint/mag.h>
#else  // before FLINT 3, a library of its own
#include <acb.h>
#include <acb_calc.h>
#include <acb_hypgeom.h>
#include <mag.h>
#endif

#include <cmath>
#include <functional>
#include <limits>

namespace skt {

constexpr slong kBits = 160;  // of every number; 2^-160 leaves 30 digits after any cancellation in these tests

// A complex ball. Functions are those of Arb at kBits.
class Ball {
 public:
  Ball(double x = 0) {  // exact
    acb_init(value_);
    acb_set_d(value_, x);
  }
  Ball(const Ball& other) {
    acb_init(value_);
    acb_set(value_, other.value_);
  }
  Ball& operator=(const Ball& other) {
    acb_set(value_, other.value_);
    return *this;
  }
  ~Ball() { acb_clear(value_); }

  acb_ptr get() { return value_; }
  acb_srcptr get() const { return value_; }

  friend Ball operator+(const Ball& a, const Ball& b) { return apply(acb_add, a, b); }
  friend Ball operator-(const Ball& a, const Ball& b) { return apply(acb_sub, a, b); }
  friend Ball operator*(const Ball& a, const Ball& b) { return apply(acb_mul, a, b); }
  friend Ball operator/(const Ball& a, const Ball& b) { return apply(acb_div, a, b); }
  friend Ball operator-(const Ball& a) { return Ball(0) - a; }
  friend Ball exp(const Ball& a) { return apply(acb_exp, a); }
  friend Ball sqrt(const Ball& a) { return apply(acb_sqrt, a); }
  friend Ball sin(const Ball& a) { return apply(acb_sin, a); }
  friend Ball cos(const Ball& a) { return apply(acb_cos, a); }
  friend Ball asin(const Ball& a) { return apply(acb_asin, a); }
  friend Ball tanh(const Ball& a) { return apply(acb_tanh, a); }
  friend Ball erfc(const Ball& a) { return apply(acb_hypgeom_erfc, a); }
  friend Ball pow(const Ball& a, unsigned n) {
    Ball result;
    acb_pow_ui(result.value_, a.value_, n, kBits);
    return result;
  }
  static Ball pi() {
    Ball result;
    acb_const_pi(result.value_, kBits);
    return result;
  }

  // An upper bound of the absolute value, infinite if this is not finite.
  double bound() const {
    mag_t bound;
    mag_init(bound);
    acb_get_mag(bound, value_);
    const double result = mag_get_d(bound);
    mag_clear(bound);
    return result;
  }

 private:
  template <class F>
  static Ball apply(F f, const Ball& a, const Ball& b) {
    Ball result;
    f(result.value_, a.value_, b.value_, kBits);
    return result;
  }
  template <class F>
  static Ball apply(F f, const Ball& a) {
    Ball result;
    f(result.value_, a.value_, kBits);
    return result;
  }

  acb_t value_;
};

// int_0^end f(x) dx for an f that is meromorphic near [0, end], with a radius of about 2^-goal. Any partition gives the
// same answer; one that doubles from `scale` on spares the bisections towards features near 0.
inline Ball rigorous_integral(const std::function<Ball(const Ball&)>& f, double scale, double end, slong goal = 120) {
  const auto callback = [](acb_ptr out, const acb_t x, void* parameter, slong, slong) {
    Ball argument;
    acb_set(argument.get(), x);
    acb_set(out, (*static_cast<const std::function<Ball(const Ball&)>*>(parameter))(argument).get());
    return 0;
  };
  mag_t tolerance;
  mag_init(tolerance);
  mag_set_ui_2exp_si(tolerance, 1, -goal);
  Ball sum;
  for (double begin = 0, stop = std::fmin(scale, end); begin < end; begin = stop, stop = std::fmin(2 * stop, end)) {
    Ball part;
    acb_calc_integrate(part.get(), callback, const_cast<std::function<Ball(const Ball&)>*>(&f), Ball(begin).get(),
                       Ball(stop).get(), goal, tolerance, nullptr, kBits);
    sum = sum + part;
  }
  mag_clear(tolerance);
  return sum;
}

}  // namespace skt
