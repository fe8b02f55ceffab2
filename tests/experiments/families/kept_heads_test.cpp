// The heads that come with the program, read as a command without --learned reads them, against the bytes of their file,
// and SOCKET's recall in plain loops. What the header says of their attention: tests/docs/tables_test.py.
#include <fmt/format.h>

#include <bit>
#include <cstdint>

#include "estimators/hyperplanes.hpp"
#include "experiments/families/family_option.hpp"
#include "experiments/families/learned_file.hpp"
#include "sim/families.hpp"
#include "sim/json.hpp"
#include "tests/experiments/families/run_command.hpp"
#include "tests/experiments/temporary_folder.hpp"
#include "tests/numbers.hpp"

using namespace skt;

namespace {

constexpr Index kHeads = 9, kKeyHeads = 3, kQueries = 64, kKeys = 4096, kDim = 64;

std::string kept_file() {
  return learned_file({"learned"}, "");
}

// The first eight bytes are the length of the header, little-endian; then the header; then the numbers.
struct Bytes {
  std::string all = contents(kept_file());

  std::uint64_t whole(std::size_t at, int count) const {
    std::uint64_t number = 0;
    for (int i = 0; i < count; ++i)
      number |= std::uint64_t{static_cast<unsigned char>(all[at + static_cast<std::size_t>(i)])} << (8 * i);
    return number;
  }
  std::size_t data() const { return 8 + whole(0, 8); }
  Json header() const { return Json::parse(all.substr(8, data() - 8)); }
};

// How many numbers of these matrices are not those of the tensor, whose bf16 is the upper half of a float32.
Index different(const Bytes& bytes, const char* tensor, const std::vector<Matrix>& matrices) {
  std::size_t at = bytes.data() + bytes.header().at(tensor).at("data_offsets").at(0).get<std::size_t>();
  Index count = 0;
  for (const Matrix& matrix : matrices)
    for (Index i = 0; i < matrix.rows(); ++i)
      for (Index j = 0; j < matrix.cols(); ++j, at += 2) {
        const auto bits = static_cast<std::uint32_t>(bytes.whole(at, 2)) << 16;
        count += matrix(i, j) == static_cast<double>(std::bit_cast<float>(bits)) ? 0 : 1;
      }
  return count;
}

// SOCKET's score of every key in plain loops: the product over planes of 1 / (1 + exp(-2 u c / tau)), u = tanh(w.q) /
// sqrt(dim), c the sign of w.k, summed over tables.
std::vector<double> scores_by_hand(const Instance& instance, const Hyperplanes& w, double temperature) {
  std::vector<double> scores(static_cast<std::size_t>(instance.num_keys()), 0);
  for (Index table = 0; table < w.tables; ++table)
    for (Index key = 0; key < instance.num_keys(); ++key) {
      double probability = 1;
      for (Index plane = 0; plane < w.planes; ++plane) {
        const auto row = w.rows.row(table * w.planes + plane);
        const double side = row.dot(instance.keys.row(key)) >= 0 ? 1 : -1;
        const double signal = std::tanh(row.dot(instance.query)) / std::sqrt(static_cast<double>(kDim));
        probability /= 1 + std::exp(-2 * signal * side / temperature);
      }
      scores[static_cast<std::size_t>(key)] += probability;
    }
  return scores;
}

// The keys by falling score. The one at `budget` must lie clearly below its predecessor, so that no tie decides.
std::vector<Index> best(const std::vector<double>& scores, Index budget) {
  std::vector<Index> order(scores.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return scores[a] > scores[b]; });
  REQUIRE(scores[order[budget - 1]] > scores[order[budget]] * (1 + 1e-9));
  order.resize(static_cast<std::size_t>(budget));
  std::sort(order.begin(), order.end());
  return order;
}

double recall_by_hand(const Instance& instance, const Hyperplanes& hyperplanes, Index budget) {
  std::vector<double> products;
  for (Index key = 0; key < instance.num_keys(); ++key) products.push_back(instance.keys.row(key).dot(instance.query));
  const std::vector<Index> true_top = best(products, budget);
  std::vector<Index> both;
  const std::vector<Index> chosen = best(scores_by_hand(instance, hyperplanes, 0.5), budget);
  std::set_intersection(chosen.begin(), chosen.end(), true_top.begin(), true_top.end(), std::back_inserter(both));
  return static_cast<double>(both.size()) / static_cast<double>(budget);
}

}  // namespace

TEST_CASE("The heads that come with the program are the numbers of their file", "[unit]") {
  const Bytes bytes;
  const Json header = bytes.header();

  const auto heads = read_learned_heads(kept_file());

  CHECK(header.at("q").at("shape") == Json({kHeads, kQueries, kDim}));
  CHECK(header.at("k").at("shape") == Json({kKeyHeads, kKeys, kDim}));
  CHECK(header.at("v").at("shape") == Json({kKeyHeads, kKeys, kDim}));
  REQUIRE(std::ssize(heads->queries) == kHeads);
  REQUIRE(std::ssize(heads->keys) == kKeyHeads);
  REQUIRE(std::ssize(heads->values) == kKeyHeads);
  for (const Matrix& queries : heads->queries) CHECK((queries.rows() == kQueries && queries.cols() == kDim));
  for (const Matrix& keys : heads->keys) CHECK((keys.rows() == kKeys && keys.cols() == kDim));
  CHECK(different(bytes, "q", heads->queries) == 0);
  CHECK(different(bytes, "k", heads->keys) == 0);
  CHECK(different(bytes, "v", heads->values) == 0);
  CHECK(std::ssize(bytes.all) ==
        static_cast<Index>(bytes.data()) + 2 * kDim * (kHeads * kQueries + 2 * kKeyHeads * kKeys));
}

TEST_CASE("rank on a kept head names its file, and SOCKET's recall is that of plain loops", "[slow]") {
  constexpr Index kBudget = 41, kTables = 12, kPlanes = 5;  // 1% of the keys
  constexpr std::uint32_t kTrials = 2;
  const TemporaryFolder folder;

  const CommandRun ranked =
      run_command(rank_command,
                  fmt::format("rank --part rankers --families learned-6-63 --tables {} --planes {} --trials {} "
                              "--densities 0.01 --sizes 64",
                              kTables, kPlanes, kTrials),
                  folder.path);

  CHECK(ranked.code == kAsExpected);
  CHECK(ranked.source() == read_learned_heads(kept_file())->source);
  const FamilyParameters one = with_heads({}, read_learned_heads(kept_file()), 6, 63);
  const Seed of_rankers = derive_seed(Seed{3}, 1);  // as rank_parts.cpp takes it; instances do not depend on it
  double expected = 0;
  for (std::uint32_t trial = 0; trial < kTrials; ++trial)
    expected += recall_by_hand(make_instance(one, of_rankers, trial),
                               draw_hyperplanes(of_rankers, trial, kTables, kPlanes, kDim), kBudget) /
                kTrials;
  const std::vector<std::string> rankers = ranked.column("rankers.csv", "ranker"),
                                 recalls = ranked.column("rankers.csv", "recall");
  const auto socket = std::find(rankers.begin(), rankers.end(), "socket") - rankers.begin();
  REQUIRE(socket < std::ssize(rankers));
  CHECK(std::stod(recalls[socket]) == Approx(expected).epsilon(1e-12));
  CHECK(expected > 0);
  CHECK(expected < 1);
}
