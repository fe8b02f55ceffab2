// What does a selection of keys keep of dense attention?
//
// The share of the true top keys (by q.k) among the selected, their share of the dense softmax, and the error of the
// output, relative to the dense one. Ties go in random order, by a ticket for each key. Wrong if the true top keys did
// not have recall 1, or all keys mass 1 and error 0.
#pragma once

#include <optional>
#include <vector>

#include "sim/instance.hpp"

namespace skt {

// Keys by falling score, those of equal score by falling ticket. scores, tickets [keys], no NaN.
std::vector<Index> order_by_score(const Vector& scores, const Vector& tickets);

struct KeptBySelection {
  double selected = 0;  // keys selected / keys
  double recall = 0;    // of the wanted best keys
  double mass = 0;      // softmax probability of the selected keys
  double error = 0;     // ||output - dense|| / ||dense||; NaN without an output
};

// Dense attention on one instance.
class DenseTruth {
 public:
  // tickets [keys] decide ties. InputError for an instance without keys.
  DenseTruth(Instance instance, Vector tickets);

  const Instance& instance() const { return instance_; }
  const Vector& logits() const { return logits_; }            // [keys]
  const Vector& probability() const { return probability_; }  // softmax of the logits, [keys]
  const Vector& tickets() const { return tickets_; }
  const std::vector<Index>& order() const { return order_; }  // keys by falling q.k

  // The number of keys that is nearest to a density in (0, 1], at least one.
  Index keys_at(double density) const;

  // selected without repeats; output: what attention over them gives, if anything.
  KeptBySelection kept(const std::vector<Index>& selected, Index wanted, const std::optional<Vector>& output) const;

  // The first `count` keys of an order, with exact softmax attention over them.
  KeptBySelection kept_of_first(const std::vector<Index>& order, Index count, Index wanted) const;

 private:
  Instance instance_;
  Vector tickets_, logits_, probability_, dense_;
  std::vector<Index> order_;
  std::vector<Index> place_;  // of each key in order_
};

}  // namespace skt
