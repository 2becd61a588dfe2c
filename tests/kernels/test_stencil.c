/* The cross of radius 1 to 8 on the planes of a volume, in every form, against the order of sums that the contract
 * gives. */
#include "fixture.h"

static const float coefficients[] = {0.5f, 0.3f, -0.2f, 0.11f, -0.07f, 0.05f, -0.03f, 0.02f, -0.01f};

static float at(const float *plane, const haul_volume *v, int64_t x, int64_t y) {
    return x < 0 || y < 0 || x >= v->nx || y >= v->ny ? 0.0f : plane[y * v->pitch + x];
}

static float cross(const float *plane, const haul_volume *v, uint32_t radius, int64_t x, int64_t y) {
    float sum = coefficients[0] * at(plane, v, x, y);
    for (int64_t k = 1; k <= (int64_t)radius; k++) {
        float row = at(plane, v, x - k, y) + at(plane, v, x + k, y);
        float column = at(plane, v, x, y - k) + at(plane, v, x, y + k);
        sum = fmaf(coefficients[k], row + column, sum);
    }
    return sum;
}

static void compute(const float *in, float *out, const haul_volume *v, uint32_t radius) {
    size_t plane = (size_t)v->pitch * v->ny;
    for (size_t i = 0; i < (size_t)v->nz * v->ny * v->nx; i++) {
        size_t x = i % v->nx, y = i / v->nx % v->ny, z = i / v->nx / v->ny;
        out[z * plane + y * v->pitch + x] = cross(in + z * plane, v, radius, (int64_t)x, (int64_t)y);
    }
}

static void check_form(haul_stencil_form form, const haul_volume *v, uint32_t radius, haul_buffer *in,
                       const float *expected) {
    char what[80];
    size_t floats = haul_volume_floats(v);
    haul_buffer *out = upload_canaries(floats);
    must(haul_stencil(kernels, form, v, radius, coefficients, in, out, NULL));
    snprintf(what, sizeof what, "%s, %ux%ux%u, pitch %u, radius %u", haul_stencil_forms[form].name, v->nx, v->ny, v->nz,
             v->pitch, radius);
    assert_holds(what, out, expected, floats);
}

/* With as many blocks as the device holds, and with so few that each goes through several planes. */
static void check_volume(haul_volume v, uint32_t radius) {
    size_t floats = haul_volume_floats(&v);
    float *in = randoms(floats, v.nx + radius), *out = canaries(floats);
    compute(in, out, &v, radius);
    haul_buffer *from = upload(in, floats);
    for (unsigned form = HAUL_STENCIL_AUTO; form < HAUL_STENCIL_FORMS; form++) {
        if (v.pitch % 4 && form > HAUL_STENCIL_PLAIN) continue;
        if (v.nx % 4 && (form == HAUL_STENCIL_VECTOR || form == HAUL_STENCIL_LANES)) continue;
        if (radius > 4 && form == HAUL_STENCIL_LANES) continue;
        check_form((haul_stencil_form)form, &v, radius, from, out);
        haul_kernels_limit_blocks(kernels, 2);
        check_form((haul_stencil_form)form, &v, radius, from, out);
        haul_kernels_limit_blocks(kernels, 0);
    }
    haul_buffer_free(from);
    free(in), free(out);
}

static void check_shapes(void) {
    for (uint32_t radius = 1; radius <= 8; radius++) {
        check_volume((haul_volume){1, 1, 1, 4}, radius);
        check_volume((haul_volume){3, 2, 7, 5}, radius);
        check_volume((haul_volume){129, 33, 5, 132}, radius);
    }
    for (uint32_t nx = 125; nx <= 137; nx += 3) check_volume((haul_volume){nx, 31, 2, 140}, 1 + nx % 8);
    for (uint32_t nx = 124; nx <= 136; nx += 4) check_volume((haul_volume){nx, 18, 2, 140}, 1 + nx / 4 % 8);
    for (uint32_t nz = 1; nz <= 6; nz++) check_volume((haul_volume){64, 40, nz, 64}, 9 - nz);
    check_volume((haul_volume){300, 70, 3, 304}, 8);
}

static void every_form_gives_the_same_bits_on_any_volume(void **state) {
    (void)state;
    on_each_machine(check_shapes);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    haul_buffer *in = upload_canaries(60), *out = upload_canaries(60);
    const haul_volume v = {4, 5, 3, 4}, loose = {4, 5, 3, 5}, tight = {4, 5, 3, 3}, empty = {4, 5, 0, 4},
                      odd = {3, 5, 3, 4};
    expect_failure(haul_stencil(kernels, 0, &v, 0, coefficients, in, out, NULL), HAUL_ERROR_ARGUMENT, "radius 0");
    expect_failure(haul_stencil(kernels, 0, &v, 9, coefficients, in, out, NULL), HAUL_ERROR_ARGUMENT, "radius 9");
    expect_failure(haul_stencil(kernels, 0, &tight, 1, coefficients, in, out, NULL), HAUL_ERROR_ARGUMENT, "pitch 3");
    expect_failure(haul_stencil(kernels, HAUL_STENCIL_BY_HAND, &loose, 1, coefficients, in, out, NULL),
                   HAUL_ERROR_ARGUMENT, "pitch 5: must be a multiple of 4");
    expect_failure(haul_stencil(kernels, HAUL_STENCIL_VECTOR, &odd, 1, coefficients, in, out, NULL),
                   HAUL_ERROR_ARGUMENT, "nx 3: must be a multiple of 4");
    expect_failure(haul_stencil(kernels, HAUL_STENCIL_LANES, &odd, 1, coefficients, in, out, NULL), HAUL_ERROR_ARGUMENT,
                   "nx 3: must be a multiple of 4 for form lanes");
    expect_failure(haul_stencil(kernels, HAUL_STENCIL_LANES, &v, 5, coefficients, in, out, NULL), HAUL_ERROR_ARGUMENT,
                   "radius 5: must be 1 to 4 for form lanes");
    expect_failure(haul_stencil(kernels, 0, &empty, 1, coefficients, in, out, NULL), HAUL_ERROR_ARGUMENT,
                   "no elements");
    expect_failure(haul_stencil(kernels, HAUL_STENCIL_FORMS, &v, 1, coefficients, in, out, NULL), HAUL_ERROR_ARGUMENT,
                   "there are forms");
    must(haul_stencil(kernels, 0, &v, 1, coefficients, in, out, NULL));
    haul_buffer_free(in), haul_buffer_free(out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_gives_the_same_bits_on_any_volume),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
