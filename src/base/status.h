/* Recording of failures in haul's own functions. */
#ifndef HAUL_BASE_STATUS_H
#define HAUL_BASE_STATUS_H

#include <haul/status.h>
#include <stdarg.h>

/* Records the calling thread's message (cut at 1 KiB, control characters become spaces) and returns `status`, so that
 * `return haul_fail(HAUL_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));` reads as one step. */
haul_status haul_fail(haul_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
haul_status haul_vfail(haul_status status, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));

/* Fails with "the host has no memory for WHAT", WHAT being a noun: "the report". */
haul_status haul_no_memory(const char *what);

/* Prefixes the recorded message with `where: `, so that an outer function adds what the inner one did not know. */
haul_status haul_fail_in(haul_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the status of a failing call to the caller. */
#define HAUL_TRY(call)                                  \
    do {                                                \
        haul_status try_status_ = (call);               \
        if (try_status_ != HAUL_OK) return try_status_; \
    } while (0)

#endif
