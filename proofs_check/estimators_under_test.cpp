#include "proofs_check/estimators_under_test.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/input_error.hpp"

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

}  // namespace

std::vector<std::string> fault_names() {
  return {"no-scaling", "little-endian", "reused-table", "strict-sign"};
}

EstimatorsUnderTest estimators_with_fault(const std::string& name) {
  if (name == "no-scaling") return no_scaling();
  if (name == "little-endian") return little_endian();
  if (name == "reused-table") return reused_table();
  if (name == "strict-sign") return strict_sign();
  throw InputError(fmt::format("no fault \"{}\": allowed are {}", name, fmt::join(fault_names(), ", ")));
}

}  // namespace skt
