// Which instance and setting does a value of a sweep's axis stand for, and with which seed are its tables drawn?
//
// The instance and what is exact of it in time linear in its keys are kept from one value to the next where the axis
// leaves them alone; what they are follows from the plans and the seed alone. Not for use by two threads at a time. A
// point that was another beside other values would show in sweep_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "experiments/error_curves/sweep.hpp"

namespace skt {

// A value of the axis of one of several plans.
struct PointAddress {
  std::size_t plan = 0;
  double value = 0;

  bool operator==(const PointAddress&) const = default;
};

class SweepPoints {
 public:
  SweepPoints(std::vector<SweepPlan> plans, Seed seed) : plans_(std::move(plans)), seed_(seed) {}

  struct Point {
    Setting setting;
    const Instance& instance;  // until the next call
    const Centre& centre;      // likewise; without its limits in L, whose cost is quadratic in the keys
    Seed seed;                 // of the trials
  };
  Point at(const PointAddress& address);

  // Keys in some open half-space (half_space_occupancy_at_least), of the instance of the last call of `at`.
  Index half_space();

  const std::vector<SweepPlan>& plans() const { return plans_; }

 private:
  std::vector<SweepPlan> plans_;
  Seed seed_;
  PointAddress last_;
  std::optional<Instance> instance_;
  std::optional<Index> half_space_;
  std::optional<Centre> centre_;
};

}  // namespace skt
