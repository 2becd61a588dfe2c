/* The parts of tune_search(): formulas, checks before anything is compiled, compiling, running. */
#ifndef HAUL_LIB_TUNE_INTERNAL_H
#define HAUL_LIB_TUNE_INTERNAL_H

#include "base/text.h"
#include "lib/launch/launches.h"
#include "lib/tune/formula.h"
#include "lib/tune/tune.h"

enum { TUNE_MOST_NAMES = TUNE_MOST_PARAMETERS + 8 };

/* Names available in the formulas of one variant. */
typedef struct tune_names {
    formula_name items[TUNE_MOST_NAMES];
    size_t count;
} tune_names;

/* A launch's numbers. */
typedef struct tune_shape {
    uint32_t grid[3], block[3], shared;
} tune_shape;

/* A variant between source and time. */
typedef struct tune_job {
    tune_variant *variant;
    text ptx;
    haul_module *module;
    const char *kernel, *reference; /* symbols in the module; reference NULL: none */
    tune_shape shape;
    haul_status status; /* status of compiling */
    char message[512];
} tune_job;

/* Buffers of the problem at one size. */
typedef struct tune_data {
    launch_list list;
    launch_argument *arguments;
    uint64_t *wanted; /* the reference's hashes */
    bool known;       /* the reference has run */
    launch_workspace *sets;
    size_t set_count;
    int64_t size;
} tune_data;

typedef struct tuner {
    haul_device *device;
    const tune_problem *problem;
    const tune_options *options;
    tune_result *result;
    tune_data check, timed;   /* timed is not used if the sizes are equal: see tune_timed_data() */
    double began, best_share; /* best so far, by haul_diagnose() */
    tune_job base;            /* the baseline of times: the start, or the first that runs */
    bool has_base;
    char architecture[16];
} tuner;

/* ---- shape.c: numbers from formulas ---- */

tune_names tune_names_of(const tuner *t, const tune_variant *v, int64_t size);
/* Computes all but the grid, which needs the module if it uses RESIDENT. */
haul_status tune_shape_block(const tune_launch *l, const tune_names *names, tune_shape *shape);
haul_status tune_shape_grid(const tuner *t, const tune_job *job, const tune_launch *l, tune_names *names,
                            tune_shape *shape);
/* The symbol of the launch's kernel in the job's module. */
const char *tune_symbol(const tuner *t, const tune_job *job, const tune_launch *l);
/* `text` with every {FORMULA} replaced by its number; in `memory`. */
haul_status tune_expand(arena *memory, const char *text, const tune_names *names, const char **expanded);

/* ---- check.c: before anything is compiled ---- */

/* Sets share and, if the variant is rejected, outcome and why; does nothing the second time. Errors are those of the
 * problem: invalid formulas. */
haul_status tune_check(tuner *t, tune_variant *v);

/* ---- ranks.c: variants shared among ranks ---- */

/* Whether this rank runs job number `job` of a batch. Until there is a base, all run all. */
bool tune_is_own(const tuner *t, size_t job);
/* After a batch, with its status: gives all ranks the results of all variants, or the failure of one. had_base: the
 * variants were shared out. */
haul_status tune_share(tuner *t, tune_variant **variants, size_t count, bool had_base, haul_status status);
/* Makes rank 0's answer that of all. */
haul_status tune_agree_on_time(tuner *t, bool *is_up);

/* ---- compile.c ---- */

/* Compiles the jobs in parallel; each gets a status and PTX or a message. Errors: no compiler, no memory. */
haul_status tune_compile(const tuner *t, tune_job *jobs, size_t count);

/* ---- run.c ---- */

haul_status tune_data_open(tuner *t, tune_data *data, int64_t size, bool timed);
void tune_data_close(tune_data *data);
/* The data that launches are timed on. */
tune_data *tune_timed_data(tuner *t);
/* Loads the job's module and compares its results with the reference's: variant->outcome stays TUNE_PENDING if they are
 * equal. Errors: the device is lost. */
haul_status tune_verify(tuner *t, tune_job *job, tune_data *data);
/* Times jobs that passed, relative to the first of them; fills in their variants. */
haul_status tune_time(tuner *t, tune_job *jobs, size_t count, unsigned rounds);

void tune_reject(tuner *t, tune_variant *v, tune_outcome outcome, const char *why);

#endif
