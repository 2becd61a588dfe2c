/* A launch in progress, and the steps of its run. grid.c takes them in turn; a step's file is named beside it.
 *
 * A launch has one part, or up to three if only a sample of its blocks is counted. Each part has SMs of its own; all
 * parts share the grid, the host threads and the checks' facts about the kernel. */
#ifndef HAUL_EXEC_RUN_H
#define HAUL_EXEC_RUN_H

#include "check/global.h"
#include "exec/cycle.h"
#include "exec/fault.h"
#include "exec/launch.h"
#include "exec/progress.h"
#include "exec/sample.h"
#include "exec/sm.h"

/* The blocks before a sample, the sample, and the blocks after it. */
enum { SIM_MOST_PARTS = 3 };

/* The most SMs of a checked launch that run before others do (epochs.c). It does not depend on the host, or findings
 * could. */
enum { SIM_RUN_BATCH = 16 };

/* A launch between sim_launch_begin() and its end. It lives on across pauses, so all state of the launch is here. */
typedef struct sim_run {
    sim_launch launch;
    haul_occupancy occupancy; /* as the launch's check found it */
    arena *memory;
    haul_launch_record *record, *made; /* made: the sample's record, until the later parts have ended */
    sim_cluster_range parts[SIM_MOST_PARTS];
    unsigned part, part_count, counted_part;
    bool is_set_up;           /* the current part is */
    uint64_t pauses;          /* since it waited */
    bool may_pause, paused;   /* may_pause: the caller allows it now; paused: it has done so */
    unsigned vain_epochs;     /* consecutive epochs in which all SMs only polled */
    uint64_t vain_since;      /* operations executed before them */
    uint64_t leap;            /* by which their clocks were advanced last */
    bool waits;               /* it has paused because it waits, not to let others see what it has published */
    uint32_t published;       /* times that its device had published at the last pause or check (check/node.h) */
    unsigned shown_often;     /* pauses of the latter kind */
    uint64_t happened;        /* changes of all SMs, without clock reads, at the last check */
    double host_seconds;      /* without pauses */
    sim_grid grid;            /* launch-wide constants; first_cluster and end_cluster are the current part's */
    sim_sm *sms;              /* those of the current part; if they may be kept, with room for all of the machine's */
    uint32_t sm_count;        /* created ones: grid.used_sms, or more that an earlier launch has left */
    sim_counting **countings; /* those of the SMs, in their order; NULL: nothing is counted */
    sim_count_plan *plan;     /* NULL: the current part is not counted */
    sim_l2 *l2;               /* owned while a counted part runs */
    sim_watch *watch;         /* with checks on */
    int threads;              /* most host threads; short epochs run on one */
    uint64_t expected;        /* estimated operations of the launch */
    uint64_t next;            /* estimated operations of the next epoch */
    uint64_t stretch;         /* operations of each SM until the next check of the logs' length */
    uint64_t requests_since;  /* operations of each SM since requests were played */
    uint64_t requests;        /* requests played in this epoch */
    uint64_t accesses, most_accesses; /* bytes of accesses in the logs; the most that a batch has added */
    uint32_t logged[SIM_RUN_BATCH];   /* the SMs of the last batch */
    sim_cycle cycle;                  /* finds loops in which nothing changes */
    unsigned idle;                    /* rounds without progress */
    uint64_t progress;                /* of all SMs, when nothing could run last */
    sim_link link;                    /* first_line 0: no host memory is mapped */
    sim_peer_lines peers;             /* memory of other devices */
    sim_progress shown;               /* kernel NULL: there is no display */
    uint64_t executed_before;         /* operations of earlier parts */
    sim_cause cause;                  /* cause of a failure */
    bool sampled;                     /* only a part of the launch is counted */
    bool recorded;                    /* the record is filled, as far as the launch ran */
} sim_run;

/* ---- set-up (run_setup.c) ---- */

/* Sets up the data that all parts share, and frees it. */
haul_status sim_run_set_up(sim_run *run);
void sim_run_tear_down(sim_run *run);
/* Sets up the SMs for the clusters of `part`. A part that is not counted has neither plan nor L2. */
haul_status sim_run_set_up_part(sim_run *run, const sim_cluster_range *part, bool counted);
/* Frees what the part has alone, or leaves it to later launches. well: the part has run to its end. */
void sim_run_tear_down_part(sim_run *run, bool well);
/* Returns whether several host threads are faster than one for an epoch of about that many operations. */
bool sim_run_is_worth_sharing(uint64_t operations);
/* Returns the host threads for such an epoch. */
int sim_run_threads(const sim_run *run, uint64_t operations);

/* ---- epochs (epochs.c) ---- */

/* Resets the state of the epochs, for a part that begins. */
void sim_run_begin_epochs(sim_run *run);
/* Runs the current part until all its blocks have ended or the launch pauses. Errors: HAUL_ERROR_FAULT, _TRAP,
 * _TIMEOUT, _DEADLOCK, _OUT_OF_MEMORY. */
haul_status sim_run_epochs(sim_run *run);
/* Returns the fault of the lowest SM, whichever thread found its own first; NULL: no SM has one. */
const sim_fault_record *sim_run_first_fault(const sim_run *run);
/* Returns the operations that all SMs of the current part have executed. */
uint64_t sim_run_executed(const sim_run *run);

/* ---- the record (run_record.c) ---- */

/* Fills in the record from the current part, as that of the whole launch. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status sim_run_record(sim_run *run, haul_launch_record *record);
/* Estimates the time of an uncounted launch from all that is known of it: the number of operations and its waits. */
void sim_run_find_rough_time(const sim_run *run, sim_rough_time *rough);

#endif
