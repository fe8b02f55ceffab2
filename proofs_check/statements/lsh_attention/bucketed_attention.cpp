#include "estimators/attention.hpp"
#include "estimators/peers/lsh_attention.hpp"
#include "estimators/population/angular_kernel.hpp"
#include "proofs_check/statements/measuring.hpp"

namespace skt::bucketed_attention_group {

extern const StatementGroup kGroup = {
    .question = "Does attention within buckets do what document 003 says (sections 3 and 5)?",
    .notes = "S003-3 claims the range N^2/2^L to N^2 of the number of pairs too.",
    .method =
        "Means of bounded numbers against the exact expectation (empirical Bernstein); exact binomial intervals; "
        "dense attention under the union of the masks.",
    .power = "The mean number of pairs to 5%; probabilities to 0.05 at the standard profile."};

namespace {

Matrix tokens_of(const Context& context, std::uint32_t trial, Index tokens, Index dim) {
  Matrix drawn(tokens, dim);
  fill_normal(context.seed, {.role = Role::key, .trial = trial}, std::span(drawn.data(), drawn.size()));
  return drawn;
}

// S003-3.
struct Pairs {
  Moments mean;
  double least = std::numeric_limits<double>::infinity(), most = 0;
  void merge(const Pairs& later) {
    mean.merge(later.mean);
    least = smaller(least, later.least);
    most = larger(most, later.most);
  }
};

double expected_pairs(const Matrix& tokens, double planes) {
  double sum = 0;
  for (Index i = 0; i < tokens.rows(); ++i) {
    for (Index j = 0; j < tokens.rows(); ++j) {
      const double apart = i == j ? 0 : angle(tokens.row(i).transpose(), tokens.row(j).transpose());
      sum += std::pow(1 - apart / std::numbers::pi, planes);
    }
  }
  return sum;
}

std::vector<Evidence> pair_count(const Context& context,
                                 const std::function<double(const Matrix& tokens, double planes)>& expected) {
  constexpr Index kTokens = 24, kPlanes = 4, kDim = 3;
  const Matrix tokens = tokens_of(context, 0, kTokens, kDim);
  const Pairs pairs = run_trials(context.trials(16'000), Pairs{}, [&](std::uint32_t trial, Pairs& total) {
    const Hyperplanes planes = context.estimators.draw(context.seed, trial, 1, kPlanes, kDim);
    const double count = real(attended_pairs(sort_into_buckets(context.estimators.hash(planes, tokens).table(0))));
    total.mean.add(count);
    total.least = smaller(total.least, count);
    total.most = larger(total.most, count);
  });
  const double all = real(kTokens * kTokens);
  const std::string instance = "24 Gaussian tokens, d=3, L=4";
  // Between N, where every token is alone, and N^2.
  return {mean_of_bounded({instance, "mean of sum_b n_b^2"}, pairs.mean, all - real(kTokens),
                          equals(expected(tokens, kPlanes), all * 8 * kUnit), {context.error_share, 0.1 * all}),
          exact({instance, "least sum_b n_b^2"}, pairs.least, at_least(all / std::exp2(real(kPlanes)))),
          exact({instance, "largest sum_b n_b^2"}, pairs.most, at_most(all))};
}

// S003-6.
constexpr Index kRoundCounts[] = {1, 2, 4};

double of_rounds(double miss, double rounds) {
  return std::pow(miss, rounds);
}

std::vector<Evidence> rounds_miss(const Context& context, double (*probability)(double miss, double rounds),
                                  Index planes = 4) {
  const double angle = 0.2 * std::numbers::pi;
  Matrix pair = Matrix::Zero(2, 4);
  pair(0, 0) = 1;
  pair(1, 0) = std::cos(angle);
  pair(1, 1) = std::sin(angle);
  const std::uint64_t trials = context.trials(20000);
  std::vector<Evidence> evidence;
  for (const Index rounds : kRoundCounts) {
    const Counts misses = run_trials(trials, Counts(1), [&](std::uint32_t trial, Counts& total) {
      const KeyCodes codes = context.estimators.hash(context.estimators.draw(context.seed, trial, rounds, 4, 4), pair);
      std::vector<SortedBuckets> sorted;
      for (Index r = 0; r < rounds; ++r) sorted.push_back(sort_into_buckets(codes.table(r)));
      total.of[0] += attended_tokens(sorted, 0).size() == 1;
    });
    evidence.push_back(frequency({fmt::format("theta = .2 pi, L=4, {} rounds", rounds), "P(miss)"}, misses.of[0],
                                 trials, equals(probability(miss_probability(angle, planes, 1), real(rounds)), 1e-15),
                                 {context.share(kRoundCounts), 0.1}));
  }
  return evidence;
}

// S003-9: the outputs of `attention` against dense attention under the union mask.
using Attention = std::function<Matrix(const Matrix& tokens, const Matrix& values, const KeyCodes& signatures)>;

Matrix union_attention(const Matrix& tokens, const Matrix& values, const KeyCodes& signatures) {
  return lsh_attention(tokens, tokens, values, signatures);
}

Matrix mean_over_rounds(const Matrix& tokens, const Matrix& values, const KeyCodes& signatures) {
  Matrix sum = Matrix::Zero(values.rows(), values.cols());
  for (Index r = 0; r < signatures.tables; ++r) {
    const std::span<const std::uint32_t> round = signatures.table(r);
    sum += lsh_attention(tokens, tokens, values, {1, signatures.planes, signatures.keys, {round.begin(), round.end()}});
  }
  return sum / real(signatures.tables);
}

Matrix counted_as_often_as_met(const Matrix& tokens, const Matrix& values, const KeyCodes& signatures) {
  Matrix output(values.rows(), values.cols());
  for (Index i = 0; i < values.rows(); ++i) {
    Vector logits = scaled_logits(tokens.row(i).transpose(), tokens);
    for (Index j = 0; j < values.rows(); ++j) {
      double met = 0;
      for (Index r = 0; r < signatures.tables; ++r) {
        met += signatures.table(r)[i] == signatures.table(r)[j] ? 1 : 0;
      }
      logits(j) += std::log(met);  // -infinity where they never meet
    }
    output.row(i) = softmax(logits)->transpose() * values;
  }
  return output;
}

// 1 where two tokens share a bucket in some round, else 0 [keys, keys].
Matrix union_mask(const KeyCodes& codes) {
  Matrix met = Matrix::Zero(codes.keys, codes.keys);
  for (Index r = 0; r < codes.tables; ++r)
    for (Index i = 0; i < codes.keys; ++i)
      for (Index j = 0; j < codes.keys; ++j)
        if (codes.table(r)[i] == codes.table(r)[j]) met(i, j) = 1;
  return met;
}

std::vector<Evidence> union_of_rounds(const Context& context, const Attention& attention) {
  constexpr Index kTokens = 20, kDim = 4, kRounds = 3;
  double worst = 0, asymmetric = 0;
  const auto trials = static_cast<std::uint32_t>(context.trials(60));
  for (std::uint32_t trial = 0; trial < trials; ++trial) {
    const Matrix tokens = tokens_of(context, 2 * trial, kTokens, kDim);
    const Matrix values = tokens_of(context, 2 * trial + 1, kTokens, 2);
    const KeyCodes codes =
        context.estimators.hash(context.estimators.draw(context.seed, trial, kRounds, 2, kDim), tokens);
    const Matrix output = attention(tokens, values, codes);
    const Matrix met = union_mask(codes);
    asymmetric += (met - met.transpose()).cwiseAbs().sum() + real((met.diagonal().array() == 0).count());
    for (Index i = 0; i < kTokens; ++i) {
      std::vector<Allowed> mask(kTokens, Allowed::no);
      for (Index j = 0; j < kTokens; ++j) mask[j] = met(i, j) != 0 ? Allowed::yes : Allowed::no;
      const Vector expected = *dense_attention(tokens.row(i).transpose(), tokens, values, mask);
      worst = larger(worst, (output.row(i).transpose() - expected).norm() / values.rowwise().norm().maxCoeff());
    }
  }
  const std::string instance = "20 Gaussian tokens, three rounds of two planes";
  // The same exponentials summed in another order.
  return {exact({instance, "largest distance to attention under the union mask, in units of max||v||"}, worst,
                equals(0, 8 * real(kTokens) * kUnit)),
          exact({instance, "asymmetric or missing diagonal entries of the mask"}, asymmetric, equals(0))};
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S003-3",
       .title = "Attention within buckets costs sum_b n_b^2 pairs, on average sum_ij (1 - theta_ij/pi)^L",
       .source = "derived from document 003, section 3",
       .kind = Kind::expectation,
       .scope = "independent Gaussian planes",
       .chance = Chance::random,
       .measure = [](const Context& c) { return pair_count(c, expected_pairs); },
       .mutants = {{"a token does not attend itself",
                    [](const Context& c) {
                      return pair_count(
                          c, [](const Matrix& t, double l) { return expected_pairs(t, l) - real(t.rows()); });
                    }},
                   {"N^2/2^L",
                    [](const Context& c) {
                      return pair_count(
                          c, [](const Matrix& t, double l) { return real(t.rows() * t.rows()) * std::exp2(-l); });
                    }},
                   {"N^2/2^L + N (1 - 2^-L)",
                    [](const Context& c) {
                      return pair_count(c, [](const Matrix& t, double l) {
                        return real(t.rows() * t.rows()) * std::exp2(-l) + real(t.rows()) * (1 - std::exp2(-l));
                      });
                    }}}},
      {.id = "S003-6",
       .title = "T rounds miss a neighbour with probability (1 - (1 - theta/pi)^L)^T",
       .source = "derived from document 003, section 5",
       .kind = Kind::expectation,
       .scope = "independent Gaussian planes, independent rounds",
       .chance = Chance::random,
       .measure = [](const Context& c) { return rounds_miss(c, of_rounds); },
       .mutants = {{"as with one plane more in a round", [](const Context& c) { return rounds_miss(c, of_rounds, 5); }},
                   {"min(1, T times the miss of one round)",
                    [](const Context& c) {
                      return rounds_miss(c, [](double miss, double t) { return std::min(1.0, t * miss); });
                    }},
                   {"its T-th root",
                    [](const Context& c) {
                      return rounds_miss(c, [](double miss, double t) { return std::pow(miss, 1 / t); });
                    }}},
       .remark = "Reformer, to which the document refers, uses the largest coordinate after a random rotation instead "
                 "of signs."},
      {.id = "S003-9",
       .title = "Several rounds give attention under the union of their masks, counting each pair once",
       .source = "derived from document 003, section 5, which does not say how often a pair counts",
       .scope = "any tokens and planes",
       .measure = [](const Context& c) { return union_of_rounds(c, union_attention); },
       .mutants = {{"mean of the rounds' outputs",
                    [](const Context& c) { return union_of_rounds(c, mean_over_rounds); }},
                   {"pairs counted as often as they meet",
                    [](const Context& c) { return union_of_rounds(c, counted_as_often_as_met); }}},
       .no_near_mutant = "The error is 0 up to rounding, or far from 0."}};
}

}  // namespace skt::bucketed_attention_group
