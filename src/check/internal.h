/* What the parts of this folder share. */
#ifndef HAUL_CHECK_INTERNAL_H
#define HAUL_CHECK_INTERNAL_H

#include "check/finding.h"
#include "check/flights.h"
#include "check/global.h"
#include "check/hazard.h"
#include "state/block.h"
#include "state/footprint.h"

/* What some lanes of a warp know of each actor's accesses, and of those that went through a proxy fence since: a vector
 * for each of sim_domain.proxies, one behind the other. */
typedef struct sim_view {
    uint32_t lanes;
    uint32_t least; /* up to which every warp's lanes are known */
    sim_known *order, *proxy;
    sim_floor floor;
    uint8_t heard;          /* SIM_HEARD_*: seen in flags, to be known behind a fence (flag.c) */
    uint32_t kept, kept_in; /* the snapshot in the access log, and its epoch + 1 */
} sim_view;

enum { SIM_HEARD_CLUSTER = 1, SIM_HEARD_GPU = 2 };

typedef struct sim_views {
    sim_view list[SIM_LANES]; /* count of them; what lies behind keeps its memory */
    uint32_t count;
} sim_views;

/* What those who arrived knew: in this phase, and in those that are over. */
typedef struct sim_gate {
    sim_known *gathered, *gathered_proxy, *open, *open_proxy;
    sim_floor gathered_floor, open_floor;
    uint8_t gathered_heard, open_heard;
} sim_gate;

/* What a warp's fences have released, for arrivals at barriers of the block and of the cluster, and what it has seen at
 * barriers and is to know behind its next fence. */
enum { SIM_REACH_BLOCK, SIM_REACH_CLUSTER, SIM_REACHES };
typedef struct sim_relaxed {
    sim_gate released[SIM_REACHES], seen;
} sim_relaxed;

/* Who met at a named barrier: when each warp came, this time and the last. */
typedef struct sim_group {
    uint32_t now[SIM_MAX_WARPS], before[SIM_MAX_WARPS];
    uint32_t instruction; /* of the last that came */
    bool used, met;
} sim_group;

/* A warp's waits for an mbarrier that were over: of the newest phase it has seen the end of. See stale.c. */
typedef struct sim_pass {
    uint32_t phase;       /* phases that were over */
    uint32_t told, deeds; /* the mbarrier's, the warp's, when it first saw that */
    uint32_t lanes;       /* that have seen it */
    uint32_t again;       /* that waited for it again behind something else; 0: none */
    uint32_t instruction; /* ... where */
    uint8_t parity;
} sim_pass;

typedef struct sim_watched_mbarrier {
    const sim_block *block;
    uint32_t address;
    bool live;    /* initialised and not ended */
    bool crowded; /* other mbarriers share its gate */
    uint16_t thread;
    uint32_t instruction, time; /* of its initialisation */
    bool fenced;                /* since then, by fence.mbarrier_init */
    bool raised;                /* by arrivals that do not count */
    bool used;
    uint16_t last_thread; /* that arrived or told it bytes */
    uint32_t last_instruction;
    uint32_t ended; /* time of its last phase's end; 0: none has ended */
    uint32_t
        *passed; /* by actor: when its lanes last went on behind a wait since the initialisation; NULL until needed */
    uint32_t pass_instruction;
    uint32_t phases, told; /* that have ended; arrivals and bytes that it was told */
    sim_pass *passes;      /* by actor; NULL until needed */
    sim_gate gate;
} sim_watched_mbarrier;

/* A word of shared memory: who wrote it last, and when it was read last. Times before the domain's start are of
 * earlier blocks: nothing. */
typedef struct sim_cell {
    uint32_t time, read_time;
    uint32_t readers; /* actors (modulo 32) that have read it since */
    uint32_t instruction;
    uint16_t thread;
    uint8_t written; /* bytes, a bit each; SIM_CELL_CONTESTED */
    uint8_t state;   /* SIM_CELL_* */
} sim_cell;

