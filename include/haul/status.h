/* Status codes of every fallible call, and the message that goes with the last failure. */
#ifndef HAUL_STATUS_H
#define HAUL_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Grouped, with fixed numbers: 1xx the caller's arguments, 2xx resources that the machine lacks, 3xx faults of kernels,
 * 4xx the driver. The texts are in src/base/status.def. */
typedef enum haul_status {
    HAUL_OK = 0,
    HAUL_ERROR_ARGUMENT = 100,
    HAUL_ERROR_SYNTAX = 101,
    HAUL_ERROR_UNSUPPORTED = 102,
    HAUL_ERROR_NOT_FOUND = 103,
    HAUL_ERROR_LIMIT = 104,
    HAUL_ERROR_CANCELLED = 105,
    HAUL_ERROR_OUT_OF_MEMORY = 200,
    HAUL_ERROR_FILE = 201,
    HAUL_ERROR_NO_DEVICE = 202,
    HAUL_ERROR_COMPILER = 203,
    HAUL_ERROR_FAULT = 300,
    HAUL_ERROR_TRAP = 301,
    HAUL_ERROR_TIMEOUT = 302,
    HAUL_ERROR_DEADLOCK = 303,
    HAUL_ERROR_DRIVER = 400,
    HAUL_ERROR_INTERNAL = 401,
} haul_status;

/* The library's version: "0.1.0". */
const char *haul_version(void);

/* The code's general text; never NULL. */
const char *haul_status_text(haul_status status);

/* The message of the calling thread's last failed haul call: what, where, what to do, on one line.
 * Valid until the thread's next failing call; empty before the first. */
const char *haul_message(void);

#ifdef __cplusplus
}
#endif
#endif
