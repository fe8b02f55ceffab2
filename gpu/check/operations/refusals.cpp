// Does every operation refuse what it cannot do?
//
// Good arguments first, which must be accepted; then each wrong one alone: every pointer misaligned, and
// missing where it must not be; one plane too many (16 of int16 codes and listed buckets, 17 of packed codes
// and half-tables), a type that does not exist, heads that kv_heads does not divide, more keys than the cache
// holds. A refusal is a code other than SKT_OK with a message.
#include <functional>

#include "gpu/check/device/operations.hpp"
#include "gpu/check/run_check.hpp"
#include "gpu/functors/half_table.hpp"
#include "gpu/functors/packed_codes.hpp"

namespace skt::gpu {
namespace {

template <class Pointer>
Pointer shifted(Pointer pointer, std::intptr_t bytes) {
  return reinterpret_cast<Pointer>(reinterpret_cast<std::intptr_t>(pointer) + bytes);
}

// The wrong variants of one operation's good arguments.
template <class Arguments>
class Refusals {
 public:
  using Operation = int (*)(const Arguments*, CUstream_st*, skt_error*);

  Refusals(const Library& library, Operation Library::* operation, const char* name, const Arguments& good,
           Comparison& result)
      : operation_(library.*operation), name_(name), good_(good), result_(result) {
    skt_error error = {};
    const int code = operation_(&good_, nullptr, &error);
    // Somebody else's library need not have everything: then there is nothing to refuse.
    supported_ = code != SKT_UNSUPPORTED || library.handle == nullptr;
    if (supported_) result_.holds(name_, 0, code == SKT_OK);
  }

  template <class Change>
  void refused(const char* what, Change&& change) {
    if (!supported_) return;
    Arguments wrong = good_;
    change(wrong);
    skt_error error = {};
    const int code = operation_(&wrong, nullptr, &error);
    result_.holds((std::string(name_) + " refuses " + what).c_str(), ++refusals_,
                  code != SKT_OK && error.message[0] != '\0');
  }
  template <class Member>
  void pointer(const char* what, Member member) {
    refused((std::string("a missing ") + what).c_str(), [&](Arguments& a) { a.*member = nullptr; });
    refused((std::string("a misaligned ") + what).c_str(), [&](Arguments& a) { a.*member = shifted(a.*member, 2); });
  }
  // One that may be missing: `there` is where it could point to.
  template <class Member, class Pointer>
  void optional_pointer(const char* what, Member member, Pointer there) {
    refused((std::string("a misaligned ") + what).c_str(), [&](Arguments& a) { a.*member = shifted(there, 2); });
  }
  template <class Member>
  void number(const char* what, Member member, std::int64_t wrong) {
    using Number = std::remove_reference_t<decltype(good_.*member)>;
    refused((what + (" = " + std::to_string(wrong))).c_str(),
            [&](Arguments& a) { a.*member = static_cast<Number>(wrong); });
  }

