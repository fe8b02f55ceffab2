"""What does a PTX statement do on the emulated device? A line to each; {0}, {1} are its operands in order.

A statement is looked up by its text with single spaces. A hint to a cache is nothing. So is the fence behind the making
of a barrier, as a bulk copy "accesses its mbarrier operand using generic-proxy" (PTX ISA, cp.async.bulk): a barrier of the
threads orders the two.
"""

NOTHING = "static_cast<void>(0)"
DEVICE = "skt::emulation::"


def shared_load(count):
    """Of `count` words: registers {0}.., then the address. Two are uint2, whose loads are on their way (device.hpp)."""
    if count == 1:
        return f"{{0}} = {DEVICE}load_shared<std::uint32_t>({{1}})"
    if count == 2:
        loads = f"{{0}} = {DEVICE}LateWord::loaded(words_at); {{1}} = {DEVICE}LateWord::loaded(words_at + 4);"
        return f"{{{{ const std::uint32_t words_at = {DEVICE}aligned({{2}}, 8); {loads} }}}}"
    stores = " ".join(f"{{{i}}} = loaded_words.{'xyzw'[i]};" for i in range(count))
    return f"{{{{ const auto loaded_words = {DEVICE}load_shared<uint{count}>({{{count}}}); {stores} }}}}"


def global_load(count):
    """Of `count` words, which lie at a multiple of their size: registers {0}.., then the address."""
    stores = " ".join(f"{{{i}}} = loaded_words.{'xyzw'[i]};" for i in range(count))
    return f"{{{{ const auto loaded_words = {DEVICE}load_global<uint{count}>({{{count}}}); {stores} }}}}"


def listed(first, count):
    return ", ".join(f"{{{i}}}" for i in range(first, first + count))


def product(words, call, number, *declared):
    """Registers {0} to {3} are the results of `call`."""
    results = " ".join(f"{{{i}}} = results_of_lane[{i}];" for i in range(4))
    return f"{{{{ {number} results_of_lane[4]{declared[0]}; {words} {DEVICE}{call}; {results} }}}}"


def product_of_bits(words):
    """d: 0 to 3, then a of 2 `words` registers, b of `words`, c of 4."""
    a, b, c = 4, 4 + 2 * words, 4 + 3 * words
    given = (
        f"const std::uint32_t a_of_lane[] = {{{{{listed(a, 2 * words)}}}}}; "
        f"const std::uint32_t b_of_lane[] = {{{{{listed(b, words)}}}}}; "
        f"const int c_of_lane[] = {{{{{listed(c, 4)}}}}};"
    )
    return product(given, f"multiply_bits({words}, results_of_lane, a_of_lane, b_of_lane, c_of_lane)", "int", "")


def product_of_halves(kind):
    """d, which is c too: 0 to 3, then a of 4 registers, b of 2."""
    given = (
        f"const std::uint32_t a_of_lane[] = {{{{{listed(4, 4)}}}}}; "
        f"const std::uint32_t b_of_lane[] = {{{{{listed(8, 2)}}}}};"
    )
    call = f"multiply_halves({DEVICE}Half::{kind}, results_of_lane, a_of_lane, b_of_lane)"
    return product(given, call, "float", f" = {{{{{listed(0, 4)}}}}}")


