/* Structures and functions that the files of this folder share. */
#ifndef HAUL_CHECK_INTERNAL_H
#define HAUL_CHECK_INTERNAL_H

#include "base/memory.h"
#include "check/accessors.h"
#include "check/finding.h"
#include "check/flights.h"
#include "check/global.h"
#include "check/hazard.h"
#include "check/history.h"
#include "check/peeks.h"
#include "state/block.h"
#include "state/footprint.h"

/* Returns the bits, of the four of a word, for `bytes` bytes at an address. An access of 4 bytes or more has them all.
 */
static inline uint8_t sim_bits_of_word(uint64_t address, unsigned bytes) {
    if (bytes >= 4) return 15;
    const unsigned ones = (1u << bytes) - 1;
    return (uint8_t)(ones << address % 4 & 15u);
}

/* The last releases that lanes have heard of: of their cluster (sim_releases), and of the grid (global_shadow.h).
 * 0: none. `told`: the last write that they have waited for (sim_telling). */
typedef struct sim_heard {
    uint32_t near, far, told;
    uint32_t from; /* whose releases `far` stands for (sim_floor) */
} sim_heard;

static inline void sim_heard_raise(sim_heard *heard, sim_heard to) {
    if (to.near > heard->near) heard->near = to.near;
    if (to.far > heard->far) heard->far = to.far;
    if (to.told > heard->told) heard->told = to.told;
    heard->from |= to.from;
}

/* What some lanes of a warp know of each actor's accesses (`order`), and of accesses that passed a proxy fence
 * (`proxy`: sim_domain.proxies vectors, one after the other). */
typedef struct sim_view {
    uint32_t lanes;
    uint32_t least; /* every warp's lanes are known at least up to this time */
    sim_known *order, *proxy;
    sim_floor floor;
    sim_heard heard;        /* read from flags; becomes known at the next fence (flag.c) */
    uint32_t kept, kept_in; /* the snapshot in the access log, and its epoch + 1 */
    uint64_t lock;          /* the address of a lock that a lane holds; 0: none (lock.h) */
    uint8_t lock_lane, lacks;
    uint32_t products; /* the warpgroup is known up to this time by a wait for its product (products.c) */
} sim_view;

typedef struct sim_views {
    sim_view first, *more; /* more: SIM_LANES - 1, NULL until needed */
    uint32_t count;        /* in use; the others keep their memory */
} sim_views;

static inline sim_view *sim_view_at(sim_views *v, uint32_t index) {
    return index ? &v->more[index - 1] : &v->first;
}

/* What arriving threads knew: `gathered` in this phase, `open` in the phases that have ended. */
typedef struct sim_gate {
    sim_known *gathered, *gathered_proxy, *open, *open_proxy;
    sim_floor gathered_floor, open_floor;
    sim_heard gathered_heard, open_heard;
} sim_gate;

/* A warp's state for relaxed barriers. `released`: what its fences have released, for arrivals at barriers of the block
 * and of the cluster. `seen`: what it has seen at barriers but knows only after its next fence. */
enum { SIM_REACH_BLOCK, SIM_REACH_CLUSTER, SIM_REACHES };
typedef struct sim_relaxed {
    sim_gate released[SIM_REACHES], seen;
} sim_relaxed;

/* Arrivals at a named barrier: the time of each warp's arrival, this round and the last. */
typedef struct sim_group {
    uint32_t now[SIM_MAX_WARPS], before[SIM_MAX_WARPS];
    uint32_t instruction; /* of the last arrival */
    bool used, met;
} sim_group;

/* A warp's finished waits for an mbarrier, for the newest phase whose end it has seen. See stale.c. */
typedef struct sim_pass {
    uint32_t phase;             /* number of phases that had ended */
    uint32_t signals, progress; /* the mbarrier's and the warp's counts when the warp first saw that */
    uint32_t lanes;             /* lanes that have seen it */
    uint32_t again;             /* lanes that waited for it again after doing something else; 0: none */
    uint32_t instruction;       /* the place of that second wait, or of the first */
    uint32_t told;              /* the warp's count when it last signalled the mbarrier; 0: never */
    uint8_t parity;
    bool is_early; /* `again` has waited, wrongly, for the phase before the first */
} sim_pass;

/* INVALIDATED: and not initialised again since. */
typedef enum sim_mbarrier_life {
    SIM_MBARRIER_UNKNOWN,
    SIM_MBARRIER_LIVE,
    SIM_MBARRIER_INVALIDATED,
} sim_mbarrier_life;

typedef struct sim_watched_mbarrier {
    const sim_block *block;
    uint32_t address;
    sim_mbarrier_life life;
    bool crowded; /* other mbarriers share its gate */
    uint16_t thread;
    uint32_t instruction; /* as `thread`: of its initialisation or, if invalidated, of its end */
    uint32_t time;        /* of its initialisation */
    bool fenced;          /* fence.mbarrier_init has followed */
    bool raised;          /* by arrivals that do not count */
    bool used;
    uint16_t last_thread; /* the last thread to arrive or to expect bytes */
    uint32_t last_instruction;
    uint32_t ended;   /* when its last phase ended; 0: none has */
    uint32_t *passed; /* by actor: time of its lanes' last finished wait since the initialisation; NULL until needed */
    uint32_t pass_instruction;
    uint32_t *fed; /* by actor: when a lane last issued a copy that completes here, if no wait for it is over yet; NULL
                    * until needed */
    uint32_t *began; /* by actor: when the instruction of its last arrival in this phase began; then, in the phases that
                      * are over. NULL until needed */
    uint32_t phases, signals;               /* phases ended; arrivals and byte counts received */
    uint64_t expected_bytes, arrived_bytes; /* in this phase */
    sim_pass *passes;                       /* by actor; NULL until needed */
    sim_gate gate;
} sim_watched_mbarrier;

