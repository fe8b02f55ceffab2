// How does SOCKET's ranking depend on its temperature and on the query's length, against equal bits of the same codes?
//
// The settings of the paper's Table 6 (8, 10 and 12 planes, temperatures .3, .5 and .7) on the families of
// density_table.hpp, among them Gaussian keys with three lengths of the query. Of each: the precision of the top k keys
// against q.k, averaged over the orders of tied keys, for the soft score, for the Hamming count of the same bits and for
// hard LSH; SOCKET's lead over the other two, paired by instance; the precision that the law of the scores predicts
// (estimators/metrics/predicted_recall.hpp), and on Gaussian keys the exact correlation with q.k. All settings see the
// same instances, and all temperatures the same hash codes. A temperature that did not reach the scores would show as
// two settings with equal rows.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "experiments/ranking/density_table.hpp"

namespace skt {

struct TemperaturePlan {
  std::vector<NamedFamily> families;
  std::vector<Index> planes{8, 10, 12};
  std::vector<double> temperatures{0.3, 0.5, 0.7};
  Index tables = 60;
  Scaling scaling = Scaling::inverse_sqrt_dim;
  std::vector<Index> cuts{16, 64, 256, 410};  // k, each at most the keys; 410 is a tenth of 4096
  std::uint64_t trials = 16;
};

struct TemperatureRow {
  std::string family;
  Index planes = 0;
  double temperature = 0;  // of SOCKET, also where the row's own ranker has none
  std::string ranker;      // socket, hamming, hard-lsh
  Index cut = 0;
  double correlation = 0;            // exact, with q.k; NaN but on Gaussian keys
  Moments precision{}, predicted{};  // over trials
  Moments lead{};                    // SOCKET's precision at this temperature less this one's, paired
};

struct TemperatureTable {
  std::vector<TemperatureRow> rows;
  void merge(const TemperatureTable& later);  // of the same plan, or empty
};

// InputError for a cut outside 1 .. keys or an empty list.
void check(const TemperaturePlan& plan);

// A family is measured the same by itself and among others. trial_done is called after each trial of a family, from the
// thread that ran it. InputError for a plan that fails the check.
TemperatureTable temperature_table(const TemperaturePlan& plan, Seed seed,
                                   const std::function<void()>& trial_done = {});

}  // namespace skt
