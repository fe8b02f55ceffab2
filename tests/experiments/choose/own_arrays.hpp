// Arrays of a user, small enough to work out by hand, and Gaussian ones. They own what a problem reads.
#pragma once

#include <cmath>
#include <optional>
#include <vector>

#include "experiments/attend/problem.hpp"
#include "sim/families.hpp"

namespace skt {

// One query on four keys whose softmax weights are 1, 2, 4 and 8 fifteenths, with values 15, 1, 1 and 30 of one
// dimension: the dense output is (15 + 2 + 4 + 240)/15 = 17.4.
class FourWeights {
 public:
  // One number a key, below 0: forbidden; empty: all allowed.
  explicit FourWeights(std::vector<double> added_to_logits = {}) : mask_(std::move(added_to_logits)) {}

  AttendProblem problem() const {
    std::optional<TensorFile> mask;
    if (!mask_.empty()) mask = array("mask", {4}, mask_);
    AttendProblem made(AttendTensors{.queries = array("queries", {1, 1}, query_),
                                     .keys = array("keys", {4, 1}, keys_),
                                     .values = array("values", {4, 1}, values_),
                                     .mask = std::move(mask)});
    made.check_elements();
    return made;
  }

  static TensorFile array(const char* name, std::vector<Index> shape, const std::vector<double>& elements) {
    return TensorFile(ArrayInMemory{name, ElementType::f64, std::move(shape), elements.data()});
  }

 private:
  std::vector<double> query_{1}, keys_{0, std::log(2), std::log(4), std::log(8)}, values_{15, 1, 1, 30}, mask_;
};

// Four Gaussian queries on 200 keys in d = 16.
class GaussianArrays {
 public:
  // With a mask, the last key is forbidden.
  explicit GaussianArrays(bool masked = false) : mask_(masked ? 200 : 0, 0) {
    if (masked) mask_.back() = -1;
    FamilyParameters family;
    family.keys = 200;
    family.dim = 16;
    const Instance instance = make_instance(family, Seed{3}, 0);
    keys_.assign(instance.keys.data(), instance.keys.data() + instance.keys.size());
    values_.assign(instance.values.data(), instance.values.data() + instance.values.size());
    for (std::uint32_t i = 0; i < 4; ++i) {
      const Vector query = make_instance(family, Seed{4}, i).query;
      queries_.insert(queries_.end(), query.begin(), query.end());
    }
  }

  AttendProblem problem() const {
    const Index value_dim = std::ssize(values_) / 200;
    std::optional<TensorFile> mask;
    if (!mask_.empty()) mask = FourWeights::array("mask", {200}, mask_);
    AttendProblem made(AttendTensors{.queries = FourWeights::array("queries", {4, 16}, queries_),
                                     .keys = FourWeights::array("keys", {200, 16}, keys_),
                                     .values = FourWeights::array("values", {200, value_dim}, values_),
                                     .mask = std::move(mask)});
    made.check_elements();
    return made;
  }

 private:
  std::vector<double> queries_, keys_, values_, mask_;
};

}  // namespace skt
