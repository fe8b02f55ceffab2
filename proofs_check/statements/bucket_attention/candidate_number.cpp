#include "estimators/occupancy.hpp"
#include "estimators/peers/bucket_attention.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "sim/stop.hpp"

namespace skt::candidate_number_group {

extern const StatementGroup kGroup = {
    .question = "How many keys can Bucket Attention consider (document 001, section 5.2)?",
    .notes = "L tables open t buckets of at most B keys each.",
    .method =
        "The largest ratio over random draws; a construction in which no two tables open the same key, so that the "
        "bound is attained.",
    .power = "Exact."};

namespace {

// bound(keys, tables, top, occupancy) on the number of candidates.
using UnionBound = std::function<double(double, double, double, double)>;

double candidates_of(const Vector& collisions) {
  return real((collisions.array() >= 1).count());
}

// Candidates over the bound, for the largest bucket of the drawn tables.
double ratio_on_gaussian_keys(const Context& context, std::uint32_t trial, const UnionBound& bound) {
  const Hyperplanes planes = context.estimators.draw(context.seed, trial, 3, 5, 6);
  Matrix keys(40, 6);
  fill_normal(context.seed, {.role = Role::key, .trial = trial}, {keys.data(), 240});
  const KeyCodes codes = context.estimators.hash(planes, keys);
  const Vector collisions = bucket_collisions(query_signal(planes, Vector::Ones(6), Scaling::none), codes, 2);
  return candidates_of(collisions) / bound(40, 3, 2, real(realised_occupancy(codes)));
}

// Every signal is positive with a weak first plane, so a table opens 11111 and 01111. Table l finds four keys of its own
// in each of them; the other 56 keys of 64 lie four to a bucket in 00000 to 01101.
KeyCodes disjoint_codes() {
  constexpr Index kTables = 8, kOwn = 8;
  constexpr std::uint32_t kInBucket = 4;
  KeyCodes codes{kTables, 5, kTables * kOwn, {}};
  for (Index l = 0; l < kTables; ++l) {
    std::uint32_t own = 0, others = 0;  // keys placed so far inside and outside the opened buckets
    for (Index j = 0; j < codes.keys; ++j) {
      if (j / kOwn == l) {
        codes.codes.push_back(own++ < kInBucket ? 0b11111u : 0b01111u);
      } else {
        codes.codes.push_back(others++ / kInBucket);
      }
    }
  }
  return codes;
}

std::vector<Evidence> union_size(const Context& context, const UnionBound& bound) {
  Largest ratio;
  const auto trials = static_cast<std::uint32_t>(context.trials(500));
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    look_for_stop();
    ratio.add(ratio_on_gaussian_keys(context, trial, bound));
  }
  const KeyCodes disjoint = disjoint_codes();
  Matrix signal = Matrix::Constant(disjoint.tables, disjoint.planes, 0.9);
  signal.col(0).setConstant(0.1);
  const double found = candidates_of(bucket_collisions(signal, disjoint, 2));
  const double most = bound(real(disjoint.keys), real(disjoint.tables), 2, real(realised_occupancy(disjoint)));
  return {supremum({"40 Gaussian keys, P=5, L=3, t=2", "candidates/min(N, L t B)"}, ratio.value, 0, ratio.trials,
                   ratio.in_scope),
          exact({"64 keys, each opened by one of eight tables", "candidates/min(N, L t B)"}, found / most, equals(1))};
}

}  // namespace

std::vector<Statement> statements() {
  return {{.id = "S001-6",
           .title = "At most min(N, L t B) keys are candidates",
           .source = "derived from document 001, section 5.2",
           .kind = Kind::inequality,
           .scope = "B the largest bucket of the drawn tables",
           .measure =
               [](const Context& c) {
                 return union_size(c, [](double n, double l, double t, double b) { return std::min(n, l * t * b); });
               },
           .mutants = {{"L t B - 1",
                        [](const Context& c) {
                          return union_size(
                              c, [](double n, double l, double t, double b) { return std::min(n, l * t * b - 1); });
                        }},
                       {"t B",
                        [](const Context& c) {
                          return union_size(c, [](double n, double, double t, double b) { return std::min(n, t * b); });
                        }},
                       {"L B", [](const Context& c) {
                          return union_size(c, [](double n, double l, double, double b) { return std::min(n, l * b); });
                        }}}}};
}

}  // namespace skt::candidate_number_group
