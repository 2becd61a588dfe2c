/* Implements lib/tune/formula.h: a recursive-descent parser that computes while it reads, with a function for each
 * level of precedence. Formulas are short and each is evaluated once for a variant, so no tree is kept. Every operation
 * checks for overflow; a wrong grid would be worse than an error. */
#include "lib/tune/formula.h"

#include "base/nearest.h"
#include "base/status.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* DEEPEST: nested parentheses and functions, so that a formula cannot exhaust the stack */
enum { DEEPEST = 64, MOST_NAMES = 64, LONGEST_NAME = 63 };

/* The parser's state. */
typedef struct reader {
    const char *what, *formula, *at; /* what: for messages; at: what comes next */
    const formula_name *names;
    size_t count;
    unsigned depth;
} reader;

/* Fails with the whole formula. */
static haul_status wrong(const reader *r, const char *why) {
    return haul_fail(HAUL_ERROR_ARGUMENT, "%s: `%s`: %s", r->what, r->formula, why);
}

static void skip_blanks(reader *r) {
    while (isspace((unsigned char)*r->at)) r->at++;
}

/* Skips `token` if it comes next. */
static bool take(reader *r, const char *token) {
    skip_blanks(r);
    size_t length = strlen(token);
    if (strncmp(r->at, token, length) != 0) return false;
    r->at += length;
    return true;
}

/* Fails for something that should stand at r->at. */
static haul_status missing(const reader *r, const char *wanted) {
    if (!*r->at)
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: `%s`: %s is missing at its end", r->what, r->formula, wanted);
    return haul_fail(HAUL_ERROR_ARGUMENT, "%s: `%s`: %s is missing before `%s`", r->what, r->formula, wanted, r->at);
}

/* Skips `token`, which must come next. */
static haul_status need(reader *r, const char *token) {
    char quoted[8];
    if (take(r, token)) return HAUL_OK;
    snprintf(quoted, sizeof quoted, "`%s`", token);
    return missing(r, quoted);
}

/* ---- arithmetic ---- */

/* An error if the operation before it overflowed. */
static haul_status overflow(const reader *r, bool too_large) {
    return too_large ? wrong(r, "the number gets too large") : HAUL_OK;
}

/* INT64_MIN / -1 overflows, and INT64_MIN % -1 is undefined in C. */
static haul_status divide(const reader *r, char operation, int64_t *a, int64_t b) {
    if (b == 0) return wrong(r, "divides by zero");
    if (operation == '%') {
        *a = b == -1 ? 0 : *a % b;
        return HAUL_OK;
    }
    if (b == -1) return overflow(r, __builtin_sub_overflow(0, *a, a));
    *a /= b;
    return HAUL_OK;
}

/* *a becomes *a OPERATION b. */
static haul_status apply(const reader *r, char operation, int64_t *a, int64_t b) {
    switch (operation) {
    case '+': return overflow(r, __builtin_add_overflow(*a, b, a));
    case '-': return overflow(r, __builtin_sub_overflow(*a, b, a));
    case '*': return overflow(r, __builtin_mul_overflow(*a, b, a));
    default: return divide(r, operation, a, b);
    }
}

/* ---- terms ---- */

/* Parentheses and functions contain whole conditions again. */
static haul_status read_condition(reader *r, int64_t *value);

/* Reads digits and K, M or G. */
static haul_status read_number(reader *r, int64_t *value) {
    static const char suffixes[] = "KMG";
    *value = 0;
    while (isdigit((unsigned char)*r->at)) {
        HAUL_TRY(apply(r, '*', value, 10));
        HAUL_TRY(apply(r, '+', value, *r->at++ - '0'));
    }
    const char *suffix = *r->at ? strchr(suffixes, *r->at) : NULL;
    if (!suffix) return HAUL_OK;
    r->at++;
    return apply(r, '*', value, INT64_C(1) << 10 * (suffix - suffixes + 1));
}

/* "(a, b)" after a function's name. */
static haul_status read_pair(reader *r, int64_t *a, int64_t *b) {
    HAUL_TRY(need(r, "("));
    HAUL_TRY(read_condition(r, a));
    HAUL_TRY(need(r, ","));
    HAUL_TRY(read_condition(r, b));
    return need(r, ")");
}

/* The function ceil. */
static haul_status round_up(const reader *r, int64_t *a, int64_t b) {
    if (b <= 0) return wrong(r, "ceil divides by what is not above zero");
    HAUL_TRY(apply(r, '+', a, b - 1));
    return divide(r, '/', a, b);
}