/* A word of shared memory: who wrote it last, and when it was last read. Times before the domain's start belong to
 * earlier blocks and count as never. */
typedef struct sim_cell {
    uint32_t time, read_time;
    uint32_t readers; /* actors (modulo 32) that have read it since */
    uint32_t instruction;
    uint16_t thread;
    uint8_t written; /* a bit for each byte; SIM_CELL_CONTESTED */
    uint8_t state;   /* SIM_CELL_* */
} sim_cell;

enum {
    SIM_CELL_ARRIVING = 1,   /* an asynchronous copy is writing it */
    SIM_CELL_LEAVING = 2,    /* a copy is reading it; see sim_shadow.leaving */
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
    sim_read read;
    uint16_t actor;
} sim_byte_read;

typedef struct sim_byte_cell {
    uint32_t time, instruction;
    uint16_t thread;
    uint8_t state;
    sim_byte_read readers[2]; /* the last reader, and the last reader of another warp */
} sim_byte_cell;

void sim_byte_note_read(sim_byte_cell *b, const sim_byte_read *r);

/* Bytes of a line of shared memory that one warp used at one time. */
typedef struct sim_line_row {
    sim_bytes bytes;
    sim_owner owner;
    uint32_t time, instruction;
    uint16_t actor;
    uint8_t state; /* SIM_CELL_* of the write */
} sim_line_row;

/* The same of a warp's read; whoever has the row knows the warp. */
typedef struct sim_read_row {
    sim_bytes bytes;
    sim_owner owner;
    uint32_t time, instruction;
} sim_read_row;

enum { SIM_LINE_WRITERS = 16, SIM_LINE_FIRST_WRITERS = 4, SIM_LINE_READERS = 4, SIM_LINE_FIRST_READERS = 2 };

/* A line of shared memory that a few rows describe completely: no copies in flight but cp.async, and only accesses
 * known to be ordered. Otherwise the line is `detailed` and its words' cells describe it. See lines.c. */
typedef struct sim_line {
    uint32_t start;               /* start of the domain; if it differs, nothing has happened yet */
    uint32_t written_at, read_at; /* time of the last write and the last read */
    uint32_t readers;             /* actors (modulo 32) that have read it */
    uint32_t sole, sole_since;    /* the thread + 1 that alone has used it since; 0: there may be others */
    sim_bytes written;
    sim_bytes in_rows; /* bytes of the rows of writes, and maybe others */
    uint8_t writers;   /* number of rows */
    uint8_t arriving;  /* of these, the number whose bytes a cp.async is still writing */
    bool detailed;
    /* Detailed: when a cell changed last; what was settled when a return to rows was last tried. */
    uint32_t touched, tried;
    sim_line_row rows[SIM_LINE_FIRST_WRITERS]; /* who wrote its bytes last; no byte is in two rows */
} sim_line;

/* A part of one or several accesses; part.line is relative to a line that the caller names. `instruction`: the last of
 * them. */
typedef struct sim_line_part {
    sim_part part;
    uint32_t instruction;
} sim_line_part;

/* Parts of accesses that are made together. Reads of `proven_line` and the lines after it are in order for threads that
 * know all accesses up to `written_at`, as long as the block's shadow has this version and start. Their bytes are
 * written whenever a shadow, by rows alone, has written the bytes that `written` stands for. */
typedef struct sim_part_list {
    uint64_t version; /* 0: nothing is proven */
    uint64_t written; /* sim_shadow.written when it was proven */
    uint32_t proven_line, start, written_at;
    uint32_t uses;     /* by a bundle and by reads that are not in rows yet */
    bool is_early;     /* others write there before they know of the reads, which need rows at once */
    int32_t low, high; /* of the parts' lines */
    uint32_t count, capacity;
    sim_line_part parts[];
} sim_part_list;

static inline void sim_part_list_drop(sim_part_list *list) {
    if (list && !--list->uses) memory_free(list);
}

/* Reads of a warp that are not in rows yet: of the parts, from `line` on. */
enum { SIM_LATE_READS = 4 };
typedef struct sim_late_read {
    sim_part_list *list;
    uint32_t line, time;
} sim_late_read;

/* What an actor has read of each line; rows with times before the domain's start are free. Most warps need only the
 * first rows. */
typedef struct sim_line_reads {
    sim_late_read late[SIM_LATE_READS];
    uint32_t late_count;
    sim_read_row *first; /* SIM_LINE_FIRST_READERS for each line; NULL until needed */
    sim_read_row *more;  /* the others of SIM_LINE_READERS for each line; NULL until needed */
} sim_line_reads;

/* A suspicious access: w's `lanes` (0: lane 0) conflict with an access of `thread`. SIM_NO_THREAD: there is no other
 * thread. */
