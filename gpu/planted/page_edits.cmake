# Edits of what finds an index in its pages, as those of edits.cmake: of the four kernels of packed scores, then of the
# functions that build an index.

edit(table-of-the-first-sequence packed_scores/packed_scores.cu functors/index_pages.hpp
[[table + sequence_of(row) * blocks + (tile >> tile_shift)]]
[[table + (tile >> tile_shift)]])
edit(page-of-the-first-kv-head packed_scores/four_heads.cu functors/index_pages.hpp
[[const unsigned head = row - sequence_of(row) * kv_heads;]]
[[const unsigned head = 0;]])
edit(pages-without-kv-heads packed_scores/signed.cu functors/index_pages.hpp
[[(static_cast<unsigned>(page) * kv_heads + head)]]
[[(static_cast<unsigned>(page) + head)]])
edit(tile-in-page-dropped packed_scores/grouped_signed.cu functors/index_pages.hpp
[[ + (tile & (page_tiles() - 1));]]
[[;]])
edit(block-behind-the-length-read packed_scores/packed_scores.cu packed_scores/tiles.cuh
[[pages.page_of(kv.row, in_row()) : 0;]]
[[pages.page_of(kv.row, in_row() + 1) : 0;]])
edit(block-of-the-tile-before packed_scores/four_heads.cu packed_scores/tiles.cuh
[[    page = tile.page(kernel.pages, end);]]
[[]])
edit(page-of-the-ring-kept packed_scores/grouped_signed.cu packed_scores/grouped_products.cuh
[[      page_ = tile_.page(kernel.pages, end);]]
[[]])
edit(norms-from-the-unpaged-place packed_scores/packed_scores.cu packed_scores/tiles.cuh
[[const std::uint64_t place = tile.place(kernel, page);]]
[[const std::uint64_t place = tile.kv.row * kernel.pages.row_tiles + tile.in_row();]])
edit(norms-of-a-group-from-the-unpaged-place packed_scores/grouped_signed.cu packed_scores/grouped_products.cuh
[[static_cast<const __half*>(args.norms) + std::uint64_t{place} * unsigned{kTileKeys};]]
[[static_cast<const __half*>(args.norms) +
                          (tile_.kv.row * ceil_div<std::int64_t>(args.shape.capacity, kTileKeys) + tile_.in_row()) *
                              kTileKeys;]])
edit(mask-of-a-group-from-the-first-page packed_scores/grouped_signed.cu packed_scores/grouped_kernel.cuh
[[tile.page(kernel.pages, range.end));]]
[[0);]])
edit(mask-of-the-pages-first-head packed_scores/four_heads.cu packed_scores/tiles.cuh
[[of_page * heads + (row - sequence * heads) : of_page;]]
[[of_page * heads : of_page;]])
edit(mask-of-the-pages-first-tile packed_scores/packed_scores.cu packed_scores/tiles.cuh
[[(key & (page_keys - 1));]]
[[(key & (kTileKeys - 1));]])

edit(built-in-the-unpaged-place index/build_index.cu functors/index_pages.hpp
[[    if (!paged()) return row * row_tiles + tile;]]
[[    return row * row_tiles + tile;]])
edit(built-in-the-first-sequences-pages index/build_index.cu functors/index_pages.hpp
[[table + sequence_of(row) * blocks + (tile >> tile_shift)]]
[[table + (tile >> tile_shift)]])
edit(built-from-the-first-tile-of-a-page index/build_index.cu functors/index_pages.hpp
[[of_key % page_size * paged.token_stride;]]
[[of_key % kTileKeys * paged.token_stride;]])
edit(built-from-the-next-kv-head index/build_index.cu functors/index_pages.hpp
[[row % kv_heads * paged.head_stride]]
[[(row + 1) % kv_heads * paged.head_stride]])
edit(built-with-a-step-of-one index/build_index.cu index/build_kernel.cuh
[[(wanted - key) * rows.step;]]
[[(wanted - key);]])
edit(packed-into-the-first-tile-of-a-page index/key_codes.cu functors/index_pages.hpp
[[ + (tile & (page_tiles() - 1));]]
[[;]])
edit(norms-into-the-first-kv-head index/value_norms.cu functors/index_pages.hpp
[[const unsigned head = row - sequence_of(row) * kv_heads;]]
[[const unsigned head = 0;]])
edit(norms-of-values-of-the-first-sequence index/value_norms.cu functors/index_pages.hpp
[[paged.block_table + of_row / kv_heads * paged.blocks + of_key / page_size]]
[[paged.block_table + of_key / page_size]])
edit(pages-by-the-instance-without packed_scores/packed_scores.cu packed_scores/arguments.hpp
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr || kernel.pages.paged()]]
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr]])
edit(pages-of-four-heads-by-the-instance-without packed_scores/four_heads.cu packed_scores/arguments.hpp
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr || kernel.pages.paged()]]
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr]])
edit(pages-of-signed-scores-by-the-instance-without packed_scores/signed.cu packed_scores/arguments.hpp
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr || kernel.pages.paged()]]
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr]])
edit(pages-of-products-by-the-instance-without packed_scores/grouped_signed.cu packed_scores/arguments.hpp
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr || kernel.pages.paged()]]
[[args.shape.query_rows > 1 || args.mask.allowed != nullptr]])
