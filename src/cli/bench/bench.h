/* The parts of haul bench: works (saxpy, gather, ...), rows (a work at a size), and candidates, which do a row's work
 * in different ways and are verified and then timed in turn.
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

/* The numbers of a row in rows.def; each work defines their meaning. */
typedef struct bench_size {
    uint32_t x, y, z;
} bench_size;

/* Floats of each array; 0: none. */
typedef struct bench_extent {
    uint64_t in, out, small, temporary;
    uint64_t index;  /* 4-byte words */
    uint64_t copied; /* floats of a copy that moves about as many bytes */
    double bytes;    /* bytes that must move, each counted once */
} bench_extent;

/* The arrays of one launch; timed launches rotate over several such sets. */
typedef struct bench_set {
    haul_buffer *in, *out, *small, *temporary, *index;
} bench_set;

typedef struct bench_work {
    const char *name;   /* the peers' `work` */
    const char *verify; /* kernel of verify.cu */
    uint32_t lanes;     /* threads of that kernel for each element */
    const haul_kernel_form *forms;
    unsigned form_count;
    unsigned plain; /* the plain form, which one would write first */
    bool adds;      /* the result is also read: it starts as a stream of values */
    bench_extent (*extent)(const bench_size *size);
    void (*describe)(const bench_size *size, text *out);      /* "SAXPY, 2^25 floats" */
    void (*shrink)(bench_size *size);                         /* to half the bytes */
    void (*shape)(const bench_size *size, uint32_t shape[2]); /* the two numbers that `verify` takes */
    void (*job)(const bench_size *size, haul_peer_job *job);  /* describes it to peers */
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

/* The ratio that a row must reach; 0 if none is given. */
double bench_wanted(const char *row, const char *reference);
/* The reference number `index` for which a ratio is wanted; NULL after the last. */
const char *bench_wanted_reference(const char *row, size_t index);

/* Whether the operand `name` names the row or its work. */
bool bench_row_is(const bench_row *row, const char *name);
/* Errors: HAUL_ERROR_NOT_FOUND with the nearest name. */
haul_status bench_check_name(const char *name);

/* ---- peers ---- */

typedef struct bench_library {
    void *handle;
    const haul_peers_table *table;
    const char *name; /* its file's name, without the folder */
} bench_library;

enum { BENCH_LIBRARIES = 8 };

typedef struct bench_peers {
    bench_library libraries[BENCH_LIBRARIES];
    size_t count;
    const char *missing; /* why there are no peers */
} bench_peers;

/* Opens `count` libraries or, if there are none, libhaul_peers.so, if found. Texts live in `memory`. Errors for files
 * that are named: HAUL_ERROR_NOT_FOUND, HAUL_ERROR_UNSUPPORTED, HAUL_ERROR_LIMIT; otherwise there are just no peers. */
haul_status bench_peers_load(bench_peers *p, const char *const *files, size_t count, const haul_device *device,
                             arena *memory);
void bench_peers_free(bench_peers *p);

/* ---- candidates and results ---- */

typedef struct bench_candidate {
    const char *who;    /* its name in WANT(): "haul", "plain", "memcpy", "cub", ...; "form" for other shipped forms */
    const char *label;  /* for people */
    const char *kernel; /* of a shipped form, as launched */
    unsigned form;      /* of a shipped kernel */
    const haul_peer *peer;
    const haul_peers_table *library; /* the peer's */
    const char *failure;             /* why a peer could not be run */
    bool right;                      /* its result was correct */
    unsigned long long wrong;        /* wrong elements of the result */
    double bytes;                    /* bytes moved: the work's, or the copy's */
    double *samples;                 /* microseconds, by round */
    timing_summary time;
} bench_candidate;

/* The result of a row; candidates are in display order, haul's first. */
typedef struct bench_result {
    const bench_row *row;
    bench_size size; /* as measured */
    bool whole;      /* the row's own size */
    const char *title;
    unsigned rounds;
    bench_candidate *candidates;
    size_t count;
    const char *failure; /* why there are no times; NULL if all went well */
    struct bench_result *next;
} bench_result;

typedef struct bench_options {
    unsigned rounds;     /* 0: the default */
    uint64_t most_bytes; /* limit for an array; 0: rows have their own sizes */
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

/* Measures the ceiling, interleaved and rotated like all other works. */
haul_status bench_measure_ceiling(bench *b);
/* Measures a row and adds its result. If it fails, the result's `failure` says why. Errors: HAUL_ERROR_OUT_OF_MEMORY of
 * the host. */
haul_status bench_measure_row(bench *b, const bench_row *row);

/* The fastest correct candidate of that name; NULL if there is none. */
const bench_candidate *bench_find(const bench_result *r, const char *who);
/* The ratio of `own`'s rate to `reference`'s, round by round. */
haul_status bench_ratio(const bench_result *r, const bench_candidate *own, const bench_candidate *reference,
                        timing_summary *ratio);

#endif
