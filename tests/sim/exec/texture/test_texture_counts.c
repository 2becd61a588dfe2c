/* Counters of fetches, compared with an H100's: launches of one fetch each, in patterns that distinguish rules. */
#include "context.h"
#include "textures.h"

#include "base/arena.h"

#include <haul/haul.h>

/* ---- textures ---- */

#define F32(texture_channels) .format = DRIVER_FORMAT_F32, .channels = (texture_channels)
#define IMAGE .fetch = "tex.2d.v4.f32.f32", .extent = {1024, 512}, .address = DRIVER_ADDRESS_CLAMP, .some = true
#define MEMORY                                                                          \
    .fetch = "tex.1d.v4.f32.s32", .extent = {4096}, .resource = DRIVER_RESOURCE_LINEAR, \
    .address = DRIVER_ADDRESS_CLAMP, .some = true
#define OF(texture_fetch, x, y, z) \
    .fetch = (texture_fetch), .extent = {x, y, z}, .address = DRIVER_ADDRESS_CLAMP, .some = true

enum { F1, F2, F4, B1, B4, H1, H4, LIN1, LIN4, LINB4, LINH4, GA, D1, MEM, MEM4, MEMB, PIT, D3, L3, LAY, TEXTURES };

static const tex_case textures[TEXTURES] = {
    [F1] = {IMAGE, F32(1)},
    [F2] = {IMAGE, F32(2)},
    [F4] = {IMAGE, F32(4)},
    [B1] = {IMAGE, .format = DRIVER_FORMAT_U8, .channels = 1},
    [B4] = {IMAGE, .format = DRIVER_FORMAT_U8, .channels = 4},
    [H1] = {IMAGE, .format = DRIVER_FORMAT_F16, .channels = 1},
    [H4] = {IMAGE, .format = DRIVER_FORMAT_F16, .channels = 4},
    [LIN1] = {IMAGE, F32(1), .filter = DRIVER_FILTER_LINEAR},
    [LIN4] = {IMAGE, F32(4), .filter = DRIVER_FILTER_LINEAR},
    [LINB4] = {IMAGE, .format = DRIVER_FORMAT_U8, .channels = 4, .filter = DRIVER_FILTER_LINEAR},
    [LINH4] = {IMAGE, .format = DRIVER_FORMAT_F16, .channels = 4, .filter = DRIVER_FILTER_LINEAR},
    [GA] = {OF("tld4.r.2d.v4.f32.f32", 1024, 512, 0), F32(1), .flags = 8},
    [D1] = {OF("tex.1d.v4.f32.f32", 1024, 0, 0), F32(1)},
    [MEM] = {MEMORY, F32(1)},
    [MEM4] = {MEMORY, F32(4)},
    [MEMB] = {MEMORY, .format = DRIVER_FORMAT_U8, .channels = 1},
    [PIT] = {OF("tex.2d.v4.f32.f32", 256, 64, 0), F32(1), .resource = DRIVER_RESOURCE_PITCH2D},
    [D3] = {OF("tex.3d.v4.f32.f32", 64, 64, 64), F32(1)},
    [L3] = {OF("tex.3d.v4.f32.f32", 64, 64, 64), F32(1), .filter = DRIVER_FILTER_LINEAR},
    [LAY] = {OF("tex.a2d.v4.f32.f32", 64, 64, 4), F32(1), .flags = 1},
};

/* ---- launches ---- */

typedef enum pattern { ROW, COLUMN, TILE, ONE, PAIR, DIAGONAL, STREWN, QUADS, STRIDE } pattern;

enum { MOST_THREADS = 128, COUNTS = 6 };

typedef struct counted {
    unsigned texture;
    pattern pattern;
    int a, b;
    double right, down;
    uint32_t lanes;
    unsigned warps;
    double counts[COUNTS];
} counted;

static const counted launches[] = {
#include "texture_counts.def"
};
enum { LAUNCHES = sizeof launches / sizeof *launches };

