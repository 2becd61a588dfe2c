/* Arrays, copies of boxes, texture and surface objects: which requests they refuse, and how kernels use handles. */
#include "context.h"
#include "textures.h"

#include <haul/haul.h>

/* Checks that the message of the last failure contains the words. */
static void assert_says(const char *words) {
    if (!strstr(haul_message(), words)) fail_msg("'%s' does not say '%s'", haul_message(), words);
}

static const tex_case plain = {.fetch = "tex.2d.v4.f32.f32",
                               .extent = {20, 12},
                               .format = DRIVER_FORMAT_F32,
                               .channels = 1,
                               .address = DRIVER_ADDRESS_CLAMP};
static const CUDA_ARRAY3D_DESCRIPTOR square = {.width = 16, .height = 16, .format = DRIVER_FORMAT_U8, .channels = 4};

/* ---- arrays ---- */

static void an_array_tells_how_it_was_made(void **state) {
    (void)state;
    const CUDA_ARRAY3D_DESCRIPTOR made = {.width = 40,
                                          .height = 8,
                                          .depth = 3,
                                          .format = DRIVER_FORMAT_F16,
                                          .channels = 2,
                                          .flags = DRIVER_ARRAY_LAYERED};
    CUDA_ARRAY3D_DESCRIPTOR told;
    CUDA_ARRAY_DESCRIPTOR flat;
    CUarray a;
    assert_int_equal(cu->array_create_3d(&a, &made), CUDA_SUCCESS);
    assert_int_equal(cu->array_describe_3d(&told, a), CUDA_SUCCESS);
    assert_true(told.width == made.width && told.height == made.height && told.depth == made.depth);
    assert_true(told.format == made.format && told.channels == made.channels && told.flags == made.flags);
    assert_int_equal(cu->array_describe(&flat, a), CUDA_SUCCESS);
    assert_int_equal(flat.height, 8);
    assert_int_equal(cu->array_destroy(a), CUDA_SUCCESS);
    assert_int_equal(cu->array_destroy(a), CUDA_INVALID_VALUE);
    assert_says("not that of a live array");
}

