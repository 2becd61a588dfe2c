/* Features need a PTX version and a target, which the module must state; each is tested next to the first that has
 * it. */
#include "ptx_test.h"

#include "ptx/needs.h"

#define FOR(version, target, statements)                                                             \
    ".version " version "\n.target " target "\n.visible .entry k(.param .u64 p) { .reg .pred %p<9>;" \
    " .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .f64 %g<9>;\n" statements "\n}\n"
#define ACCEPT(version, target, statements) ptx_module_free(parse(FOR(version, target, statements)))
#define REFUSE(version, target, statements, message) \
    assert_refused(FOR(version, target, statements), HAUL_ERROR_SYNTAX, "t.ptx:4:" message)
#define REFUSE_MODULE(source, message) assert_refused(source, HAUL_ERROR_SYNTAX, "t.ptx:" message)

static void every_row_of_the_tables_can_be_read(void **state) {
    (void)state;
    assert_true(ptx_needs_are_read());
}

static void an_instruction_needs_its_version(void **state) {
    (void)state;
    ACCEPT("8.0", "sm_90", "elect.sync %r1|%p1, -1;");
    REFUSE("7.8", "sm_90", "elect.sync %r1|%p1, -1;",
           "1: 'elect.sync' needs PTX ISA 8.0 (the module says .version 7.8): raise .version");
}

static void an_instruction_needs_its_target(void **state) {
    (void)state;
    ACCEPT("7.0", "sm_80", "redux.sync.add.u32 %r1, %r2, -1;");
    REFUSE("7.0", "sm_75", "redux.sync.add.u32 %r1, %r2, -1;",
           "1: 'redux.sync.add.u32' needs sm_80 or later (the module says .target sm_75): change .target");
}

static void modifiers_can_be_newer_than_their_instruction(void **state) {
    (void)state;
    ACCEPT("6.0", "sm_70", "ld.relaxed.gpu.global.u32 %r1, [%d1];");
    REFUSE("7.7", "sm_80", "ld.relaxed.cluster.global.u32 %r1, [%d1];",
           "1: 'ld.relaxed.cluster.global.u32' needs PTX ISA 7.8 (the module says .version 7.7): raise .version");
    REFUSE("7.8", "sm_89", "ld.shared::cluster.u32 %r1, [%r2];",
           "1: 'ld.shared::cluster.u32' needs sm_90 or later (the module says .target sm_89): change .target");
}

static void types_can_be_newer_than_their_instruction(void **state) {
    (void)state;
    ACCEPT("7.8", "sm_90", "add.rn.bf16 %h1, %h2, %h3;");
    REFUSE("7.7", "sm_86", "add.rn.bf16 %h1, %h2, %h3;",
           "1: 'add.rn.bf16' needs PTX ISA 7.8 (the module says .version 7.7): raise .version");
    REFUSE("8.8", "sm_90", "st.v8.b32 [%d1], {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8};",
           "1: 'st.v8.b32' needs sm_100 or later (the module says .target sm_90): change .target");
}

static void operands_can_be_newer_than_their_instruction(void **state) {
    (void)state;
    ACCEPT("1.0", "sm_10", "min.f32 %f1, %f2, %f3;");
    REFUSE("8.7", "sm_100", "min.f32 %f1, %f2, %f3, %f4;",
           "1: 'min.f32' needs PTX ISA 8.8 (the module says .version 8.7): raise .version");
    ACCEPT("7.0", "sm_80", "mbarrier.arrive.shared.b64 %d1, [%d2];");
    REFUSE("7.0", "sm_80", "mbarrier.arrive.shared.b64 _, [%d2];",
           "1: 'mbarrier.arrive.shared.b64' needs PTX ISA 7.1 (the module says .version 7.0): raise .version");
}

static void what_is_missing_can_be_newer(void **state) {
    (void)state;
    ACCEPT("1.0", "sm_10", "ld.global.u32 %r1, [%d1];");
    REFUSE("1.0", "sm_10", "ld.u32 %r1, [%d1];",
           "1: 'ld.u32' needs PTX ISA 2.0 (the module says .version 1.0): raise .version");
}

