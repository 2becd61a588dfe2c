/* Integer intrinsics, packed lanes, minimum and maximum. */
#include <cuda_runtime.h>
#include "results.cuh"

KERNEL(bits) {
    OPERANDS;
    PUT(__popc(a));
    PUT(__popcll(LA));
    PUT(__clz((int)a));
    PUT(__clzll((long long)LA));
    PUT(__clz(0) + __clzll(0) + __ffs(0) + __ffsll(0) + (int)a);
    PUT(__ffs((int)a));
    PUT(__ffsll((long long)LA));
    PUT(__brev(a));
    PUT(__brevll(LA));
    PUT(__fns(a, b & 31, 1 + (int)(c & 3)));
    PUT(__byte_perm(a, b, c));
    PUT(__funnelshift_l(a, b, c));
    PUT(__funnelshift_r(a, b, c));
    PUT(__funnelshift_lc(a, b, c));
    PUT(__funnelshift_rc(a, b, c));
}
KERNEL(products) {
    OPERANDS;
    PUT(__mulhi((int)a, (int)b));
    PUT(__umulhi(a, b));
    PUT(__mul64hi((long long)LA, (long long)LB));
    PUT(__umul64hi(LA, LB));
    PUT(__mul24((int)a, (int)b));
    PUT(__umul24(a, b));
    PUT(__sad((int)a, (int)b, c));
    PUT(__usad(a, b, c));
    PUT(__hadd((int)a, (int)b));
    PUT(__rhadd((int)a, (int)b));
    PUT(__uhadd(a, b));
    PUT(__urhadd(a, b));
    PUT(__dp4a((int)a, (int)b, (int)c));
    PUT(__dp4a(a, b, c));
    PUT(__dp2a_lo((int)a, (int)b, (int)c));
    PUT(__dp2a_lo(a, b, c));
    PUT(__dp2a_hi((int)a, (int)b, (int)c));
    PUT(__dp2a_hi(a, b, c));
    const char4 sa = make_char4((signed char)a, 2, -3, 4), sb = make_char4(-1, (signed char)b, 3, 4);
    const uchar4 ua = make_uchar4((unsigned char)a, 2, 3, 4), ub = make_uchar4(1, (unsigned char)b, 3, 4);
    PUT(__dp4a(sa, sb, (int)c));
    PUT(__dp4a(ua, ub, c));
    PUT(__dp2a_lo(make_short2((short)a, -2), sb, (int)c));
    PUT(__dp2a_hi(make_short2((short)a, -2), sb, (int)c));
    PUT(__dp2a_lo(make_ushort2((unsigned short)a, 2), ub, c));
    PUT(__dp2a_hi(make_ushort2((unsigned short)a, 2), ub, c));
}

#define LANES(n)                                                                                            \
    KERNEL(lanes##n) {                                                                                      \
        OPERANDS;                                                                                           \
        PUT(__vadd##n(a, b)), PUT(__vaddss##n(a, b)), PUT(__vaddus##n(a, b));                               \
        PUT(__vsub##n(a, b)), PUT(__vsubss##n(a, b)), PUT(__vsubus##n(a, b));                               \
        PUT(__vavgs##n(a, b)), PUT(__vavgu##n(a, b)), PUT(__vhaddu##n(a, b));                               \
        PUT(__vmaxs##n(a, b)), PUT(__vmaxu##n(a, b)), PUT(__vmins##n(a, b)), PUT(__vminu##n(a, b));         \
        PUT(__vabsdiffs##n(a, b)), PUT(__vabsdiffu##n(a, b)), PUT(__vsads##n(a, b)), PUT(__vsadu##n(a, b)); \
        PUT(__vabs##n(a)), PUT(__vabsss##n(a)), PUT(__vneg##n(a)), PUT(__vnegss##n(a));                     \
        PUT(__vcmpeq##n(a, b)), PUT(__vcmpne##n(a, b)), PUT(__vcmpges##n(a, b)), PUT(__vcmpgeu##n(a, b));   \
        PUT(__vcmpgts##n(a, b)), PUT(__vcmpgtu##n(a, b)), PUT(__vcmples##n(a, b)), PUT(__vcmpleu##n(a, b)); \
        PUT(__vcmplts##n(a, b)), PUT(__vcmpltu##n(a, b));                                                   \
        PUT(__vseteq##n(a, b)), PUT(__vsetne##n(a, b)), PUT(__vsetges##n(a, b)), PUT(__vsetgeu##n(a, b));   \
        PUT(__vsetgts##n(a, b)), PUT(__vsetgtu##n(a, b)), PUT(__vsetles##n(a, b)), PUT(__vsetleu##n(a, b)); \
        PUT(__vsetlts##n(a, b)), PUT(__vsetltu##n(a, b));                                                   \
    }
LANES(2)
LANES(4)

#define EXTREMES(x, y) PUT(min(x, y)), PUT(max(x, y))
KERNEL(extremes) {
    OPERANDS;
    const long long la = (long long)LA, lb = (long long)LB;
    EXTREMES((int)a, (int)b);
    EXTREMES(a, b);
    EXTREMES((int)a, b);
    EXTREMES(a, (int)b);
    EXTREMES((long)la, (long)lb);
    EXTREMES((unsigned long)la, (unsigned long)lb);
    EXTREMES((long)la, (unsigned long)lb);
    EXTREMES((unsigned long)la, (long)lb);
    EXTREMES(la, lb);
    EXTREMES(LA, LB);
    EXTREMES(la, LB);
    EXTREMES(LA, lb);
    EXTREMES((float)(int)a, (float)(int)b);
    EXTREMES((double)la, (double)lb);
    EXTREMES((float)(int)a, (double)lb);
    EXTREMES((double)la, (float)(int)b);
    PUT(umin(a, b)), PUT(umax(a, b)), PUT(llmin(la, lb)), PUT(llmax(la, lb)), PUT(ullmin(LA, LB)), PUT(ullmax(LA, LB));
    PUT(abs((int)a)), PUT(labs((long)la)), PUT(llabs(la)), PUT(abs((long)la)), PUT(abs(la));
    PUT(abs((float)(int)a)), PUT(abs((double)la));
}
