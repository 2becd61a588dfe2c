#include "check/flag_words.h"

#include "base/memory.h"
#include "check/global_shadow.h"
#include "check/wait_condition.h"
#include "machine/memory.h"
#include "ptx/traits.h"

#include <string.h>

/* Writes and readers that are remembered for each word, and words of global memory and of a block's shared memory. A
 * new word takes the place of another. */
enum { WRITES = 16, READERS = 16, GLOBAL_WORDS = 512, SHARED_WORDS = 16 };
#define NO_CLUSTER UINT32_MAX

/* A write. Its value is known when the next one comes, or a read. */
typedef struct flag_write {
    uint32_t value, cluster, instruction, time;
    uint32_t age;     /* number of the next release */
    uint32_t thread;  /* in the cluster */
    uint8_t bytes;    /* of each element that it writes */
    bool is_store;    /* not a read-modify-write */
    bool counts;      /* it adds to what was there */
    bool takes;       /* its thread had waited for the value before */
    sim_known fenced; /* those of its warp's accesses that a fence came after */
    sim_heard heard;  /* what a reader hears */
    sim_floor seen;
} flag_write;

typedef struct flag_reader {
    uint32_t cluster, thread;
    uint32_t read;   /* number of the write that it has read last */
    uint32_t before; /* the same when its last wait began */
    uint32_t seen;   /* number of a write that any load of it must have seen */
    bool has_waited; /* that wait has ended */
    uint64_t beside; /* the word that the wait compared, if it is another one of the same load; 0: none */
    uint32_t beside_read, time, age, instruction;
} flag_reader;

/* Write 0 is what was there before the first one. */
typedef struct flag_word {
    uint64_t address; /* 0: free */
    uint32_t count, readers;
    bool is_polled; /* some loop has waited for it */
    bool has_part;  /* `part`: the last write of some of the word's bytes */
    flag_write part;
    bool clashes;                /* the two of `clash` are to be reported once the word is polled */
    flag_write clash[2];         /* two writes of which one may be lost */
    flag_write writes[WRITES];   /* a ring */
    flag_reader reader[READERS]; /* a ring */
} flag_word;

struct sim_flag_words {
    uint32_t size;
    flag_word words[];
};

/* ---- words ---- */

/* Shared memory of a cluster's blocks is not told apart here. In global memory nothing is kept of what blocks do at the
 * same time. */
static bool is_followed(const sim_warp *w, uint64_t address) {
    const sim_wait_conditions *waits = w->sm->grid->conditions;
    return sim_is_shared_address(address) ? waits->in_shared && w->sm->grid->cluster_blocks == 1
                                          : waits->in_global && w->sm->serial;
}

static sim_flag_words **words_of(const sim_warp *w, uint64_t address) {
    sim_domain *d = sim_domain_of(w->block);
    return sim_is_shared_address(address) ? &d->flag_words : &d->owner->watch->flag_words;
}

static flag_word *slot_of(sim_flag_words *words, uint64_t address) {
    return &words->words[(size_t)(address / 4 * 0x9e3779b97f4a7c15ull >> 40) % words->size];
}

static const flag_word *find(const sim_warp *w, uint64_t address) {
    sim_flag_words *words = is_followed(w, address) ? *words_of(w, address) : NULL;
    const flag_word *word = words ? slot_of(words, address) : NULL;
    return word && word->address == address ? word : NULL;
}

static uint64_t value_at(const sim_warp *w, uint64_t address, uint8_t bytes) {
    const void *from = sim_is_shared_address(address) ? w->block->shared + (address & ~SIM_WINDOW_MASK)
                                                      : sim_memory_at(w->sm->grid->memory, address, bytes);
    uint64_t value = 0;
    if (from) memcpy(&value, from, bytes);
    return value;
}

uint32_t sim_flag_value(const sim_warp *w, uint64_t address) {
    return (uint32_t)value_at(w, address, sizeof(uint32_t));
}

sim_flag_match sim_flag_compare(const sim_warp *w, const sim_op *op, unsigned lane, uint64_t address) {
    const ptx_operand *o = &sim_instruction_of(w, op->instruction)->operands[2];
    if ((op->bytes != 4 && op->bytes != 8) || (o->kind != PTX_REGISTER && o->kind != PTX_INTEGER))
        return SIM_FLAG_UNKNOWN;
    uint64_t value = sim_integer_in(w, o, 8u * op->bytes, lane);
    if (op->bytes == 4) value = (uint32_t)value;
    return value_at(w, address, op->bytes) == value ? SIM_FLAG_SAME : SIM_FLAG_OTHER;
}

