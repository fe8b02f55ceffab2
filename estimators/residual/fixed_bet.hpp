// What does a sample prove of a sum of weights, if each weight was drawn with a probability of its own?
//
// Key j of the rest has a weight f_j and is drawn with probability pi_j, independently of the others; x_j = f_j/pi_j of the
// drawn keys with pi_j < 1 is at most b, which no draw decides. A gambler who bets lambda = share/b against every key has the capital
// prod (1 - lambda x_j) e^(lambda D), whose mean is at most 1, so that
//
//   D <= (log(1/delta) - sum log(1 - lambda x_j))/lambda   with probability at least 1 - delta:
//
// docs/bounds/apart.md. Two bets are made, each at delta/2: a large one is good where few keys were drawn near b,
// a small one where many were. The limit would be wrong if a bet of more than 1/b were made, or delta not divided.
//
// Plain arithmetic that gpu/attention/weigh_rest.cuh and rest_result.cuh use too, in fp32.
#pragma once

#include <cmath>

namespace skt {

inline constexpr int kFixedBets = 2;

template <class Real>
constexpr Real bet_share(int bet) {
  return bet == 0 ? Real(0.8) : Real(0.2);
}

// Of one bet what a drawn key with x = share b adds to the sum. 0 <= share <= 1.
template <class Real>
constexpr Real bet_lost(int bet, Real share) {
  return -std::log1p(-bet_share<Real>(bet) * share);
}

// The limit of D, lost[] the sums of bet_lost() over the drawn keys.
template <class Real>
constexpr Real fixed_bet_limit(const Real (&lost)[kFixedBets], Real largest, Real delta) {
  const Real level = std::log(Real(kFixedBets) / delta);
  const Real large = (level + lost[0]) / bet_share<Real>(0), small = (level + lost[1]) / bet_share<Real>(1);
  return largest * (large < small ? large : small);
}

}  // namespace skt
