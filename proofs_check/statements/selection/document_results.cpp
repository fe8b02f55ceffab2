#include <optional>

#include "estimators/metrics/selection_prediction.hpp"
#include "estimators/population/weights.hpp"
#include "estimators/soft_buckets.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "sim/random_families.hpp"

namespace skt::document_results_group {

extern const StatementGroup kGroup = {
    .question = "What do documents 000 and 001 say about budgets, tables and scores (their experimental setup)?",
    .notes = R"(S000-10  5, 10 and 20% of 32000 tokens
S000-11  recall of one needle: with 24 tables against 4 at density .05, and against 4 at density .10
S000-11-recovery  "full recovery" is one of scores of a language model; read as recall, it is predicted here
S001-10  the same sentence in document 001
S000-12  the scores of document 000 (SOCKET, K=12, L=60) beside those of document 001 (bucket attention, K=4, L=31))",
    .method =
        "Arithmetic; paired recall over draws of keys and tables, in empirical Bernstein intervals; the printed "
        "cells.",
    .power = "Differences in recall of 0.2 at smoke size.",
    .source = "document 000, experimental setup"};

namespace {

// S000-10.
std::vector<Evidence> budgets(double tokens, double factor) {
  std::vector<Evidence> evidence;
  for (const double share : {0.05, 0.10, 0.20}) {
    evidence.push_back(exact({fmt::format("share {:.2f}", share), "token budget/tokens"}, 32000 * share / tokens,
                             equals(factor * share, kUnit)));
  }
  return evidence;
}

// S000-11.
constexpr Index kKeys = 60, kDim = 16, kPlanes = 6, kFewTables = 4, kManyTables = 24;

// How many keys score higher than the needle, with few and with many of the same tables?
struct Ahead {
  double few = 0, many = 0;
};

Ahead ahead_of_needle(const Context& context, std::uint32_t trial) {
  const Instance instance = make_instance(
      {.family = InstanceFamily::needle, .keys = kKeys, .dim = kDim, .needle_cosine = 0.7}, context.seed, trial);
  const Hyperplanes planes = context.estimators.draw(context.seed, trial, kManyTables, kPlanes, kDim);
  const KeyCodes codes = context.estimators.hash(planes, instance.keys);
  const Matrix signal = query_signal(planes, instance.query, Scaling::none);
  Vector score = Vector::Zero(kKeys);
  Ahead ahead;
  for (Index l = 0; l < kManyTables; ++l) {
    const HalfTables halves = half_tables({signal.row(l).data(), kPlanes}, 0.3);
    for (Index j = 0; j < kKeys; ++j) score(j) += halves.probability(codes.table(l)[j]);
    const double above = real((score.array() > score(needle_index(kKeys))).count());
    if (l == kFewTables - 1) ahead.few = above;
    ahead.many = above;
  }
  return ahead;
}

double found(double ahead, double density) {
  return ahead < density * real(kKeys) ? 1 : 0;
}

auto more_tables(const Claim& gain) {
  return [gain](const Context& context) -> std::vector<Evidence> {
    const MomentsList gains =
        run_trials(context.trials(6000), MomentsList(2), [&](std::uint32_t trial, MomentsList& m) {
          const Ahead ahead = ahead_of_needle(context, trial);
          m.of[0].add(found(ahead.many, 0.05) - found(ahead.few, 0.05));
          m.of[1].add(found(ahead.many, 0.05) - found(ahead.few, 0.10));
        });
    const char* const instance = "needle at cosine .7 among 60 Gaussian keys, d=16, P=6, tau=.3";
    const Precision precision{context.share(2), 0.4};
    return {mean_of_bounded({instance, "recall at density .05 with 24 tables less that with 4"}, gains.of[0], 2, gain,
                            precision),
            mean_of_bounded({instance, "recall at density .05 with 24 tables less that at .10 with 4"}, gains.of[1], 2,
                            gain, precision)};
  };
}

// S000-12: a score at 1600, 3200 and 6400 tokens; no cell where the document has a blank.
using Cell = std::optional<double>;
using Scores = std::array<std::array<Cell, 3>, 6>;  // vt, fwe, multikey_2, qa_2, qa_1, multikey_3

constexpr Cell kBlank;
constexpr Scores kDocument000{{{kBlank, kBlank, 92.0},
                               {kBlank, kBlank, 93.3},
                               {kBlank, 94.0, 96.0},
                               {kBlank, 56.0, 58.0},
                               {kBlank, 80.0, 80.0},
                               {94.0, 100.0, 100.0}}};
constexpr Scores kDocument001{{{kBlank, kBlank, 92.0},
                               {kBlank, kBlank, 93.3},
                               {kBlank, 94.0, 96.0},
                               {kBlank, 56.0, 58.0},
                               {kBlank, 80.0, 80.0},
                               {kBlank, 100.0, 100.0}}};

auto same_cells(const Scores& other, double only_in_000) {
  return [=](const Context&) -> std::vector<Evidence> {
    BothSides common;
    double only_000 = 0, only_001 = 0;
    for (std::size_t row = 0; row < kDocument000.size(); ++row) {
      for (std::size_t budget = 0; budget < 3; ++budget) {
        const Cell a = kDocument000[row][budget], b = other[row][budget];
        if (a && b) common.add(*a, *b, kUnit * *b);
        only_000 += a && !b;
        only_001 += !a && b;
      }
    }
    const char* const what = "six datasets, three budgets";
    return {common.evidence({what, "cell of document 000 over that of document 001"}),
            exact({what, "cells that both print"}, real(common.pairs), equals(10)),
            exact({what, "cells of document 000 alone"}, only_000, equals(only_in_000)),
            exact({what, "cells of document 001 alone"}, only_001, equals(0))};
  };
}

// S001-10: "50-32 tables". The ranges of tables at 20, 10 and 5% density; the lower end is no higher than the upper.
auto ranges_of_tables(const std::array<std::pair<int, int>, 3>& ranges) {
  return [ranges](const Context&) {
    std::vector<Evidence> evidence;
    for (const auto& [least, most] : ranges)
      evidence.push_back(
          exact({fmt::format("{}-{} tables", least, most), "upper end less lower end"}, most - least, at_least(0)));
    return evidence;
  };
}

// S000-11-recovery: predicted recall of the true top keys at the tables that are said to recover all.
auto recovers(double least) {
  return [least](const Context& context) {
    constexpr Index kGaussianKeys = 4096;
    const Instance instance = make_instance({.keys = kGaussianKeys}, context.seed, 0);
    const PopulationParameters at = population_parameters(instance, 12, 0.3, Scaling::inverse_sqrt_dim);
    std::vector<Evidence> evidence;
    for (const auto& [tables, percent] : {std::pair{32, 20}, {52, 10}, {80, 5}}) {
      const Index budget = kGaussianKeys * percent / 100;
      evidence.push_back(exact({fmt::format("4096 Gaussian keys, d=128 P=12 tau=.3, {}% with L={}", percent, tables),
                                "predicted recall of the true top keys"},
                               predict_selection(instance, at, tables, budget, PredictedScore::soft).recall,
                               at_least(least)));
    }
    return evidence;
  };
}

Scores with(Scores scores, std::size_t row, std::size_t budget, double score) {
  scores[row][budget] = score;
  return scores;
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "S000-10",
       .title = "Budgets of 1600, 3200 and 6400 tokens are 5, 10 and 20% of 32000",
       .quote = "Token Budget 1600 (0.05)",
       .scope = "arithmetic",
       .measure = [](const Context&) { return budgets(32000, 1); },
       .mutants = {{"of 32768 tokens", [](const Context&) { return budgets(32768, 1); }},
                   {"shares one row up", [](const Context&) { return budgets(32000, 2); }}}},
      {.id = "S000-11",
       .title = "More tables recover what a lower density loses",
       .quote = "there is a need to increase L (hash tables)",
       .kind = Kind::ordering,
       .scope = "surrogate: recall of one needle; the document's numbers come from a language model",
       .chance = Chance::random,
       .measure = more_tables(at_least(0)),
       .mutants = {{"recall falls with the tables", more_tables(at_most(0))},
                   {"by at least .65", more_tables(at_least(0.65))}},
       .remark = "\"As the sparsity drops\" means as the density drops. That a lower density needs more tables for the "
                 "same recall is arithmetic, because larger selections contain smaller ones. What is measured is that "
                 "more tables raise the recall."},
      {.id = "S000-12",
       .title = "Documents 000 and 001 print the same scores for two methods, except in one cell",
       .source = "documents 000 and 001, experimental setup",
       .scope = "the printed cells; the scores of a language model are not checked",
       .measure = same_cells(kDocument001, 1),
       .mutants = {{"qa_2 at 3200 tokens is 58 in document 001", same_cells(with(kDocument001, 3, 1, 58), 1)},
                   {"no cell of document 000 alone", same_cells(kDocument001, 0)}},
       .remark = "SOCKET with K=12, L=60, tau=.3 in document 000 and bucket attention with K=4, L=31, t=4 in document "
                 "001 have the same ten scores. Only document 000 prints multikey_3 at 1600 tokens, 94."},
      {.id = "S000-11-recovery",
       .title = "32, 52 and 80 tables recover all true top keys at densities of 20, 10 and 5%",
       .wording = Wording::reading,
       .kind = Kind::ordering,
       .scope = "recall by q.k on Gaussian keys, N = 4096, as Approximation 12 predicts it; P = 12, tau = .3",
       .measure = recovers(0.99),
       .controls = {{"half of them", recovers(0.5)}},
       .expected = Verdict::refuted,
       .remark =
           "Full recovery is said of the scores of a language model (S000-11-scores); read as recall it is ours. "
           "Predicted are .55, .52 and .52: the tables that are said to be enough keep the recall level while the "
           "density falls."},
      {.id = "S001-10",
       .title = "A density of 10% needs 50-32 tables",
       .source = "document 001, experimental setup",
       .quote = "Full recovery for 10% sparsity can be done with 50-32 tables",
       .kind = Kind::ordering,
       .scope = "the printed ranges",
       .measure = ranges_of_tables({{{30, 32}, {50, 32}, {78, 80}}}),
       .controls = {{"50-52, as document 000 prints", ranges_of_tables({{{30, 32}, {50, 52}, {78, 80}}})}},
       .expected = Verdict::refuted,
       .severity = Severity::misprint,
       .remark = "Document 000 prints 50-52 in the same sentence."}};
}

}  // namespace skt::document_results_group