static void arrays_that_cannot_be_are_refused(void **state) {
    (void)state;
    static const struct {
        CUDA_ARRAY3D_DESCRIPTOR d;
        CUresult result;
        const char *says;
    } wrong[] = {
        {{0, 4, 0, DRIVER_FORMAT_U8, 1, 0}, CUDA_INVALID_VALUE, "width must not be 0"},
        {{4, 4, 0, DRIVER_FORMAT_U8, 3, 0}, CUDA_INVALID_VALUE, "must be 1, 2 or 4"},
        {{4, 4, 0, (CUarray_format)0x77, 1, 0}, CUDA_NOT_SUPPORTED, "format 0x77"},
        {{4, 0, 4, DRIVER_FORMAT_U8, 1, 0}, CUDA_INVALID_VALUE, "a depth without a height"},
        {{200000, 4, 0, DRIVER_FORMAT_U8, 1, 0}, CUDA_INVALID_VALUE, "exceeds 131072"},
        {{8, 4, 6, DRIVER_FORMAT_U8, 1, DRIVER_ARRAY_CUBE}, CUDA_INVALID_VALUE, "square"},
        {{8, 8, 5, DRIVER_FORMAT_U8, 1, DRIVER_ARRAY_CUBE}, CUDA_INVALID_VALUE, "must be 6, the number of its faces"},
        {{8, 8, 0, DRIVER_FORMAT_U8, 1, DRIVER_ARRAY_LAYERED}, CUDA_INVALID_VALUE, "needs its number of layers"},
        {{8, 8, 0, DRIVER_FORMAT_U8, 1, 0x40}, CUDA_NOT_SUPPORTED, "flags 0x40"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CUarray a;
        assert_int_equal(cu->array_create_3d(&a, &wrong[i].d), wrong[i].result);
        assert_null(a);
        assert_says(wrong[i].says);
    }
}

static void a_mipmap_has_as_many_levels_as_halve(void **state) {
    (void)state;
    CUDA_ARRAY3D_DESCRIPTOR told;
    CUmipmappedArray m;
    CUarray level;
    assert_int_equal(cu->mipmap_create(&m, &square, 20), CUDA_SUCCESS);
    assert_int_equal(cu->mipmap_level(&level, m, 5), CUDA_INVALID_VALUE);
    assert_int_equal(cu->mipmap_level(&level, m, 4), CUDA_SUCCESS);
    cu->array_describe_3d(&told, level);
    assert_int_equal(told.width, 1);
    assert_int_equal(cu->array_destroy(level), CUDA_INVALID_VALUE);
    assert_says("ends with it");
    assert_int_equal(cu->mipmap_destroy(m), CUDA_SUCCESS);
    assert_int_equal(cu->array_describe_3d(&told, level), CUDA_INVALID_VALUE);
}

/* ---- copies ---- */

enum { BOX_X = 24, BOX_Y = 20, BOX_Z = 5, PITCH = 512 };

/* A box goes from the host into an array, from there to pitched memory, to another array, and back. */
static void boxes_survive_every_way_through_the_device(void **state) {
    (void)state;
    static unsigned char in[BOX_Z][BOX_Y][BOX_X], out[BOX_Z][BOX_Y][BOX_X];
    const CUDA_ARRAY3D_DESCRIPTOR shape = {
        .width = 64, .height = 48, .depth = 16, .format = DRIVER_FORMAT_U8, .channels = 1};
    CUarray a, b;
    CUdeviceptr memory;
    for (size_t i = 0; i < sizeof in; i++) (&in[0][0][0])[i] = (unsigned char)tex_hash((uint32_t)i);
    assert_int_equal(cu->array_create_3d(&a, &shape), CUDA_SUCCESS);
    assert_int_equal(cu->array_create_3d(&b, &shape), CUDA_SUCCESS);
    assert_int_equal(cu->allocate(&memory, PITCH * BOX_Y * BOX_Z), CUDA_SUCCESS);
    CUDA_MEMCPY3D c = {.from_kind = DRIVER_MEMORY_HOST,
                       .from_host = in,
                       .from_pitch = BOX_X,
                       .from_height = BOX_Y,
                       .to_kind = DRIVER_MEMORY_ARRAY,
                       .to_array = a,
                       .to_x = 5,
                       .to_y = 7,
                       .to_z = 3,
                       .width = BOX_X,
                       .height = BOX_Y,
                       .depth = BOX_Z};
    assert_int_equal(cu->copy_3d(&c), CUDA_SUCCESS);
    c.from_kind = DRIVER_MEMORY_ARRAY, c.from_array = a, c.from_x = 5, c.from_y = 7, c.from_z = 3;
    c.to_kind = DRIVER_MEMORY_UNIFIED, c.to_device = memory, c.to_x = 11, c.to_y = c.to_z = 0;
    c.to_pitch = PITCH, c.to_height = BOX_Y;
    assert_int_equal(cu->copy_3d(&c), CUDA_SUCCESS);
    c.from_kind = DRIVER_MEMORY_DEVICE, c.from_device = memory, c.from_x = 11, c.from_y = c.from_z = 0;
    c.from_pitch = PITCH, c.from_height = BOX_Y;
    c.to_kind = DRIVER_MEMORY_ARRAY, c.to_array = b, c.to_x = 40, c.to_y = 28, c.to_z = 11;
    assert_int_equal(cu->copy_3d(&c), CUDA_SUCCESS);
    c.from_kind = DRIVER_MEMORY_ARRAY, c.from_array = b, c.from_x = 40, c.from_y = 28, c.from_z = 11;
    c.to_kind = DRIVER_MEMORY_HOST, c.to_host = out, c.to_x = c.to_y = c.to_z = 0;
    c.to_pitch = BOX_X, c.to_height = BOX_Y;
    assert_int_equal(cu->copy_3d(&c), CUDA_SUCCESS);
    assert_memory_equal(out, in, sizeof in);
    cu->array_destroy(a);
    cu->array_destroy(b);
    cu->release(memory);
}

static void copies_that_reach_too_far_are_refused(void **state) {
    (void)state;
    unsigned char host[64] = {0};
    CUarray a;
    assert_int_equal(cu->array_create_3d(&a, &square), CUDA_SUCCESS);
    CUDA_MEMCPY2D c = {.from_kind = DRIVER_MEMORY_HOST,
                       .from_host = host,
                       .to_kind = DRIVER_MEMORY_ARRAY,
                       .to_array = a,
                       .width = 68,
                       .height = 1};
    assert_int_equal(cu->copy_2d(&c), CUDA_INVALID_VALUE);
    assert_says("exceeds an array of 64 bytes x 16 x 1");
    c.width = 3;
    assert_int_equal(cu->copy_2d(&c), CUDA_INVALID_VALUE);
    assert_says("multiples of the element size, 4 bytes");
    c.width = 8, c.height = 2, c.from_pitch = 4;
    assert_int_equal(cu->copy_2d(&c), CUDA_INVALID_VALUE);
    assert_says("the pitch is smaller than a row");
    c.from_kind = DRIVER_MEMORY_DEVICE, c.from_device = 64, c.from_pitch = 8;
    assert_int_equal(cu->copy_2d(&c), CUDA_INVALID_VALUE);
    assert_says("lie in no allocation");
    c.width = 0;
    assert_int_equal(cu->copy_2d(&c), CUDA_SUCCESS);
    cu->array_destroy(a);
}

/* An asynchronous copy from pinned memory reads nothing until somebody waits. */
static void a_copy_of_a_stream_is_as_late_as_it_may_be(void **state) {
    (void)state;
    uint32_t *host, back = 0;
    CUstream stream;
    CUarray a;
    const CUDA_ARRAY_DESCRIPTOR one = {.width = 1, .format = DRIVER_FORMAT_U32, .channels = 1};
    cu->host_allocate((void **)&host, 4096, 0);
    cu->stream_create(&stream, DRIVER_STREAM_NON_BLOCKING, 0);
    cu->array_create(&a, &one);
    const CUDA_MEMCPY2D in = {.from_kind = DRIVER_MEMORY_HOST,
                              .from_host = host,
                              .to_kind = DRIVER_MEMORY_ARRAY,
                              .to_array = a,
                              .width = 4,
                              .height = 1};
    const CUDA_MEMCPY2D out = {.from_kind = DRIVER_MEMORY_ARRAY,
                               .from_array = a,
                               .to_kind = DRIVER_MEMORY_HOST,
                               .to_host = &back,
                               .width = 4,
                               .height = 1};
    *host = 1;
    assert_int_equal(cu->copy_2d(&in), CUDA_SUCCESS);
    *host = 2;
    assert_int_equal(cu->copy_2d_async(&in, stream), CUDA_SUCCESS);
    assert_int_equal(cu->copy_2d(&out), CUDA_SUCCESS);
    assert_int_equal(back, 1);
    assert_int_equal(cu->stream_synchronize(stream), CUDA_SUCCESS);
    assert_int_equal(cu->copy_2d(&out), CUDA_SUCCESS);
    assert_int_equal(back, 2);
    cu->array_destroy(a);
    cu->stream_destroy(stream);
    cu->host_release(host);
}

/* ---- objects ---- */

static void objects_that_cannot_be_are_refused(void **state) {
    (void)state;
    CUDA_TEXTURE_DESC s = {.filter = DRIVER_FILTER_LINEAR, .flags = DRIVER_TEXTURE_INTEGERS};
    CUDA_RESOURCE_DESC r = {.kind = DRIVER_RESOURCE_ARRAY};
    CUarray a;
    CUtexObject t;
    CUdeviceptr memory;
    cu->array_create_3d(&a, &square);
    r.of.array = a;
    assert_int_equal(cu->texture_create(&t, &r, &s, NULL), CUDA_INVALID_VALUE);
    assert_says("linear filtering of u8 elements read as integers");
    s.filter = 7;
    assert_int_equal(cu->texture_create(&t, &r, &s, NULL), CUDA_INVALID_VALUE);
    assert_says("no such filter mode");
    assert_int_equal(cu->surface_create(&t, &r), CUDA_INVALID_VALUE);
    assert_says("was not made for surface loads and stores");
    cu->allocate(&memory, 4096);
    s = (CUDA_TEXTURE_DESC){.filter = DRIVER_FILTER_POINT};
    r = (CUDA_RESOURCE_DESC){.kind = DRIVER_RESOURCE_PITCH2D};
    r.of.pitch.address = memory, r.of.pitch.format = DRIVER_FORMAT_F32, r.of.pitch.channels = 1;
    r.of.pitch.width = 10, r.of.pitch.height = 10, r.of.pitch.pitch = 40;
    assert_int_equal(cu->texture_create(&t, &r, &s, NULL), CUDA_INVALID_VALUE);
    assert_says("a pitch of 40 bytes: must be a multiple of 32");
    r = (CUDA_RESOURCE_DESC){.kind = DRIVER_RESOURCE_LINEAR};
    r.of.linear.address = memory + 4, r.of.linear.format = DRIVER_FORMAT_F32, r.of.linear.channels = 1;
    r.of.linear.bytes = 64;
    assert_int_equal(cu->texture_create(&t, &r, &s, NULL), CUDA_INVALID_VALUE);
    assert_says("must be aligned to 512 bytes");
    r.of.linear.address = memory, r.of.linear.bytes = 1 << 20;
    assert_int_equal(cu->texture_create(&t, &r, &s, NULL), CUDA_INVALID_VALUE);
    assert_says("lie in no allocation");
    cu->array_destroy(a);
    cu->release(memory);
}

static void an_object_tells_what_it_was_made_of(void **state) {
    (void)state;
    tex_object o = {0};
    CUDA_RESOURCE_DESC r;
    CUDA_TEXTURE_DESC s;
    assert_int_equal(tex_make(cu, &plain, &o), CUDA_SUCCESS);
    assert_int_equal(cu->texture_resource(&r, o.texture), CUDA_SUCCESS);
    assert_ptr_equal(r.of.array, o.array);
    assert_int_equal(cu->texture_sampler(&s, o.texture), CUDA_SUCCESS);
    assert_int_equal(s.address[1], DRIVER_ADDRESS_CLAMP);
    assert_int_equal(cu->surface_resource(&r, o.texture), CUDA_INVALID_VALUE);
    const CUtexObject stale = o.texture;
    tex_end(cu, &plain, &o);
    assert_int_equal(cu->texture_destroy(stale), CUDA_INVALID_VALUE);
    assert_says("not the handle of a live object");
}

/* ---- views ---- */

#define VIEW_KERNEL(fetch)                                                                                 \
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 t, .param .u64 out) {\n" \
    ".reg .b32 %r<4>;\n.reg .b64 %t, %o;\nld.param.u64 %t, [t];\nld.param.u64 %o, [out];\n" fetch          \
    "st.global.v4.u32 [%o], {%r0, %r1, %r2, %r3};\nret;\n}\n"

