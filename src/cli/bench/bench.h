/* What haul bench is made of: works (saxpy, gather, ...), rows (a work at a size), and candidates that do a row's work
 * in different ways, verified and then timed side by side.
 *
 * Lifetimes: a bench lives for one run of the command and owns the results in its arena. Device buffers live for one
 * row. */
#ifndef HAUL_CLI_BENCH_BENCH_H
#define HAUL_CLI_BENCH_BENCH_H

#include "base/arena.h"
#include "base/text.h"
#include "lib/timing.h"

#include <haul/kernels.h>
#include <haul/peers.h>
#include <stdbool.h>

/* ---- works ---- */

/* As rows.def says it for each work. */
typedef struct bench_size {
    uint32_t x, y, z;
} bench_size;

/* Floats of each array; 0: there is none. */
typedef struct bench_extent {
    uint64_t in, out, small, temporary;
    uint64_t index;  /* 4-byte words */
    uint64_t copied; /* floats of a copy that moves as many bytes, or about */
    double bytes;    /* that have to move, each counted once */
} bench_extent;

/* The arrays of one launch; timed launches rotate over several such sets. */
typedef struct bench_set {
    haul_buffer *in, *out, *small, *temporary, *index;
} bench_set;

typedef struct bench_work {
    const char *name;   /* the peers' `work` */
    const char *verify; /* kernel of verify.cu */
    uint32_t lanes;     /* threads of it an element */
    const haul_kernel_form *forms;
    unsigned form_count;
    unsigned plain; /* the form that one would write first */
    bool adds;      /* the result is read, too: it starts as a stream of values */
    bench_extent (*extent)(const bench_size *size);
    void (*describe)(const bench_size *size, text *out);      /* "SAXPY, 2^25 floats" */
    void (*shrink)(bench_size *size);                         /* to half the bytes */
    void (*shape)(const bench_size *size, uint32_t shape[2]); /* the two numbers that `verify` takes */
    void (*job)(const bench_size *size, haul_peer_job *job);  /* the same for peers */
    haul_status (*ship)(haul_kernels *kernels, unsigned form, const bench_size *size, const bench_set *set,
                        haul_run *run);
} bench_work;

extern const bench_work bench_copy, bench_saxpy, bench_maxpool, bench_gather, bench_transpose, bench_stencil,
    bench_fused, bench_matvec;

/* ---- rows ---- */

typedef struct bench_row {
    const char *name;
    const bench_work *work;
    bench_size size;
} bench_row;

extern const bench_row bench_rows[];
extern const size_t bench_row_count;

/* The ratio that a row has to reach, 0 where none is given. */
double bench_wanted(const char *row, const char *reference);
/* Reference number `index` that something is wanted against; NULL behind the last. */
const char *bench_wanted_reference(const char *row, size_t index);

/* Whether the operand `name` means the row: its name, or its work's. */
bool bench_row_is(const bench_row *row, const char *name);
/* Errors: HAUL_ERROR_NOT_FOUND with the nearest name. */
haul_status bench_check_name(const char *name);

/* ---- peers ---- */

typedef struct bench_library {
    void *handle;
    const haul_peers_table *table;
    const char *name; /* of its file, without the folder */
} bench_library;

enum { BENCH_LIBRARIES = 8 };

typedef struct bench_peers {
    bench_library libraries[BENCH_LIBRARIES];
    size_t count;
    const char *missing; /* why there are none */
} bench_peers;

/* From `count` files, or without any from where libhaul_peers.so lies. Texts live in `memory`. Errors:
 * HAUL_ERROR_NOT_FOUND, HAUL_ERROR_UNSUPPORTED, HAUL_ERROR_LIMIT for files that are given; without any there just are
 * no peers. */
haul_status bench_peers_load(bench_peers *p, const char *const *files, size_t count, const haul_device *device,
                             arena *memory);
void bench_peers_free(bench_peers *p);

/* ---- candidates and results ---- */

typedef struct bench_candidate {
    const char *who;   /* what WANT() calls it: "haul", "plain", "memcpy", "cub", ...; "form" for other shipped forms */
    const char *label; /* for people */
    const char *kernel; /* of a shipped form, as launched */
    unsigned form;      /* of a shipped one */
    const haul_peer *peer;
    const haul_peers_table *library; /* the peer's */
    const char *failure;             /* of a peer that could not be run */
    bool right;                      /* its result was verified */
    unsigned long long wrong;        /* elements of it that were not what they have to be */
    double bytes;                    /* it moves; those of the work, or of the copy */
    double *samples;                 /* microseconds, by round */
    timing_summary time;
} bench_candidate;

/* What became of a row; candidates are in the order in which they are shown, haul's first. */
typedef struct bench_result {
    const bench_row *row;
    bench_size size; /* as measured */
    bool whole;      /* that is the row's own */
    const char *title;
    unsigned rounds;
    bench_candidate *candidates;
    size_t count;
    const char *failure; /* why there are no times; NULL when all went well */
    struct bench_result *next;
} bench_result;

typedef struct bench_options {
    unsigned rounds;     /* 0: the default */
    uint64_t most_bytes; /* of an array; 0: rows have their own sizes */
    bool forms;          /* measure every shipped form */
} bench_options;

typedef struct bench {
    haul_device *device;
    haul_kernels *kernels;
    bench_peers peers;
    bench_options options;
    arena memory;
    double ceiling; /* bytes a second of a plain copy of 1 GiB; 0 until measured */
    bench_result *results, **last;
    size_t wrong; /* candidates with wrong results, and rows that could not be measured */
} bench;

/* Measures the ceiling, with the same interleaving and rotation as all else. */
haul_status bench_measure_ceiling(bench *b);
/* Adds the row's result. What goes wrong with the row is its result's `failure`. Errors: HAUL_ERROR_OUT_OF_MEMORY of
 * the host. */
haul_status bench_measure_row(bench *b, const bench_row *row);

/* The fastest right candidate of that name; NULL when there is none. */
const bench_candidate *bench_find(const bench_result *r, const char *who);
/* How much higher `own`'s rate is than `reference`'s, round by round. */
haul_status bench_ratio(const bench_result *r, const bench_candidate *own, const bench_candidate *reference,
                        timing_summary *ratio);

#endif
