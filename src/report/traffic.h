/* A haul_traffic by the names of its fields, for JSON. */
#ifndef HAUL_REPORT_TRAFFIC_H
#define HAUL_REPORT_TRAFFIC_H

#include <haul/run.h>
#include <jansson.h>

/* The fields that are not 0; the caller owns the object. NULL without memory. */
json_t *report_traffic_json(const haul_traffic *traffic);
/* Adds an object's fields; those that are no numbers above 0 count as 0. */
void report_traffic_read(const json_t *object, haul_traffic *traffic);

/* The class with this name of haul_class_names; HAUL_CLASS_NONE if there is none. */
haul_memory_class report_class_find(const char *name);

#endif
