// How well does a ranking agree with the true one (paper, appendix A.2 and Figure 2)?
//
// Precision, Jaccard, NDCG and the share of the selection beyond the k-th true score. The paper leaves two things
// open: the relevance scale of NDCG (here: binary or graded in [0, 1]) and which items its ideal ranking sorts
// (here: an argument). It would be wrong if some order of the items beat the ideal of all items.
#pragma once

#include <optional>
#include <vector>

#include "sim/matrix.hpp"

namespace skt {

// |selected n relevant| / |selected|. Both without repeats; nullopt for an empty selection.
std::optional<double> precision(const std::vector<Index>& selected, const std::vector<Index>& relevant);

// |a n b| / |a u b|; nullopt if both are empty.
std::optional<double> jaccard(const std::vector<Index>& a, const std::vector<Index>& b);

// Share of the selected keys whose true score reaches the k-th largest one, k = |selected| (paper, Figure 2(d)).
std::optional<double> fraction_beyond_cutoff(const std::vector<Index>& selected, const Vector& true_scores);

// 1 for the k best keys (ties to the lower index), 0 for the others; [keys].
Vector binary_relevance(const Vector& true_scores, Index k);

// Scores mapped linearly to [0, 1], [keys]; all 0 if every score is the same.
Vector graded_relevance(const Vector& true_scores);

// sum_i (2^gain_i - 1)/log2(i + 1), i = 1 .. , gains in ranked order.
double discounted_gain(const std::vector<double>& gains);

// The largest discounted gain of `length` places over all orders of the items. length <= items; a negative gain is
// an InputError (NDCG would leave [0, 1]).
double ideal_discounted_gain(std::vector<double> gains, Index length);

// Whose sorted gains are the ideal ranking: every item's, or only those of the list (the paper's wording, under
// which a ranker that retrieves nothing relevant but sorts it well scores 1).
enum class Ideal { all_items, retrieved_list };

// DCG of `ranked` (best first) over the ideal DCG of the same length; nullopt if the ideal is 0.
// relevance [keys], none negative.
std::optional<double> ndcg(const std::vector<Index>& ranked, const Vector& relevance, Ideal ideal);

// As the paper words it: relevance is the true score q.k itself, and the ideal sorts the retrieved keys, so that what was
// not retrieved costs nothing. retrieved: best first, at least one. true_scores [keys] of any sign: the gains 2^score - 1
// may be negative, and the value may leave [0, 1]; not a number where the ideal is 0.
double ndcg_as_printed(const std::vector<Index>& retrieved, const Vector& true_scores);

}  // namespace skt
