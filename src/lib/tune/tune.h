/* Tuning: compiles a kernel with many values of its constants, verifies and times each variant, and reports the best.
 *
 * A problem is data: a source file, a launch whose numbers are formulas (lib/tune/formula.h), and parameters with the
 * values to try, which reach the source by -D. Formulas may use the parameters, SIZE (of the problem), SMS, RESIDENT
 * (blocks of this variant that the device holds at once; only in grids), SHARED_PER_SM and SHARED_PER_BLOCK (bytes).
 *
 * A variant is timed only if it passes, in this order: requirements and the device's limits; haul_diagnose()'s estimate
 * of its transfer; the compiler; comparison with the reference's results, bit for bit. */
#ifndef HAUL_LIB_TUNE_TUNE_H
#define HAUL_LIB_TUNE_TUNE_H

#include "base/arena.h"

#include <haul/diagnose.h>
#include <haul/haul.h>
#include <haul/ranks.h>

enum { TUNE_MOST_PARAMETERS = 12, TUNE_MOST_VALUES = 64, TUNE_MOST_VARIANTS = 1 << 16 };

typedef struct tune_parameter {
    const char *name;
    const char *values[TUNE_MOST_VALUES]; /* numbers, or anything a macro may stand for */
    size_t value_count;
    size_t start; /* the initial value of the search: the one in use */
} tune_parameter;

/* Formulas, as strings with up to three in each extent: "ceil(SIZE, 4 * THREADS), 1". */
typedef struct tune_launch {
    const char *kernel, *grid, *block, *shared;
    size_t argument_count; /* use only this many of the problem's arguments; 0: all */
} tune_launch;

/* A transfer that the kernel makes, for haul_diagnose()'s estimate; formulas, NULL = the default. */
typedef struct tune_transfer {
    const char *bytes, *count, *pitch; /* bytes of an element; number of elements; distance in global memory */
    const char *threads, *teams;       /* threads of the team; teams of a block */
    const char *stages, *engine;       /* engine: a parameter whose values are HAUL_BY_... */
    haul_team_kind team;
} tune_transfer;

typedef struct tune_problem {
    const char *name;   /* "saxpy.paced" */
    const char *source; /* path of a .cu file */
    tune_launch launch;
    tune_launch reference;        /* in the same file; kernel NULL: the first variant that runs */
    const char *const *arguments; /* as on the command line (lib/launch/launches.h), with {FORMULA} for numbers; in
                                     buffers formulas may only use SIZE */
    size_t argument_count;
    tune_parameter parameters[TUNE_MOST_PARAMETERS];
    size_t parameter_count;
    const char *const *requirements; /* formulas that must not be 0 */
    size_t requirement_count;
    const tune_transfer *transfer; /* NULL: none */
    const char *bytes;             /* formula: bytes that a launch must move at least; NULL: not known */
    int64_t size, check_size;      /* SIZE for timing; for verification; equal if arguments have no {SIZE} */
} tune_problem;

typedef struct tune_options {
    const char *compiler, *architecture; /* as in compile_options */
    const char *const *flags;
    size_t flag_count;
    double seconds;    /* time after which no further variant is started; 0: 120 */
    unsigned rounds;   /* of timing; 0: 15 */
    bool exhaustive;   /* try every combination, however many */
    haul_ranks *ranks; /* NULL: this process alone; else all ranks make the same search, and share the variants */
} tune_options;

typedef enum tune_outcome {
    TUNE_PENDING, /* never tried: time was up, or the search did not reach it */
    TUNE_TIMED,
    TUNE_REFUSED,    /* by requirements, limits or descriptors */
    TUNE_PRUNED,     /* by haul_diagnose()'s estimate */
    TUNE_UNCOMPILED, /* by the compiler */
    TUNE_FAILED,     /* did not load or run */
    TUNE_WRONG,      /* its results differ from the reference's */
    TUNE_OUTCOMES
} tune_outcome;
extern const char *const tune_outcome_names[TUNE_OUTCOMES];

typedef struct tune_variant {
    uint16_t choice[TUNE_MOST_PARAMETERS]; /* index of each parameter's value */
    tune_outcome outcome;
    double us, low, high; /* TUNE_TIMED: median and quartiles of a launch */
    double gain, least;   /* speed-up over the start: median of the rounds, and the first quartile */
    double rate;          /* bytes a second; 0: not known */
    double share;         /* share of memory bandwidth by haul_diagnose(), 1 without a transfer; 0: not checked */
    const char *why;      /* reason, if not TUNE_TIMED */
} tune_variant;

typedef struct tune_result {
    arena memory;
    tune_variant *variants; /* in the order in which they were tried */
    size_t count, capacity;
    size_t combinations; /* number of combinations of all values */
    bool exhaustive;     /* all of them were tried */
    bool out_of_time;
    const tune_variant *start, *best; /* start: NULL if it cannot run; best: never NULL */
    double seconds;
} tune_result;

/* Searches. If there are few combinations, all are tried; else the search varies one parameter after the other from the
 * start until none helps. Free `result` with tune_result_free(), also after an error. Errors: HAUL_ERROR_COMPILER (no
 * compiler), HAUL_ERROR_ARGUMENT (formulas, arguments; nothing to tune), HAUL_ERROR_NOT_FOUND (no variant could be
 * timed; the message has the first one's reason). */
haul_status tune_search(haul_device *device, const tune_problem *problem, const tune_options *options,
                        tune_result *result);
void tune_result_free(tune_result *result);

/* The text of a variant's value of a parameter. */
const char *tune_value(const tune_problem *problem, const tune_variant *variant, size_t parameter);

/* Parses "NAME=V1,V2,..." into a parameter that starts with V1; strings live in `memory`. Errors:
 * HAUL_ERROR_ARGUMENT. */
haul_status tune_parse_parameter(arena *memory, const char *text, tune_parameter *parameter);

#endif
