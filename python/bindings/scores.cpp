// Codes, collision scores and selections of one query, on arrays as they lie in memory.
#include "estimators/collision_scores.hpp"
#include "experiments/attend/choices.hpp"
#include "python/bindings/arrays.hpp"
#include "sim/require.hpp"

namespace skt::python {
namespace {

using Planes = ArrayOf<double, 3>;  // [tables, planes, dim]

Hyperplanes hyperplanes_of(const Planes& given) {
  const Eigen::Map<const Matrix> rows(given.data(), size_of(given, 0) * size_of(given, 1), size_of(given, 2));
  return given_hyperplanes(size_of(given, 0), size_of(given, 1), rows);
}

void require_keys_of(const Hyperplanes& hyperplanes, const Rows& keys) {
  require(size_of(keys, 1) == hyperplanes.dim, "keys: dim is {}; the hyperplanes have {}", keys.shape(1),
          hyperplanes.dim);
}

nb::object codes_of(const Planes& given, const Rows& keys, int threads) {
  KeyCodes codes = unlocked(threads, [&] {
    const Hyperplanes hyperplanes = hyperplanes_of(given);
    require_keys_of(hyperplanes, keys);
    return hash_keys(hyperplanes, seen(keys));
  });
  return handed(std::move(codes.codes), {static_cast<std::size_t>(codes.tables), keys.shape(0)});
}

// [queries, keys]
Matrix scores_of(const Hyperplanes& hyperplanes, const Rows& queries, const Rows& keys, Ranker ranker,
                 const SocketParameters& socket) {
  require_keys_of(hyperplanes, keys);
  require(size_of(queries, 1) == hyperplanes.dim, "queries: dim is {}; the hyperplanes have {}", queries.shape(1),
          hyperplanes.dim);
  const KeyCodes codes = hash_keys(hyperplanes, seen(keys));
  Matrix scores(size_of(queries, 0), size_of(keys, 0));
  for (Index i = 0; i < scores.rows(); ++i) {
    const Vector query = seen(queries).row(i);
    if (ranker == Ranker::socket) scores.row(i) = soft_scores(hyperplanes, codes, query, socket);
    if (ranker == Ranker::hard_lsh) scores.row(i) = hard_scores(hyperplanes, codes, query);
    if (ranker == Ranker::hamming) scores.row(i) = hamming_scores(hyperplanes, codes, query);
  }
  return scores;
}

nb::object scores(const Planes& given, const Rows& queries, const Rows& keys, const std::string& ranker,
                  double temperature, const std::string& scaling, int threads) {
  const SocketParameters socket{temperature, meant_by(kScalings, "scaling", scaling)};
  const Ranker meant = meant_by(kRankers, "ranker", ranker);
  return handed(unlocked(threads, [&] { return scores_of(hyperplanes_of(given), queries, keys, meant, socket); }));
}

std::vector<Index> selection(const Numbers& given, const std::optional<ArrayOf<bool, 1>>& allowed, Index budget,
                             Index sink, Index window) {
  require(budget >= 0 && sink >= 0 && window >= 0, "budget {}, sink {}, window {}: allowed are 0 and more", budget,
          sink, window);
  std::vector<Allowed> mask;
  if (allowed)
    for (std::size_t i = 0; i < allowed->shape(0); ++i) mask.push_back(allowed->data()[i] ? Allowed::yes : Allowed::no);
  require(!allowed || allowed->shape(0) == given.shape(0), "mask: {} keys; the scores have {}",
          allowed ? allowed->shape(0) : 0, given.shape(0));
  return unlocked(0, [&] {
    return select_keys(masked_scores(seen(given), mask), mask, {.budget = budget, .sink = sink, .window = window});
  });
}

}  // namespace

void bind_scores(nb::module_& module) {
  module.def("hash_keys", &codes_of, nb::arg("hyperplanes"), nb::arg("keys"), nb::arg("threads"));
  module.def("scores", &scores, nb::arg("hyperplanes"), nb::arg("queries"), nb::arg("keys"), nb::arg("ranker"),
             nb::arg("temperature"), nb::arg("scaling"), nb::arg("threads"));
  module.def("select", &selection, nb::arg("scores"), nb::arg("mask").none(), nb::arg("budget"), nb::arg("sink"),
             nb::arg("window"));
}

}  // namespace skt::python
