/* Products in tensor memory: all kinds, shapes and layouts, compared with products of random small integers computed
 * here. The layouts of shared and tensor memory are written here as the PTX manual describes them, or CUTLASS where the
 * manual has only drawings.
 *
 * A kernel loads an image of shared memory and one of tensor memory, multiplies, and stores tensor memory. A pair of
 * blocks has two of each. */
#include "fragments.h"

enum { ROWS = 256, COLUMNS = 256 + 32, DEPTH = 128, LANES_OF_MEMORY = 128 };
enum { A_AT = 0, B_AT = 32768, IMAGE = 98304 };                                                   /* of shared memory */
enum { D_AT = 0, A_IN_MEMORY = 256, METADATA = 292, SCALE_A = 300, SCALE_B = 308, MEMORY = 320 }; /* columns */

typedef enum layout { BY_ROWS, BY_HALF_LANES, BY_HALVES, BY_QUARTERS } layout;

typedef struct factor_layout {
    unsigned width; /* bytes of a row of the swizzle: 16 (none), 32, 64, 128 */
    bool transposed;
} factor_layout;

typedef struct test {
    const char *kind;
    element a, b, d;
    unsigned m, n;
    factor_layout layout_a, layout_b;
    bool a_in_memory, sparse, keeps, weights, pair, negates_a, negates_b, disables, half_lanes_up;
    unsigned scales, scale_of_d, scale_id; /* scales: of a row; scale_id: the first byte of a word */
    bool small_scales;                     /* ue4m3 */
    unsigned selector;
    bool shifts_a;
    uint64_t zeros; /* the descriptor of columns of b that count as zero */
} test;

typedef struct block_images {
    unsigned char shared[IMAGE];
    uint32_t memory[LANES_OF_MEMORY][MEMORY];
} block_images;

static double a[ROWS][DEPTH], b[COLUMNS][DEPTH], d[ROWS][COLUMNS];
static unsigned indices[ROWS][DEPTH / 2]; /* four bits for each chunk of a row of a sparse a */
static unsigned char scale_a[ROWS][4], scale_b[COLUMNS][4];
static block_images images[2];

/* ---- shapes ---- */

static bool is_packed(const test *t) {
    return strncmp(t->kind, "mxf4", 4) == 0;
}

static unsigned bits_of(const test *t) {
    return is_packed(t) ? 4 : elements[t->a].bits;
}

static unsigned depth_of(const test *t) {
    return 256 / bits_of(t) * (t->sparse ? 2 : 1);
}

static unsigned stored_depth(const test *t) {
    return 256 / bits_of(t);
}

static unsigned rows_of(const test *t) {
    return t->pair ? t->m / 2 : t->m;
}

static layout layout_of(const test *t) {
    if (t->weights) return t->m == 32 ? BY_QUARTERS : t->m == 64 ? BY_HALVES : BY_ROWS;
    if (t->pair) return t->m == 256 ? BY_ROWS : t->sparse ? BY_HALF_LANES : BY_HALVES;
    return t->m == 64 ? BY_HALF_LANES : BY_ROWS;
}

static unsigned lane_of(const test *t, unsigned row) {
    if (layout_of(t) != BY_HALF_LANES) return row;
    return row % 16 + row / 16 * 32 + (t->half_lanes_up ? 16 : 0);
}

static uint32_t *sum_of(const test *t, unsigned row, unsigned column) {
    block_images *i = &images[row / rows_of(t)];
    const unsigned own = row % rows_of(t);
    switch (layout_of(t)) {
    case BY_HALVES: return &i->memory[own + column / (t->n / 2) * 64][D_AT + column % (t->n / 2)];
    case BY_QUARTERS: return &i->memory[own + column / (t->n / 4) * 32][D_AT + column % (t->n / 4)];
    default: return &i->memory[lane_of(t, own)][D_AT + column];
    }
}

/* ---- numbers ---- */

static double random_element(element e) {
    return e == S8 ? (double)(int)(random_bits() % 255) - 127 : e == U8 ? random_bits() % 256 : random_value(e);
}