enum {
    SIM_CELL_ARRIVING = 1,   /* an asynchronous copy is writing it */
    SIM_CELL_LEAVING = 2,    /* one is reading it; see sim_shadow.leaving */
    SIM_CELL_SPLIT = 4,      /* its bytes have cells of their own */
    SIM_CELL_ATOMIC = 8,     /* written by an atomic */
    SIM_CELL_COPIED = 16,    /* written by the copy engine (async proxy) */
    SIM_CELL_ASYNC = 32,     /* written by an asynchronous copy of either kind */
    SIM_CELL_ADDED = 64,     /* reductions from other blocks add to it; see peer.c */
    SIM_CELL_MBARRIER = 128, /* part of a live mbarrier */
};
enum { SIM_CELL_ALL = 15, SIM_CELL_CONTESTED = 16 };

typedef struct sim_read {
    uint32_t time, lanes, instruction;
} sim_read;

typedef struct sim_byte_read {
    uint32_t time, lanes, instruction;
    uint16_t actor;
} sim_byte_read;

typedef struct sim_byte_cell {
    uint32_t time, instruction;
    uint16_t thread;
    uint8_t state;
    sim_byte_read readers[2]; /* the last, and the last of another warp */
} sim_byte_cell;

void sim_byte_note_read(sim_byte_cell *b, const sim_byte_read *r);

/* Bytes of a line of shared memory, used by one warp at one time. */
typedef struct sim_line_row {
    sim_bytes bytes;
    sim_owner owner;
    uint32_t time, instruction;
    uint16_t actor;
    uint8_t state; /* SIM_CELL_*, of what was written */
} sim_line_row;

enum { SIM_LINE_WRITERS = 4, SIM_LINE_READERS = 4 };

/* A line of shared memory as long as few rows tell all of it: no copies on their way, and nothing that is not known to
 * be in order. Otherwise it is `detailed`: its words' cells tell. See lines.c. */
typedef struct sim_line {
    uint32_t start;               /* of the domain; another one: nothing has happened yet */
    uint32_t written_at, read_at; /* the last times */
    uint32_t readers;             /* actors (modulo 32) that have read it */
    sim_bytes written;
    uint8_t writers; /* rows */
    bool detailed;
    uint32_t touched, tried; /* detailed: when cells changed last; what was settled when rows were tried last */
    sim_line_row rows[SIM_LINE_WRITERS]; /* who wrote its bytes last; no byte is in two */
} sim_line;

/* What an actor has read of a line; rows of times before the domain's start are free. */
typedef struct sim_line_reads {
    sim_line_row rows[SIM_LINE_READERS];
} sim_line_reads;

/* What is found: the first of w's `lanes` (0: lane 0), and the others alike, have come upon something of `thread`'s
 * (SIM_NO_THREAD: nobody's). */
typedef struct sim_suspect {
    haul_finding_kind kind;
    haul_action action, other_action;
    uint32_t instruction, other_instruction;
    uint32_t lanes;
    uint32_t thread; /* of the domain: actor * 32 + lane */
    haul_space space;
    uint64_t address;
    uint32_t bytes;
    bool is_warning; /* whatever the kind's usual grade is */
    bool is_advice;
    bool is_explanation; /* it stands for others: stale.c */
} sim_suspect;

/* Two instructions that have written a word of shared memory without order: see contest.c. */
enum { SIM_CONTESTS = 250 }; /* numbered by a byte */
typedef struct sim_contest_entry {
    sim_suspect first;
    sim_warp *warp;
    sim_threads threads;
    bool told;
} sim_contest_entry;

/* A copy or reduction from one block's shared memory to another's: the bytes of this block that it reads, or adds to. A
 * ring: those that are older are not followed. */
enum { SIM_PASSAGES = 128 };
typedef struct sim_passage {
    uint32_t from, to;
    uint32_t instruction;
    uint32_t time;   /* since when those know who have waited for its mbarrier; 0: under way */
    uint16_t thread; /* of the domain, that issued it */
    uint16_t actor;  /* the mbarrier's */
    bool adds, used;
} sim_passage;

