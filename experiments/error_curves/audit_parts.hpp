// Of which parts is an audit made?
//
// Of its settings, one for each number of planes and temperature. All draw the planes of the widest, so that a setting
// is the same by itself and among the others; that draw is made again for each, a fifth more work in all. A setting that
// was another beside others would show in audit_parts_test.cpp.
#pragma once

#include <vector>

#include "experiments/error_curves/audit.hpp"
#include "experiments/parts/part_work.hpp"

namespace skt {

// InputError for a plan that fails the check. The parts share the instance: not for two threads at a time.
std::vector<Part> audit_parts(const AuditPlan& plan, AuditPart part, Seed seed, const WorkSeen& seen = {});

// Of each plan. Settings on one instance that differ in the number of tables alone share its moments.
std::vector<std::vector<Part>> audit_parts(const std::vector<AuditPlan>& plans, AuditPart part, Seed seed,
                                           const WorkSeen& seen = {});

// From the results in the order of the parts. InputError for results of another list.
Audit assemble_audit(const AuditPlan& plan, AuditPart part, Seed seed, const std::vector<Json>& results);

// The result of a part (audit_results.cpp), from which every number comes back the same. It holds only what takes time:
// the limits in L, what was searched, measured and compared; figures of the population follow from the plan and the seed.
Json json_of_setting(const SettingAudit& at);
RatioLimits limits_of_setting(const Json& json);
void read_setting(const Json& json, SettingAudit& at);  // everything else

}  // namespace skt
