/* Whether a rule's scope contains a kernel or a place.
 *
 * Rules of files have patterns; those of comments have exact names (`exact`), since brackets and stars may be part of
 * them. */
#include "report/check/scope.h"

#include "base/mangled.h"

#include <fnmatch.h>
#include <string.h>

static bool is_like(const report_scope *scope, const char *pattern, const char *name) {
    return scope->exact ? strcmp(pattern, name) == 0 : fnmatch(pattern, name, 0) == 0;
}

/* A C++ kernel matches by its symbol or by its plain name without parameters. */
bool report_scope_has_kernel(const report_scope *scope, const char *symbol) {
    if (!scope->kernel || is_like(scope, scope->kernel, symbol)) return true;
    char plain[256];
    size_t length;
    const char *name = mangled_name(symbol, &length);
    if (length >= sizeof plain) return false;
    memcpy(plain, name, length);
    plain[length] = '\0';
    return is_like(scope, scope->kernel, plain);
}

/* A pattern matches the whole path or any of its ends at a slash, so `kernel.cu` matches in any folder. */
static bool has_file(const report_scope *scope, report_sources *sources, const char *file) {
    if (!scope->file) return true;
    if (scope->exact) {
        const char *path = report_source_path(sources, file);
        return path && strcmp(path, scope->file) == 0;
    }
    for (const char *tail = file; tail; tail = strchr(tail, '/')) {
        tail += *tail == '/' && tail != file;
        if (fnmatch(scope->file, tail, 0) == 0) return true;
    }
    return false;
}

/* The line is compared first, because that is cheaper. */
bool report_scope_has_place(const report_scope *scope, report_sources *sources, const haul_source_place *place) {
    for (; place; place = place->inlined_into) {
        if (!place->file) continue;
        bool in_lines = !scope->first || (place->line >= scope->first && place->line <= scope->last);
        if (in_lines && has_file(scope, sources, place->file)) return true;
    }
    return false;
}
