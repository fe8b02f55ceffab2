#include "proofs_check/rows/evidence_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "proofs_check/names.hpp"
#include "sim/require.hpp"

namespace skt {
namespace {

double number_from(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Json basis_json(const IntervalBasis& basis) {
  Json json = {{"law", name_of(basis.law)}};
  switch (basis.law) {
    case IntervalLaw::point:
      break;
    case IntervalLaw::proportion:
      json.update({{"hits", basis.hits}, {"trials", basis.samples.count}});
      break;
    case IntervalLaw::bounded:
    case IntervalLaw::student:
      json.update({{"count", basis.samples.count},
                   {"mean", number_json(basis.samples.mean)},
                   {"variance", number_json(basis.samples.variance)}});
      if (basis.law == IntervalLaw::bounded) json["range"] = number_json(basis.scale);
      break;
    case IntervalLaw::known_deviation:
      json.update({{"count", basis.samples.count},
                   {"mean", number_json(basis.samples.mean)},
                   {"deviation", number_json(basis.scale)}});
      break;
  }
  return json;
}

SampleSummary samples_from(const Json& json) {
  SampleSummary samples{.count = count_from(json.at("count"), "count"), .mean = number_from(json.at("mean"))};
  if (json.contains("variance")) samples.variance = number_from(json.at("variance"));
  return samples;
}

// A point is its own basis: `value`.
IntervalBasis basis_from(const Json& json, double value) {
  const IntervalLaw law = named<IntervalLaw>(json.at("law"));
  switch (law) {
    case IntervalLaw::point:
      return {.law = law, .samples = {.count = 1, .mean = value}};
    case IntervalLaw::proportion:
      return {.law = law,
              .hits = count_from(json.at("hits"), "hits"),
              .samples = {.count = count_from(json.at("trials"), "trials")}};
    case IntervalLaw::bounded:
      return {.law = law, .samples = samples_from(json), .scale = number_from(json.at("range"))};
    case IntervalLaw::student:
      return {.law = law, .samples = samples_from(json)};
    case IntervalLaw::known_deviation:
      return {.law = law, .samples = samples_from(json), .scale = number_from(json.at("deviation"))};
  }
  return {};
}

}  // namespace

Json number_json(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

std::uint64_t count_from(const Json& json, const char* what) {
  if (!json.is_number_unsigned()) refuse("{} is {}: allowed are whole numbers from 0", what, json.dump());
  return json.get<std::uint64_t>();
}

const Json& list_from(const Json& json, const char* what) {
  if (!json.is_array()) refuse("{} is of the type {}: allowed is an array", what, json.type_name());
  return json;
}

Json to_json(const Evidence& e) {
  Json json = {{"instance", e.instance},
               {"quantity", e.quantity},
               {"relation", name_of(e.relation)},
               {"observed", {number_json(e.observed.lo), number_json(e.observed.hi)}},
               {"claimed", number_json(e.claimed)},
               {"claimed_error", number_json(e.claimed_error)},
               {"resolution", number_json(e.resolution)},
               {"trials", e.trials},
               {"trials_in_scope", e.trials_in_scope},
               {"error_share", number_json(e.error_share)},
               {"share", name_of_share(e.basis.law)},
               {"basis", basis_json(e.basis)}};
  if (e.bound_over_quantile) json["bound_over_quantile"] = number_json(*e.bound_over_quantile);
  if (e.bound_over_trivial) json["bound_over_trivial"] = number_json(*e.bound_over_trivial);
  return json;
}

Json to_json(const std::vector<Evidence>& evidence) {
  Json list = Json::array();
  for (const Evidence& piece : evidence) list.push_back(to_json(piece));
  return list;
}

Evidence evidence_from(const Json& json) {
  const Json& observed = list_from(json.at("observed"), "observed");
  Evidence e{.instance = json.at("instance"),
             .quantity = json.at("quantity"),
             .relation = named<Relation>(json.at("relation")),
             .observed = {number_from(observed.at(0)), number_from(observed.at(1))},
             .claimed = number_from(json.at("claimed")),
             .claimed_error = number_from(json.at("claimed_error")),
             .resolution = number_from(json.at("resolution")),
             .trials = count_from(json.at("trials"), "trials"),
             .trials_in_scope = count_from(json.at("trials_in_scope"), "trials_in_scope"),
             .error_share = number_from(json.at("error_share"))};
  e.basis = basis_from(json.at("basis"), e.observed.lo);
  if (json.contains("bound_over_quantile")) e.bound_over_quantile = number_from(json.at("bound_over_quantile"));
  if (json.contains("bound_over_trivial")) e.bound_over_trivial = number_from(json.at("bound_over_trivial"));
  return e;
}

std::vector<Evidence> evidence_list_from(const Json& json) {
  std::vector<Evidence> list;
  for (const Json& piece : list_from(json, "evidence")) list.push_back(evidence_from(piece));
  return list;
}

}  // namespace skt