typedef struct sim_suspect {
    haul_finding_kind kind;
    haul_action action, other_action;
    uint32_t instruction, other_instruction;
    uint32_t lanes;
    uint32_t thread; /* number in the domain: actor * 32 + lane */
    haul_space space;
    uint64_t address;
    uint32_t bytes;
    bool is_warning; /* whatever the kind's default grade is */
    bool is_advice;
    bool is_explanation;                  /* reported in place of other findings: stale.c */
    const haul_finding_access *elsewhere; /* the other access, if it is another cluster's; thread: SIM_NO_THREAD */
} sim_suspect;

/* access_log.c. The message for an update (sim_is_update) of memory that nobody has written. */
extern const char sim_updates_nothing[];

/* Two instructions that have written a word of shared memory without order: see contest.c. */
enum { SIM_CONTESTS = 250 }; /* a contest's number fits a byte */
typedef struct sim_contest_entry {
    sim_suspect first;
    sim_warp *warp;
    sim_threads threads;
    bool is_reported;
} sim_contest_entry;

/* A copy or reduction from one block's shared memory to another's: the bytes of this block that it reads or adds to.
 * Entries form a ring; older ones are dropped. */
enum { SIM_PASSAGES = 128 };
typedef struct sim_passage {
    uint32_t from, to;
    uint32_t instruction;
    uint32_t time;   /* from this time threads that waited for its mbarrier know of it; 0: in flight */
    uint16_t thread; /* the thread of the domain that issued it */
    uint16_t actor;  /* the mbarrier's */
    bool adds, used;
} sim_passage;

/* Uninitialised values that a block has stored to shared memory. */
typedef struct sim_unwritten {
    uint32_t time, instruction; /* of the last such store */
    uint32_t first, end;        /* they lie between */
} sim_unwritten;

typedef struct sim_shadow {
    uint64_t version; /* changes when lines are written or change their form */
    /* For the block that began at `start` (lines.c): a hash of the bytes it has written, when it last wrote, and
     * whether rows alone have described all of them, none written by a cp.async. */
    uint64_t written;
    uint32_t start, written_at;
    bool is_plain;
    uint32_t late_at; /* time of the last read that may not be in rows yet */
    sim_line *lines;
    sim_line_row *more_rows;    /* the others of SIM_LINE_WRITERS for each line; NULL until needed */
    sim_line_reads *line_reads; /* by actor */
    /* Detailed lines only: */
    sim_cell *cells;      /* NULL until needed */
    sim_read **reads;     /* by actor: one entry per word */
    sim_byte_cell *bytes; /* four for each word; NULL until needed */
    uint32_t *leaving;    /* instruction + 1 of the bulk store that reads the word; 0: none. NULL until needed */
    uint16_t *leaving_thread;
    sim_passage *passages; /* SIM_PASSAGES entries; NULL until needed */
    uint32_t next_passage;
    sim_contest_entry *contests; /* SIM_CONTESTS entries; NULL until needed */
    uint32_t contest_count;
    unsigned char *local; /* the threads' frames, see local.c; NULL until needed */
    uint64_t local_used;  /* bytes from the start of each frame that a store has reached */
    sim_unwritten unwritten;
} sim_shadow;

/* Taint of a register: it holds an uninitialised value, or a value of a contested word. */
typedef struct sim_taint {
    uint32_t lanes, instruction, bytes; /* tainted lanes, and the load that tainted them */
    uint64_t bits;                      /* tainted bits of the register, in any of the lanes */
    uint64_t address;
    uint32_t stored_by; /* a store that has put uninitialised values there or nearby, + 1; 0: none */
    uint8_t space, lane;
    uint8_t contest; /* number of the contest + 1 (contest.c); 0: uninitialised */
} sim_taint;

/* A tainted branch around arithmetic alone, which is a choice between values: what its blocks write is tainted in the
 * lanes. */
enum { SIM_CHOICE_BLOCKS = 8 };
typedef struct sim_choice {
    uint32_t branch;                          /* the instruction */
    uint32_t block[SIM_CHOICE_BLOCKS], count; /* between it and the place where all lanes meet again */
    uint32_t lanes;                           /* that have executed it with a tainted predicate */
    sim_taint taint;
} sim_choice;

/* choice.c. Returns whether the branch only chooses between blocks of arithmetic that meet again; sets the choice's
 * branch and blocks. */
bool sim_choice_find(const ptx_function *f, uint32_t branch, sim_choice *choice);
bool sim_choice_contains(const ptx_function *f, const sim_choice *choice, uint32_t instruction);

/* taint.c. The taint's lanes load it as element `element` of the instruction's data. */
void sim_taint_loaded(sim_warp *w, unsigned element, const sim_taint *taint);

/* The tainted bits of an operand as the instruction reads it; the tainted bits of the result; and the lanes whose
 * result is known all the same, because the other operand of a logical operation decides it. */
uint64_t sim_tainted_bits(const sim_taint *taints, const ptx_operand *operand, unsigned type);
uint64_t sim_tainted_result(const sim_taint *taints, const ptx_instruction *instruction);
uint32_t sim_taint_decided(const sim_warp *w, const sim_taint *taints, const ptx_instruction *i, uint32_t lanes);

/* region.c. Reports lanes whose access the program's own restrictions forbid; the grid has some. */
void sim_regions_check(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                       haul_action action);