/* Fetches with one thread. */
static void fetch_view(const char *ptx, CUtexObject texture, uint32_t got[4]) {
    CUmodule module;
    CUfunction function;
    CUdeviceptr out;
    void *parameters[] = {&texture, &out};
    assert_int_equal(cu->allocate(&out, 16), CUDA_SUCCESS);
    assert_int_equal(cu->module_load(&module, ptx, 0, NULL, NULL), CUDA_SUCCESS);
    assert_int_equal(cu->module_function(&function, module, "k"), CUDA_SUCCESS);
    assert_int_equal(cu->launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL), CUDA_SUCCESS);
    assert_int_equal(cu->copy_to_host(got, out, 16), CUDA_SUCCESS);
    cu->module_unload(module);
    cu->release(out);
}

/* Fills layers or levels: each has a value of its own in all its elements. */
static void fill_array(CUarray a, unsigned width, unsigned height, unsigned layer, uint32_t value) {
    uint32_t texels[256];
    for (unsigned i = 0; i < 256; i++) texels[i] = value;
    const CUDA_MEMCPY3D c = {.from_kind = DRIVER_MEMORY_HOST,
                             .from_host = texels,
                             .from_pitch = 4 * width,
                             .from_height = height,
                             .to_kind = DRIVER_MEMORY_ARRAY,
                             .to_array = a,
                             .to_z = layer,
                             .width = 4 * width,
                             .height = height,
                             .depth = 1};
    assert_int_equal(cu->copy_3d(&c), CUDA_SUCCESS);
}

