#include "estimators/peers/rankers.hpp"

#include <map>

#include "estimators/peers/bucket_attention.hpp"
#include "estimators/peers/heavy_channels.hpp"
#include "estimators/peers/low_rank_keys.hpp"
#include "estimators/peers/page_bounds.hpp"
#include "estimators/peers/product_quantiser.hpp"
#include "estimators/peers/reference_rankings.hpp"
#include "estimators/peers/rules.hpp"
#include "estimators/peers/sign_projection.hpp"
#include "estimators/weighted_output.hpp"
#include "tests/normal_draws.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

constexpr Index kKeys = 48, kDim = 32;

struct Problem {
  explicit Problem(Index dim = kDim)
      : keys(normal_matrix(Seed{1}, 0, kKeys, dim)),
        values(normal_matrix(Seed{1}, 1, kKeys, 3)),
        calibration(normal_matrix(Seed{1}, 2, 5, dim)),
        query(normal_vector(Seed{1}, 3, dim)) {}

  Matrix keys, values, calibration;
  Vector query;

  std::map<std::string, Ranking> rankings(const std::vector<RankerGroup>& groups) const {
    std::map<std::string, Ranking> all;
    for (const RankerGroup& group : groups) {
      for (Ranking& ranking : group({keys, values, calibration, Seed{2}, 7})) {
        REQUIRE(all.emplace(ranking.name, ranking).second);
      }
    }
    return all;
  }
};

HashSettings settings() {
  return {.tables = 12, .planes = 4, .socket = {.temperature = 0.4}, .top = 3};
}

}  // namespace

TEST_CASE("Every published ranker has its name among the rules, in the group that builds it", "[unit]") {
  const Problem p;
  std::set<std::string> published{kMagicPig};
  for (const auto& [name, ranking] : p.rankings(published_rankers(settings(), kDim))) {
    INFO(name);
    published.insert(name);
    const std::vector<Ranking> alone = built_rules({name}, settings(), {p.keys, p.values, p.calibration, Seed{2}, 7});
    REQUIRE(alone.size() == 1);
    CHECK(alone.front().name == name);
  }
  published.insert("quest-16");
  CHECK(published == std::set<std::string>(rule_names().begin(), rule_names().end()));
  CHECK(published.size() == rule_names().size());
}

TEST_CASE("quest-16 has the bounds of pages of 16 keys, and reads two numbers of a page's coordinate", "[unit]") {
  const Problem p;
  const std::vector<Ranking> quest =
      built_rules({"quest-16"}, settings(), {p.keys, p.values, p.calibration, Seed{2}, 7});
  REQUIRE(quest.size() == 1);
  CHECK(quest.front().bits_per_token == Approx(2.0 * 16 * kDim / 16));
  CHECK(quest.front().scores(p.query) == PageBounds(p.keys, 16).scores(p.query));
}

TEST_CASE("A name stands for the scores and the memory that its own file describes", "[unit]") {
  const Problem p;
  const auto all = p.rankings(published_rankers(settings(), kDim));
  const auto is = [&](const char* name, const Vector& scores, double bits) {
    INFO(name);
    REQUIRE(all.count(name) == 1);
    CHECK(all.at(name).scores(p.query) == scores);
    CHECK(all.at(name).bits_per_token == bits);
  };
  const Hyperplanes w = draw_hyperplanes(Seed{2}, 7, 12, 4, kDim);
  const KeyCodes codes = hash_keys(w, p.keys);
  const Vector norms = row_norms(p.values), soft = soft_scores(w, codes, p.query, settings().socket);
  const Matrix signal = query_signal(w, p.query, Scaling::inverse_sqrt_dim);
  const SignProjection turned(p.keys, 128, ProjectionRows::orthogonal_blocks, Seed{2}, 7);
  const SignProjection free(p.keys, 128, ProjectionRows::independent, Seed{2}, 7);

  is("socket", soft, 48);
  is("socket-value", soft.cwiseProduct(norms), 48 + 16);
  is("hard-lsh", hard_scores(w, codes, p.query), 48);
  is("hamming", hamming_scores(w, codes, p.query), 48);
  is("bucket-attention", bucket_attention_scores(bucket_collisions(signal, codes, 3), p.values), 48 + 16);
  is("signature-hamming", turned.scores(p.query, QuerySide::sign, KeyFactor::none), 128);
  is("signed-orthogonal", turned.scores(p.query, QuerySide::linear, KeyFactor::none), 128);
  is("signed-orthogonal-norm", turned.scores(p.query, QuerySide::linear, KeyFactor::norm), 144);
  is("rabitq", turned.scores(p.query, QuerySide::linear, KeyFactor::exact_on_key), 144);
  is("signed-independent", free.scores(p.query, QuerySide::linear, KeyFactor::none), 128);
  is("qjl", free.scores(p.query, QuerySide::linear, KeyFactor::norm), 144);
  is("quest", PageBounds(p.keys, 2).scores(p.query), 512);
  is("double-sparsity", HeavyChannels(p.keys, p.calibration, kDim).scores(p.query), 512);
  is("loki", LowRankKeys(p.keys, kDim).scores(p.query), 512);
  is("pqcache", ProductQuantiser(p.keys, {.groups = 32, .bits = 4}, Seed{2}, 7).scores(p.query),
     128 + 16.0 * 16 * kDim / kKeys);
  is("value-norm", norms, 16);
  is("random", random_scores(kKeys, Seed{2}, 7), 0);
  is("streaming-llm", sink_and_window_scores(kKeys, 4), 0);
  is("value-distance-oracle", value_distance_scores(p.query, p.keys, p.values), 16 * (kDim + 3));
  is("cosine-oracle", cosine_scores(p.query, p.keys), 16 * kDim);
  is("oracle-top-k", p.keys * p.query, 16 * kDim);
  CHECK(all.size() == 21);
}

