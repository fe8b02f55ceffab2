#include "estimators/groups/kv_head_lists.hpp"

#include <bit>

#include "estimators/attention.hpp"
#include "estimators/groups/group_scores.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "proofs_check/statements/selection/drawn_exponents.hpp"

namespace skt::kv_head_lists_group {

extern const StatementGroup kGroup = {
    .question = "What is true of one list of keys for all query heads that share a KV head?",
    .notes =
        R"(Head h gives key j the weight 2^x_hj, with normaliser 2^c_h; a group ranks keys by sum_h 2^(x_hj - c_h) or by the
largest of these. G heads, lists of M keys, p_hj the dense softmax weights.

  OWN-17i    a group of one head, or of equal heads, has the list of one head, ties included
  OWN-17ii   no strictly rising map of its scores changes a list
  OWN-17iii  ranked by sum_h p_hj, a list keeps the most sum_h mass_h of all lists of its length: that is the sum of
             sum_h p_hj over its keys, so the M largest are best
  OWN-17iv   it keeps at least 1/G of what G separate lists of the true top M keep: each of those is itself a list of
             M keys, and the best of them keeps at least the mean
  OWN-17v    GM keys in one list keep at least as much as separate lists of M: their union has at most GM keys
  OWN-17vi   a head's own true top M keep at least as much of its mass as any list of M keys)",
    .method =
        "Drawn exponents with many ties; every list of few keys; drawn groups of heads and the group whose heads share no "
        "key.",
    .power = "A hundredth of the keys of a list, a hundredth of a mass.",
    .source = "derived, docs/rankings/kv_head_lists.md"};

namespace {

constexpr SelectionRule kRule{.budget = 20, .sink = 2, .window = 4};
constexpr Index kKeys = 200;

// In eighths, so that many are equal and every sum and difference with them keeps what is equal.
Matrix in_eighths(const Matrix& x) {
  return (8 * x).array().round() / 8;
}

// The list by another route than the estimators': all keys sorted.
std::vector<Index> plain_list(const Vector& scores) {
  std::vector<Index> order(scores.size()), list;
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return scores(a) > scores(b); });
  for (const Index j : order) {
    const bool always = j < kRule.sink || kKeys - 1 - j < kRule.window;
    if (!always && std::ssize(list) < kRule.budget) list.push_back(j);
  }
  for (Index j = 0; j < kKeys; ++j)
    if (j < kRule.sink || kKeys - 1 - j < kRule.window) list.push_back(j);
  std::sort(list.begin(), list.end());
  return list;
}

// The share of a list that another one lacks.
double share_that_differs(const std::vector<Index>& one, const std::vector<Index>& other) {
  std::vector<Index> common;
  std::ranges::set_intersection(one, other, std::back_inserter(common));
  return 1 - real(common.size()) / real(one.size());
}

// A list [keys] claimed to be that of `exponents` alone, scores of which are what `scores_of` makes of them.
using Scores = Vector (*)(const Vector& exponents, std::uint32_t trial);

auto list_is_that_of(Scores scores_of) {
  return [scores_of](const Context& context) -> std::vector<Evidence> {
    Moments differs;
    for (std::uint32_t trial = 0; trial < context.trials(1000); ++trial) {
      const Vector x = in_eighths(drawn_exponents(context.seed, trial, 1, kKeys)).row(0);
      std::vector<Index> list = context.estimators.select(scores_of(x, trial), {}, kRule);
      std::ranges::sort(list);
      differs.add(share_that_differs(plain_list(x), list));
    }
    return {exact({"200 keys with scores in eighths", "share of a list that is not that of the head, mean"},
                  differs.mean(), equals(0))};
  };
}

template <GroupScore score, Normaliser normaliser, Index heads>
Vector of_equal_heads(const Vector& x, std::uint32_t) {
  const Matrix all = x.transpose().replicate(heads, 1);
  return group_scores(all, log2_normalisers(all, normaliser, {}), score);
}
// Each rule and normaliser in turn.
Vector of_group(const Vector& x, std::uint32_t trial) {
  constexpr std::array<Scores, 8> kEach{of_equal_heads<GroupScore::sum, Normaliser::all_keys, 1>,
                                        of_equal_heads<GroupScore::largest, Normaliser::sampled_tiles, 1>,
                                        of_equal_heads<GroupScore::sum, Normaliser::largest, 1>,
                                        of_equal_heads<GroupScore::largest, Normaliser::none, 1>,
                                        of_equal_heads<GroupScore::sum, Normaliser::all_keys, 4>,
                                        of_equal_heads<GroupScore::largest, Normaliser::all_keys, 4>,
                                        of_equal_heads<GroupScore::sum, Normaliser::largest, 4>,
                                        of_equal_heads<GroupScore::sum, Normaliser::none, 2>};
  return kEach[trial % kEach.size()](x, trial);
}
// The second head prefers later keys, by 2^-8 from one to the next.
Vector with_a_tilted_head(const Vector& x, std::uint32_t) {
  Matrix heads = x.transpose().replicate(2, 1);
  heads.row(1) += Vector::LinSpaced(kKeys, 0, real(kKeys - 1) / 256).transpose();
  return group_scores(heads, Vector::Zero(2), GroupScore::sum);
}
Vector ties_to_the_later(const Vector& x, std::uint32_t) {
  return x + Vector::LinSpaced(kKeys, 0, 0.01);
}