static void a_view_has_some_layers_in_another_format(void **state) {
    (void)state;
    const CUDA_ARRAY3D_DESCRIPTOR shape = {
        .width = 4, .height = 4, .depth = 3, .format = DRIVER_FORMAT_U32, .channels = 1, .flags = DRIVER_ARRAY_LAYERED};
    const CUDA_TEXTURE_DESC s = {.flags = DRIVER_TEXTURE_INTEGERS};
    CUDA_RESOURCE_VIEW_DESC bytes = {
        .format = 3, .width = 4, .height = 4, .depth = 3, .first_layer = 1, .last_layer = 2};
    CUDA_RESOURCE_VIEW_DESC told;
    CUDA_RESOURCE_DESC r = {.kind = DRIVER_RESOURCE_ARRAY};
    CUtexObject t, whole;
    uint32_t got[4];
    assert_int_equal(cu->array_create_3d(&r.of.array, &shape), CUDA_SUCCESS);
    for (unsigned layer = 0; layer < 3; layer++) fill_array(r.of.array, 4, 4, layer, 0x04030201 + layer * 0x10101010);
    assert_int_equal(cu->texture_create(&t, &r, &s, &bytes), CUDA_SUCCESS);
    fetch_view(VIEW_KERNEL("tex.a2d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {0, 2, 1, 0}];\n"), t, got);
    for (unsigned i = 0; i < 4; i++) assert_int_equal(got[i], 0x11 + i);
    assert_int_equal(sim_driver_texture_view(t, &told), CUDA_SUCCESS);
    assert_int_equal(told.first_layer, 1);
    bytes.last_layer = 3;
    assert_int_equal(cu->texture_create(&whole, &r, &s, &bytes), CUDA_INVALID_VALUE);
    assert_says("layers that the array does not have");
    bytes.last_layer = 2, bytes.format = 2;
    assert_int_equal(cu->texture_create(&whole, &r, &s, &bytes), CUDA_INVALID_VALUE);
    assert_says("as many bytes");
    assert_int_equal(cu->texture_create(&whole, &r, &s, NULL), CUDA_SUCCESS);
    assert_int_equal(sim_driver_texture_view(whole, &told), CUDA_SUCCESS);
    assert_int_equal(told.format, 0);
    cu->texture_destroy(t);
    cu->texture_destroy(whole);
    cu->array_destroy(r.of.array);
}

