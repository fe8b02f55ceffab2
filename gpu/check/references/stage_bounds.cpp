#include "gpu/check/references/stage_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "gpu/check/problems/problem.hpp"
#include "gpu/check/references/attention.hpp"
#include "gpu/check/references/score_bounds.hpp"
#include "sim/number.hpp"

namespace skt::gpu {
namespace {

// Elements that the mask forbids to all heads hold NaN.
bool is_there(const Vector& row) {
  return row.allFinite();
}

// What a list says of the keys of its row.
struct Listed {
  std::vector<std::int32_t> keys;
  std::vector<char> selected;  // [keys]
  bool sound = true;           // every entry is a key or -1
};

Listed listed(const CheckCase& c, std::span<const std::int64_t> lists, std::int64_t width, std::int64_t row,
              Comparison& result) {
  Listed made{{}, std::vector<char>(c.keys, 0), true};
  for (std::int64_t i = 0; i < width; ++i) {
    const std::int64_t at = row * width + i, key = lists[at];
    const bool is_key = key >= 0 && key < c.keys;
    result.holds("entry of a list that is a key or -1", at, is_key || key == -1);
    made.sound = made.sound && (is_key || key == -1);
    if (!is_key) continue;
    result.holds("key that stands once in its list", at, made.selected[key] == 0);
    made.selected[key] = 1;
    made.keys.push_back(static_cast<std::int32_t>(key));
  }
  return made;
}

bool is_always(const CheckCase& c, std::int64_t key) {
  return key < c.sink || c.keys - 1 - key < c.window;
}

void compare_list(const CheckCase& c, const Problem& problem, std::int64_t row, const Listed& list,
                  Comparison& result) {
  const std::vector<ScoreInterval> scores = score_intervals(c, problem, row);
  std::int64_t others = 0, allowed_others = 0;
  double best_left_out = -std::numeric_limits<double>::infinity();
  for (std::int64_t key = 0; key < c.keys; ++key) {
    const std::int64_t at = row * c.keys + key;
    const bool allowed = is_allowed(c, problem, row, key), selected = list.selected[key] != 0;
    if (selected) result.holds("selected key that the mask allows", at, allowed);
    if (!allowed) continue;
    if (is_always(c, key)) {
      result.holds("key of sink or window that is selected", at, selected);
      continue;
    }
    ++allowed_others;
    others += selected ? 1 : 0;
    if (!selected) best_left_out = std::max(best_left_out, scores[key].low);
  }
  result.equal("count of keys beside sink and window", row, real(others), real(std::min(c.budget, allowed_others)));
  for (std::int64_t key = 0; key < c.keys; ++key) {
    if (list.selected[key] != 0 && !is_always(c, key) && is_allowed(c, problem, row, key))
      result.holds("selected key that none left out is better than", row * c.keys + key,
                   scores[key].high >= best_left_out);
  }
}

}  // namespace

Comparison compare_codes(const CheckCase& c, std::span<const std::int64_t> codes) {
  const Problem problem = make_problem(c);
  const Hyperplanes exact = double_hyperplanes(c, problem);
  Comparison result;
  for (std::int64_t table = 0; table < c.tables; ++table) {
    const Matrix planes = exact.table(table);
    for (std::int64_t place = 0; place < c.kv_rows() * c.keys; ++place) {
      const std::int64_t kv_row = place / c.keys, key = place % c.keys;
      const Vector exact_key = row_of(problem.keys, kv_row * c.capacity + key, c.dim);
      if (!is_there(exact_key)) continue;
      const std::int64_t at = (kv_row * c.tables + table) * c.keys + key;
      const BoundedCode bounded = bounded_code(planes, exact_key);
      const std::int64_t code = codes[at];
      const std::int64_t differs = (code ^ std::int64_t{bounded.code}) & ~std::int64_t{bounded.doubtful};
      result.equal("code, but for its doubtful bits", at, differs == 0 ? real(Index{bounded.code}) : real(code),
                   real(Index{bounded.code}));
    }
  }
  return result;
}

Comparison compare_norms(const CheckCase& c, std::span<const double> norms) {
  const Problem problem = make_problem(c);
  Comparison result;
  for (std::int64_t at = 0; at < c.kv_rows() * c.keys; ++at) {
    const Vector value = row_of(problem.values, at / c.keys * c.capacity + at % c.keys, c.dim);
    if (is_there(value)) compare_score(norm_interval(c, value), at, norms[at], result, "norm as a ");
  }
  return result;
}

Comparison compare_selection(const CheckCase& c, std::span<const std::int64_t> lists, std::int64_t width) {
  const Problem problem = make_problem(c);
  Comparison result;
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    const Listed list = listed(c, lists, width, row, result);
    if (list.sound) compare_list(c, problem, row, list, result);
  }
  return result;
}

Comparison compare_outputs(const CheckCase& c, std::span<const std::int64_t> lists, std::int64_t width,
                           std::span<const double> outputs) {
  const Problem problem = make_problem(c);
  const std::vector<float> rounded(outputs.begin(), outputs.end());
  Comparison result;
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    const Listed list = listed(c, lists, width, row, result);
    const auto allowed = [&](std::int32_t key) { return is_allowed(c, problem, row, key); };
    const bool readable = list.sound && std::all_of(list.keys.begin(), list.keys.end(), allowed);
    result.holds("list of allowed keys", row, readable);
    if (readable) compare_output(c.dim, attention_reference(c, problem, row, list.keys), row, rounded, result);
  }
  return result;
}

}  // namespace skt::gpu
