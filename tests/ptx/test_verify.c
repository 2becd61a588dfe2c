#include "ptx_test.h"

#define ACCEPT(statements) ptx_module_free(parse(KERNEL(statements)))
#define REFUSE(statements, message) assert_refused(KERNEL(statements), HAUL_ERROR_SYNTAX, "t.ptx:4:" message)

static void matches_registers_with_types(void **state) {
    (void)state;
    ACCEPT("add.s32 %r1, %u1, %r2;"); /* b32 and u32 for s32 */
    ACCEPT("add.f32 %f1, %r1, %f2;"); /* b32 for f32 */
    ACCEPT("mov.b32 %r1, %f1;");      /* f32 for b32 */
    ACCEPT("mul.wide.u16 %r1, %h1, %h2;");
    REFUSE("add.s32 %f1, %r1, %r2;", "9: operand 1 of 'add': must be a .s32, '%f1' is a .f32");
    REFUSE("add.f32 %f1, %u1, %f2;", "14: operand 2 of 'add': must be a .f32, '%u1' is a .u32");
    REFUSE("add.s32 %r1, %d1, %r2;", "14: operand 2 of 'add': must be a .s32, '%d1' is a .b64");
    REFUSE("add.s32 %r1, %r1, %h2;", "19: operand 3 of 'add': must be a .s32, '%h2' is a .b16");
    REFUSE("shl.b64 %d1, %d2, %d3;", "19: operand 3 of 'shl': must be a .u32, '%d3' is a .b64");
    REFUSE("mul.wide.u32 %r1, %r2, %r3;", "14: operand 1 of 'mul': must be a .u64, '%r1' is a .b32");
    REFUSE("add.s32 %p1, %r1, %r2;", "9: operand 1 of 'add': must be a .s32, '%p1' is a .pred");
    REFUSE("setp.eq.s32 %r1, %r1, %r2;", "13: operand 1 of 'setp': must be a .pred, '%r1' is a .b32");
}

static void lets_loads_stores_and_conversions_use_wider_registers(void **state) {
    (void)state;
    ACCEPT("ld.global.u8 %r1, [%d1];");
    ACCEPT("ld.global.u16 %d1, [%d1];");
    ACCEPT("st.global.u8 [%d1], %r1;");
    ACCEPT("cvt.u32.u16 %d1, %r1;");
    ACCEPT("cvt.u8.u32 %h1, %r1;");
    REFUSE("ld.global.u32 %h1, [%d1];", "15: operand 1 of 'ld': must be a .u32, '%h1' is a .b16");
    REFUSE("ld.global.f32 %g1, [%d1];", "15: operand 1 of 'ld': must be a .f32, '%g1' is a .f64");
    REFUSE("ld.global.u32 %f1, [%d1];", "15: operand 1 of 'ld': must be a .u32, '%f1' is a .f32");
}

static void allows_constants_where_they_fit(void **state) {
    (void)state;
    ACCEPT("add.f32 %f1, %f2, 0f3F800000;");
    ACCEPT("mov.pred %p1, 1;");
    REFUSE("add.f32 %f1, %f2, 1;", "19: operand 3 of 'add': must be a .f32, not an integer constant");
    REFUSE("add.s32 %r1, %r2, 1.0;", "19: operand 3 of 'add': must be a .s32, not a floating constant");
    REFUSE("add.s32 1, %r2, %r3;", "9: operand 1 of 'add': must be a register");
    REFUSE("cp.async.wait_group %r1;", "21: operand 1 of 'cp.async.wait_group': must be an integer constant");
    REFUSE("setp.eq.s32 %p1, %r1, !%r2;", "23: operand 3 of 'setp': only a predicate can be negated");
}

static void keeps_special_registers_and_addresses_to_moves(void **state) {
    (void)state;
    ACCEPT("mov.u32 %r1, %tid.x;");
    ACCEPT("mov.u16 %h1, %tid.x;");
    ACCEPT("cvt.u64.u32 %d1, %tid.x;");
    ACCEPT("cvta.shared.u64 %d1, tile+4;");
    REFUSE("add.u32 %r1, %r2, %tid.x;",
           "19: operand 3 of 'add': cannot be the special register '%tid.x': mov it into a register first");
    REFUSE("mov.u64 %d1, %tid.x;", "14: operand 2 of 'mov': must be a .u64, '%tid.x' is a .u32");
    REFUSE("add.u64 %d1, %d2, tile;", "19: operand 3 of 'add': cannot be an address: mov it into a register first");
    REFUSE("mov.u16 %h1, tile;", "14: operand 2 of 'mov': must be a .u16, not an address");
}

