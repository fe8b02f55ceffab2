#include "gpu/check/references/scoring_inputs.hpp"

#include "estimators/soft_buckets.hpp"
#include "gpu/check/cases/published_profile.hpp"
#include "gpu/check/references/host_twin.hpp"
#include "gpu/check/references/reference.hpp"
#include "gpu/functors/half_score.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

void index_keys(const CheckCase& c, const Problem& problem, ScoringInputs& inputs) {
  const std::int64_t kv_rows = c.kv_rows();
  const std::int32_t form = published_profile(c.profile).norm_form;
  inputs.codes.resize(kv_rows * c.tables * c.keys);
  inputs.norms.resize(kv_rows * c.keys);
#pragma omp parallel for schedule(static)
  for (std::int64_t at = 0; at < kv_rows * c.keys; ++at) {
    const std::int64_t kv_row = at / c.keys;
    const std::int64_t key = at % c.keys;
    const std::int64_t place = kv_row * c.capacity + key;
    inputs.norms[at] = twin_norm(float_row(problem.values, place, c.dim), form);
    for (std::int64_t table = 0; table < c.tables; ++table) {
      inputs.codes[(kv_row * c.tables + table) * c.keys + key] = twin_code(
          float_row(problem.keys, place, c.dim), float_row(problem.hyperplanes, table, c.planes * c.dim), c.planes);
    }
  }
}

void add_probabilities(const CheckCase& c, const Problem& problem, const Hyperplanes& exact, std::int64_t row,
                       std::vector<float>& probabilities) {
  const std::int32_t type = published_profile(c.profile).probability_type;
  for (const ReferenceBuckets& table : reference_buckets(c, problem, exact, row)) {
    for (const double p : table.probability) {
      probabilities.push_back(round_to(type, p));
    }
  }
}

void add_half_tables(const CheckCase& c, const Problem& problem, const Hyperplanes& exact, std::int64_t row,
                     std::vector<float>& half_tables) {
  const int planes = c.code_bits();
  const Matrix signal = query_signal(exact, row_of(problem.queries, row, c.dim), Scaling::inverse_sqrt_dim);
  for (Index table = 0; table < c.tables; ++table) {
    const Vector logits = 2 * signal.row(table).transpose() / double{temperature_of(c)};
    for (int entry = 0; entry < half_table_entries(planes); ++entry) {
      half_tables.push_back(to_single(half_tables_entry(logits.data(), planes, entry)));
    }
  }
}

}  // namespace

std::vector<std::int16_t> ScoringInputs::codes_of(const CheckCase& c, std::int64_t kv_row, std::int64_t key) const {
  std::vector<std::int16_t> of_key;
  for (std::int64_t table = 0; table < c.tables; ++table) {
    of_key.push_back(codes[(kv_row * c.tables + table) * c.keys + key]);
  }
  return of_key;
}

std::span<const float> ScoringInputs::tables_of(const CheckCase& c, std::int64_t row) const {
  if (!scores_packed_codes(c)) return float_row(probabilities, row, c.tables << c.planes);
  return float_row(half_tables, row, c.tables * half_table_entries(c.code_bits()));
}

ScoringInputs scoring_inputs(const CheckCase& c, const Problem& problem) {
  ScoringInputs inputs;
  index_keys(c, problem, inputs);
  const Hyperplanes exact = double_hyperplanes(c, problem);
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    if (scores_packed_codes(c)) {
      add_half_tables(c, problem, exact, row, inputs.half_tables);
    } else {
      add_probabilities(c, problem, exact, row, inputs.probabilities);
    }
  }
  return inputs;
}

std::vector<std::uint32_t> packed_codes(const CheckCase& c, const ScoringInputs& inputs) {
  const std::int64_t words = words_per_key(c.tables, c.planes);
  const std::int64_t row_words = (c.keys + kTileKeys - 1) / kTileKeys * kTileKeys * words;
  std::vector<std::uint32_t> packed(c.kv_rows() * row_words);
  for (std::int64_t kv_row = 0; kv_row < c.kv_rows(); ++kv_row) {
    for (std::int64_t key = 0; key < c.keys; ++key) {
      const std::vector<std::int16_t> codes = inputs.codes_of(c, kv_row, key);
      const auto code_of = [&](std::int64_t table) { return std::uint64_t{unsigned_code(codes[table])}; };
      for (std::int64_t word = 0; word < words; ++word) {
        packed[kv_row * row_words + packed_position(key, word, words)] = packed_word(code_of, c.tables, c.planes, word);
      }
    }
  }
  return packed;
}

bool scores_packed_codes(const CheckCase& c) {
  return c.operation == Operation::score_packed;
}

bool may_score_in_half(const CheckCase& c) {
  return scores_packed_codes(c) && scores_in_half(c.group(), c.tables, c.code_bits());
}

}  // namespace skt::gpu
