/* The rows of src/machine/mufu.c from what record.cu recorded: prints the file.
 *     cc -O2 -o fit fit.c -lm && ./fit FOLDER >mufu.c
 * A slice's results say, each, between which two integers the sum value + slope * x + bend * square lay that was cut
 * off. Slopes and bends near the derivatives are tried; there is one pair with which all of a slice's intervals have a
 * value in common that the table can hold. A slice with none or several is an error. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct curve {
    const char *name, *title;
    unsigned slices, recorded; /* arguments */
    unsigned bits;             /* of an argument below the slice's number */
    unsigned point, cut;       /* bits of the sum's fraction, and of those that the result does not have */
    unsigned doubled, shift;   /* the argument before it is squared, and the square, times a power of two */
    unsigned scale;            /* of the value */
    int64_t bias;              /* added before the sum is cut */
    double (*slope)(double), (*bend)(double); /* f' and f'' / 2 */
    double from, width;                       /* of the first slice */
    unsigned octave;                          /* tanh: which one of the record */
} curve;

typedef struct sample {
    uint32_t x;
    int64_t square, low, high;
} sample;

typedef struct slice {
    sample *samples;
    size_t count;
} slice;

enum { MOST_SLICES = 128, MOST_SAMPLES = 1 << 20 };

static double rcp_slope(double x) {
    return -1 / (x * x);
}
static double rcp_bend(double x) {
    return 1 / (x * x * x);
}
static double rsq_slope(double x) {
    return -0.5 * pow(x, -1.5);
}
static double rsq_bend(double x) {
    return 0.375 * pow(x, -2.5);
}
static double sqrt_slope(double x) {
    return 0.5 * pow(x, -0.5);
}
static double sqrt_bend(double x) {
    return -0.125 * pow(x, -1.5);
}
static double ex2_slope(double x) {
    return log(2) * exp2(x - 1);
}
static double ex2_bend(double x) {
    return log(2) * log(2) / 2 * exp2(x - 1);
}
static double lg2_slope(double x) {
    return 1 / (x * log(2));
}
static double lg2_bend(double x) {
    return -0.5 / (x * x * log(2));
}
static double sin_slope(double x) {
    return M_PI_2 * cos(M_PI_2 * x);
}
static double tanh_slope(double x) {
    return 1 - tanh(x) * tanh(x);
}
static double tanh_bend(double x) {
    return -tanh(x) * tanh_slope(x);
}
static double sin_bend(double x) {
    return -M_PI_2 * M_PI_2 / 2 * sin(M_PI_2 * x);
}

static const curve curves[] = {
    {"rcp", "1/x for x from 1 to 2", 128, 1 << 23, 16, 39, 15, 1, 0, 13, 0x47e7, rcp_slope, rcp_bend, 1, 1 / 128.0, 0},
    {"rsq", "1/sqrt(x) for x from 1 to 2, then from 2 to 4", 128, 1 << 24, 17, 40, 16, 0, 2, 14, 0x7fff, rsq_slope,
     rsq_bend, 1, 1 / 64.0, 0},
    {"sqrt", "sqrt(x) for x from 1 to 2, then from 2 to 4", 128, 1 << 24, 17, 40, 17, 0, 1, 14, 0x7fff, sqrt_slope,
     sqrt_bend, 1, 1 / 64.0, 0},
    {"ex2", "2^x / 2 for x from 0 to 1", 64, 1 << 23, 17, 39, 15, 0, 0, 13, 0x77e2, ex2_slope, ex2_bend, 0, 1 / 64.0,
     0},
    {"lg2", "log2(x) for x from 1 to 2", 64, 1 << 23, 17, 38, 2, 0, 1, 12, 0x7345, lg2_slope, lg2_bend, 1, 1 / 64.0, 0},
    {"sin", "sin(x) for x from 0 to pi/2", 64, 3 << 23, 17, 37, 0, 0, 0, 11, 0, sin_slope, sin_bend, 0, 1 / 64.0, 0},
};

