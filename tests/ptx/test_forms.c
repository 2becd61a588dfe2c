/* Combinations that the rows of isa.def allow one by one but PTX does not allow together, each next to a valid one. */
#include "ptx_test.h"

#define ACCEPT(statements) ptx_module_free(parse(KERNEL(statements)))
#define REFUSE(statements, message) assert_refused(KERNEL(statements), HAUL_ERROR_SYNTAX, "t.ptx:4:1: " message)

static void refuses_arithmetic_that_is_none(void **state) {
    (void)state;
    ACCEPT("add.s16x2 %r1, %r2, %r3;");
    REFUSE("add.s16x2 %r1, %r2, 65537;", "'add': takes packed values from registers");
    ACCEPT("bfe.u32 %r1, %r2, 255, 255;");
    REFUSE("bfe.u32 %r1, %r2, 256, 4;", "'bfe': takes constants up to 255 as position and length");
    REFUSE("bfi.b32 %r1, %r2, %r3, 4, 256;", "'bfi': takes constants up to 255 as position and length");
    ACCEPT("mad24.hi.sat.s32 %r1, %r2, %r3, %r4;");
    REFUSE("mad24.lo.sat.s32 %r1, %r2, %r3, %r4;", "'mad24': .sat goes with .hi.s32 only");
    REFUSE("fma.rn.sat.relu.f16 %h1, %h2, %h3, %h4;", "'fma': has .sat or .relu, not both");
    ACCEPT("ex2.approx.f16 %h1, %h2;");
    REFUSE("ex2.approx.bf16 %h1, %h2;", "'ex2': needs .ftz for .bf16");
    REFUSE("rcp.approx.f64 %g1, %g2;", "'rcp': needs .ftz for .f64");
    REFUSE("vadd4.u32.u32.u32 %r1, %r2, 5, %r3;", "'vadd4': takes its sources from registers");
}

static void refuses_comparisons_that_are_none(void **state) {
    (void)state;
    ACCEPT("set.eq.ftz.u32.f32 %r1, %f1, %f2;");
    REFUSE("set.eq.ftz.bf16.f32 %h1, %f1, %f2;", "'set': has .ftz for .f32 only");
    ACCEPT("set.eq.bf16.f16 %h1, %h2, %h3;");
    REFUSE("set.eq.f16.bf16 %h1, %h2, %h3;", "'set': must give the compared format, or integers");
    REFUSE("set.eq.ftz.bf16.f16 %h1, %h2, %h3;", "'set': has no .ftz for .bf16");
    REFUSE("slct.ftz.f32.s32 %f1, %f2, %f3, %r1;", "'slct': has .ftz for choices by .f32 only");
}

static void refuses_conversions_that_are_none(void **state) {
    (void)state;
    REFUSE("cvt.ftz.u16.u32 %h1, %r1;", "'cvt': has .ftz for .f32 only");
    REFUSE("cvt.rn.relu.f16.s32 %h1, %r1;", "'cvt': of integers has neither .relu nor .satfinite");
    REFUSE("cvt.rn.relu.sat.f16.f32 %h1, %f1;", "'cvt': has .sat or .relu and .satfinite, not both");
    REFUSE("cvt.rna.f32.f64 %f1, %g1;", "'cvt': has .rna for .tf32 only");
    REFUSE("cvt.rn.f32.f32 %f1, %f2;", "'cvt': has nothing to round");
    REFUSE("cvt.rm.satfinite.f16.f32 %h1, %f1;",
           "'cvt': has .relu and .satfinite for .f32 by .rn or .rz to .f16, .bf16 or .tf32 only");
    REFUSE("cvt.rn.sat.bf16.f32 %h1, %f1;", "'cvt': of or to .bf16 has no .sat");
    ACCEPT(".reg .b8 %n; cvt.rzi.u8.bf16 %n, %h2; cvt.rn.bf16.s8 %h1, %n;");
    assert_refused(KERNEL("cvt.rzi.u8.bf16 %h1, %h2;"), HAUL_ERROR_SYNTAX,
                   "t.ptx:4:17: 'cvt': between .bf16 and integers of 8 bits needs a register of 8 bits");
    REFUSE("cvt.rn.tf32.f64 %r1, %g1;", "'cvt': makes .tf32 of .f32 only");
    REFUSE("cvt.rm.tf32.f32 %r1, %f1;", "'cvt': to .tf32 rounds by .rn, .rz or .rna");
    ACCEPT("cvt.rn.satfinite.e4m3x2.f16x2 %h1, %r1;");
    REFUSE("cvt.rn.e4m3x2.f16x2 %h1, %r1;", "'cvt': needs .satfinite");
    REFUSE("cvt.rn.satfinite.f16x2.e4m3x2 %r1, %h1;", "'cvt': to .f16x2 has no .satfinite");
    REFUSE("cvt.rn.satfinite.e4m3x2.e5m2x2 %h1, %h2;",
           "'cvt': is from .f16x2 or .bf16x2 to a format of 8 bits, or from one to .f16x2");
}

