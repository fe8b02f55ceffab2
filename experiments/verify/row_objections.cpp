#include "experiments/verify/row_objections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "proofs_check/names.hpp"
#include "proofs_check/rows/verdict_rows.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

using Json = nlohmann::ordered_json;
using Objection = std::optional<std::string>;

// Quantiles of another build differ by some hundred roundings of a double (1e-13), and no reader sees what is below.
constexpr double kSameNumber = 1e-9;

Objection differs(const std::string& field, const std::string& in_row, const std::string& in_list) {
  if (in_row == in_list) return {};
  return fmt::format("{}: \"{}\" in the row, \"{}\" in this program", field, in_row, in_list);
}

Objection texts(const StatementResult& row, const Statement& s) {
  const std::tuple<const char*, std::string, std::string> pairs[] = {
      {"title", row.title, s.title},
      {"source", row.source, s.source},
      {"wording", name_of(row.wording), name_of(s.wording)},
      {"quote", row.quote, s.quote},
      {"kind", name_of(row.kind), name_of(s.kind)},
      {"scope", row.scope, s.scope},
      {"chance", name_of(row.chance), name_of(s.chance)},
      {"remark", row.remark, s.remark},
      {"expected", name_of(row.expected), name_of(s.expected)},
      {"severity", name_of(row.severity), name_of(s.severity)},
      {"no_near_mutant", row.no_near_mutant, s.no_near_mutant}};
  for (const auto& [field, in_row, in_list] : pairs) {
    if (const Objection objection = differs(field, in_row, in_list)) return objection;
  }
  return {};
}

// Compiled: mutants or controls.
template <class Compiled>
Objection names(const char* field, const std::vector<VariantResult>& row, const std::vector<Compiled>& list) {
  for (std::size_t i = 0; i < std::min(row.size(), list.size()); ++i) {
    if (const Objection objection = differs(fmt::format("{}/{}/name", field, i), row[i].name, list[i].name))
      return objection;
  }
  if (row.size() == list.size()) return {};
  return fmt::format("{}: {} in the row, {} in this program", field, row.size(), list.size());
}

bool same(double a, double b, double width) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::abs(a - b) <= kSameNumber * std::max({std::abs(a), std::abs(b), width});
}

std::string in_words(const Interval& interval) {
  return fmt::format("[{}, {}]", interval.lo, interval.hi);
}

Objection interval(const std::string& field, const Evidence& e) {
  Interval again;
  try {
    again = interval_of(e.basis, e.error_share);
  } catch (const InputError& error) {
    return fmt::format("{}: {}", field, error.what());
  }
  // What is not finite is null in a row.
  const double width = std::isfinite(again.width()) ? again.width() : 0;
  const auto kept = [](double x) { return std::isfinite(x) ? x : NAN; };
  if (same(e.observed.lo, kept(again.lo), width) && same(e.observed.hi, kept(again.hi), width)) return {};
  return fmt::format("{}: {} in the row, {} by its basis", field, in_words(e.observed), in_words(again));
}

// Every constructor of random evidence counts its trials as its samples; an estimate such as a slope is one sample.
Objection trials(const std::string& field, const Evidence& e) {
  const bool counted = e.basis.law != IntervalLaw::point && e.basis.samples.count > 1;
  if (counted && e.trials != e.basis.samples.count)
    return fmt::format("{}: {} in the row, {} by its basis", field, e.trials, e.basis.samples.count);
  if (e.trials_in_scope > e.trials) return fmt::format("{}: fewer than trials_in_scope", field);
  return {};
}

// A resolution is in the unit of what is observed. Beyond this many times its size, or the deviation of a sample, every
// interval would say something; those of the statements are below 30 times it.
constexpr double kWidestResolution = 1000;

double size_of(const Evidence& e) {
  double size = std::sqrt(std::max(0.0, e.basis.samples.variance));
  for (const double x : {e.claimed, e.observed.lo, e.observed.hi, e.basis.scale})
    if (std::isfinite(x)) size = std::max(size, std::abs(x));
  return size;
}

// The widest resolution that means anything: no proportion is wider than 1, no mean wider than the range of its samples.
double widest_resolution(const Evidence& e) {
  switch (e.basis.law) {
    case IntervalLaw::point:
      return 0;
    case IntervalLaw::proportion:
      return 1;
    case IntervalLaw::bounded:
      return e.basis.scale;
    case IntervalLaw::student:
    case IntervalLaw::known_deviation:
      break;
  }
  return kWidestResolution * size_of(e);
}

