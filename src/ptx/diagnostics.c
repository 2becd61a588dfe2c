#include "ptx/diagnostics.h"

#include "base/status.h"

void ptx_fail(ptx_diagnostics *d, haul_status status, ptx_position at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    haul_vfail(status, format, arguments);
    va_end(arguments);
    d->status = haul_fail_in(status, "%s:%u:%u", d->name, at.line, at.column);
    longjmp(d->unwind, 1);
}
