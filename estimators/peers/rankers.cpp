#include "estimators/peers/rankers.hpp"

#include <algorithm>
#include <memory>

#include "estimators/peers/bucket_attention.hpp"
#include "estimators/peers/heavy_channels.hpp"
#include "estimators/peers/low_rank_keys.hpp"
#include "estimators/peers/page_bounds.hpp"
#include "estimators/peers/product_quantiser.hpp"
#include "estimators/peers/reference_rankings.hpp"
#include "estimators/peers/sign_projection.hpp"
#include "estimators/weighted_output.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

constexpr Index kHalf = 16;  // bits of a half-precision number

// A group of one ranking, for an index with scores(query) and bits_per_token().
template <class Index_>
std::vector<Ranking> single(const std::string& name, Index_ built) {
  const auto index = std::make_shared<const Index_>(std::move(built));
  return {{name, index->bits_per_token(), [index](const Vector& query) { return index->scores(query); }}};
}

struct HashIndex {
  Hyperplanes hyperplanes;
  KeyCodes codes;
  Vector value_norms;
};

// The largest divisor of dim that is at most `most`.
Index divisor_within(Index dim, Index most) {
  Index divisor = std::clamp<Index>(most, 1, dim);
  while (dim % divisor != 0) --divisor;
  return divisor;
}

// The fewest keys that share two half-precision bounds of each coordinate at no more than `bits` a key.
Index keys_in_page(Index dim, Index bits) {
  return std::max<Index>(1, (2 * kHalf * dim + bits - 1) / bits);
}

}  // namespace

RankerGroup hash_rankers(const HashSettings& s) {
  return [s](const RankerInput& input) -> std::vector<Ranking> {
    Hyperplanes planes = input.hyperplanes != nullptr
                             ? *input.hyperplanes
                             : draw_hyperplanes(input.seed, input.trial, s.tables, s.planes, input.keys.cols());
    KeyCodes codes = hash_keys(planes, input.keys);
    const auto index =
        std::make_shared<const HashIndex>(HashIndex{std::move(planes), std::move(codes), row_norms(input.values)});
    const Index bits = s.tables * s.planes;
    const auto soft = [index, s](const Vector& q) {
      return soft_scores(index->hyperplanes, index->codes, q, s.socket);
    };
    const auto opened = [index, s, &values = input.values](const Vector& q) {
      const Matrix signal = query_signal(index->hyperplanes, q, s.socket.scaling);
      return bucket_attention_scores(bucket_collisions(signal, index->codes, s.top), values);
    };
    return {
        {"socket", real(bits), soft},
        {"socket-value", real(bits + kHalf),
         [soft, index](const Vector& q) -> Vector { return soft(q).cwiseProduct(index->value_norms); }},
        {"hard-lsh", real(bits), [index](const Vector& q) { return hard_scores(index->hyperplanes, index->codes, q); }},
        {"hamming", real(bits),
         [index](const Vector& q) { return hamming_scores(index->hyperplanes, index->codes, q); }},
        {"bucket-attention", real(bits + kHalf), opened}};
  };
}

RankerGroup signature_rankers(Index bits) {
  return [bits](const RankerInput& input) {
    const auto built = [&](ProjectionRows rows) {
      return std::make_shared<const SignProjection>(input.keys, bits, rows, input.seed, input.trial);
    };
    const auto orthogonal = built(ProjectionRows::orthogonal_blocks), independent = built(ProjectionRows::independent);
    const auto ranking = [](const char* name, auto index, QuerySide side, KeyFactor factor) -> Ranking {
      return {name, index->bits_per_token(factor),
              [=](const Vector& query) { return index->scores(query, side, factor); }};
    };
    return std::vector<Ranking>{ranking("signature-hamming", orthogonal, QuerySide::sign, KeyFactor::none),
                                ranking("signed-orthogonal", orthogonal, QuerySide::linear, KeyFactor::none),
                                ranking("signed-orthogonal-norm", orthogonal, QuerySide::linear, KeyFactor::norm),
                                ranking("rabitq", orthogonal, QuerySide::linear, KeyFactor::exact_on_key),
                                ranking("signed-independent", independent, QuerySide::linear, KeyFactor::none),
                                ranking("qjl", independent, QuerySide::linear, KeyFactor::norm)};
  };
}

RankerGroup quest_ranker(Index page, const std::string& name) {
  return [=](const RankerInput& input) { return single(name, PageBounds(input.keys, page)); };
}

RankerGroup double_sparsity_ranker(Index channels) {
  return [=](const RankerInput& input) {
    return single("double-sparsity", HeavyChannels(input.keys, input.calibration_queries, channels));
  };
}

RankerGroup loki_ranker(Index rank) {
  return [=](const RankerInput& input) { return single("loki", LowRankKeys(input.keys, rank)); };
}

RankerGroup pqcache_ranker(Index groups, Index bits) {
  return [=](const RankerInput& input) {
    return single("pqcache", ProductQuantiser(input.keys, {.groups = groups, .bits = bits}, input.seed, input.trial));
  };
}

RankerGroup reference_rankers() {
  return [](const RankerInput& input) -> std::vector<Ranking> {
    constexpr Index kSinkKeys = 4;  // StreamingLLM's
    const Matrix &keys = input.keys, &values = input.values;
    const Index count = keys.rows();
    const double whole_key = real(kHalf * keys.cols());
    const Vector norms = row_norms(input.values), chance = random_scores(count, input.seed, input.trial);
    return {{"value-norm", real(kHalf), [norms](const Vector&) { return norms; }},
            {"random", 0, [chance](const Vector&) { return chance; }},
            {"streaming-llm", 0, [count](const Vector&) { return sink_and_window_scores(count, kSinkKeys); }},
            {"value-distance-oracle", whole_key + real(kHalf * values.cols()),
             [&keys, &values](const Vector& q) { return value_distance_scores(q, keys, values); }},
            {"cosine-oracle", whole_key, [&keys](const Vector& q) { return cosine_scores(q, keys); }},
            {"oracle-top-k", whole_key, [&keys](const Vector& q) -> Vector { return keys * q; }}};
  };
}

std::vector<RankerGroup> published_rankers(const HashSettings& settings, Index dim) {
  const Index sixteenths = std::min<Index>(32, dim);  // 512 bits of half-precision numbers
  const Index page = keys_in_page(dim, 512);
  return {hash_rankers(settings),      signature_rankers(settings.bits),
          quest_ranker(page, "quest"), double_sparsity_ranker(sixteenths),
          loki_ranker(sixteenths),     pqcache_ranker(divisor_within(dim, 256 / 4), 4),
          reference_rankers()};
}

std::vector<RankerGroup> rankers_within(Index bits, const HashSettings& settings, Index dim) {
  constexpr Index kCentroidBits = 4;
  const Index numbers = std::clamp<Index>(bits / kHalf, 1, dim);
  HashSettings fewer = settings;
  fewer.tables = std::max<Index>(1, bits / settings.planes);
  const Index page = keys_in_page(dim, bits);
  return {hash_rankers(fewer),         signature_rankers(bits),
          quest_ranker(page, "quest"), double_sparsity_ranker(numbers),
          loki_ranker(numbers),        pqcache_ranker(divisor_within(dim, bits / kCentroidBits), kCentroidBits)};
}

}  // namespace skt
