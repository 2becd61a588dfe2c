/* wgmma: asynchronous products of a warpgroup (four warps). Each warp computes 16 of the 64 rows, and this file handles
 * one warp's part.
 *
 * The issue reads descriptors, predicate and metadata, checks all addresses, and queues the product. It is computed
 * when a warp of the warpgroup waits for the group (exec/products.c), or when a plain mov copies its registers: as late
 * as the rules allow, so that a missing wait shows. Factors are read in chunks of 16 bytes, whose places a descriptor
 * gives.
 *
 * a, b: slots of the descriptors; c, x: the predicate that keeps the sums, and its flip; more: a sim_product in the
 * pool; imm2: GROUP_* */
#include "base/memory.h"
#include "check/hazard.h"
#include "exec/fault.h"
#include "exec/ops/fragments.h"
#include "exec/ops/lanes.h"
#include "exec/ops/multiply.h"
#include "exec/ops/sparse.h"
#include "exec/ops/usual.h"
#include "exec/products.h"
#include "machine/machine.h"
#include "ptx/matrix.h"
#include "state/block.h"
#include "state/products.h"

/* Forms: a has a descriptor, not registers; a factor is stored along its other dimension; the product is subtracted. */
enum { GROUP_A_IN_MEMORY = 1, GROUP_TRANSPOSES_A = 2, GROUP_TRANSPOSES_B = 4, GROUP_NEGATES = 8 };
enum { ROWS_OF_WARP = 16, WORST_CHUNKS = 1024 };

/* ---- factors in shared memory ---- */

/* A factor in shared memory: `count` rows (of b: columns) from `first` on, with `depth` elements of `bits`. */
typedef struct described {
    sim_descriptor descriptor;
    uint32_t first, count, depth, bits;
} described;

/* The factors of the executing warp: its 16 rows of a, all columns of b. */
static described describe_a(const sim_warp *w, const sim_op *op, uint64_t bits) {
    const sim_product *p = sim_product_at(w, op);
    return (described){.descriptor = sim_descriptor_of(bits, op->imm2 & GROUP_TRANSPOSES_A),
                       .first = w->index % SIM_WARPGROUP * ROWS_OF_WARP,
                       .count = p->m,
                       .depth = sim_depth_of_a(p),
                       .bits = sim_element_bits(p->type_a)};
}

static described describe_b(const sim_warp *w, const sim_op *op, uint64_t bits) {
    const sim_product *p = sim_product_at(w, op);
    return (described){.descriptor = sim_descriptor_of(bits, op->imm2 & GROUP_TRANSPOSES_B),
                       .count = p->n,
                       .depth = p->k,
                       .bits = sim_element_bits(p->type_b)};
}

typedef void chunk_fn(void *context, const described *d, uint32_t row, uint32_t chunk, uint32_t address);

/* Calls `visit` for each chunk of the factor. If it is transposed, rows of chunks run along k. */
static void each_chunk(const described *d, chunk_fn *visit, void *context) {
    const uint32_t along = d->bits / 8, columns = (d->descriptor.transposed ? d->count : d->depth) * along / SIM_CHUNK;
    const uint32_t rows = d->descriptor.transposed ? d->depth : d->count;
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t chunk = 0; chunk < columns; chunk++) {
            const uint32_t first_row = d->descriptor.transposed ? 0 : d->first;
            const uint32_t first_chunk = d->descriptor.transposed ? d->first * along / SIM_CHUNK : 0;
            visit(context, d, row, chunk, sim_descriptor_chunk(&d->descriptor, first_row + row, first_chunk + chunk));
        }
    }
}

typedef struct chunk_list {
    uint32_t count, address[WORST_CHUNKS];
} chunk_list;

/* Collects the addresses for the checks. */
static void list_chunk(void *context, const described *d, uint32_t row, uint32_t chunk, uint32_t address) {
    chunk_list *list = context;
    (void)d, (void)row, (void)chunk;
    if (list->count < WORST_CHUNKS) list->address[list->count++] = address;
}

/* Element (row, k) of the factor goes to row * by_row + k * by_k. */
typedef struct reader {
    const unsigned char *shared;
    sim_factor *factor;
    uint32_t by_row, by_k;
} reader;

