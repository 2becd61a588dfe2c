/* The bits of a floating constant in an operand of 4 or 8 bytes, whichever width it was written in. */
#include "ptx/literal.h"

#include <string.h>

uint64_t ptx_float_bits(const ptx_operand *o, unsigned bytes) {
    double value;
    float narrow;
    uint32_t bits32;
    if (o->width == 32) {
        bits32 = (uint32_t)o->bits;
        if (bytes != 8) return bits32;
        memcpy(&narrow, &bits32, 4);
        value = (double)narrow;
        uint64_t bits;
        memcpy(&bits, &value, 8);
        return bits;
    }
    if (bytes == 8) return o->bits;
    memcpy(&value, &o->bits, 8);
    narrow = (float)value;
    memcpy(&bits32, &narrow, 4);
    return bits32;
}
