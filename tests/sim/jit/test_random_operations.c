/* Random sequences of operations of all kinds, compiled or left to handlers, over hard values. Compiled code is
 * compared with the interpreter: registers and memory bit for bit, and all counters. Warps are whole, partial or
 * divergent.
 *
 * HAUL_STRESS=N runs N kernels instead of the usual ones; HAUL_STRESS_FROM=S starts with seed S (and prints the kernel
 * if N is 1). With HAUL_TEST_DEVICE=gpu:0 the interpreter is compared with a real GPU; each thread then uses its own
 * memory, and addresses only active lanes. If a sequence differs, the test prints the instructions that make different
 * results from the same input, or else those needed to show the difference. HAUL_TEST_RECORD=FILE writes the GPU's
 * results; tests/data/h100/stretches.txt is such a record, and the virtual GPU is compared with it too. */
#include "stretch.h"

#include "jit/compiled.h"

/* Placeholders. %h %r %d %f %e %p: registers of 16, 32 and 64 bits, single and double precision, predicates. %i: a
 * small number; %w: any 32 bits; %b: a byte. %s %g %l: an address in shared, global or local memory, aligned to the
 * width that follows: `1`, `2`, `4`, `8` or `a` (16 bytes). %R0 %F0 %E0: the register itself. %o: for whole warps
 * only. */
