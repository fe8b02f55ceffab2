// What the functions from scores to the output must refuse; refusals.cpp says how.
#include "gpu/check/device/operations.hpp"
#include "gpu/check/operations/refusals.hpp"
#include "gpu/check/problems/problem.hpp"

namespace skt::gpu {
namespace {

using Attend = skt_sparse_attention_args;

struct Arrays {
  explicit Arrays(const CheckCase& c)
      : scores(make_scores(c)),
        output(c.rows() * c.dim),
        log_sum_exp(c.rows()),
        selected(c.rows() * c.list()),
        counts(c.rows()),
        list(c.rows() * c.list()),
        list_counts(c.rows()) {}

  DeviceArray<float> scores, output, log_sum_exp;
  DeviceArray<std::int32_t> selected, counts, list, list_counts;
};

void refuse_select_keys(const Library& library, const CheckCase& c, Arrays& arrays, Comparison& result) {
  using Select = skt_select_keys_args;
  Refusals<Select> select(library, &Library::select_keys, "skt_select_keys",
                          {arrays.scores.data(), arrays.selected.data(), arrays.counts.data(), c.rows(), c.capacity,
                           c.keys, c.budget, c.sink, c.window, nullptr, 0, 0, 0, SKT_F32},
                          result);
  select.pointer("scores", &Select::scores);
  select.pointer("selected", &Select::selected);
  select.pointer("counts", &Select::counts);
  select.number("budget", &Select::budget, -1);
  select.number("keys", &Select::keys, c.capacity + 1);
  select.number("rows", &Select::rows, 0);
  select.number("sparsity", &Select::sparsity, -1);
  select.number("query_rows", &Select::query_rows, 9);
  select.number("score_type", &Select::score_type, SKT_F16);
  select.refused("rows of bf16 scores that do not begin at 16 bytes", [&](Select& a) {
    a.score_type = SKT_BF16;
    a.capacity += 4;
  });
  select.refused("query rows of no rows", [&](Select& a) {
    a.query_rows = 2;
    a.rows_per_length = c.rows();
  });
  const std::int32_t* lengths = arrays.counts.data();  // any numbers of the rows
  select.optional_pointer("lengths", &Select::lengths, lengths);
  for (const std::int64_t wrong : {std::int64_t{0}, c.rows() + 1}) {
    select.refused("lengths of no rows", [&](Select& a) {
      a.lengths = lengths;
      a.rows_per_length = wrong;
    });
  }
}

void refuse_one_cache(const Library& library, const Attend& good, Arrays& arrays, Comparison& result) {
  Refusals<Attend> attend(library, &Library::sparse_attention, "skt_sparse_attention", good, result);
  attend.pointer("queries", &Attend::queries);
  attend.pointer("keys", &Attend::keys);
  attend.pointer("values", &Attend::values);
  attend.pointer("selected", &Attend::selected);
  attend.pointer("counts", &Attend::counts);
  attend.pointer("output", &Attend::output);
  attend.optional_pointer("log_sum_exp", &Attend::log_sum_exp, arrays.log_sum_exp.data());
  attend.optional_pointer("part", &Attend::part, arrays.output.data());
  attend.pointer("workspace", &Attend::workspace);
  attend.number("workspace_bytes", &Attend::workspace_bytes, good.workspace_bytes - 1);
  attend.number("dim", &Attend::dim, 48);
  attend.number("type", &Attend::type, 3);
  attend.number("cache_form", &Attend::cache_form, 2);
  attend.number("query_rows", &Attend::query_rows, -1);
  attend.refused("scales beside a cache of the type", [&](Attend& a) { a.key_scales = arrays.output.data(); });
  const auto misaligned = [&](const float* Attend::* scales) {
    attend.refused("misaligned scales", [&, scales](Attend& a) {
      a.cache_form = SKT_CACHE_E4M3;
      a.*scales = shifted(arrays.output.data(), 2);
    });
  };
  misaligned(&Attend::key_scales);
  misaligned(&Attend::value_scales);
}

void refuse_pages(const Library& library, const CheckCase& c, Attend good, Comparison& result) {
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
  require(cudaDeviceSynchronize(), "sparse attention");  // before its block table goes
}

void refuse_sparse_attention(const Library& library, const CheckCase& c, DeviceProblem& device, Arrays& arrays,
                             Comparison& result) {
  Attend good = attention_arguments(c);
  good.queries = device.queries.data();
  good.keys = device.keys.data();
  good.values = device.values.data();
  good.selected = arrays.selected.data();
  good.counts = arrays.counts.data();
  good.output = arrays.output.data();
  skt_error error = {};
  require(library.sparse_attention_workspace_bytes(&good, &good.workspace_bytes, &error), error);
  Bytes workspace(good.workspace_bytes);
  good.workspace = workspace.data();
  refuse_one_cache(library, good, arrays, result);
  refuse_pages(library, c, good, result);
}

void refuse_published_list(const Library& library, const CheckCase& c, Arrays& arrays, Comparison& result) {
  using List = skt_published_list_args;
  Refusals<List> published(library, &Library::published_list, "skt_published_list",
                           {arrays.selected.data(), arrays.counts.data(), arrays.list.data(), arrays.list_counts.data(),
                            c.rows(), c.keys, c.budget, c.sink, c.window},
                           result);
  published.pointer("best", &List::best);
  published.pointer("counts", &List::counts);
  published.pointer("selected", &List::selected);
  published.pointer("list_counts", &List::list_counts);
  published.number("rows", &List::rows, 0);
  published.number("budget", &List::budget, -1);
}

}  // namespace

void refuse_selection(const Library& library, const CheckCase& c, DeviceProblem& device, Comparison& result) {
  Arrays arrays(c);
  refuse_select_keys(library, c, arrays, result);
  refuse_sparse_attention(library, c, device, arrays, result);
  refuse_published_list(library, c, arrays, result);
  arrays.output.to_host();  // waits for what the good arguments launched
}

}  // namespace skt::gpu