static sim_flag_words *new_words(uint32_t size) {
    sim_flag_words *words = memory_zeroed(1, sizeof *words + size * sizeof *words->words);
    if (words) words->size = size;
    return words;
}

/* Returns the word's entry, with the value of its last write; NULL if the host runs out of memory. */
static flag_word *note(sim_warp *w, uint64_t address) {
    sim_flag_words **words = words_of(w, address);
    if (!*words) *words = new_words(sim_is_shared_address(address) ? SHARED_WORDS : GLOBAL_WORDS);
    if (!*words) {
        sim_domain_of(w->block)->owner->failed = true;
        return NULL;
    }
    flag_word *word = slot_of(*words, address);
    if (word->address != address) {
        *word = (flag_word){.address = address, .count = 1};
        word->writes[0].cluster = NO_CLUSTER;
        sim_flag_hears(w, address, &word->writes[0].heard, &word->writes[0].seen);
    }
    word->writes[(word->count - 1) % WRITES].value = sim_flag_value(w, address);
    return word;
}

static const flag_write *write_at(const flag_word *word, uint32_t number) {
    return &word->writes[number % WRITES];
}

/* Returns the number of the earliest write that is remembered. */
static uint32_t first_write(const flag_word *word) {
    return word->count > WRITES ? word->count - WRITES : 0;
}

/* ---- threads ---- */

static uint32_t thread_of(const sim_warp *w, unsigned lane) {
    return sim_actor(w) * SIM_LANES + lane;
}

static bool is_by(const flag_write *x, const sim_warp *w, unsigned lane) {
    return x->cluster == sim_domain_of(w->block)->cluster_index && x->thread == thread_of(w, lane);
}

/* True if the lane knows of the write, so that it cannot read an earlier value. */
static bool knows(const sim_warp *w, unsigned lane, const flag_write *x) {
    sim_domain *d = sim_domain_of(w->block);
    const sim_view *v = sim_view_of(d, sim_actor(w), lane);
    if (x->cluster == NO_CLUSTER || is_by(x, w, lane)) return true;
    if (x->cluster == d->cluster_index) return sim_knows_thread(v->order, x->thread, x->time);
    return v->floor.all >= x->age && v->floor.all_from & sim_source_bit(x->cluster);
}

static flag_reader *reader_of(flag_word *word, const sim_warp *w, unsigned lane) {
    const uint32_t cluster = sim_domain_of(w->block)->cluster_index, thread = thread_of(w, lane);
    for (uint32_t i = 0; i < READERS && i < word->readers; i++)
        if (word->reader[i].cluster == cluster && word->reader[i].thread == thread) return &word->reader[i];
    return NULL;
}

/* Returns the number of the write that the lane had read last when the wait began in which it is. */
static uint32_t read_before(flag_word *word, const sim_warp *w, unsigned lane) {
    const flag_reader *r = reader_of(word, w, lane);
    return !r ? 0 : r->has_waited ? r->read : r->before;
}

static flag_reader *note_reader(flag_word *word, const sim_warp *w, unsigned lane, bool has_waited) {
    const sim_domain *d = sim_domain_of(w->block);
    const uint32_t before = read_before(word, w, lane);
    flag_reader *r = reader_of(word, w, lane);
    const uint32_t seen = r ? r->seen : 0;
    if (!r) r = &word->reader[word->readers++ % READERS];
    *r = (flag_reader){.cluster = d->cluster_index,
                       .thread = thread_of(w, lane),
                       .read = word->count - 1,
                       .before = before,
                       .seen = seen,
                       .has_waited = has_waited,
                       .time = d->now,
                       .age = sim_watch_age(d->owner->watch)};
    return r;
}

/* ---- reports ---- */

/* An access of the other thread. */
typedef struct other_access {
    uint32_t cluster, thread, instruction;
    haul_action action;
} other_access;

static other_access access_of(const flag_write *x) {
    return (other_access){x->cluster, x->thread, x->instruction, HAUL_ACTION_WRITE};
}

