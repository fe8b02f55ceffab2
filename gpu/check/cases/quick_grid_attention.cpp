// Which cases of selection, lists and attention does the quick grid hold? Each over key counts around the sizes of a
// warp, a block and a cluster, types, masks, kinds of input and budgets.
#include "gpu/check/cases/grid_builder.hpp"
#include "gpu/check/cases/quick_grid.hpp"

namespace skt::gpu {
namespace {

void add_selection(Grid& grid) {
  CheckCase c;
  c.operation = Operation::select_keys;
  c.heads = c.kv_heads = 3;
  for (const InputKind inputs : {InputKind::gaussian, InputKind::ties, InputKind::zeros, InputKind::low_contrast,
                                 InputKind::large, InputKind::non_finite}) {
    for (const MaskKind mask : values_of<MaskKind>()) {
      for (const std::int64_t keys : {1, 31, 32, 33, 1000, 4096, 8200, 40000}) {  // clusters from 8192 on
        for (const std::int64_t budget : {0, 1, 37, 5000}) {
          if (keys > 8192 && (budget < 37 || mask == MaskKind::causal || mask == MaskKind::padding)) continue;
          if (keys > 8200 && budget != 5000) continue;
          c.inputs = inputs;
          c.mask = mask;
          c.keys = keys;
          c.budget = budget;
          c.sink = 5;
          c.window = budget == 37 ? 0 : 7;
          grid.add(c);
        }
      }
    }
  }
  c.heads = c.kv_heads = 1;
  c.keys = 400000;  // several batches of reads to every warp of the largest cluster
  c.mask = MaskKind::random;
  for (const InputKind inputs : {InputKind::gaussian, InputKind::ties}) {
    c.inputs = inputs;
    grid.add(c);
  }
}

void add_published_list(Grid& grid) {
  CheckCase c = grouped_case(Operation::published_list);
  c.profile = Profile::hf;
  c.sink = 20;
  c.window = 20;
  for (const MaskKind mask : values_of<MaskKind>()) {
    for (const std::int64_t keys : {1, 33, 39, 40, 700}) {
      for (const std::int64_t budget : {1, 40, 700}) {
        c.mask = mask;
        c.keys = keys;
        c.budget = budget;
        grid.add(c);
      }
    }
  }
}

void add_attention(Grid& grid) {
  CheckCase c = grouped_case(Operation::sparse_attention);
  c.keys = 700;
  for (const NumberType type : values_of<NumberType>()) {
    for (const std::int64_t dim : kAttentionDims) {
      for (const InputKind inputs : {InputKind::gaussian, InputKind::zeros, InputKind::large}) {
        for (const std::int64_t budget : {1, 31, 128, 129, 600}) {
          c.type = type;
          c.dim = dim;
          c.inputs = inputs;
          c.budget = budget;
          grid.add(c);
        }
      }
    }
  }
  c.mask = MaskKind::nothing;
  c.inputs = InputKind::gaussian;
  grid.add(c);
}

void add_attention_from_pages(Grid& grid) {
  CheckCase c = grouped_case(Operation::sparse_attention);
  c.keys = 700;
  for (const PageLayout pages : {PageLayout::hnd, PageLayout::nhd}) {
    for (const std::int64_t page_size : {1, 16, 256}) {
      for (const NumberType type : values_of<NumberType>()) {
        for (const std::int64_t dim : kAttentionDims) {
          for (const std::int64_t budget : {1, 129, 600}) {
            c.pages = pages;
            c.page_size = page_size;
            c.type = type;
            c.dim = dim;
            c.budget = budget;
            grid.add(c);
          }
        }
      }
    }
  }
  c.batch = 8;  // so many rows that one block takes a whole list, by several batches of entries to a warp
  c.heads = 64;
  c.page_size = 16;
  c.budget = 600;
  for (const NumberType type : values_of<NumberType>()) {
    for (const std::int64_t dim : kAttentionDims) {
      c.type = type;
      c.dim = dim;
      grid.add(c);
    }
  }
}

// Bytes of e4m3, with scales and without: every type of query and dimension, subnormals, NaN, pages of both layouts, and
// lists of few keys and many.
void add_attention_over_bytes(Grid& grid) {
  CheckCase c = grouped_case(Operation::sparse_attention);
  c.keys = 700;
  c.kv_heads = 4;  // neighbours on both sides
  c.heads = 8;
  c.cache = CacheForm::e4m3;
  for (const NumberType type : values_of<NumberType>()) {
    for (const std::int64_t dim : kAttentionDims) {
      for (const std::int64_t budget : {1, 31, 129, 600}) {
        c.type = type;
        c.dim = dim;
        c.budget = budget;
        grid.add(c);
      }
    }
  }
  c.type = NumberType::bf16;
  for (const std::int64_t dim : kAttentionDims) {
    c.dim = dim;
    c.budget = 129;
    for (const InputKind inputs : {InputKind::subnormals, InputKind::large, InputKind::zeros}) {
      c.inputs = inputs;
      grid.add(c);
    }
    c.inputs = InputKind::non_finite;
    for (const std::int64_t budget : {4, 12}) {  // lists with a value of NaN and no key of it, and with both
      c.budget = budget;
      grid.add(c);
    }
    c.inputs = InputKind::gaussian;
    c.cache = CacheForm::e4m3_unscaled;
    grid.add(c);
    c.cache = CacheForm::e4m3;
    c.budget = 600;
    for (const PageLayout pages : {PageLayout::hnd, PageLayout::nhd}) {
      for (const std::int64_t page_size : {1, 16, 256}) {
        c.pages = pages;
        c.page_size = page_size;
        grid.add(c);
      }
    }
    c.pages = PageLayout::none;
  }
  c.batch = 8;  // a block to a list, as above
  c.heads = 64;
  c.pages = PageLayout::nhd;
  c.page_size = 16;
  for (const std::int64_t dim : kAttentionDims) {
    c.dim = dim;
    grid.add(c);
  }
}

void add_refusals(Grid& grid) {
  CheckCase c;
  c.operation = Operation::refusals;
  c.heads = 4;
  c.kv_heads = 2;
  grid.add(c);
}

}  // namespace

void add_attention_cases(Grid& grid) {
  add_selection(grid);
  add_published_list(grid);
  add_attention(grid);
  add_attention_from_pages(grid);
  add_attention_over_bytes(grid);
  add_refusals(grid);
}

}  // namespace skt::gpu