/* A tensor map that the kernel has changed. */
enum { SIM_HAZARD_MAPS = 8 };
typedef struct sim_watched_map {
    uint64_t address;
    uint32_t acquired; /* a bit for each block's rank */
    uint32_t instruction;
    uint16_t thread; /* the thread that changed it */
    bool live, released;
} sim_watched_map;

/* A block of the cluster has acquired the map in that epoch of the watch. */
typedef struct sim_map_acquired {
    uint64_t address;
    uint32_t rank, epoch;
} sim_map_acquired;

/* Steps of one kind that a warp has executed and its whole warpgroup must execute: their number and the last few. */
enum { SIM_STEPS_KEPT = 64 };
typedef struct sim_steps {
    uint32_t count;
    uint32_t instruction[SIM_STEPS_KEPT], time[SIM_STEPS_KEPT]; /* a ring */
} sim_steps;

/* A use of tensor memory that others may not know to be over: see tmem_order.c. */
typedef struct sim_tmem_use {
    sim_tmem_area area;
    uint32_t ranks; /* the blocks whose columns they are, a bit each */
    uint32_t time;  /* of its issue or, if it is over, of the wait for it */
    uint32_t instruction;
    uint32_t lanes; /* of its warp, `actor` */
    uint16_t actor;
    bool by_lanes; /* a load or store, which its warp waits for */
    bool in_turn;  /* done after other work of its warp */
    bool writes, is_over, used;
} sim_tmem_use;

/* A commit that has arrived at its mbarrier. */
typedef struct sim_tmem_commit {
    uint32_t issued, time;
    uint16_t issuer, actor; /* the actors of its warp and of the mbarrier */
    bool used;
} sim_tmem_commit;

enum { SIM_TMEM_USES = 256, SIM_TMEM_COMMITS = 128 };
typedef struct sim_tmem_order {
    sim_tmem_use uses[SIM_TMEM_USES];          /* a ring */
    sim_tmem_commit commits[SIM_TMEM_COMMITS]; /* a ring */
    uint32_t next_use, next_commit;
} sim_tmem_order;

/* Releases to threads of the cluster: writes after a fence, too. */
typedef struct sim_releases {
    sim_history history;
    sim_floor floor; /* what their threads knew of other clusters */
    uint32_t count;
    bool used;                 /* there has been one in this cluster */
    uint8_t reach[SIM_PLACES]; /* by hash of the word's address: which blocks it is published to */
    uint32_t by[SIM_PLACES];   /* the last release */
} sim_releases;

/* What the cluster's threads knew when they wrote a flag, fence or not: threads that waited for it expect what was
 * stored before. */
typedef struct sim_telling {
    sim_history history;
    uint32_t writes;
    uint32_t by[SIM_PLACES]; /* the last such write, by hash of its address */
} sim_telling;

/* Fences of any scope, and those that reach the grid. */
enum { SIM_FENCES_NEAR, SIM_FENCES_FAR, SIM_FENCES };

/* What a thread learns from a strong read: of releases, and of reads that are over. */
typedef struct sim_read_words {
    sim_heard heard;
    sim_floor seen;
} sim_read_words;

struct sim_domain {
    sim_hazards *owner;
    sim_block *first;
    uint32_t now, start;
    /* All threads know all accesses up to `settled`, which was computed at `settled_at`. */
    uint32_t settled, settled_at;
    uint32_t warps;         /* warps per block */
    uint32_t actors;        /* warps of the cluster; these are the first actors, mbarriers follow */
    uint32_t used;          /* number of actors and mbarriers so far */
    uint32_t cluster_index; /* number in the grid */
    uint32_t proxies;       /* 1: proxy fences matter for shared memory; 2: for global memory too; 0: for neither */
    bool has_looked;        /* at global memory, by a strong access: writes of other clusters may be known */
    bool has_fenced;        /* global memory for the copy engine, after that */
    sim_taint **taints;     /* by actor, by register; NULL until needed */
    sim_choice *choices;    /* by actor: its last tainted branch around arithmetic */
    uint32_t *progress;     /* by actor: barriers reached, mbarriers signalled and copies issued */
    uint32_t *early;   /* by actor: if its last wait was for the phase before an mbarrier's first, its number + 1 */
    bool has_stale;    /* a wait for an old phase has been reported (stale.c) */
    uint32_t *faulted; /* by actor: lanes that have faulted */
    uint8_t *fenced;   /* by actor: the widest scope of its fences */
    sim_known *fences[SIM_FENCES]; /* by actor: its accesses that a fence comes after; NULL until there is one */
    sim_known *released;           /* by actor: what the current release passes on; NULL until needed */
    sim_releases *releases;        /* NULL until needed */
    sim_telling *telling;          /* NULL until needed */
    sim_read_words read;           /* by the current atomic operation, until sim_hazard_acquire() */
    sim_views *views;              /* by actor */
    sim_gate *barriers;            /* SIM_BARRIERS per block */
    bool has_barriers;             /* one of them has been used */
    sim_gate cluster;
    uint32_t *arrived;    /* by actor: lanes that have arrived at the cluster's barrier and not waited for it yet */
    sim_relaxed *relaxed; /* by actor; NULL if the kernel has no relaxed barriers */
    sim_group *groups;    /* SIM_BARRIERS per block; NULL until needed */
    sim_shadow *shadows;  /* one per block */
    sim_flights *flights; /* one per block */
    sim_read *remote;     /* by block, by actor: the last access from another block (remote.c) */
    /* By actor, by basic block: lanes that have reached it (skipped_barrier.c); NULL until needed. */
    uint32_t **skipped;
    bool has_skipped;                /* some lanes have */
    sim_steps *steps;                /* by actor, SIM_STEP_KINDS each (warpgroup.c); NULL until needed */
    bool has_steps;                  /* some step has been executed */
    sim_watched_mbarrier *mbarriers; /* SIM_HAZARD_MBARRIERS; NULL if the kernel has none */
    uint32_t mbarrier_count;
    uint32_t signalling;                   /* when the instruction that signals mbarriers now began */
    sim_watched_map maps[SIM_HAZARD_MAPS]; /* a ring */
    uint32_t map_count;
    sim_map_acquired acquired[SIM_HAZARD_MAPS]; /* a ring */
    uint32_t acquired_count;
    sim_tmem_order *tensor; /* NULL until needed */
    /* Of shared memory: flag_words.h. NULL until needed. */
    struct sim_flag_words *flag_words;
    sim_peek *peeks; /* by actor, SIM_PEEKS each; NULL until needed */
    bool has_peeks;
};

