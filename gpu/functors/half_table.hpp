// What probability does one half of a bucket code carry?
//
// p(code) = prod_p sigma(+-2 u_p / tau) (paper, Algorithm 2, with its softmax written as a product over planes), so p =
// high[code >> low_planes] * low[code mod 2^low_planes] with two half-tables of 2^(P/2) entries instead of one of 2^P.
// Plane 0 is the most significant bit; a set bit takes +. Real is float on the device, double in a reference. It would
// be wrong if the product over both halves differed from the softmax over all corners.
#pragma once

#include <cmath>
#include <cstdint>

#include "gpu/functors/host_device.hpp"

namespace skt::gpu {

// The low half has the last planes/2 planes, the high half the rest; one plane leaves a low half of one entry, 1.
SKT_HD constexpr int low_planes(int planes) {
  return planes / 2;
}
SKT_HD constexpr int high_planes(int planes) {
  return planes - planes / 2;
}
SKT_HD constexpr int half_table_entries(int planes) {
  return (1 << high_planes(planes)) + (1 << low_planes(planes));
}

// sigma(x) = 1/(1 + exp(-x)). exp overflows to infinity for x << 0 and gives the right limit, 0.
template <class Real>
SKT_HD Real sigmoid(Real x) {
  return Real(1) / (Real(1) + std::exp(-x));
}

// The argument 2 u_p / tau of a plane from its projection w_p.q; scale is 1/sqrt(dim), or 1 without scaling.
template <class Real>
SKT_HD Real plane_logit(Real projection, Real scale, Real temperature) {
  return Real(2) * (std::tanh(projection) * scale) / temperature;
}

// Product over `count` planes of sigma(+x_p) where the bit of `code` is set and sigma(-x_p) where not, in plane order.
// logits[0] belongs to the most significant of the `count` bits.
template <class Real>
SKT_HD Real half_table_entry(const Real* logits, int count, std::uint32_t code) {
  Real product = 1;
  for (int plane = 0; plane < count; ++plane) {
    const bool set = (code >> (count - 1 - plane)) & 1u;
    product *= sigmoid(set ? logits[plane] : -logits[plane]);
  }
  return product;
}

// Entry `index` of one table's pair of half-tables [high entries, low entries], of its logits [planes].
template <class Real>
SKT_HD Real half_tables_entry(const Real* logits, int planes, int index) {
  const int high = high_planes(planes);
  const int high_entries = 1 << high;
  return index < high_entries
             ? half_table_entry(logits, high, static_cast<std::uint32_t>(index))
             : half_table_entry(logits + high, low_planes(planes), static_cast<std::uint32_t>(index - high_entries));
}

// The same entry from what each plane contributes, [planes, 2]: first where its bit is not set, then where it is,
// joined from `start` on in plane order. Products of sigma(-x_p), sigma(x_p) give half_tables_entry; sums of
// -projection_p, +projection_p give one half's share of the signed projection sum_p sign(w_p.k) (w_p.q).
template <class Real, class Join>
SKT_HD Real joined_entry(const Real* contributions, int planes, int index, Real start, Join&& join) {
  const int high = high_planes(planes);
  const bool in_high = index < 1 << high;
  const int count = in_high ? high : low_planes(planes);
  const int code = in_high ? index : index - (1 << high);
  const Real* first = in_high ? contributions : contributions + 2 * high;
  Real entry = start;
  for (int plane = 0; plane < count; ++plane) {
    entry = join(entry, first[2 * plane + ((code >> (count - 1 - plane)) & 1)]);
  }
  return entry;
}

}  // namespace skt::gpu
