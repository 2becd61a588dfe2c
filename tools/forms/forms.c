/* For tools/forms/compare.py and modules.py, which compare haul with ptxas: single instructions of every row of
 * isa.def, and what haul says to instructions and modules.
 *
 *     haul_forms list [N]
 *         prints forms, one a line behind the row's id; of a row with more than N N of them
 *     haul_forms judge VERSION TARGET
 *         reads forms, prints a line each: what is wrong with it in a module with that .version and .target; empty:
 * nothing haul_forms modules reads modules, a line each: version, target and the rest, apart by tabs; prints a line
 * each likewise */
#include "base/text.h"
#include "ptx/matrix.h"
#include "ptx/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- operands ---- */

static uint64_t state = 1;

static unsigned draw(unsigned below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

static const char *prefix_of(unsigned type) {
    if (type == PTX_PRED) return "%p";
    if (type == PTX_F32) return "%f";
    if (type == PTX_F64) return "%g";
    switch (ptx_bits(type)) {
    case 8: return ptx_types[type].kind == 'F' ? "%c" : "%h";
    case 16: return "%h";
    case 64: return "%d";
    case 128: return "%q";
    default: return "%r";
    }
}

static void put_register(text *t, unsigned type) {
    text_printf(t, "%s%u", prefix_of(type), 1 + draw(type == PTX_B128 ? 2 : 8));
}

static void put_list(text *t, unsigned count, unsigned type) {
    for (unsigned k = 0; k < count; k++) {
        text_put(t, k ? ", " : "{");
        put_register(t, type);
    }
    text_put(t, "}");
}

static void put_constant(text *t, const ptx_instruction *i) {
    static const unsigned constants[] = {0, 1, 4, 8, 16, 32, 48, 64, 128};
    const bool whole = i->op == PTX_OP_DISCARD || i->op == PTX_OP_APPLYPRIORITY || i->op == PTX_OP_TENSORMAP_COPY ||
                       i->op == PTX_OP_FENCE_TENSORMAP_ACQUIRE;
    const unsigned drawn = constants[draw(sizeof constants / sizeof *constants)];
    text_printf(t, "%u", whole ? 128 : ptx_is_warpgroup_product(i) ? drawn != 0 : drawn);
}

static void put_space_address(text *t, unsigned modifier) {
    const bool parameter = modifier == PTX_MOD_PARAM || modifier == PTX_MOD_PARAM_ENTRY;
    if (parameter || modifier == PTX_MOD_PARAM_FUNC)
        text_put(t, parameter ? "[p]" : "[q]");
    else
        text_printf(t, "[%%d%u]", 1 + draw(8));
}

static void put_memory(text *t, const ptx_instruction *i, const ptx_operand_slot *slot, bool first) {
    if (slot->in_tensor_memory)
        text_printf(t, "[%%r%u]", 1 + draw(8));
    else
        put_space_address(t, first ? i->mods[PTX_SLOT_SPACE] : 0);
}

static void put_coordinates(text *t, const ptx_instruction *i) {
    const unsigned mode = i->mods[PTX_SLOT_LOAD_MODE];
    const bool rows = mode == PTX_MOD_GATHER || mode == PTX_MOD_SCATTER;
    text_put(t, "[%d1, ");
    put_list(t, rows ? 5 : i->mods[PTX_SLOT_DIM] - PTX_MOD_DIM_1 + 1u, PTX_B32);
    text_put(t, "]");
}

static void put_texture(text *t, const ptx_instruction *i) {
    text_put(t, "[%d1, {");
    for (unsigned k = 0; k < ptx_coordinate_count(i); k++) {
        text_put(t, k ? ", " : "");
        put_register(t, k == 0 && ptx_is_layered(i) ? PTX_U32 : ptx_coordinate_type(i));
    }
    text_put(t, "}]");
}

static void put_destination(text *t, const ptx_instruction *i, const ptx_operand_slot *slot, unsigned type) {
    if (slot->fragment) {
        put_list(t, ptx_fragment_length(i, slot->fragment), ptx_fragment_type(type));
    } else if (slot->vector && ptx_vector_length(i) > 1) {
        put_list(t, ptx_vector_length(i), type);
    } else if (slot->sink && draw(3) == 0) {
        text_put(t, slot->pair_required ? "_|%p1" : "_");
    } else {
        put_register(t, type);
        if (slot->pair_required || (slot->pair && draw(2))) text_put(t, "|%p1");
    }
}

static void put_source(text *t, const ptx_instruction *i, const ptx_operand_slot *slot, unsigned type) {
    const bool number = ptx_types[type].kind != 'F' && ptx_types[type].kind != 'P' && ptx_bits(type) < 128;
    if (slot->immediate) {
        put_constant(t, i);
    } else if (slot->mask) {
        put_list(t, i->mods[PTX_SLOT_CTA_GROUP] == PTX_MOD_CTA_GROUP_2 ? 8 : 4, type);
    } else if (slot->fragment && !(slot->described && draw(2))) {
        put_list(t, ptx_fragment_length(i, slot->fragment), ptx_fragment_type(type));
    } else if (slot->vector && ptx_vector_length(i) > 1) {
        put_list(t, ptx_vector_length(i), type);
    } else if (slot->in_tensor_memory && draw(2)) {
        text_put(t, "[%r1]");
    } else if (slot->tied && slot->tie == PTX_SLOT_SYNC) {
        text_put(t, "-1");
    } else if (number && draw(5) == 0 && i->op != PTX_OP_CVT) {
        text_put(t, "16");
    } else {
        put_register(t, slot->described ? PTX_B64 : type);
    }
}

static void put_operand(text *t, const ptx_instruction *i, const ptx_operand_slot *slot, unsigned memories) {
    const unsigned type = ptx_slot_type(slot, i), mode = i->mods[PTX_SLOT_LOAD_MODE];
    switch (slot->role) {
    case PTX_ROLE_DESTINATION: put_destination(t, i, slot, type); break;
    case PTX_ROLE_SOURCE: put_source(t, i, slot, type); break;
    case PTX_ROLE_MEMORY: put_memory(t, i, slot, memories == 0); break;
    case PTX_ROLE_TENSOR: put_coordinates(t, i); break;
    case PTX_ROLE_LABEL: text_put(t, i->op == PTX_OP_BRX_IDX ? "T" : "L"); break;
    case PTX_ROLE_TEXTURE: put_texture(t, i); break;
    case PTX_ROLE_GRADIENTS: put_list(t, ptx_gradient_count(i), PTX_F32); break;
    case PTX_ROLE_SHIFTS: put_list(t, ptx_gradient_count(i), PTX_S32); break;
    case PTX_ROLE_OFFSETS:
        put_list(
            t, mode == PTX_MOD_IM2COL_W || mode == PTX_MOD_IM2COL_W128 ? 2 : i->mods[PTX_SLOT_DIM] - PTX_MOD_DIM_1 - 1u,
            PTX_U16);
        break;
    }
}

/* `chosen`: bit k, the k-th operand that may be left out is there. */
static void put_operands(text *t, const ptx_instruction *i, unsigned chosen) {
    const ptx_pattern *pattern = ptx_pattern_of(i->op);
    const char *between = " ";
    unsigned memories = 0;
    if (pattern->is_call) text_put(t, " f");
    for (unsigned o = 0; o < pattern->operand_count; o++) {
        const ptx_operand_slot *slot = &pattern->operands[o];
        if (!ptx_is_allowed(slot, i->mods)) continue;
        if (!ptx_is_required(slot, i->mods)) {
            const bool there = chosen & 1;
            chosen >>= 1;
            if (!there) continue;
        }
        text_put(t, between);
        put_operand(t, i, slot, memories);
        memories += slot->role == PTX_ROLE_MEMORY;
        between = ", ";
    }
    text_put(t, ";");
}

static unsigned count_optional(const ptx_instruction *i) {
    const ptx_pattern *pattern = ptx_pattern_of(i->op);
    unsigned count = 0;
    for (unsigned o = 0; o < pattern->operand_count; o++)
        count += ptx_is_allowed(&pattern->operands[o], i->mods) && !ptx_is_required(&pattern->operands[o], i->mods);
    return count;
}

/* ---- opcodes ---- */

static unsigned first_of_slot(unsigned slot) {
    unsigned m = 1;
    while (ptx_modifier_slots[m] != slot) m++;
    return m;
}

static unsigned modifiers_in(unsigned slot) {
    unsigned count = 0;
    for (unsigned m = 1; m < PTX_MOD_COUNT; m++) count += ptx_modifier_slots[m] == slot;
    return count;
}

/* The ways to choose a suffix: what `which` of them is; -1: none. */
static int choice_of(const ptx_suffix *suffix, unsigned which, unsigned *count) {
    const unsigned most = suffix->is_type ? PTX_TYPE_COUNT : modifiers_in(suffix->slot);
    int found = -1;
    *count = suffix->optional;
    for (unsigned k = suffix->is_type; k < most; k++) {
        if (!(suffix->choice >> k & 1)) continue;
        if (*count == which) found = (int)k;
        ++*count;
    }
    return found;
}

static double count_of_row(const ptx_pattern *pattern) {
    double all = 1;
    for (unsigned s = 0; s < pattern->suffix_count; s++) {
        unsigned count;
        (void)choice_of(&pattern->suffixes[s], 0, &count);
        all *= count;
    }
    return all;
}

static void put_suffix(text *t, const ptx_suffix *suffix, int choice) {
    if (choice < 0) return;
    const char *name =
        suffix->is_type ? ptx_types[choice].name : ptx_modifier_names[first_of_slot(suffix->slot) + (unsigned)choice];
    const bool joined = !suffix->is_type && suffix->slot == PTX_SLOT_DEPTH;
    text_printf(t, "%s%s", joined ? "" : ".", name);
}

/* The row's `number`-th opcode; a drawn one where `drawn`, mostly without what may be left out. */
static void put_opcode(text *t, unsigned op, uint64_t number, bool drawn) {
    const ptx_pattern *pattern = ptx_pattern_of(op);
    text_put(t, ptx_ops[op].mnemonic);
    for (unsigned s = 0; s < pattern->suffix_count; s++) {
        unsigned count;
        (void)choice_of(&pattern->suffixes[s], 0, &count);
        const bool plain = drawn && pattern->suffixes[s].optional && draw(3);
        const unsigned which = plain ? 0 : drawn ? draw(count) : (unsigned)(number % count);
        number /= count;
        put_suffix(t, &pattern->suffixes[s], choice_of(&pattern->suffixes[s], which, &count));
    }
}

static void list_opcode(unsigned op, uint64_t number, bool drawn) {
    text opcode = {0};
    ptx_opcode resolved;
    put_opcode(&opcode, op, number, drawn);
    if (ptx_resolve_opcode(text_string(&opcode), opcode.length, &resolved) && resolved.op == op) {
        ptx_instruction i = {0};
        ptx_set_opcode(&i, &resolved);
        for (unsigned chosen = 0; chosen < 1u << count_optional(&i); chosen++) {
            text line = {0};
            text_put(&line, text_string(&opcode));
            put_operands(&line, &i, chosen);
            printf("%s\t%s\n", ptx_ops[op].id, text_string(&line));
            text_free(&line);
        }
    }
    text_free(&opcode);
}

static void list(uint64_t most) {
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        const double all = count_of_row(ptx_pattern_of(op));
        const bool drawn = all > (double)most;
        const uint64_t count = drawn ? most : (uint64_t)all;
        for (uint64_t n = 0; n < count; n++) list_opcode(op, n, drawn);
    }
    for (unsigned s = 0; s < PTX_SPECIAL_COUNT; s++) {
        const char *type = ptx_types[ptx_special_types[s]].name;
        printf("MOV\tmov.%s %s1, %s;\n", type, prefix_of(ptx_special_types[s]), ptx_special_names[s]);
    }
}