/* clang-format off */
static const char *const operations[] = {
    /* integers */
    "add.u32 %r, %r, %r", "sub.s32 %r, %r, %w", "mul.lo.u32 %r, %r, %r", "mul.hi.u32 %r, %r, %r",
    "mul.hi.s32 %r, %r, %w", "mad.lo.s32 %r, %r, %r, %r", "mad.hi.u32 %r, %r, %r, %r", "mul24.lo.u32 %r, %r, %r",
    "mad24.hi.s32 %r, %r, %r, %r", "sad.u32 %r, %r, %r, %r", "sad.s32 %r, %r, %r, %r", "add.sat.s32 %r, %r, %r",
    "sub.sat.s32 %r, %r, %r", "add.u16 %h, %h, %h", "mul.lo.u16 %h, %h, %h", "mul.hi.s16 %h, %h, %h",
    "mul.wide.s16 %r, %h, %h", "mad.wide.u16 %r, %h, %h, %r", "add.u16x2 %r, %r, %r", "min.s16x2 %r, %r, %r",
    "max.u16x2 %r, %r, %r", "add.u64 %d, %d, %d", "sub.s64 %d, %d, %d", "mul.lo.u64 %d, %d, %d",
    "mul.hi.u64 %d, %d, %d", "mad.lo.u64 %d, %d, %d, %d", "mul.wide.u32 %d, %r, %r", "mad.wide.s32 %d, %r, %r, %d",
    "min.s64 %d, %d, %d", "max.u64 %d, %d, %d", "abs.s64 %d, %d", "neg.s64 %d, %d", "abs.s16 %h, %h",
    "div.u32 %r, %r, %r", "rem.u32 %r, %r, %r", "div.s32 %r, %r, %r", "rem.s32 %r, %r, %r", "div.u32 %r, %r, %i",
    "rem.s32 %r, %r, 7", "div.u64 %d, %d, %d", "rem.s64 %d, %d, %d", "div.u16 %h, %h, %h", "rem.s16 %h, %h, %h",
    "dp4a.u32.s32 %r, %r, %r, %r", "dp4a.s32.s32 %r, %r, %r, %r", "dp2a.lo.s32.u32 %r, %r, %r, %r",
    "min.relu.s32 %r, %r, %r", "add.cc.u32 %r, %r, %r", "addc.u32 %r, %r, %r", "addc.cc.u32 %r, %r, %r",
    /* bits */
    "and.b32 %r, %r, %w", "or.b64 %d, %d, %d", "xor.b16 %h, %h, %h", "not.b64 %d, %d", "cnot.b32 %r, %r",
    "lop3.b32 %r, %r, %r, %r, %b", "lop3.and.b32 %r|%p, %r, %r, %r, %b, %p", "shl.b32 %r, %r, %r", "shl.b64 %d, %d, %i",
    "shr.s32 %r, %r, %r", "shr.u64 %d, %d, %r", "shr.s16 %h, %h, %i", "shl.b16 %h, %h, %r",
    "shf.l.wrap.b32 %r, %r, %r, %r", "shf.r.wrap.b32 %r, %r, %r, %i", "shf.l.clamp.b32 %r, %r, %r, %r",
    "shf.r.clamp.b32 %r, %r, %r, %i", "prmt.b32 %r, %r, %r, %w", "prmt.b32 %r, %r, %r, %r",
    "prmt.b32.f4e %r, %r, %r, %r", "prmt.b32.rc16 %r, %r, %r, %i", "prmt.b32.ecl %r, %r, %r, 2",
    "bfe.u32 %r, %r, %i, %i", "bfe.s32 %r, %r, %i, %i", "bfe.u32 %r, %r, %r, %r", "bfe.s32 %r, %r, %r, %i",
    "bfe.s64 %d, %d, %i, %i", "bfe.u64 %d, %d, %r, %i", "bfi.b32 %r, %r, %r, %i, %i", "bfi.b32 %r, %r, %r, %r, %i",
    "bfi.b64 %d, %d, %d, %i, %i", "popc.b32 %r, %r", "popc.b64 %r, %d", "clz.b32 %r, %r", "clz.b64 %r, %d",
    "brev.b32 %r, %r", "brev.b64 %d, %d", "bfind.u32 %r, %r", "bfind.s32 %r, %r", "bfind.shiftamt.u64 %r, %d",
    "bmsk.clamp.b32 %r, %r, %i", "bmsk.wrap.b32 %r, %r, %r", "szext.wrap.s32 %r, %r, %r", "szext.clamp.u32 %r, %r, %i",
    "fns.b32 %r, %r, %i, 1",
    /* single precision */
    "add.f32 %f, %f, %f", "sub.ftz.f32 %f, %f, %f", "mul.sat.f32 %f, %f, %f", "fma.rn.f32 %f, %f, %f, %f",
    "fma.rn.ftz.f32 %f, %f, %f, %f", "fma.rn.sat.f32 %f, %f, %f, %f", "add.rz.f32 %f, %f, %f", "mul.rp.f32 %f, %f, %f",
    "fma.rm.f32 %f, %f, %f, %f", "fma.rz.sat.f32 %f, %f, %f, %f", "sub.rm.f32 %f, %f, %f", "add.rm.f32 %f, %f, %f", "div.rn.f32 %f, %f, %f", "div.full.f32 %f, %f, %f", "div.approx.ftz.f32 %f, %f, %f",
    "rcp.rn.f32 %f, %f", "rcp.approx.ftz.f32 %f, %f", "sqrt.rn.f32 %f, %f", "sqrt.approx.f32 %f, %f",
    "rsqrt.approx.f32 %f, %f", "ex2.approx.ftz.f32 %f, %f", "lg2.approx.f32 %f, %f", "sin.approx.f32 %f, %f",
    "cos.approx.ftz.f32 %f, %f", "tanh.approx.f32 %f, %f", "rcp.approx.f32 %f, %f",
    "sqrt.approx.ftz.f32 %f, %f", "rsqrt.approx.ftz.f32 %f, %f", "ex2.approx.f32 %f, %f", "lg2.approx.ftz.f32 %f, %f",
    "div.approx.f32 %f, %f, %f", "div.full.ftz.f32 %f, %f, %f", "min.f32 %f, %f, %f", "max.ftz.f32 %f, %f, %f",
    "min.NaN.f32 %f, %f, %f", "max.NaN.ftz.f32 %f, %f, %f", "max.xorsign.abs.f32 %f, %f, %f", "neg.f32 %f, %f",
    "abs.ftz.f32 %f, %f", "neg.ftz.f32 %f, %f", "abs.f32 %f, %f", "copysign.f32 %f, %f, %f", "testp.normal.f32 %p, %f",
    "testp.notanumber.f64 %p, %e",
    /* double precision */
    "add.f64 %e, %e, %e", "sub.f64 %e, %e, %e", "mul.f64 %e, %e, %e", "fma.rn.f64 %e, %e, %e, %e",
    "fma.rn.f64 %e, %e, 0d3FF0000000000000, %e", "mul.f64 %e, %e, 0d3FF0000000000000",
    "mul.f64 %e, 0d4000000000000000, %e", "add.f64 %e, 0d8000000000000000, %e", "sub.f64 %e, %e, 0d0000000000000000",
    "fma.rn.f64 %e, 0d3FF0000000000000, 0d3FF0000000000000, %e", "mov.f64 %e, 0d3FF0000000000000", "add.f64 %e, %e, 0d7FF8000000001234", "add.rz.f64 %e, %e, %e",
    "fma.rp.f64 %e, %e, %e, %e", "div.rn.f64 %e, %e, %e", "rcp.rn.f64 %e, %e", "sqrt.rn.f64 %e, %e",
    "min.f64 %e, %e, %e", "max.f64 %e, %e, %e", "neg.f64 %e, %e", "abs.f64 %e, %e", "copysign.f64 %e, %e, %e",
    "rcp.approx.ftz.f64 %e, %e", "rsqrt.approx.f64 %e, %e",
    /* half precision */
    "add.f16 %h, %h, %h", "sub.bf16 %h, %h, %h", "mul.f16 %h, %h, %h", "mul.bf16 %h, %h, %h",
    "fma.rn.f16 %h, %h, %h, %h", "fma.rn.bf16 %h, %h, %h, %h", "add.f16x2 %r, %r, %r", "add.bf16x2 %r, %r, %r",
    "sub.f16x2 %r, %r, %r", "mul.f16x2 %r, %r, %r", "mul.bf16x2 %r, %r, %r", "fma.rn.f16x2 %r, %r, %r, %r",
    "fma.rn.bf16x2 %r, %r, %r, %r", "fma.rn.relu.f16x2 %r, %r, %r, %r", "add.sat.f16x2 %r, %r, %r",
    "mul.ftz.f16x2 %r, %r, %r", "fma.rn.ftz.sat.f16 %h, %h, %h, %h", "fma.rn.relu.bf16x2 %r, %r, %r, %r",
    "min.f16x2 %r, %r, %r", "max.bf16x2 %r, %r, %r", "max.NaN.f16 %h, %h, %h", "min.bf16 %h, %h, %h",
    "min.xorsign.abs.f16x2 %r, %r, %r", "max.ftz.f16x2 %r, %r, %r", "neg.f16x2 %r, %r", "abs.bf16 %h, %h",
    "abs.ftz.f16x2 %r, %r", "ex2.approx.f16x2 %r, %r", "tanh.approx.bf16 %h, %h", "setp.lt.f16 %p, %h, %h",
    "setp.geu.f16x2 %p|%p, %r, %r", "setp.ne.bf16 %p, %h, %h", "set.gt.f16x2.f16x2 %r, %r, %r",
    "set.ltu.u32.f16 %r, %h, %h",
    /* comparison and choice */
    "setp.lt.u32 %p, %r, %r", "setp.ge.s64 %p, %d, %d", "setp.eq.and.s16 %p|%p, %h, %h, %p", "setp.lo.u64 %p, %d, %d",
    "setp.ltu.f32 %p, %f, %f", "setp.gt.ftz.f32 %p, %f, %f", "setp.ne.f64 %p, %e, %e",
    "setp.leu.xor.f64 %p|%p, %e, %e, %p", "setp.num.f64 %p, %e, %e", "set.lt.u32.s32 %r, %r, %r",
    "set.ge.and.f32.f32 %f, %f, %f, %p", "set.eq.u32.f64 %r, %e, %e", "selp.u16 %h, %h, %h, %p",
    "selp.f32 %f, %f, %f, %p", "selp.f64 %e, %e, %e, %p", "selp.b64 %d, %d, %d, %p", "slct.u32.s32 %r, %r, %r, %r",
    "slct.f64.f32 %e, %e, %e, %f", "slct.ftz.u16.f32 %h, %h, %h, %f", "and.pred %p, %p, %p", "xor.pred %p, %p, !%p",
    "not.pred %p, %p",
    /* copies and conversions */
    "mov.b32 %r, %f", "mov.b32 %f, %r", "mov.b64 %d, %e", "mov.b64 %e, %d", "mov.b32 %r, {%h, %h}",
    "mov.b32 {%h, %h}, %r", "mov.b64 %d, {%r, %r}", "mov.b64 {%r, %r}, %d", "mov.b64 {%h, %h, %h, %h}, %d",
    "mov.b64 %d, {%h, %h, %h, %h}", "mov.f64 %e, %e", "mov.u32 %r, %tid.x", "mov.pred %p, %p", "cvt.u32.u64 %r, %d",
    "cvt.s64.s32 %d, %r", "cvt.u64.u16 %d, %h", "cvt.s32.s16 %r, %h", "cvt.u16.u32 %h, %r", "cvt.u32.u8 %r, %r",
    "cvt.s32.s8 %r, %r", "cvt.u16.u8 %h, %h", "cvt.s16.s8 %h, %h", "cvt.u8.u32 %r, %r", "cvt.s8.s32 %h, %r",
    "cvt.s64.s8 %d, %d", "cvt.sat.u8.s32 %r, %r", "cvt.sat.s16.s32 %h, %r", "cvt.sat.u32.s64 %r, %d",
    "cvt.rn.f32.s32 %f, %r", "cvt.rn.f32.u32 %f, %r", "cvt.rn.f32.u16 %f, %h", "cvt.rz.f32.s32 %f, %r",
    "cvt.rn.f32.s64 %f, %d", "cvt.rn.f32.u8 %f, %h", "cvt.rn.f64.s32 %e, %r", "cvt.rn.f64.u32 %e, %r",
    "cvt.rn.f64.s64 %e, %d", "cvt.rn.f64.u64 %e, %d", "cvt.f64.f32 %e, %f", "cvt.ftz.f64.f32 %e, %f",
    "cvt.rn.f32.f64 %f, %e", "cvt.rz.f32.f64 %f, %e", "cvt.rn.ftz.f32.f64 %f, %e", "cvt.rzi.s32.f32 %r, %f",
    "cvt.rzi.u32.f32 %r, %f", "cvt.rni.s32.f32 %r, %f", "cvt.rmi.s32.f32 %r, %f", "cvt.rpi.ftz.u32.f32 %r, %f",
    "cvt.rzi.s64.f32 %d, %f", "cvt.rzi.s32.f64 %r, %e", "cvt.rni.u32.f64 %r, %e", "cvt.rzi.s64.f64 %d, %e",
    "cvt.rzi.u64.f64 %d, %e", "cvt.rzi.u8.f32 %h, %f", "cvt.rzi.s16.f32 %h, %f", "cvt.rni.f32.f32 %f, %f",
    "cvt.rmi.f64.f64 %e, %e", "cvt.rpi.ftz.f32.f32 %f, %f", "cvt.sat.f32.f32 %f, %f", "cvt.f32.f16 %f, %h",
    "cvt.f32.bf16 %f, %h", "cvt.rn.f16.f32 %h, %f", "cvt.rz.f16.f32 %h, %f", "cvt.rn.bf16.f32 %h, %f",
    "cvt.rn.relu.f16.f32 %h, %f", "cvt.rn.f16.s32 %h, %r", "cvt.rzi.s32.f16 %r, %h", "cvt.f64.f16 %e, %h",
    "cvt.rn.f16.f64 %h, %e", "cvt.rn.f16x2.f32 %r, %f, %f", "cvt.rn.bf16x2.f32 %r, %f, %f",
    "cvt.rz.f16x2.f32 %r, %f, %f", "cvt.rn.relu.bf16x2.f32 %r, %f, %f", "cvt.rna.tf32.f32 %r, %f",
    "cvt.rn.satfinite.e4m3x2.f32 %h, %f, %f", "cvt.rn.f16x2.e5m2x2 %r, %h", "cvt.rni.f16.f16 %h, %h",
    "cvt.pack.sat.s16.s32 %r, %r, %r",
    /* across lanes */
    "shfl.sync.down.b32 %r, %r, %i, 31, %m", "shfl.sync.up.b32 %r|%p, %r, %i, 0, %m",
    "shfl.sync.bfly.b32 %r|%p, %r, %i, 31, %m", "shfl.sync.idx.b32 %r, %r, %i, 31, %m",
    "shfl.sync.idx.b32 %r|%p, %r, %r, 31, %m", "shfl.sync.down.b32 %f|%p, %f, %i, 0x181f, %m",
    "shfl.sync.bfly.b32 %r, %r, %r, %r, %m", "vote.sync.ballot.b32 %r, %p, %m", "vote.sync.any.pred %p, %p, %m",
    "vote.sync.all.pred %p, !%p, %m", "vote.sync.uni.pred %p, %p, %m", "match.any.sync.b32 %r, %r, %m",
    "match.all.sync.b64 %r|%p, %d, %m", "redux.sync.add.u32 %r, %r, %m", "redux.sync.xor.b32 %r, %r, %m",
    "redux.sync.min.s32 %r, %r, %m", "redux.sync.max.u32 %r, %r, %m", "activemask.b32 %r", "elect.sync %r|%p, %m",
    "bar.warp.sync %m",
    /* memory */
    "ld.global.u8 %r, %g1", "ld.global.s8 %h, %g1", "ld.global.b8 %h, %g1", "ld.global.u16 %h, %g2",
    "ld.global.s16 %r, %g2", "ld.global.u16 %r, %g2", "ld.global.u32 %r, %g4", "ld.global.f32 %f, %g4",
    "ld.global.s32 %d, %g4", "ld.global.u64 %d, %g8", "ld.global.f64 %e, %g8", "ld.global.v2.u8 {%h, %h}, %g2",
    "ld.global.v4.u8 {%r, %r, %r, %r}, %g4", "ld.global.v2.u16 {%h, %h}, %g4", "ld.global.v4.u16 {%h, %h, %h, %h}, %g8",
    "ld.global.v2.f32 {%f, %f}, %g8", "ld.global.v4.u32 {%r, %r, %r, %r}, %ga", "ld.global.v2.f64 {%e, %e}, %ga",
    "ld.global.nc.v2.u64 {%d, %d}, %ga", "st.global.u8 %g1, %r", "st.global.b8 %g1, %h", "st.global.u16 %g2, %h",
    "st.global.u16 %g2, %r", "st.global.f32 %g4, %f", "st.global.u32 %g4, %d", "st.global.u64 %g8, %d",
    "st.global.f64 %g8, %e", "st.global.v2.u8 %g2, {%h, %h}", "st.global.v4.u8 %g4, {%r, %r, %r, %r}",
    "st.global.v2.u16 %g4, {%h, %h}", "st.global.v4.b16 %g8, {%h, %h, %h, %h}", "st.global.v2.f32 %g8, {%f, %f}",
    "st.global.v4.u32 %ga, {%r, %r, %r, %r}", "st.global.v2.f64 %ga, {%e, %e}", "ld.shared.u8 %r, %s1",
    "ld.shared.s8 %h, %s1", "ld.shared.u16 %h, %s2", "ld.shared.s16 %r, %s2", "ld.shared.u32 %r, %s4",
    "ld.shared.f32 %f, %s4", "ld.shared.u64 %d, %s8", "ld.shared.f64 %e, %s8", "ld.shared.v2.u16 {%h, %h}, %s4",
    "ld.shared.v4.u16 {%h, %h, %h, %h}, %s8", "ld.shared.v2.u8 {%h, %h}, %s2", "ld.shared.v2.f64 {%e, %e}, %sa",
    "ld.shared.v4.f32 {%f, %f, %f, %f}, %sa", "st.shared.u8 %s1, %r", "st.shared.b8 %s1, %h", "st.shared.u16 %s2, %h",
    "st.shared.u16 %s2, %r", "st.shared.u32 %s4, %r", "st.shared.f32 %s4, %f", "st.shared.u64 %s8, %d",
    "st.shared.f64 %s8, %e", "st.shared.v2.u16 %s4, {%h, %h}", "st.shared.v4.b16 %s8, {%h, %h, %h, %h}",
    "st.shared.v2.f64 %sa, {%e, %e}", "st.shared.v4.u32 %sa, {%r, %r, %r, %r}", "atom.shared.add.u32 %r, %s4, %r",
    "red.shared.add.u32 %s4, %r", "atom.shared.cas.b32 %r, %s4, %r, %r", "red.shared.max.s32 %s4, %r",
    "atom.shared.add.f32 %f, %s4, %f", "red.global.add.u32 %x4, %r", "red.global.xor.b64 %x8, %d",
    "ld.const.f32 %f, [table+4]", "ld.const.u32 %r, [%c]", "ld.const.v2.u32 {%r, %r}, [table+8]",
    "ld.local.u8 %r, %l1", "ld.local.s16 %r, %l2", "ld.local.u32 %r, %l4", "ld.local.v2.f32 {%f, %f}, %l8",
    "ld.local.v4.u32 {%r, %r, %r, %r}, %la", "ld.local.f64 %e, %l8", "st.local.u8 %l1, %r", "st.local.u16 %l2, %h",
    "st.local.f32 %l4, %f", "st.local.v2.u32 %l8, {%r, %r}", "st.local.u64 %l8, %d", "st.local.v2.f64 %la, {%e, %e}",
    "atom.shared.exch.b64 %d, %s8, %d", "atom.shared.cas.b64 %d, %s8, %d, %d", "atom.shared.inc.u32 %r, %s4, %r",
    "atom.shared.dec.u32 %r, %s4, %r", "atom.shared.min.s64 %d, %s8, %d", "atom.shared.and.b32 %r, %s4, %r",
    "atom.shared.add.f64 %e, %s8, %e", "atom.shared.add.noftz.f16x2 %r, %s4, %r", "atom.shared.cas.b16 %h, %s2, %h, %h",
    "atom.shared.add.noftz.bf16 %h, %s2, %h", "atom.global.add.u32 %r, %g4, %r", "atom.global.add.f32 %f, %g4, %f",
    "atom.global.add.f64 %e, %g8, %e", "atom.global.exch.b32 %r, %g4, %r", "atom.global.max.u64 %d, %g8, %d",
    "atom.global.add.noftz.f16x2 %r, %g4, %r", "atom.global.add.noftz.bf16x2 %r, %g4, %r",
    "atom.global.add.v2.f32 {%f, %f}, %g8, {%f, %f}", "atom.global.min.noftz.v4.f16 {%h, %h, %h, %h}, %g8, {%h, %h, %h, %h}",
    "red.global.add.noftz.f16 %g2, %h", "red.global.or.b32 %x4, %r", "red.global.add.u64 %x8, %d",
    "cp.async.ca.shared.global %s4, %g4, 4;\ncp.async.wait_all", "cp.async.ca.shared.global %s8, %g8, 8, 3;\ncp.async.wait_all",
    "cp.async.cg.shared.global %sa, %ga, 16;\ncp.async.commit_group;\ncp.async.wait_group 0",
    /* carries, calls */
    "add.cc.u64 %d, %d, %d;\naddc.cc.u64 %d, %d, %d;\naddc.u32 %r, 0, 0",
    "sub.cc.u32 %r, %r, %r;\nsubc.cc.u64 %d, %d, %d;\nsubc.u32 %r, %r, 0",
    "mad.lo.cc.u32 %r, %r, %r, %r;\nmadc.hi.cc.u32 %r, %r, %r, %r;\nmadc.hi.u64 %d, %d, %d, %d",
    "call (%r), mix, (%r, %r)", "call.uni (%r), mix, (%r, 77)",
    "st.param.b32 [left], %r;\nst.param.b32 [right], %r;\ncall (sum), deep, (left, right);\nld.param.b32 %r, [sum]",
    /* matrices: whole warps only */
    "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r}, %sa%o", "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r, %r, %r, %r}, %sa%o",
    "stmatrix.sync.aligned.m8n8.x2.shared.b16 %sa, {%r, %r}%o", "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 %sa, {%r, %r, %r, %r}%o",
    "movmatrix.sync.aligned.m8n8.trans.b16 %r, %r%o",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%F0, %F1, %F2, %F3}, {%r, %r, %r, %r}, {%r, %r}, {%f, %f, %f, %f}%o",
    "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%R0, %R1}, {%r, %r, %r, %r}, {%r, %r}, {%r, %r}%o",
    "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%F0, %F1, %F2, %F3}, {%r, %r}, {%r}, {%f, %f, %f, %f}%o",
    "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%F0, %F1, %F2, %F3}, {%r, %r, %r, %r}, {%r, %r}, {%f, %f, %f, %f}%o",
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%R0, %R1, %R2, %R3}, {%r, %r, %r, %r}, {%r, %r}, {%r, %r, %r, %r}%o",
    "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u4.s4.s32 {%R0, %R1, %R2, %R3}, {%r, %r}, {%r}, {%r, %r, %r, %r}%o",
    "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc {%R0, %R1, %R2, %R3}, {%r, %r}, {%r}, {%r, %r, %r, %r}%o",
    "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%E0, %E1}, {%e}, {%e}, {%e, %e}%o",
};
/* clang-format on */
enum { OPERATIONS = sizeof operations / sizeof *operations };