static const haul_counter counters[COUNTS] = {HAUL_COUNTER_L1_TEXTURE_REQUESTS, HAUL_COUNTER_L1_TEXTURE_SECTORS,
                                              HAUL_COUNTER_L1_TEXTURE_HIT,      HAUL_COUNTER_L1_TEXTURE_WAVEFRONTS,
                                              HAUL_COUNTER_L2_READ_REQUESTS,    HAUL_COUNTER_L2_READ_SECTORS};

/* Computes the texel of a thread. */
static void place(const counted *c, unsigned thread, unsigned at[2]) {
    const unsigned lane = thread % 32, warp = thread / 32, a = (unsigned)c->a, b = (unsigned)c->b;
    const uint32_t h = tex_hash(thread * 7 + 5 + a);
    at[0] = at[1] = 0;
    switch (c->pattern) {
    case ROW: at[0] = thread + a; break;
    case COLUMN: at[0] = warp + a, at[1] = lane; break;
    case TILE: at[0] = lane % a + a * warp, at[1] = lane / a + b; break;
    case ONE: at[0] = a; break;
    case PAIR: at[0] = lane % 2 * a, at[1] = lane % 2 * b; break;
    case DIAGONAL: at[0] = at[1] = lane; break;
    case STREWN: at[0] = h % 512, at[1] = (h >> 10) % 512; break;
    case QUADS: at[0] = lane / 4 % a * 2 + lane % 2, at[1] = lane / 4 / a * 2 + lane / 2 % 2; break;
    case STRIDE: at[0] = lane * a, at[1] = lane * b;
    }
}

static void place_words(const counted *c, unsigned thread, uint32_t words[TEX_WORDS]) {
    const tex_case *t = &textures[c->texture];
    const unsigned slice = tex_has(t, ".3d") && c->b ? thread % 32 / (unsigned)c->b : 0;
    unsigned at[2];
    place(c, thread, at);
    if (tex_whole(t)) {
        words[0] = at[0], words[1] = at[1];
    } else {
        words[0] = tex_float((float)(at[0] + 0.5 + c->right));
        words[1] = tex_float((float)(at[1] + 0.5 + c->down));
        words[2] = tex_has(t, ".3d") ? tex_float((float)slice + 0.5F) : 0;
    }
    words[7] = c->lanes >> thread % 32 & 1;
}

static void run(const counted *c, double counts[COUNTS]) {
    static uint32_t in[MOST_THREADS * TEX_WORDS], out[MOST_THREADS * 4];
    haul_launch_record record = {0};
    haul_run all = {.launches = &record, .launch_count = 1};
    arena memory = {0};
    for (unsigned i = 0; i < c->warps * 32; i++) place_words(c, i, in + (size_t)i * TEX_WORDS);
    sim_driver_record(&all, 0, &memory);
    assert_int_equal(tex_run_items(cu, &textures[c->texture], in, out, c->warps * 32), CUDA_SUCCESS);
    sim_driver_record(NULL, 0, NULL);
    for (unsigned k = 0; k < COUNTS; k++) counts[k] = record.counters[counters[k]];
    arena_free(&memory);
}

/* ---- tests ---- */

/* With linear filtering: wavefronts of scattered texels of 16 bytes, and requests for narrow tiles of them. */
enum { KNOWN_TO_DIFFER = 7 };

static void each_launch_counts_what_an_h100_counted(void **state) {
    (void)state;
    unsigned differ = 0;
    for (unsigned i = 0; i < LAUNCHES; i++) {
        double counts[COUNTS];
        run(&launches[i], counts);
        for (unsigned k = 0; k < COUNTS; k++) {
            if (counts[k] == launches[i].counts[k]) continue;
            const bool filtered = textures[launches[i].texture].filter == DRIVER_FILTER_LINEAR;
            if (!filtered)
                print_error("launch %u: %s is %.0f, not %.0f\n", i, haul_counters[counters[k]].ncu, counts[k],
                            launches[i].counts[k]);
            assert_true(filtered);
            differ++;
        }
    }
    assert_int_equal(differ, KNOWN_TO_DIFFER);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_launch_counts_what_an_h100_counted)};
    return cmocka_run_group_tests(tests, open_context, close_context);
}