/* ---- modules ---- */

static const char registers[] = ".reg .pred %p<9>; .reg .b8 %c<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %d<9>;"
                                ".reg .f32 %f<9>; .reg .f64 %g<9>;";
static const char parameter[] = ".param .align 16 .b8 q[64];";
static const char wide[] = ".reg .b128 %q<3>;";
static const char table[] = "T: .branchtargets L;";

static void put_module(text *t, const char *version, const char *target, const char *form) {
    text_printf(t, ".version %s\n.target %s\n.func f { ret; }\n", version, target);
    text_put(t, ".visible .entry k(.param .align 16 .b8 p[64]) {");
    text_put(t, registers);
    if (strstr(form, "[q]")) text_put(t, parameter);
    if (strstr(form, "%q")) text_put(t, wide);
    if (strstr(form, "brx")) text_put(t, table);
    text_printf(t, "\n%s\nL: ret;\n}\n", form);
}

/* Frees the text. */
static const char *fault_of(text *t) {
    ptx_module *module;
    const bool taken = ptx_module_parse("form", text_string(t), t->length, &module) == HAUL_OK;
    if (taken) ptx_module_free(module);
    text_free(t);
    return taken ? "" : haul_message();
}

static void judge(const char *version, const char *target) {
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = '\0';
        const char *tab = strchr(line, '\t');
        text t = {0};
        put_module(&t, version, target, tab ? tab + 1 : line);
        puts(fault_of(&t));
    }
}

static void judge_modules(void) {
    static char line[1 << 20];
    while (fgets(line, sizeof line, stdin)) {
        char *rest = line;
        const char *version = strsep(&rest, "\t"), *target = strsep(&rest, "\t");
        text t = {0};
        text_printf(&t, ".version %s\n.target sm_%s\n%s", version, target, rest);
        puts(fault_of(&t));
    }
}

int main(int argc, char **argv) {
    if (argc >= 2 && strcmp(argv[1], "list") == 0) {
        list(argc > 2 ? strtoull(argv[2], NULL, 10) : 1000);
    } else if (argc == 4 && strcmp(argv[1], "judge") == 0) {
        judge(argv[2], argv[3]);
    } else if (argc == 2 && strcmp(argv[1], "modules") == 0) {
        judge_modules();
    } else {
        fprintf(stderr, "usage: haul_forms list [N] | judge VERSION TARGET | modules\n");
        return 2;
    }
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