/* The lanes of an actor that do not use what an instruction loads (unused_load.h); `instruction` is its index + 1. */
enum { SIM_UNUSED_MEMOS = 128 };
#define SIM_EACH_CLUSTER UINT64_MAX
typedef struct sim_unused_memo {
    uint64_t cluster; /* SIM_EACH_CLUSTER: the same holds in all of them */
    uint32_t instruction, actor, lanes;
} sim_unused_memo;

enum { SIM_CONSTANTS_KEPT = 256 };
struct sim_hazards {
    sim_findings findings;
    uint64_t constants[SIM_CONSTANTS_KEPT]; /* elements of constant memory that were loaded, by hash of the address */
    sim_access_log log;
    sim_accessor_finder accessors; /* of the log's entries */
    sim_footprints footprints;
    sim_watch *watch; /* the launch's */
    sim_domain *domains;
    uint32_t domain_count;
    uint64_t versions; /* of all shadows so far */
    bool failed;       /* the host ran out of memory: checks are off */
    sim_unused_memo unused[SIM_UNUSED_MEMOS];
};

/* True if lanes at that stride are replayed several at a time: those of a line. */
static inline bool sim_is_dense_stride(uint32_t bytes, int64_t stride) {
    return stride >= bytes && stride < SIM_FOOTPRINT_LINE;
}
static inline bool sim_is_dense(const sim_logged *e) {
    return !e->has_list && sim_is_dense_stride(e->bytes, e->stride);
}

/* volatile_use.c. True if the instruction is a strong access of that kind; if both operands are one address, with the
 * same base and offset. */
bool sim_is_strong(const ptx_instruction *i, unsigned op);
bool sim_is_same_word(const ptx_operand *a, const ptx_operand *b);
bool sim_is_compare_and_swap(const ptx_instruction *i);
/* True for an atomic operation whose whole result depends on the old value. That of an exchange does not; `and` and
 * `or` set the bits of their mask, as cooperative groups do with barriers of large tiles; a compare-and-swap may be of
 * a word of which the program uses a byte. */
bool sim_is_update(const ptx_instruction *i);

/* flag.c. A cluster starts; its domain is freed. */
void sim_flags_start(sim_domain *d);
void sim_flags_free(sim_domain *d);

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
    return d->actors + (d->mbarriers ? SIM_HAZARD_MBARRIERS : 0u);
}

/* Returns the view that holds the lane; each existing lane has one. */
sim_view *sim_view_of(sim_domain *d, uint32_t actor, unsigned lane);
/* Returns a view of exactly those of `lanes` that are in the actor's view `from`, and splits it off if that has other
 * lanes. Returns NULL if the host runs out of memory. */
sim_view *sim_view_split(sim_domain *d, uint32_t actor, sim_view *from, uint32_t lanes);
void sim_view_refresh(const sim_domain *d, sim_view *v);
/* Resets what is known of the actor to the domain's start. */
void sim_view_forget(const sim_domain *d, sim_view *v, uint32_t actor);

/* Allocates the gate's vectors if it has none. Returns false if the host runs out of memory. */
bool sim_gate_open(sim_domain *d, sim_gate *g);
void sim_gate_clear(const sim_domain *d, sim_gate *g);
/* The lanes arrive: adds what they know to the gate. */
void sim_gate_arrive(sim_domain *d, sim_gate *g, const sim_warp *w, uint32_t lanes);
/* As sim_gate_arrive(), but a relaxed arrival adds only what an earlier fence has released. */
void sim_gate_pass_on(const sim_warp *w, const sim_op *op, sim_gate *gate, uint32_t lanes, int reach);
/* Release: threads that pass from now on learn what was gathered. Pass: the lanes learn it. */
void sim_gate_release(sim_domain *d, sim_gate *g);
void sim_gate_pass(sim_domain *d, const sim_gate *g, uint32_t actor, uint32_t lanes);
sim_watched_mbarrier *sim_mbarrier_watched(sim_domain *d, const sim_block *b, uint32_t address);
static inline uint32_t sim_mbarrier_actor(const sim_domain *d, const sim_watched_mbarrier *m) {
    return d->actors + (uint32_t)(m - d->mbarriers);
}

sim_shadow *sim_shadow_of(const sim_block *b);