/* Spreads a chunk's elements over the factor. */
static void read_chunk(void *context, const described *d, uint32_t row, uint32_t chunk, uint32_t address) {
    const reader *r = context;
    const uint32_t bytes = d->bits / 8, each = SIM_CHUNK / bytes;
    for (uint32_t e = 0; e < each; e++) {
        const uint32_t along = chunk * each + e;
        const uint32_t own_row = d->descriptor.transposed ? along : row, k = d->descriptor.transposed ? row : along;
        uint32_t raw = 0;
        memcpy(&raw, r->shared + address + e * bytes, bytes);
        r->factor->raw[own_row * r->by_row + k * r->by_k] = raw;
    }
}

/* ---- factors as elements ---- */

/* Flips the signs of a: the product is subtracted from the sums. */
static void negate(sim_factor *f, const sim_product *p) {
    const uint32_t sign = 1u << (ptx_bits(p->type_a) - 1);
    for (uint32_t n = 0; n < p->m * sim_depth_of_a(p); n++) f->raw[n] ^= sign;
}

/* Reads both factors, as the copy engine's view has them: background products see no stores without a proxy fence. */
static void read_factors(sim_warp *w, const sim_op *op, const sim_pending_product *pending, sim_operands *o) {
    const sim_product *p = sim_product_at(w, op);
    const described a = describe_a(w, op, pending->a), b = describe_b(w, op, pending->b);
    const unsigned char *seen = w->block->engine_view;
    reader rows = {seen, &o->a, sim_depth_of_a(p), 1}, columns = {seen, &o->b, 1, p->n};
    if (op->imm2 & GROUP_A_IN_MEMORY)
        each_chunk(&a, read_chunk, &rows);
    else
        sim_gather_a(w, p, w->sm->grid->program->pool + p->a, &o->a);
    each_chunk(&b, read_chunk, &columns);
    if (op->imm2 & GROUP_NEGATES) negate(&o->a, p);
}

/* ---- usual products (usual.h) ---- */

/* Registers as mma has a factor: those of eight more rows and of four more words along k are `by_rows` and `by_words`
 * further on. */
typedef struct packer {
    const unsigned char *shared;
    uint32_t (*words)[SIM_LANES];
    uint32_t by_rows, by_words;
} packer;

/* A chunk is four words of a row or, transposed, a half of each of eight rows. */
static void pack_chunk(void *context, const described *d, uint32_t row, uint32_t chunk, uint32_t address) {
    const packer *p = context;
    const uint32_t upper = row / SIM_GROUPS, at = row % SIM_GROUPS;
    if (!d->descriptor.transposed) {
        memcpy(p->words[upper * p->by_rows + chunk * p->by_words] + at * SIM_GROUP_LANES, p->shared + address,
               SIM_CHUNK);
        return;
    }
    uint16_t *halves = (uint16_t *)(void *)p->words[chunk * p->by_rows + upper * p->by_words];
    for (uint32_t e = 0; e < SIM_GROUPS; e++)
        memcpy(halves + e * SIM_GROUPS + at, p->shared + address + e * sizeof *halves, sizeof *halves);
}

/* The rows of a are in registers or in shared memory. */
static void pack_factors(sim_warp *w, const sim_op *op, const sim_pending_product *pending,
                         uint32_t rows[SIM_MOST_A][SIM_LANES], uint32_t columns[SIM_MOST_B][SIM_LANES]) {
    const sim_product *p = sim_product_at(w, op);
    const described a = describe_a(w, op, pending->a), b = describe_b(w, op, pending->b);
    const unsigned count = sim_row_register_count(p->m * p->k, p->type_a), bits = ptx_bits(p->type_a);
    packer of_a = {w->block->engine_view, rows, 1, p->m / SIM_GROUPS};
    packer of_b = {w->block->engine_view, columns, count / (p->m / SIM_GROUPS), 1};
    uint32_t *registers[SIM_MOST_A], signs = 0;
    sim_row_slots(w, p->a, op->imm2 & GROUP_A_IN_MEMORY ? 0 : count, registers);
    if (op->imm2 & GROUP_A_IN_MEMORY)
        each_chunk(&a, pack_chunk, &of_a);
    else
        for (unsigned n = 0; n < count; n++) memcpy(rows[n], registers[n], sizeof rows[n]);
    each_chunk(&b, pack_chunk, &of_b);
    for (unsigned at = bits - 1; op->imm2 & GROUP_NEGATES && at < 32; at += bits) signs |= 1u << at;
    for (unsigned n = 0; n < count * SIM_LANES; n++) rows[n / SIM_LANES][n % SIM_LANES] ^= signs;
}

