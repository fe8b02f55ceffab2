// What does each ranker keep of dense attention, at which memory and density, on which kind of keys?
//
// The paper's Table 1 at the attention layer, without a model. For the best density * N keys of every ranker: the share
// of the true top keys (by q.k) among them, their share of the dense softmax, and the error of exact softmax attention
// over them, relative to the dense output (estimators/metrics/kept_by_selection.hpp). MagicPIG has its own rule (the
// tables that draw the density, importance weights), top-p its own budget (the mean mass of the true top keys at that
// density). Ties go in random order. Every ranker sees the same instances, and SOCKET's lead is a mean of paired
// differences. Beside the measured recall stands the one that the law of the scores predicts on the same instances
// (estimators/metrics/predicted_recall.hpp): at the published sizes, and on Gaussian keys at every size. There the exact
// correlation with q.k stands too. A ranker that is not what its name says would part from them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "estimators/metrics/kept_by_selection.hpp"
#include "estimators/peers/rankers.hpp"
#include "sim/families.hpp"
#include "sim/statistics/moments.hpp"

namespace skt {

struct NamedFamily {
  std::string name;
  FamilyParameters parameters;
};

// gaussian, needle, needles, clustered, anisotropic, rotary-low-rank, attention-sink, and gaussian with |q| = 1 and
// |q| = 4 sqrt(dim), at the given size.
std::vector<NamedFamily> table_families(Index keys, Index dim);

struct DensityPlan {
  std::vector<NamedFamily> families;
  HashSettings hash;
  std::vector<double> densities{0.02, 0.05, 0.1, 0.2, 0.5};  // in (0, 1]
  std::vector<Index> sizes{64, 128, 256, 512};               // bits a token, beside the published sizes
  std::uint64_t trials = 16;
};

// The instance of a trial, with the tickets that order its ties: the same for every ranker, others in every trial.
DenseTruth drawn_truth(const FamilyParameters& family, Seed seed, std::uint32_t trial);

// Where a ranking belongs: published sizes, or the largest within `bits`.
constexpr Index kPublishedSize = 0;

struct DensityRow {
  std::string family{}, ranker{};
  Index size = kPublishedSize;        // bits asked for
  double density = 0;                 // asked for
  double bits_per_token = 0;          // what scoring reads
  Moments selected{};                 // keys selected / keys
  Moments recall{}, mass{}, error{};  // over trials
  Moments predicted_recall{};         // over trials; none where no law is known or asked for
  Moments lead{};                     // recall of SOCKET at its published size less this one's, paired; none of top-p
  double correlation = 0;             // exact, with q.k; NaN where not known or not on Gaussian keys
};

// By index_name, at the published size; not reproducible.
using BuildSeconds = std::map<std::string, Moments>;

struct DensityTable {
  std::vector<DensityRow> rows;
  BuildSeconds build_seconds;
};

// Rows of one name are answered by one index: that of the ranker; of MagicPIG, whose tables depend on the density, one
// a density.
std::string index_name(const DensityRow& row);

// InputError for no density or family, a size below that of a table, and more planes than Bucket Attention allows.
void check(const DensityPlan& plan);

// A family is measured the same by itself and among others. trial_done is called after each trial of a family, from the
// thread that ran it. The plan passes the check.
DensityTable density_table(const DensityPlan& plan, Seed seed, const std::function<void()>& trial_done = {});

}  // namespace skt