/* One access by those lanes of a warp that share a view. */
typedef struct sim_visit {
    sim_warp *w;
    const sim_op *op;     /* NULL for copies */
    const sim_copy *copy; /* NULL unless it is a cp.async */
    sim_domain *d;
    sim_shadow *s;
    const sim_view *v;
    const sim_block *b;
    haul_action action;
    uint32_t actor, instruction, active;
    uint32_t base; /* the lane's address */
    bool strong;   /* atomic, volatile or the like: it does not race with its own kind */
    unsigned lane;
    uint32_t lanes;            /* lanes that access the current word together with `lane`; 0: only `lane` */
    const unsigned char *rows; /* of stmatrix: SIM_MATRIX_ROW bytes for each lane's address */
    const uint32_t *addresses; /* of all lanes that store; NULL for other accesses */
    uint16_t *unwritten;       /* gets bits of bytes from `base` on that nobody has written; NULL: they are reported */
} sim_visit;

/* True if both instructions are volatile and one stores what the other loads: lanes of one warp that do so rely on
 * lockstep. */
static inline bool sim_counts_on_lockstep(const sim_grid *g, uint32_t a, uint32_t b) {
    const uint8_t both = SIM_USE_STORES_VOLATILE | SIM_USE_LOADS_VOLATILE;
    return g->uses && ((g->uses[a] | g->uses[b]) & both) == both;
}
/* True if both belong to updates in two steps, a strong load and a strong store of the same word: each of them is
 * whole, but if nothing orders two such updates, one is lost. */
static inline bool sim_may_lose_update(const sim_grid *g, uint32_t a, uint32_t b) {
    return g->uses && g->uses[a] & g->uses[b] & SIM_USE_UPDATES;
}
/* exchanged.c. True if a shuffle or the like, close behind the load, takes the loaded value or one computed from it,
 * and the later instruction comes behind that. */
bool sim_is_exchanged(const ptx_function *f, uint32_t load, uint32_t later);
/* volatile_use.c. True if one is a volatile store of data, and the other is one, too, or an atomic operation, or a
 * volatile load of data: none of them tears, but unless something orders the two, chance decides which comes last. C++
 * has no such rule for volatile objects: the two race there. Stores to words that loops wait for are flags. */
bool sim_is_left_to_chance(const sim_grid *g, uint32_t a, uint32_t b);
/* look_first.c. True if one is a load that only looks whether the other, an atomic operation, is worth it. */
bool sim_only_looks(const sim_grid *g, uint32_t a, uint32_t b);
/* Messages for such updates, for volatile data behind a volatile flag, for unordered volatile data, and for a look. */
extern const char sim_lost_update[], sim_old_data[], sim_left_to_chance[], sim_look_first[];
/* True for an ordinary load whose value is the expected value of a compare-and-swap: the swap detects a wrong value. */
static inline bool sim_is_guess(const sim_grid *g, uint32_t instruction) {
    return g->uses && g->uses[instruction] & SIM_USE_GUESSES;
}
/* True if the two accesses cannot race: strong accesses do not, except lanes of a warp that rely on lockstep, updates,
 * and volatile data. `state` describes what was written. */
static inline bool sim_cannot_race(const sim_visit *k, uint8_t state, uint32_t actor, uint32_t instruction) {
    const sim_grid *g = k->w->sm->grid;
    if (!k->strong || !(state & SIM_CELL_ATOMIC)) return false;
    if (!g->uses) return true;
    if (sim_may_lose_update(g, k->instruction, instruction)) return false;
    if (actor == k->actor && sim_counts_on_lockstep(g, k->instruction, instruction)) return false;
    return !sim_is_left_to_chance(g, k->instruction, instruction);
}
/* flag.c. True if the visit loads volatile data that the writer of a flag, for which the thread waited, stored before.
 */
bool sim_was_told(const sim_visit *k, uint32_t actor, uint32_t time, uint32_t instruction);
/* products.c. True if a warp of the visitor's warpgroup has read by a product, and the visitor knows only by its own
 * wait for the product that this is over. */
bool sim_relies_on_own_wait(const sim_visit *k, uint32_t actor, const sim_read *r);
/* warpgroup.c. True if the visitor reads for a product that its warp had issued at that time, and a thread of its
 * warpgroup has written the word before its own warp issued that product. */
bool sim_comes_before_product(const sim_visit *k, const sim_cell *c, uint32_t issued);
/* products.c. True if the visitor's warp has issued the product and has not waited for it. */
bool sim_has_yet_to_wait(const sim_visit *k, uint32_t instruction);

/* Record the lanes' read or write in the lines' rows. Return the lanes whose lines are detailed: cells must check
 * those. `state`: SIM_CELL_* of the write. */
uint32_t sim_lines_read(const sim_visit *k, const uint32_t address[SIM_LANES], unsigned bytes, uint32_t lanes);
uint32_t sim_lines_write(const sim_visit *k, const uint32_t address[SIM_LANES], unsigned bytes, uint32_t lanes,
                         uint8_t state);
/* A cp.async of these lanes is complete, and k->actor knows: its rows become rows of ordinary writes. Returns the lanes
 * whose lines are detailed. Without `by_rows` all of its lines become detailed. */
uint32_t sim_lines_arrived(const sim_visit *k, const uint32_t address[SIM_LANES], unsigned bytes, uint32_t lanes,
                           bool by_rows);