static void checks_vectors(void **state) {
    (void)state;
    ACCEPT("mov.b128 %q1, {%d1, %d2};");
    ACCEPT("mov.b64 {%h1, %h2, _, %h4}, %d1;");
    REFUSE("ld.global.v2.f32 {%f1}, [%d1];", "18: operand 1 of 'ld': must be 2 elements in braces");
    REFUSE("ld.global.v2.f32 %f1, [%d1];", "18: operand 1 of 'ld': must be 2 elements in braces");
    REFUSE("ld.global.f32 {%f1, %f2}, [%d1];", "15: operand 1 of 'ld': must be a register");
}

static void checks_packing(void **state) {
    (void)state;
    REFUSE("mov.b64 {%r1, %h1}, %d1;", "15: operand 1 of 'mov': must have 2 elements of 32 bits");
    REFUSE("mov.u64 %d1, {%r1, %r2};", "14: operand 2 of 'mov': cannot be 2 elements in braces");
    REFUSE("st.global.v4.b128 [%d1], {%q1, %q1, %q1, %q1};", "1: 'st': moves at most 16 bytes here, not 64");
}

static void checks_state_spaces(void **state) {
    (void)state;
    ACCEPT("ld.shared.u32 %r1, [%r2];"); /* 32-bit addresses for shared memory */
    ACCEPT("ld.u32 %r1, [tile];");       /* generic */
    REFUSE("ld.global.u32 %r1, [tile];", "21: operand 2 of 'ld': must lie in .global, 'tile' lies in .shared");
    REFUSE("ld.shared.u32 %r1, [p];", "21: operand 2 of 'ld': must lie in .shared, 'p' lies in .param");
    REFUSE("cp.async.ca.shared.global [%r1], [tile], 4;",
           "35: operand 2 of 'cp.async': must lie in .global, 'tile' lies in .shared");
    REFUSE("ld.global.u32 %r1, [%r2];", "21: operand 2 of 'ld': must be an address, '%r2' is a .b32");
    REFUSE("ld.global.u32 %r1, [%f1];", "21: operand 2 of 'ld': must be an address, '%f1' is a .f32");
    REFUSE("ld.global.u32 %r1, %d1;", "20: operand 2 of 'ld': must be an address in brackets");
    REFUSE("ld.global.u32 %r1, [%d1, {%r1}];", "20: operand 2 of 'ld': must be an address in brackets");
}

/* As in ptxas 13.0, an address without a state space may name a variable that generic addresses reach; constants and
 * parameters need a named space. */
static void names_say_the_state_space(void **state) {
    (void)state;
    ACCEPT("st.v2.u32 [tile+8], {%r1, %r2};");
    ACCEPT("atom.add.u32 %r1, [tile], %r2;");
    ACCEPT("{ .local .b32 own; ld.u32 %r1, [own]; prefetch.L1 [own]; }");
    ACCEPT("mbarrier.init.b64 [tile], 1;");
    ACCEPT("fence.proxy.tensormap::generic.acquire.gpu [p], 128;");
    REFUSE("ld.u32 %r1, [p];", "14: operand 2 of 'ld': 'p' lies in .param, which must be named: write 'ld.param'");
    REFUSE("st.u32 [p], %r1;", "9: operand 1 of 'st': 'p' lies in .param, which must be named: write 'st.param'");
    REFUSE("ldu.u32 %r1, [p+4];", "15: operand 2 of 'ldu': must lie in .global, .shared or .local, 'p' lies in .param");
    REFUSE("atom.add.u32 %r1, [p], 1;", "20: operand 2 of 'atom': must lie in .global or .shared, 'p' lies in .param");
    REFUSE("{ .local .b32 own; red.add.u32 [own], 1; }",
           "33: operand 1 of 'red': must lie in .global or .shared, 'own' lies in .local");
    REFUSE("red.v2.f32.add [tile], {%f1, %f2};", "17: operand 1 of 'red': must lie in .global, 'tile' lies in .shared");
    REFUSE("prefetchu.L1 [tile];", "15: operand 1 of 'prefetchu': must lie in .global, 'tile' lies in .shared");
    REFUSE("mbarrier.init.b64 [p], 1;", "20: operand 1 of 'mbarrier.init': must lie in .shared, 'p' lies in .param");
    REFUSE("cp.async.bulk.prefetch.tensor.1d.L2.global [p, {%r1}];",
           "45: operand 1 of 'cp.async.bulk.prefetch.tensor': must lie in .global, 'p' lies in .param");
}

