#include "estimators/soft_buckets.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::bit_convention_group {

extern const StatementGroup kGroup = {
    .question = "The conventions that tie keys to corners: which bit is a projection, and which bit comes first?",
    .notes = "S000-1  a zero key therefore lands in the all-ones bucket",
    .method = "Hyperplanes along the axes and keys of small integers, so every projection is exact.",
    .power = "One wrong bit."};

namespace {

Hyperplanes axis_hyperplanes(Index planes) {
  return {1, planes, planes, Matrix::Identity(planes, planes)};
}

struct ZeroProjections {
  double bucket_of_zero_key = 0;    // key (0, 0, 0)
  double bucket_of_zero_first = 0;  // key (0, -1, 1)
};

auto zero_projections(ZeroProjections claimed) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    Matrix keys(2, 3);
    keys << 0, 0, 0, 0, -1, 1;
    const KeyCodes codes = context.estimators.hash(axis_hyperplanes(3), keys);
    return {exact({"W = I, key (0, 0, 0)", "bucket"}, codes.codes[0], equals(claimed.bucket_of_zero_key)),
            exact({"W = I, key (0, -1, 1)", "bucket"}, codes.codes[1], equals(claimed.bucket_of_zero_first))};
  };
}

// How the corner of bucket `code` is claimed to read.
using Corner = double (*)(std::uint32_t code, Index plane, Index planes);
double big_endian(std::uint32_t code, Index plane, Index planes) {
  return code >> (planes - 1 - plane) & 1u ? 1 : -1;
}
double little_endian(std::uint32_t code, Index plane, Index) {
  return code >> plane & 1u ? 1 : -1;
}
double complemented(std::uint32_t code, Index plane, Index planes) {
  return -big_endian(code, plane, planes);
}

// Keys on all 2^4 corners as the claim reads them: how many are in another bucket, and what is the soft score of
// bucket 1000 at u = (0.9, -0.2, 0.1, 0.05)/sqrt(4), tau = 0.3?
auto order_of_bits(Corner claimed) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    constexpr Index kPlanes = 4;
    constexpr std::uint32_t kCorners = 1 << kPlanes;
    constexpr double kTemperature = 0.3;
    const Hyperplanes hyperplanes = axis_hyperplanes(kPlanes);
    Matrix keys(kCorners, kPlanes);
    for (std::uint32_t r = 0; r < kCorners; ++r)
      for (Index p = 0; p < kPlanes; ++p) keys(r, p) = claimed(r, p, kPlanes);
    const KeyCodes codes = context.estimators.hash(hyperplanes, keys);
    double wrong = 0;
    for (std::uint32_t r = 0; r < kCorners; ++r) wrong += codes.codes[r] != r;

    Vector signal(kPlanes);
    signal << 0.9, -0.2, 0.1, 0.05;
    const Vector scores = context.estimators.soft(hyperplanes, codes, signal.array().atanh(), {kTemperature});
    double product = 1;
    for (Index p = 0; p < kPlanes; ++p) {
      const double logit = 2 * signal(p) / std::sqrt(real(kPlanes)) * big_endian(0b1000, p, kPlanes) / kTemperature;
      product /= 1 + std::exp(-logit);
    }
    // tanh(atanh(u)) and each of the four factors round a few times; their logits are at most 3.
    const double rounding = 64 * std::numeric_limits<double>::epsilon() * product;
    return {exact({"W = I, all corners of 4 planes", "keys in another bucket"}, wrong, equals(0)),
            exact({"W = I, key in corner 1000", "soft score"}, scores(0b1000), equals(product, rounding))};
  };
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S000-1",
           .title = "A bit is 1 iff the projection is >= 0",
           .source = "document 000, section 3.2; paper, Algorithm 1",
           .quote = R"(b_{\ell,p}(i) = \mathbf{1}[z_{\ell,p}(i) \ge 0])",
           .scope = "all keys, zero included",
           .measure = zero_projections({7, 5}),
           .mutants = {{"1 iff projection > 0", zero_projections({0, 1})},
                       {"1 iff projection <= 0", zero_projections({7, 6})}},
           .no_near_mutant = "A bit is 0 or 1: the other convention moves a key to another bucket."},
          {.id = "S000-2",
           .title = "Plane 0 is the most significant bit, of keys and of corners",
           .source = "document 000, section 3.3; paper, Algorithms 1 and 2",
           .quote = R"(\sum_{p=1}^{P} b_{\ell,p}(i)\, 2^{P - p})",
           .scope = "all keys off the hyperplanes",
           .measure = order_of_bits(big_endian),
           .mutants = {{"plane 0 least significant", order_of_bits(little_endian)},
                       {"bits complemented", order_of_bits(complemented)}},
           .no_near_mutant = "An order of the bits is right or wrong: a wrong one moves whole keys."}};
}

}  // namespace skt::bit_convention_group