Vector risen(const Vector& x, std::uint32_t trial) {
  switch (trial % 3) {
    case 0:
      return x.unaryExpr([](double one) { return std::exp2(one); });
    case 1:
      return 3 * x.array() - 5;
    default:
      return x.array().cube();
  }
}
// bf16, nearest and ties to even, as the scores of query heads that share a KV head are kept (gpu/functors/fixed_weights.hpp).
Vector in_bf16(const Vector& x, std::uint32_t) {
  return x.unaryExpr([](double one) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::exp2(one / 16)));
    return double{std::bit_cast<float>((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000u)};
  });
}
Vector squared(const Vector& x, std::uint32_t) {
  return x.array().square();
}

// OWN-17iii to vi: masses [heads, keys] of drawn heads, of different spread.
Matrix drawn_masses(Seed seed, std::uint32_t trial, Index heads, Index keys) {
  Matrix p = drawn_exponents(seed, trial, heads, keys, 0.5 + trial % 4);
  for (Index h = 0; h < heads; ++h) p.row(h) = *softmax(p.row(h) * std::log(2.0));
  return p;
}

// Each head at a level of its own, which a normaliser takes off again.
Matrix exponents_of(const Matrix& masses) {
  Matrix x = masses.array().log() / std::log(2.0);
  for (Index h = 0; h < x.rows(); ++h) x.row(h).array() += real(3 * h);
  return x;
}

double kept(const Matrix& masses, const std::vector<Index>& list) {
  return masses(Eigen::all, list).sum();
}

struct Ranked {
  GroupScore score = GroupScore::sum;
  Normaliser normaliser = Normaliser::all_keys;
  double error = 0;  // in log2, of the first head's normaliser
};

std::vector<Index> list_of(const Context& context, const Matrix& masses, Index length, const Ranked& by) {
  const Matrix x = exponents_of(masses);
  Vector c = log2_normalisers(x, by.normaliser, {});
  c(0) += by.error;
  return context.estimators.select(group_scores(x, c, by.score), {}, {.budget = length});
}

// The most that any list of `length` keys keeps, every one tried.
double best_of_all(const Matrix& masses, Index length) {
  double best = 0;
  for (std::uint32_t in = 0; in < 1u << masses.cols(); ++in) {
    if (std::popcount(in) != length) continue;
    double mass = 0;
    for (Index j = 0; j < masses.cols(); ++j) mass += (in >> j & 1) != 0 ? masses.col(j).sum() : 0;
    best = std::max(best, mass);
  }
  return best;
}

auto keeps_the_most(const Ranked& by) {
  return [by](const Context& context) -> std::vector<Evidence> {
    const AttainedSupremum worst =
        run_trials(context.trials(2000), AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& s) {
          const Matrix masses = drawn_masses(context.seed, trial, 3, 9);
          const Index length = 1 + trial % 5;
          s.add({best_of_all(masses, length), kept(masses, list_of(context, masses, length, by)), 64 * kUnit},
                [&] { return fmt::format("trial {}", trial); });
        });
    return {supremum("3 heads, 9 keys, every list of 1 to 5 keys", worst)};
  };
}

double kept_separately(const Matrix& masses, Index length) {
  double sum = 0;
  for (Index h = 0; h < masses.rows(); ++h) {
    Vector sorted = masses.row(h);
    std::ranges::sort(sorted, std::greater{});
    sum += sorted.head(std::min(length, sorted.size())).sum();
  }
  return sum;
}

// Head h has all its mass, evenly, on `length` keys of its own.
Matrix masses_without_common_keys(Index heads, Index length) {
  Matrix masses = Matrix::Constant(heads, heads * length, 1e-300);
  for (Index h = 0; h < heads; ++h) masses.row(h).segment(h * length, length).setConstant(1 / real(length));
  return masses;
}

// What one list of one_length(heads, length) keys keeps is claimed to be at least share(heads) of what separate lists of
// `length` keep; with equality where heads share no key.
using Length = Index (*)(Index heads, Index length);
using Share = double (*)(Index heads);

auto keeps_a_share(Share share, Length one_length, Equality equality) {
  return [=](const Context& context) -> std::vector<Evidence> {
    const auto sides = [&](const Matrix& masses, Index length) {
      const double one = kept(masses, list_of(context, masses, one_length(masses.rows(), length), {}));
      return InequalitySides{share(masses.rows()) * kept_separately(masses, length), one, 1e-12 * one};
    };
    const AttainedSupremum worst =
        run_trials(context.trials(2000), AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& s) {
          s.add(sides(drawn_masses(context.seed, trial, 2 + trial % 7, 60), 1 + trial % 6),
                [&] { return fmt::format("trial {}", trial); });
        });
    return {supremum("2 to 8 heads, 60 keys, lists of 1 to 6", worst),
            tight("4 heads that share no key, lists of 4", sides(masses_without_common_keys(4, 4), 4), equality)};
  };
}

