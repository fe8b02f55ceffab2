// Do hashing, packing and value norms agree with the reference?
//
// Bit for bit with the same fp32 arithmetic on the host. Against exact projections: equal wherever |w.k| exceeds the
// rounding bound of the kernel; how many bits that leaves out is held against what a density of Gaussian projections
// at 0 allows. The tensor cores' index is held against exact projections only, as their order of sums is not known.
// What lies outside the keys asked for keeps its poison. A second run leaves the same bits.
#include <cmath>
#include <iterator>

#include "gpu/check/cases/published_profile.hpp"
#include "gpu/check/device/device_index.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/references/host_twin.hpp"
#include "gpu/functors/packed_codes.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

constexpr double kUnit = 0x1p-24;       // rounding error of fp32
constexpr double kTensorCoreUnits = 3;  // to a coordinate, see gpu/index/build_kernel.cuh
constexpr double kSmallestSubnormal = 0x1p-149;

// The bits of one key in one table against exact projections.
struct Margin {
  double units = 1;     // roundings of fp32 to a coordinate
  double left_out = 0;  // bits within the rounding bound
  double expected = 0;  // of them, by the density of a Gaussian projection at 0
  double plane_scale = 1;

  void compare(const CheckCase& c, const Matrix& hyperplanes, const Vector& key, std::int64_t index, int code,
               Comparison& result) {
    for (Index plane = 0; plane < c.planes; ++plane) {
      const auto terms = hyperplanes.row(plane).transpose().cwiseProduct(key);
      const double n = units * real(c.dim) * kUnit;
      // Relative to the terms; and a product below the normal range is off by half the smallest number.
      const double bound = n / (1 - n) * terms.cwiseAbs().sum() + real(c.dim) * kSmallestSubnormal;
      const double projection = terms.sum();
      expected += key.norm() == 0 ? 0 : 2 * bound / (plane_scale * key.norm() * std::sqrt(2 * M_PI));
      // Exact products of dyadic inputs leave no rounding: nothing is left out there.
      if (c.inputs != InputKind::dyadic && key.norm() > 0 && std::abs(projection) <= bound) {
        ++left_out;
        continue;
      }
      const int bit = code >> (c.planes - 1 - plane) & 1;
      result.equal("bit", index * c.planes + plane, bit, projection >= 0 ? 1 : 0);
    }
  }

  // Poisson: at most 6 deviations above its mean, and 6 where the mean is small; of drawn keys, each of which counts as
  // often as it occurs.
  void judge(const CheckCase& c, Comparison& result) const {
    const auto times = real(repetitions(c));
    const double mean = expected / times;
    result.within("bits within the rounding bound", 0, left_out, 0, times * (mean + 6 * std::sqrt(mean) + 6));
  }
};

void check_packed(const CheckCase& c, const std::vector<std::int16_t>& codes, const std::vector<std::uint32_t>& packed,
                  Comparison& result) {
  const std::int64_t words = words_per_key(c.tables, c.planes);
  for (const std::int64_t row : sampled_rows(c.kv_rows())) {
    for (const std::int64_t key : sampled_keys(c.capacity)) {
      const auto code_of = [&](std::int64_t table) {
        return std::uint64_t{unsigned_code(codes[(row * c.tables + table) * c.capacity + key])};
      };
      for (std::int64_t word = 0; word < words; ++word) {
        const std::int64_t at = row * c.capacity * words + packed_position(key, word, words);
        const std::uint32_t expected = key < c.keys ? packed_word(code_of, c.tables, c.planes, word) : ~0u;
        result.equal("packed word", at, packed[at], expected);
      }
    }
  }
}

void check_norms(const Library& library, const CheckCase& c, const Problem& problem,
                 const DeviceArray<std::uint16_t>& device_norms, Comparison& result) {
  const PublishedProfile profile = published_profile(c.profile);
  const std::vector<std::uint16_t> bits = device_norms.to_host();
  const std::vector<float> norms = norms_to_host(c, device_norms);
  // Squares below the fp32 range are lost: dim of them, each at most the smallest number.
  const double lost = std::sqrt(real(c.dim) * kSmallestSubnormal);
  for (const std::int64_t row : sampled_rows(c.kv_rows())) {
    for (const std::int64_t key : sampled_keys(c.capacity)) {
      const std::int64_t at = row * c.capacity + key;
      const float norm = norms[at];
      if (key >= c.keys) {
        result.equal("norm behind the keys, bits", at, bits[at], 0xffff);
        continue;
      }
      if (library.agreement == Agreement::bitwise) {
        result.equal("norm", at, norm, twin_norm(float_row(problem.values, at, c.dim), profile.norm_form));
      }
      const double exact = row_of(problem.values, at, c.dim).norm();
      const double kept = profile.norm_form == SKT_NORM_F16 ? std::min(exact, 65504.0) : exact;
      // What rounds to fp16 above its range, and squares above that of fp32, are the twin's business.
      if (!(kept <= (profile.norm_type() == SKT_F16 ? 65504.0 : 0x1p63))) continue;
      const double relative = rounding_unit(profile.norm_type()) + (real(c.dim) / 2 + 1) * kUnit;
      result.within("norm against double", at, norm, kept, relative * kept + 0x1p-25 + lost);
    }
  }
}