/* Returns false, with no effect, if the caller must take the general path. */
static bool make_usual(sim_warp *w, const sim_op *op, const sim_pending_product *pending) {
    const sim_product *p = sim_product_at(w, op);
    const unsigned sm = w->sm->grid->machine->sm;
    uint32_t rows[SIM_MOST_A][SIM_LANES], columns[SIM_MOST_B][SIM_LANES], *registers[SIM_MOST_SUM_REGISTERS];
    sim_row_registers r;
    float sum[SIM_MOST_SUMS];
    if (!sim_may_be_usual(p, sm)) return false;
    pack_factors(w, op, pending, rows, columns);
    for (unsigned n = 0; n < SIM_MOST_A; n++) r.a[n] = rows[n];
    for (unsigned n = 0; n < SIM_MOST_B; n++) r.b[n] = columns[n];
    sim_row_slots(w, p->d, sim_row_register_count(p->m * p->n, p->type_d), registers);
    if (pending->keeps)
        sim_load_sums(p, registers, sum);
    else
        memset(sum, 0, p->m * p->n * sizeof *sum);
    if (!sim_multiply_usual(p, &r, sm, sum)) return false;
    sim_store_sums(p, registers, w->live, sum);
    return true;
}

/* ---- execution ---- */

static void list_chunks(sim_warp *w, const sim_op *op, uint64_t a_bits, uint64_t b_bits, chunk_list *list) {
    const described a = describe_a(w, op, a_bits), b = describe_b(w, op, b_bits);
    list->count = 0;
    if (op->imm2 & GROUP_A_IN_MEMORY) each_chunk(&a, list_chunk, list);
    each_chunk(&b, list_chunk, list);
}

/* Computes a product, at its wait. All live lanes get sums, since the instruction is for whole warps. */
static void make(sim_warp *w, const sim_pending_product *pending) {
    const sim_op *op = pending->op;
    const sim_product *p = sim_product_at(w, op);
    const uint32_t *sums = w->sm->grid->program->pool + p->d;
    sim_operands o;
    if (w->sm->hazards && pending->effect != SIM_EFFECT_ONLY) {
        chunk_list list;
        list_chunks(w, op, pending->a, pending->b, &list);
        sim_hazard_factors_read(w, op, SIM_ALL_LANES, list.address, list.count, pending->issued);
    }
    if (pending->effect == SIM_CHECKS_ONLY || make_usual(w, op, pending)) return;
    read_factors(w, op, pending, &o);
    if (pending->keeps)
        sim_gather_sums(w, p, sums, &o);
    else
        memset(&o.sum, 0, sizeof o.sum);
    if (p->flags & SIM_PRODUCT_SPARSE) {
        sim_metadata m;
        sim_gather_metadata(pending->data, p, &m);
        sim_multiply_sparse(p, &o, &m, w->sm->grid->machine->sm, sim_multiply);
    } else {
        sim_multiply(p, &o, w->sm->grid->machine->sm);
    }
    sim_scatter_sums(w, p, sums, w->live, &o);
}

/* ---- issue ---- */

/* Chunks of the factors in the order in which list_chunks() has them. */
typedef struct unwritten_search {
    const uint16_t *bytes; /* of the next chunk: a bit for each that nobody has written */
    bool of_a;
    sim_unwritten_factors found;
} unwritten_search;

static void note_unwritten(void *context, const described *d, uint32_t row, uint32_t chunk, uint32_t address) {
    unwritten_search *s = context;
    const uint32_t each = SIM_CHUNK * 8 / d->bits, bytes = *s->bytes++;
    if (!bytes) return;
    for (uint32_t e = 0; e < each; e++) {
        const uint32_t at = d->descriptor.transposed ? chunk * each + e : row;
        if (!(bytes >> e * SIM_CHUNK / each & ((1u << SIM_CHUNK / each) - 1))) continue;
        if (s->of_a)
            s->found.rows |= 1u << at;
        else
            s->found.columns[at / 64] |= 1ull << at % 64;
    }
    s->found.address = address + (uint32_t)__builtin_ctz(bytes);
}