// OWN-17vi: a head's mass in one list of M, over that of its own top `own` of M.
auto own_keys_keep_more(Index fewer) {
  return [fewer](const Context& context) -> std::vector<Evidence> {
    const AttainedSupremum worst =
        run_trials(context.trials(2000), AttainedSupremum{}, [&](std::uint32_t trial, AttainedSupremum& s) {
          const Matrix masses = drawn_masses(context.seed, trial, 4, 60);
          const std::vector<Index> list = list_of(context, masses, 12, {});
          for (Index h = 0; h < 4; ++h)
            s.add({masses.row(h)(list).sum(), kept_separately(masses.row(h), 12 - fewer), 64 * kUnit},
                  [&] { return fmt::format("trial {}", trial); });
        });
    const Matrix equal = masses_without_common_keys(1, 12).replicate(4, 1);
    const double one = equal.row(0)(list_of(context, equal, 12, {})).sum();
    return {supremum("4 heads, 60 keys, lists of 12", worst),
            tight("4 equal heads, lists of 12", {one, kept_separately(equal.row(0), 12 - fewer), 1e-12},
                  fewer == 0 ? Equality::attained : Equality::open)};
  };
}

std::vector<Statement> lists_of_one_head() {
  return {{.id = "OWN-17i",
           .title = "A group of one head, or of equal heads, has the list of one head",
           .kind = Kind::ordering,
           .scope = "ties to the lower index; normalisers that do not depend on the key",
           .measure = list_is_that_of(of_group),
           .mutants = {{"one of two heads prefers later keys by 2^-8", list_is_that_of(with_a_tilted_head)},
                       {"ties to the later key", list_is_that_of(ties_to_the_later)}}},
          {.id = "OWN-17ii",
           .title = "A list stays the same under strictly rising maps of its scores",
           .kind = Kind::ordering,
           .scope = "any scores",
           .measure = list_is_that_of(risen),
           .mutants = {{"2^(x/16) rounded to bf16, which rises but not strictly", list_is_that_of(in_bf16)},
                       {"x squared", list_is_that_of(squared)}}}};
}

std::vector<Statement> masses_of_lists() {
  const Share one_part = [](Index heads) { return 1 / real(heads); }, whole = [](Index) { return 1.0; };
  const Length same = [](Index, Index length) { return length; };
  const Length for_all = [](Index heads, Index length) { return heads * length; };
  return {
      {.id = "OWN-17iii",
       .title = "Ranked by the sum of the heads' softmax weights, a list keeps the most mass of all of its length",
       .kind = Kind::inequality,
       .scope = "exact logits, normalisers over all keys; mass summed over the heads",
       .measure = keeps_the_most({}),
       .mutants = {{"the largest of the weights", keeps_the_most({.score = GroupScore::largest})},
                   {"weights not normalised", keeps_the_most({.normaliser = Normaliser::none})},
                   {"one head's normaliser 1.05 times too large", keeps_the_most({.error = std::log2(1.05)})}}},
      {.id = "OWN-17iv",
       .title = "One list keeps at least 1/G of the mass that G lists of the same length keep",
       .kind = Kind::inequality,
       .scope = "exact logits and normalisers; mass summed over the heads",
       .measure = keeps_a_share(one_part, same, Equality::attained),
       .mutants = {{"1.05/G", keeps_a_share([](Index heads) { return 1.05 / real(heads); }, same, Equality::open)},
                   {"1/(G - 1)", keeps_a_share([](Index heads) { return 1 / real(heads - 1); }, same, Equality::open)},
                   {"all of it", keeps_a_share(whole, same, Equality::open)}}},
      {.id = "OWN-17v",
       .title = "One list of G times as many keys keeps at least the mass that G lists keep",
       .kind = Kind::inequality,
       .scope = "exact logits and normalisers; mass summed over the heads",
       .measure = keeps_a_share(whole, for_all, Equality::attained),
       .mutants = {{"1.02 times as much", keeps_a_share([](Index) { return 1.02; }, for_all, Equality::open)},
                   {"one key fewer",
                    keeps_a_share(
                        whole, [](Index heads, Index length) { return heads * length - 1; }, Equality::open)},
                   {"G - 1 times as many",
                    keeps_a_share(
                        whole, [](Index heads, Index length) { return (heads - 1) * length; }, Equality::open)}}},
      {.id = "OWN-17vi",
       .title = "A head's own true top keys keep at least as much of its mass as one list of as many keys",
       .kind = Kind::inequality,
       .scope = "separate lists by exact logits; lists by estimated ones may keep less",
       .measure = own_keys_keep_more(0),
       .mutants = {{"one key fewer", own_keys_keep_more(1)}, {"half as many", own_keys_keep_more(6)}}}};
}

}  // namespace

std::vector<Statement> statements() {
  std::vector<Statement> all = lists_of_one_head();
  const std::vector<Statement> more = masses_of_lists();
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

}  // namespace skt::kv_head_lists_group