static void make_sparse(const test *t, unsigned row) {
    static const unsigned pairs[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    const unsigned chunk = t->a == TF32 ? 2 : is_packed(t) ? 8 : 4, each = chunk / 4;
    for (unsigned c = 0; c < depth_of(t) / chunk; c++) {
        const unsigned *p = pairs[t->a == TF32 ? random_bits() % 2 * 5 : random_bits() % 6];
        indices[row][c] = p[0] | p[1] << 2;
        for (unsigned k = 0; k < chunk; k++) {
            const unsigned at = t->a == TF32 ? 2 * k : k / each;
            if (at != p[0] && at != p[1]) a[row][c * chunk + k] = 0;
        }
    }
}

static unsigned column_shift(const test *t) {
    return (unsigned)(t->zeros >> 56 & 63);
}

static void make_numbers(const test *t) {
    for (unsigned row = 0; row < t->m; row++) {
        for (unsigned k = 0; k < depth_of(t); k++) a[row][k] = random_element(t->a);
        if (t->sparse) make_sparse(t, row);
        for (unsigned j = 0; j < t->n; j++) d[row][j] = random_value(t->d);
        for (unsigned s = 0; s < 4; s++)
            scale_a[row][s] = (unsigned char)(t->small_scales ? 0x30 + random_bits() % 16 : 126 + random_bits() % 4);
    }
    for (unsigned j = 0; j < t->n + column_shift(t); j++) {
        for (unsigned k = 0; k < depth_of(t); k++) b[j][k] = random_element(t->b);
        for (unsigned s = 0; s < 4; s++)
            scale_b[j][s] = (unsigned char)(t->small_scales ? 0x30 + random_bits() % 16 : 126 + random_bits() % 4);
    }
}

/* Returns the stored column of a that element k went to; if sparse, k must exist. */
static unsigned stored_column(const test *t, unsigned row, unsigned k) {
    const unsigned chunk = t->a == TF32 ? 2 : is_packed(t) ? 8 : 4, each = chunk / 4, at = k % chunk;
    if (!t->sparse) return k;
    if (t->a == TF32) return k / 2;
    const bool second = at / each == indices[row][k / chunk] >> 2;
    return k / chunk * (chunk / 2) + second * each + at % (each ? each : 1);
}

static bool is_there(const test *t, unsigned row, unsigned k) {
    const unsigned chunk = t->a == TF32 ? 2 : is_packed(t) ? 8 : 4;
    const unsigned bits = t->sparse ? indices[row][k / chunk] : 0,
                   at = t->a == TF32 ? k % 2 * 2 : k % chunk / (chunk / 4);
    return !t->sparse || at == (bits & 3) || at == bits >> 2;
}

/* ---- images ---- */

static unsigned elements_in_chunk(const test *t) {
    return 128 / bits_of(t);
}

static unsigned bits_in_chunk(const test *t, element e) {
    return is_packed(t) || e == E2M1 ? 4 : e == E2M3 || e == E3M2 ? 6 : elements[e].bits;
}

static void put_bits(unsigned char *to, unsigned at, unsigned count, uint32_t bits) {
    for (unsigned n = 0; n < count; n++) to[(at + n) / 8] |= (unsigned char)((bits >> n & 1) << (at + n) % 8);
}

typedef struct distances {
    uint32_t leading, stride;
} distances;

static bool is_coarse(const factor_layout *l, element e) {
    return l->transposed && e == TF32;
}

static distances distances_of(const test *t, const factor_layout *l, element e, unsigned rows, unsigned depth) {
    if (is_coarse(l, e)) return (distances){depth / 4 * 512, 512};
    if (l->width == 16) return (distances){(l->transposed ? rows / elements_in_chunk(t) : rows / 8) * 128, 128};
    return (distances){l->transposed ? depth / 8 * 8 * l->width : 16, 8 * l->width};
}

/* Returns the address of the chunk of element (row, k). */
static uint32_t chunk_at(const test *t, const factor_layout *l, element e, unsigned rows, unsigned depth, unsigned row,
                         unsigned k) {
    const distances x = distances_of(t, l, e, rows, depth);
    const unsigned each = l->width / 16;
    const unsigned chunk = (l->transposed ? row : k) / elements_in_chunk(t);
    uint32_t at;
    if (is_coarse(l, e)) {
        at = k / 4 * x.stride + k % 4 * 128 + chunk / 8 * x.leading + chunk % 8 * 16;
        return at ^ (at >> 7 & 3) << 5;
    }
    if (l->width == 16 && l->transposed)
        at = k / 8 * x.leading + k % 8 * 16 + chunk * x.stride;
    else if (l->width == 16)
        at = row / 8 * x.stride + row % 8 * 16 + chunk * x.leading;
    else if (l->transposed)
        at = k / 8 * x.stride + k % 8 * l->width + chunk / each * x.leading + chunk % each * 16;
    else
        at = row / 8 * x.stride + row % 8 * l->width + chunk * 16;
    return at ^ (at >> 7 & (each - 1)) << 4;
}

static void put_shared(const test *t, block_images *i, uint32_t base, const factor_layout *l, element e, unsigned rows,
                       unsigned depth, unsigned row, unsigned k, double x) {
    const unsigned bits = bits_in_chunk(t, e), in_chunk = (l->transposed ? row : k) % elements_in_chunk(t);
    put_bits(i->shared + base + chunk_at(t, l, e, rows, depth, row, k), in_chunk * bits, bits, (uint32_t)encode(e, x));
}

/* Elements are in containers of the kind's bits; e2m1 is in the middle of a byte. */
static void put_memory(const test *t, block_images *i, unsigned row, unsigned k, double x) {
    const unsigned bits = bits_of(t), copies = t->pair && layout_of(t) == BY_HALVES ? 2 : 1;
    const uint32_t value = (uint32_t)encode(t->a, x) << (t->a == E2M1 && bits == 8 ? 2 : 0);
    for (unsigned n = 0; n < copies; n++)
        i->memory[lane_of(t, row) + 64 * n][A_IN_MEMORY + k * bits / 32] |= value << k * bits % 32;
}

static void put_metadata(const test *t, block_images *i, unsigned own, unsigned row) {
    const unsigned chunks = depth_of(t) / (t->a == TF32 ? 2 : is_packed(t) ? 8 : 4);
    for (unsigned c = 0; c < chunks; c++) {
        if (bits_of(t) <= 8) {
            i->memory[lane_of(t, own)][METADATA + t->selector + c / 8] |= indices[row][c] << c % 8 * 4;
        } else {
            const unsigned lane = lane_of(t, own / 16 * 16) + own % 8 + c / 4 * 8;
            i->memory[lane][METADATA + t->selector] |= indices[row][c] << (own / 8 % 2 * 16 + c % 4 * 4);
        }
    }
}

/* Stored four times, for each warp's lanes; halves of columns below each other have their own. */
static void put_scale(const test *t, block_images *i, unsigned column, unsigned row, const unsigned char *bytes,
                      bool of_b) {
    const bool halved = of_b && layout_of(t) == BY_HALVES, lower = halved && row >= t->n / 2;
    const unsigned own = lower ? row - t->n / 2 : row;
    for (unsigned part = halved && lower ? 2 : 0; part < (halved && !lower ? 2u : 4u); part++)
        for (unsigned s = 0; s < t->scales; s++)
            i->memory[32 * part + own % 32][column + own / 32] |= (uint32_t)bytes[s] << 8 * ((t->scale_id + s) % 4);
}

static uint32_t bits_of_sum(const test *t, double x) {
    const float single = (float)x;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return t->d == S32 ? (uint32_t)(int32_t)x : t->d == F16 ? (uint32_t)encode(F16, x) : bits;
}

static void lay_out_a(const test *t) {
    for (unsigned row = 0; row < t->m; row++) {
        block_images *i = &images[row / rows_of(t)];
        const unsigned own = row % rows_of(t);
        for (unsigned k = 0; k < depth_of(t); k++) {
            if (!is_there(t, row, k)) continue;
            const unsigned column = stored_column(t, row, k);
            if (t->a_in_memory)
                put_memory(t, i, own, column, a[row][k]);
            else
                put_shared(t, i, A_AT, &t->layout_a, t->a, rows_of(t), stored_depth(t), own, column, a[row][k]);
        }
        if (t->sparse) put_metadata(t, i, own, row);
        if (t->scales) put_scale(t, i, SCALE_A, own, scale_a[row], false);
        for (unsigned j = 0; j < t->n; j++) *sum_of(t, row, j) = bits_of_sum(t, d[row][j]);
    }
}

static void lay_out(const test *t) {
    const unsigned columns = t->pair ? t->n / 2 : t->n + column_shift(t);
    memset(images, 0, sizeof images);
    lay_out_a(t);
    for (unsigned j = 0; j < t->n + column_shift(t); j++) {
        for (unsigned k = 0; k < depth_of(t); k++)
            put_shared(t, &images[j / columns], B_AT, &t->layout_b, t->b, columns, depth_of(t), j % columns, k,
                       b[j][k]);
        for (unsigned block = 0; t->scales && block < (t->pair ? 2u : 1u); block++)
            put_scale(t, &images[block], SCALE_B, j, scale_b[j], true);
    }
}

/* ---- descriptors ---- */

static uint64_t descriptor(const test *t, const factor_layout *l, element e, unsigned rows, unsigned depth,
                           uint32_t at) {
    static const unsigned modes[] = {[1] = 0, [2] = 6, [4] = 4, [8] = 2};
    const distances x = distances_of(t, l, e, rows, depth);
    const uint64_t mode = is_coarse(l, e) ? 1 : modes[l->width / 16];
    return at / 16 | (uint64_t)(x.leading / 16) << 16 | (uint64_t)(x.stride / 16) << 32 | UINT64_C(1) << 46 |
           mode << 61;
}

static uint32_t type_code(const test *t, element e) {
    switch (e) {
    case BF16:
    case S8:
    case E5M2: return 1;
    case TF32: return 2;
    case E2M3: return 3;
    case E3M2: return 4;
    case E2M1: return is_packed(t) ? 1 : 5;
    default: return 0;
    }
}

static uint32_t instruction(const test *t) {
    const uint32_t d_code = t->scales ? t->scale_id : t->d == F16 ? 0 : t->d == S32 ? 2 : 1;
    const uint32_t common = d_code << 4 | type_code(t, t->a) << 7 | type_code(t, t->b) << 10 |
                            (uint32_t)t->negates_a << 13 | (uint32_t)t->negates_b << 14 |
                            (uint32_t)t->layout_a.transposed << 15 | (uint32_t)t->layout_b.transposed << 16 |
                            t->n / 8 << 17 | (uint32_t)t->sparse << 2;
    if (t->scales) return common | (uint32_t)!t->small_scales << 23 | t->m / 128 << 27 | t->scale_id << 29;
    return common | t->m / 16 << 24 | t->selector;
}

/* ---- the kernel ---- */

static void put_registers(text *t, const char *names, unsigned count) {
    for (unsigned r = 0; r < count; r++) text_printf(t, "%s%%%s%u", r ? ", " : "{", names, r);
    text_put(t, "}");
}

enum { AT_ONCE = 64 };

/* Copies from `from` (an address register) to tensor memory, or back. */
static void put_transfer(text *t, bool stores) {
    for (unsigned first = 0; first < MEMORY; first += AT_ONCE) {
        if (!stores) text_printf(t, "tcgen05.ld.sync.aligned.32x32b.x64.b32 "), put_registers(t, "v", AT_ONCE);
        if (!stores) text_printf(t, ", [%%r9+%u];\ntcgen05.wait::ld.sync.aligned;\n", first);
        for (unsigned r = 0; r < AT_ONCE; r++)
            text_printf(t, stores ? "ld.global.b32 %%v%u, [%%rd8+%u];\n" : "st.global.b32 [%%rd9+%u], %%v%u;\n",
                        stores ? r : 4 * (first + r), stores ? 4 * (first + r) : r);
        if (stores) text_printf(t, "tcgen05.st.sync.aligned.32x32b.x64.b32 [%%r9+%u], ", first);
        if (stores) put_registers(t, "v", AT_ONCE), text_put(t, ";\n");
    }
    if (stores) text_put(t, "tcgen05.wait::st.sync.aligned;\n");
}

static void put_product(text *t, const test *x) {
    const unsigned group = x->pair ? 2 : 1, columns = x->pair ? x->n / 2 : x->n + column_shift(x),
                   up = x->half_lanes_up ? 16 : 0;
    text_printf(t, "add.u64 %%rd5, %%rd4, %llu;\nadd.u64 %%rd6, %%rd4, %llu;\n",
                (unsigned long long)descriptor(x, &x->layout_a, x->a, rows_of(x), stored_depth(x), A_AT),
                (unsigned long long)descriptor(x, &x->layout_b, x->b, columns, depth_of(x), B_AT));
    text_printf(t, "mov.b64 %%rd7, %llu;\n", (unsigned long long)x->zeros);
    text_printf(t, "tcgen05.mma%s%s.cta_group::%u.kind::%s%s%s [%%r7+%u], ", x->weights ? ".ws" : "",
                x->sparse ? ".sp" : "", group, x->kind,
                x->scales == 4   ? ".block_scale.scale_vec::4X"
                : x->scales == 2 ? ".block_scale.scale_vec::2X"
                : x->scales      ? ".block_scale"
                                 : "",
                x->shifts_a ? ".ashift" : "", up << 16);
    if (x->a_in_memory)
        text_printf(t, "[%%r7+%u], %%rd6, ", (up << 16) + A_IN_MEMORY);
    else
        text_put(t, "%rd5, %rd6, ");
    if (x->sparse) text_printf(t, "[%%r7+%u], ", (up << 16) + METADATA);
    text_printf(t, "%u, ", instruction(x));
    if (x->scales) text_printf(t, "[%%r7+%d], [%%r7+%d], ", SCALE_A, SCALE_B);
    if (x->disables) text_put(t, x->pair ? "{5, 0, 1, 0, 3, 0, 0, 0x80000000}, " : "{5, 0, 1, 0x80000000}, ");
    text_printf(t, "%d", x->keeps);
    if (x->scale_of_d) text_printf(t, ", %u", x->scale_of_d);
    if (x->zeros) text_put(t, ", %rd7");
    text_printf(t, ";\ntcgen05.commit.cta_group::%u.mbarrier::arrive::one.shared::cluster", group);
    text_put(t, x->pair ? ".multicast::cluster.b64 [%r6], 3;\n" : ".b64 [%r6];\n");
}

static const char *sync_of(const test *x) {
    return x->pair ? "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n" : "bar.sync 0;\n";
}

static void put_kernel(text *t, const test *x) {
    const char *entry = strchr(BEGIN, '{');
    text_printf(t, ".version 8.8\n.target sm_100a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n");
    text_printf(t, "%.*s%s%s", (int)(entry - BEGIN), BEGIN, x->pair ? ".reqnctapercluster 2, 1, 1\n" : "", entry);
    text_printf(t, ".reg .b32 %%v<%d>;\nmov.u32 %%r5, s;\nadd.u32 %%r6, %%r5, %d;\nmov.u32 %%r2, %%ctaid.x;\n", AT_ONCE,
                IMAGE);
    text_printf(t, "mul.wide.u32 %%rd3, %%r2, %zu;\nadd.u64 %%rd8, %%rd1, %%rd3;\n", sizeof(block_images));
    text_printf(t,
                "mul.lo.u32 %%r3, %%r0, 4;\nCOPY: cvt.u64.u32 %%rd3, %%r3;\nadd.u64 %%rd3, %%rd3, %%rd8;\n"
                "ld.global.u32 %%r4, [%%rd3];\nadd.u32 %%r10, %%r5, %%r3;\nst.shared.u32 [%%r10], %%r4;\n"
                "add.u32 %%r3, %%r3, 512;\nsetp.lt.u32 %%p1, %%r3, %d;\n@%%p1 bra COPY;\n",
                IMAGE);
    text_printf(
        t,
        "setp.lt.u32 %%p2, %%r0, 32;\nsetp.eq.u32 %%p3, %%r0, 0;\n@%%p3 mbarrier.init.shared::cta.b64 [%%r6], 1;\n"
        "@!%%p2 bra READY;\ntcgen05.alloc.cta_group::%u.sync.aligned.shared::cta.b32 [%%r6+8], 512;\nREADY:\n"
        "fence.mbarrier_init.release.cluster;\nfence.proxy.async.shared::cta;\n",
        x->pair ? 2 : 1);
    text_printf(
        t,
        "%sld.shared.u32 %%r7, [%%r6+8];\nand.b32 %%r8, %%r0, 0x60;\nshl.b32 %%r8, %%r8, 16;\nadd.u32 %%r9, %%r7, "
        "%%r8;\nmul.wide.u32 %%rd3, %%r0, %d;\nadd.u64 %%rd8, %%rd8, %%rd3;\nadd.u64 %%rd8, %%rd8, %d;\n",
        sync_of(x), MEMORY * 4, IMAGE);
    text_printf(t, "mul.wide.u32 %%rd9, %%r2, %d;\nadd.u64 %%rd9, %%rd9, %%rd0;\nadd.u64 %%rd9, %%rd9, %%rd3;\n",
                LANES_OF_MEMORY * MEMORY * 4);
    put_transfer(t, true);
    text_printf(t,
                "tcgen05.fence::before_thread_sync;\n%stcgen05.fence::after_thread_sync;\nshr.u32 %%r10, %%r5, 4;\n"
                "cvt.u64.u32 %%rd4, %%r10;\nsetp.eq.u32 %%p4, %%r1, 0;\n@!%%p4 bra WAIT;\n",
                sync_of(x));
    put_product(t, x);
    text_put(t, "WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [%r6], 0;\n@!%p1 bra "
                "WAIT;\ntcgen05.fence::after_thread_sync;\n");
    put_transfer(t, false);
    text_printf(t,
                "tcgen05.fence::before_thread_sync;\n%s@!%%p2 bra END;\ntcgen05.dealloc.cta_group::%u.sync.aligned.b32 "
                "%%r7, 512;\nEND:\n",
                sync_of(x), x->pair ? 2 : 1);
    text_put(t, END);
}

/* ---- the product, computed here ---- */

/* Columns alternate between used and omitted runs, starting somewhere within a run. */
static bool is_zero_column(const test *t, unsigned column) {
    if (!(t->zeros >> 39 & 1)) return false; /* of all except .ws, whose m is 32 to 128 */
    const unsigned wide = t->n / (128 / t->m), part = column / wide;
    const unsigned skip = (t->zeros >> 40 & 0xff) + 1, use = (t->zeros >> 48 & 0xff) + 1;
    bool zero = t->zeros >> (32 + part) & 1;
    for (unsigned at = column % wide + (t->zeros >> 8 * part & 0xff); at >= (zero ? skip : use); zero = !zero)
        at -= zero ? skip : use;
    return zero;
}

static double scale_value(const test *t, unsigned char byte) {
    if (!t->small_scales) return ldexp(1, byte - 127);
    return ldexp(8 + (byte & 7), (byte >> 3) - 7 - 3);
}

static double product(const test *t, unsigned row, unsigned column) {
    double sum = t->keeps ? ldexp(d[row][column], -(int)t->scale_of_d) : 0;
    const double sign = t->negates_a != t->negates_b ? -1 : 1;
    const unsigned from = t->shifts_a && row % rows_of(t) + 1 < rows_of(t) ? row + 1 : row;
    for (unsigned k = 0; k < depth_of(t) && !is_zero_column(t, column); k++) {
        const unsigned block = k * t->scales / depth_of(t);
        const double scale =
            t->scales ? scale_value(t, scale_a[row][block]) * scale_value(t, scale_b[column][block]) : 1;
        sum += sign * a[from][k] * b[column + column_shift(t)][k] * scale;
    }
    return sum;
}

static bool is_disabled(const test *t, unsigned row, unsigned column) {
    static const uint32_t one[] = {5, 0, 1, 0x80000000}, two[] = {5, 0, 1, 0, 3, 0, 0, 0x80000000};
    const unsigned block = row / rows_of(t);
    const unsigned lane = (unsigned)(sum_of(t, row, column) - images[block].memory[0]) / MEMORY;
    return t->disables && (t->pair ? two[4 * block + lane / 32] : one[lane / 32]) >> lane % 32 & 1;
}

static void compare(const test *t, uint32_t (*out)[LANES_OF_MEMORY][MEMORY]) {
    for (unsigned row = 0; row < t->m; row++) {
        for (unsigned j = 0; j < t->n; j++) {
            const unsigned block = row / rows_of(t), at = (unsigned)(sum_of(t, row, j) - images[block].memory[0]);
            const double wanted = is_disabled(t, row, j) ? d[row][j] : product(t, row, j);
            const uint32_t got = out[block][at / MEMORY][at % MEMORY];
            if (got != bits_of_sum(t, wanted))
                fail_msg("%s %s %s, m %u, n %u, a %u%s%s, b %u%s%s%s%s: row %u, column %u is 0x%08x, not %g (0x%08x)",
                         t->kind, elements[t->a].name, elements[t->b].name, t->m, t->n, t->layout_a.width,
                         t->layout_a.transposed ? " transposed" : "", t->a_in_memory ? " in tensor memory" : "",
                         t->layout_b.width, t->layout_b.transposed ? " transposed" : "", t->sparse ? ", sparse" : "",
                         t->weights ? ", .ws" : "", t->pair ? ", a pair" : "", row, j, got, wanted,
                         bits_of_sum(t, wanted));
        }
    }
}

static void check(test t) {
    static uint32_t out[2][LANES_OF_MEMORY][MEMORY];
    text ptx = {0};
    if (!t.layout_a.width) t.layout_a.width = 128;
    if (!t.layout_b.width) t.layout_b.width = 128;
    make_numbers(&t);
    lay_out(&t);
    put_kernel(&ptx, &t);
    run_kernel(&(kernel_run){.ptx = text_string(&ptx),
                             .device = "sim:b200",
                             .blocks = t.pair ? 2 : 1,
                             .threads = 128,
                             .shared = IMAGE + 16,
                             FROM(images),
                             INTO(out)});
    text_free(&ptx);
    compare(&t, out);
}

/* ---- tests ---- */

static const test f16 = {.kind = "f16", .a = F16, .b = F16, .d = F32, .m = 128, .n = 64},
                  bf16 = {.kind = "f16", .a = BF16, .b = BF16, .d = F32, .m = 128, .n = 64},
                  f16_in_f16 = {.kind = "f16", .a = F16, .b = F16, .d = F16, .m = 128, .n = 64},
                  tf32 = {.kind = "tf32", .a = TF32, .b = TF32, .d = F32, .m = 128, .n = 64},
                  f8 = {.kind = "f8f6f4", .a = E4M3, .b = E5M2, .d = F32, .m = 128, .n = 64},
                  f6 = {.kind = "f8f6f4", .a = E2M3, .b = E3M2, .d = F32, .m = 128, .n = 64},
                  f4 = {.kind = "f8f6f4", .a = E2M1, .b = E4M3, .d = F16, .m = 128, .n = 64},
                  i8 = {.kind = "i8", .a = S8, .b = U8, .d = S32, .m = 128, .n = 64};
static const test *const kinds[] = {&f16, &bf16, &f16_in_f16, &tf32, &f8, &f6, &f4, &i8};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void all_kinds_multiply(void **state) {
    static const unsigned columns[] = {8, 24, 96, 160, 256};
    (void)state;
    for (unsigned k = 0; k < KINDS; k++) {
        for (unsigned n = 0; n < 5; n++) {
            test t = *kinds[k];
            t.n = columns[n];
            if (t.d == S32 && t.n == 24) t.n = 32;
            t.m = n % 2 ? 64 : 128;
            t.keeps = n % 3 != 0;
            t.half_lanes_up = n == 3;
            check(t);
            t.a_in_memory = true;
            check(t);
        }
    }
}

static void factors_lie_in_all_layouts(void **state) {
    static const unsigned widths[] = {16, 32, 64, 128};
    (void)state;
    for (unsigned n = 0; n < 16; n++) {
        test t = n % 2 ? f16 : f8;
        t.layout_a = (factor_layout){widths[n / 4], false};
        t.layout_b = (factor_layout){widths[n % 4], false};
        check(t);
        t.layout_a.transposed = true;
        t.n = 128;
        check(t);
        t.layout_b.transposed = true;
        check(t);
    }
    test t = tf32;
    t.layout_a.transposed = t.layout_b.transposed = true;
    check(t);
}

static void sums_are_scaled_negated_and_left_alone(void **state) {
    (void)state;
    test t = f16;
    t.keeps = true;
    t.scale_of_d = 2;
    t.disables = true;
    t.negates_a = true;
    check(t);
    t = f8;
    t.negates_b = t.disables = true;
    check(t);
}

static void sparse_matrices_multiply(void **state) {
    (void)state;
    for (unsigned k = 0; k < KINDS; k++) {
        test t = *kinds[k];
        t.sparse = true;
        t.layout_b.width = 64;
        t.selector = bits_of(&t) >= 16 ? k % 4 : 0;
        t.n = 32 + 32 * k;
        check(t);
        t.a_in_memory = true;
        t.m = 64;
        check(t);
    }
}

static void blocks_are_scaled(void **state) {
    static const element pairs[][2] = {{E4M3, E4M3}, {E5M2, E2M1}, {E3M2, E2M3}};
    (void)state;
    for (unsigned n = 0; n < 6; n++) {
        test t = {.kind = "mxf8f6f4", .a = pairs[n % 3][0], .b = pairs[n % 3][1], .d = F32, .m = 128, .n = 40 + 40 * n};
        t.scales = 1;
        t.scale_id = n % 4;
        t.sparse = n >= 3;
        t.keeps = n % 2;
        check(t);
        t = (test){.kind = n % 2 ? "mxf4" : "mxf4nvf4", .a = E2M1, .b = E2M1, .d = F32, .m = 128, .n = 16 + 40 * n};
        t.scales = 2;
        t.scale_id = n % 2 * 2;
        t.sparse = n >= 3;
        t.a_in_memory = n % 3 == 1;
        check(t);
        t.kind = "mxf4nvf4";
        t.scales = 4;
        t.scale_id = 0;
        t.small_scales = n % 2;
        check(t);
    }
}

static void weights_may_stay(void **state) {
    (void)state;
    for (unsigned k = 0; k < KINDS; k++) {
        test t = *kinds[k];
        t.weights = true;
        t.m = 32u << k % 3;
        t.n = k % 2 ? 128 : 64;
        t.layout_b.width = 64;
        t.keeps = true;
        check(t);
        t.sparse = true;
        check(t);
        t.m = t.m == 32 ? 128 : t.m / 2;
        check(t);
    }
}

static void columns_may_be_zero(void **state) {
    (void)state;
    for (unsigned n = 0; n < 9; n++) {
        test t = n % 2 ? f8 : f16;
        t.weights = true;
        t.m = 32u << n % 3;
        t.n = n % 2 ? 128 : 64;
        t.zeros = (UINT64_C(0x80) | random_bits() % 16) << 32 | (uint64_t)(random_bits() % 12) << 40 |
                  (uint64_t)(random_bits() % 12) << 48 | (uint64_t)(n % 3 * 8) << 56;
        for (unsigned part = 0; part < 4; part++) t.zeros |= (uint64_t)(random_bits() % 12) << 8 * part;
        check(t);
    }
}

static void rows_of_a_may_be_shifted(void **state) {
    (void)state;
    test t = f16;
    t.a_in_memory = t.shifts_a = true;
    check(t);
}

static void pairs_of_blocks_multiply(void **state) {
    (void)state;
    for (unsigned k = 0; k < KINDS; k++) {
        test t = *kinds[k];
        t.pair = t.keeps = true;
        t.m = k % 2 ? 128 : 256;
        t.n = 32 * (k + 1);
        t.disables = k == 2;
        check(t);
        t.sparse = true;
        t.n = 64;
        check(t);
        t.a_in_memory = true;
        check(t);
    }
    test t = {.kind = "mxf8f6f4", .a = E4M3, .b = E4M3, .d = F32, .m = 256, .n = 96, .pair = true, .scales = 1};
    check(t);
    t.m = 128;
    check(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_multiply),       cmocka_unit_test(factors_lie_in_all_layouts),
        cmocka_unit_test(sparse_matrices_multiply), cmocka_unit_test(sums_are_scaled_negated_and_left_alone),
        cmocka_unit_test(blocks_are_scaled),        cmocka_unit_test(weights_may_stay),
        cmocka_unit_test(pairs_of_blocks_multiply), cmocka_unit_test(columns_may_be_zero),
        cmocka_unit_test(rows_of_a_may_be_shifted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