static void taint_sums(sim_warp *w, const sim_op *op, const sim_pending_product *p, const uint16_t *unwritten) {
    const described a = describe_a(w, op, p->a), b = describe_b(w, op, p->b);
    unwritten_search s = {.bytes = unwritten, .of_a = true};
    if (op->imm2 & GROUP_A_IN_MEMORY) each_chunk(&a, note_unwritten, &s);
    s.of_a = false;
    each_chunk(&b, note_unwritten, &s);
    sim_hazard_sums(w, op, &s.found);
}

/* Tells the checks of the product's reads. */
static void check_factors(sim_warp *w, const sim_op *op, sim_pending_product *p, const chunk_list *list) {
    uint16_t unwritten[WORST_CHUNKS] = {0}, any = 0;
    p->issued = sim_hazard_factors(w, op, SIM_ALL_LANES, list->address, list->count, unwritten);
    for (uint32_t n = 0; n < list->count; n++) any |= unwritten[n];
    if (any) taint_sums(w, op, p, unwritten);
}

/* Records the fault and returns false if a chunk is outside of shared memory. */
static bool check_chunks(sim_warp *w, const sim_op *op, const chunk_list *list) {
    for (uint32_t n = 0; n < list->count; n++) {
        if ((uint64_t)list->address[n] + SIM_CHUNK <= w->sm->grid->shared_bytes) continue;
        sim_fault_concerns(w, HAUL_SPACE_SHARED, list->address[n], SIM_CHUNK);
        sim_fault(w, op, HAUL_FINDING_OUT_OF_BOUNDS, 1, "matrix outside the block's shared memory: 16 bytes at 0x%x",
                  list->address[n]);
        return false;
    }
    return true;
}

static bool check_warpgroup(sim_warp *w, const sim_op *op) {
    if (w->index / SIM_WARPGROUP * SIM_WARPGROUP + SIM_WARPGROUP <= w->block->warp_count) return true;
    sim_fault(w, op, HAUL_FINDING_ILLEGAL_ACCESS, 1, "warp %u is not in a complete warpgroup of four warps", w->index);
    return false;
}

/* Metadata are read at issue, with the descriptors: the program may reuse their registers at once. */
static bool add(sim_warp *w, const sim_op *op, sim_pending_product *p) {
    const sim_product *product = sim_product_at(w, op);
    if (product->flags & SIM_PRODUCT_SPARSE) {
        p->data = memory_alloc(SIM_LANES * sizeof *p->data);
        if (!p->data) return false;
        memcpy(p->data, SIM_SLOT(w, uint32_t, product->metadata), SIM_LANES * sizeof *p->data);
    }
    if (sim_products_add(w, p)) return true;
    memory_free(p->data);
    return false;
}

/* The operands of one lane count: the ISA demands that they are the same in all. */
static sim_step issue(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    chunk_list list;
    const uint32_t lanes = sim_whole_warp(w, op, active, &step);
    if (!lanes) return step;
    const unsigned first = (unsigned)__builtin_ctz(lanes);
    sim_pending_product p = {.make = make, .op = op, .b = SIM_SLOT(w, uint64_t, op->b)[first]};
    p.keeps = (SIM_PREDICATE(w, op->c) ^ op->x) >> first & 1;
    if (op->imm2 & GROUP_A_IN_MEMORY) p.a = SIM_SLOT(w, uint64_t, op->a)[first];
    list_chunks(w, op, p.a, p.b, &list);
    if (!check_warpgroup(w, op) || !check_chunks(w, op, &list)) return SIM_STOP;
    if (w->sm->hazards) sim_hazard_warpgroup(w, op, lanes, SIM_STEP_PRODUCT);
    if (w->sm->hazards) check_factors(w, op, &p, &list);
    if (!add(w, op, &p))
        return sim_give_up(w, op, HAUL_ERROR_OUT_OF_MEMORY, lanes, "the host has no memory for a product in flight");
    if (w->sm->hazards) sim_hazard_products(w);
    return SIM_NEXT;
}

/* ---- groups ---- */

/* Closes the warp's group of products. */
static sim_step commit(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    if (!sim_whole_warp(w, op, active, &step)) return step;
    sim_products_commit(w);
    return SIM_NEXT;
}

/* imm: groups to leave in flight. Other warps may run next, as after each wait. A warp that waits for one of its
 * warpgroup goes on without it when nothing else can run: the kernel has diverged. */
