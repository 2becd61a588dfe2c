/* Flags: two values of one field are refused and named, whichever they are, and docs/device.md has the table of
 * haul/flags.h. */
#include "machines.h"

#include <haul/fields.h>

/* ---- the checks, as a function ---- */

#define REFUSE_0(name, condition, text) \
    if (!(condition)) return text

static const char *refusal_of(haul_how how, unsigned shape, unsigned arch) {
    HAUL_CHECK_HOW(REFUSE, , how, shape, arch);
    return NULL;
}

static const char *refusal(haul_how how, unsigned shape) {
    return refusal_of(how, shape, 90);
}

static void assert_names(haul_how how, const char *a, const char *b) {
    const char *said = refusal(how, HAUL_OF_ROWS);
    if (!said || !strstr(said, a) || !strstr(said, b)) fail_msg("%s | %s: %s", a, b, said ? said : "is taken");
}

typedef struct value {
    const char *name;
    haul_how how;
} value;

#define VALUE(flag) \
    { #flag, flag }

/* All pairs of values of one field. `beside`: what they need. */
static void hold_field(const value *values, size_t count, haul_how beside) {
    for (size_t i = 0; i < count; i++) {
        const char *said = refusal(values[i].how | beside, HAUL_OF_ROWS);
        if (said) fail_msg("%s alone: %s", values[i].name, said);
        for (size_t k = 0; k < i; k++)
            assert_names(values[i].how | values[k].how | beside, values[i].name, values[k].name);
    }
}

static void two_values_of_one_field_are_named(void **state) {
    (void)state;
    static const value engines[] = {VALUE(HAUL_BY_LDG), VALUE(HAUL_BY_LDGSTS), VALUE(HAUL_BY_BULK),
                                    VALUE(HAUL_BY_TENSOR)};
    static const value loads[] = {VALUE(HAUL_LOAD_CA), VALUE(HAUL_LOAD_CG), VALUE(HAUL_LOAD_CS),
                                  VALUE(HAUL_LOAD_LU), VALUE(HAUL_LOAD_CV), VALUE(HAUL_LOAD_NC_NO_ALLOCATE)};
    static const value stores[] = {VALUE(HAUL_STORE_WB), VALUE(HAUL_STORE_CG), VALUE(HAUL_STORE_CS),
                                   VALUE(HAUL_STORE_WT)};
    static const value evictions[] = {VALUE(HAUL_L2_EVICT_FIRST), VALUE(HAUL_L2_EVICT_LAST),
                                      VALUE(HAUL_L2_EVICT_UNCHANGED)};
    static const value fetches[] = {VALUE(HAUL_L2_FETCH_64), VALUE(HAUL_L2_FETCH_128), VALUE(HAUL_L2_FETCH_256)};
    static const value ways[] = {VALUE(HAUL_THROUGH_L1), VALUE(HAUL_BYPASS_L1)};
    static const value types[] = {VALUE(HAUL_ADD_U32), VALUE(HAUL_ADD_S32), VALUE(HAUL_ADD_U64), VALUE(HAUL_ADD_F32),
                                  VALUE(HAUL_ADD_F64), VALUE(HAUL_ADD_F16), VALUE(HAUL_ADD_BF16)};
    hold_field(engines, COUNT(engines), 0);
    hold_field(loads, COUNT(loads), HAUL_BY_LDG);
    hold_field(stores, COUNT(stores), HAUL_BY_LDG);
    hold_field(evictions, COUNT(evictions), 0);
    hold_field(fetches, COUNT(fetches), HAUL_BY_LDGSTS);
    hold_field(ways, COUNT(ways), HAUL_BY_LDGSTS);
    hold_field(types, COUNT(types), 0);
}

static void two_numbers_of_bytes_in_flight_are_seen(void **state) {
    (void)state;
    for (unsigned a = 1; a <= 256; a++) {
        assert_int_equal(HAUL_IN_FLIGHT_BYTES(HAUL_IN_FLIGHT(a)), a);
        assert_null(refusal(HAUL_BY_LDG | HAUL_IN_FLIGHT(a), HAUL_OF_ROWS));
        for (unsigned b = 1; b < a; b++)
            assert_non_null(refusal(HAUL_BY_LDG | HAUL_IN_FLIGHT(a) | HAUL_IN_FLIGHT(b), HAUL_OF_ROWS));
    }
    assert_int_equal(HAUL_IN_FLIGHT(0), 0);
    assert_string_equal(refusal(HAUL_BY_LDG | HAUL_IN_FLIGHT(257), HAUL_OF_ROWS),
                        "at most 256 bytes a thread are in flight by LDG");
    assert_non_null(refusal(HAUL_BY_LDG | HAUL_IN_FLIGHT(1ull << 40), HAUL_OF_ROWS));
}

/* Forms of ld.global with .nc that ptxas 13.0 accepts. */
static void read_only_loads_take_the_operators_that_ptx_has(void **state) {
    (void)state;
    const haul_how read_only = HAUL_BY_LDG | HAUL_LOAD_NC;
    assert_null(refusal(read_only, HAUL_OF_ROWS));
    assert_null(refusal(read_only | HAUL_LOAD_CA, HAUL_OF_ROWS));
    assert_null(refusal(read_only | HAUL_LOAD_CG, HAUL_OF_ROWS));
    assert_null(refusal(read_only | HAUL_LOAD_CS, HAUL_OF_ROWS));
    assert_null(refusal(read_only | HAUL_LOAD_NC_NO_ALLOCATE, HAUL_OF_ROWS));
    assert_null(refusal(read_only | HAUL_LOAD_CA | HAUL_L2_FETCH_64, HAUL_OF_ROWS));
    assert_names(read_only | HAUL_LOAD_LU, "HAUL_LOAD_NC", "HAUL_LOAD_LU");
    assert_names(read_only | HAUL_LOAD_CV, "HAUL_LOAD_NC", "HAUL_LOAD_CV");
}

/* ---- named fields ---- */

static void assert_same(haul_transfer named, haul_transfer positional) {
    assert_int_equal(named.how, positional.how);
    assert_memory_equal(&named, &positional, sizeof named);
}

static void named_fields_make_the_same_descriptors(void **state) {
    (void)state;
    HAUL_SEQUENTIAL_WITH(run, float, .count = 1024, .vector = 4, .threads = 256, .in_flight = 8, .engine = HAUL_BY_LDG,
                         .load = HAUL_LOAD_CS, .read_only = 1, .store = HAUL_STORE_CS);
    assert_same(run, haul_sequential(4096, 16, 256,
                                     HAUL_BY_LDG | HAUL_IN_FLIGHT(128) | HAUL_LOAD_NC | HAUL_LOAD_CS | HAUL_STORE_CS));
    HAUL_STRIDED_WITH(rows, double, .rows = 4, .row = 16, .shared_pitch = 18, .global_pitch = -64, .congruent = 1);
    assert_same(rows, haul_strided(4, 128, 144, -512, 8, 0, HAUL_CONGRUENT));
    HAUL_INDIRECT_WITH(list, short, .rows = 4, .row = 16, .vector = 2, .index_64 = 1, .add = HAUL_ADD_F16);
    assert_same(list, haul_indirect(4, 32, 32, 32, 4, 0, HAUL_INDEX_64 | HAUL_ADD_F16));
    HAUL_HALO_WITH(halo, float, .width = 32, .height = 8, .radius = 3, .vector = 2, .threads = 64, .ring_only = 1);
    assert_same(halo, haul_halo(4, 32, 8, 3, 152, 8, 64, HAUL_RING_ONLY));
    HAUL_TILE_WITH(tile, float, .box0 = 8, .box1 = 1, .box2 = 4, .vector = 4, .engine = HAUL_BY_LDGSTS,
                   .l1 = HAUL_THROUGH_L1, .fetch = HAUL_L2_FETCH_64, .unbounded = 1);
    assert_same(tile, haul_tile(4, 3, 8, 1, 4, 1, 1, 32, 16, 0,
                                HAUL_BY_LDGSTS | HAUL_THROUGH_L1 | HAUL_L2_FETCH_64 | HAUL_UNBOUNDED));
    assert_same(haul_counted(haul_sized(rows, 64), 2), haul_strided(2, 64, 144, -512, 8, 0, HAUL_CONGRUENT));
}

static void an_architecture_lacks_engines_and_hints(void **state) {
    (void)state;
    assert_null(refusal_of(HAUL_AUTO, HAUL_OF_ROWS, 70));
    assert_non_null(refusal_of(HAUL_BY_LDGSTS, HAUL_OF_ROWS, 75));
    assert_non_null(refusal_of(HAUL_L2_EVICT_LAST, HAUL_OF_ROWS, 75));
    assert_non_null(refusal_of(HAUL_BY_LDG | HAUL_L2_FETCH_64, HAUL_OF_ROWS, 70));
    assert_null(refusal_of(HAUL_BY_LDG | HAUL_L2_FETCH_64, HAUL_OF_ROWS, 75));
    assert_non_null(refusal_of(HAUL_BY_LDG | HAUL_L2_FETCH_256, HAUL_OF_ROWS, 75));
    assert_non_null(refusal_of(HAUL_BY_BULK, HAUL_OF_ROWS, 80));
}

/* ---- the table of docs/device.md ---- */

static char *page;

/* The row of the table whose flag columns are headed by `heading`, and whose first flag is `flag`. */
static const char *find_row(const char *heading, const char *flag) {
    char start[64];
    const char *table = strstr(page, heading), *end = table ? strstr(table, "\n\n") : NULL;
    assert_non_null(end);
    snprintf(start, sizeof start, "\n| `%s", flag);
    const char *row = strstr(table, start);
    if (!row || row > end) fail_msg("docs/device.md: no row `%s` under %s", flag, heading);
    return row + 1;
}

/* Column k, from 0, behind the flag's: whether anything is in it. */
static bool is_filled(const char *row, unsigned k) {
    for (unsigned i = 0; i < k + 2; i++) row = strchr(row, '|') + 1;
    return row[strspn(row, " ")] != '|';
}

static void hold_row(const char *heading, const char *name, const haul_how *sets, haul_how has) {
    char flag[48];
    snprintf(flag, sizeof flag, "%s", strcmp(name, "HAUL_L1_BITS") == 0 ? "HAUL_THROUGH_L1" : name);
    if (strstr(flag, "_BITS")) *strstr(flag, "_BITS") = '\0';
    const char *row = find_row(heading, flag);
    for (unsigned k = 0; k < 4; k++)
        if (is_filled(row, k) != ((sets[k] & ~has) == 0))
            fail_msg("docs/device.md: %s: column %u of: %.100s", flag, k + 1, row);
}

static void the_manual_has_the_table(void **state) {
    (void)state;
    static const haul_how engines[] = {HAUL_BY_LDG, HAUL_BY_LDGSTS, HAUL_BY_BULK, HAUL_BY_TENSOR},
                          shapes[] = {HAUL_OF_ROWS, HAUL_OF_INDIRECT, HAUL_OF_HALO, HAUL_OF_TILE};
    size_t length;
    page = file_text(TEST_DATA "/../../docs/device.md", &length);
    assert_non_null(page);
#define HOLD(unused, flags, of_engines, of_shapes, text)                                              \
    if ((of_shapes) == HAUL_OF_ANY) hold_row("| flag | LDG | LDGSTS |", #flags, engines, of_engines); \
    if ((of_shapes) != HAUL_OF_ANY) hold_row("| flag | sequential, strided |", #flags, shapes, of_shapes);
    HAUL_FLAG_TABLE(HOLD, )
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_values_of_one_field_are_named),
        cmocka_unit_test(two_numbers_of_bytes_in_flight_are_seen),
        cmocka_unit_test(read_only_loads_take_the_operators_that_ptx_has),
        cmocka_unit_test(named_fields_make_the_same_descriptors),
        cmocka_unit_test(an_architecture_lacks_engines_and_hints),
        cmocka_unit_test(the_manual_has_the_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