typedef struct maker {
    uint64_t state;
    text ptx;           /* of a unit */
    bool whole;         /* all lanes are active, whatever happens */
    unsigned predicate; /* the last one that was written */
    bool apart;         /* threads use their own memory: nothing depends on their order */
} maker;

static uint32_t draw(maker *m, uint32_t below) {
    return draw_below(&m->state, below);
}

/* Writes an address register whose distances are aligned to the width, and an offset that is. */
static void write_place(maker *m, const char *prefix, unsigned first, unsigned width) {
    unsigned k;
    do k = m->apart ? STRIDES - 1 : draw(m, STRIDES);
    while (strides[k] % width);
    text_printf(&m->ptx, "[%s%u+%u]", prefix, first + k, draw(m, 16 / width) * width);
}

static unsigned width_of(char c) {
    return c == 'a' ? 16 : (unsigned)(c - '0');
}

/* The second of two results must differ from the first. */
static unsigned draw_predicate(maker *m) {
    const bool second = m->ptx.length && text_string(&m->ptx)[m->ptx.length - 1] == '|';
    m->predicate = (second ? m->predicate + 1 + draw(m, PREDICATES - 1) : draw(m, PREDICATES)) % PREDICATES;
    return m->predicate;
}

/* Writes one placeholder; returns how many characters it had. */
static unsigned write_part(maker *m, const char *at) {
    switch (at[1]) {
    case 'h': text_printf(&m->ptx, "%%h%u", draw(m, REGISTERS)); return 2;
    case 'r': text_printf(&m->ptx, "%%r%u", 10 + draw(m, REGISTERS)); return 2;
    case 'd': text_printf(&m->ptx, "%%rd%u", 10 + draw(m, REGISTERS)); return 2;
    case 'f': text_printf(&m->ptx, "%%f%u", draw(m, REGISTERS)); return 2;
    case 'e': text_printf(&m->ptx, "%%fd%u", draw(m, REGISTERS)); return 2;
    case 'p': text_printf(&m->ptx, "%%p%u", draw_predicate(m)); return 2;
    case 'i': text_printf(&m->ptx, "%u", draw(m, 36)); return 2;
    case 'w': text_printf(&m->ptx, "0x%x", draw(m, UINT32_MAX)); return 2;
    case 'b': text_printf(&m->ptx, "%u", draw(m, 256)); return 2;
    case 'm': text_put(&m->ptx, m->whole ? "0xffffffff" : "%r9"); return 2;
    case 's': write_place(m, "%r", 40, width_of(at[2])); return 3;
    case 'g': write_place(m, "%rd", 20, width_of(at[2])); return 3;
    case 'c': text_put(&m->ptx, "%rd19"); return 2;
    case 'l': text_printf(&m->ptx, "[own+%u]", draw(m, 48 / width_of(at[2])) * width_of(at[2])); return 3;
    case 'o': return 2;
    case 'R': text_printf(&m->ptx, "%%r1%c", at[2]); return 3;
    case 'F': text_printf(&m->ptx, "%%f%c", at[2]); return 3;
    case 'E': text_printf(&m->ptx, "%%fd%c", at[2]); return 3;
    case 'x': text_printf(&m->ptx, "[%%rd17+%u]", draw(m, 8) * 8); return 3;
    default: text_printf(&m->ptx, "%%"); return 1;
    }
}

