#include "sim/statistics/moments.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "sim/number.hpp"

namespace skt {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void Moments::add(double x) {
  ++count_;
  const double distance = x - mean_;
  mean_ += distance / real(count_);
  squares_ += distance * (x - mean_);
}

void Moments::merge(const Moments& later) {
  if (later.count_ == 0) return;
  if (count_ == 0) {
    *this = later;
    return;
  }
  const double here = real(count_), there = real(later.count_);
  const double distance = later.mean_ - mean_;
  mean_ += distance * (there / (here + there));
  squares_ += later.squares_ + distance * distance * (here * there / (here + there));
  count_ += later.count_;
}

double Moments::variance() const {
  return count_ < 2 ? kUndefined : squares_ / real(count_ - 1);
}

double SampleSummary::deviation_of_mean() const {
  return std::sqrt(variance / real(count));
}

double Moments::deviation_of_mean() const {
  return summary().deviation_of_mean();
}

void VectorMoments::add(const Vector& x) {
  if (count_ == 0) {
    mean_ = Vector::Zero(x.size());
    squares_ = Vector::Zero(x.size());
  }
  if (x.size() != mean_.size()) throw std::invalid_argument("VectorMoments::add: vectors of different lengths");
  ++count_;
  const Vector distance = x - mean_;
  mean_ += distance / real(count_);
  squares_.array() += distance.array() * (x - mean_).array();
}

void VectorMoments::merge(const VectorMoments& later) {
  if (later.count_ == 0) return;
  if (count_ == 0) {
    *this = later;
    return;
  }
  if (later.mean_.size() != mean_.size()) {
    throw std::invalid_argument("VectorMoments::merge: vectors of different lengths");
  }
  const double here = real(count_), there = real(later.count_);
  const Vector distance = later.mean_ - mean_;
  mean_ += distance * (there / (here + there));
  squares_.array() += later.squares_.array() + distance.array().square() * (here * there / (here + there));
  count_ += later.count_;
}

Vector VectorMoments::variance() const {
  if (count_ < 2) return Vector::Constant(mean_.size(), kUndefined);
  return squares_ / real(count_ - 1);
}

}  // namespace skt