/* Record parts that whole warps read or write. Return false, with no finding, if rows cannot; then the accesses must be
 * made one by one. */
bool sim_lines_read_parts(sim_visit *k, uint32_t line, sim_part_list *list);
bool sim_lines_write_parts(sim_visit *k, uint32_t line, const sim_part_list *list);
/* Puts all reads of the line, in the warp's block, into rows. */
void sim_lines_record_late(const sim_warp *w, uint32_t address);
/* Makes the lines from `address` on detailed. */
bool sim_lines_detail(const sim_visit *k, uint32_t address, uint32_t bytes);
bool sim_line_is_detailed(const sim_block *b, uint32_t address);
/* Returns the actor's read entries, one per word; NULL if the host runs out of memory. */
sim_read *sim_reads_of(const sim_visit *k, uint32_t actor);
bool sim_has_byte_cells(const sim_visit *k);
/* Returns the number of words that have cells: a block's shared memory, rounded up to whole lines. */
static inline size_t sim_shadow_words(const sim_grid *g) {
    return (g->shared_bytes / SIM_FOOTPRINT_LINE + 1) * (SIM_FOOTPRINT_LINE / 4);
}
/* The block begins: nothing in its threads' frames has been written. */
void sim_hazard_local_start(const sim_block *b);

/* variable.c. Called before an access to the warp's own block's shared memory. `is_strong`: an atomic or the like. */
void sim_hazard_inside(sim_warp *w, uint32_t instruction, uint32_t active, const uint32_t address[SIM_LANES],
                       uint32_t bytes, haul_action action, bool is_strong);
/* Called before a write to global memory, at `address` by the first lane: reports it if it is to a constant variable.
 */
void sim_hazard_constant(sim_warp *w, const sim_op *op, uint32_t active, uint64_t address, haul_action action);

/* flight.c. The warp's lane issued a bulk copy to or from block `to`; a load arrived on the mbarrier `actor`; a
 * cp.async was issued; the block ends. */
void sim_flight_begin(sim_warp *w, unsigned lane, const sim_block *to, const sim_bulk *bulk);
void sim_flight_arrived(const sim_block *b, const sim_bulk *bulk, uint32_t actor);
void sim_flight_copy(const sim_block *b, uint32_t lanes, sim_copy *c);
void sim_flights_finish(sim_block *b);
/* Called before an access to global memory. sim_flights_matter(): false if that is not necessary. */
bool sim_flights_matter(const sim_warp *w, haul_action action);
void sim_flight_check(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                      haul_action action);

/* Called before the lane changes the tensor map at the address. */
void sim_flight_check_map(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address);

/* proxy.c. Joins as many proxy vectors as the kernel needs. */
void sim_proxies_join(const sim_domain *d, sim_known *to, const sim_known *from);
/* A load that completes on the mbarrier, of block b, has been issued. */
void sim_proxy_check_mbarrier(sim_warp *w, unsigned lane, const sim_watched_mbarrier *m, const sim_block *b,
                              const sim_bulk *bulk);

/* relaxed.c. sim_is_relaxed(): true if a barrier instruction orders no memory. The next two: the warp's lanes arrive at
 * the gate, or wait for it, without memory order. */
bool sim_is_relaxed(const sim_warp *w, const sim_op *op);
/* True if the instruction has the scope .cta. */
bool sim_is_narrow(const sim_warp *w, const sim_op *op);
void sim_relaxed_arrive(const sim_warp *w, sim_gate *gate, int reach);
void sim_relaxed_pass(const sim_warp *w, const sim_gate *gate);
void sim_relaxed_fence(sim_warp *w, uint32_t active, uint8_t scope);
bool sim_relaxed_create(sim_domain *d, const sim_grid *g);
void sim_relaxed_start(sim_domain *d);
void sim_relaxed_free(sim_domain *d);

/* skipped_barrier.c. Lanes reach a block barrier; the domain restarts. */
void sim_skipped_arrive(sim_warp *w, const sim_op *op, uint32_t lanes);
void sim_skipped_check_warp(sim_warp *w, const sim_op *op, uint32_t id, uint32_t lanes);
void sim_skipped_start(sim_domain *d);

/* tmem_order.c. Describes a use; returns an earlier one that conflicts with it and that its thread does not know to be
 * over, or NULL; remembers it; columns are deallocated; the domain restarts. */
sim_tmem_use sim_tmem_use_of(const sim_warp *w, const sim_op *op, uint32_t lanes, bool writes, sim_tmem_area area);
const sim_tmem_use *sim_tmem_order_check(const sim_warp *w, const sim_tmem_use *use);
void sim_tmem_order_note(const sim_warp *w, const sim_tmem_use *use);
void sim_tmem_order_forget(const sim_warp *w, const sim_tmem_area *area);
void sim_tmem_order_start(sim_domain *d);

/* warpgroup.c. The block ends; the domain restarts. */
void sim_warpgroups_finish(sim_block *b);
void sim_warpgroups_start(sim_domain *d);

/* group.c. Lanes reach a named barrier with a count; a barrier opens; the domain restarts. */
void sim_group_arrive(sim_warp *w, const sim_op *op, uint32_t id, uint32_t lanes);
void sim_group_open(const sim_block *b, uint32_t id);
void sim_groups_start(sim_domain *d, uint32_t blocks);
/* peer.c. The warp's lane sends block b a copy or reduction that reads, or adds to, these bytes of `owner`; it
 * completes on its mbarrier; the block restarts. */