static void checks_the_spaces_of_addresses_that_are_converted(void **state) {
    (void)state;
    ACCEPT("cvta.param.u64 %d1, p;");
    ACCEPT("mapa.shared::cluster.u64 %d1, tile, 0;");
    REFUSE("cvta.local.u64 %d1, tile;", "21: operand 2 of 'cvta': must lie in .local, 'tile' lies in .shared");
    REFUSE("cvta.to.shared.u64 %d1, tile;",
           "25: operand 2 of 'cvta': cannot be an address: mov it into a register first");
    REFUSE("mapa.u64 %d1, p, 0;", "15: operand 2 of 'mapa': must lie in .shared, 'p' lies in .param");
    REFUSE("getctarank.u64 %r1, p;", "21: operand 2 of 'getctarank': must lie in .shared, 'p' lies in .param");
}

static void checks_pairs_and_sinks(void **state) {
    (void)state;
    ACCEPT("setp.eq.s32 _|%p1, %r1, %r2;");
    REFUSE("add.s32 _, %r1, %r2;", "9: operand 1 of 'add': must be a register");
    REFUSE("add.s32 %r1|%p1, %r1, %r2;", "9: operand 1 of 'add': must be one register");
    REFUSE("elect.sync %r1, %r2;", "12: operand 1 of 'elect': must be a register and a predicate: d|p");
    REFUSE("shfl.sync.idx.b32 %r1|%r2, %r1, 0, 31, -1;", "23: operand 1 of 'shfl': must be a .pred, '%r2' is a .b32");
}

static void knows_the_rules_of_single_instructions(void **state) {
    (void)state;
    REFUSE("setp.ltu.s32 %p1, %r1, %r2;", "1: 'setp': .ltu does not compare .s32");
    REFUSE("setp.lt.b32 %p1, %r1, %r2;", "1: 'setp': .lt does not compare .b32");
    REFUSE("setp.lo.s32 %p1, %r1, %r2;", "1: 'setp': .lo does not compare .s32");
    REFUSE("cvt.f32.u32 %f1, %r1;", "1: 'cvt': needs a rounding modifier");
    REFUSE("cvt.rn.u32.f32 %r1, %f1;", "1: 'cvt': to an integer rounds by .rni, .rzi, .rmi or .rpi");
    REFUSE("cvt.rn.u32.u16 %r1, %h1;", "1: 'cvt': between integers does not round");
    REFUSE("atom.global.and.u32 %r1, [%d1], %r2;", "1: 'atom': has no .and for .u32");
    REFUSE("atom.global.cas.b32 %r1, [%d1], %r2;", "1: 'atom': .cas takes a value to compare with and a new one");
    REFUSE("atom.global.add.u32 %r1, [%d1], %r2, %r3;", "1: 'atom': .add takes one value");
    REFUSE("redux.sync.and.u32 %r1, %r2, -1;", "1: 'redux': has no .and for .u32");
    REFUSE("ld.relaxed.global.u32 %r1, [%d1];", "1: 'ld': .relaxed needs a scope");
    REFUSE("st.gpu.global.u32 [%d1], %r1;", "1: 'st': a scope needs .relaxed, .acquire or .release");
    REFUSE("shfl.idx.b32 %r1, %r2, 0, 31;", "1: 'shfl': needs .sync from sm_70 and PTX ISA 6.4 on");
    REFUSE("match.any.sync.b32 %r1|%p1, %r2, -1;", "20: 'match': has one result here");
    REFUSE("prefetch.global.L1.L2::evict_last [%d1];", "1: 'prefetch': needs .L1, .L2 or a priority in L2");
    REFUSE("discard.global.L2 [%d1], 64;", "26: 'discard': is for 128 bytes");
    REFUSE("mbarrier.arrive.expect_tx.shared.b64 _, [%r1];",
           "1: 'mbarrier.arrive': .expect_tx takes a number of bytes");
    REFUSE("cp.async.cg.shared.global [%r1], [%d1], 8;", "41: 'cp.async': .cg copies 16 bytes, not 8");
    REFUSE("cp.async.ca.shared.global [%r1], [%d1], 6;", "41: 'cp.async': copies 4, 8 or 16 bytes, not 6");
    REFUSE("bar.sync 16;", "10: 'bar': barriers are numbered from 0 to 15");
    REFUSE("bar.sync 1, 33;", "13: 'bar': barriers count whole warps: 33 is not a multiple of 32");
    REFUSE("mad.lo.sat.s32 %r1, %r2, %r3, %r4;", "1: 'mad': .sat goes with .hi.s32 only");
}

