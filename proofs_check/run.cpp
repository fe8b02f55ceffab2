#include "proofs_check/run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "proofs_check/statements.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

// Edit distance (Levenshtein), for the suggestion after a mistyped id.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

std::vector<std::string> nearest_ids(const std::vector<Statement>& all, const std::string& id) {
  std::vector<std::string> ids;
  for (const Statement& s : all) ids.push_back(s.id);
  std::stable_sort(ids.begin(), ids.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(a, id) < edit_distance(b, id);
  });
  ids.resize(std::min<std::size_t>(ids.size(), 3));
  return ids;
}

// How near a piece is to being refuted: 1 on the edge, 0 far away.
double tension(const Evidence& e) {
  const double slack = e.claimed_error + e.observed.width() / 2;
  const double centre = e.observed.lo + e.observed.width() / 2;
  if (e.relation == Relation::equal) return slack > 0 ? std::abs(centre - e.claimed) / slack : 0;
  const double larger = e.relation == Relation::at_most ? e.claimed + e.claimed_error : e.observed.lo;
  const double smaller = e.relation == Relation::at_most ? e.observed.hi : e.claimed - e.claimed_error;
  return larger > 0 ? smaller / larger : 0;
}

std::size_t count_of(const std::vector<VariantResult>& variants, Verdict verdict) {
  return std::count_if(variants.begin(), variants.end(), [&](const VariantResult& v) { return v.verdict == verdict; });
}

int badness(Verdict verdict) {
  switch (verdict) {
    case Verdict::refuted:
      return 2;
    case Verdict::inconclusive:
      return 1;
    case Verdict::not_refuted:
      return 0;
  }
  return 2;
}

void check_budget(const std::string& id, const std::vector<Evidence>& evidence, double share) {
  double spent = 0;
  for (const Evidence& piece : evidence) spent += piece.error_share;
  // share(n) * n differs from the share by at most a few units in the last place.
  if (!(spent <= share * (1 + 1e-12)))
    throw std::logic_error(fmt::format("{}: spends error {} of its share {}", id, spent, share));
}

std::size_t random_measurements(const std::vector<Statement>& all) {
  std::size_t count = 0;
  for (const Statement& s : all) {
    if (s.chance == Chance::random) count += 1 + s.mutants.size() + s.controls.size();
  }
  return count;
}

}  // namespace

bool as_expected(const StatementResult& result) {
  return result.verdict == result.statement.expected && mutants_refuted(result) == result.mutants.size() &&
         controls_kept(result) == result.controls.size();
}

std::size_t mutants_refuted(const StatementResult& result) {
  return count_of(result.mutants, Verdict::refuted);
}
std::size_t controls_kept(const StatementResult& result) {
  return count_of(result.controls, Verdict::not_refuted);
}

VacuousSettings vacuous_settings(const StatementResult& result) {
  VacuousSettings settings;
  if (result.verdict != Verdict::not_refuted) return settings;
  for (const Evidence& piece : result.evidence) {
    if (!piece.bound_over_trivial) continue;
    ++settings.of;
    settings.vacuous += *piece.bound_over_trivial >= 1;
  }
  return settings;
}

const Evidence* worst_evidence(const std::vector<Evidence>& evidence) {
  const Evidence* worst = nullptr;
  for (const Evidence& piece : evidence) {
    if (worst == nullptr) {
      worst = &piece;
      continue;
    }
    const int order = badness(judge(piece)) - badness(judge(*worst));
    if (order > 0 || (order == 0 && tension(piece) > tension(*worst))) worst = &piece;
  }
  return worst;
}

