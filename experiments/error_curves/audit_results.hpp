// How is an audited setting written as JSON, so that every number comes back the same?
//
// Only what takes time: the limits in L, what was searched, measured and compared. Figures of the population follow from
// the plan and the seed. A field that was left out would show in audit_results_test.cpp as one that does not come back.
#pragma once

#include "experiments/error_curves/audit.hpp"
#include "sim/json.hpp"

namespace skt {

Json json_of_setting(const SettingAudit& at);

RatioLimits limits_of_setting(const Json& json);

// Everything else that was written.
void read_setting(const Json& json, SettingAudit& at);

}  // namespace skt
