#include "experiments/certify/certify_rows.hpp"

#include <fmt/format.h>

#include <cmath>

namespace skt {
namespace {

Json number(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

Json count(const std::optional<Index>& n) {
  return n ? Json(*n) : Json(nullptr);
}

std::string count_text(const std::optional<Index>& n) {
  return n ? fmt::format("{}", *n) : "none";
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

// "exceeded with probability 0.05 at most", for all queries together or for one.
std::string delta_text(const CertifyPlan& plan, double delta) {
  if (!(delta > 0)) return "";
  const std::string text = fmt::format("delta {:.3g}", delta);
  return delta < plan.delta ? text + fmt::format(": all {} queries", plan.queries) : text;
}

std::string readable(const SmallestCounts& needs, double target, double delta) {
  std::string out = fmt::format(
      "  to reach an error of {:.4g} except with probability {}:\n"
      "    finite tables alone:  L = {} certified, {} estimated\n"
      "    sampling alone:       M = {} certified, on these tables\n"
      "    all together:         L = {}, M = {} estimated, from the weights of these tables\n",
      target, delta, count_text(needs.tables_certified), count_text(needs.tables_estimated), count_text(needs.samples),
      count_text(needs.together_tables_estimated), count_text(needs.together_samples_estimated));
  if (!needs.reason.empty()) out += fmt::format("    {}\n", needs.reason);
  return out;
}

}  // namespace

CsvTable certificate_table(const CertifyPlan& plan, const std::vector<QueryCertificate>& queries) {
  CsvTable table({"query", "head", "key_head", "keys", "planes", "tables", "samples", "budget", "temperature", "term",
                  "basis", "name", "delta", "value", "longest_value_value_units", "dense_norm_value_units",
                  "occupancy_drawn_keys", "occupancy_sure_keys"});
  const Setting& s = plan.setting;
  for (const QueryCertificate& q : queries) {
    for (const CertifiedNumber& n : q.certificate.numbers) {
      table.add({std::int64_t{q.query}, std::int64_t{q.head}, std::int64_t{q.key_head}, std::int64_t{q.keys},
                 std::int64_t{s.planes}, std::int64_t{s.tables}, std::int64_t{s.samples}, std::int64_t{s.budget},
                 s.temperature, n.term, name_of(n.basis), n.name, n.delta, n.value, q.certificate.longest_value,
                 q.certificate.dense_norm, std::int64_t{q.certificate.occupancy_drawn},
                 std::int64_t{q.certificate.occupancy_sure}});
    }
  }
  return table;
}

Json certificate_json(const CertifyPlan& plan, const std::vector<QueryCertificate>& queries) {
  Json object = {{"plan", plan_json(plan)}, {"queries", Json::array()}};
  for (const QueryCertificate& q : queries) object["queries"].push_back(query_json(q));
  return object;
}

std::string readable(const CertifyPlan& plan, const QueryCertificate& q) {
  const Certificate& c = q.certificate;
  std::string out = fmt::format(
      "query {} (head {}): {} keys, |q| {:.4g}, longest value {:.4g}, |dense output| {:.4g}\n"
      "  B, the most keys in one bucket: {} in these tables; some draw puts at least {} into one\n",
      q.query, q.head, q.keys, c.query_norm, c.longest_value, c.dense_norm, c.occupancy_drawn, c.occupancy_sure);
  std::string term;
  for (const std::string& wanted : certified_terms()) {
    for (const CertifiedNumber& n : c.numbers) {
      if (n.term != wanted) continue;
      out += fmt::format("  {:<18}{:<11}{:<42}{:>11.4g}  {}\n", n.term == term ? "" : n.term, name_of(n.basis), n.name,
                         n.value, delta_text(plan, n.delta));
      term = n.term;
    }
  }
  if (c.needs) out += readable(*c.needs, *plan.target, plan.delta);
  return out;
}

}  // namespace skt