static void knows_what_can_be_reduced(void **state) {
    (void)state;
    ACCEPT("red.global.add.v4.f32 [%d1], {%f1, %f2, %f3, %f4};");
    ACCEPT(
        "atom.global.max.noftz.v8.bf16 {%h1, %h2, _, _, _, _, _, _}, [%d1], {%h1, %h2, %h3, %h4, %h5, %h6, %h7, %h8};");
    REFUSE("red.global.min.v2.f32 [%d1], {%f1, %f2};", "1: 'red': has only .add for .f32");
    REFUSE("multimem.ld_reduce.relaxed.gpu.global.add.s64 %d2, [%d1];",
           "1: 'multimem.ld_reduce': has no such operation for that type");
    REFUSE("multimem.st.relaxed.gpu.global.f16 [%d1], %h1;",
           "1: 'multimem.st': has no vectors of that type and length");
    REFUSE("multimem.ld_reduce.relaxed.gpu.global.min.acc::f32.v2.f16 {%h1, %h2}, [%d1];",
           "1: 'multimem.ld_reduce': has .acc::f32 for sums of halves, .acc::f16 for those of 8 bits");
    REFUSE("multimem.red.relaxed.gpu.global.min.f16x2 [%d1], %r1;",
           "1: 'multimem.red': has no such operation for that type");
    REFUSE("red.global.add.v2.f16 [%d1], {%h1, %h2};", "1: 'red': needs .noftz for .f16");
    REFUSE("red.global.add.v8.f32 [%d1], {%f1, %f2, %f3, %f4, %f1, %f2, %f3, %f4};",
           "1: 'red': moves at most 16 bytes here, not 32");
    ACCEPT("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%d1], [tile], %r1;");
    ACCEPT("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.f16 [%d1], [tile], %r1;");
    REFUSE("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f16 [%d1], [tile], %r1;",
           "1: 'cp.reduce.async.bulk': needs .noftz for .f16");
    REFUSE("cp.reduce.async.bulk.global.shared::cta.bulk_group.min.noftz.f16 [%d1], [tile], %r1;",
           "1: 'cp.reduce.async.bulk': has .noftz for .add only");
    REFUSE("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s64 [%d1], [tile], %r1;",
           "1: 'cp.reduce.async.bulk': has no .add for .s64");
    REFUSE("cp.reduce.async.bulk.global.shared::cta.bulk_group.max.f32 [%d1], [tile], %r1;",
           "1: 'cp.reduce.async.bulk': has no .max for .f32");
    REFUSE("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.min.u64 [%r1], [tile], %r2, "
           "[%r3];",
           "1: 'cp.reduce.async.bulk': has no .min for .u64");
}

#define OWN_TARGET(statement) ".version 8.6\n.target sm_90a\n.entry k() {\n" statement "\n}\n"

static void checks_the_number_of_registers_asked_for(void **state) {
    (void)state;
    ptx_module_free(parse(OWN_TARGET("setmaxnreg.dec.sync.aligned.u32 24; setmaxnreg.inc.sync.aligned.u32 256;")));
    assert_refused(OWN_TARGET("setmaxnreg.inc.sync.aligned.u32 100;"), HAUL_ERROR_SYNTAX,
                   "t.ptx:4:33: 'setmaxnreg': takes a multiple of 8 from 24 to 256, not 100");
    assert_refused(OWN_TARGET("setmaxnreg.dec.sync.aligned.u32 16;"), HAUL_ERROR_SYNTAX,
                   "t.ptx:4:33: 'setmaxnreg': takes a multiple of 8 from 24 to 256, not 16");
}