static bool is_across_lanes(const char *operation) {
    return strstr(operation, "%m") || strstr(operation, "%o") || strncmp(operation, "activemask", 10) == 0;
}

/* Returns false for operations whose result may differ between devices. PTX leaves open:
 *  - which lanes execute together after divergence, the values of inactive lanes, and the lane that elect.sync chooses;
 *  - which of two NaNs a sum of doubles gives (stretch.h); sums commute, but not with other operations on one address;
 *  - the carry where nobody set it; the value of ld.global.nc if the kernel writes there; the absolute value of the
 *    least integer;
 *  - whether a product of halves without a rounding modifier is fused into a sum (assembler/contract.c does that if
 *    registers are written once).
 * ptxas 13.0 converts a half to an integer before storing a byte of it, and adds the lower half of a cvt.u32.u64 result
 * twice to pairs in shared memory. If some lanes skip a recursive call in a loop, it counts the rounds in a uniform
 * register, although the lanes do not reconverge after the call: on an H100 some lanes make fewer calls. (With the
 * rounds counted in a vector register, the same loop gives the same results there as here.) */
static bool is_defined(const maker *m, const char *operation) {
    static const char *const open[] = {"addc",
                                       "elect",
                                       "abs.s",
                                       "mul.f16",
                                       "mul.bf16",
                                       "mul.ftz.f16",
                                       "st.global.b8",
                                       "st.global.v2.u8",
                                       "st.shared.b8",
                                       "atom.shared.add.f64",
                                       "atom.shared.add.noftz.f16x2"};
    if (strstr(operation, "%x")) return strstr(operation, "add.u32");
    if (strstr(operation, ".nc.") || strstr(operation, "deep")) return false;
    for (size_t k = 0; k < sizeof open / sizeof *open; k++)
        if (strncmp(operation, open[k], strlen(open[k])) == 0) return false;
    return m->whole || !is_across_lanes(operation);
}