typedef struct sim_shadow {
    sim_line *lines;
    sim_line_reads **line_reads; /* by actor: a plane of lines; NULL until needed */
    /* Of detailed lines: */
    sim_cell *cells;      /* NULL until needed */
    sim_read **reads;     /* by actor: a plane of words */
    sim_byte_cell *bytes; /* four for each word; NULL until needed */
    uint32_t *leaving;    /* instruction + 1 of the bulk store that reads the word; 0: none. NULL until needed */
    uint16_t *leaving_thread;
    sim_passage *passages; /* SIM_PASSAGES; NULL until needed */
    uint32_t next_passage;
    sim_contest_entry *contests; /* SIM_CONTESTS; NULL until needed */
    uint32_t contest_count;
    unsigned char *local; /* the threads' frames: see local.c; NULL until needed */
    uint64_t local_used;  /* bytes from the start of each frame that some store has reached */
} sim_shadow;

/* Registers of a warp that hold what was never written, or what threads have written at odds. */
typedef struct sim_doubt {
    uint32_t lanes, instruction, bytes; /* who, since which load */
    uint64_t bits;                      /* of the register, in any of the lanes */
    uint64_t address;
    uint8_t space, lane;
    uint8_t contest; /* contest.c, + 1; 0: it was never written */
} sim_doubt;

/* doubt.c. The doubt's lanes load it as element `element` of the instruction's data. */
void sim_doubt_loaded(sim_warp *w, unsigned element, const sim_doubt *doubt);

/* Of an operand as the instruction reads it, of the result, and the lanes whose result is known all the same, because
 * an operand of a logical operation decides it. */
uint64_t sim_doubtful_bits(const sim_doubt *doubts, const ptx_operand *operand, unsigned type);
uint64_t sim_doubtful_result(const sim_doubt *doubts, const ptx_instruction *instruction);
uint32_t sim_doubt_decided(const sim_warp *w, const sim_doubt *doubts, const ptx_instruction *i, uint32_t lanes);

/* A tensor map that the kernel has changed. */
enum { SIM_HAZARD_MAPS = 8 };
typedef struct sim_watched_map {
    uint64_t address;
    uint32_t acquired; /* ranks of blocks */
    uint32_t instruction;
    uint16_t thread; /* that has changed it */
    bool live, released;
} sim_watched_map;

/* What of one kind a warp has executed that its whole warpgroup has to: how often, and the last few times. */
enum { SIM_STEPS_KEPT = 4 };
typedef struct sim_steps {
    uint32_t count;
    uint32_t instruction[SIM_STEPS_KEPT], time[SIM_STEPS_KEPT]; /* a ring */
} sim_steps;

struct sim_domain {
    sim_hazards *owner;
    sim_block *first;
    uint32_t now, start;
    uint32_t settled, settled_at;  /* up to which everybody knew everybody; when that was found */
    uint32_t warps;                /* of a block */
    uint32_t actors;               /* warps of the cluster: the first actors; mbarriers follow */
    uint32_t used;                 /* actors and mbarriers so far */
    uint32_t cluster_index;        /* in the grid */
    uint32_t proxies;              /* 1: fences matter for shared memory; 2: for global memory too */
    sim_doubt **doubts;            /* by actor, by register; NULL until needed */
    uint32_t *deeds;               /* by actor: barriers it has come to, mbarriers it has told, copies it has issued */
    bool has_stale;                /* a wait for an old phase has been told (stale.c) */
    uint32_t *strayed;             /* by actor: lanes that have had a fault */
    uint8_t *fenced;               /* by actor: scope of the fences since it stored something */
    uint8_t published[SIM_PLACES]; /* by place of address, written behind a fence: for whom */
    bool publishes;                /* there are any */
    sim_views *views;              /* by actor */
    sim_gate *barriers;            /* of each block, SIM_BARRIERS */
    sim_gate cluster;
    sim_relaxed *relaxed; /* by actor; NULL: the kernel has no relaxed barriers */
    sim_group *groups;    /* of each block, SIM_BARRIERS */
    sim_shadow *shadows;  /* of each block */
    sim_flights *flights; /* of each block */
    sim_read *remote;     /* of each block, by actor: the last access from another block (remote.c) */
    uint32_t **past;      /* by actor, by basic block: lanes that have come there (past.c); NULL until needed */
    sim_steps *steps;     /* by actor, SIM_STEP_KINDS each (warpgroup.c) */
    bool has_steps;       /* any has been executed */
    sim_watched_mbarrier mbarriers[SIM_HAZARD_MBARRIERS];
    uint32_t mbarrier_count;
    sim_watched_map maps[SIM_HAZARD_MAPS]; /* a ring */
    uint32_t map_count;
};