static void concern(sim_domain *d, other_access x) {
    sim_findings_concern(&d->owner->findings, (uint64_t)x.cluster * d->actors + x.thread / SIM_LANES,
                         1u << x.thread % SIM_LANES);
}

static void report_pair(sim_warp *w, uint64_t address, other_access a, other_access b, const char *what) {
    sim_domain *d = sim_domain_of(w->block);
    const bool shared = sim_is_shared_address(address);
    const haul_finding found = {
        .kind = shared ? HAUL_FINDING_RACE_SHARED : HAUL_FINDING_RACE_GLOBAL,
        .grade = HAUL_GRADE_ERROR,
        .access = sim_watch_access(d->owner->watch, a.cluster, a.thread, a.action, a.instruction),
        .other = sim_watch_access(d->owner->watch, b.cluster, b.thread, b.action, b.instruction),
        .space = shared ? HAUL_SPACE_SHARED : HAUL_SPACE_GLOBAL,
        .address = shared ? address & ~SIM_WINDOW_MASK : address,
        .bytes = 4};
    sim_finding *f = sim_findings_add(&d->owner->findings, &found);
    concern(d, a);
    concern(d, b);
    if (!f) return;
    sim_finding_locate(w->sm->grid, f);
    sim_hazard_say(f, "%s", what);
}

static void report(sim_warp *w, const sim_op *op, haul_action action, unsigned lane, uint64_t address, other_access x,
                   const char *what) {
    const other_access own = {sim_domain_of(w->block)->cluster_index, thread_of(w, lane), op->instruction, action};
    report_pair(w, address, own, x, what);
}

/* ---- words that are read together but were written apart ---- */

static const char apart[] = "one load reads this word together with the one that the loop waits for, but two stores "
                            "write them: the loop may end with the new value of one and the old value of the other. "
                            "Store both by one instruction";

/* True if the two words were written by one thread, but not by one store. */
static bool are_apart(const flag_write *a, const flag_write *b) {
    return a->cluster == b->cluster && a->cluster != NO_CLUSTER && a->thread == b->thread &&
           (a->time != b->time || a->instruction != b->instruction);
}

static bool is_fenced(const flag_write *earlier, const flag_write *later) {
    return sim_known_lanes(&later->fenced, earlier->time) >> earlier->thread % SIM_LANES & 1;
}

/* Two words of one load whose loop has ended, `flag` among those that it compares. `without_last`: the loop also ends
 * without the later of the two writes. */
static void check_pair(sim_warp *w, const sim_op *op, unsigned lane, const flag_word *flag, const flag_word *data,
                       bool without_last) {
    const flag_write *a = write_at(flag, flag->count - 1), *b = write_at(data, data->count - 1);
    const bool flag_last = a->time > b->time;
    if (!are_apart(a, b) || knows(w, lane, b) || (flag_last && !without_last && is_fenced(b, a))) return;
    report(w, op, HAUL_ACTION_READ, lane, data->address, access_of(b), apart);
}

/* A load of several words, or of one value that has two words. */
static void check_words(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, const sim_wait_condition *c) {
    const uint64_t at = address + (uint64_t)c->part * c->bytes;
    const flag_word *flag = find(w, at);
    if (c->bytes == 8) {
        const flag_word *high = find(w, at + 4);
        if (!flag || !high) return;
        const bool high_last = write_at(high, high->count - 1)->time > write_at(flag, flag->count - 1)->time;
        const flag_word *last = high_last ? high : flag;
        if (last->count < 2) return;
        const uint64_t before = write_at(last, last->count - 2)->value;
        const uint64_t low = high_last ? sim_flag_value(w, at) : before,
                       top = high_last ? before : sim_flag_value(w, at + 4);
        check_pair(w, op, lane, flag, high, sim_wait_ends(w, c, lane, top << 32 | low));
        return;
    }
    for (uint64_t word = address; flag && word < address + op->bytes; word += 4) {
        const flag_word *data = word != at ? find(w, word) : NULL;
        if (data) check_pair(w, op, lane, flag, data, false);
    }
}

/* The lane's wait has ended. Remembers for each further word of the load which value the loop has compared. */
static void note_together(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, const flag_word *flag) {
    for (uint64_t at = address; at < address + op->bytes; at += 4) {
        const bool has_own = *words_of(w, at) && slot_of(*words_of(w, at), at) != flag;
        flag_word *word = has_own ? note(w, at) : NULL;
        if (!word) continue;
        flag_reader *r = note_reader(word, w, lane, true);
        r->beside = flag->address;
        r->beside_read = flag->count - 1;
        r->instruction = op->instruction;
    }
}