/* ptxas 13.0 executes these, in whole or in part, even if their guard is false. */
static bool ignores_guard(const char *operation) {
    return strncmp(operation, "testp", 5) == 0 || strncmp(operation, "set.", 4) == 0;
}

static void write_operation(maker *m, const char *operation) {
    if (strstr(operation, "%o") && !m->whole) return;
    if (is_across_lanes(operation) && !m->whole) text_put(&m->ptx, "activemask.b32 %r9;\n");
    const bool guards = !(m->apart && ignores_guard(operation));
    if (guards && !is_across_lanes(operation) && !strchr(operation, ';') && draw(m, 6) == 0)
        text_printf(&m->ptx, "@%s%%p%u ", draw(m, 2) ? "!" : "", draw(m, PREDICATES));
    for (const char *c = operation; *c;) {
        const bool placeholder = *c == '%' && strchr("hrdfepiwbmcsgxloRFE", c[1]) && c[1];
        if (placeholder) {
            c += write_part(m, c);
        } else {
            text_append(&m->ptx, c++, 1);
        }
    }
    text_put(&m->ptx, ";\n");
}

/* Makes what was written a unit of the sequence. */
static void end_unit(maker *m, stretch *s) {
    if (!m->ptx.length) return;
    s->unit[s->count++] = m->ptx;
    m->ptx = (text){0};
}

