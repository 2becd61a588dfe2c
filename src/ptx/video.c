#include "ptx/video.h"

#include "ptx/traits.h"

/* Returns the number of parts of registers that the instruction works on at once: 1, 2 or 4; 0 if it takes none. */
static unsigned parts_of(const ptx_instruction *i) {
    if (ptx_has(i->op, PTX_TRAIT_VIDEO)) return 1;
    if (ptx_has(i->op, PTX_TRAIT_VIDEO_HALVES)) return 2;
    return ptx_has(i->op, PTX_TRAIT_VIDEO_BYTES) ? 4 : 0;
}

bool ptx_is_video(const ptx_instruction *i) {
    return parts_of(i) > 0;
}

/* ---- several parts at once ---- */

static bool is_source_choice(const ptx_selector *s, unsigned parts) {
    if (!s->count) return true;
    if (s->count != parts || s->bits != 32 / parts) return false;
    for (unsigned n = 0; n < parts; n++)
        if (s->part[n] >= 2 * parts) return false;
    return true;
}

/* Returns whether these are parts of the result, the highest first. */
static bool is_mask(const ptx_selector *s, unsigned parts) {
    if (!s->count) return true;
    if (s->bits != 32 / parts || s->count > parts) return false;
    for (unsigned n = 0; n < s->count; n++)
        if (s->part[n] >= parts || (n && s->part[n] <= s->part[n - 1])) return false;
    return true;
}

static const char *fault_of_several(const ptx_instruction *i, unsigned parts) {
    const ptx_operand *o = i->operands;
    for (unsigned n = 1; n < i->operand_count; n++)
        if (o[n].kind != PTX_REGISTER) return "takes its sources from registers";
    if (i->mods[PTX_SLOT_SAT] && i->mods[PTX_SLOT_SUM]) return "has .sat or .add, not both";
    if (!is_mask(&o[0].selector, parts)) return "has no such parts of the result";
    if (!is_source_choice(&o[1].selector, parts) || !is_source_choice(&o[2].selector, parts))
        return "has no such parts of its sources";
    return o[3].selector.count ? "takes the third source as it is" : NULL;
}

/* ---- one part ---- */

static bool is_part(const ptx_selector *s) {
    return !s->count || (s->count == 1 && s->part[0] < 32 / s->bits);
}

static const char *fault_of_one(const ptx_instruction *i) {
    const ptx_operand *o = i->operands;
    const bool third = i->operand_count > 3, merges = o[0].selector.count, combines = i->mods[PTX_SLOT_SUM];
    if (!is_part(&o[0].selector) || !is_part(&o[1].selector) || !is_part(&o[2].selector)) return "has no such part";
    if (third && o[3].selector.count) return "takes the third source as it is";
    if (i->op == PTX_OP_VMAD) return merges ? "has its whole result" : NULL;
    if (merges && combines) return "combines its result with a third source, or puts it into a part, not both";
    if (third != (merges || combines))
        return third ? "needs a third source for .add, .min, .max and parts of the result only"
                     : "needs a third source";
    return NULL;
}

const char *ptx_video_fault(const ptx_instruction *i) {
    const unsigned parts = parts_of(i);
    return parts == 1 ? fault_of_one(i) : fault_of_several(i, parts);
}