/* True if the lane knows that the read is over. */
static bool knows_read(const sim_warp *w, unsigned lane, const flag_reader *r) {
    sim_domain *d = sim_domain_of(w->block);
    const sim_view *v = sim_view_of(d, sim_actor(w), lane);
    if (r->cluster == d->cluster_index)
        return r->thread == thread_of(w, lane) || sim_knows_thread(v->order, r->thread, r->time);
    return v->floor.reads >= r->age && v->floor.reads_from & sim_source_bit(r->cluster);
}

/* The lane has written a word. Others may have read it together with one that the lane wrote before. */
static void check_late(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address) {
    const flag_word *word = find(w, address);
    for (uint32_t i = 0; word && i < READERS && i < word->readers; i++) {
        const flag_reader *r = &word->reader[i];
        const flag_word *flag = r->beside ? find(w, r->beside) : NULL;
        if (!flag || flag->count - 1 != r->beside_read || !is_by(write_at(flag, r->beside_read), w, lane)) continue;
        if (knows_read(w, lane, r)) continue;
        const other_access read = {r->cluster, r->thread, r->instruction, HAUL_ACTION_READ};
        report(w, op, HAUL_ACTION_WRITE, lane, address, read, apart);
        return;
    }
}

/* ---- words that are written and read in different sizes ---- */

static const char other_size[] =
    "the loop waits for what an access of another size writes: such accesses do not synchronise, so the loop may end "
    "without what came before the write. Use one size for both";

/* The lane's wait has ended. Strong accesses that overlap in part are not morally strong, and so never synchronise. */
static void check_sizes(sim_warp *w, const sim_op *op, unsigned lane, const flag_word *word,
                        const sim_wait_condition *c) {
    if (!word) return;
    const flag_write *last = write_at(word, word->count - 1), *x = word->has_part ? &word->part : last;
    if (x->cluster == NO_CLUSTER || x->bytes == c->bytes || knows(w, lane, x)) return;
    report(w, op, HAUL_ACTION_READ, lane, word->address, access_of(x), other_size);
}

/* ---- two threads that find a word free ---- */

static const char both_take[] =
    "both threads may have found this value before either stores: a test and a store are two steps and no lock. Use "
    "atomicCAS() or atomicExch()";

/* A thread whose wait has ended will store to the word. If others have stored there after the same wait, and nothing
 * else orders the two, both may have seen the same value. */
static void check_taken(sim_warp *w, const sim_op *op, unsigned lane, flag_word *word, const sim_wait_condition *c) {
    const uint32_t first = first_write(word), seen = read_before(word, w, lane);
    if (word->readers > READERS) return;
    for (uint32_t k = word->count - 1; k > first && k > seen; k--) {
        const flag_write *x = write_at(word, k);
        if (knows(w, lane, x)) return;
        if (!x->is_store || !x->takes || !sim_wait_ends(w, c, lane, write_at(word, k - 1)->value)) continue;
        report(w, op, HAUL_ACTION_READ, lane, word->address, access_of(x), both_take);
        return;
    }
}

/* Returns the number of the earliest write with whose value the lane's wait might have ended. */
static uint32_t earliest(const sim_warp *w, const flag_word *word, unsigned lane, const sim_wait_condition *c) {
    uint32_t k = word->count - 1;
    const uint32_t first = first_write(word);
    while (k > first && !knows(w, lane, write_at(word, k)) && sim_wait_ends(w, c, lane, write_at(word, k - 1)->value))
        k--;
    return k;
}

/* ---- two writes of which one is lost ---- */

static const char lost_count[] =
    "nothing orders the addition and the store to a word that a loop waits for: the store may come last and lose it";
static const char lost_value[] = "nothing orders the two stores of different values to a word that a loop waits for: "
                                 "the one that comes first is lost, and the loop may wait for it";

/* True if the lane's write comes after write `number`: it knows of it, or of a thread that has seen it. */
static bool is_behind(const sim_warp *w, unsigned lane, const flag_word *word, uint32_t number) {
    if (knows(w, lane, write_at(word, number))) return true;
    for (uint32_t i = 0; i < READERS && i < word->readers; i++)
        if (word->reader[i].seen >= number && knows_read(w, lane, &word->reader[i])) return true;
    return false;
}

