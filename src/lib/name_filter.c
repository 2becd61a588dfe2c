/* Implements lib/name_filter.h: patterns are names, or regular expressions with the prefix `regex:`. An expression is
 * compiled each time it is used. Kernels are matched by name as everywhere (lib/kernel_name.h), and expressions against
 * their declaration. */
#include "lib/name_filter.h"

#include "base/demangle.h"
#include "base/status.h"
#include "lib/kernel_name.h"

#include <regex.h>
#include <string.h>

static const char prefix[] = "regex:";
enum { PREFIX = sizeof prefix - 1 };

static bool is_expression(const char *pattern) {
    return strncmp(pattern, prefix, PREFIX) == 0;
}

haul_status name_filter_check(const char *option, const char *pattern) {
    regex_t compiled;
    char why[128];
    if (!is_expression(pattern)) return HAUL_OK;
    const int failure = regcomp(&compiled, pattern + PREFIX, REG_EXTENDED | REG_NOSUB);
    if (failure) {
        regerror(failure, &compiled, why, sizeof why);
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: `%s` is not a regular expression: %s", option, pattern + PREFIX,
                         why);
    }
    regfree(&compiled);
    return HAUL_OK;
}

/* Whether a part of the name matches. name_filter_check() has found expressions that do not compile; here they match
 * nothing. */
static bool expression_matches(const char *pattern, const char *name) {
    regex_t compiled;
    if (regcomp(&compiled, pattern + PREFIX, REG_EXTENDED | REG_NOSUB) != 0) return false;
    const bool matches = regexec(&compiled, name, 0, NULL, 0) == 0;
    regfree(&compiled);
    return matches;
}

/* No patterns let everything pass. */
bool name_filter_takes(const text_list *patterns, const char *name) {
    for (size_t i = 0; i < patterns->count; i++) {
        const char *pattern = patterns->items[i];
        if (is_expression(pattern) ? expression_matches(pattern, name) : strcmp(pattern, name) == 0) return true;
    }
    return patterns->count == 0;
}

/* Without a demangler the symbol stands for the declaration. */
static bool declaration_matches(const char *pattern, const char *symbol) {
    text line = {0};
    demangle_all(&symbol, 1, &line);
    if (line.length && line.bytes[line.length - 1] == '\n') line.bytes[--line.length] = '\0';
    const bool matches = expression_matches(pattern, line.length ? text_string(&line) : symbol);
    text_free(&line);
    return matches;
}

bool name_filter_takes_kernel(const text_list *patterns, const char *symbol) {
    size_t found;
    for (size_t i = 0; i < patterns->count; i++) {
        const char *pattern = patterns->items[i];
        if (is_expression(pattern) ? declaration_matches(pattern, symbol)
                                   : kernel_name_find(pattern, &symbol, 1, &found))
            return true;
    }
    return patterns->count == 0;
}
