#include "experiments/certify/certify_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/number.hpp"

namespace skt {
namespace {

Json number(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

Json count(const std::optional<Index>& n) {
  return n ? Json(*n) : Json(nullptr);
}

// Infinite where a number in the middle is.
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Json needs_json(const SmallestCounts& needs) {
  return {{"tables_certified", count(needs.tables_certified)},
          {"tables_estimated", count(needs.tables_estimated)},
          {"samples", count(needs.samples)},
          {"together_tables_estimated", count(needs.together_tables_estimated)},
          {"together_samples_estimated", count(needs.together_samples_estimated)},
          {"reason", needs.reason}};
}

Json query_json(const QueryCertificate& q) {
  const Certificate& c = q.certificate;
  Json object = {{"query", q.query},
                 {"head", q.head},
                 {"key_head", q.key_head},
                 {"keys", q.keys},
                 {"query_norm", c.query_norm},
                 {"dense_norm_value_units", c.dense_norm},
                 {"longest_value_value_units", c.longest_value},
                 {"effective_rank", number(c.effective_rank)},
                 {"occupancy_drawn_keys", c.occupancy_drawn},
                 {"occupancy_sure_keys", c.occupancy_sure}};
  object["numbers"] = Json::array();
  for (const CertifiedNumber& n : c.numbers) {
    object["numbers"].push_back({{"term", n.term},
                                 {"basis", name_of(n.basis)},
                                 {"name", n.name},
                                 {"delta", n.delta > 0 ? Json(n.delta) : Json(nullptr)},
                                 {"value", number(n.value)}});
  }
  object["smallest_counts"] = c.needs ? needs_json(*c.needs) : Json(nullptr);
  return object;
}

Json plan_json(const CertifyPlan& plan) {
  const Setting& s = plan.setting;
  return {{"planes", s.planes},
          {"tables", s.tables},
          {"temperature", s.temperature},
          {"scaling", s.scaling == Scaling::none ? "none" : "inverse-sqrt-dim"},
          {"budget", s.budget},
          {"samples", s.samples},
          {"delta", plan.delta},
          {"target_error_value_units", plan.target ? Json(*plan.target) : Json(nullptr)},
          {"pairs", plan.pairs == Pairs::exact ? "exact" : "none"},
          {"fresh_tables", plan.fresh_tables},
          {"redraws", plan.redraws},
          {"queries_together", plan.queries}};
}

const CertifiedNumber* found(const Certificate& c, const std::string& term, Basis basis) {
  const auto at = std::find_if(c.numbers.begin(), c.numbers.end(),
                               [&](const CertifiedNumber& n) { return n.term == term && n.basis == basis; });
  return at == c.numbers.end() ? nullptr : &*at;
}

// Median and largest over the queries; for one query its number.
std::string spread(std::vector<double> values) {
  if (values.empty()) return "";
  if (values.size() == 1) return fmt::format("{:.4g}", values[0]);
  return fmt::format("{:.4g}  {:.4g}", median(values), *std::max_element(values.begin(), values.end()));
}

struct NamedValues {
  std::string name;
  std::vector<double> values;  // by query
};

// Of the bounds that the queries have for one of them, the one of least median. Those for all queries at once are larger.
NamedValues least(const CertifyPlan& plan, const std::vector<QueryCertificate>& queries, const std::string& term,
                  const std::vector<Basis>& bases) {
  std::map<std::string, std::vector<double>> by_name;
  for (const QueryCertificate& q : queries)
    for (const CertifiedNumber& n : q.certificate.numbers)
      if (n.term == term && std::find(bases.begin(), bases.end(), n.basis) != bases.end() &&
          (n.delta == 0 || n.delta == plan.delta))
        by_name[n.name].push_back(n.value);
  NamedValues best;
  for (const auto& [name, values] : by_name)
    if (best.name.empty() || median(values) < median(best.values)) best = {name, values};
  return best;
}

// A line for each term.
std::string terms_text(const CertifyPlan& plan, const std::vector<QueryCertificate>& queries) {
  std::string out =
      fmt::format("  {:<18}{:<20}{:<20}{:<22}{}\n", "term", "measured", "least proved bound", "", "paper's bound");
  for (const std::string& term : certified_terms()) {
    std::vector<double> measured;
    for (const QueryCertificate& q : queries)
      if (const CertifiedNumber* n = found(q.certificate, term, Basis::measured)) measured.push_back(n->value);
    if (measured.empty()) continue;
    const NamedValues proved = least(plan, queries, term, {Basis::certified, Basis::expected, Basis::redrawn});
    const NamedValues printed = least(plan, queries, term, {Basis::printed});
    const std::string line =
        fmt::format("  {:<18}{:<19} {:<19} {:<21} {:<19} {}", term, spread(measured), spread(proved.values),
                    proved.name.substr(0, 21), spread(printed.values), printed.name.substr(0, printed.name.find(',')));
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return out;
}

// "12 to 40", "none", "12 to 40, none for 3": what the queries need.
std::string counts_text(const std::vector<QueryCertificate>& queries, std::optional<Index> SmallestCounts::* of) {
  std::vector<Index> known;
  for (const QueryCertificate& q : queries)
    if (const auto& n = (*q.certificate.needs).*of) known.push_back(*n);
  if (known.empty()) return "none";
  const auto [low, high] = std::minmax_element(known.begin(), known.end());
  std::string out = *low == *high ? fmt::format("{}", *low) : fmt::format("{} to {}", *low, *high);
  if (known.size() < queries.size())
    out += fmt::format(" (none for {} of {} queries)", queries.size() - known.size(), queries.size());
  return out;
}

// The reason is that of the query that has most to say.
std::string needs_text(const CertifyPlan& plan, const std::vector<QueryCertificate>& queries) {
  if (queries.empty() || !queries.front().certificate.needs) return "";
  std::string out = fmt::format(
      "  for an error of {:.4g} except with probability {}: finite tables alone L = {} certified, {} estimated;\n"
      "    sampling alone M = {} certified; all together L = {}, M = {} estimated, from the weights of these tables\n",
      *plan.target, plan.delta, counts_text(queries, &SmallestCounts::tables_certified),
      counts_text(queries, &SmallestCounts::tables_estimated), counts_text(queries, &SmallestCounts::samples),
      counts_text(queries, &SmallestCounts::together_tables_estimated),
      counts_text(queries, &SmallestCounts::together_samples_estimated));
  const auto& most =
      *std::ranges::max_element(queries, {}, [](const auto& q) { return q.certificate.needs->reason.size(); });
  const std::string& reason = most.certificate.needs->reason;
  return reason.empty() ? out : out + fmt::format("    query {}: {}\n", most.query, reason);
}

std::string partial_text(const CertifyPlan& plan, std::size_t certified, double seconds) {
  if (certified == static_cast<std::size_t>(plan.queries)) return "";
  const double each = seconds / real(certified), all = each * real(plan.queries);
  return fmt::format("{} of {} queries in {}; the others need about {}: --time-limit {:.0f}\n", certified, plan.queries,
                     duration_text(seconds), duration_text(all - seconds), std::ceil(1.1 * all / 10) * 10);
}

}  // namespace

CsvTable certificate_table(const CertifyPlan& plan, const std::vector<QueryCertificate>& queries) {
  CsvTable table({"query", "head", "key_head", "keys", "planes", "tables", "samples", "budget", "temperature", "term",
                  "basis", "name", "delta", "value", "longest_value_value_units", "dense_norm_value_units",
                  "occupancy_drawn_keys", "occupancy_sure_keys"});
  const Setting& s = plan.setting;
  for (const QueryCertificate& q : queries) {
    for (const CertifiedNumber& n : q.certificate.numbers) {
      table.add({q.query, q.head, q.key_head, q.keys, s.planes, s.tables, s.samples, s.budget, s.temperature, n.term,
                 name_of(n.basis), n.name, n.delta, n.value, q.certificate.longest_value, q.certificate.dense_norm,
                 q.certificate.occupancy_drawn, q.certificate.occupancy_sure});
    }
  }
  return table;
}

Json certificate_json(const CertifyPlan& plan, const std::vector<QueryCertificate>& queries) {
  Json object = {{"plan", plan_json(plan)}, {"queries", Json::array()}};
  for (const QueryCertificate& q : queries) object["queries"].push_back(query_json(q));
  return object;
}

std::string duration_text(double seconds) {
  if (seconds < 300) return fmt::format("{:.0f} s", std::max(1.0, seconds));
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string summary(const CertifyPlan& plan, const std::vector<QueryCertificate>& queries, double seconds) {
  const Setting& s = plan.setting;
  std::vector<double> longest, dense, angular;
  for (const QueryCertificate& q : queries) {
    longest.push_back(q.certificate.longest_value);
    dense.push_back(q.certificate.dense_norm);
    if (const CertifiedNumber* n = found(q.certificate, "angular-to-dense", Basis::measured))
      angular.push_back(n->value);
  }
  std::string out = partial_text(plan, queries.size(), seconds);
  out += fmt::format("{}; L = {} tables, P = {} planes, temperature {}, {} samples, {} keys selected\n",
                     queries.size() == 1 ? fmt::format("query {}", queries[0].query)
                                         : fmt::format("median and largest over {} queries", queries.size()),
                     s.tables, s.planes, s.temperature, s.samples, s.budget);
  out += terms_text(plan, queries);
  out += fmt::format("  {:<18}{:<20}no output is longer\n", "longest value", spread(longest));
  out += fmt::format("  {:<18}{:<20}norm of dense attention's output\n", "dense output", spread(dense));
  out += fmt::format(
      "A bound holds for one query except with probability delta = {}, those of Theorems 8 and 10 always. The paper's\n"
      "take the more favourable of two readings of B.\n",
      plan.delta);
  if (!angular.empty())
    out += fmt::format(
        "The theorems bound the distance to angular attention; that is itself {:.3g} of {:.3g} (the norm of dense "
        "attention's\noutput) away from dense attention (median over queries).\n",
        median(angular), median(dense));
  return out + needs_text(plan, queries);
}

std::string readable(const CertifyPlan& plan, const QueryCertificate& q) {
  const Certificate& c = q.certificate;
  return fmt::format(
             "query {} (head {}): {} keys, |q| {:.4g}, longest value {:.4g}, |dense output| {:.4g}\n"
             "  B, the most keys in one bucket: {} in these tables; some draw puts at least {} into one\n",
             q.query, q.head, q.keys, c.query_norm, c.longest_value, c.dense_norm, c.occupancy_drawn,
             c.occupancy_sure) +
         terms_text(plan, {q}) + needs_text(plan, {q});
}

}  // namespace skt
