#include "base/status.h"

#include <stdio.h>
#include <string.h>

static _Thread_local char message[1024];

#define STATUS(name, value, text) _Static_assert(HAUL_##name == (value), "status.h and status.def differ");
#include "base/status.def"
#undef STATUS

const char *haul_status_text(haul_status status) {
    switch (status) {
#define STATUS(name, value, text) \
    case HAUL_##name:             \
        return text;
#include "base/status.def"
#undef STATUS
    }
    return "unknown status";
}

const char *haul_message(void) {
    return message;
}

haul_status haul_vfail(haul_status status, const char *format, va_list arguments) {
    vsnprintf(message, sizeof message, format, arguments);
    for (char *c = message; *c; c++)
        if (*c == '\n' || *c == '\r') *c = ' ';
    return status;
}

haul_status haul_fail(haul_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    haul_vfail(status, format, arguments);
    va_end(arguments);
    return status;
}

haul_status haul_fail_in(haul_status status, const char *format, ...) {
    char inner[sizeof message];
    memcpy(inner, message, sizeof inner);
    va_list arguments;
    va_start(arguments, format);
    haul_vfail(status, format, arguments);
    va_end(arguments);
    size_t used = strlen(message);
    snprintf(message + used, sizeof message - used, ": %s", inner);
    return status;
}
