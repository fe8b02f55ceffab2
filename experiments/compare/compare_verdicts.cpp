#include "experiments/compare/compare_verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "proofs_check/names.hpp"
#include "proofs_check/rows/verdict_rows.hpp"

namespace skt {
namespace {

// Roundings of another compiler or processor; no reader sees what is below.
constexpr double kSameNumber = 1e-9;

// What has a verdict of its own: a statement, a mutant or a control.
struct Judged {
  std::string where{};
  const std::vector<Evidence>* evidence = nullptr;
  Verdict verdict = Verdict::inconclusive, expected = Verdict::inconclusive;
  const Origin* origin = nullptr;
};

const std::vector<VariantResult> kNone{};

bool mutants_left_out(const std::vector<StatementResult>& results) {
  return std::any_of(results.begin(), results.end(),
                     [](const auto& r) { return r.origin.mutants == Mutants::left_out; });
}

std::vector<Judged> judged(const std::vector<StatementResult>& results, Mutants mutants) {
  std::vector<Judged> all;
  for (const StatementResult& r : results) {
    all.push_back({r.statement.id, &r.evidence, r.verdict, r.statement.expected, &r.origin});
    for (const VariantResult& m : mutants == Mutants::measured ? r.mutants : kNone)
      all.push_back({fmt::format("{}, planted lie \"{}\"", r.statement.id, m.name), &m.evidence, m.verdict,
                     Verdict::refuted, &r.origin});
    for (const VariantResult& c : r.controls)
      all.push_back({fmt::format("{}, control \"{}\"", r.statement.id, c.name), &c.evidence, c.verdict,
                     Verdict::not_refuted, &r.origin});
  }
  return all;
}

// Pieces of evidence by what they observe, counted where several observe the same.
std::map<std::string, const Evidence*> pieces(const std::vector<Evidence>& evidence) {
  std::map<std::string, const Evidence*> by_name;
  std::map<std::string, int> seen;
  for (const Evidence& e : evidence) {
    const std::string name = fmt::format("{} on {}", e.quantity, e.instance);
    const int count = ++seen[name];
    by_name[count == 1 ? name : fmt::format("{} ({})", name, count)] = &e;
  }
  return by_name;
}

bool is_point(const Evidence& e) {
  return e.basis.law == IntervalLaw::point;
}

// A NaN is an interval that says nothing, and meets every other.
bool apart(const Evidence& a, const Evidence& b) {
  const double size =
      std::max({std::abs(a.observed.lo), std::abs(b.observed.lo), std::abs(a.observed.hi), std::abs(b.observed.hi)});
  const double error = is_point(a) && is_point(b) ? std::abs(a.claimed_error) + std::abs(b.claimed_error) : 0;
  const double room = error + kSameNumber * size;
  return a.observed.lo > b.observed.hi + room || b.observed.lo > a.observed.hi + room;
}

bool same_draws(const Judged& a, const Judged& b) {
  return a.origin->seed == b.origin->seed && a.origin->profile == b.origin->profile;
}

bool comparable(const Judged& a, const Judged& b, const Evidence& e, const Evidence& f) {
  return same_draws(a, b) || !(is_point(e) || is_point(f));
}

std::string in_words(const Interval& interval) {
  return interval.width() == 0 ? fmt::format("{:.6g}", interval.lo)
                               : fmt::format("[{:.6g}, {:.6g}]", interval.lo, interval.hi);
}

void compare_intervals(const Judged& a, const Judged& b, RunComparison& comparison) {
  const auto before = pieces(*a.evidence), after = pieces(*b.evidence);
  for (const auto& [name, e] : before) {
    const auto found = after.find(name);
    if (found == after.end()) {
      // The names of other draws hold other numbers.
      if (same_draws(a, b)) comparison.differences.push_back({"vanished", a.where, name, Weight::worse});
      continue;
    }
    if (!comparable(a, b, *e, *found->second) || !apart(*e, *found->second)) continue;
    comparison.differences.push_back(
        {"interval", a.where,
         fmt::format("{}: {}, then {}", name, in_words(e->observed), in_words(found->second->observed)),
         Weight::worse});
  }
}

void compare(const Judged& a, const Judged& b, RunComparison& comparison) {
  ++comparison.compared;
  if (a.verdict != b.verdict || a.expected != b.expected) {
    const bool worse = a.verdict == a.expected && b.verdict != b.expected;
    comparison.differences.push_back({"verdict", a.where,
                                      fmt::format("{} (expected {}), then {} (expected {})", name_of(a.verdict),
                                                  name_of(a.expected), name_of(b.verdict), name_of(b.expected)),
                                      worse ? Weight::worse : Weight::told});
  }
  compare_intervals(a, b, comparison);
}

}  // namespace

std::vector<StatementResult> read_verdicts(std::istream& lines, const std::string& name) {
  std::vector<StatementResult> results;
  for (VerdictRow& row : read_rows(lines, name)) results.push_back(std::move(row.result));
  return results;
}

RunComparison compare_verdicts(const std::vector<StatementResult>& first, const std::vector<StatementResult>& second) {
  // Lies that one run left out have not vanished from it.
  const bool left_out = mutants_left_out(first) || mutants_left_out(second);
  const Mutants mutants = left_out ? Mutants::left_out : Mutants::measured;
  const std::vector<Judged> before = judged(first, mutants), after = judged(second, mutants);
  std::map<std::string, const Judged*> by_name;
  for (const Judged& b : after) by_name[b.where] = &b;
  RunComparison comparison;
  if (mutants_left_out(first) != mutants_left_out(second))
    comparison.differences.push_back({"lies", "planted lies", "left out of one run, so not compared", Weight::told});
  for (const Judged& a : before) {
    const auto found = by_name.find(a.where);
    if (found == by_name.end()) {
      comparison.differences.push_back({"vanished", a.where, "it was " + name_of(a.verdict), Weight::worse});
    } else {
      compare(a, *found->second, comparison);
      by_name.erase(found);
    }
  }
  for (const Judged& b : after) {
    if (!by_name.contains(b.where)) continue;
    comparison.differences.push_back({"new", b.where,
                                      fmt::format("{} (expected {})", name_of(b.verdict), name_of(b.expected)),
                                      b.verdict == b.expected ? Weight::told : Weight::worse});
  }
  return comparison;
}

}  // namespace skt
