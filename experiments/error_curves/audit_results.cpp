#include "experiments/error_curves/audit_parts.hpp"

#include "experiments/error_curves/sweep_assembly.hpp"
#include "experiments/parts/exact_numbers.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

constexpr Moments MeasuredTerms::* kAudited[] = {&MeasuredTerms::sampling,      &MeasuredTerms::sampling_expected,
                                                 &MeasuredTerms::finite_tables, &MeasuredTerms::bias,
                                                 &MeasuredTerms::total,         &MeasuredTerms::selection,
                                                 &MeasuredTerms::left_out,      &MeasuredTerms::occupied_miss};

Json to_json(const MeasuredTerms& measured) {
  Json array = Json::array();
  for (const auto term : kAudited) array.push_back(skt::to_json(measured.*term));
  array.push_back(measured.occupancy);
  return array;
}

MeasuredTerms measured_from(const Json& json) {
  MeasuredTerms measured;
  std::size_t i = 0;
  for (const auto term : kAudited) measured.*term = moments_from(json.at(i++));
  measured.occupancy = json.at(i);
  return measured;
}

Json to_json(const TableStatistics& tables) {
  return {{"keys_never_hit", skt::to_json(tables.keys_never_hit)},
          {"distinct_scores", skt::to_json(tables.distinct_scores)},
          {"distinct_hard_counts", skt::to_json(tables.distinct_hard_counts)},
          {"occupancy", skt::to_json(tables.occupancy)}};
}

TableStatistics tables_from(const Json& json) {
  return {moments_from(json.at("keys_never_hit")), moments_from(json.at("distinct_scores")),
          moments_from(json.at("distinct_hard_counts")), doubles_from(json.at("occupancy"))};
}

Json to_json(const Thresholds& t) {
  return skt::to_json(std::vector<double>{t.tables, t.samples, t.temperature});
}

Thresholds thresholds_from(const Json& json) {
  return {double_from(json.at(0)), double_from(json.at(1)), double_from(json.at(2))};
}

Json to_json(const BoundAudit& bound) {
  const ErrorTerms& over = bound.over_trivial;
  return {{"occupancy", bound.occupancy},
          {"required_tables", skt::to_json(bound.required_tables)},
          {"over_trivial", skt::to_json(std::vector<double>{over.sampling, over.finite_table, over.bias})},
          {"alone", to_json(bound.alone)},
          {"together", to_json(bound.together)}};
}

BoundAudit bound_from(const Json& json) {
  const Json& over = json.at("over_trivial");
  return {json.at("occupancy").get<Index>(),
          double_from(json.at("required_tables")),
          {double_from(over.at(0)), double_from(over.at(1)), double_from(over.at(2))},
          thresholds_from(json.at("alone")),
          thresholds_from(json.at("together"))};
}

Json to_json(const ComparedBound& b) {
  return {{"term", name_of(b.term)},
          {"bound", b.name},
          {"guarantee", name_of(b.guarantee)},
          {"quantile", skt::to_json(b.quantile)},
          {"quantile_interval", skt::to_json(b.quantile_interval)},
          {"radius", skt::to_json(b.radius)},
          {"misses", b.misses},
          {"miss_rate", skt::to_json(b.miss_rate)}};
}

// The one of these that has the name.
template <class Named>
Named named(const Json& name, std::initializer_list<Named> all) {
  for (const Named one : all)
    if (name == name_of(one)) return one;
  refuse("{}: not a name of the audit's", name.dump());
}

ComparedBound compared_from(const Json& json) {
  return {named(json.at("term"), {Term::sampling, Term::finite_tables, Term::bias, Term::total, Term::selection}),
          json.at("bound").get<std::string>(),
          named(json.at("guarantee"), {Guarantee::proved, Guarantee::estimated, Guarantee::printed}),
          double_from(json.at("quantile")),
          interval_from(json.at("quantile_interval")),
          double_from(json.at("radius")),
          json.at("misses").get<std::uint64_t>(),
          interval_from(json.at("miss_rate"))};
}

Json to_json(const BoundComparison& compared) {
  Json bounds = Json::array();
  for (const ComparedBound& bound : compared.bounds) bounds.push_back(to_json(bound));
  return {{"occupied_miss", skt::to_json(compared.occupied_miss)},
          {"occupancy", compared.occupancy},
          {"sure_occupancy", compared.sure_occupancy},
          {"bounds", bounds}};
}

}  // namespace

Json json_of_setting(const SettingAudit& at) {
  return {{"limits", skt::to_json(at.centre.tables)},
          {"alone", to_json(at.needs.alone)},
          {"together", to_json(at.needs.together)},
          {"measured", to_json(at.measured)},
          {"tables", to_json(at.tables)},
          {"realised", to_json(at.bounds.realised)},
          {"quantile", to_json(at.bounds.quantile)},
          {"almost_sure", to_json(at.bounds.almost_sure)},
          {"compared", to_json(at.compared)}};
}

RatioLimits limits_of_setting(const Json& json) {
  return limits_from(json.at("limits"));
}

void read_setting(const Json& json, SettingAudit& at) {
  at.needs = {thresholds_from(json.at("alone")), thresholds_from(json.at("together"))};
  at.measured = measured_from(json.at("measured"));
  at.tables = tables_from(json.at("tables"));
  at.bounds = {bound_from(json.at("realised")), bound_from(json.at("quantile")), bound_from(json.at("almost_sure"))};
  const Json& compared = json.at("compared");
  at.compared.setting = at.setting;
  at.compared.occupied_miss = double_from(compared.at("occupied_miss"));
  at.compared.occupancy = compared.at("occupancy").get<Index>();
  at.compared.sure_occupancy = compared.at("sure_occupancy").get<Index>();
  for (const Json& bound : compared.at("bounds")) at.compared.bounds.push_back(compared_from(bound));
}

}  // namespace skt
