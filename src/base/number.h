/* Numbers and sizes: parsing of what users type, and formatting. */
#ifndef HAUL_BASE_NUMBER_H
#define HAUL_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parse whole strings; unsigned ones take no sign. Return false on anything else and on overflow. */
bool number_u64(const char *s, uint64_t *value); /* decimal, or 0x hexadecimal */
bool number_i64(const char *s, int64_t *value);
bool number_f64(const char *s, double *value);
/* A count of bytes with an optional binary suffix: 4096, 64K, 1.5M, 2G, 1GiB. */
bool number_size(const char *s, uint64_t *value);

/* `value` rounded up to a multiple of `unit`; 0 and 1 leave it as it is. */
static inline uint64_t number_align(uint64_t value, uint64_t unit) {
    return unit > 1 ? (value + unit - 1) / unit * unit : value;
}

/* 1536 -> "1.50 KiB"; returns `out`. */
const char *number_format_bytes(double bytes, char out[32]);
/* 1234567 -> "1,234,567"; returns `out`. */
const char *number_format_count(uint64_t count, char out[32]);

#endif
