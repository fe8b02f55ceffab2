#include "proofs_check/estimators_under_test.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "estimators/soft_buckets.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// u without the paper's division by sqrt(d).
EstimatorsUnderTest no_scaling() {
  EstimatorsUnderTest faulty;
  faulty.soft = [](const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query,
                   const SocketParameters& parameters) {
    return soft_scores(hyperplanes, codes, query, {parameters.temperature, Scaling::none});
  };
  return faulty;
}

// Keys encoded with plane 0 as the least significant bit, corners still with plane 0 as the most significant.
EstimatorsUnderTest little_endian() {
  EstimatorsUnderTest faulty;
  faulty.hash = [](const Hyperplanes& hyperplanes, const Matrix& keys) {
    KeyCodes codes = hash_keys(hyperplanes, keys);
    for (std::uint32_t& code : codes.codes) {
      std::uint32_t reversed = 0;
      for (Index p = 0; p < codes.planes; ++p) reversed = reversed << 1 | (code >> p & 1u);
      code = reversed;
    }
    return codes;
  };
  return faulty;
}

// One W for all tables.
EstimatorsUnderTest reused_table() {
  EstimatorsUnderTest faulty;
  faulty.draw = [](Seed seed, std::uint32_t trial, Index tables, Index planes, Index dim) {
    Hyperplanes drawn = draw_hyperplanes(seed, trial, tables, planes, dim);
    for (Index l = 1; l < tables; ++l) drawn.rows.middleRows(l * planes, planes) = drawn.rows.topRows(planes);
    return drawn;
  };
  return faulty;
}

// bit = 1 iff projection > 0, which is the complement of the bit of -key: -projection >= 0.
EstimatorsUnderTest strict_sign() {
  EstimatorsUnderTest faulty;
  faulty.hash = [](const Hyperplanes& hyperplanes, const Matrix& keys) {
    KeyCodes codes = hash_keys(hyperplanes, -keys);
    const std::uint32_t all_ones = (std::uint32_t{1} << codes.planes) - 1;
    for (std::uint32_t& code : codes.codes) code = ~code & all_ones;
    return codes;
  };
  return faulty;
}

// The bucket probabilities of each table divided by the softmax normaliser of the table after it.
EstimatorsUnderTest wrong_normaliser() {
  EstimatorsUnderTest faulty;
  faulty.soft = [](const Hyperplanes& hyperplanes, const KeyCodes& codes, const Vector& query,
                   const SocketParameters& parameters) -> Vector {
    const Matrix signal = query_signal(hyperplanes, query, parameters.scaling);
    // Of one table: sum_r exp(c_r.u/tau) = prod_p 2 cosh(u_p/tau).
    const Vector normaliser = (2 * (signal.array() / parameters.temperature).cosh()).rowwise().prod();
    Vector scores = Vector::Zero(codes.keys);
    for (Index l = 0; l < codes.tables; ++l) {
      const std::span<const double> of_table(signal.row(l).data(), codes.planes);
      const HalfTables halves = half_tables(of_table, parameters.temperature);
      const double factor = normaliser(l) / normaliser((l + 1) % codes.tables);
      const std::span<const std::uint32_t> code = codes.table(l);
      for (Index j = 0; j < codes.keys; ++j) scores(j) += factor * halves.probability(code[j]);
    }
    return scores;
  };
  return faulty;
}

// Equal scores in the order of falling index: the rule applied to the keys in reverse.
EstimatorsUnderTest wrong_ties() {
  EstimatorsUnderTest faulty;
  faulty.select = [](const Vector& scores, std::span<const Allowed> mask, const SelectionRule& rule) {
    const std::vector<Allowed> reversed_mask(mask.rbegin(), mask.rend());
    std::vector<Index> chosen = select_keys(scores.reverse(), reversed_mask, {rule.budget, rule.window, rule.sink});
    for (Index& j : chosen) j = scores.size() - 1 - j;
    return chosen;
  };
  return faulty;
}

// Entries uniform in [-1, 1] instead of N(0, 1): the distribution function maps one to the other.
EstimatorsUnderTest uniform_planes() {
  EstimatorsUnderTest faulty;
  faulty.draw = [](Seed seed, std::uint32_t trial, Index tables, Index planes, Index dim) {
    Hyperplanes drawn = draw_hyperplanes(seed, trial, tables, planes, dim);
    drawn.rows = drawn.rows.unaryExpr([](double z) { return std::erf(z / std::numbers::sqrt2); });
    return drawn;
  };
  return faulty;
}

struct NamedFault {
  const char* name;
  Function broken;
  EstimatorsUnderTest (*make)();
};
constexpr std::array<NamedFault, 7> kFaults{{{"no-scaling", Function::soft, no_scaling},
                                             {"little-endian", Function::hash, little_endian},
                                             {"reused-table", Function::draw, reused_table},
                                             {"strict-sign", Function::hash, strict_sign},
                                             {"wrong-normaliser", Function::soft, wrong_normaliser},
                                             {"wrong-ties", Function::select, wrong_ties},
                                             {"uniform-planes", Function::draw, uniform_planes}}};

const NamedFault& fault_named(const std::string& name) {
  for (const NamedFault& fault : kFaults) {
    if (name == fault.name) return fault;
  }
  refuse("no fault \"{}\": allowed are {}", name, fmt::join(fault_names(), ", "));
}

template <class Result, class... Arguments>
void record(std::function<Result(Arguments...)>& function, Function bit, std::atomic<unsigned>& called) {
  function = [real = function, bit, &called](Arguments... arguments) {
    called |= static_cast<unsigned>(bit);
    return real(std::forward<Arguments>(arguments)...);
  };
}

}  // namespace

std::vector<std::string> fault_names() {
  std::vector<std::string> names;
  for (const NamedFault& fault : kFaults) names.emplace_back(fault.name);
  return names;
}

EstimatorsUnderTest estimators_with_fault(const std::string& name) {
  return fault_named(name).make();
}

Function broken_function(const std::string& fault) {
  return fault_named(fault).broken;
}

EstimatorsUnderTest recording_estimators(std::atomic<unsigned>& called) {
  EstimatorsUnderTest recording;
  record(recording.draw, Function::draw, called);
  record(recording.hash, Function::hash, called);
  record(recording.soft, Function::soft, called);
  record(recording.select, Function::select, called);
  return recording;
}

}  // namespace skt
