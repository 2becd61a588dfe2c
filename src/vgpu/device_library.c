#include "vgpu/device_library.h"

#include <stddef.h>
#include <string.h>

/* cudaCGSynchronize(), the barrier of the grid: the upper bit of a counter changes when all blocks have added to it,
 * the first block the rest of 2^31. %envreg1 and %envreg2 are the address of the grid's workspace; cooperative_groups.h
 * uses its first 8 bytes. */
const char sim_library[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)\n{\n"
    ".reg .b32 %r<2>;\n.reg .b64 %rd<2>;\n"
    "ld.param.u32 %r1, [scope];\ncvt.u64.u32 %rd1, %r1;\nst.param.b64 [handle], %rd1;\nret;\n}\n"
    ".visible .func (.param .b32 result) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)\n{\n"
    ".reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<2>;\n"
    "bar.sync 0;\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %tid.z;\n"
    "or.b32 %r1, %r1, %r2;\nor.b32 %r1, %r1, %r3;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra TOGETHER;\n"
    "mov.u32 %r4, %nctaid.x;\nmov.u32 %r5, %nctaid.y;\nmov.u32 %r6, %nctaid.z;\n"
    "mul.lo.u32 %r4, %r4, %r5;\nmul.lo.u32 %r4, %r4, %r6;\nsub.u32 %r4, 0x80000001, %r4;\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ctaid.y;\nmov.u32 %r3, %ctaid.z;\n"
    "or.b32 %r1, %r1, %r2;\nor.b32 %r1, %r1, %r3;\nsetp.eq.u32 %p2, %r1, 0;\nselp.u32 %r4, %r4, 1, %p2;\n"
    "mov.u32 %r7, %envreg1;\nmov.u32 %r8, %envreg2;\nmov.b64 %rd1, {%r8, %r7};\n"
    "fence.acq_rel.gpu;\n"
    "atom.acq_rel.gpu.global.add.u32 %r9, [%rd1+8], %r4;\n"
    "WAIT:\nld.acquire.gpu.global.u32 %r10, [%rd1+8];\nxor.b32 %r10, %r10, %r9;\n"
    "setp.ge.s32 %p3, %r10, 0;\n@%p3 bra WAIT;\n"
    "TOGETHER:\nbar.sync 0;\nst.param.b32 [result], 0;\nret;\n}\n";

bool sim_library_has(const char *function) {
    static const char *const names[] = {"cudaCGGetIntrinsicHandle", "cudaCGSynchronize"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(names[k], function) == 0) return true;
    return false;
}
