// Does every operation refuse what it cannot do?
//
// Good arguments first, which must be accepted; then each wrong one alone: every pointer misaligned, and missing
// where it must not be; one plane too many (16 of int16 codes and listed buckets, 17 of packed codes and
// half-tables), a type that does not exist, heads that kv_heads does not divide, more keys than the cache holds. A
// refusal is a code other than SKT_OK with a message.
#include "gpu/check/operations/refusals.hpp"

#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/checks.hpp"
#include "gpu/check/problems/problem.hpp"

namespace skt::gpu {
namespace {

void refuse_decode_step(const Library& library, const CheckCase& c, DeviceProblem& device, DeviceIndex& index,
                        Comparison& result) {
  Bytes workspace(decode_step_workspace(library, c));
  DeviceArray<float> output(c.rows() * c.dim);
  DeviceArray<std::uint8_t> allowed(c.batch * c.capacity);
  DeviceArray<std::int32_t> lengths(c.batch);
  using Step = skt_decode_step_args;
  const Step good = decode_arguments(c, device, index, workspace, output);
  Refusals<Step> step(library, &Library::decode_step, "skt_decode_step", good, result);
  step.pointer("queries", &Step::queries);
  step.pointer("keys", &skt_cache::keys);
  step.pointer("values", &skt_cache::values);
  step.pointer("hyperplanes", &Step::hyperplanes);
  step.pointer("packed", &Step::packed);
  step.pointer("norms", &Step::norms);
  step.optional_pointer("allowed", &skt_mask::allowed, allowed.data());
  step.pointer("output", &Step::output);
  step.pointer("workspace", &Step::workspace);
  step.number("workspace_bytes", &Step::workspace_bytes, good.workspace_bytes - 1);
  step.number("heads", &skt_shape::heads, c.heads + 1);
  step.number("capacity", &skt_shape::capacity, c.capacity + 1);
  step.number("used", &skt_sequences::used, c.capacity + 1);
  step.number("dim", &skt_shape::dim, 48);
  step.number("planes", &skt_shape::planes, 17);
  step.number("planes", &skt_shape::planes, 3);
  step.number("tables", &skt_shape::tables, 0);
  step.number("budget", &skt_list::budget, -1);
  step.number("temperature", &Step::temperature, 0);
  step.number("type", &Step::type, 3);
  step.number("cache_form", &skt_cache::cache_form, 2);
  step.refused("scales beside a cache of the type", [&](Step& a) { a.cache.value_scales = output.data(); });
  step.number("rule", &Step::rule, 2);
  step.number("sparsity", &skt_list::sparsity, -1);
  step.number("sparsity", &skt_list::sparsity, std::int64_t{1} << 31);
  step.number("query_rows", &skt_shape::query_rows, 9);
  step.number("query_rows", &skt_shape::query_rows, -1);
  step.optional_pointer("lengths", &skt_sequences::lengths, lengths.data());
  step.number("paged_index", &Step::paged_index, 2);
  step.number("paged_index", &Step::paged_index, 1);  // without a table
  step.optional_pointer("log_sum_exp", &Step::log_sum_exp, output.data());
  output.to_host();  // waits for what the good arguments launched
}

}  // namespace

Comparison check_refusals(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  DeviceIndex index(c);
  index.clear_last_tile(c);
  Comparison result;
  result.holds("case with planes to pack and a list", 0, c.planes >= 4 && c.list() > 0);
  refuse_index_building(library, c, device, index, result);
  refuse_scores(library, c, device, index, result);
  refuse_selection(library, c, device, result);
  refuse_shards(library, c, result);
  refuse_decode_step(library, c, device, index, result);
  return result;
}

}  // namespace skt::gpu