bool sim_passage_begin(sim_warp *w, unsigned lane, const sim_block *owner, const sim_block *b, const sim_bulk *bulk,
                       uint32_t from, bool adds);
void sim_passage_done(const sim_block *owner, const sim_block *b, const sim_bulk *bulk, uint32_t from, bool adds);
void sim_passages_start(sim_shadow *s);
/* tail.c. True if the unwritten bytes at the address follow written ones within a line. The last written byte must have
 * been read at the same source line too. */
bool sim_shadow_is_tail(const sim_warp *w, uint32_t instruction, uint32_t address);
/* Returns row `i` of the actor's reads of a line; NULL if there is none. */
static inline sim_read_row *sim_read_row_of(const sim_line_reads *reads, uint32_t line, unsigned i) {
    enum { FIRST = SIM_LINE_FIRST_READERS, MORE = SIM_LINE_READERS - FIRST };
    if (i < FIRST) return reads->first ? &reads->first[(size_t)line * FIRST + i] : NULL;
    return reads->more ? &reads->more[(size_t)line * MORE + i - FIRST] : NULL;
}
bool sim_line_is_written(const sim_block *b, uint32_t address);
/* contest.c. A value read from a contested word is used; the block ends. */
void sim_contest_used(const sim_block *b, uint8_t contest);
void sim_contests_finish(const sim_block *b);
/* remote.c. Lanes access memory or an mbarrier of another block; the block ends. */
void sim_remote_note(const sim_warp *w, const sim_op *op, uint32_t active, const sim_block *owner);
void sim_remote_finish(const sim_block *b);
/* mbarrier.c. The lanes know that the phase of the mbarrier that they have waited for is over. */
void sim_mbarrier_tell(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t address);
/* A lane issues a copy that completes on the mbarrier, of block b: checks that the lane knows its initialisation,
 * unless the last arrival was the lane's own, for which that was checked. */
void sim_mbarrier_check_copy(sim_warp *w, unsigned lane, const sim_watched_mbarrier *m, const sim_block *b,
                             const sim_bulk *bulk);
/* peek.c. A wait of the warp's lanes that the program may pass over has succeeded; the lanes execute an instruction
 * that passes on or checks what they know; a cluster starts. */
void sim_peek_note(sim_warp *w, const sim_op *op, uint32_t lanes, uint32_t address);
void sim_peek_settle_lanes(sim_warp *w, uint32_t instruction, uint32_t lanes);
static inline void sim_peek_settle(sim_warp *w, uint32_t instruction, uint32_t lanes) {
    if (sim_domain_of(w->block)->has_peeks) sim_peek_settle_lanes(w, instruction, lanes);
}
void sim_peeks_start(sim_domain *d);
/* phase.c. A lane initialises or invalidates an mbarrier between two phases; it arrives or expects bytes; it issues a
 * copy that completes on the mbarrier; a wait for it is over; a phase ends. */
void sim_phase_again(sim_warp *w, const sim_op *op, unsigned lane, const sim_watched_mbarrier *m);
void sim_phase_signalled(sim_warp *w, uint32_t instruction, unsigned lane, const sim_watched_mbarrier *m);
void sim_phase_arrives(const sim_warp *w, sim_watched_mbarrier *m);
void sim_phase_fed(const sim_warp *w, unsigned lane, sim_watched_mbarrier *m);
void sim_phase_passed(sim_domain *d, sim_watched_mbarrier *m);
void sim_phase_ended(sim_domain *d, sim_watched_mbarrier *m);
/* stale.c. The warp reached a barrier, signalled an mbarrier or issued a copy; it signals this mbarrier; its lanes'
 * wait for an mbarrier is over; an mbarrier was initialised. */
void sim_stale_progress(const sim_warp *w);
void sim_stale_signalled(const sim_warp *w, sim_watched_mbarrier *m);
void sim_stale_pass(sim_warp *w, const sim_op *op, uint32_t lanes, sim_watched_mbarrier *m);
void sim_stale_forget(const sim_domain *d, sim_watched_mbarrier *m);
/* An mbarrier is initialised or invalidated at the address; meanwhile nothing else may be written there. */
void sim_shadow_mbarrier(const sim_block *b, uint32_t address, bool live);

/* stale.c. True if a wait for an old phase explains the suspect. That wait is then reported instead. */
bool sim_stale_explains(const sim_warp *w, const sim_suspect *s);
/* Reports a finding. Returns NULL if it was merged into an existing one. */
sim_finding *sim_hazard_report(sim_warp *w, const sim_suspect *s);
/* The same for what these lanes do by themselves: no other thread has a part in it. */
sim_finding *sim_hazard_report_lanes(sim_warp *w, const sim_op *op, uint32_t lanes, haul_finding_kind kind,
                                     haul_action action);
/* Adds these lanes of the warp to the finding reported last. */
void sim_hazard_concerns(const sim_warp *w, uint32_t lanes);
void sim_hazard_join(sim_domain *d, const sim_threads *threads);
void sim_hazard_say(sim_finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says that nothing orders the lanes `a` and `b` of a warp; `more` ends the sentence. */
void sim_hazard_say_lanes(sim_finding *f, unsigned a, unsigned b, const char *more);

#endif
