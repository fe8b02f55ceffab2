#include "experiments/gpu/candidate_scores.hpp"

#include <cstring>

#include "gpu/check/cases/element_type.hpp"
#include "gpu/check/problems/problem.hpp"
#include "tests/experiments/array_file.hpp"
#include "tests/experiments/refusal.hpp"
#include "tests/experiments/temporary_folder.hpp"
#include "tests/numbers.hpp"

using namespace skt;
using gpu::CheckCase;

namespace {

// The middle of every interval.
std::vector<float> good_scores(const CheckCase& c) {
  const gpu::Problem problem = gpu::make_problem(c);
  std::vector<float> scores;
  for (std::int64_t row = 0; row < c.batch * c.heads; ++row) {
    for (const gpu::ScoreInterval& interval : gpu::score_intervals(c, problem, row)) {
      const double middle = (interval.low + interval.high) / 2;
      scores.push_back(std::isinf(interval.low) ? -INFINITY : static_cast<float>(middle));
    }
  }
  return scores;
}

// Two rows of 30 keys, about half of them forbidden.
CheckCase two_heads() {
  return CheckCase::parse("operation=score-buckets,mask=random,heads=2,kv_heads=1,keys=30");
}

gpu::Comparison checked(const std::filesystem::path& file, gpu::ScoredFrom from = gpu::ScoredFrom::own_hash) {
  return check_candidate_scores(two_heads(), from, file.string());
}

}  // namespace

TEST_CASE("scores are read as fp16, fp32 and fp64", "[unit][gpu]") {
  const TemporaryFolder folder;
  const std::vector<float> scores = good_scores(two_heads());
  const std::vector<double> doubles(scores.begin(), scores.end());
  std::vector<std::uint16_t> halves(scores.size());
  const std::vector<std::byte> bytes = gpu::to_bytes(SKT_F16, scores);
  std::memcpy(halves.data(), bytes.data(), bytes.size());
  const std::vector<Index> shape{1, 2, 30};

  CHECK(checked(write_array(folder.path / "half.npy", ElementType::f16, shape, halves)).failures() == 0);
  CHECK(checked(write_array(folder.path / "single.npy", ElementType::f32, shape, scores)).failures() == 0);
  CHECK(checked(write_array(folder.path / "double.npy", ElementType::f64, shape, doubles)).failures() == 0);
}

TEST_CASE("a file of scores that is not the array of its case is refused by name", "[unit][gpu]") {
  const TemporaryFolder folder;
  const std::vector<float> scores = good_scores(two_heads());
  const std::vector<double> doubles(scores.begin(), scores.end());
  const auto refused = [](const std::filesystem::path& file) {
    return refusal<InputError>([&] { checked(file); }).substr(file.string().size());
  };

  CHECK(refused(write_array(folder.path / "flat.npy", ElementType::f32, {60}, scores)) ==
        ": is float32 [60]: allowed is float16, float32 or float64 [1, 2, 30]");
  CHECK(refused(write_array(folder.path / "count.npy", ElementType::i64, {1, 2, 30}, doubles)) ==
        ": is int64 [1, 2, 30]: allowed is float16, float32 or float64 [1, 2, 30]");
  CHECK(refused(write_array(folder.path / "short.npy", ElementType::f32, {1, 2, 30}, std::vector<float>(59))) ==
        ": truncated, 236 bytes of elements for float32 [1, 2, 30], which has 240");
  CHECK(refused(write_array(folder.path / "long.npy", ElementType::f32, {1, 2, 30}, doubles)) ==
        ": more than the array, 480 bytes of elements for float32 [1, 2, 30], which has 240");
  CHECK(refused(folder.path / "absent.npy") == ": there is no such file");
}

TEST_CASE("scores in a file are held to their intervals", "[unit][gpu]") {
  const TemporaryFolder folder;
  std::vector<float> scores = good_scores(two_heads());
  const auto good = write_array(folder.path / "good.npy", ElementType::f32, {1, 2, 30}, scores);
  scores[7] = NAN;
  const auto nan = write_array(folder.path / "nan.npy", ElementType::f32, {1, 2, 30}, scores);

  CHECK(checked(good).failures() == 0);
  CHECK(checked(good).compared() == 60);
  CHECK(checked(nan).failures() == 1);
  // The middle of the wide interval is no sum of the written probabilities.
  CHECK(checked(good, gpu::ScoredFrom::written_inputs).failures() > 0);
}
