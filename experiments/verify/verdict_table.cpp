#include "experiments/verify/verdict_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "proofs_check/names.hpp"

namespace skt {
namespace {

constexpr std::size_t kColumns = 120;

std::string in_words(const Evidence& e) {
  const std::string observed = e.observed.width() > 0 ? fmt::format("in [{:.5g}, {:.5g}]", e.observed.lo, e.observed.hi)
                                                      : fmt::format("= {:.6g}", e.observed.lo);
  const std::string error = e.claimed_error > 0 ? fmt::format(" +- {:.1g}", e.claimed_error) : "";
  return fmt::format("{} {}, claimed {} {:.6g}{} ({})", e.quantity, observed, name_of(e.relation), e.claimed, error,
                     e.instance);
}

std::string worst_in_words(const StatementResult& result) {
  if (!result.failure.empty()) return "failed: " + result.failure;
  if (result.verdict == result.statement.expected) {
    for (const VariantResult& mutant : result.mutants) {
      if (mutant.verdict != Verdict::refuted)
        return fmt::format("planted lie \"{}\" is {}", mutant.name, name_of(mutant.verdict));
    }
    for (const VariantResult& control : result.controls) {
      if (control.verdict != Verdict::not_refuted)
        return fmt::format("control \"{}\" is {}", control.name, name_of(control.verdict));
    }
  }
  const Evidence* worst = worst_evidence(result.evidence);
  return worst == nullptr ? "no evidence" : in_words(*worst);
}

// No character is cut in two: in UTF-8 all bytes of one but the first begin with the bits 10.
std::string cut(std::string text, std::size_t width) {
  if (text.size() <= width) return text;
  std::size_t end = width - 2;
  while (end > 0 && (text[end] & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "..";
}

bool mutants_left_out(const std::vector<StatementResult>& results) {
  return std::any_of(results.begin(), results.end(),
                     [](const auto& r) { return r.origin.mutants == Mutants::left_out; });
}

std::string mutants_of(const StatementResult& r) {
  if (r.origin.mutants == Mutants::left_out) return "-";
  return fmt::format("{}/{}", mutants_refuted(r), r.mutants.size());
}

std::string line_of(const StatementResult& r, std::size_t id_width) {
  return fmt::format("{} {:<{}}  {:<7}  {:<12}  {:<12}  {:>7}  {}", as_expected(r) ? ' ' : '!', r.statement.id,
                     id_width, name_of(r.statement.wording), name_of(r.verdict), name_of(r.statement.expected),
                     mutants_of(r), r.statement.title);
}

std::string evidence_line(const StatementResult& r) {
  return "      " + worst_in_words(r);
}

std::string counts(const std::vector<StatementResult>& results) {
  const auto with = [&](Verdict verdict) {
    return std::count_if(results.begin(), results.end(), [&](const auto& r) { return r.verdict == verdict; });
  };
  const auto unexpected = std::count_if(results.begin(), results.end(), [](const auto& r) { return !as_expected(r); });
  std::size_t mutants = 0, refuted = 0, controls = 0, kept = 0;
  for (const StatementResult& r : results) {
    mutants += r.mutants.size(), refuted += mutants_refuted(r);
    controls += r.controls.size(), kept += controls_kept(r);
  }
  const std::string lies = mutants_left_out(results)
                               ? "planted lies left out;"
                               : fmt::format("{} of {} planted lies (false variants) refuted;", refuted, mutants);
  return fmt::format(
      "{} statements: {} not refuted, {} refuted, {} inconclusive; {} not as expected\n"
      "{} {} of {} controls (true ones) passed\n",
      results.size(), with(Verdict::not_refuted), with(Verdict::refuted), with(Verdict::inconclusive), unexpected, lies,
      kept, controls);
}

// One line, or none: their verdict alone does not tell them from bounds that say something.
std::string vacuous_bounds(const std::vector<StatementResult>& results) {
  std::vector<std::string> ids;
  for (const StatementResult& r : results)
    if (vacuous_settings(r).all()) ids.push_back(r.statement.id);
  if (ids.empty()) return {};
  return fmt::format(
      "{} hold but say nothing at their settings, because the bound is no smaller than the trivial one: {}\n",
      ids.size(), fmt::join(ids, ", "));
}

}  // namespace

std::string verdict_table(const std::vector<StatementResult>& results) {
  std::size_t id_width = 2;
  for (const StatementResult& r : results) id_width = std::max(id_width, r.statement.id.size());
  std::string table = fmt::format("  {:<{}}  {:<7}  {:<12}  {:<12}  {:>7}  {}\n", "id", id_width, "words", "verdict",
                                  "expected", "lies", "title");
  for (const StatementResult& r : results) {
    table += cut(line_of(r, id_width), kColumns) + "\n";
    if (!as_expected(r) || r.verdict == Verdict::refuted) table += cut(evidence_line(r), kColumns) + "\n";
  }
  return table + counts(results) + vacuous_bounds(results);
}

std::vector<Outcome> outcomes_of(const std::vector<StatementResult>& results) {
  std::vector<Outcome> outcomes;
  for (const StatementResult& r : results) {
    Outcome outcome{.group = r.statement.source, .name = r.statement.id};
    if (!as_expected(r)) {
      outcome.state = OutcomeState::failed;
      outcome.text = line_of(r, r.statement.id.size()).substr(2) + "\n" + evidence_line(r);
    }
    outcomes.push_back(outcome);
  }
  return outcomes;
}

}  // namespace skt