struct sim_hazards {
    sim_findings findings;
    sim_access_log log;
    sim_footprints footprints;
    sim_watch *watch; /* the launch's */
    sim_domain *domains;
    uint32_t domain_count;
    bool failed; /* the host has no memory: checks are off */
};

static inline sim_domain *sim_domain_of(const sim_block *b) {
    return b->domain;
}

static inline const ptx_instruction *sim_instruction_of(const sim_warp *w, uint32_t index) {
    return &w->sm->grid->program->function->instructions[index];
}

static inline uint32_t sim_actor(const sim_warp *w) {
    return w->block->rank * w->block->domain->warps + w->index;
}

/* Entries of a vector of sim_known. */
static inline uint32_t sim_domain_capacity(const sim_domain *d) {
    return d->actors + SIM_HAZARD_MBARRIERS;
}

/* The view that has the lane; there is one for each lane that exists. */
sim_view *sim_view_of(sim_domain *d, uint32_t actor, unsigned lane);
/* A view of exactly those of `lanes` that are in the view `v` of `actor`: split off where there are others. NULL when
 * the host has no memory. */
sim_view *sim_view_split(sim_domain *d, uint32_t actor, uint32_t index, uint32_t lanes);
void sim_view_refresh(const sim_domain *d, sim_view *v);
/* Nothing is known of the actor but what lies before the start. */
void sim_view_forget(const sim_domain *d, sim_view *v, uint32_t actor);

/* Makes the gate's vectors, unless there are any. False when the host has no memory. */
bool sim_gate_open(sim_domain *d, sim_gate *g);
void sim_gate_clear(const sim_domain *d, sim_gate *g);
/* What the lanes know is gathered; they learn what the gate is open for. */
void sim_gate_arrive(sim_domain *d, sim_gate *g, const sim_warp *w, uint32_t lanes);
/* What the arriving lanes know, or, of a relaxed arrival, what a fence before it has released. */
void sim_gate_hand_on(const sim_warp *w, const sim_op *op, sim_gate *gate, uint32_t lanes, int reach);
/* What was gathered is known to those who pass from now on. */
void sim_gate_release(sim_domain *d, sim_gate *g);
void sim_gate_pass(sim_domain *d, const sim_gate *g, uint32_t actor, uint32_t lanes);
sim_watched_mbarrier *sim_mbarrier_watched(sim_domain *d, const sim_block *b, uint32_t address);
static inline uint32_t sim_mbarrier_actor(const sim_domain *d, const sim_watched_mbarrier *m) {
    return d->actors + (uint32_t)(m - d->mbarriers);
}

sim_shadow *sim_shadow_of(const sim_block *b);

/* One warp's access, of the lanes that one view has. */
typedef struct sim_visit {
    sim_warp *w;
    const sim_op *op;     /* NULL for copies */
    const sim_copy *copy; /* of cp.async; else NULL */
    sim_domain *d;
    sim_shadow *s;
    const sim_view *v;
    const sim_block *b;
    haul_action action;
    uint32_t actor, instruction, active;
    uint32_t base; /* the lane's address */
    bool strong;   /* atomic, volatile and the like: no race with its own kind */
    unsigned lane;
    uint32_t lanes; /* that do with the word at hand what `lane` does; 0: it alone */
} sim_visit;