/* tanh has slices of its own for each octave from 2^-8 on: how many, and the bits of the sum's fraction. */
enum { OCTAVES = 11, TANH_ROWS = 51 };
static const unsigned octaves[OCTAVES][2] = {{1, 41}, {1, 40}, {1, 39}, {2, 39},  {2, 38}, {4, 38},
                                             {4, 37}, {4, 36}, {8, 37}, {16, 39}, {8, 37}};

_Noreturn static void fail(const char *name, const char *what) {
    fprintf(stderr, "fit: %s: %s\n", name, what);
    exit(1);
}

/* As src/lower/mufu.def has it. */
static int64_t square_of(uint32_t x) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < 17; i++)
        if (x >> i & 1) sum += x >> (18 - i);
    return sum >> 1;
}

/* Gets the sine's argument in quarters of a turn, times 2^23; returns false if that is not exact. */
static bool quarters_of(uint32_t bits, uint32_t *quarters) {
    const double x = ldexp(1.0 + (bits & 0x7fffff) * 0x1p-23, (int)(bits >> 23) - 127);
    const double turns = x * (double)0x1.45f306p-3f, unit = ldexp(1.0, ilogb(turns) - 23);
    const double fixed = floor(turns / unit) * unit * 0x1p25;
    *quarters = (uint32_t)fixed;
    return fixed == floor(fixed);
}

static bool is_named(const curve *c, const char *name) {
    return strcmp(c->name, name) == 0;
}

/* Where argument number i of the record lies in the table's interval; false: of no use. */
static bool place_of(const curve *c, uint32_t i, uint32_t *place) {
    *place = i;
    if (is_named(c, "tanh")) { /* every fourth number is recorded; bits below the slice's 17 do not count */
        *place = (i & 0x1fffff) / (0x200000 / c->slices >> c->bits);
        return i >> 21 == c->octave;
    }
    if (!is_named(c, "sin")) return true;
    if (!quarters_of(0x3f800000 + i, place)) return false;
    *place = (*place >> 23 & 1 ? ~*place : *place) & 0x7fffff;
    return true;
}

/* The integers that the result may have been cut from. Logarithms, sines and hyperbolic tangents are cut to 24 bits, so
 * there are as many integers as the bits that were cut allow. Other results are cut at one place. */
static bool interval_of(const curve *c, uint32_t bits, sample *s) {
    const int exponent = (int)(bits >> 23 & 255) - 127 - (c->name[0] == 'e' ? 2 : 0),
              lost = (int)c->point - 23 + exponent;
    const int64_t significand = (bits & 0x7fffff) | 0x800000;
    const int64_t width = INT64_C(1) << (c->cut > 2 ? (int)c->cut : lost > (int)c->cut ? lost : (int)c->cut);
    if (lost < 0 || !(bits & 0x7fffffff)) return false;
    s->low = significand << lost;
    s->high = s->low + width - 1;
    return true;
}

static void read_samples(const curve *c, const char *folder, slice *slices) {
    char path[4096];
    uint32_t *words = malloc(c->recorded * sizeof *words);
    snprintf(path, sizeof path, "%s/%s", folder, c->name);
    FILE *file = fopen(path, "rb");
    if (!file || !words || fread(words, sizeof *words, c->recorded, file) != c->recorded) fail(path, "cannot be read");
    for (uint32_t i = 0; i < c->recorded; i++) {
        uint32_t place;
        sample s;
        if (!place_of(c, i, &place) || !interval_of(c, words[i], &s)) continue;
        if (place == 0 && c->slices == 128 && c->bits == 17) continue; /* roots of 1 are 1 */
        slice *to = &slices[place >> c->bits];
        if (to->count == MOST_SAMPLES) continue;
        s.x = place & ((1u << c->bits) - 1);
        s.square = square_of(s.x << c->doubled) << c->shift;
        to->samples[to->count++] = s;
    }
    fclose(file);
    free(words);
}

