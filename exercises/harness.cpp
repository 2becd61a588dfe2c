/* main() of a program that tries an exercise. It writes to RESULTS, a line when a case begins and another when it ends:
 *
 *   {"case": 1, "name": "n = 7", "tag": "small"}
 *   {"case": 1, "right": true, "us": 3.1, "ideal_us": 2.9, "bytes": 56}
 *   {"case": 1, "right": false, "wrong": 7, "of": 7, "first": [0, 0], "got": "nothing", "want": "14", "shape": "all",
 *    "written": false, "zeros": false, "shift": 0, "faults": [{"name": "...", "text": "..."}]}
 *   {"case": 1, "call": "cudaErrorInvalidConfiguration", "text": "invalid configuration argument"}
 *
 * first: row and column. shape: where the wrong results are, from shape_of(). written: whether any of them was written.
 * shift: distance of the values of the wrong ones from their right places, if it is the same for all. */
#include "harness.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BUFFERS = 32, MOST_ROUNDS = 101, MOST_FAULTS = 8, SHIFTS = 1 << 14, SAMPLES = 64 };

static const uint32_t unwritten = 0x7fc0dead; /* a quiet NaN with a payload */

typedef enum buffer_kind { ON_DEVICE, ON_HOST, PINNED } buffer_kind;

static struct {
    FILE *results;
    int number;        /* of the current case */
    int rounds, round; /* wanted rounds; rounds done, -1: not begun */
    bool right, fatal;
    double us[MOST_ROUNDS], ideal_us, bytes;
    cudaEvent_t begin, end;
    void *buffers[MOST_BUFFERS];
    buffer_kind kinds[MOST_BUFFERS];
    int buffer_count;
    char wrong[1024];
    char faults[MOST_FAULTS][512];
    int fault_count;
} state;

/* ---- failed calls ---- */

static void say_call(cudaError_t error) {
    fprintf(state.results, "{\"case\": %d, \"call\": \"%s\", \"text\": \"%s\"}\n", state.number, cudaGetErrorName(error),
            cudaGetErrorString(error));
    fflush(state.results);
    state.right = false;
}

/* After a kernel's fault nothing more can be tried. */
static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    say_call(error);
    fclose(state.results);
    exit(3);
}

/* ---- memory of a case ---- */

static void *keep(void *buffer, buffer_kind kind) {
    if (!buffer || state.buffer_count == MOST_BUFFERS) {
        fprintf(stderr, "harness: no memory, or too many buffers\n");
        exit(4);
    }
    state.kinds[state.buffer_count] = kind;
    return state.buffers[state.buffer_count++] = buffer;
}

static void free_buffers(void) {
    while (state.buffer_count) {
        void *buffer = state.buffers[--state.buffer_count];
        switch (state.kinds[state.buffer_count]) {
        case ON_DEVICE: check(cudaFree(buffer)); break;
        case ON_HOST: free(buffer); break;
        case PINNED: check(cudaFreeHost(buffer)); break;
        }
    }
}

void *exercise_host(size_t bytes) {
    return keep(malloc(bytes ? bytes : 1), ON_HOST);
}

void *exercise_pinned(size_t bytes) {
    void *buffer = NULL;
    check(cudaMallocHost(&buffer, bytes));
    return keep(buffer, PINNED);
}

void *exercise_on_device(const void *values, size_t bytes) {
    void *buffer = NULL;
    check(cudaMalloc(&buffer, bytes));
    check(cudaMemcpy(buffer, values, bytes, cudaMemcpyHostToDevice));
    return keep(buffer, ON_DEVICE);
}

float *exercise_output(size_t count) {
    uint32_t *values = (uint32_t *)malloc(count * 4 + 1);
    for (size_t i = 0; values && i < count; i++) values[i] = unwritten;
    void *buffer = values ? exercise_on_device(values, count * 4) : NULL;
    free(values);
    return (float *)buffer;
}

