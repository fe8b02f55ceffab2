// What do the estimators under test make of an instance, for one draw of the hyperplanes?
#pragma once

#include "proofs_check/context.hpp"
#include "sim/instance.hpp"

namespace skt {

struct SoftSetting {
  Index tables = 1;
  Index planes = 1;
  SocketParameters parameters{};
};

// w~ of every key [keys]: soft scores over the number of tables, for the hyperplanes of (context.seed, trial).
Vector rescaled_weights(const Context& context, const Instance& instance, const SoftSetting& setting,
                        std::uint64_t trial);

// The same for given hyperplanes.
Vector rescaled_weights(const Context& context, const Instance& instance, const Hyperplanes& hyperplanes,
                        const SocketParameters& parameters);

// Z~, n~ and y_{tau,L} = n~/Z~ (paper, section 5.1 and B.1).
struct FiniteTables {
  double normaliser = 0;
  Vector numerator;
  Vector output;
};
FiniteTables finite_tables(const Vector& weights, const Matrix& values);

}  // namespace skt
