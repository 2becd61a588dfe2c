"""A device and a module for tests of the Python package."""

import array
import unittest

import haul

PTX = """.version 8.3
.target sm_80
.address_size 64
.global .align 4 .u32 total[4];
.visible .entry _Z4copyPKfPfi(.param .u64 in, .param .u64 out, .param .u32 step) {
.reg .b64 %rd<5>; .reg .b32 %r<5>; .reg .f32 %f<2>;
ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; ld.param.u32 %r2, [step];
mov.u32 %r0, %tid.x; mul.lo.u32 %r1, %r0, %r2; mul.wide.u32 %rd2, %r1, 4; add.u64 %rd0, %rd0, %rd2;
.loc 1 12 3
ld.global.f32 %f0, [%rd0]; mul.wide.u32 %rd3, %r0, 4; add.u64 %rd1, %rd1, %rd3;
st.global.f32 [%rd1], %f0; ret; }
.visible .entry race() {
.reg .b32 %r<3>; .shared .align 4 .u32 s;
mov.u32 %r0, %tid.x;
.loc 1 20 3
st.shared.u32 [s], %r0; ld.shared.u32 %r1, [s]; st.global.u32 [total], %r1; ret; }
.visible .entry wide(.param .f64 x, .param .u64 n, .param .align 4 .b8 pair[8], .param .u64 out) {
.reg .b64 %rd<4>; .reg .f64 %d<3>; .reg .b32 %r<2>; .reg .f64 %e<2>;
ld.param.f64 %d0, [x]; ld.param.u64 %rd0, [n]; ld.param.b32 %r0, [pair+4]; ld.param.u64 %rd1, [out];
cvt.rn.f64.u64 %d1, %rd0; add.f64 %d0, %d0, %d1; cvt.rn.f64.u32 %d1, %r0; add.f64 %d0, %d0, %d1;
st.global.f64 [%rd1], %d0; ret; }
.visible .entry beyond(.param .u64 p) {
.reg .b64 %rd<2>; .reg .b32 %r<1>;
ld.param.u64 %rd0, [p]; ld.global.u32 %r0, [%rd0+1048576]; st.global.u32 [%rd0], %r0; ret; }
.visible .entry types(.param .u8 a, .param .s16 b, .param .u64 c, .param .f32 d, .param .f64 e, .param .align 2 .b8 f[2],
    .param .u64 out) {
.reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .b16 %h<2>; .reg .f32 %f<2>; .reg .f64 %d<2>;
ld.param.u64 %rd0, [out]; ld.param.u8 %r0, [a]; st.global.u32 [%rd0], %r0;
ld.param.s16 %r1, [b]; st.global.u32 [%rd0+4], %r1; ld.param.u64 %rd1, [c]; st.global.u64 [%rd0+8], %rd1;
ld.param.f32 %f0, [d]; st.global.f32 [%rd0+16], %f0; ld.param.b16 %h0, [f]; st.global.b16 [%rd0+20], %h0;
ld.param.f64 %d0, [e]; st.global.f64 [%rd0+24], %d0; ret; }
.visible .entry first(.param .u64 in, .param .u64 out) {
.reg .b64 %rd<2>; .reg .b32 %r<1>; .reg .pred %p<1>;
ld.param.u64 %rd0, [in]; ld.param.u64 %rd1, [out]; ld.global.u32 %r0, [%rd0];
setp.eq.u32 %p0, %r0, 7; @%p0 bra done; st.global.u32 [%rd1], 1; done: ret; }
.file 1 "copy.cu"
"""
SECTORS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"


def floats(count):
    return array.array("f", range(count))


class WithDevice(unittest.TestCase):
    def setUp(self):
        self.device = haul.Device("sim:h200")
        self.module = self.device.load(PTX, "copy.ptx")

    def tearDown(self):
        self.device.close()

    def refused(self, text, kind=haul.ArgumentError):
        return self.assertRaisesRegex(kind, text)