static void draw_units(maker *m, stretch *s) {
    const unsigned count = 12 + draw(m, 24);
    if (!m->whole) s->apart_in = 1 + draw(m, 31);
    for (unsigned k = 0; k < count; k++) {
        const char *operation = operations[draw(m, OPERATIONS)];
        if (!m->apart || is_defined(m, operation)) write_operation(m, operation);
        end_unit(m, s);
    }
    for (unsigned k = 0; k < 2; k++) {
        put_fresh(&m->ptx, &m->state, draw(m, REGISTERS));
        end_unit(m, s);
    }
}

/* ---- comparison ---- */

typedef struct outcome {
    haul_status status;
    char message[256];
    unsigned char *out;
    size_t bytes;
    haul_launch_record record;
} outcome;

static void free_outcome(outcome *o) {
    free(o->out);
    *o = (outcome){0};
}

/* Begins with the maker's state after `in`, as put_stretch() requires. device: NULL for the virtual GPU. */
static void run_stretch_counting(const stretch *s, uint64_t state, const char *device, const char *mode, bool uncounted,
                                 outcome *o) {
    text ptx = {0};
    free_outcome(o);
    put_stretch(&ptx, s, state);
    o->bytes = out_bytes_of(s);
    o->out = calloc(1, o->bytes);
    assert_non_null(o->out);
    const kernel_run run = {.ptx = text_string(&ptx),
                            .blocks = BLOCKS,
                            .threads = s->threads,
                            .uncounted = uncounted,
                            FROM(in),
                            .out = o->out,
                            .out_bytes = o->bytes,
                            .record = device ? NULL : &o->record};
    if (mode) setenv("HAUL_COMPILE", mode, 1);
    o->status = device ? try_elsewhere(device, &run) : try_kernel(&run);
    unsetenv("HAUL_COMPILE");
    if (o->status != HAUL_OK) snprintf(o->message, sizeof o->message, "%s", haul_message());
    text_free(&ptx);
}