 private:
  Operation operation_;
  const char* name_;
  Arguments good_;
  Comparison& result_;
  bool supported_ = true;
  std::int64_t refusals_ = 0;
};

void refuse_index_building(const Library& library, const CheckCase& c, DeviceProblem& device, DeviceIndex& index,
                           Comparison& result) {
  using Hash = skt_hash_keys_args;
  Refusals<Hash> hash(library, &Library::hash_keys, "skt_hash_keys",
                      {device.keys.data(), device.hyperplanes.data(), index.codes.data(), c.batch, c.kv_heads,
                       c.capacity, 0, c.keys, c.dim, c.tables, c.planes, c.element_type()},
                      result);
  hash.pointer("keys", &Hash::keys);
  hash.pointer("hyperplanes", &Hash::hyperplanes);
  hash.pointer("codes", &Hash::codes);
  hash.number("planes", &Hash::planes, 16);
  hash.number("planes", &Hash::planes, 0);
  hash.number("tables", &Hash::tables, 0);
  hash.number("dim", &Hash::dim, c.dim + 1);
  hash.number("key_type", &Hash::key_type, 3);
  hash.number("count", &Hash::count, c.capacity + 1);
  hash.number("first", &Hash::first, -1);
  using Norms = skt_value_norms_args;
  Refusals<Norms> norms(library, &Library::value_norms, "skt_value_norms",
                        {device.values.data(), index.norms.data(), c.batch, c.kv_heads, c.capacity, 0, c.keys, c.dim,
                         c.element_type(), SKT_NORM_F16},
                        result);
  norms.pointer("values", &Norms::values);
  norms.pointer("norms", &Norms::norms);
  norms.number("value_type", &Norms::value_type, -1);
  norms.number("form", &Norms::form, 3);
  norms.number("dim", &Norms::dim, 264);
  using Pack = skt_pack_codes_args;
  Refusals<Pack> pack(
      library, &Library::pack_codes, "skt_pack_codes",
      {index.codes.data(), index.packed.data(), c.batch, c.kv_heads, c.capacity, 0, c.keys, c.tables, c.planes},
      result);
  pack.pointer("codes", &Pack::codes);
  pack.pointer("packed", &Pack::packed);
  pack.number("planes", &Pack::planes, 17);
  pack.number("capacity", &Pack::capacity, c.capacity + 1);
  using Build = skt_build_index_args;
  Refusals<Build> build(
      library, &Library::build_index, "skt_build_index",
      {device.keys.data(), device.hyperplanes.data(), index.packed.data(), device.values.data(), index.norms.data(),
       c.batch, c.kv_heads, c.capacity, 0, c.keys, c.dim, c.tables, c.planes, c.element_type()},
      result);
  build.pointer("keys", &Build::keys);
  build.pointer("hyperplanes", &Build::hyperplanes);
  build.pointer("packed", &Build::packed);
  build.pointer("values", &Build::values);
  build.pointer("norms", &Build::norms);
  build.number("planes", &Build::planes, 17);
  build.number("dim", &Build::dim, 48);
  build.number("type", &Build::type, SKT_F32);
}

void refuse_scores(const Library& library, const CheckCase& c, DeviceProblem& device, DeviceIndex& index,
                   Comparison& result) {
  DeviceArray<float> buckets(c.batch * c.heads * c.tables << c.planes);
  DeviceArray<float> scores(c.batch * c.heads * c.capacity);
  DeviceArray<std::uint8_t> allowed(c.batch * c.capacity);
  DeviceArray<std::int64_t> bad_codes(2);
  using Buckets = skt_soft_buckets_args;
  Refusals<Buckets> soft(
      library, &Library::soft_buckets, "skt_soft_buckets",
      {device.queries.data(), device.hyperplanes.data(), buckets.data(), c.batch, c.heads, c.dim, c.tables, c.planes,
       inverse_sqrt_dim(c), temperature_of(c), c.element_type(), SKT_BUCKETS, SKT_F32, nullptr},
      result);
  soft.pointer("queries", &Buckets::queries);
  soft.pointer("hyperplanes", &Buckets::hyperplanes);
  soft.optional_pointer("corners", &Buckets::corners, buckets.data());
  soft.pointer("probabilities", &Buckets::probabilities);
  soft.number("planes", &Buckets::planes, 16);
  soft.number("temperature", &Buckets::temperature, 0);
  soft.number("form", &Buckets::form, 3);
  soft.number("probability_type", &Buckets::probability_type, 3);
  soft.refused("fp16 half-tables", [](Buckets& a) {
    a.form = SKT_HALF_TABLES;
    a.probability_type = SKT_F16;
  });
  soft.refused("half-tables of 17 planes", [](Buckets& a) {
    a.form = SKT_HALF_TABLES;
    a.planes = 17;
  });
  using Score = skt_score_buckets_args;
  Refusals<Score> score(library, &Library::score_buckets, "skt_score_buckets",
                        {buckets.data(), index.codes.data(), index.norms.data(), nullptr, scores.data(), nullptr,
                         c.batch, c.heads, c.kv_heads, c.capacity, c.keys, c.tables, c.planes, 0, SKT_F32, SKT_F16},
                        result);
  score.pointer("probabilities", &Score::probabilities);
  score.pointer("codes", &Score::codes);
  score.pointer("norms", &Score::norms);
  score.pointer("scores", &Score::scores);
  score.optional_pointer("allowed", &Score::allowed, allowed.data());
  score.optional_pointer("bad_codes", &Score::bad_codes, bad_codes.data());
  score.number("planes", &Score::planes, 16);
  score.number("heads", &Score::heads, c.heads + 1);
  score.number("keys", &Score::keys, c.capacity + 1);
  score.number("norm_type", &Score::norm_type, SKT_F32);
  using Packed = skt_score_packed_args;
  Refusals<Packed> packed(library, &Library::score_packed, "skt_score_packed",
                          {buckets.data(), index.packed.data(), index.norms.data(), nullptr, scores.data(), c.batch,
                           c.heads, c.kv_heads, c.capacity, c.keys, c.tables, c.planes, 0, SKT_SOFT_COLLISION},
                          result);
  packed.pointer("half_tables", &Packed::half_tables);
  packed.pointer("packed", &Packed::packed);
  packed.pointer("norms", &Packed::norms);
  packed.pointer("scores", &Packed::scores);
  packed.optional_pointer("allowed", &Packed::allowed, allowed.data());
  packed.number("planes", &Packed::planes, 17);
  packed.number("planes", &Packed::planes, 3);
  packed.number("tables", &Packed::tables, 5000);
  scores.to_host();  // waits for what the good arguments launched
}

void refuse_selection(const Library& library, const CheckCase& c, DeviceProblem& device, Comparison& result) {
  DeviceArray<float> scores(make_scores(c));
  DeviceArray<std::int32_t> selected(c.batch * c.heads * list_of(c));
  DeviceArray<std::int32_t> counts(c.batch * c.heads);
  DeviceArray<float> output(c.batch * c.heads * c.dim);
  DeviceArray<float> log_sum_exp(c.batch * c.heads);
  using Select = skt_select_keys_args;
  Refusals<Select> select(library, &Library::select_keys, "skt_select_keys",
                          {scores.data(), selected.data(), counts.data(), c.batch * c.heads, c.capacity, c.keys,
                           c.budget, c.sink, c.window},
                          result);
  select.pointer("scores", &Select::scores);
  select.pointer("selected", &Select::selected);
  select.pointer("counts", &Select::counts);
  select.number("budget", &Select::budget, -1);
  select.number("keys", &Select::keys, c.capacity + 1);
  select.number("rows", &Select::rows, 0);
  using Attend = skt_sparse_attention_args;
  Attend good = attention_arguments(c);
  good.queries = device.queries.data();
  good.keys = device.keys.data();
  good.values = device.values.data();
  good.selected = selected.data();
  good.counts = counts.data();
  good.output = output.data();
  skt_error error = {};
  require(library.sparse_attention_workspace_bytes(&good, &good.workspace_bytes, &error), error);
  Bytes workspace(good.workspace_bytes);
  good.workspace = workspace.data();
  Refusals<Attend> attend(library, &Library::sparse_attention, "skt_sparse_attention", good, result);
  attend.pointer("queries", &Attend::queries);
  attend.pointer("keys", &Attend::keys);
  attend.pointer("values", &Attend::values);
  attend.pointer("selected", &Attend::selected);
  attend.pointer("counts", &Attend::counts);
  attend.pointer("output", &Attend::output);
  attend.optional_pointer("log_sum_exp", &Attend::log_sum_exp, log_sum_exp.data());
  attend.pointer("workspace", &Attend::workspace);
  attend.number("workspace_bytes", &Attend::workspace_bytes, good.workspace_bytes - 1);
  attend.number("dim", &Attend::dim, 48);
  attend.number("type", &Attend::type, 3);
  good.page_size = 16;
  good.blocks = (c.capacity + 15) / 16;
  DeviceArray<std::int32_t> first_page(std::vector<std::int32_t>(c.batch * good.blocks));
  good.block_table = first_page.data();
  good.pages = good.blocks;
  good.page_stride = 16 * c.kv_heads;
  good.head_stride = 16;
  good.token_stride = 1;
  Refusals<Attend> paged(library, &Library::sparse_attention, "skt_sparse_attention", good, result);
  paged.optional_pointer("block_table", &Attend::block_table, first_page.data());
  paged.number("page_size", &Attend::page_size, 24);
  paged.number("blocks", &Attend::blocks, good.blocks - 1);
  paged.number("pages", &Attend::pages, std::int64_t{1} << 31);
  paged.number("last row of all pages", &Attend::page_stride, (std::int64_t{1} << 31) - 1);
  paged.number("head_stride", &Attend::head_stride, 0);
  paged.number("token_stride", &Attend::token_stride, -1);
  using List = skt_published_list_args;
  DeviceArray<std::int32_t> list(c.batch * c.heads * list_of(c));
  DeviceArray<std::int32_t> list_counts(c.batch * c.heads);
  Refusals<List> published(library, &Library::published_list, "skt_published_list",
                           {selected.data(), counts.data(), list.data(), list_counts.data(), c.batch * c.heads, c.keys,
                            c.budget, c.sink, c.window},
                           result);
  published.pointer("best", &List::best);
  published.pointer("counts", &List::counts);
  published.pointer("selected", &List::selected);
  published.pointer("list_counts", &List::list_counts);
  published.number("rows", &List::rows, 0);
  published.number("budget", &List::budget, -1);
  output.to_host();
}

void refuse_decode_step(const Library& library, const CheckCase& c, DeviceProblem& device, DeviceIndex& index,
                        Comparison& result) {
  Bytes workspace(decode_step_workspace(library, c));
  DeviceArray<float> output(c.batch * c.heads * c.dim);
  DeviceArray<std::uint8_t> allowed(c.batch * c.capacity);
  using Step = skt_decode_step_args;
  const Step good = decode_arguments(c, device, index, workspace, output);
  Refusals<Step> step(library, &Library::decode_step, "skt_decode_step", good, result);
  step.pointer("queries", &Step::queries);
  step.pointer("keys", &Step::keys);
  step.pointer("values", &Step::values);
  step.pointer("hyperplanes", &Step::hyperplanes);
  step.pointer("packed", &Step::packed);
  step.pointer("norms", &Step::norms);
  step.optional_pointer("allowed", &Step::allowed, allowed.data());
  step.pointer("output", &Step::output);
  step.pointer("workspace", &Step::workspace);
  step.number("workspace_bytes", &Step::workspace_bytes, good.workspace_bytes - 1);
  step.number("heads", &Step::heads, c.heads + 1);
  step.number("capacity", &Step::capacity, c.capacity + 1);
  step.number("used", &Step::used, c.capacity + 1);
  step.number("dim", &Step::dim, 48);
  step.number("planes", &Step::planes, 17);
  step.number("planes", &Step::planes, 3);
  step.number("tables", &Step::tables, 0);
  step.number("budget", &Step::budget, -1);
  step.number("temperature", &Step::temperature, 0);
  step.number("type", &Step::type, 3);
  step.number("rule", &Step::rule, 2);
  output.to_host();
}

}  // namespace

Comparison check_refusals(const Library& library, const CheckCase& c) {
  const Problem problem = make_problem(c);
  DeviceProblem device(c, problem);
  DeviceIndex index(c);
  index.clear_last_tile(c);
  Comparison result;
  result.holds("case with planes to pack and a list", 0, c.planes >= 4 && list_of(c) > 0);
  refuse_index_building(library, c, device, index, result);
  refuse_scores(library, c, device, index, result);
  refuse_selection(library, c, device, result);
  refuse_decode_step(library, c, device, index, result);
  return result;
}

}  // namespace skt::gpu
