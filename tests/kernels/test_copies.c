/* Copies by words, vectors, batches and strides. */
#include "fixture.h"

static void check_copies(uint32_t n) {
    float *in = randoms(n, n);
    haul_buffer *from = upload(in, n);
    for (unsigned form = HAUL_COPY_AUTO; form < HAUL_COPY_FORMS; form++) {
        haul_buffer *to = upload_canaries(n);
        must(haul_copy(kernels, (haul_copy_form)form, n, from, to, NULL));
        assert_holds(haul_copy_forms[form].name, to, in, n);
    }
    haul_buffer_free(from);
    free(in);
}

static void copies_move_every_word_and_no_more(void **state) {
    (void)state;
    for_each_size(check_copies);
}

static void check_batches(uint32_t n) {
    static const char *const forms[] = {"batch_looped", "batch_unrolled", "batch_restrict", "batch_vector"};
    float *in = randoms(n, n);
    shape s = cover(n, 4 * 128);
    s.block[0] = 128;
    for (size_t k = 0; k < COUNT(forms); k++) assert_maps("batches", forms[k], s, in, n, in, n, PARAMETERS(n));
    free(in);
}

static void batches_move_every_word_and_no_more(void **state) {
    (void)state;
    for_each_size(check_batches);
}

static void check_strides(uint32_t n) {
    for (uint32_t stride = 1; stride < 70; stride = stride * 3 - 1 + (stride == 1)) {
        uint32_t span = (n - 1) * stride + 1;
        float *wide = randoms(span, n), *narrow = canaries(n), *spread = canaries(span);
        for (uint32_t i = 0; i < n; i++) narrow[i] = spread[(size_t)i * stride] = wide[(size_t)i * stride];
        assert_maps("strides", "load_stride", cover(n, 64), wide, span, narrow, n, PARAMETERS(n, stride));
        assert_maps("strides", "store_stride", cover(n, 64), narrow, n, spread, span, PARAMETERS(n, stride));
        free(wide), free(narrow), free(spread);
    }
}

static void strides_touch_only_the_words_on_them(void **state) {
    (void)state;
    for_each_size(check_strides);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_move_every_word_and_no_more),
        cmocka_unit_test(batches_move_every_word_and_no_more),
        cmocka_unit_test(strides_touch_only_the_words_on_them),
    };
    return cmocka_run_group_tests(tests, open_machines, close_machines);
}
