/* The tables behind include/haul/findings.def. */
#include <haul/run.h>

#include <string.h>

const haul_finding_info haul_finding_kinds[HAUL_FINDING_COUNT] = {
#define FINDING(id, key_, grade_, why_, cure_) \
    [HAUL_FINDING_##id] = {.key = key_, .why = why_, .cure = cure_, .grade = HAUL_GRADE_##grade_},
#include <haul/findings.def>
#undef FINDING
};

const char *const haul_grade_names[3] = {"error", "warning", "advice"};

const char *const haul_action_names[HAUL_ACTION_COUNT] = {
    [HAUL_ACTION_NONE] = "",
    [HAUL_ACTION_READ] = "read",
    [HAUL_ACTION_WRITE] = "write",
    [HAUL_ACTION_ATOMIC] = "atomic",
    [HAUL_ACTION_ASYNC_READ] = "asynchronous read",
    [HAUL_ACTION_ASYNC_WRITE] = "asynchronous write",
    [HAUL_ACTION_SYNC] = "synchronisation",
    [HAUL_ACTION_ALLOCATE] = "allocation",
    [HAUL_ACTION_FREE] = "free",
};

const char *const haul_space_names[HAUL_SPACE_COUNT] = {
    [HAUL_SPACE_NONE] = "",       [HAUL_SPACE_GLOBAL] = "global", [HAUL_SPACE_SHARED] = "shared",
    [HAUL_SPACE_LOCAL] = "local", [HAUL_SPACE_PARAM] = "param",
};

/* Returns HAUL_FINDING_COUNT for an unknown key. */
haul_finding_kind haul_finding_find(const char *key) {
    for (size_t i = 0; i < HAUL_FINDING_COUNT; i++)
        if (strcmp(haul_finding_kinds[i].key, key) == 0) return (haul_finding_kind)i;
    return HAUL_FINDING_COUNT;
}
