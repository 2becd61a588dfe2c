/* Launch lines and command-line arguments from hostile input. The first line goes to the command line's parsers too. */
#include "lib/launch/launches.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void parse_first_line(const char *text) {
    launch_list list = {0};
    launch_argument argument;
    uint32_t extent[3];
    launch_parse_argument(&list, text, &argument);
    launch_parse_extent("--grid", text, extent);
    launch_list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    launch_list list = {0};
    launch_read_text(&list, "fuzz", (const char *)data, size);
    haul_launch_record record = {.estimate_us = -1, .measured_us = -1};
    for (size_t i = 0; i < list.count; i++) {
        if (list.items[i].kernel && list.items[i].arguments)
            json_decref(launch_to_json(&list.items[i], HAUL_SIMULATED, &record));
    }
    launch_list_free(&list);
    size_t length = 0;
    while (length < size && data[length] && data[length] != '\n') length++;
    char *line = calloc(length + 1, 1);
    if (line) memcpy(line, data, length), parse_first_line(line);
    free(line);
    return 0;
}