static void checks_labels(void **state) {
    (void)state;
    REFUSE("T: .branchtargets L; L: bra T;", "29: 'bra': 'T' is not the label of an instruction");
    REFUSE("L: brx.idx %r1, L;", "17: 'brx.idx': 'L' is not a list of .branchtargets");
}

#define CALLER(call)                                                                                                 \
    HEADER ".extern .func (.param .b32 r) f(.param .b64 a, .reg .u32 b);\n.entry e();\n.entry k() { .reg .b64 %d1; " \
           ".reg .u32 "                                                                                              \
           "%r1;"                                                                                                    \
           " .param .b64 x; .param .b32 y; .local .b32 z;\n" call "\n}"

static void checks_calls(void **state) {
    (void)state;
    ptx_module_free(parse(CALLER("call (y), f, (x, %r1);")));
    ptx_module_free(parse(CALLER("call (%r1), f, (%d1, 5);")));
    assert_refused(CALLER("call (y), f, (x);"), HAUL_ERROR_SYNTAX,
                   "t.ptx:7:14: 'call': the function has 2 parameters, the call 1");
    assert_refused(CALLER("call f, (x, %r1);"), HAUL_ERROR_SYNTAX,
                   "t.ptx:7:6: 'call': the function has 1 results, the call 0");
    assert_refused(CALLER("call (y), f, (y, %r1);"), HAUL_ERROR_SYNTAX,
                   "t.ptx:7:15: 'call': 'y' has a different type than the function's 'a', a .b64");
    assert_refused(CALLER("call (y), f, (x, %d1);"), HAUL_ERROR_SYNTAX,
                   "t.ptx:7:18: 'call': '%d1' has a different type than the function's 'b', a .u32");
    assert_refused(CALLER("P: .callprototype _ (.param .b8 _[]); call %d1, (5), P;"), HAUL_ERROR_SYNTAX,
                   "t.ptx:7:50: 'call': a constant has a different type than the function's '_'");
    assert_refused(CALLER("call (y), f, (z, %r1);"), HAUL_ERROR_SYNTAX,
                   "t.ptx:7:15: 'call': calls pass .param variables, registers and integers");
    assert_refused(CALLER("call e;"), HAUL_ERROR_SYNTAX, "t.ptx:7:6: 'call': 'e' is an .entry, which cannot be called");
    assert_refused(CALLER("call %d1;"), HAUL_ERROR_SYNTAX,
                   "t.ptx:7:6: 'call': through a register needs a .callprototype");
    assert_refused(CALLER("call %r1;"), HAUL_ERROR_SYNTAX, "t.ptx:7:6: 'call': the address of a function has 64 bits");
    assert_refused(CALLER("L: call %d1, L;"), HAUL_ERROR_SYNTAX,
                   "t.ptx:7:14: 'call': 'L' is not a .callprototype or .calltargets");
}

/* Also on line 4. */
#define NEWEST(statements)                                                                                            \
    ".version 9.0\n.target sm_100a\n.visible .entry k(.param .u64 p) { .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 " \
    "%r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .f64 %g<9>; .reg .b128 %q<3>; .reg .b8 %b<3>;\n" statements "\n}\n"
#define ACCEPT_NEWEST(statements) ptx_module_free(parse(NEWEST(statements)))
#define REFUSE_NEWEST(statements, message) assert_refused(NEWEST(statements), HAUL_ERROR_SYNTAX, "t.ptx:4:" message)

