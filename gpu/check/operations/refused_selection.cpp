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
                          {.scores = arrays.scores.data(),
                           .selected = arrays.selected.data(),
                           .counts = arrays.counts.data(),
                           .shape = shape_of(c),
                           .sequences = {.used = c.keys},
                           .list = list_of(c)},
                          result);
  select.pointer("scores", &Select::scores);
  select.pointer("selected", &Select::selected);
  select.pointer("counts", &Select::counts);
  select.number("budget", &skt_list::budget, -1);
  select.number("used", &skt_sequences::used, c.capacity + 1);
  select.number("heads", &skt_shape::heads, 0);
  select.number("sparsity", &skt_list::sparsity, -1);
  select.number("query_rows", &skt_shape::query_rows, 9);
  select.number("score_type", &Select::score_type, SKT_F16);
  select.refused("rows of bf16 scores that do not begin at 16 bytes", [&](Select& a) {
    a.score_type = SKT_BF16;
    a.shape.capacity += 4;
  });
  const std::int32_t* lengths = arrays.counts.data();  // any numbers of the rows
  select.optional_pointer("lengths", &skt_sequences::lengths, lengths);
}

void refuse_one_cache(const Library& library, const Attend& good, Arrays& arrays, Comparison& result) {
  Refusals<Attend> attend(library, &Library::sparse_attention, "skt_sparse_attention", good, result);
  attend.pointer("queries", &Attend::queries);
  attend.pointer("keys", &skt_cache::keys);
  attend.pointer("values", &skt_cache::values);
  attend.pointer("selected", &Attend::selected);
  attend.pointer("counts", &Attend::counts);
  attend.pointer("output", &Attend::output);
  attend.optional_pointer("log_sum_exp", &Attend::log_sum_exp, arrays.log_sum_exp.data());
  attend.optional_pointer("part", &Attend::part, arrays.output.data());
  attend.pointer("workspace", &Attend::workspace);
  attend.number("workspace_bytes", &Attend::workspace_bytes, good.workspace_bytes - 1);
  attend.number("dim", &skt_shape::dim, 48);
  attend.number("type", &Attend::type, 3);
  attend.number("cache_form", &skt_cache::cache_form, 2);
  attend.number("query_rows", &skt_shape::query_rows, -1);
  attend.refused("scales beside a cache of the type", [&](Attend& a) { a.cache.key_scales = arrays.output.data(); });
  const auto misaligned = [&](const float* skt_cache::* scales) {
    attend.refused("misaligned scales", [&, scales](Attend& a) {
      a.cache.cache_form = SKT_CACHE_E4M3;
      a.cache.*scales = shifted(arrays.output.data(), 2);
    });
  };
  misaligned(&skt_cache::key_scales);
  misaligned(&skt_cache::value_scales);
}

void refuse_pages(const Library& library, const CheckCase& c, Attend good, Comparison& result) {
  const std::int64_t blocks = (c.capacity + 15) / 16;
  DeviceArray<std::int32_t> first_page(std::vector<std::int32_t>(c.batch * blocks));
  good.paged = {.block_table = first_page.data(),
                .blocks = blocks,
                .pages = blocks,
                .page_size = 16,
                .page_stride = 16 * c.kv_heads,
                .head_stride = 16,
                .token_stride = 1};
  Refusals<Attend> paged(library, &Library::sparse_attention, "skt_sparse_attention", good, result);
  paged.optional_pointer("block_table", &skt_pages::block_table, first_page.data());
  paged.number("page_size", &skt_pages::page_size, 24);
  paged.number("blocks", &skt_pages::blocks, blocks - 1);
  paged.number("pages", &skt_pages::pages, std::int64_t{1} << 31);
  paged.number("last row of all pages", &skt_pages::page_stride, (std::int64_t{1} << 31) - 1);
  paged.number("head_stride", &skt_pages::head_stride, 0);
  paged.number("token_stride", &skt_pages::token_stride, -1);
  require(cudaDeviceSynchronize(), "sparse attention");  // before its block table goes
}

void refuse_sparse_attention(const Library& library, const CheckCase& c, DeviceProblem& device, Arrays& arrays,
                             Comparison& result) {
  Attend good = attention_arguments(c, device, arrays.selected, arrays.counts);
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
                           {.best = arrays.selected.data(),
                            .counts = arrays.counts.data(),
                            .selected = arrays.list.data(),
                            .list_counts = arrays.list_counts.data(),
                            .shape = shape_of(c),
                            .used = c.keys,
                            .list = list_of(c)},
                           result);
  published.pointer("best", &List::best);
  published.pointer("counts", &List::counts);
  published.pointer("selected", &List::selected);
  published.pointer("list_counts", &List::list_counts);
  published.number("heads", &skt_shape::heads, 0);
  published.number("budget", &skt_list::budget, -1);
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
