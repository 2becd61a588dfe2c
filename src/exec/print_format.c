/* printf() of device code: reads the format and its arguments from device memory and writes the text.
 *
 * The format is copied first and then walked: plain text is appended, a conversion is parsed, checked, rewritten for
 * the host's printf and given to it. No text of the kernel's is a format of the host's printf, so it cannot make that
 * read missing arguments. All memory is read through sim_lane_view(), which knows the memory that a lane may read.
 * Other addresses are errors of the kernel.
 *
 * `%.*f` is printed as an H100 does: see put_conversion(). */
#include "exec/print_format.h"

#include "exec/access.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The state of one call. */
typedef struct formatter {
    const sim_warp *warp;
    unsigned lane;
    uint64_t list; /* address of the next argument */
    unsigned used; /* arguments */
    text *out;
    char *why;
} formatter;

/* %[flags][width][.precision][size]kind */
typedef struct conversion {
    const char *from, *end; /* in the format, including the % */
    bool minus, plus, space, sharp, zero;
    bool width_argument, precision_argument;
    int64_t width, precision; /* defaults 0 and -1: none */
    char size;                /* 0; 'h', 'c' for hh; 'l' for all sizes of 64 bits */
    char kind;
} conversion;

/* Sets the message of an error; returns false. */
__attribute__((format(printf, 2, 3))) static bool wrong(formatter *f, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->why, SIM_PRINT_WHY, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- device memory ---- */

/* Appends the string at `address`, at most `most` bytes. It is copied before the search for its end, since other SMs
 * may be writing to it. */
static bool copy_string(formatter *f, uint64_t address, uint64_t most, const char *what, text *to) {
    uint64_t reach = 0;
    const unsigned char *bytes = sim_lane_view(f->warp, f->lane, address, &reach);
    if (!bytes) return wrong(f, "printf: %s at 0x%llx is outside of all memory", what, (unsigned long long)address);
    const uint64_t longest = most < SIM_PRINT_STRING ? most : SIM_PRINT_STRING;
    const uint64_t from = to->length;
    const unsigned char *zero = memchr(bytes, 0, reach < longest ? reach : longest);
    if (!zero && (most > SIM_PRINT_STRING || reach < most))
        return wrong(f, "printf: %s at 0x%llx has no terminating zero", what, (unsigned long long)address);
    text_append(to, (const char *)bytes, zero ? (size_t)(zero - bytes) : (size_t)longest);
    if (to->failed) return wrong(f, "printf: the host has no memory for %s", what);
    to->length = from + strlen(to->bytes + from);
    return true;
}

/* Takes the next argument of that many bytes, which is also its alignment. Returns false if it is not in memory. */
static bool take(formatter *f, unsigned bytes, uint64_t *value) {
    uint64_t at = (f->list + bytes - 1) & ~(uint64_t)(bytes - 1), reach = 0;
    const unsigned char *from = sim_lane_view(f->warp, f->lane, at, &reach);
    f->used++;
    if (!from || reach < bytes)
        return wrong(f, "printf: argument %u is outside of all memory: %u bytes at 0x%llx", f->used, bytes,
                     (unsigned long long)at);
    *value = 0;
    memcpy(value, from, bytes);
    f->list = at + bytes;
    return true;
}

static bool take_int(formatter *f, int64_t *value) {
    uint64_t bits;
    if (!take(f, 4, &bits)) return false;
    *value = (int32_t)(uint32_t)bits;
    return true;
}

/* ---- reading a conversion ---- */

/* Read a part of a conversion at p; return the end of it. Numbers stop growing beyond what is allowed. */
static const char *read_flags(const char *p, conversion *c) {
    for (;; p++) switch (*p) {
        case '-': c->minus = true; break;
        case '+': c->plus = true; break;
        case ' ': c->space = true; break;
        case '#': c->sharp = true; break;
        case '0': c->zero = true; break;
        default: return p;
        }
}

static const char *read_number(const char *p, bool *argument, int64_t *value) {
    *argument = *p == '*';
    if (*argument) return p + 1;
    for (*value = 0; *p >= '0' && *p <= '9'; p++)
        if (*value <= SIM_PRINT_FIELD) *value = *value * 10 + (*p - '0');
    return p;
}

/* Sizes of 64 bits are one here: device code has 64-bit long, size_t and so on. */
static const char *read_size(const char *p, char *size) {
    *size = 0;
    switch (*p) {
    case 'h': *size = p[1] == 'h' ? 'c' : 'h'; return p[1] == 'h' ? p + 2 : p + 1;
    case 'l': *size = 'l'; return p[1] == 'l' ? p + 2 : p + 1;
    case 'j':
    case 'z':
    case 't': *size = 'l'; return p + 1;
    default: return p;
    }
}

static bool is_floating(char kind) {
    return kind && strchr("aAeEfFgG", kind);
}

/* `p` points at the %. Returns false if device code has no such conversion: %n and wide characters, for example. */
static bool read_conversion(formatter *f, const char *p, conversion *c) {
    *c = (conversion){.from = p, .precision = -1};
    p = read_number(read_flags(p + 1, c), &c->width_argument, &c->width);
    if (*p == '.') p = read_number(p + 1, &c->precision_argument, &c->precision);
    p = read_size(p, &c->size);
    c->kind = *p;
    c->end = *p ? p + 1 : p;
    bool wide = c->size == 'l' && (c->kind == 'c' || c->kind == 's');
    if (!c->kind || !strchr("aAcdeEfFgGiopsuxX%", c->kind) || wide)
        return wrong(f, "printf: '%.*s' is not a conversion of printf() in device code",
                     c->end - c->from < 32 ? (int)(c->end - c->from) : 32, c->from);
    return true;
}

/* Reads width and precision that are arguments. A negative width means the flag `-`, a negative precision none, as in
 * C. */
static bool take_fields(formatter *f, conversion *c) {
    if (c->width_argument && !take_int(f, &c->width)) return false;
    if (c->precision_argument && !take_int(f, &c->precision)) return false;
    if (c->width < 0) {
        c->minus = true;
        c->width = -c->width;
    }
    if (c->precision < 0) c->precision = -1;
    if (c->width <= SIM_PRINT_FIELD && c->precision <= SIM_PRINT_FIELD) return true;
    return wrong(f, "printf: a field or precision of more than %d characters", SIM_PRINT_FIELD);
}

/* ---- writing ---- */

/* Writes the conversion in the host's printf syntax, with `size` before its kind. */
static void host_format(const conversion *c, const char *size, char out[48]) {
    const bool number = !strchr("csp", c->kind);
    char precision[24] = "", width[24] = "";
    if (c->width) snprintf(width, sizeof width, "%d", (int)c->width);
    if (number && c->precision >= 0) snprintf(precision, sizeof precision, ".%d", (int)c->precision);
    snprintf(out, 48, "%%%s%s%s%s%s%s%s%s%c", c->minus ? "-" : "", number && c->plus ? "+" : "",
             number && c->space ? " " : "", number && c->sharp ? "#" : "", number && c->zero ? "0" : "", width,
             precision, size, c->kind);
}

/* C passes narrow integers as int; their size says how many bits count. */
static long long signed_value(char size, uint64_t bits) {
    switch (size) {
    case 'l': return (long long)bits;
    case 'h': return (int16_t)bits;
    case 'c': return (int8_t)bits;
    default: return (int32_t)bits;
    }
}

static unsigned long long unsigned_value(char size, uint64_t bits) {
    switch (size) {
    case 'l': return bits;
    case 'h': return (uint16_t)bits;
    case 'c': return (uint8_t)bits;
    default: return (uint32_t)bits;
    }
}

/* Writes a string. It need not end within the precision. */
static bool put_string(formatter *f, const conversion *c, uint64_t address) {
    char format[48];
    text string = {0};
    host_format(c, "", format);
    bool good = true;
    if (address)
        good = copy_string(f, address, c->precision < 0 ? UINT64_MAX : (uint64_t)c->precision, "a string", &string);
    else
        text_append(&string, "(null)", c->precision >= 0 && c->precision < 6 ? (size_t)c->precision : 6);
    if (good) text_printf(f->out, format, text_string(&string));
    text_free(&string);
    return good;
}

/* Takes the argument and writes it. */
static bool put_value(formatter *f, const conversion *c) {
    const bool is_64 = is_floating(c->kind) || c->kind == 's' || c->kind == 'p' || c->size == 'l';
    char format[48];
    uint64_t bits;
    double floating;
    if (!take(f, is_64 ? 8 : 4, &bits)) return false;
    memcpy(&floating, &bits, sizeof floating);
    host_format(c, strchr("diouxX", c->kind) ? "ll" : "", format);
    switch (c->kind) {
    case 's': return put_string(f, c, bits);
    case 'c': text_printf(f->out, format, (int)bits); return true;
    case 'p': text_printf(f->out, format, (void *)(uintptr_t)bits); return true;
    case 'd':
    case 'i': text_printf(f->out, format, signed_value(c->size, bits)); return true;
    case 'o':
    case 'u':
    case 'x':
    case 'X': text_printf(f->out, format, unsigned_value(c->size, bits)); return true;
    default: text_printf(f->out, format, floating); return true;
    }
}

/* Writes a conversion. Beyond SIM_PRINT_ARGUMENTS arguments, it is printed as it stands. */
static bool put_conversion(formatter *f, const conversion *c) {
    const unsigned needed = 1u + c->width_argument + c->precision_argument;
    conversion with_fields = *c;
    if (c->kind == '%') {
        text_append(f->out, "%", 1);
        return true;
    }
    const size_t before = f->out->length;
    const bool fits = f->used + needed <= SIM_PRINT_ARGUMENTS;
    if (fits && (!take_fields(f, &with_fields) || !put_value(f, &with_fields))) return false;
    /* An H100 prints `%.*f` unchanged, or random text if arguments follow it. */
    if (fits && !c->precision_argument) return true;
    f->out->length = before;
    text_append(f->out, c->from, (size_t)(c->end - c->from));
    return true;
}

static bool put_all(formatter *f, const char *format) {
    while (*format) {
        const size_t plain = strcspn(format, "%");
        text_append(f->out, format, plain);
        format += plain;
        if (!*format) break;
        conversion c;
        if (!read_conversion(f, format, &c) || !put_conversion(f, &c)) return false;
        format = c.end;
    }
    return true;
}

/* The format is copied, so that it cannot change while it is read. */
bool sim_print_format(const sim_warp *w, unsigned lane, uint64_t format, uint64_t list, text *out, int *result,
                      char why[SIM_PRINT_WHY]) {
    formatter f = {.warp = w, .lane = lane, .list = list, .out = out, .why = why};
    text copy = {0};
    *result = -1;
    if (!format) return true;
    const bool good = copy_string(&f, format, UINT64_MAX, "the format", &copy) && put_all(&f, text_string(&copy));
    *result = (int)f.used;
    text_free(&copy);
    return good;
}
