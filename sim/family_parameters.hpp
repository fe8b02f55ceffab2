// By which names and numbers does one ask for an instance?
//
// The families, their names, and the parameters of all of them with their ranges. It would be wrong if a name stood for
// another family, or a number outside its range came through; tests/sim/family_parameters_test.cpp tries each.
#pragma once

#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "sim/number.hpp"

namespace skt {

enum class InstanceFamily {
  gaussian,
  unit_sphere,
  needle,
  clustered,
  anisotropic,
  rotary_low_rank,
  attention_sink,
  copies,             // I-COPY(copies, angle)
  two_sided,          // I-TWO(copies)
  antipodal,          // I-ANTI(copies)
  grid,               // I-GRID(copies), on the first `planes` coordinate axes as hyperplanes
  orthogonal_values,  // I-ORTHV(keys)
  rademacher,         // I-RAD
  clustered_values,
  sink_mean,
  learned,  // of the heads of a trained model
};

struct LearnedHeads;  // learned_heads.hpp

// "gaussian", "unit-sphere", "needle", "clustered", "anisotropic", "rotary-low-rank", "attention-sink", "I-COPY",
// "I-TWO", "I-ANTI", "I-GRID", "I-ORTHV", "I-RAD", "clustered-values", "sink-mean", "learned", in the order of the enumeration.
// InputError for another name.
std::vector<std::string> instance_family_names();
InstanceFamily instance_family(const std::string& name);
std::string name_of(InstanceFamily family);

struct FamilyParameters {
  InstanceFamily family = InstanceFamily::gaussian;
  Index keys = 4096;                   // 0 .. 2^32 - 1; of the random families and of I-ORTHV
  Index dim = 128;                     // 1 and more
  std::optional<Index> value_dim{};    // 1 and more; by default dim (keys for I-ORTHV, 1 for I-RAD)
  std::optional<double> query_norm{};  // above 0; by default as drawn (1 in the tight families)

  double needle_cosine = 0.9;          // -1 .. 1; of the sinks too
  Index needles = 1;                   // 1 .. keys
  double needle_value = 10;            // every coordinate of the needle's value; the others have standard deviation 1
  Index clusters = 16;                 // 1 and more
  double cluster_spread = 0.3;         // 0 .. 1: standard deviation within a cluster; 1 is the Gaussian family
  double shared_value_variance = 0.5;  // 0 .. 1: of the values in a cluster, of 1; 0 is the clustered family
  double spectrum_decay = 0.5;         // 0 and more: deviation of coordinate c proportional to (c + 1)^-decay
  Index key_rank = 16;                 // 1 and more: of keys and query before the noise, in the rotary family
  double key_noise = 0.3;              // 0 .. 1: standard deviation off the subspace; 1 is the Gaussian family, rotated
  Index sinks = 4;                     // 0 and more: first keys that draw attention
  double sink_value = 0.05;            // the factor on the values of the sinks

  Index copies = 1;                     // 1 and more: the B of the tight families, the N of I-COPY
  double angle = std::numbers::pi / 2;  // 0 .. pi: I-COPY's angle between keys and query
  Index planes = 1;                     // 1 .. 20, at most dim: of I-GRID

  std::shared_ptr<const LearnedHeads> learned{};  // of the learned family, whose sizes are those of the heads
  std::optional<Index> head{}, query{};           // which of them, counted from 0; by default one for each trial
};

// InputError, naming the parameter, for one outside the range above.
void require_allowed(const FamilyParameters& parameters);

}  // namespace skt
