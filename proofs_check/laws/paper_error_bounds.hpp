// The right-hand sides of the paper's error bounds, as pure functions (paper, Lemmas 8-11, Theorems 3 and 12), and of
// Lemma 11 as it can be mended.
//
// They would be wrong if they disagreed with the values worked out by hand in
// tests/proofs_check/laws/paper_error_bounds_test.cpp or if the statements that use them were refuted on the instances
// where the inequality is tight.
#pragma once

namespace skt {

// The constants of the assumptions: the largest bucket over all tables that can be drawn (Assumption 2, in the
// almost-sure reading that the proofs need), Z_min and Z_tau,min (Assumption 1).
struct BoundConstants {
  double occupancy = 1;        // B
  double angular_mass = 1;     // Z_min
  double population_mass = 1;  // Z_tau,min
  double spectral_norm = 1;    // ||V||_2
  double epsilon = 0;          // epsilon_tau
};

// Hoeffding: |mean - expectation| of n samples in an interval of length `range` exceeds this with probability <= delta.
double hoeffding_radius(double range, double n, double delta);

// Hoeffding in a Hilbert space: ||mean|| of n centred vectors of norm <= `radius` exceeds this with probability at
// most delta. From P(||sum|| >= t) <= 2 exp(-t^2/(2 n radius^2)), with the n that the paper's display omits.
double vector_hoeffding_radius(double radius, double n, double delta);

// Lemma 8, eq. (10): |Z~ - Z_tau| and ||n~ - n_tau||, each with probability >= 1 - delta_tables/2.
double normaliser_bound(const BoundConstants& c, double tables, double delta_tables);
double numerator_bound(const BoundConstants& c, double tables, double delta_tables);

// Smallest number of tables that Lemma 8 allows: 2 B^2 log(4/delta)/Z_tau,min^2.
double required_tables(const BoundConstants& c, double delta_tables);

// C of Lemma 9, eq. (24).
double finite_table_constant(const BoundConstants& c);

// The three terms of Theorem 12: ||T - y_tauL||, ||y_tauL - y_tau||, ||y_tau - y*||.
double sampling_bound(const BoundConstants& c, double samples, double delta_samples);    // Lemma 10
double finite_table_bound(const BoundConstants& c, double tables, double delta_tables);  // Lemma 9
double bias_bound(const BoundConstants& c);                                              // Lemma 11

// Lemma 11 mended. With y_tau - y* = (1/Z_tau) E sum_j (s_j - I_j)(v_j - y*) and |y*| <= max|v_j|, the sum over one table
// is at most max|v_j| times
//   sum_j |s_j - I_j| + |sum_j (s_j - I_j)| = 2 max{sum of s_j outside b_q, n_q (1 - p)} <= 2 B_l (1 - p),
// where n_q keys share the query's bucket and B_l is the fullest bucket of that table alone: it need not hold almost
// surely, and neither Z_min nor the norm of V remains. So |y_tau - y*| <= 2 E[B_l (1 - p_l)]/Z_tau max|v_j|. The same in
// the norm of the sum of absolute values, for v_j = e_j, bounds that distance of a_tau and a with `largest_value` = 1.
//
// `occupied_miss` is E[B_l (1 - p_l)], at most B epsilon, and that where all B_l are equal.
double repaired_bias_bound(double occupied_miss, double population_mass, double largest_value);

// Theorem 12, eq. (46); Theorem 3 is delta_samples = delta_tables = delta/2.
struct ErrorTerms {
  double sampling = 0;
  double finite_table = 0;
  double bias = 0;
  double total() const { return sampling + finite_table + bias; }
};
ErrorTerms end_to_end_bound(const BoundConstants& c, double tables, double samples, double delta_tables,
                            double delta_samples);

}  // namespace skt