static void a_view_begins_at_a_later_level(void **state) {
    (void)state;
    const CUDA_TEXTURE_DESC s = {.flags = DRIVER_TEXTURE_INTEGERS | DRIVER_TEXTURE_NORMALIZED};
    CUDA_RESOURCE_VIEW_DESC later = {.width = 16, .height = 16, .first_level = 1, .last_level = 2};
    CUDA_RESOURCE_DESC r = {.kind = DRIVER_RESOURCE_MIPMAP};
    CUtexObject t;
    CUarray level;
    uint32_t got[4];
    assert_int_equal(cu->mipmap_create(&r.of.mipmap, &square, 3), CUDA_SUCCESS);
    for (unsigned l = 0; l < 3; l++) {
        assert_int_equal(cu->mipmap_level(&level, r.of.mipmap, l), CUDA_SUCCESS);
        fill_array(level, 16 >> l, 16 >> l, 0, 0x01010101 * (l + 1));
    }
    assert_int_equal(cu->texture_create(&t, &r, &s, &later), CUDA_SUCCESS);
    fetch_view(VIEW_KERNEL("tex.2d.v4.u32.f32 {%r0, %r1, %r2, %r3}, [%t, {0f3F000000, 0f3F000000}];\n"), t, got);
    assert_int_equal(got[0], 2);
    later.last_level = 3;
    cu->texture_destroy(t);
    assert_int_equal(cu->texture_create(&t, &r, &s, &later), CUDA_INVALID_VALUE);
    assert_says("levels that the array does not have");
    cu->mipmap_destroy(r.of.mipmap);
}

/* ---- handles in kernels ---- */

/* Runs the case's kernel with that handle; a kernel failure ends the context. */
static CUresult fetch_with(const tex_case *t, CUtexObject handle) {
    static char ptx[8192];
    CUmodule module;
    CUdeviceptr in, out;
    uint32_t words[TEX_WORDS] = {0};
    cu->allocate(&in, sizeof words);
    cu->allocate(&out, 16);
    cu->copy_to_device(in, words, sizeof words);
    tex_kernel(t, ptx, sizeof ptx);
    CUresult result = cu->module_load(&module, ptx, 0, NULL, NULL);
    if (result == CUDA_SUCCESS) result = tex_launch(cu, module, handle, in, out, 1);
    return result;
}

