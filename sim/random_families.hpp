// Random instances: which distributions are the query, the keys and the values drawn from?
//
// In all of them the values are N(0,1) numbers, except the needles' and the sinks', and independent, except those that
// a cluster shares. Entry c of key j is a pure function of (seed, trial, j, c), so the first keys of a larger instance
// are the keys of a smaller one of the same dim. Parameters are taken as checked (family_parameters.hpp).
#pragma once

#include <cstdint>

#include "sim/family_parameters.hpp"
#include "sim/instance.hpp"
#include "sim/randomness.hpp"

namespace skt {

// Query and keys N(0, I).
Instance gaussian_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// Query and keys uniform on the unit sphere.
Instance unit_sphere_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// The Gaussian instance in which `needles` keys (see needle_index) are turned, at their drawn norms, to the cosine
// needle_cosine with the query, each on a side of its own; their values are needle_value in every coordinate.
// InputError for fewer keys than needles, or in dim 1 for a cosine other than -1 and 1.
Instance needle_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// Where needle number `needle` of `needles` lies: evenly spread, a single one at keys / 2, so neither among the first
// keys nor among the last, which a sink and a window always keep.
Index needle_index(Index keys, Index needle = 0, Index needles = 1);

// Key j is sqrt(1 - spread^2) centre_{j mod clusters} + spread noise, with N(0, I) centres and noise; the query is one
// more member of cluster 0, so its own cluster has a cosine of about 1 - spread^2 with it.
Instance clustered_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// The clustered instance whose values have a part in common within a cluster, of variance s = shared_value_variance:
// value j is sqrt(s) centre_{j mod clusters} + sqrt(1 - s) noise, with N(0, I) centres and noise. What many keys share
// does not average out over them, so a larger instance has no smaller error.
Instance clustered_values_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// Query and keys N(0, D^2), D diagonal with D_c proportional to (c + 1)^-decay and mean square 1.
Instance anisotropic_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// Keys as an attention head with rotary positions (Su et al. 2021, base 10000) keeps them: key j is
//   R_j (sqrt(1 - noise^2) A z_j / sqrt(rank) + noise n_j)
// with A [dim, key_rank], z and n of N(0,1) entries and R_j the rotation of coordinates (2i, 2i + 1) by
// j 10000^(-2i/dim). The query is one more such vector, at position `keys`.
Instance rotary_low_rank_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// The Gaussian instance whose first `sinks` keys are turned to the cosine needle_cosine with the query and whose values
// there are sink_value times as long: they take most of the attention and give nearly no output.
Instance attention_sink_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

// Keys with a mean, away from the query, and a short first key that draws attention, as many heads of pretrained models
// have them. Key j is
//   sqrt(dim) s u + sqrt(1 - s^2) n_j,   s = 0.7, u uniform on the sphere, n_j N(0, I),
// so that E|k|^2 = dim and the mean key is s sqrt(dim) long. The query is 3.4 sqrt(dim / (1 - s^2)) long, or query_norm;
// its cosine with u is -0.29 / s, and its other part has a uniform direction. So, given the query, the logits
// q.k / sqrt(dim) are independent and N(-0.29 |q|, (1 - s^2) |q|^2 / dim): their deviation is 3.4, and the mean cosine of
// query and keys -0.29. The first key is 0.32 sqrt(dim) long and at the cosine with the query that gives it 0.24 of the
// softmax mass, within -1 .. 1, where a very short query may have less; it depends on all keys. Its value is 0.25 times
// as long. The numbers are about the medians of the 270 heads of SmolLM2-135M-Instruct at 4,096 tokens.
// InputError in dim 1.
Instance sink_mean_instance(const FamilyParameters& parameters, Seed seed, std::uint32_t trial);

}  // namespace skt
