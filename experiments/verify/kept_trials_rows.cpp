#include "experiments/verify/kept_trials_rows.hpp"

#include <limits>

#include "experiments/files/csv.hpp"
#include "proofs_check/names.hpp"
#include "proofs_check/rows/evidence_rows.hpp"
#include "sim/number.hpp"

namespace skt {
namespace {

constexpr double kBandsError = 0.05;  // of all bands of one file together

// JSON has no infinity; no other value of a trial is missing.
double value_from(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::infinity() : json.get<double>();
}

Json to_json(const KeptTrials& kept) {
  Json values = Json::array(), law = Json::array();
  for (const ValueCount& v : kept.values) values.push_back({number_json(v.value), v.count});
  for (const LawPoint& p : kept.law) law.push_back({p.value, p.probability});
  return {{"instance", kept.instance},
          {"quantity", kept.quantity},
          {"relation", name_of(kept.relation)},
          {"values", values},
          {"law", law}};
}

std::uint64_t trials_of(const KeptTrials& kept) {
  std::uint64_t trials = 0;
  for (const ValueCount& v : kept.values) trials += v.count;
  return trials;
}

}  // namespace

Json to_json(const std::vector<KeptTrials>& kept) {
  Json list = Json::array();
  for (const KeptTrials& one : kept) list.push_back(to_json(one));
  return list;
}

std::vector<KeptTrials> kept_trials_from(const Json& json) {
  std::vector<KeptTrials> list;
  for (const Json& one : list_from(json, "kept")) {
    KeptTrials kept{one.at("instance"), one.at("quantity"), named<Relation>(one.at("relation")), {}, {}};
    for (const Json& v : list_from(one.at("values"), "values"))
      kept.values.push_back({value_from(v.at(0)), count_from(v.at(1), "count")});
    for (const Json& p : list_from(one.at("law"), "law")) kept.law.push_back({p.at(0), p.at(1)});
    list.push_back(std::move(kept));
  }
  return list;
}

std::string trials_csv(const std::vector<KeptOf>& kept) {
  CsvTable table = CsvTable::of("id,measured,instance,quantity,value,count");
  for (const KeptOf& k : kept)
    for (const ValueCount& v : k.trials.values)
      table.add({k.id, k.measured, k.trials.instance, k.trials.quantity, v.value, v.count});
  return table.text();
}

std::string laws_csv(const std::vector<KeptOf>& kept) {
  CsvTable table = CsvTable::of("id,measured,instance,quantity,relation,value,probability,band");
  for (const KeptOf& k : kept) {
    const double band = distribution_band(trials_of(k.trials), kBandsError / real(kept.size()));
    for (const LawPoint& p : k.trials.law)
      table.add({k.id, k.measured, k.trials.instance, k.trials.quantity, name_of(k.trials.relation), p.value,
                 p.probability, band});
  }
  return table.text();
}

}  // namespace skt
