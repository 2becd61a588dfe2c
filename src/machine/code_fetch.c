/* Reads of code and constant banks, as 202 launches on an H200 made them (docs/memory-evidence.md).
 *
 * Each GPC has a cache for both, GCC. A launch fills all of them, whichever SMs get blocks: with the kernel's constant
 * bank, with some lines that do not depend on the kernel, and with the code from its beginning on, whether it is
 * executed or not. Code beyond that is read when it is executed. */
#include "machine/code_fetch.h"

#include "base/number.h"

enum { INSTRUCTION_BYTES = 16, PADDING = 128, SECTOR_BYTES = 32 };

enum {
    LINE = 256,       /* of GCC: two requests of four sectors */
    REQUESTS = 2,     /* of a line */
    AHEAD = 252,      /* lines of code that a launch fetches: almost 64 KiB */
    FIXED_LINES = 8,  /* whatever the kernel is */
    BANK = 0x210,     /* bytes of the constant bank in front of the parameters */
    FIXED_DEVICE = 72 /* sectors from device memory, whatever the kernel is */
};

/* The code of 2,673 launches' kernels by ptxas 13.0 has at least 128 bytes behind its end. */
uint64_t sim_code_bytes(double instructions) {
    return number_align((uint64_t)instructions * INSTRUCTION_BYTES, PADDING) + PADDING;
}

static uint64_t lines_of(uint64_t bytes) {
    return number_align(bytes, LINE) / LINE;
}

/* The GPCs that have blocks, if SMs get them one GPC after the other. */
static uint64_t busy_gpcs(const sim_machine *m, uint32_t used_sms) {
    return number_align((uint64_t)used_sms * m->gpcs, m->sms) / m->sms;
}

/* The constant bank was just written, so L2 has it. With two partitions, each line is copied to the other one. */
haul_code_fetch sim_code_fetch_of(const sim_machine *m, uint64_t bytes, uint64_t parameter_bytes, uint32_t used_sms) {
    const uint64_t code = lines_of(bytes), ahead = code < AHEAD ? code : AHEAD;
    const uint64_t lines = ahead + lines_of(BANK + parameter_bytes) + FIXED_LINES;
    const uint64_t fetched = lines * m->gpcs + (code - ahead) * busy_gpcs(m, used_sms);
    const uint64_t device = FIXED_DEVICE + code * (LINE / SECTOR_BYTES);
    const uint64_t copied = (m->l2_partitions - 1) * (lines + code - ahead) * (LINE / SECTOR_BYTES);
    return (haul_code_fetch){.bytes = bytes,
                             .parameter_bytes = parameter_bytes,
                             .requests = fetched * REQUESTS,
                             .sectors = fetched * (LINE / SECTOR_BYTES),
                             .misses = device + copied,
                             .device_sectors = device};
}