static void knows_what_sm_100_has(void **state) {
    (void)state;
    ACCEPT_NEWEST("min.abs.f32 %f1, %f2, %f3, %f4;");
    ACCEPT_NEWEST("redux.sync.max.NaN.f32 %f1, %f2, -1;");
    ACCEPT_NEWEST("cvt.rn.satfinite.e2m1x2.f32 %b1, %f1, %f2;");
    ACCEPT_NEWEST("st.v8.b32 [%d1], {%r1, _, %r2, %r3, %r4, %r5, %r6, %r7};");
    ACCEPT_NEWEST("ld.global.L2::evict_last.v4.b64 {%d1, _, %d2, %d3}, [%d1];");
    REFUSE_NEWEST("min.abs.f32 %f1, %f2, %f3;", "1: 'min': with two values .abs needs .xorsign");
    REFUSE_NEWEST("min.xorsign.abs.f32 %f1, %f2, %f3, %f4;", "1: 'min': takes two values with .xorsign");
    REFUSE_NEWEST("max.f64 %g1, %g2, %g3, %g4;", "1: 'max': takes two values of .f64");
    REFUSE_NEWEST("ld.shared.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%r1];",
                  "1: 'ld': moves at most 16 bytes here, not 32");
    REFUSE_NEWEST("ld.global.L2::evict_last.v4.b32 {%r1, %r2, %r3, %r4}, [%d1];",
                  "1: 'ld': has .L2::evict_last for 32 bytes only");
    REFUSE_NEWEST("st.v4.b32 [%d1], {%r1, _, %r2, %r3};", "24: operand 2 of 'st': must be a register or a constant");
    REFUSE_NEWEST("st.bulk [%d1], %d2, 1;", "21: 'st.bulk': stores 0 only");
    REFUSE_NEWEST("cp.async.bulk.prefetch.tensor.3d.L2.global.tile::gather4 [%d1, {%r1, %r2, %r3, %r4, %r5}];",
                  "58: operand 1 of 'cp.async.bulk.prefetch.tensor': must have two dimensions: .2d");
}

static void checks_parts_of_registers(void **state) {
    (void)state;
    ACCEPT("vadd.s32.u32.s32.sat %r1.h1, %r2.b0, %r3.h1, %r4;");
    ACCEPT("vmad.s32.s32.s32.shr7 %r1, -%r2.h0, %r3.b1, %r4;");
    ACCEPT("vadd4.u32.u32.u32 %r1.b310, %r2.b4567, %r3.b1001, %r4;");
    REFUSE("add.u32 %r1, %r2.h0, %r3;", "14: operand 2 of 'add': has no parts to choose here");
    REFUSE("add.u32 %r1, -%r2, %r3;", "14: operand 2 of 'add': only a predicate can be negated");
    REFUSE("vadd.s32.s32.s32 %r1, %r2.b4, %r3;", "1: 'vadd': has no such part");
    REFUSE("vadd.s32.s32.s32 %r1.b0, %r2, %r3;", "1: 'vadd': needs a third source");
    REFUSE("vadd.s32.s32.s32.add %r1.b0, %r2, %r3, %r4;",
           "1: 'vadd': combines its result with a third source, or puts it into a part, not both");
    REFUSE("vadd.s32.s32.s32 %r1, %r2, %r3, %r4;",
           "1: 'vadd': needs a third source for .add, .min, .max and parts of the result only");
    REFUSE("vadd2.s32.s32.s32 %r1.h01, %r2, %r3, %r4;", "1: 'vadd2': has no such parts of the result");
    REFUSE("vadd2.s32.s32.s32 %r1, %r2.h4, %r3, %r4;", "1: 'vadd2': has no such parts of its sources");
    REFUSE("vadd2.s32.s32.s32.sat.add %r1, %r2, %r3, %r4;", "1: 'vadd2': has .sat or .add, not both");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_registers_with_types),
        cmocka_unit_test(lets_loads_stores_and_conversions_use_wider_registers),
        cmocka_unit_test(allows_constants_where_they_fit),
        cmocka_unit_test(keeps_special_registers_and_addresses_to_moves),
        cmocka_unit_test(checks_vectors),
        cmocka_unit_test(checks_packing),
        cmocka_unit_test(checks_state_spaces),
        cmocka_unit_test(names_say_the_state_space),
        cmocka_unit_test(checks_the_spaces_of_addresses_that_are_converted),
        cmocka_unit_test(checks_pairs_and_sinks),
        cmocka_unit_test(knows_the_rules_of_single_instructions),
        cmocka_unit_test(knows_what_can_be_reduced),
        cmocka_unit_test(checks_the_number_of_registers_asked_for),
        cmocka_unit_test(checks_labels),
        cmocka_unit_test(checks_calls),
        cmocka_unit_test(knows_what_sm_100_has),
        cmocka_unit_test(checks_parts_of_registers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
