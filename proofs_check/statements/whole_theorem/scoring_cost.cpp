#include "estimators/soft_buckets.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::scoring_cost_group {

extern const StatementGroup kGroup = {
    .question =
        "How many multiplications and additions does it take to score n keys? (sections 1 and 2, Algorithms 1 to 3)",
    .notes = R"(  exact    n d multiplications for q.k
  SOCKET   L P d multiplications for Wq;
           for each table 2^P P for the softmax over corners, or P and 2^a + 2^b, a + b = P, for the two half-tables;
           n L additions (n L products more with half-tables): a key costs L look-ups, whatever P and d

P <= 20. The shares of memory traffic and of time are other questions (S002-MEM2, S002-SPD). Arithmetic: the counts
are those of the loops below, and what ties them to the method is that their scores are the estimators'.)",
    .method = "Algorithms 1 to 3 in plain loops that count their operations; their scores must equal the estimators'.",
    .power = "One operation."};

namespace {

constexpr double kTemperature = 0.5;

struct Counted {
  double projections = 0;  // multiplications of Wq
  double buckets = 0;      // multiplications for the bucket probabilities
  double keys = 0;         // look-ups added to scores
  Vector scores;
};

// Algorithm 2 as printed, then line 3 of Algorithm 3.
Counted enumerated(const Hyperplanes& w, const KeyCodes& codes, const Vector& query) {
  Counted c;
  c.scores = Vector::Zero(codes.keys);
  const std::uint32_t corners = 1u << w.planes;
  for (Index l = 0; l < w.tables; ++l) {
    std::vector<double> signal(w.planes), p(corners);
    for (Index plane = 0; plane < w.planes; ++plane) {
      double sum = 0;
      for (Index i = 0; i < w.dim; ++i, ++c.projections) sum += w.table(l)(plane, i) * query(i);
      signal[plane] = std::tanh(sum) / std::sqrt(real(w.dim));
    }
    double total = 0;
    for (std::uint32_t r = 0; r < corners; ++r) {
      double logit = 0;
      for (Index plane = 0; plane < w.planes; ++plane, ++c.buckets) logit += signal[plane] * corner(r, plane, w.planes);
      total += p[r] = std::exp(logit / kTemperature);
    }
    for (Index j = 0; j < codes.keys; ++j, ++c.keys) c.scores(j) += p[codes.table(l)[j]] / total;
  }
  return c;
}

struct Costs {
  double buckets_of_12_planes = 12 * 4096;  // of one table, enumerated
  double half_table_entries = 64 + 64;      // at P = 12
  double additions_per_key = 60;            // at P = 12 too
};

auto operations(Costs claimed) {
  return [claimed](const Context& context) {
    constexpr Index kTables = 60, kDim = 128, kKeys = 50;
    const Instance instance = make_instance({.keys = kKeys, .dim = kDim}, context.seed, 0);
    std::vector<Evidence> evidence;
    for (const Index planes : {8, 12}) {
      const Hyperplanes w = context.estimators.draw(context.seed, 0, kTables, planes, kDim);
      const KeyCodes codes = context.estimators.hash(w, instance.keys);
      const Counted c = enumerated(w, codes, instance.query);
      const Vector scores = context.estimators.soft(w, codes, instance.query, {kTemperature});
      const std::string what = fmt::format("50 Gaussian keys, d=128 P={} L=60 tau=.5", planes);
      // Sums of 2^P exponentials and of L terms of size 1 at most, logits right to P d units.
      const double rounding =
          kTables * (std::exp2(planes) + real(kDim * planes)) * std::numeric_limits<double>::epsilon();
      evidence.push_back(exact({what, "largest |counted - estimator's score|"},
                               (c.scores - scores).lpNorm<Eigen::Infinity>(), equals(0, rounding)));
      evidence.push_back(exact({what, "multiplications of Wq"}, c.projections, equals(real(kTables * planes * kDim))));
      evidence.push_back(exact({what, "multiplications for the buckets of a table"}, c.buckets / kTables,
                               equals(planes == 12 ? claimed.buckets_of_12_planes : 8 * 256)));
      evidence.push_back(exact({what, "additions for a key"}, c.keys / kKeys,
                               equals(planes == 12 ? claimed.additions_per_key : kTables)));
      const Matrix signal = query_signal(w, instance.query, Scaling::inverse_sqrt_dim);
      const HalfTables halves = half_tables(std::span(signal.row(0).data(), planes), kTemperature);
      evidence.push_back(exact({what, "entries of the two half-tables"}, real(halves.high.size() + halves.low.size()),
                               equals(planes == 12 ? claimed.half_table_entries : 16 + 16)));
    }
    return evidence;
  };
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S002-OND",
       .title = "Arithmetic: a key costs L look-ups with SOCKET, whatever P and d",
       .source = "derived; paper, section 2 (O(nd) for the exact scores) and Algorithms 2 and 3",
       .scope = "operations of plain loops that give the estimators' scores",
       .measure = operations({}),
       .mutants = {{"the value norm counts as a look-up", operations({.additions_per_key = 61})},
                   {"the query's cost does not depend on P", operations({.buckets_of_12_planes = 8 * 256})},
                   {"a key's cost rises with P", operations({.additions_per_key = 90})},
                   {"half-tables of 2^P entries", operations({.half_table_entries = 4096})}},
       .remark =
           "Exact scores take d products per key. At d = 128 and L = 60 SOCKET needs 2.1 times fewer operations and "
           "reads 480 to 720 bits instead of 2048. Enumerating the corners as in Algorithm 2 costs 2^P P per table, "
           "which the product over planes avoids."}};
}

}  // namespace skt::scoring_cost_group