static void some_belong_to_an_architecture_alone(void **state) {
    (void)state;
    ACCEPT("8.0", "sm_90a", "wgmma.fence.sync.aligned;");
    REFUSE("8.0", "sm_90", "wgmma.fence.sync.aligned;",
           "1: 'wgmma.fence.sync.aligned' needs sm_90a (the module says .target sm_90): change .target");
    REFUSE("8.6", "sm_100a", "wgmma.fence.sync.aligned;",
           "1: 'wgmma.fence.sync.aligned' needs sm_90a (the module says .target sm_100a): change .target");
}

static void some_belong_to_families(void **state) {
    (void)state;
    ACCEPT("8.6", "sm_100a", "tcgen05.wait::ld.sync.aligned;");
    ACCEPT("8.8", "sm_103f", "tcgen05.wait::ld.sync.aligned;");
    ACCEPT("9.0", "sm_110f", "tcgen05.wait::ld.sync.aligned;");
    ACCEPT("8.6", "sm_101a", "tcgen05.wait::ld.sync.aligned;"); /* the former name of sm_110a */
    REFUSE("9.0", "sm_120a", "tcgen05.wait::ld.sync.aligned;",
           "1: 'tcgen05.wait::ld.sync.aligned' needs sm_100f or sm_110f (the module says .target sm_120a): "
           "change .target");
}

static void special_registers_need_a_version(void **state) {
    (void)state;
    ACCEPT("7.8", "sm_90", "mov.u32 %r1, %clusterid.x;");
    REFUSE("7.7", "sm_80", "mov.u32 %r1, %clusterid.x;",
           "14: '%clusterid.x' needs PTX ISA 7.8 (the module says .version 7.7): raise .version");
}

static void directives_need_a_version(void **state) {
    (void)state;
    REFUSE_MODULE(".version 7.7\n.target sm_80\n.entry k .maxclusterrank 8 { ret; }\n",
                  "3:10: '.maxclusterrank' needs PTX ISA 7.8 (the module says .version 7.7): raise .version");
    REFUSE_MODULE(".version 7.8\n.target sm_80\n.entry k .maxclusterrank 8 { ret; }\n",
                  "3:10: '.maxclusterrank' needs sm_90 or later (the module says .target sm_80): change .target");
    REFUSE_MODULE(".version 6.2\n.target sm_70\n.func f;\n.func g { ret; }\n.alias f, g;\n",
                  "5:1: '.alias' needs PTX ISA 6.3 (the module says .version 6.2): raise .version");
    REFUSE_MODULE(".version 7.0\n.target sm_80\n.global .u32 x;\n.global .u8 y = 0xff(x);\n",
                  "4:17: 'a mask of an address' needs PTX ISA 7.1 (the module says .version 7.0): raise .version");
}

static void targets_need_a_version(void **state) {
    (void)state;
    ACCEPT("8.0", "sm_90a", "ret;");
    REFUSE_MODULE(".version 7.8\n.target sm_90a\n",
                  "2:9: 'sm_90a' needs PTX ISA 8.0 (the module says .version 7.8): raise .version");
    REFUSE_MODULE(".version 9.0\n.target sm_33\n", "2:9: there is no target 'sm_33'");
    REFUSE_MODULE(".version 9.0\n.target sm_80a\n", "2:9: there is no target 'sm_80a'");
}

static void mbarriers_have_layouts_and_reports_since_9_3(void **state) {
    (void)state;
    ACCEPT("9.3", "sm_90", "mbarrier.init.layout::v1.shared::cta.b64 [%r1], 1;");
    ACCEPT("9.3", "sm_90", "{ .reg .b8 v; mbarrier.try_wait.phase_type::primary.b64 %p1|%p2, v, [%d1], %d2, 20; }");
    REFUSE("9.2", "sm_90", "mbarrier.init.layout::v0.shared.b64 [%r1], 1;",
           "1: 'mbarrier.init.layout::v0.shared.b64' needs PTX ISA 9.3 (the module says .version 9.2): raise .version");
    REFUSE("9.3", "sm_90", "mbarrier.test_wait.phase_type::conditional.b64 %p1, [%d1], %d2;",
           "1: 'mbarrier.test_wait': has .phase_type::conditional with .parity only");
    REFUSE("9.3", "sm_90", "mbarrier.test_wait.b64 %p1|%p2, [%d1], %d2;",
           "1: 'mbarrier.test_wait': reports with .phase_type::primary only");
    REFUSE("9.3", "sm_90", "{ .reg .b8 v; mbarrier.test_wait.phase_type::primary.b64 %p1, v, [%d1], %d2; }",
           "15: 'mbarrier.test_wait': reports a value after a predicate: d|p, value");
}