static void restart(void) {
    (void)close_context(NULL);
    assert_int_equal(open_context(NULL), 0);
}

static void made_up_handles_end_the_launch_with_a_clear_fault(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (unsigned i = 0; i < 200; i++) {
        tex_object o = {0};
        assert_int_equal(tex_make(cu, &plain, &o), CUDA_SUCCESS);
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        const uint64_t handle = i < 64 ? UINT64_C(1) << i ^ (i & 1 ? o.texture : 0) : seed ^ (i & 3 ? 0 : seed << 40);
        const CUresult result = fetch_with(&plain, handle);
        if (handle != o.texture) {
            assert_int_equal(result, CUDA_ILLEGAL_ADDRESS);
            assert_says("there is no such object, or it has been destroyed");
        }
        restart();
    }
}

static void objects_whose_memory_went_are_faults(void **state) {
    (void)state;
    tex_object o = {0};
    tex_case linear = {.fetch = "tex.1d.v4.f32.s32",
                       .resource = DRIVER_RESOURCE_LINEAR,
                       .extent = {64},
                       .format = DRIVER_FORMAT_F32,
                       .channels = 1};
    assert_int_equal(tex_make(cu, &plain, &o), CUDA_SUCCESS);
    cu->array_destroy(o.array);
    assert_int_equal(fetch_with(&plain, o.texture), CUDA_ILLEGAL_ADDRESS);
    assert_says("its array has been destroyed");
    restart();
    o = (tex_object){0};
    assert_int_equal(tex_make(cu, &linear, &o), CUDA_SUCCESS);
    cu->release(o.memory);
    assert_int_equal(fetch_with(&linear, o.texture), CUDA_ILLEGAL_ADDRESS);
    assert_says("its memory has been freed");
    restart();
}

static void instructions_for_another_shape_are_faults(void **state) {
    (void)state;
    tex_object o = {0};
    tex_case other = plain;
    assert_int_equal(tex_make(cu, &plain, &o), CUDA_SUCCESS);
    other.fetch = "tex.3d.v4.f32.f32";
    assert_int_equal(fetch_with(&other, o.texture), CUDA_ILLEGAL_ADDRESS);
    assert_says("the instruction is for three dimensions, the object has 2 dimensions");
    restart();
    o = (tex_object){0};
    assert_int_equal(tex_make(cu, &plain, &o), CUDA_SUCCESS);
    other.fetch = "suld.b.2d.b32.trap";
    assert_int_equal(fetch_with(&other, o.texture), CUDA_ILLEGAL_ADDRESS);
    assert_says("it is a texture");
    restart();
}

/* ---- surfaces ---- */

#define SURFACE_KERNEL(body)                                                                                    \
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 t) {\n"                       \
    ".reg .b32 %r<8>;\n.reg .b64 %t;\nld.param.u64 %t, [t];\nmov.u32 %r0, %tid.x;\nshl.b32 %r1, %r0, 2;\n" body \
    "ret;\n}\n"

