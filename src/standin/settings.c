/* Reads the settings from the environment, before the program's own code runs.
 *
 * settings.def lists them; for each kind of setting there is a function read_KIND(). The command line has checked
 * the values (cli/), so what cannot be read is the same as what is not given. An empty value means that the setting
 * is not given: the command line sets every variable, so that nested commands do not inherit. */
#include "standin/settings.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Launches of a shape that are counted, or recorded, without --launches. With --csv all are counted, as Nsight Compute
 * profiles all. */
enum { DEFAULT_LAUNCHES = 3, DEFAULT_RECORDED = 1 };
standin_settings standin_asked = {.task = STANDIN_RUN};

/* NULL if the variable is empty or absent. */
static const char *value_of(const char *variable) {
    const char *value = getenv(variable);
    return value && *value ? value : NULL;
}

static void read_STRING(const char *variable, const char **value) {
    *value = value_of(variable);
}
#define read_PATH read_STRING

static void read_FLAG(const char *variable, bool *value) {
    *value = value_of(variable) != NULL;
}

static void read_NUMBER(const char *variable, uint64_t *value) {
    const char *given = value_of(variable);
    if (!given || !number_u64(given, value)) *value = 0;
}

/* The items live as long as the program. Items are separated by STANDIN_BETWEEN. Without memory the list is empty. */
static void read_LIST(const char *variable, text_list *list) {
    const char *given = value_of(variable);
    char *all = given ? strdup(given) : NULL;
    size_t count = all != NULL;
    for (const char *c = all; c && *c; c++) count += *c == STANDIN_BETWEEN;
    list->items = count ? calloc(count, sizeof *list->items) : NULL;
    if (!list->items) return;
    for (char *next = all; next;) {
        char *between = strchr(next, STANDIN_BETWEEN);
        if (between) *between = '\0';
        list->items[list->count++] = next;
        next = between ? between + 1 : NULL;
    }
}
#define read_PATHS read_LIST

/* Runs before the C library's initialisation (-z initfirst in src/CMakeLists.txt), which sets up getenv(). The
 * loader passes the environment to constructors. `environ` is set first, as getenv() reads that. */
__attribute__((constructor)) static void read_settings(int argc, char **argv, char **environment) {
    (void)argc, (void)argv;
    if (!environ) environ = environment;
    const char *task = getenv(STANDIN_TASK);
#define TASK(id, text) \
    if (task && strcmp(task, text) == 0) standin_asked.task = STANDIN_##id;
    STANDIN_TASKS(TASK)
#undef TASK
#define SETTING(kind, field, NAME) read_##kind(STANDIN_VARIABLE(NAME), &standin_asked.field);
#include "standin/settings.def"
    if (!standin_asked.device) standin_asked.device = "sim";
    if (!standin_asked.launches && standin_asked.csv) standin_asked.launches = UINT64_MAX;
    if (!standin_asked.launches)
        standin_asked.launches = standin_asked.task == STANDIN_RECORD ? DEFAULT_RECORDED : DEFAULT_LAUNCHES;
}

bool standin_takes_number(uint64_t before) {
    const uint64_t skip = standin_asked.launch_skip, count = standin_asked.launch_count;
    return before >= skip && (!count || before - skip < count);
}