static void bulk_copies_are_relaxed_since_9_3(void **state) {
    (void)state;
    ACCEPT("9.3", "sm_90a", "cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.b128 [%d1], [%r1], 16;");
    REFUSE("9.3", "sm_90", "cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.b128 [%d1], [%r1], 16;",
           "1: 'cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.b128' needs sm_90a, sm_100f or sm_110f (the "
           "module says .target sm_90): change .target");
    REFUSE("9.3", "sm_90a", "cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group [%d1], [%r1], 16;",
           "1: 'cp.async.bulk': with .relaxed ends in .b128");
    REFUSE("9.3", "sm_90a", "cp.async.bulk.gpu.global.shared::cta.bulk_group [%d1], [%r1], 16;",
           "1: 'cp.async.bulk': has a scope with .relaxed only");
}

static void loads_are_read_only_by_proxy_since_9_4(void **state) {
    (void)state;
    ACCEPT("9.4", "sm_90", "ld.u32.proxy::readonly %r1, [%d1]; prefetch.L1::32B.valid_addr [%d1];");
    REFUSE("9.4", "sm_90", "ld.shared.u32.proxy::readonly %r1, [%r2];",
           "1: 'ld': .proxy::readonly is for global memory");
    REFUSE("9.4", "sm_90", "ld.global.cg.u32.proxy::readonly %r1, [%d1];",
           "1: 'ld': .proxy::readonly has no memory order and no cache operator");
    REFUSE("9.4", "sm_90", "ld.global.v2.u32.proxy::readonly {%r1, %r2}, [%d1];",
           "1: 'ld': .proxy::readonly moves one element of up to 64 bits");
}

static void intermediate_sources_are_skipped_since_9_4(void **state) {
    (void)state;
    ACCEPT("9.4", "sm_90", ".loc_intermediate 1 2 3\nret;");
    REFUSE("9.3", "sm_90", ".loc_intermediate 1 2 3\nret;",
           "1: '.loc_intermediate' needs PTX ISA 9.4 (the module says .version 9.3): raise .version");
    ptx_module_free(
        parse(".version 9.4\n.target sm_90\n.file 1 \"a.py\"\n.nv_intermediate_source_section {\n.code_block {\n"
              ".ir_name: \"TileIR\"\n.sourceFileName: 1\n.source_begin\n}} \" {\n.source_end\n}\n.code_block {\n"
              ".source: <<< } \" >>>\n}\n}\n.entry k { ret; }\n"));
    REFUSE_MODULE(".version 9.4\n.target sm_90\n.nv_intermediate_source_section {\n.source_begin\n",
                  "4:1: this source has no .source_end");
}

static void ptx_9_1_to_9_4_add_forms_and_a_target(void **state) {
    (void)state;
    ACCEPT("9.4", "sm_107f", "cvt.rn.bf16x2.e4m3x2 %r1, %h1;");
    ACCEPT("9.2", "sm_121f", "add.sat.u8x4 %r1, %r2, %r3;");
    ACCEPT("9.3", "sm_80", "clmad.hi.u64 %d1, %d2, %d3, %d4;");
    REFUSE_MODULE(".version 9.3\n.target sm_107\n",
                  "2:9: 'sm_107' needs PTX ISA 9.4 (the module says .version 9.3): raise .version");
    REFUSE("9.1", "sm_120f", "add.sat.u32 %r1, %r2, %r3;",
           "1: 'add.sat.u32' needs PTX ISA 9.2 (the module says .version 9.1): raise .version");
    REFUSE("9.1", "sm_100f", "cvt.rn.satfinite.s2f6x2.bf16x2 %h1, %r1;",
           "1: 'cvt.rn.satfinite.s2f6x2.bf16x2' needs sm_100a, sm_103a, sm_110a, sm_120a or sm_121a (the "
           "module says .target sm_100f): change .target");
    REFUSE("9.1", "sm_100f", "cvt.rn.bf16x2.e4m3x2 %r1, %h1;",
           "1: 'cvt.rn.bf16x2.e4m3x2' needs PTX ISA 9.2 (the module says .version 9.1): raise .version");
}