TEST_CASE("In more dimensions than 512 bits hold, channels are the calibration's and axes the first ones", "[unit]") {
  constexpr Index kMore = 80;
  const Problem p(kMore);
  const auto all = p.rankings(published_rankers(settings(), kMore));

  CHECK(all.at("double-sparsity").scores(p.query) == HeavyChannels(p.keys, p.calibration, 32).scores(p.query));
  CHECK(heavy_channels(p.keys, p.calibration, 32) != heavy_channels(p.keys, p.keys, 32));
  CHECK(all.at("double-sparsity").bits_per_token == 512);
  CHECK(all.at("loki").scores(p.query) == LowRankKeys(p.keys, 32).scores(p.query));
  CHECK(all.at("loki").bits_per_token == 512);
  CHECK(all.at("quest").scores(p.query) == PageBounds(p.keys, 5).scores(p.query));  // 2 * 16 * 80/5 = 512
  CHECK(all.at("quest").bits_per_token == 512);
}

TEST_CASE("A page has as many keys as bring its bounds within the memory", "[unit]") {
  const Problem p(40);

  // 2 * 16 * 40 = 1280 bits of bounds. Within 512: 3 keys, for 2 would share 640; within 100: 13, for 12 have 106.7.
  const auto published = p.rankings(published_rankers(settings(), 40));
  const auto within = p.rankings(rankers_within(100, settings(), 40));

  CHECK(published.at("quest").bits_per_token == 1280.0 / 3);
  CHECK(published.at("quest").scores(p.query) == PageBounds(p.keys, 3).scores(p.query));
  CHECK(within.at("quest").bits_per_token == 1280.0 / 13);
  CHECK(within.at("quest").scores(p.query) == PageBounds(p.keys, 13).scores(p.query));
}

TEST_CASE("Rankers within a memory keep their codes within it", "[unit]") {
  const Problem p;

  for (const Index bits : {64, 128}) {  // at 256 bits a product quantiser of 32 coordinates has run out of groups
    for (const auto& [name, ranking] : p.rankings(rankers_within(bits, settings(), kDim))) {
      INFO(name << " at " << bits);
      const double codebook = name == "pqcache" ? 16.0 * 16 * kDim / kKeys : 0;
      const std::set<std::string> with_norm = {"socket-value", "bucket-attention", "signed-orthogonal-norm", "rabitq",
                                               "qjl"};
      const double codes = ranking.bits_per_token - codebook - (with_norm.contains(name) ? 16 : 0);
      CHECK(codes <= double(bits));
      CHECK(codes > double(bits) / 2);
    }
  }
}

TEST_CASE("Scores of a KV head take a rule's scores as weights, products, logarithms or an order", "[unit]") {
  const std::vector<Vector> heads{Vector{{4.0, 8.0}}, Vector{{1.0, 3.0}}};
  const GroupRule sums{GroupScore::sum, Normaliser::none}, largest{GroupScore::largest, Normaliser::all_keys};
  const double e = std::log2(std::exp(1.0));

  CHECK(kind_of("socket-value") == ScoreKind::weight);
  CHECK(kind_of("signed-orthogonal-norm-value") == ScoreKind::log_weight);
  CHECK(kind_of(kOwnScores) == ScoreKind::order);
  const Vector weights = kv_head_scores("socket", heads, 4, sums, {});
  CHECK(weights(0) == Approx(std::log2(5)));
  CHECK(weights(1) == Approx(std::log2(11)));
  const Vector shares = kv_head_scores("hamming-value", heads, 4, largest, {});  // 4/12 and 8/12, 1/4 and 3/4
  CHECK(shares(0) == Approx(std::log2(1.0 / 3)));
  CHECK(shares(1) == Approx(std::log2(0.75)));
  const Vector products = kv_head_scores("qjl", heads, 4, sums, {});  // logits 2, 4 and .5, 1.5
  CHECK(products(0) == Approx(std::log2(std::exp(2.0) + std::exp(0.5))));
  const Vector logs = kv_head_scores("quest-value", heads, 4, {GroupScore::largest, Normaliser::none}, {});
  CHECK(logs(1) == Approx(8 * e));
  CHECK(kv_head_scores("cosine-oracle", heads, 4, sums, {}) == Vector{{4.0, 8.0}});
}

TEST_CASE("Signatures and signed projections have the bits that are asked for", "[unit]") {
  const Problem p;
  HashSettings asked = settings();
  asked.bits = 320;
  for (const std::string& name : signature_names()) {
    INFO(name);
    const Ranking built = built_rules({name}, asked, {p.keys, p.values, p.calibration, Seed{2}, 7}).front();
    const double norm = name.ends_with("-norm") || name == "rabitq" || name == "qjl" ? 16 : 0;
    if (!name.ends_with("-value")) CHECK(built.bits_per_token == 320 + norm);
  }
  CHECK(signature_names().size() == 9);
}