/* The table's value that all samples allow with this slope and bend; INT64_MIN: none. */
static int64_t value_for(const curve *c, const slice *s, int64_t slope, int64_t bend) {
    static const size_t steps[] = {1009, 1}; /* a few first: most pairs are wrong */
    int64_t low = INT64_MIN, high = INT64_MAX;
    for (unsigned k = 0; k < 2; k++)
        for (size_t i = 0; i < s->count && low <= high; i += steps[k]) {
            const sample *at = &s->samples[i];
            const int64_t rest = slope * at->x + bend * at->square;
            if (at->low - rest > low) low = at->low - rest;
            if (at->high - rest < high) high = at->high - rest;
        }
    const int64_t unit = INT64_C(1) << c->scale, value = (low - c->bias + unit - 1) >> c->scale;
    return low <= high && value * unit + c->bias <= high ? value : INT64_MIN;
}

/* Near the derivatives in the slice's middle, as they are at its start. */
static void fit_slice(const curve *c, const slice *s, unsigned number) {
    const bool two = c->slices == 128 && c->bits == 17, second = two && number >= 64; /* from 2 to 4 in as many steps */
    const double width = second ? 2 * c->width : c->width;
    const double start = second ? 2 + (number - 64) * width : c->from + number * width, middle = start + width / 2;
    const double unit = ldexp(width, -(int)c->bits), curved = c->bend(middle);
    const int square = 19 - 2 * (int)c->doubled - (int)c->shift;
    const int64_t slope = llround(ldexp((c->slope(middle) - curved * width) * unit, (int)c->point));
    const int64_t bend = llround(ldexp(curved * unit * unit, (int)c->point + square));
    unsigned found = 0;
    for (int64_t b = bend - 60; b <= bend + 60; b++)
        for (int64_t a = slope - 100; a <= slope + 100; a++) {
            const int64_t value = value_for(c, s, a, b);
            if (value == INT64_MIN) continue;
            printf("    {0x%07llx, %lld, %lld},\n", (long long)value, (long long)a, (long long)b);
            found++;
        }
    if (found != 1) fail(c->name, found ? "a slice that several rows fit" : "a slice that no row fits");
}

static void fit_slices(const curve *c, const char *folder) {
    static slice slices[MOST_SLICES];
    for (unsigned i = 0; i < c->slices; i++) {
        slices[i].count = 0;
        if (!slices[i].samples && !(slices[i].samples = malloc(MOST_SAMPLES * sizeof(sample))))
            fail("memory", "the host has not enough");
    }
    read_samples(c, folder, slices);
    for (unsigned i = 0; i < c->slices; i++) fit_slice(c, &slices[i], i);
}

static void fit_tanh(const char *folder) {
    printf("\n/* tanh(x) for x from 2^-8 to 8: octave by octave */\nconst sim_mufu_row sim_mufu_tanh[%d] = {\n",
           TANH_ROWS);
    for (unsigned o = 0; o < OCTAVES; o++) {
        const double from = ldexp(1, (int)o - 8);
        const curve c = {"tanh", "", octaves[o][0], OCTAVES << 21, 17,   octaves[o][1],        0, 0, 1,
                         15,     0,  tanh_slope,    tanh_bend,     from, from / octaves[o][0], o};
        fit_slices(&c, folder);
    }
    printf("};\n");
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: fit FOLDER\n");
        return 2;
    }
    printf("#include \"machine/mufu.h\"\n");
    for (const curve *c = curves; c < curves + sizeof curves / sizeof curves[0]; c++) {
        printf("\n/* %s */\nconst sim_mufu_row sim_mufu_%s[%u] = {\n", c->title, c->name, c->slices);
        fit_slices(c, arguments[1]);
        printf("};\n");
    }
    fit_tanh(arguments[1]);
    return 0;
}
