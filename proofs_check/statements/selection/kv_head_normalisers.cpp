#include "estimators/groups/group_scores.hpp"
#include "proofs_check/statements/measuring.hpp"
#include "proofs_check/statements/selection/drawn_exponents.hpp"
#include "sim/normal_rows.hpp"

namespace skt::kv_head_normalisers_group {

extern const StatementGroup kGroup = {
    .question = "Which normaliser does a head need where query heads share a list of keys?",
    .notes =
        R"(Head h gives key j the weight 2^x_hj; a group ranks keys by sum_h 2^(x_hj - c_h), c_h the head's normaliser.

  OWN-17vii  over one key in each bucket of each table SOCKET's scores add up to L, whatever the query: where keys fill the
             buckets evenly, normalisers of the heads do not differ
  OWN-17viii the normaliser of 16 sampled tiles is exact for up to 16 tiles, and beyond it in the mean over the rotations of the keys between
            the first tile and the last, where every key is as often read)",
    .method = "Every bucket of drawn tables; every rotation of the keys.",
    .power = "A hundredth of a sum of scores, 2% of a normaliser.",
    .source = "derived, docs/rankings/kv_head_lists.md"};

namespace {

// OWN-17vii: the sum of the scores of keys whose codes are, in each table, every bucket once.
auto scores_of_all_buckets(double (*claimed)(Index tables)) {
  return [claimed](const Context& context) -> std::vector<Evidence> {
    BothSides sums;
    for (const Index planes : {1, 4, 10}) {
      const Index tables = 12, dim = 32, buckets = Index{1} << planes;
      const Hyperplanes drawn = context.estimators.draw(context.seed, 0, tables, planes, dim);
      KeyCodes codes = context.estimators.hash(drawn, normal_rows(context.seed, {Role::test_draw, 1}, buckets, dim));
      for (Index table = 0; table < tables; ++table)
        for (Index j = 0; j < buckets; ++j)
          codes.codes[table * buckets + j] = static_cast<std::uint32_t>((5 * table + j) % buckets);
      for (std::uint32_t trial = 0; trial < context.trials(40); ++trial) {
        const Vector query =
            std::pow(10.0, trial % 4 - 1.0) * normal_rows(context.seed, {Role::test_draw, trial, 3}, 1, dim).row(0);
        const double sum = context.estimators.soft(drawn, codes, query, {.temperature = 0.1 + 0.2 * (trial % 3)}).sum();
        sums.add(sum, claimed(tables), 4 * real(buckets * tables) * kUnit);
      }
    }
    return {sums.evidence({"d=32, L=12, P=1, 4, 10, queries of norm .6 to 600", "sum of the scores over the claim"})};
  };
}

// OWN-17viii: 2^c over the sum of the weights, mean over all rotations of the keys between the first and the last tile.
using Log2Sum = double (*)(const Vector& exponents);

double exp2_sum(const Vector& x) {
  return x.unaryExpr([](double one) { return std::exp2(one); }).sum();
}

double by_estimator(const Vector& x) {
  return log2_normalisers(x.transpose(), Normaliser::sampled_tiles, {})(0);
}
template <class Weight>
double by_weights(const Vector& x, Weight weight) {
  double sum = 0;
  for (const Index tile : sampled_tiles(x.size()))
    for (Index j = tile * kTileKeys; j < std::min(x.size(), (tile + 1) * kTileKeys); ++j)
      sum += weight(tile) * std::exp2(x(j));
  return std::log2(sum);
}

auto is_right_in_the_mean(Log2Sum log2_sum) {
  return [log2_sum](const Context& context) -> std::vector<Evidence> {
    std::vector<Evidence> evidence;
    for (const Index tiles : {20, 40}) {
      const Index keys = tiles * kTileKeys - 40, between = (tiles - 2) * kTileKeys;
      Vector x = drawn_exponents(context.seed, 0, 1, keys, 1).row(0);
      x.tail(keys - kTileKeys - between).array() += 4;  // as a window has it
      const double whole = exp2_sum(x);
      double sum = 0;
      for (Index places = 0; places < between; ++places) {
        std::rotate(x.begin() + kTileKeys, x.begin() + kTileKeys + 1, x.begin() + kTileKeys + between);
        sum += std::exp2(log2_sum(x));
      }
      evidence.push_back(exact({fmt::format("{} tiles, the last one heavy", tiles), "sampled normaliser / exact, mean"},
                               sum / whole / real(between), equals(1, 1e-12)));
    }
    const Vector few = drawn_exponents(context.seed, 1, 1, 1000, 3).row(0);
    evidence.push_back(
        exact({"16 tiles", "sampled normaliser / exact"}, std::exp2(log2_sum(few)) / exp2_sum(few), equals(1, 1e-12)));
    return evidence;
  };
}

}  // namespace

std::vector<Statement> statements() {
  return {
      {.id = "OWN-17vii",
       .title = "Over one key in each bucket of each table SOCKET's scores add up to L, whatever the query",
       .scope = "any query, any temperature",
       .measure = scores_of_all_buckets([](Index tables) { return real(tables); }),
       .mutants = {{"1.01 L", scores_of_all_buckets([](Index tables) { return 1.01 * real(tables); })},
                   {"1", scores_of_all_buckets([](Index) { return 1.0; })}},
       .remark = "The mean is L/2^P. Keys with a common direction do not fill the buckets evenly, and the sums of a "
                 "group's heads then differ."},
      {.id = "OWN-17viii",
       .title = "The normaliser of 16 sampled tiles is exact for 16 tiles, and for more in the mean over rotations",
       .kind = Kind::expectation,
       .scope = "rotations of the keys between the first and the last tile",
       .measure = is_right_in_the_mean(by_estimator),
       .mutants = {{"every sampled tile stands for T/16", is_right_in_the_mean([](const Vector& x) {
                      const double tiles = std::ceil(real(x.size()) / real(kTileKeys));
                      return by_weights(x, [=](Index) { return std::max(1.0, tiles / 16); });
                    })},
                   {"a tile between stands for 1.02 (T - 2)/14", is_right_in_the_mean([](const Vector& x) {
                      return by_weights(x, [&](Index tile) {
                        const double weight = tile_weight(tile, x.size());
                        return weight > 1 ? 1.02 * weight : 1;
                      });
                    })}}}};
}

}  // namespace skt::kv_head_normalisers_group