// The codes that a key's words hold.
std::vector<std::int16_t> unpacked_codes(const CheckCase& c, const std::vector<std::uint32_t>& packed) {
  const std::int64_t words = words_per_key(c.tables, c.planes);
  std::vector<std::int16_t> codes(c.kv_rows() * c.tables * c.capacity);
  for (std::int64_t at = 0; at < std::ssize(codes); ++at) {
    const std::int64_t key = at % c.capacity;
    const std::int64_t table = at / c.capacity % c.tables;
    const std::int64_t row = at / c.capacity / c.tables;
    for (int bit = 0; bit < c.code_bits(); ++bit) {
      const BitPlace place = bit_place(table, bit, c.code_bits());
      const std::int64_t word = row * c.capacity * words + packed_position(key, place.word, words);
      codes[at] = static_cast<std::int16_t>(codes[at] | (packed[word] >> place.bit & 1u) << bit);
    }
  }
  return codes;
}

// One table of one kv row: the codes of the sampled keys.
void check_codes(const Library& library, const CheckCase& c, const Problem& problem, std::int64_t row,
                 std::int64_t table, const Matrix& planes, const std::vector<std::int16_t>& codes, Margin& margin,
                 Comparison& result) {
  const std::span<const float> rows = float_row(problem.hyperplanes, table, c.planes * c.dim);
  for (const std::int64_t key : sampled_keys(c.capacity)) {
    const std::int64_t at = (row * c.tables + table) * c.capacity + key;
    const int code = codes[at];
    if (key >= c.keys) {
      result.equal("code behind the keys", at, code, -1);
      continue;
    }
    const std::int64_t key_at = row * c.capacity + key;
    if (library.agreement == Agreement::bitwise) {
      result.equal("code", at, code, twin_code(float_row(problem.keys, key_at, c.dim), rows, c.planes));
    }
    const Vector exact_key = row_of(problem.keys, key_at, c.dim);
    if (exact_key.allFinite()) margin.compare(c, planes, exact_key, at, code, result);
  }
}

void compare_second_run(const Library& library, const CheckCase& c, DeviceProblem& device, const DeviceIndex& index,
                        Appending by, Comparison& result) {
  DeviceIndex second(c);
  second.build(library, c, device, by);
  const HostIndex one(index), again(second);
  result.holds("second run", 0, one.codes == again.codes && one.packed == again.packed && one.norms == again.norms);
}

}  // namespace

Comparison check_hash_keys(const Library& library, const CheckCase& c) {
  Indexed indexed(library, c);
  auto& [problem, device, index] = indexed;
  const std::vector<std::int16_t> codes = index.codes.to_host();
  const Hyperplanes exact = double_hyperplanes(c, problem);
  Comparison result;
  Margin margin;
  margin.plane_scale = published_profile(c.profile).plane_scale;
  for (const std::int64_t row : sampled_rows(c.kv_rows())) {
    for (std::int64_t table = 0; table < c.tables; ++table) {
      check_codes(library, c, problem, row, table, exact.table(table), codes, margin, result);
    }
  }
  // Equal keys have equal bits, which are as rare, but come together.
  if (c.inputs != InputKind::constant && c.inputs != InputKind::ties && c.inputs != InputKind::dyadic)
    margin.judge(c, result);
  if (c.planes >= 4) check_packed(c, codes, index.packed.to_host(), result);
  compare_second_run(library, c, device, index, Appending::three_calls, result);
  return result;
}

Comparison check_value_norms(const Library& library, const CheckCase& c) {
  Indexed indexed(library, c);
  auto& [problem, device, index] = indexed;
  Comparison result;
  check_norms(library, c, problem, index.norms, result);
  compare_second_run(library, c, device, index, Appending::three_calls, result);
  return result;
}

Comparison check_build_index(const Library& library, const CheckCase& c) {
  Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  DeviceIndex index(c);
  index.build(library, c, device, Appending::build_index);
  for (float& x : problem.hyperplanes) x = round_to(c.element_type(), x);
  const Hyperplanes exact = double_hyperplanes(c, problem);
  std::vector<Matrix> planes;
  for (Index table = 0; table < c.tables; ++table) planes.push_back(exact.table(table));
  const std::vector<std::uint32_t> packed = index.packed.to_host();
  const std::vector<std::int16_t> codes = unpacked_codes(c, packed);
  Comparison result;
  compare_second_run(library, c, device, index, Appending::build_index, result);
  Margin margin;
  margin.units = kTensorCoreUnits;
  for (std::int64_t row = 0; row < c.kv_rows(); ++row) {
    for (std::int64_t key = 0; key < c.keys; ++key) {
      const Vector vector = row_of(problem.keys, row * c.capacity + key, c.dim);
      if (!vector.allFinite()) continue;  // forbidden: NaN, whose bits mean nothing
      for (std::int64_t table = 0; table < c.tables; ++table) {
        const std::int64_t at = (row * c.tables + table) * c.capacity + key;
        margin.compare(c, planes[table], vector, at, codes[at], result);
      }
    }
  }
  margin.judge(c, result);
  check_packed(c, codes, packed, result);  // the bits behind the last code, the keys behind
  check_norms(library, c, problem, index.norms, result);
  return result;
}

}  // namespace skt::gpu
