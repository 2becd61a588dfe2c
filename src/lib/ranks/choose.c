/* Chooses a rank's device: one of a list, by the rank's number on its host. */
#include "base/status.h"
#include "driver/driver.h"
#include "lib/device.h"
#include "lib/ranks/ranks.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 256 };

static int count_gpus(void) {
    const driver_table *driver;
    int count = 0;
    if (driver_load(&driver) != HAUL_OK || driver->device_count(&count) != CUDA_SUCCESS) return 0;
    return count;
}

/* "sim:h200x4" without its number, since each rank opens one virtual GPU. */
static void cut_number(char *name) {
    uint64_t number;
    if (strncmp(name, "sim:", 4) == 0) name[4 + device_split_machine(name + 4, &number)] = '\0';
}

/* Word number `at` of the list, which has more. */
static void copy_word(const char *names, size_t at, char device[NAME_SIZE]) {
    for (; at; at--) names += strcspn(names, ",") + 1;
    snprintf(device, NAME_SIZE, "%.*s", (int)strcspn(names, ","), names);
}

static size_t count_words(const char *names) {
    size_t count = 1;
    for (const char *c = names; (c = strchr(c, ',')); c++) count++;
    return count;
}

haul_status haul_ranks_choose_device(const haul_ranks *r, const char *names, char device[NAME_SIZE]) {
    const unsigned local = haul_ranks_local(r);
    const bool is_auto = strcmp(names, "auto") == 0;
    if (haul_ranks_count(r) == 1 && strlen(names) < NAME_SIZE) {
        strcpy(device, names);
        return HAUL_OK;
    }
    const int gpus = is_auto || strcmp(names, "gpu:all") == 0 ? count_gpus() : 0;
    if (gpus > 0)
        snprintf(device, NAME_SIZE, "gpu:%u", local % (unsigned)gpus);
    else if (is_auto)
        strcpy(device, "sim:h100");
    else
        copy_word(names, local % count_words(names), device);
    cut_number(device);
    if (*device && strlen(device) < NAME_SIZE - 1) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "devices '%s': a name is missing or too long", names);
}
