/* The report of a transfer's diagnosis: tables and advice. */
#ifndef HAUL_REPORT_DIAGNOSIS_H
#define HAUL_REPORT_DIAGNOSIS_H

#include "report/document.h"

#include <haul/diagnose.h>
#include <jansson.h>

void report_add_diagnosis(report_document *document, const char *name, const haul_diagnosis *d);

/* The same as one JSON object, with the traffic by class; the caller owns `*json`. */
haul_status report_diagnosis_json(const haul_diagnosis *d, json_t **json);

#endif