// Fields that no measurement gives, whatever was measured. What is not finite is null in a row, and judged.
Objection nonsense(const std::string& field, const Evidence& e) {
  const double most_share = e.basis.law == IntervalLaw::point ? 0 : 1;
  const std::tuple<const char*, double, double, double> limits[] = {
      {"error_share", e.error_share, 0, most_share},
      {"claimed_error", e.claimed_error, 0, INFINITY},
      {"resolution", e.resolution, 0, widest_resolution(e)},
      {"bound_over_quantile", e.bound_over_quantile.value_or(1), 0, INFINITY},
      {"bound_over_trivial", e.bound_over_trivial.value_or(1), 0, INFINITY},
      {"basis/variance", e.basis.samples.variance, 0, INFINITY},
      {"basis", e.basis.scale, 0, INFINITY}};
  for (const auto& [name, value, least, most] : limits) {
    if (value < least || value > most)
      return fmt::format("{}/{}: {}, allowed are {} to {:.6g}", field, name, value, least, most);
  }
  if (std::isnan(e.error_share)) return fmt::format("{}/error_share: no number", field);
  if (e.observed.lo > e.observed.hi) return fmt::format("{}/observed: {}", field, in_words(e.observed));
  return {};
}

// Of a statement, a mutant or a control: `at` is "" or "mutants/0/".
Objection evidence(const std::string& at, const std::vector<Evidence>& pieces, double share) {
  double spent = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Evidence& piece = pieces[i];
    if (const Objection objection = nonsense(fmt::format("{}evidence/{}", at, i), piece)) return objection;
    if (const Objection objection = interval(fmt::format("{}evidence/{}/observed", at, i), piece)) return objection;
    if (const Objection objection = trials(fmt::format("{}evidence/{}/trials", at, i), piece)) return objection;
    spent += piece.error_share;
  }
  if (spent <= share * (1 + 1e-12)) return {};  // rounding of a division by the number of pieces
  return fmt::format("{}evidence: error shares of {:.6g}, allowed are {:.6g}", at, spent, share);
}

Objection verdict(const std::string& at, Verdict written, const std::vector<Evidence>& pieces, Verdict expected) {
  const Verdict judged = judge(pieces);
  if (judged != written)
    return fmt::format("{}verdict: {} in the row, but its evidence says {}", at, name_of(written), name_of(judged));
  if (judged != expected) return fmt::format("{}verdict: {}, expected {}", at, name_of(judged), name_of(expected));
  return {};
}

Objection measured(const std::string& at, const std::vector<Evidence>& pieces, Verdict written, Verdict expected,
                   double share) {
  if (const Objection objection = evidence(at, pieces, share)) return objection;
  return verdict(at, written, pieces, expected);
}

Objection variants(const char* field, const std::vector<VariantResult>& row, Verdict expected, double share) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string at = fmt::format("{}/{}/", field, i);
    if (const Objection objection = measured(at, row[i].evidence, row[i].verdict, expected, share)) return objection;
  }
  return {};
}

// The evidence and the verdicts are sound now: whatever differs still is a summary that does not follow from them.
Objection summaries(const Json& row, const StatementResult& read) {
  const Json again = to_row(read);
  for (const auto& [field, value] : row.items()) {
    if (!again.contains(field) || again.at(field) != value)
      return fmt::format("{}: does not follow from the evidence", field);
  }
  return {};
}

}  // namespace

Objection objection_to(const Json& row, const Statement& compiled, double share) {
  const StatementResult read = from_row(row);
  if (const Objection o = texts(read, compiled)) return o;
  const bool left_out = read.origin.mutants == Mutants::left_out;
  if (const Objection o = names("mutants", read.mutants, left_out ? std::vector<Mutant>{} : compiled.mutants)) return o;
  if (const Objection o = names("controls", read.controls, compiled.controls)) return o;
  if (!read.failure.empty()) return fmt::format("failure: {}", read.failure);
  if (const Objection o = measured("", read.evidence, read.verdict, compiled.expected, share)) return o;
  if (const Objection o = variants("mutants", read.mutants, Verdict::refuted, share)) return o;
  if (const Objection o = variants("controls", read.controls, Verdict::not_refuted, share)) return o;
  return summaries(row, read);
}

}  // namespace skt
