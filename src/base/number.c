/* Numbers as users write and read them. Parsing takes the whole string or fails: strtoull() would accept blanks, signs
 * and trailing letters. */
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

/* The smallest number has a magnitude that no positive one has. */
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
    errno = 0;
    double v = strtod(s, &end);
    if (*end || (errno == ERANGE && isinf(v))) return false;
    *value = v;
    return true;
}

/* The power of two of a suffix (0 for none), or -1 for an unknown one; "B" or "iB" may follow it. */
static int suffix_shift(const char *s) {
    static const char letters[] = "KMGT";
    const char *letter = *s ? strchr(letters, toupper((unsigned char)*s)) : NULL;
    if (letter) s++;
    if (*s && strcmp(s, "B") != 0 && !(letter && strcmp(s, "iB") == 0)) return -1;
    return letter ? 10 * (int)(letter - letters + 1) : 0;
}

/* A fraction must come out as whole bytes: 1.5K is one, 0.3K is none. */
bool number_size(const char *s, uint64_t *value) {
    size_t digits = strspn(s, "0123456789"), fraction = s[digits] == '.' ? strspn(s + digits + 1, "0123456789") : 0;
    int shift = suffix_shift(s + digits + (fraction ? fraction + 1 : 0));
    if (!digits || shift < 0) return false;
    errno = 0;
    uint64_t whole = strtoull(s, NULL, 10);
    double part = fraction ? ldexp(strtod(s + digits, NULL), shift) : 0;
    if (errno || whole > (UINT64_MAX >> shift) || part != floor(part)) return false;
    *value = (whole << shift) + (uint64_t)part;
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