static sim_step wait(sim_warp *w, const sim_op *op, uint32_t active) {
    sim_step step;
    const uint32_t lanes = sim_whole_warp(w, op, active, &step);
    if (!lanes) return step;
    if (!sim_products_wait(w, (uint32_t)op->imm, w->path->resumes))
        return sim_warp_wait(w, sim_pc(w, op), lanes, SIM_PATH_AT_PRODUCT);
    w->path->resumes = 0;
    return SIM_YIELD;
}

haul_status LOWER(WGMMA_COMMIT)(sim_lowering *l, const ptx_instruction *i) {
    (void)i;
    sim_emit(l, commit);
    return HAUL_OK;
}

/* The number of groups is a constant of the instruction. */
haul_status LOWER(WGMMA_WAIT)(sim_lowering *l, const ptx_instruction *i) {
    sim_emit(l, wait)->imm = (int64_t)i->operands[0].bits;
    return HAUL_OK;
}

/* ---- lowering ---- */

enum { SUMS, A, B, METADATA, SELECTOR, SPARSE_OPERANDS = 2 };
enum { KEEP, SIGN_A, SIGN_B, TRANS_A }; /* after b and the metadata */

/* Returns the operands after b and the metadata. */
static const ptx_operand *tail_of(const ptx_instruction *i) {
    return i->operands + B + 1 + (ptx_is_sparse(i) ? SPARSE_OPERANDS : 0);
}

/* Returns GROUP_*. Signs are 1 or -1: only their product matters. Transposition exists for halves only. */
static uint32_t flags_of(const ptx_instruction *i) {
    const bool in_memory = i->operands[A].kind != PTX_VECTOR, halves = ptx_bits(i->type2) == 16;
    const ptx_operand *tail = tail_of(i);
    uint32_t flags = in_memory ? GROUP_A_IN_MEMORY : 0;
    if (i->operand_count > tail - i->operands + SIGN_B && tail[SIGN_A].bits != tail[SIGN_B].bits)
        flags |= GROUP_NEGATES;
    if (halves && in_memory && tail[TRANS_A].bits) flags |= GROUP_TRANSPOSES_A;
    if (halves && tail[TRANS_A + in_memory].bits) flags |= GROUP_TRANSPOSES_B;
    return flags;
}

/* c and d are the same registers: a product adds to its own sums, or replaces them. */
static haul_status lower_group(sim_lowering *l, const ptx_instruction *i) {
    const uint32_t flags = flags_of(i);
    sim_product p = sim_product_of(i);
    uint32_t flip, a = SIM_SLOT_ZERO;
    p.c = p.d = sim_pool_fragment(l, &i->operands[SUMS], true, i->type);
    if (flags & GROUP_A_IN_MEMORY)
        a = sim_source(l, &i->operands[A], PTX_B64);
    else
        p.a = sim_pool_fragment(l, &i->operands[A], false, i->type2);
    const uint32_t b = sim_source(l, &i->operands[B], PTX_B64), keep = sim_predicate(l, &tail_of(i)[KEEP], &flip);
    if (ptx_is_sparse(i)) {
        p.metadata = sim_source(l, &i->operands[METADATA], PTX_B32);
        p.selector = (uint32_t)i->operands[SELECTOR].bits;
    }
    const uint32_t more = sim_pool_product(l, &p);
    sim_op *op = sim_emit(l, issue);
    op->a = a;
    op->b = b;
    op->c = keep;
    op->x = flip;
    op->more = more;
    op->imm2 = flags;
    return HAUL_OK;
}

#define GROUP_PRODUCT(id)                                               \
    haul_status LOWER(id)(sim_lowering * l, const ptx_instruction *i) { \
        return lower_group(l, i);                                       \
    }
GROUP_PRODUCT(WGMMA_16)
GROUP_PRODUCT(WGMMA_TF32)
GROUP_PRODUCT(WGMMA_FP8)
GROUP_PRODUCT(WGMMA_INT8)
GROUP_PRODUCT(WGMMA_BITS)
GROUP_PRODUCT(WGMMA_SP_16)
GROUP_PRODUCT(WGMMA_SP_TF32)
GROUP_PRODUCT(WGMMA_SP_FP8)
GROUP_PRODUCT(WGMMA_SP_INT8)