float *exercise_numbers(size_t count, unsigned limit) {
    uint64_t seed = 0x9e3779b97f4a7c15ull;
    float *values = (float *)exercise_host(count * 4);
    for (size_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        values[i] = (float)((seed >> 32) * limit >> 32);
    }
    return values;
}

/* ---- the call ---- */

static float elapsed(void) {
    float ms = 0;
    check(cudaEventRecord(state.end));
    check(cudaEventSynchronize(state.end));
    check(cudaEventElapsedTime(&ms, state.begin, state.end));
    return ms * 1000;
}

/* A launch that never began does not change the device; the case is over anyway. */
static bool end_round(void) {
    const cudaError_t launched = cudaGetLastError(), done = cudaDeviceSynchronize();
    check(done);
    if (launched != cudaSuccess) say_call(launched);
    if (launched == cudaSuccess) state.us[state.round] = elapsed();
    return launched == cudaSuccess;
}

bool exercise_again(void) {
    if (state.round >= 0 && !end_round()) return false;
    if (++state.round >= state.rounds) return false;
    check(cudaEventRecord(state.begin));
    return true;
}

void exercise_moves(double bytes) {
    state.bytes = bytes;
}

void exercise_ideal(double us) {
    state.ideal_us = us;
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The first of several is not counted: its caches are cold. */
static double median(double *us, int count) {
    if (count > 1) us++, count--;
    qsort(us, (size_t)count, sizeof *us, by_size);
    return us[count / 2];
}

double exercise_time(void (*work)(void *), void *context) {
    double us[MOST_ROUNDS];
    for (int i = 0; i < state.rounds; i++) {
        check(cudaEventRecord(state.begin));
        work(context);
        check(cudaDeviceSynchronize());
        us[i] = elapsed();
    }
    return median(us, state.rounds);
}

typedef struct copied {
    void *to, *from;
    size_t bytes;
} copied;

static void copy(void *context) {
    const copied *c = (const copied *)context;
    check(cudaMemcpyAsync(c->to, c->from, c->bytes, cudaMemcpyDeviceToDevice));
}

/* A copy reads half of the bytes and writes half. */
static double copy_us(void) {
    copied c = {NULL, NULL, (size_t)(state.bytes / 2)};
    check(cudaMalloc(&c.from, c.bytes));
    check(cudaMalloc(&c.to, c.bytes));
    check(cudaMemset(c.from, 0, c.bytes));
    const double us = exercise_time(copy, &c);
    check(cudaFree(c.from));
    check(cudaFree(c.to));
    return us;
}

/* ---- location of wrong results ---- */

typedef struct held {
    const float *got, *want;
    size_t width, height, pitch;
    size_t wrong, first_row, first_column;
    bool written, zeros;
} held;

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static bool is_right(const held *h, size_t row, size_t column) {
    return h->got[row * h->pitch + column] == h->want[row * h->width + column];
}

static void count_wrong(held *h) {
    h->zeros = true;
    for (size_t r = 0; r < h->height; r++) {
        for (size_t c = 0; c < h->width; c++) {
            const float got = h->got[r * h->pitch + c];
            if (is_right(h, r, c)) continue;
            if (!h->wrong++) h->first_row = r, h->first_column = c;
            h->written |= bits_of(got) != unwritten;
            h->zeros &= got == 0;
        }
    }
}

/* Whether the marks lie near multiples of some power of two, with at least two multiples inside. */
static bool at_borders(const char *marks, size_t count) {
    for (size_t period = 4096; period >= 16; period /= 2) {
        size_t residues = 0, borders = 0;
        for (size_t r = 0; r < period && r < count; r++) {
            bool any = false;
            for (size_t i = r; i < count && !any; i += period) any = marks[i];
            residues += any;
        }
        for (size_t b = period; b < count; b += period) {
            bool any = false;
            for (size_t i = b - period / 4; i < b + period / 4 && i < count && !any; i++) any = marks[i];
            borders += any;
        }
        if (residues * 4 <= period && borders >= 2) return true;
    }
    return false;
}

/* The shape of the marks in a row: none, all, head (the first ones), tail (the last, at most half), after-first (all
 * but the first ones), ends, borders, scattered. */
static const char *shape_of(const char *marks, size_t count) {
    size_t head = 0, tail = 0, all = 0;
    for (size_t i = 0; i < count; i++) all += marks[i] != 0;
    while (head < count && marks[head]) head++;
    while (tail < count && marks[count - 1 - tail]) tail++;
    if (!all) return "none";
    if (all == count) return "all";
    if (tail == all) return tail * 2 <= count ? "tail" : "after-first";
    if (head == all) return "head";
    if (head + tail == all) return "ends";
    return at_borders(marks, count) ? "borders" : "scattered";
}

/* Marks the rows that are entirely wrong, those with any error, and the columns with errors elsewhere. */
static void mark(const held *h, char *rows, char *columns, bool whole) {
    memset(rows, 0, h->height);
    memset(columns, 0, h->width);
    for (size_t r = 0; r < h->height; r++) {
        size_t wrong = 0;
        for (size_t c = 0; c < h->width; c++) wrong += !is_right(h, r, c);
        rows[r] = whole ? wrong == h->width : wrong > 0;
        for (size_t c = 0; c < h->width && !(whole && rows[r]); c++) columns[c] |= !is_right(h, r, c);
    }
}

/* For several rows: rows-SHAPE or columns-SHAPE if the wrong results are whole rows or columns; borders if they are at
 * borders of both. */
static void put_shape(const held *h, char *shape, size_t size) {
    char *rows = (char *)calloc(h->height + h->width, 1), *columns = rows + h->height;
    mark(h, rows, columns, false);
    const char *of_rows = shape_of(rows, h->height), *of_columns = shape_of(columns, h->width);
    const bool all_rows = strcmp(of_rows, "all") == 0, all_columns = strcmp(of_columns, "all") == 0;
    if (h->wrong == h->width * h->height)
        snprintf(shape, size, "all");
    else if (h->height == 1)
        snprintf(shape, size, "%s", of_columns);
    else if (all_columns && !all_rows)
        snprintf(shape, size, "rows-%s", of_rows);
    else if (all_rows && !all_columns)
        snprintf(shape, size, "columns-%s", of_columns);
    else {
        mark(h, rows, columns, true);
        const bool both = at_borders(rows, h->height) && at_borders(columns, h->width);
        snprintf(shape, size, both ? "borders" : "scattered");
    }
    free(rows);
}

static bool is_shifted(const held *h, const size_t *at, int count, long shift) {
    for (int i = 0; i < count; i++) {
        const long from = (long)at[i] - shift;
        if (from < 0 || (size_t)from >= h->width * h->height) return false;
        if (h->got[at[i] / h->width * h->pitch + at[i] % h->width] != h->want[from]) return false;
    }
    return true;
}

/* The distance from which the values of all wrong results were taken, judged by samples; 0: none. */
static long shift_of(const held *h) {
    size_t at[SAMPLES], seen = 0;
    int count = 0;
    const size_t step = h->wrong / SAMPLES + 1;
    for (size_t i = 0; i < h->width * h->height && count < SAMPLES; i++) {
        if (is_right(h, i / h->width, i % h->width)) continue;
        if (seen++ % step == 0) at[count++] = i;
    }
    for (long shift = 1; count >= 8 && shift < SHIFTS; shift++) {
        if (is_shifted(h, at, count, shift)) return shift;
        if (is_shifted(h, at, count, -shift)) return -shift;
    }
    return 0;
}

static void put_value(char *text, size_t size, float value) {
    snprintf(text, size, bits_of(value) == unwritten ? "nothing" : "%g", (double)value);
}

static void describe(const held *h) {
    char shape[32], got[32], want[32];
    put_shape(h, shape, sizeof shape);
    put_value(got, sizeof got, h->got[h->first_row * h->pitch + h->first_column]);
    put_value(want, sizeof want, h->want[h->first_row * h->width + h->first_column]);
    snprintf(state.wrong, sizeof state.wrong,
             "\"wrong\": %zu, \"of\": %zu, \"first\": [%zu, %zu], \"rows\": %zu, \"got\": \"%s\", \"want\": \"%s\", "
             "\"shape\": \"%s\", \"written\": %s, \"zeros\": %s, \"shift\": %ld, ",
             h->wrong, h->width * h->height, h->first_row, h->first_column, h->height, got, want, shape,
             h->written ? "true" : "false", h->zeros ? "true" : "false", shift_of(h));
}

/* Elements without a result must not be written. */
static void check_gaps(const held *h) {
    for (size_t r = 0; r + 1 < h->height; r++) {
        for (size_t c = h->width; c < h->pitch; c++) {
            if (bits_of(h->got[r * h->pitch + c]) == unwritten) continue;
            exercise_fault("gap-written", "row %zu was written behind its end, at column %zu of %zu", r, c, h->width);
            return;
        }
    }
}

static void hold(held *h) {
    count_wrong(h);
    if (h->wrong) describe(h);
    if (h->wrong) state.right = false;
    check_gaps(h);
}

const float *exercise_hold(const float *device, const float *want, size_t width, size_t height, size_t pitch) {
    if (!state.right) return NULL;
    const size_t bytes = ((height - 1) * pitch + width) * 4;
    held h = {.got = (float *)exercise_host(bytes), .want = want, .width = width, .height = height, .pitch = pitch};
    check(cudaMemcpy((void *)h.got, device, bytes, cudaMemcpyDeviceToHost));
    hold(&h);
    return h.wrong ? h.got : NULL;
}

void exercise_hold_host(const float *results, const float *want, size_t count) {
    held h = {.got = results, .want = want, .width = count, .height = 1, .pitch = count};
    if (state.right) hold(&h);
}

void exercise_fault(const char *name, const char *format, ...) {
    char text[320];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    state.right = false;
    if (state.fault_count == MOST_FAULTS) return;
    snprintf(state.faults[state.fault_count++], sizeof state.faults[0], "{\"name\": \"%s\", \"text\": \"%s\"}", name,
             text);
}

/* ---- all cases ---- */

static void put_end(bool measured) {
    fprintf(state.results, "{\"case\": %d, \"right\": %s, ", state.number, state.right ? "true" : "false");
    if (state.right && measured)
        fprintf(state.results, "\"us\": %.9g, \"ideal_us\": %.9g, ", median(state.us, state.rounds),
                state.ideal_us > 0 ? state.ideal_us : copy_us());
    fprintf(state.results, "%s\"bytes\": %.15g, \"faults\": [", state.wrong, state.bytes);
    for (int i = 0; i < state.fault_count; i++) fprintf(state.results, "%s%s", i ? ", " : "", state.faults[i]);
    fprintf(state.results, "]}\n");
    fflush(state.results);
}

static void try_case(int number, bool measured) {
    const exercise_case *c = &exercise_cases[number];
    state.number = number;
    state.round = -1;
    state.right = true;
    state.ideal_us = state.bytes = 0;
    state.wrong[0] = '\0';
    state.fault_count = 0;
    fprintf(state.results, "{\"case\": %d, \"name\": \"%s\", \"tag\": \"%s\"}\n", number, c->name, c->tag);
    fflush(state.results);
    exercise_try(c);
    put_end(measured);
    free_buffers();
}

int main(int count, char **words) {
    const bool measured = count > 2 && strcmp(words[2], "measure") == 0;
    if (count < 3 || !(state.results = fopen(words[1], "w"))) {
        fprintf(stderr, "usage: PROGRAM RESULTS test|measure [ROUNDS]\n");
        return 2;
    }
    state.rounds = measured && count > 3 ? atoi(words[3]) : 1;
    if (state.rounds < 1 || state.rounds > MOST_ROUNDS) state.rounds = 1;
    check(cudaEventCreate(&state.begin));
    check(cudaEventCreate(&state.end));
    for (int i = 0; i < exercise_case_count - 1 && !measured; i++) try_case(i, false);
    if (measured) try_case(exercise_case_count - 1, true);
    fclose(state.results);
    return 0;
}