static void refuses_accesses_that_are_none(void **state) {
    (void)state;
    ACCEPT("ld.weak.global.cg.u32 %r1, [%d1];");
    REFUSE("ld.relaxed.gpu.global.cg.u32 %r1, [%d1];", "'ld': has a memory order or a cache operator, not both");
    REFUSE("ld.relaxed.gpu.const.u32 %r1, [%d1];", "'ld': has no memory order for this state space");
    REFUSE("ld.global.cg.L1::evict_first.u32 %r1, [%d1];", "'ld': has a cache operator or a priority in L1, not both");
    REFUSE("st.shared.L1::evict_last.u32 [%r1], %r2;",
           "'st': has priorities, policies and prefetches for global memory only");
    REFUSE("ld.relaxed.gpu.global.nc.u32 %r1, [%d1];", "'ld': .nc is for weak loads of .global");
    ACCEPT("ld.mmio.relaxed.sys.global.u32 %r1, [%d1];");
    REFUSE("ld.mmio.relaxed.sys.global.v2.u32 {%r1, %r2}, [%d1];", "'ld': .mmio moves one element, no vector");
    REFUSE("ld.mmio.relaxed.sys.shared.u32 %r1, [%r2];", "'ld': .mmio is for global memory");
    ACCEPT("ld.global.f32 %d1, [%d2];");
    ACCEPT("st.global.f32 [%d2], %d1;");
    REFUSE("st.mmio.relaxed.gpu.global.u32 [%d1], %r2;", "'st': .mmio needs the scope .sys");
    REFUSE("ldu.global.v8.b16 {%h1, %h2, %h3, %h4, %h1, %h2, %h3, %h4}, [%d1];",
           "'ldu': has vectors of two and of four");
    REFUSE("prefetch.local.L2::evict_last [%d1];", "'prefetch': has priorities for global memory only");
    REFUSE("alloca.u64 %d1, %d2, 12;", "'alloca': takes a power of two as alignment");
    REFUSE("pmevent 16;", "'pmevent': takes an event from 0 to 15");
}

static void refuses_atomics_that_are_none(void **state) {
    (void)state;
    ACCEPT("atom.cas.b16 %h1, [%d1], %h2, %h3;");
    REFUSE("atom.exch.b16 %h1, [%d1], %h2;", "'atom': has .cas only for .b16");
    REFUSE("atom.add.f16 %h1, [%d1], %h2;", "'atom': needs .noftz for .f16");
    REFUSE("atom.min.noftz.f16 %h1, [%d1], %h2;", "'atom': has .min and .max of halves for vectors only");
    REFUSE("red.shared.add.L2::cache_hint.u32 [%r1], %r2, %d1;", "'red': has policies for global memory only");
    ACCEPT("red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.add.u64 [%r1], %d1, [%r2];");
    REFUSE("red.async.relaxed.cluster.mbarrier::complete_tx::bytes.shared::cluster.min.u64 [%r1], %d1, [%r2];",
           "'red.async': has no such operation for that type");
    REFUSE("sured.b.and.1d.u32.trap [%d1, {%r1}], %r2;", "'sured.b': has no such operation for that type");
}

static void refuses_copies_that_are_none(void **state) {
    (void)state;
    REFUSE("fence.proxy.tensormap::generic.acquire.gpu [%d1], 64;", "'fence': is for 128 bytes");
    REFUSE("cp.async.bulk.tensor.2d.global.shared::cta.im2col_no_offs.bulk_group [%d1, {%r1, %r2}], [%r3];",
           "'cp.async.bulk.tensor': .im2col_no_offs has three to five dimensions");
    ACCEPT("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r1];");
    REFUSE("mbarrier.arrive.release.cluster.shared::cluster.b64 %d1, [%r1];",
           "'mbarrier.arrive': at .shared::cluster gives no token: its result is `_`");
    REFUSE("mbarrier.arrive_drop.noComplete.b64 %d1, [%d2];",
           "'mbarrier.arrive_drop': .noComplete takes a number of arrivals");
    REFUSE("tex.cube.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2, %f3, %f4}], {%r1, %r2, %r3, %r4};",
           "'tex': of a cube has no offsets");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_arithmetic_that_is_none),   cmocka_unit_test(refuses_comparisons_that_are_none),
        cmocka_unit_test(refuses_conversions_that_are_none), cmocka_unit_test(refuses_accesses_that_are_none),
        cmocka_unit_test(refuses_atomics_that_are_none),     cmocka_unit_test(refuses_copies_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