/* Fails with the nearest name, or if the name has no number. */
static haul_status find_name(const reader *r, const char *name, int64_t *value) {
    const char *names[MOST_NAMES];
    size_t count = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (count < MOST_NAMES) names[count++] = r->names[i].name;
        if (strcmp(r->names[i].name, name) != 0) continue;
        *value = r->names[i].value;
        if (!r->names[i].unknown) return HAUL_OK;
        return haul_fail(HAUL_ERROR_ARGUMENT, "%s: `%s`: %s has no number here", r->what, r->formula, name);
    }
    const char *near = nearest_name(name, names, count);
    return haul_fail(HAUL_ERROR_ARGUMENT, "%s: `%s`: there is no %s%s%s%s", r->what, r->formula, name,
                     near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
}

/* Reads a name, or a function with its arguments. */
static haul_status read_word(reader *r, int64_t *value) {
    char name[LONGEST_NAME + 1];
    size_t length = 0;
    while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_') length++;
    if (length > LONGEST_NAME) return wrong(r, "a name is too long");
    memcpy(name, r->at, length);
    name[length] = '\0';
    r->at += length;
    int64_t other;
    if (strcmp(name, "ceil") == 0) {
        HAUL_TRY(read_pair(r, value, &other));
        return round_up(r, value, other);
    }
    const bool least = strcmp(name, "min") == 0;
    if (!least && strcmp(name, "max") != 0) return find_name(r, name, value);
    HAUL_TRY(read_pair(r, value, &other));
    if (least ? other < *value : other > *value) *value = other;
    return HAUL_OK;
}

/* A number, a name, a function, or a condition in parentheses. There is no sign: write 0 - n. */
static haul_status read_primary(reader *r, int64_t *value) {
    skip_blanks(r);
    if (isdigit((unsigned char)*r->at)) return read_number(r, value);
    if (isalpha((unsigned char)*r->at) || *r->at == '_') return read_word(r, value);
    if (!take(r, "(")) return missing(r, "a number or a name");
    HAUL_TRY(read_condition(r, value));
    return need(r, ")");
}

/* * / % from left to right. */
static haul_status read_product(reader *r, int64_t *value) {
    HAUL_TRY(read_primary(r, value));
    for (skip_blanks(r); *r->at && strchr("*/%", *r->at); skip_blanks(r)) {
        int64_t other;
        const char operation = *r->at++;
        HAUL_TRY(read_primary(r, &other));
        HAUL_TRY(apply(r, operation, value, other));
    }
    return HAUL_OK;
}

/* + and - from left to right. */
static haul_status read_sum(reader *r, int64_t *value) {
    HAUL_TRY(read_product(r, value));
    for (skip_blanks(r); *r->at == '+' || *r->at == '-'; skip_blanks(r)) {
        int64_t other;
        const char operation = *r->at++;
        HAUL_TRY(read_product(r, &other));
        HAUL_TRY(apply(r, operation, value, other));
    }
    return HAUL_OK;
}

/* One comparison: a < b < c is refused as a rest that cannot be read. Longer operators come first in the table. */
static haul_status read_comparison(reader *r, int64_t *value) {
    static const char *const operators[] = {"<=", ">=", "==", "!=", "<", ">"};
    HAUL_TRY(read_sum(r, value));
    for (unsigned i = 0; i < 6; i++) {
        int64_t b, a = *value;
        if (!take(r, operators[i])) continue;
        HAUL_TRY(read_sum(r, &b));
        const bool holds[] = {a <= b, a >= b, a == b, a != b, a<b, a> b};
        *value = holds[i];
        break;
    }
    return HAUL_OK;
}

/* Comparisons joined by &&. Both sides are evaluated, so an error on either side is one. */
static haul_status read_condition(reader *r, int64_t *value) {
    if (++r->depth > DEEPEST) return wrong(r, "is nested too deeply");
    HAUL_TRY(read_comparison(r, value));
    while (take(r, "&&")) {
        int64_t other;
        HAUL_TRY(read_comparison(r, &other));
        *value = *value && other;
    }
    r->depth--;
    return HAUL_OK;
}

/* The whole text must be one formula. */
haul_status formula_evaluate(const char *what, const char *formula, const formula_name *names, size_t count,
                             int64_t *value) {
    reader r = {what, formula, formula, names, count, 0};
    HAUL_TRY(read_condition(&r, value));
    skip_blanks(&r);
    if (!*r.at) return HAUL_OK;
    return haul_fail(HAUL_ERROR_ARGUMENT, "%s: `%s`: cannot be read from `%s` on", what, formula, r.at);
}

/* Whole names only: THREADS does not occur in DMA_THREADS. */
bool formula_has(const char *formula, const char *name) {
    size_t length = strlen(name);
    for (const char *at = formula; (at = strstr(at, name)) != NULL; at += length) {
        const bool begins = at == formula || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && !isalnum((unsigned char)at[length]) && at[length] != '_') return true;
    }
    return false;
}
