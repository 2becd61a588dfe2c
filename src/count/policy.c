#include "count/policy.h"

enum { SIXTEENTHS = 16, LINE_SHIFT = 7, RANGE_SHIFT = 12 };

/* Bits 60 to 63: the form. Fractional: the first priority in 56 to 59, the share in sixteenths less one in 52 to 55,
 * the second priority in 48 to 51. A range: its first unit in 0 to 34, its units in 35 to 53, the priorities in 54 to
 * 56 and 57 to 59. */
enum { FORM_FRACTIONAL = 1, FORM_RANGE = 2 };
enum { UNIT_BITS = 35, COUNT_BITS = 19 };

/* Codes of priorities in fractional policies; the last two are haul's own. The second priority is evict-first (2) or
 * unchanged (0). */
static const uint8_t codes[] = {[SIM_PRIORITY_NORMAL] = 0,
                                [SIM_PRIORITY_FIRST] = 2,
                                [SIM_PRIORITY_LAST] = 4,
                                [SIM_PRIORITY_UNCHANGED] = 6,
                                [SIM_PRIORITY_DEMOTE] = 8};

static sim_priority priority_of_code(uint64_t code) {
    for (unsigned p = 0; p < sizeof codes; p++)
        if (codes[p] == (code & 15)) return (sim_priority)p;
    return SIM_PRIORITY_NORMAL;
}

unsigned sim_policy_sixteenths(double ratio) {
    if (!(ratio > 0)) return 0;
    const unsigned whole = ratio < 1 ? (unsigned)(ratio * SIXTEENTHS) : SIXTEENTHS - 1;
    return whole + 1;
}

static unsigned nearest_sixteenths(double fraction) {
    if (!(fraction < 1)) return SIXTEENTHS;
    const unsigned share = fraction > 0 ? (unsigned)(fraction * SIXTEENTHS + 0.5) : 0;
    return share ? share : 1;
}

uint64_t sim_policy_fractional(sim_priority first, sim_priority second, double fraction) {
    const unsigned share = nearest_sixteenths(fraction);
    return (uint64_t)FORM_FRACTIONAL << 60 | (uint64_t)codes[first] << 56 | (uint64_t)(share - 1) << 52 |
           (second == SIM_PRIORITY_FIRST ? 2ull : 0ull) << 48;
}

uint64_t sim_policy_range(sim_priority first, sim_priority second, uint64_t base, uint64_t primary) {
    const uint64_t unit = (1ull << RANGE_SHIFT) - 1;
    const uint64_t from = base >> RANGE_SHIFT, count = (primary + (base & unit) + unit) >> RANGE_SHIFT;
    return (uint64_t)FORM_RANGE << 60 | (uint64_t)second << 57 | (uint64_t)first << 54 |
           (count & ((1ull << COUNT_BITS) - 1)) << UNIT_BITS | (from & ((1ull << UNIT_BITS) - 1));
}

/* Spreads lines over the sixteenths; a line always gets the same one. */
static unsigned sixteenth_of(uint64_t line) {
    return (unsigned)((line * 0x9e3779b97f4a7c15u) >> 60);
}

/* Returns the priority by a range policy: one within its primary range, another outside. */
static sim_priority of_range(uint64_t policy, uint64_t line) {
    const uint64_t from = policy & ((1ull << UNIT_BITS) - 1), count = policy >> UNIT_BITS & ((1ull << COUNT_BITS) - 1);
    const uint64_t at = (line >> (RANGE_SHIFT - LINE_SHIFT)) - from;
    return (sim_priority)(policy >> (at < count ? 54 : 57) & 7);
}

/* Returns the priority of a line by a policy of either form. */
static sim_priority of_policy(uint64_t policy, uint64_t line) {
    switch (policy >> 60) {
    case FORM_FRACTIONAL: {
        if (sixteenth_of(line) <= (policy >> 52 & 15)) return priority_of_code(policy >> 56);
        return policy >> 48 & 15 ? SIM_PRIORITY_FIRST : SIM_PRIORITY_UNCHANGED;
    }
    case FORM_RANGE: return of_range(policy, line);
    default: return SIM_PRIORITY_NORMAL;
    }
}

sim_priority sim_priority_of(const sim_l2_window *window, uint64_t policy, uint64_t line) {
    if (policy) return of_policy(policy, line);
    if ((line << LINE_SHIFT) - window->base >= window->bytes) return SIM_PRIORITY_NORMAL;
    return (sim_priority)(sixteenth_of(line) < window->sixteenths ? window->hit : window->miss);
}