std::vector<const Statement*> chosen_statements(const std::vector<Statement>& all,
                                                const std::vector<std::string>& only) {
  for (const std::string& id : only) {
    if (std::none_of(all.begin(), all.end(), [&](const Statement& s) { return s.id == id; }))
      refuse("no statement {}: the nearest are {}", id, fmt::join(nearest_ids(all, id), ", "));
  }
  std::vector<const Statement*> chosen;
  for (const Statement& s : all) {
    if (only.empty() || std::find(only.begin(), only.end(), s.id) != only.end()) chosen.push_back(&s);
  }
  return chosen;
}

double share_of(const Statement& statement, const std::vector<Statement>& all, double family_error) {
  return statement.chance == Chance::none ? 0 : ErrorBudget(family_error, random_measurements(all)).take();
}

Seed statement_seed(Seed seed, const std::string& id) {
  return derive_seed(seed, text_hash(id));
}

const Variant* variant_of(const Statement& statement, const Measurement& measurement) {
  if (measurement.what == MeasurementOf::claim) return nullptr;
  return &(measurement.what == MeasurementOf::mutant ? statement.mutants : statement.controls).at(measurement.number);
}

std::vector<Measurement> measurements_of(const Statement& statement, Mutants mutants) {
  std::vector<Measurement> list{{MeasurementOf::claim, 0}};
  const Index count = mutants == Mutants::measured ? std::ssize(statement.mutants) : 0;
  for (Index i = 0; i < count; ++i) list.push_back({MeasurementOf::mutant, i});
  for (Index i = 0; i < std::ssize(statement.controls); ++i) list.push_back({MeasurementOf::control, i});
  return list;
}

Context context_of(const Statement& statement, const std::vector<Statement>& all, const RunSettings& settings) {
  return {.seed = statement_seed(settings.seed, statement.id),
          .profile = settings.profile,
          .error_share = share_of(statement, all, settings.family_error),
          .estimators = settings.fault.empty() ? EstimatorsUnderTest{} : estimators_with_fault(settings.fault)};
}

Measured measured(const Statement& statement, const Measurement& measurement, const Context& context, Trials trials) {
  Measured result;
  Context keeping = context;
  if (trials == Trials::kept) keeping.kept = &result.kept;
  try {
    const Variant* variant = variant_of(statement, measurement);
    result.evidence = (variant ? variant->measure : statement.measure)(keeping);
  } catch (const std::exception& error) {
    result.failure = error.what();
  }
  check_budget(statement.id, result.evidence, context.error_share);
  return result;
}

StatementResult judged(const Statement& statement, std::vector<Measured> all_measured, const Origin& origin) {
  StatementResult result{.statement = statement};
  const std::vector<Measurement> measurements = measurements_of(statement, origin.mutants);
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    Measured& one = all_measured.at(i);
    const Verdict verdict = judge(one.evidence);
    if (!one.failure.empty()) result.failure = one.failure;
    if (const Variant* variant = variant_of(statement, measurements[i])) {
      auto& list = measurements[i].what == MeasurementOf::mutant ? result.mutants : result.controls;
      list.push_back({variant->name, std::move(one.evidence), verdict});
    } else {
      result.evidence = std::move(one.evidence), result.verdict = verdict;
    }
  }
  result.origin = origin;
  return result;
}

Origin origin_of(const std::vector<Statement>& all, const RunSettings& settings) {
  return {settings.version, fingerprint(all), settings.seed.value, settings.profile, settings.fault, settings.mutants};
}

std::vector<StatementResult> run_statements(const std::vector<Statement>& all, const RunSettings& settings,
                                            const Progress& progress) {
  const Origin origin = origin_of(all, settings);
  std::vector<StatementResult> results;
  for (const Statement* statement : chosen_statements(all, settings.only)) {
    const Context context = context_of(*statement, all, settings);
    std::vector<Measured> all_measured;
    for (const Measurement& measurement : measurements_of(*statement, settings.mutants))
      all_measured.push_back(measured(*statement, measurement, context));
    results.push_back(judged(*statement, std::move(all_measured), origin));
    if (progress) progress(results.back());
  }
  return results;
}

}  // namespace skt
