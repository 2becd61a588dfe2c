/* Findings about calls of the program, as records that reports, rules and files treat like those of kernels. */
#ifndef HAUL_STANDIN_RUNTIME_CALL_FINDING_H
#define HAUL_STANDIN_RUNTIME_CALL_FINDING_H

#include "standin/runtime/caller.h"

#include <haul/run.h>

typedef struct standin_finding_end {
    standin_caller caller; /* a function of NULL: "a call" */
    haul_action action;    /* NONE: there is no such end */
} standin_finding_end;

typedef struct standin_call_finding {
    haul_finding_kind kind;
    bool is_advice;            /* not of the kind's own grade */
    const char *what, *object; /* object: NULL for none */
    standin_finding_end call, earlier;
    uint64_t address, bytes;
} standin_call_finding;

/* Passes it to the check. Without memory it is lost. */
void standin_report_call_finding(const standin_call_finding *finding);

#endif
