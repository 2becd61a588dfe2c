/* The message of the last failure, one for each thread. */
#include "base/status.h"

#include <ctype.h>
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

const char *haul_version(void) {
    return HAUL_VERSION;
}

const char *haul_message(void) {
    return message;
}

/* Input quoted in a message must not break the line or control the terminal. */
static void set_message(const char *text) {
    size_t i = 0;
    for (; text[i] && i < sizeof message - 1; i++) message[i] = iscntrl((unsigned char)text[i]) ? ' ' : text[i];
    message[i] = '\0';
}

/* Formats into a buffer, since the arguments may contain haul_message() itself. */
haul_status haul_vfail(haul_status status, const char *format, va_list arguments) {
    char text[sizeof message];
    vsnprintf(text, sizeof text, format, arguments);
    set_message(text);
    return status;
}

haul_status haul_fail(haul_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    haul_vfail(status, format, arguments);
    va_end(arguments);
    return status;
}

haul_status haul_no_memory(const char *what) {
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "the host has no memory for %s", what);
}

/* Puts the place in front of the message that a function below has set. */
haul_status haul_fail_in(haul_status status, const char *format, ...) {
    char text[2 * sizeof message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof message, format, arguments);
    va_end(arguments);
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, ": %s", message);
    set_message(text);
    return status;
}