/* Whether one of two instructions stores what the other loads, both volatile: lanes of one warp that do
 * so count on running side by side. */
static inline bool sim_counts_on_lockstep(const sim_grid *g, uint32_t a, uint32_t b) {
    return g->uses && (g->uses[a] | g->uses[b]) == (SIM_USE_STORES_VOLATILE | SIM_USE_LOADS_VOLATILE);
}
/* An ordinary load whose value a compare and swap compares, so that the swap tells whether it was right. */
static inline bool sim_is_guess(const sim_grid *g, uint32_t instruction) {
    return g->uses && g->uses[instruction] & SIM_USE_GUESSES;
}
/* Strong accesses do not race with their own kind, unless they are such lanes'. `state` is of what was written. */
static inline bool sim_may_meet(const sim_visit *k, uint8_t state, uint32_t actor, uint32_t instruction) {
    if (!k->strong || !(state & SIM_CELL_ATOMIC)) return false;
    return actor != k->actor || !sim_counts_on_lockstep(k->w->sm->grid, k->instruction, instruction);
}

/* Notes the lanes' reading, writing in the lines' rows. Returns the lanes for which cells must tell: their lines are
 * detailed. `state`: SIM_CELL_*, of what is written. */
uint32_t sim_lines_read(const sim_visit *k, const uint32_t address[SIM_LANES], unsigned bytes, uint32_t lanes);
uint32_t sim_lines_write(const sim_visit *k, const uint32_t address[SIM_LANES], unsigned bytes, uint32_t lanes,
                         uint8_t state);
/* Makes the lines from `address` on detailed. */
bool sim_lines_detail(const sim_visit *k, uint32_t address, uint32_t bytes);
bool sim_line_is_detailed(const sim_block *b, uint32_t address);
/* A plane of words for what the actor has read; NULL when the host has no memory. */
sim_read *sim_reads_of(const sim_visit *k, uint32_t actor);
bool sim_has_byte_cells(const sim_visit *k);
/* Words of a block's shared memory that there are cells for: whole lines. */
static inline size_t sim_shadow_words(const sim_grid *g) {
    return (g->shared_bytes / SIM_FOOTPRINT_LINE + 1) * (SIM_FOOTPRINT_LINE / 4);
}
/* The block begins: nothing in its threads' frames has been written. */
void sim_hazard_local_start(const sim_block *b);

/* variable.c. Before an access to shared memory of the warp's own block, an atomic or otherwise strong one or not. */
void sim_hazard_inside(sim_warp *w, uint32_t instruction, uint32_t active, const uint32_t address[SIM_LANES],
                       uint32_t bytes, haul_action action, bool is_strong);

/* flight.c. A bulk copy has been issued by the warp's lane, to or from block `to`; a load has arrived, by way of
 * that actor, an mbarrier; a cp.async has been issued; the block ends. */
void sim_flight_begin(sim_warp *w, unsigned lane, const sim_block *to, const sim_bulk *bulk);
void sim_flight_arrived(const sim_block *b, const sim_bulk *bulk, uint32_t actor);
void sim_flight_copy(const sim_block *b, uint32_t lanes, sim_copy *c);
void sim_flights_finish(sim_block *b);
/* Before an access to global memory. */
void sim_flight_meet(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                     haul_action action);

/* proxy.c. Joins as many vectors of fences as the kernel needs. */
void sim_proxies_join(const sim_domain *d, sim_known *to, const sim_known *from);
/* A load that completes on an mbarrier of block b has been issued. */
void sim_proxy_check_mbarrier(sim_warp *w, unsigned lane, const sim_block *b, const sim_bulk *bulk);

/* relaxed.c. Whether a barrier's instruction orders no memory; then the warp's lanes arrive at or wait for the
 * gate so. */