STATEMENTS = {
    # copies of a thread
    "cp.async.cg.shared.global [%0], [%1], 16, %2;": DEVICE + "copy_async({0}, {1}, 16, {2})",
    "cp.async.cg.shared.global [%0], [%1], 16;": DEVICE + "copy_async({0}, {1}, 16, 16)",
    "cp.async.commit_group;": DEVICE + "commit_copies()",
    "cp.async.wait_group %0;": DEVICE + "wait_for_copies({0})",
    "{ .reg .pred p; setp.eq.s32 p, %0, 4; @p cp.async.wait_group 3; setp.eq.s32 p, %0, 3; @p cp.async.wait_group 2; "
    "setp.eq.s32 p, %0, 2; @p cp.async.wait_group 1; setp.eq.s32 p, %0, 1; @p cp.async.wait_group 0; }": DEVICE
    + "wait_for_copies({0} - 1)",
    # bulk copies and their barriers
    "mbarrier.init.shared::cta.b64 [%0], 1;": DEVICE + "init_barrier({0}, 1)",
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;": DEVICE + "arrive_expecting({0}, {1})",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];": DEVICE
    + "bulk_copy({0}, {1}, {2}, {3})",
    "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }": "{0} = "
    + DEVICE
    + "has_ended({1}, {2}) ? 1 : 0",
    "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;": DEVICE + "bulk_add({0}, {1}, {2})",
    "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;": DEVICE + "finish_bulk_additions()",
    # barriers of a cluster, and fences
    "barrier.cluster.arrive.relaxed.aligned;": DEVICE + "cluster_arrive()",
    "barrier.cluster.arrive.release.aligned;": DEVICE + "cluster_arrive()",
    "barrier.cluster.wait.acquire.aligned;": DEVICE + "cluster_wait()",
    "barrier.cluster.wait.aligned;": DEVICE + "cluster_wait()",
    "fence.mbarrier_init.release.cluster;": NOTHING,
    "fence.proxy.async.shared::cta;": DEVICE + "show_to_bulk_copies()",
    # loads and stores
    "ld.shared.u32 %0, [%1];": shared_load(1),
    "ld.shared.v2.u32 {%0, %1}, [%2];": shared_load(2),
    "ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];": shared_load(4),
    "ld.acquire.gpu.u32 %0, [%1];": f"{{0}} = {DEVICE}look_at({{1}}, {DEVICE}Load::acquire)",
    "ld.relaxed.gpu.u32 %0, [%1];": f"{{0}} = {DEVICE}look_at({{1}}, {DEVICE}Load::relaxed)",  # of a planted edit
    "ld.global.f32 %0, [%1];": "{0} = *({1})",
    "{ .reg .pred reads; setp.ne.s32 reads, %2, 0; mov.f32 %0, 0f7fffffff; @reads ld.global.f32 %0, [%1]; }": "{0} = "
    "({2}) != 0 ? *({1}) : __uint_as_float(0x7fffffffu)",
    "ld.global.u16 %0, [%1];": "{0} = *({1})",
    "ld.global.v4.u32 {%0, %1, %2, %3}, [%4];": global_load(4),
    "st.global.L2::cache_hint.b32 [%0], %1, %2;": f"static_cast<void>({{2}}), {DEVICE}store_word({{0}}, {{1}})",
    "st.global.L2::cache_hint.v2.f32 [%0], {%1, %2}, %3;": "static_cast<void>({3}), "
    + DEVICE
    + "store_two({0}, {1}, {2})",
    "{ .reg .pred p; setp.ne.s32 p, %1, 0; @p red.shared.add.u32 [%0], 1; }": "static_cast<void>(({1}) != 0 && "
    "++*reinterpret_cast<std::uint32_t*>(" + DEVICE + "shared_at({0}, 4, 4)))",
    "red.shared.add.u32 [%0], 1;": "++*reinterpret_cast<std::uint32_t*>(" + DEVICE + "shared_at({0}, 4, 4))",
    "discard.global.L2 [%0], 128;": DEVICE + "discard_line({0})",
    "prefetch.global.L2 [%0];": "static_cast<void>({0})",
    "createpolicy.fractional.L2::evict_last.b64 %0, 1.0;": "{0} = 0",
    # arithmetic
    "ex2.approx.ftz.f32 %0, %1;": "{0} = " + DEVICE + "exp2_approximately({1})",
    "mov.u32 %0, %%laneid;": "{0} = static_cast<int>(threadIdx.x % 32)",  # of blocks of one dimension, as all are
    "max.NaN.f32 %0, %0, %1;": "{0} = {0} != {0} ? __uint_as_float(0x7fffffffu) : {0} > {1} ? {0} : {1}",
    "min.NaN.f32 %0, %0, %1;": "{0} = {0} != {0} ? __uint_as_float(0x7fffffffu) : {0} < {1} ? {0} : {1}",
    "{ .reg .b32 count; popc.b32 count, %1; shr.u32 %0, count, 6; }": "{0} = __popc({1}) >> 6",
    "cvt.rn.f16x2.e4m3x2 %0, %1;": "{0} = " + DEVICE + "halves_of_e4m3({1})",
    "lop3.b32 %0, %1, %2, %3, 0xCA;": "{0} = (({1}) & ({2})) | (~({1}) & ({3}))",
    "mov.u32 %0, %dynamic_smem_size;": "{0} = 0",  # of delays, of which the emulated device has none
    # matrix products
    "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
    "{%10, %11, %12, %13};": product_of_bits(2),
    "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc {%0, %1, %2, %3}, {%4, %5}, {%6}, "
    "{%7, %8, %9, %10};": product_of_bits(1),
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
    "{%0,%1,%2,%3};": product_of_halves("bf16"),
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
    "{%0,%1,%2,%3};": product_of_halves("fp16"),
}