static void run_stretch(const stretch *s, uint64_t state, const char *device, const char *mode, outcome *o) {
    run_stretch_counting(s, state, device, mode, false, o);
}

static void expect_same_bytes(uint32_t seed, const char *mode, const outcome *got, const outcome *want) {
    assert_string_equal(got->message, want->message);
    for (size_t k = 0; k < got->bytes; k++)
        if (got->out[k] != want->out[k])
            fail_msg("seed %u, HAUL_COMPILE=%s: byte %zu (of thread %zu: %zu) is 0x%x, not 0x%x", seed, mode, k,
                     k / THREAD_BYTES, k % THREAD_BYTES, got->out[k], want->out[k]);
}

static void expect_same(uint32_t seed, const char *mode, const outcome *got, const outcome *want) {
    expect_same_bytes(seed, mode, got, want);
    for (unsigned c = 0; c < HAUL_COUNTER_COUNT; c++)
        if (got->record.counters[c] != want->record.counters[c])
            fail_msg("seed %u, HAUL_COMPILE=%s: %s is %g, not %g", seed, mode, haul_counters[c].key,
                     got->record.counters[c], want->record.counters[c]);
}

enum { UNCOUNTED_EVERY = 4 };

static void hold_compiled(const stretch *s, uint64_t state, const outcome *want) {
    static const char *const modes[] = {"1", "2:more"};
    outcome got = {0};
    for (unsigned k = 0; k < sizeof modes / sizeof *modes; k++) {
        run_stretch(s, state, NULL, modes[k], &got);
        expect_same(s->seed, modes[k], &got, want);
    }
    if (s->seed % UNCOUNTED_EVERY == 0) {
        run_stretch_counting(s, state, NULL, "1", true, &got);
        expect_same_bytes(s->seed, "1, uncounted", &got, want);
    }
    free_outcome(&got);
}

/* ---- comparison with another device ---- */

static bool differs(const stretch *s, uint64_t state, const char *device) {
    outcome got = {0}, want = {0};
    run_stretch(s, state, NULL, "off", &want);
    run_stretch(s, state, device, NULL, &got);
    const bool same = got.status == want.status && memcmp(got.out, want.out, OUT_BYTES) == 0;
    free_outcome(&got);
    free_outcome(&want);
    return !same;
}

/* Prints the smallest set of units that still differs. */
static void tell_shrunk(const stretch *whole, uint64_t state, const char *device) {
    stretch s = *whole;
    for (unsigned k = 0; k < s.count; k++) {
        s.left_out |= UINT64_C(1) << k;
        if (!differs(&s, state, device)) s.left_out &= ~(UINT64_C(1) << k);
    }
    fprintf(stderr, "seed %u, together:\n", s.seed);
    for (unsigned k = 0; k < s.count; k++)
        if (!(s.left_out >> k & 1)) fprintf(stderr, "    %s", text_string(&s.unit[k]));
}

static void tell_first_byte(uint32_t seed, const outcome *got, const outcome *want) {
    size_t k = 0;
    while (k < OUT_BYTES && got->out[k] == want->out[k]) k++;
    if (k < OUT_BYTES)
        fprintf(stderr, "seed %u: byte %zu (of thread %zu: %zu) is 0x%x, not 0x%x\n", seed, k, k / THREAD_BYTES,
                k % THREAD_BYTES, got->out[k], want->out[k]);
}

static void tell_causes(const stretch *whole, uint64_t state, const char *device) {
    outcome got = {0}, want = {0};
    stretch s = *whole;
    s.traced = true;
    run_stretch(&s, state, NULL, "off", &want);
    run_stretch(&s, state, device, NULL, &got);
    if (got.status != HAUL_OK)
        fprintf(stderr, "seed %u, traced: %s\n", s.seed, got.message);
    else if (!tell_units(&(two){&s, got.out, want.out}))
        tell_shrunk(whole, state, device);
    free_outcome(&got);
    free_outcome(&want);
}

/* Writes a hash of the device's results, and the units up to an empty line. */
static void record_stretch(FILE *f, const stretch *s, const outcome *o) {
    fprintf(f, "%u %016llx %u\n", s->seed, (unsigned long long)hash_words((const void *)o->out, OUT_BYTES / 4),
            s->apart_in);
    for (unsigned k = 0; k < s->count; k++) fputs(text_string(&s->unit[k]), f);
    fputc('\n', f);
}

static unsigned hold_against(const char *device, const stretch *s, uint64_t state, const outcome *want, FILE *record) {
    outcome got = {0};
    run_stretch(s, state, device, NULL, &got);
    const bool same = got.status == HAUL_OK && memcmp(got.out, want->out, OUT_BYTES) == 0;
    if (got.status != HAUL_OK) {
        fprintf(stderr, "seed %u: %s\n", s->seed, got.message);
    } else {
        if (record) record_stretch(record, s, &got);
        if (!same) tell_first_byte(s->seed, &got, want), tell_causes(s, state, device);
    }
    free_outcome(&got);
    return !same;
}

