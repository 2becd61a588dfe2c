/* Kernels that access memory beyond allocations. As on hardware, they continue if the address is mapped; the program's
 * end reports it.
 *
 * The driver maps the pages that a GPU would have mapped behind an allocation, and calls note() for each launch that
 * used them. Only the furthest access of each kernel is kept. With checks, such an access is a finding instead. */
#include "standin/runtime/beyond.h"

#include "base/mangled.h"
#include "standin/settings.h"

#include <stdio.h>
#include <string.h>

enum { MOST_KERNELS = 8, NAME = 256 };

static struct {
    char name[NAME];
    sim_overrun overrun;
} kernels[MOST_KERNELS];
static unsigned count; /* of kernels in the list */

/* If the list is full, further ones are omitted. Called by the driver with the lock. */
static void note(const char *symbol, const sim_overrun *o) {
    char name[NAME];
    mangled_copy(symbol, name, sizeof name);
    unsigned k = 0;
    while (k < count && strcmp(kernels[k].name, name) != 0) k++;
    if (k == MOST_KERNELS) return;
    if (k == count) memcpy(kernels[count++].name, name, sizeof name);
    sim_overrun_add(&kernels[k].overrun, &o->furthest, o->wrote);
}

void standin_allow_beyond(void) {
    const bool is_allowed = standin_asked.task == STANDIN_RUN || standin_asked.task == STANDIN_PROFILE;
    if (is_allowed) sim_driver_map_pages(note);
}

static const char *const formats[] = {
    [SIM_BEHIND] = "haul: kernel %s %s up to %llu bytes beyond an allocation of %llu bytes",
    [SIM_BEFORE] = "haul: kernel %s %s up to %llu bytes before an allocation of %llu bytes",
    [SIM_FREED] = "haul: kernel %s %s memory that was freed, up to byte %llu of an allocation of %llu bytes"};

void standin_report_beyond(void) {
    for (unsigned k = 0; k < count && !standin_asked.quiet; k++) {
        const sim_overrun *o = &kernels[k].overrun;
        fprintf(stderr, formats[o->furthest.side], kernels[k].name, o->wrote ? "wrote" : "read",
                (unsigned long long)o->furthest.away, (unsigned long long)o->furthest.size);
        fputs(", which a GPU does not notice either: `haul check` tells where\n", stderr);
    }
}
