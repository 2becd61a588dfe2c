#include "report/traffic.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset;
} fields[] = {
#define FIELD(name) \
    { #name, offsetof(haul_traffic, name) }
    FIELD(instructions),   FIELD(threads), FIELD(requests),          FIELD(sectors),
    FIELD(ideal_sectors),  FIELD(hits),    FIELD(wavefronts),        FIELD(l2_requests),
    FIELD(l2_sectors),     FIELD(bytes),   FIELD(shared_wavefronts), FIELD(ideal_shared_wavefronts),
    FIELD(bank_conflicts),
#undef FIELD
};
enum { FIELDS = sizeof fields / sizeof *fields };
_Static_assert(FIELDS * sizeof(uint64_t) == sizeof(haul_traffic), "every field has a name");

json_t *report_traffic_json(const haul_traffic *traffic) {
    json_t *object = json_object();
    for (size_t i = 0; i < FIELDS; i++) {
        uint64_t value;
        memcpy(&value, (const char *)traffic + fields[i].offset, sizeof value);
        if (value) json_object_set_new(object, fields[i].name, json_integer((json_int_t)value));
    }
    return object;
}

void report_traffic_read(const json_t *object, haul_traffic *traffic) {
    haul_traffic more = {0};
    for (size_t i = 0; i < FIELDS; i++) {
        const json_int_t number = json_integer_value(json_object_get(object, fields[i].name));
        const uint64_t value = number > 0 ? (uint64_t)number : 0;
        memcpy((char *)&more + fields[i].offset, &value, sizeof value);
    }
    haul_traffic_add(traffic, &more);
}

haul_memory_class report_class_find(const char *name) {
    for (int i = 1; i < HAUL_CLASS_COUNT; i++)
        if (strcmp(haul_class_names[i], name) == 0) return (haul_memory_class)i;
    return HAUL_CLASS_NONE;
}