bool sim_is_relaxed(const sim_warp *w, const sim_op *op);
void sim_relaxed_arrive(const sim_warp *w, sim_gate *gate, int reach);
void sim_relaxed_pass(const sim_warp *w, const sim_gate *gate);
void sim_relaxed_fence(sim_warp *w, uint32_t active, uint8_t scope);
bool sim_relaxed_create(sim_domain *d, const sim_grid *g);
void sim_relaxed_start(sim_domain *d);
void sim_relaxed_free(sim_domain *d);

/* past.c. Lanes come to a block barrier; the domain starts anew. */
void sim_past_arrive(sim_warp *w, const sim_op *op, uint32_t lanes);
void sim_past_check_warp(sim_warp *w, const sim_op *op, uint32_t id, uint32_t lanes);
void sim_past_start(sim_domain *d);

/* warpgroup.c. The block ends; the domain starts anew. */
void sim_warpgroups_finish(sim_block *b);
void sim_warpgroups_start(sim_domain *d);

/* group.c. Lanes come to a named barrier with a count; a barrier opens; the domain starts anew. */
void sim_group_arrive(sim_warp *w, const sim_op *op, uint32_t id, uint32_t lanes);
void sim_group_open(const sim_block *b, uint32_t id);
void sim_groups_start(sim_domain *d, uint32_t blocks);
/* peer.c. A copy or reduction that the warp's lane sends to block b is to read, or add to, these bytes of `owner`; it
 * is done, by way of the mbarrier that it completes on; the block starts anew. */
bool sim_passage_begin(sim_warp *w, unsigned lane, const sim_block *owner, const sim_block *b, const sim_bulk *bulk,
                       uint32_t from, bool adds);
void sim_passage_done(const sim_block *owner, const sim_block *b, const sim_bulk *bulk, uint32_t from, bool adds);
void sim_passages_start(sim_shadow *s);
/* tail.c. Whether the bytes at the address, which nobody has written, lie within a line behind such as were, and the
 * last of those has been read in the place of the instruction too. */
bool sim_shadow_is_tail(const sim_warp *w, uint32_t instruction, uint32_t address);
/* The rows that tell of the actor's reads of the line; NULL: cells do, or it has read nothing. */
const sim_line_reads *sim_line_rows(const sim_block *b, uint32_t address, uint32_t actor);
bool sim_line_is_written(const sim_block *b, uint32_t address);
/* contest.c. What was read of a contested word is used; the block ends. */
void sim_contest_used(const sim_block *b, uint8_t contest);
void sim_contests_finish(const sim_block *b);
/* remote.c. The block ends. */
void sim_remote_finish(const sim_block *b);
/* phase.c. A lane initialises or ends an mbarrier between two phases; it arrives, or tells bytes; a phase ends. */
void sim_phase_again(sim_warp *w, const sim_op *op, unsigned lane, const sim_watched_mbarrier *m);
void sim_phase_told(sim_warp *w, uint32_t instruction, unsigned lane, const sim_watched_mbarrier *m);
void sim_phase_ended(sim_domain *d, sim_watched_mbarrier *m);
/* stale.c. The warp has come to a barrier, told an mbarrier something or issued a copy; its lanes' wait for an mbarrier
 * is over; an mbarrier is a new one. */
void sim_stale_deed(const sim_warp *w);
void sim_stale_pass(sim_warp *w, const sim_op *op, uint32_t lanes, sim_watched_mbarrier *m);
void sim_stale_forget(const sim_domain *d, sim_watched_mbarrier *m);
/* An mbarrier comes to be at the address, or ends: nobody else may write there meanwhile. */
void sim_shadow_mbarrier(const sim_block *b, uint32_t address, bool live);

/* stale.c. Whether a wait for an old phase explains what was found: then that is told instead. */
bool sim_stale_explains(const sim_warp *w, const sim_suspect *s);
/* NULL when it was folded into another. */
sim_finding *sim_hazard_report(sim_warp *w, const sim_suspect *s);
/* What was reported last concerns these lanes of the warp too. */
void sim_hazard_concerns(const sim_warp *w, uint32_t lanes);
void sim_hazard_join(sim_domain *d, const sim_threads *threads);
void sim_hazard_say(sim_finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
