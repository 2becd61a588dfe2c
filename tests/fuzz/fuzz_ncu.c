/* Tables that a profiler would never print: read once, and again as a second reading, and put into a record. */
#include "lib/ncu/ncu.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ncu_report report = {0};
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    for (int reading = 0; reading < 2; reading++) ncu_read_csv(&report, text, size);
    for (size_t i = 0; i <= report.count; i++) {
        haul_launch_record record = {.kernel = i < report.count ? report.launches[i].kernel : "none"};
        if (i < report.count) memcpy(record.grid, report.launches[i].grid, sizeof record.grid);
        if (i < report.count) memcpy(record.block, report.launches[i].block, sizeof record.block);
        ncu_fill(&report, i, &record);
    }
    ncu_report_free(&report);
    free(text);
    return 0;
}