/* True if the order of the two decides which value stays. `value`: of the later one, if it is a store. */
static bool may_lose(const flag_write *earlier, const flag_write *later, uint32_t value) {
    if (earlier->is_store && later->is_store) return earlier->value != value;
    return (earlier->is_store && later->counts) || (earlier->counts && later->is_store);
}

/* Reports the two writes if the word is polled. Of two stores, only one may have the value that the loop waits for. */
static void report_clash(sim_warp *w, flag_word *word, const char *what) {
    if (!word->is_polled || !word->clashes) return;
    report_pair(w, word->address, access_of(&word->clash[1]), access_of(&word->clash[0]), what);
    word->clashes = false;
}

/* The lane polls the word, whose wait has that condition. If the loop also ends by another word, as in Peterson's lock,
 * it need not wait for what is lost. */
static void check_polled(sim_warp *w, unsigned lane, flag_word *word, const sim_wait_condition *c) {
    const flag_write *a = &word->clash[0], *b = &word->clash[1];
    if (!c->is_only) return;
    word->is_polled = true;
    if (a->counts || b->counts)
        report_clash(w, word, lost_count);
    else if (word->clashes && sim_wait_ends(w, c, lane, a->value) != sim_wait_ends(w, c, lane, b->value))
        report_clash(w, word, lost_value);
}

/* Looks for an earlier write that nothing orders before the lane's. Whatever came before an ordered one is ordered, or
 * was found then. */
static void check_clash(sim_warp *w, unsigned lane, flag_word *word, const flag_write *x, uint32_t value) {
    const uint32_t first = first_write(word);
    if (word->readers > READERS) return;
    for (uint32_t k = word->count - 1; k > first && !is_behind(w, lane, word, k); k--) {
        if (!may_lose(write_at(word, k), x, value)) continue;
        word->clash[0] = *write_at(word, k);
        word->clash[1] = *x;
        word->clash[1].value = value;
        word->clashes = true;
        if (x->counts || word->clash[0].counts) report_clash(w, word, lost_count);
        return;
    }
}

/* ---- hooks ---- */

/* The lane has read the word, and may have read any value from write `from` on. */
static void note_seen(sim_warp *w, unsigned lane, flag_word *word, uint32_t from) {
    flag_reader *r = reader_of(word, w, lane);
    const bool has_waited = r && r->has_waited;
    if (!r) r = note_reader(word, w, lane, false), r->read = 0, r->has_waited = has_waited;
    if (from > r->seen) r->seen = from;
    r->time = sim_domain_of(w->block)->now;
    r->age = sim_watch_age(sim_domain_of(w->block)->owner->watch);
}

static void read_by(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address) {
    const sim_wait_condition *c = &w->sm->grid->conditions->of[op->instruction];
    const uint64_t at = address + (uint64_t)c->part * c->bytes;
    flag_word *word = note(w, at);
    if (!word) return;
    for (uint64_t other = address; other < address + op->bytes; other += 4)
        if (find(w, other)) note(w, other);
    const uint64_t high = c->bytes == 8 ? sim_flag_value(w, at + 4) : 0;
    const bool ends = sim_wait_ends(w, c, lane, high << 32 | sim_flag_value(w, at));
    for (uint64_t part = at; ends && part < at + c->bytes; part += 4) check_sizes(w, op, lane, find(w, part), c);
    if (ends && op->bytes > 4) check_words(w, op, lane, address, c);
    if (ends && op->bytes > 4) note_together(w, op, lane, address, word);
    if (ends && op->bytes == 4 && c->takes) check_taken(w, op, lane, word, c);
    note_reader(word, w, lane, ends);
    if (op->bytes != 4) return;
    check_polled(w, lane, word, c);
    note_seen(w, lane, word, ends && c->is_all ? earliest(w, word, lane, c) : word->count - 1);
}

/* Loads that no loop waits for see the last value of words that are remembered. */
static void see_words(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address) {
    for (uint64_t at = address & ~UINT64_C(3); at < address + op->bytes; at += 4)
        if (find(w, at)) {
            flag_word *word = note(w, at);
            note_seen(w, lane, word, word->count - 1);
        }
}