/* PTX ISA 1.0 to 1.3 has defaults in place of .approx and .rn. */
static void functions_are_approximate_by_default_before_1_4(void **state) {
    (void)state;
    ACCEPT("1.3", "sm_13", "sin.f32 %f1, %f2; ex2.f32 %f1, %f1; div.f64 %g1, %g2, %g3;");
    assert_refused(FOR("2.0", "sm_20", "sin.f32 %f1, %f2;"), HAUL_ERROR_UNSUPPORTED,
                   "t.ptx:4:1: unsupported instruction 'sin.f32'");
}

/* Old compilers wrote none. */
static void prototypes_may_lack_a_semicolon(void **state) {
    (void)state;
    ptx_module_free(parse(".version 2.3\n.target sm_20\n.func f (.param .b32 a)\n.func f (.param .b32 a) { ret; }\n"
                          ".entry k { p: .callprototype _ (.param .b32 _)\n ret; }\n"));
}

/* sm_90 had the types of 8 bits first. */
static void fp8_is_older_on_sm_90(void **state) {
    (void)state;
    ACCEPT("7.8", "sm_90", "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;");
    ACCEPT("8.1", "sm_89", "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;");
    REFUSE("7.8", "sm_89", "cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;",
           "1: 'cvt': on sm_89 needs PTX ISA 8.1 (the module says .version 7.8): raise .version");
}

/* Later targets have all features of the latest known one. */
static void later_targets_are_taken(void **state) {
    (void)state;
    ACCEPT("9.1", "sm_130", "add.f32x2 %d1, %d2, %d3;");
}

/* As in ptxas, older code, for lanes in lockstep, may shuffle without .sync. */
static void lanes_may_shuffle_without_sync_before_6_4(void **state) {
    (void)state;
    ACCEPT("6.3", "sm_75", "shfl.idx.b32 %r1, %r2, 0, 31;");
    REFUSE("6.4", "sm_75", "shfl.idx.b32 %r1, %r2, 0, 31;", "1: 'shfl': needs .sync from sm_70 and PTX ISA 6.4 on");
}

/* Each text of a linked module is checked against its own version. */
static void texts_of_a_module_have_their_own_versions(void **state) {
    (void)state;
    static const char new[] = FOR("8.0", "sm_90", "elect.sync %r1|%p1, -1;");
    static const char old[] = ".version 7.0\n.target sm_80\n.entry l { .reg .pred %p<2>; .reg .b32 %r<2>;\n"
                              "elect.sync %r1|%p1, -1;\n}\n";
    const ptx_source sources[] = {{"new.ptx", new, sizeof new - 1}, {"old.ptx", old, sizeof old - 1}};
    ptx_module *module;
    assert_int_equal(ptx_module_link("both", sources, 2, &module), HAUL_ERROR_SYNTAX);
    assert_string_equal(haul_message(), "old.ptx:4:1: 'elect.sync' needs PTX ISA 8.0 (the module says .version 7.0): "
                                        "raise .version");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_the_tables_can_be_read),
        cmocka_unit_test(an_instruction_needs_its_version),
        cmocka_unit_test(an_instruction_needs_its_target),
        cmocka_unit_test(modifiers_can_be_newer_than_their_instruction),
        cmocka_unit_test(types_can_be_newer_than_their_instruction),
        cmocka_unit_test(operands_can_be_newer_than_their_instruction),
        cmocka_unit_test(what_is_missing_can_be_newer),
        cmocka_unit_test(some_belong_to_an_architecture_alone),
        cmocka_unit_test(some_belong_to_families),
        cmocka_unit_test(special_registers_need_a_version),
        cmocka_unit_test(directives_need_a_version),
        cmocka_unit_test(targets_need_a_version),
        cmocka_unit_test(mbarriers_have_layouts_and_reports_since_9_3),
        cmocka_unit_test(bulk_copies_are_relaxed_since_9_3),
        cmocka_unit_test(loads_are_read_only_by_proxy_since_9_4),
        cmocka_unit_test(intermediate_sources_are_skipped_since_9_4),
        cmocka_unit_test(ptx_9_1_to_9_4_add_forms_and_a_target),
        cmocka_unit_test(fp8_is_older_on_sm_90),
        cmocka_unit_test(functions_are_approximate_by_default_before_1_4),
        cmocka_unit_test(prototypes_may_lack_a_semicolon),
        cmocka_unit_test(later_targets_are_taken),
        cmocka_unit_test(lanes_may_shuffle_without_sync_before_6_4),
        cmocka_unit_test(texts_of_a_module_have_their_own_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