static CUresult run_surface(const char *ptx, CUsurfObject surface) {
    CUmodule module;
    CUfunction function;
    void *parameters[] = {&surface};
    TEX_TRY(cu->module_load(&module, ptx, 0, NULL, NULL));
    TEX_TRY(cu->module_function(&function, module, "k"));
    TEX_TRY(cu->launch(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
    return cu->synchronize();
}

static CUsurfObject make_surface(CUarray *a, CUarray_format format, unsigned channels) {
    const CUDA_ARRAY3D_DESCRIPTOR shape = {
        .width = 32, .height = 4, .format = format, .channels = channels, .flags = DRIVER_ARRAY_SURFACE};
    CUDA_RESOURCE_DESC r = {.kind = DRIVER_RESOURCE_ARRAY};
    CUsurfObject s;
    assert_int_equal(cu->array_create_3d(a, &shape), CUDA_SUCCESS);
    r.of.array = *a;
    assert_int_equal(cu->surface_create(&s, &r), CUDA_SUCCESS);
    return s;
}

static void read_row(CUarray a, unsigned row, void *host, size_t bytes) {
    const CUDA_MEMCPY2D c = {.from_kind = DRIVER_MEMORY_ARRAY,
                             .from_array = a,
                             .from_y = row,
                             .to_kind = DRIVER_MEMORY_HOST,
                             .to_host = host,
                             .width = bytes,
                             .height = 1};
    assert_int_equal(cu->copy_2d(&c), CUDA_SUCCESS);
}

static void surface_stores_and_reductions_write_arrays(void **state) {
    (void)state;
    uint32_t row[32];
    CUarray a;
    const CUsurfObject s = make_surface(&a, DRIVER_FORMAT_U32, 1);
    assert_int_equal(run_surface(SURFACE_KERNEL("add.u32 %r2, %r0, 100;\nmov.u32 %r3, 2;\n"
                                                "sust.b.2d.b32.trap [%t, {%r1, %r3}], %r2;\n"
                                                "sured.b.add.2d.u32.trap [%t, {%r1, %r3}], %r0;\n"
                                                "sured.b.min.2d.s32.zero [%t, {4, %r3}], -5;\n"),
                                 s),
                     CUDA_SUCCESS);
    read_row(a, 2, row, sizeof row);
    for (unsigned i = 0; i < 32; i++) assert_int_equal(row[i], i == 1 ? 0xfffffffbu : 100 + 2 * i);
    cu->surface_destroy(s);
    cu->array_destroy(a);
}

static void formatted_stores_convert(void **state) {
    (void)state;
    uint8_t row[128];
    CUarray a;
    const CUsurfObject s = make_surface(&a, DRIVER_FORMAT_U8, 4);
    assert_int_equal(run_surface(SURFACE_KERNEL("mul.lo.u32 %r2, %r0, 20;\nmov.u32 %r3, 7;\n"
                                                "sust.p.2d.v4.b32.trap [%t, {%r0, 0}], {%r2, %r3, %r3, 300};\n"),
                                 s),
                     CUDA_SUCCESS);
    read_row(a, 0, row, sizeof row);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(row[4 * i], 20 * i < 255 ? 20 * i : 255);
        assert_int_equal(row[4 * i + 1], 7);
        assert_int_equal(row[4 * i + 3], 255);
    }
    cu->surface_destroy(s);
    cu->array_destroy(a);
}

static void a_surface_traps_where_it_ends(void **state) {
    (void)state;
    CUarray a;
    CUsurfObject s = make_surface(&a, DRIVER_FORMAT_U32, 1);
    assert_int_equal(run_surface(SURFACE_KERNEL("sust.b.2d.b32.trap [%t, {%r1, 4}], %r0;\n"), s), CUDA_ILLEGAL_ADDRESS);
    assert_says("surface: 4 bytes at byte 0, row 4, slice or layer 0 are outside 128 bytes x 4 x 1");
    restart();
    s = make_surface(&a, DRIVER_FORMAT_U32, 1);
    assert_int_equal(run_surface(SURFACE_KERNEL("add.u32 %r1, %r1, 2;\nsust.b.2d.b32.clamp [%t, {%r1, 0}], %r0;\n"), s),
                     CUDA_MISALIGNED_ADDRESS);
    assert_says("misaligned access: byte 2 of a row");
    restart();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_tells_how_it_was_made),
        cmocka_unit_test(arrays_that_cannot_be_are_refused),
        cmocka_unit_test(a_mipmap_has_as_many_levels_as_halve),
        cmocka_unit_test(boxes_survive_every_way_through_the_device),
        cmocka_unit_test(copies_that_reach_too_far_are_refused),
        cmocka_unit_test(a_copy_of_a_stream_is_as_late_as_it_may_be),
        cmocka_unit_test(objects_that_cannot_be_are_refused),
        cmocka_unit_test(an_object_tells_what_it_was_made_of),
        cmocka_unit_test(a_view_has_some_layers_in_another_format),
        cmocka_unit_test(a_view_begins_at_a_later_level),
        cmocka_unit_test(made_up_handles_end_the_launch_with_a_clear_fault),
        cmocka_unit_test(objects_whose_memory_went_are_faults),
        cmocka_unit_test(instructions_for_another_shape_are_faults),
        cmocka_unit_test(surface_stores_and_reductions_write_arrays),
        cmocka_unit_test(formatted_stores_convert),
        cmocka_unit_test(a_surface_traps_where_it_ends),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
