// How much does hashing cost beyond its matrix product, and scoring with selecting altogether?
//
// N = 32768 keys, L = 60, P = 10, d = 128, single precision, a tenth of the keys selected. One run prints both: hashing
// over the bare product [N, d] x [d, L P] in the fastest library that was found when it was compiled, at most 1.5, and
// the milliseconds of scoring and selecting, at most 10 on two cores. The bare product writes all its numbers to
// memory, as any caller of the library would have it do.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#ifdef SKT_HAVE_CBLAS
#include <cblas.h>
#endif

#include <algorithm>
#include <limits>
#include <map>
#include <string>

#include "estimators/collision_scores.hpp"
#include "estimators/key_codes_f32.hpp"
#include "estimators/selection.hpp"
#include "sim/families.hpp"

namespace {

using namespace skt;

constexpr Index kKeys = 32768, kTables = 60, kPlanes = 10, kDim = 128;

struct Problem {
  Instance instance;
  Hyperplanes hyperplanes;
  MatrixF keys, rows;
  KeyCodes codes;
};

const Problem& problem() {
  static const Problem made = [] {
    FamilyParameters family;
    family.keys = kKeys;
    family.dim = kDim;
    Problem p{make_instance(family, Seed{1}, 0), draw_hyperplanes(Seed{1}, 0, kTables, kPlanes, kDim), {}, {}, {}};
    p.keys = p.instance.keys.cast<float>();
    p.rows = p.hyperplanes.rows.cast<float>();
    p.codes = hash_keys_f32(p.hyperplanes, p.keys);
    return p;
  }();
  return made;
}

void product_in_eigen(benchmark::State& state) {
  const Problem& p = problem();
  MatrixF projected(kKeys, kTables * kPlanes);
  constexpr Index kBlock = 256;
  for (auto _ : state) {
#pragma omp parallel for schedule(static)
    for (Index first = 0; first < kKeys; first += kBlock)
      projected.middleRows(first, kBlock).noalias() = p.keys.middleRows(first, kBlock) * p.rows.transpose();
    benchmark::DoNotOptimize(projected.data());
  }
}
BENCHMARK(product_in_eigen)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);

#ifdef SKT_HAVE_CBLAS
void product_in_blas(benchmark::State& state) {
  const Problem& p = problem();
  MatrixF projected(kKeys, kTables * kPlanes);
  for (auto _ : state) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, kKeys, kTables * kPlanes, kDim, 1, p.keys.data(), kDim,
                p.rows.data(), kDim, 0, projected.data(), kTables * kPlanes);
    benchmark::DoNotOptimize(projected.data());
  }
}
BENCHMARK(product_in_blas)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);
#endif

void hashing(benchmark::State& state) {
  const Problem& p = problem();
  for (auto _ : state) benchmark::DoNotOptimize(hash_keys_f32(p.hyperplanes, p.keys).codes.data());
}
BENCHMARK(hashing)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);

void scoring_and_selecting(benchmark::State& state) {
  const Problem& p = problem();
  for (auto _ : state) {
    const Vector scores =
        soft_scores_f32(p.hyperplanes, p.codes, p.instance.query, {.temperature = 0.5}).cast<double>();
    benchmark::DoNotOptimize(select_keys(scores, {}, {.budget = kKeys / 10}).data());
  }
}
BENCHMARK(scoring_and_selecting)->MeasureProcessCPUTime()->UseRealTime()->Unit(benchmark::kMillisecond);

struct Milliseconds {
  double wall = std::numeric_limits<double>::infinity();
  double processor = wall;  // of all threads: what other programs on the machine do not change
};

// Keeps the shortest time of every benchmark, beside the usual table.
class Ratios : public benchmark::ConsoleReporter {
 public:
  Ratios() : ConsoleReporter(OO_None) {}
  void ReportRuns(const std::vector<Run>& runs) override {
    ConsoleReporter::ReportRuns(runs);
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      Milliseconds& least = least_[run.run_name.function_name];
      least.wall = std::min(least.wall, run.GetAdjustedRealTime());
      least.processor = std::min(least.processor, run.GetAdjustedCPUTime());
    }
  }
  void print() {
    if (least_.count("hashing") + least_.count("scoring_and_selecting") + least_.count("product_in_eigen") < 3) return;
    const Milliseconds eigen = least_["product_in_eigen"], blas = least_["product_in_blas"];
    const Milliseconds hash = least_["hashing"], select = least_["scoring_and_selecting"];
    fmt::print(
        "hashing over the bare product in {}: {:.2f} by the clock, {:.2f} by processor time; wanted: at most 1.5\n",
        blas.wall < eigen.wall ? "BLAS" : "Eigen", hash.wall / std::min(eigen.wall, blas.wall),
        hash.processor / std::min(eigen.processor, blas.processor));
    fmt::print("scoring and selecting: {:.2f} ms by the clock, {:.2f} ms of processor time; wanted: at most 10 ms\n",
               select.wall, select.processor);
  }

 private:
  std::map<std::string, Milliseconds> least_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  Ratios ratios;
  benchmark::RunSpecifiedBenchmarks(&ratios);
  ratios.print();
  benchmark::Shutdown();
}