void sim_flag_words_read(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES]) {
    const bool waits = w->sm->grid->conditions->of[op->instruction].test;
    for (; active; active &= active - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(active);
        if (!is_followed(w, address[lane])) continue;
        if (waits)
            read_by(w, op, lane, address[lane]);
        else
            see_words(w, op, lane, address[lane]);
    }
}

static bool is_count(const ptx_instruction *i) {
    const unsigned what = i->mods[PTX_SLOT_ATOMIC];
    return ptx_is(i->op, PTX_KIND_ATOMIC | PTX_KIND_REDUCTION) &&
           (what == PTX_MOD_ATOM_ADD || what == PTX_MOD_ATOM_INC || what == PTX_MOD_ATOM_DEC);
}

static void written_by(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, uint32_t time, uint32_t age) {
    const sim_domain *d = sim_domain_of(w->block);
    const ptx_instruction *i = sim_instruction_of(w, op->instruction);
    const sim_known *fences = d->fences[sim_is_shared_address(address) ? SIM_FENCES_NEAR : SIM_FENCES_FAR];
    flag_word *word = note(w, address);
    if (!word) return;
    const flag_reader *own = reader_of(word, w, lane);
    flag_write x = {.cluster = d->cluster_index,
                    .instruction = op->instruction,
                    .time = time,
                    .age = age,
                    .thread = thread_of(w, lane),
                    .bytes = (uint8_t)(ptx_bits(i->type) / 8),
                    .is_store = i->op == PTX_OP_ST,
                    .counts = is_count(i),
                    .takes = own && own->has_waited && own->read == word->count - 1};
    if (op->flags & SIM_OP_RELEASES)
        x.fenced = (sim_known){.all = time};
    else if (fences)
        x.fenced = fences[sim_actor(w)];
    sim_flag_hears(w, address, &x.heard, &x.seen);
    if (x.counts || (x.is_store && op->bytes == 4 && op->count == 1))
        check_clash(w, lane, word, &x, SIM_SLOT(w, uint32_t, op->d)[lane]);
    word->writes[word->count++ % WRITES] = x;
    word->has_part = false;
}

/* The lane has written one or two bytes of the word. */
static void part_written_by(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, uint32_t time,
                            uint32_t age) {
    flag_word *word = note(w, address & ~UINT64_C(3));
    if (!word) return;
    word->has_part = true;
    word->part = (flag_write){.cluster = sim_domain_of(w->block)->cluster_index,
                              .instruction = op->instruction,
                              .time = time,
                              .age = age,
                              .thread = thread_of(w, lane),
                              .bytes = op->bytes};
}

void sim_flag_words_written(sim_warp *w, const sim_op *op, uint32_t active, const uint64_t address[SIM_LANES],
                            uint32_t time, uint32_t age) {
    for (; active; active &= active - 1) {
        const unsigned lane = (unsigned)__builtin_ctz(active);
        if (!is_followed(w, address[lane])) continue;
        if (op->bytes < 4) {
            part_written_by(w, op, lane, address[lane], time, age);
            continue;
        }
        for (unsigned at = 0; at < op->bytes; at += 4) written_by(w, op, lane, address[lane] + at, time, age);
        for (unsigned at = 0; at < op->bytes; at += 4) check_late(w, op, lane, address[lane] + at);
    }
}

void sim_flag_words_early(sim_warp *w, const sim_op *op, unsigned lane, uint64_t address, sim_heard *heard,
                          sim_floor *seen) {
    const sim_wait_condition *c = &w->sm->grid->conditions->of[op->instruction];
    const flag_word *word = c->test && c->is_all && op->bytes == 4 ? find(w, address) : NULL;
    if (!word || !sim_wait_ends(w, c, lane, sim_flag_value(w, address))) return;
    const uint32_t k = earliest(w, word, lane, c);
    if (k == word->count - 1) return;
    const flag_write *x = write_at(word, k);
    const bool is_own = x->cluster == sim_domain_of(w->block)->cluster_index || x->cluster == NO_CLUSTER;
    if (is_own && heard->near > x->heard.near) heard->near = x->heard.near;
    heard->far = x->heard.far;
    heard->from = x->heard.from;
    *seen = x->seen;
}

void sim_flag_words_clear(sim_flag_words *words) {
    if (words) memset(words->words, 0, words->size * sizeof *words->words);
}
