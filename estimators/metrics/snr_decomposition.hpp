// What does attention lose on the keys it leaves out (document 004, section 1)?
//
// The keys split into an active set A and the pruned rest. With D and N the sums of e^s and of e^s v over a set:
//   output_full - output_sparse = eps (N_pruned/D_pruned - N_A/D_A),  eps = D_pruned/D_all = 1/(1 + rho).
// The file also holds the document's lower bounds on the ratio rho = D_A/D_pruned: those for a top-k set, the relaxed
// one as printed, which fails when the largest score is pruned, and the corrected pair, which holds for every set.
// It would be wrong if the two sides of the identity differed by more than rounding.
#pragma once

#include <vector>

#include "sim/matrix.hpp"

namespace skt {

struct SnrDecomposition {
  double residual_weight = 0;  // eps, in (0, 1)
  double snr = 0;              // rho = (1 - eps)/eps
  Vector full;                 // attention over all keys, [value_dim]
  Vector sparse;               // over the active keys, renormalised ("context from the active set")
  Vector noise;                // over the pruned keys, renormalised ("context from the pruned set")

  Vector context_divergence() const { return noise - sparse; }
  Vector error() const { return full - sparse; }
};

// scores [keys] finite, values [keys, value_dim], active without repeats. InputError unless both sets have a key.
SnrDecomposition snr_decomposition(const Vector& scores, const Matrix& values, const std::vector<Index>& active);

// What the bounds on rho depend on.
struct ActiveSet {
  Index active = 0;       // |A|
  Index pruned = 0;       // keys - |A|
  double peak = 0;        // largest score of all, m
  double active_max = 0;  // of the active set
  double active_min = 0;  // of the active set; s_k if A is a top-k set
  double pruned_max = 0;  // s_max^c; s_{k+1} if A is a top-k set
  double snr = 0;         // rho
};
ActiveSet describe_active_set(const Vector& scores, const std::vector<Index>& active);

// (1 + (|A|-1) e^{s_k - m}) / (|A^c| e^{s_{k+1} - m}): a lower bound on rho for a top-k set.
double top_k_bound(const ActiveSet& set);

// The two terms of the same bound written as (peak + boundary)/|A^c|.
double peak_to_noise_term(const ActiveSet& set);  // e^{m - s_{k+1}}
double boundary_term(const ActiveSet& set);       // (|A|-1) e^{s_k - s_{k+1}}

// e^{m - s_max^c}/|A^c|, printed as a lower bound for any set; false where the largest score is pruned.
double printed_relaxed_bound(const ActiveSet& set);

// e^{max_A - s_max^c}/|A^c| <= rho <= |A| e^{max_A - s_max^c}, for every set.
double relaxed_lower_bound(const ActiveSet& set);
double relaxed_upper_bound(const ActiveSet& set);

}  // namespace skt
