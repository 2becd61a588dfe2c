#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool number_u64(const char *s, uint64_t *value) {
    if (!isdigit((unsigned char)*s)) return false;
    bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    if (hex && !isxdigit((unsigned char)s[2])) return false;
    char *end;
    errno = 0;
    unsigned long long v = strtoull(s, &end, hex ? 16 : 10);
    if (errno || *end) return false;
    *value = v;
    return true;
}

bool number_i64(const char *s, int64_t *value) {
    bool negative = *s == '-';
    uint64_t magnitude;
    if (!number_u64(s + negative, &magnitude)) return false;
    if (magnitude > (uint64_t)INT64_MAX + negative) return false;
    *value = (int64_t)(negative ? 0 - magnitude : magnitude);
    return true;
}

bool number_f64(const char *s, double *value) {
    if (!*s || isspace((unsigned char)*s)) return false;
    char *end;
    double v = strtod(s, &end);
    if (*end) return false;
    *value = v;
    return true;
}

bool number_size(const char *s, uint64_t *value) {
    char *end;
    if (!isdigit((unsigned char)*s)) return false;
    double v = strtod(s, &end);
    static const char suffixes[] = "KMGT";
    const char *suffix = *end ? strchr(suffixes, toupper((unsigned char)*end)) : NULL;
    if (suffix) {
        v = ldexp(v, 10 * (int)(suffix - suffixes + 1));
        end++;
    }
    if (strcmp(end, "iB") == 0 || strcmp(end, "B") == 0) end += strlen(end);
    if (*end || !(v >= 0 && v < 0x1p63) || v != floor(v)) return false;
    *value = (uint64_t)v;
    return true;
}

const char *number_format_bytes(double bytes, char out[32]) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    while (bytes >= 1024 && unit < 4) bytes /= 1024, unit++;
    snprintf(out, 32, unit ? "%.2f %s" : "%.0f %s", bytes, units[unit]);
    return out;
}

const char *number_format_count(uint64_t count, char out[32]) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count), at = 0;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}
