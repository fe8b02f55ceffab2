#include "experiments/error_curves/audit_parts.hpp"
#include "experiments/error_curves/sweep_assembly.hpp"

namespace skt {

constexpr auto members_of(const MeasuredTerms*) {
  return std::tuple(&MeasuredTerms::sampling, &MeasuredTerms::sampling_expected, &MeasuredTerms::finite_tables,
                    &MeasuredTerms::bias, &MeasuredTerms::total, &MeasuredTerms::selection, &MeasuredTerms::left_out,
                    &MeasuredTerms::occupied_miss, &MeasuredTerms::occupancy);
}
constexpr auto members_of(const TableStatistics*) {
  return std::tuple(&TableStatistics::keys_never_hit, &TableStatistics::distinct_scores,
                    &TableStatistics::distinct_hard_counts, &TableStatistics::occupancy);
}
constexpr auto members_of(const Thresholds*) {
  return std::tuple(&Thresholds::tables, &Thresholds::samples, &Thresholds::temperature);
}
constexpr auto members_of(const ErrorThresholds*) {
  return std::tuple(&ErrorThresholds::alone, &ErrorThresholds::together);
}
constexpr auto members_of(const ErrorTerms*) {
  return std::tuple(&ErrorTerms::sampling, &ErrorTerms::finite_table, &ErrorTerms::bias);
}
constexpr auto members_of(const BoundAudit*) {
  return std::tuple(&BoundAudit::occupancy, &BoundAudit::required_tables, &BoundAudit::over_trivial, &BoundAudit::alone,
                    &BoundAudit::together);
}
constexpr auto members_of(const OccupancyReadings*) {
  return std::tuple(&OccupancyReadings::realised, &OccupancyReadings::quantile, &OccupancyReadings::almost_sure);
}
constexpr auto members_of(const ComparedBound*) {
  return std::tuple(&ComparedBound::term, &ComparedBound::name, &ComparedBound::guarantee, &ComparedBound::quantile,
                    &ComparedBound::quantile_interval, &ComparedBound::radius, &ComparedBound::misses,
                    &ComparedBound::miss_rate);
}
constexpr auto members_of(const BoundComparison*) {
  return std::tuple(&BoundComparison::occupied_miss, &BoundComparison::occupancy, &BoundComparison::sure_occupancy,
                    &BoundComparison::bounds);
}
constexpr auto members_of(const SettingAudit*) {
  return std::tuple(&SettingAudit::needs, &SettingAudit::measured, &SettingAudit::tables, &SettingAudit::bounds,
                    &SettingAudit::compared);
}

Json json_of_setting(const SettingAudit& at) {
  return Json::array({to_json(at.centre.tables), to_json(at)});
}

RatioLimits limits_of_setting(const Json& json) {
  return from_json<RatioLimits>(array_of(json, 2)[0]);
}

void read_setting(const Json& json, SettingAudit& at) {
  read(array_of(json, 2)[1], at);
  at.compared.setting = at.setting;
}

}  // namespace skt