static void begin(maker *m, stretch *s, uint32_t seed, bool apart) {
    *m = (maker){.state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1, .whole = seed % 3 != 0, .apart = apart};
    *s = (stretch){.seed = seed, .settled = apart};
    s->threads = m->whole ? THREADS : THREADS - 1 - draw(m, 40);
    for (size_t k = 0; k < IN_WORDS / 2; k++) in[k] = hard_bits(&m->state);
}

/* Returns the number of differences to another device. */
static unsigned compare(uint32_t seed, bool show, FILE *record) {
    const char *device = getenv("HAUL_TEST_DEVICE");
    unsigned differences = 0;
    outcome want = {0};
    stretch s;
    maker m;
    begin(&m, &s, seed, device);
    const uint64_t state = m.state;
    draw_units(&m, &s);
    if (show) put_stretch(&m.ptx, &s, state), fputs(text_string(&m.ptx), stderr), text_free(&m.ptx);
    run_stretch(&s, state, NULL, "off", &want);
    if (want.status != HAUL_OK) fail_msg("seed %u: %s", seed, want.message);
    if (device)
        differences = hold_against(device, &s, state, &want, record);
    else
        hold_compiled(&s, state, &want);
    free_outcome(&want);
    free_stretch(&s);
    return differences;
}

static void compiled_operations_do_what_interpreted_ones_do(void **state) {
    (void)state;
    const uint32_t from = number_from("HAUL_STRESS_FROM", 1), count = number_from("HAUL_STRESS", 10);
    const char *path = getenv("HAUL_TEST_RECORD");
    FILE *record = path ? fopen(path, "w") : NULL;
    unsigned differences = 0;
    for (uint32_t seed = from; seed < from + count; seed++) differences += compare(seed, count == 1, record);
    if (record) fclose(record);
    assert_int_equal(differences, 0);
}

/* ---- results of an H100 ---- */

/* A unit ends where doubles are named, since put_one_nan() follows there. Returns false at the end of the file. */
static bool read_stretch(FILE *f, maker *m, stretch *s, uint64_t *hash) {
    char line[1024];
    unsigned seed, apart_in;
    unsigned long long wide;
    if (fscanf(f, "%u %llx %u\n", &seed, &wide, &apart_in) != 3) return false;
    begin(m, s, seed, true);
    *hash = wide;
    s->apart_in = apart_in;
    while (fgets(line, sizeof line, f) && line[0] != '\n') {
        assert_true(s->count < MOST_UNITS);
        text_put(&s->unit[s->count], line);
        s->count += strstr(line, "%fd") != NULL;
    }
    s->count++;
    return true;
}

/* HAUL_TEST_HELD: another file to compare the virtual GPU with. */
static void recorded_stretches_give_an_h100s_bits(void **state) {
    (void)state;
    const char *path = getenv("HAUL_TEST_HELD");
    FILE *f = fopen(path ? path : TEST_DATA "/h100/stretches.txt", "r");
    unsigned wrong = 0;
    outcome got = {0};
    uint64_t hash;
    stretch s;
    maker m;
    assert_non_null(f);
    while (read_stretch(f, &m, &s, &hash)) {
        run_stretch(&s, m.state, NULL, "off", &got);
        if (got.status != HAUL_OK || hash_words((const void *)got.out, OUT_BYTES / 4) != hash) {
            fprintf(stderr, "seed %u: other bits than an H100's %s\n", s.seed, got.message);
            wrong++;
        }
        free_stretch(&s);
    }
    fclose(f);
    free_outcome(&got);
    assert_int_equal(wrong, 0);
}

/* ---- single operations ---- */

/* Runs each operation that the random sequences left out by chance. */
static void each_operation_does_by_itself(void **state) {
    (void)state;
    outcome want = {0};
    for (unsigned k = 0; k < OPERATIONS; k += 8) {
        maker m;
        stretch s;
        begin(&m, &s, 3 * k + 1, false);
        const uint64_t start = m.state;
        for (unsigned twice = 0; twice < 2; twice++) {
            for (unsigned n = k; n < k + 8 && n < OPERATIONS; n++) write_operation(&m, operations[n]);
            for (unsigned n = 0; n < REGISTERS; n++) put_fresh(&m.ptx, &m.state, n);
            end_unit(&m, &s);
        }
        run_stretch(&s, start, NULL, "off", &want);
        if (want.status != HAUL_OK) fail_msg("%s: %s", operations[k], want.message);
        hold_compiled(&s, start, &want);
        free_outcome(&want);
        free_stretch(&s);
    }
}

static void the_compiler_took_every_block(void **state) {
    (void)state;
    assert_int_equal(sim_compiler_refused(), 0);
    if (sim_compiler()) assert_true(sim_compiler_made() > OPERATIONS / 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_operation_does_by_itself),
                                       cmocka_unit_test(compiled_operations_do_what_interpreted_ones_do),
                                       cmocka_unit_test(recorded_stretches_give_an_h100s_bits),
                                       cmocka_unit_test(the_compiler_took_every_block)};
    const struct CMUnitTest elsewhere[] = {cmocka_unit_test(compiled_operations_do_what_interpreted_ones_do)};
    if (getenv("HAUL_TEST_DEVICE")) return cmocka_run_group_tests(elsewhere, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
