/* Prints modules as PTX that ptxas and the parser accept.
 *
 * The text is not the original one: scopes are gone, so names are unique, and the order is that of the lists. Whatever
 * must be declared before its use is declared first: prototypes of functions, and variables that initial values name.
 * Printing and parsing again gives the same module, which the fuzzer tests. */
#include "ptx/print.h"

#include "ptx/needs.h"
#include "ptx/pattern.h"

#include <inttypes.h>
#include <string.h>

/* ---- operands ---- */

static void print_operand(const ptx_function *f, const ptx_operand *o, text *out);

/* Prints the parts of an operand between brackets. */
static void print_parts(const ptx_function *f, const ptx_operand *o, const char *open, const char *close, text *out) {
    text_put(out, open);
    for (uint32_t i = 0; i < o->part_count; i++) {
        if (i) text_put(out, ", ");
        print_operand(f, &o->parts[i], out);
    }
    text_put(out, close);
}

static void print_offset(int64_t offset, text *out) {
    if (offset) text_printf(out, "+%" PRId64, offset);
}

/* Prints `[base+offset]`, or `[map, {coordinates}]` for a tensor. */
static void print_memory(const ptx_function *f, const ptx_operand *o, text *out) {
    text_put(out, "[");
    print_operand(f, &o->parts[0], out);
    print_offset(o->offset, out);
    if (o->part_count > 1) text_put(out, ", ");
    if (o->part_count > 1) print_operand(f, &o->parts[1], out);
    text_put(out, "]");
}

/* Prints the sign or negation, the name, and the selected parts, whose last one comes first. */
static void print_register(const ptx_function *f, const ptx_operand *o, text *out) {
    const ptx_register *r = &f->registers[o->reg];
    const ptx_selector *s = &o->selector;
    if (o->negated) text_put(out, r->type == PTX_PRED ? "!" : "-");
    text_put(out, r->name);
    if (s->count) text_put(out, s->bits == 8 ? ".b" : ".h");
    for (unsigned n = s->count; n-- > 0;) text_printf(out, "%u", s->part[n]);
}

static void print_operand(const ptx_function *f, const ptx_operand *o, text *out) {
    switch (o->kind) {
    case PTX_REGISTER: print_register(f, o, out); break;
    case PTX_INTEGER: text_printf(out, "%" PRId64, (int64_t)o->bits); break;
    case PTX_FLOATING: text_printf(out, o->width == 32 ? "0f%08" PRIX64 : "0d%016" PRIX64, o->bits); break;
    case PTX_SPECIAL_REGISTER: text_put(out, ptx_special_names[o->special]); break;
    case PTX_VARIABLE_ADDRESS:
        text_put(out, o->variable->name);
        print_offset(o->offset, out);
        break;
    case PTX_FUNCTION_ADDRESS: text_put(out, o->function->name); break;
    case PTX_MEMORY:
    case PTX_TENSOR: print_memory(f, o, out); break;
    case PTX_VECTOR: print_parts(f, o, "{", "}", out); break;
    case PTX_LIST: print_parts(f, o, "(", ")", out); break;
    case PTX_PAIR:
        print_operand(f, &o->parts[0], out);
        text_put(out, "|");
        print_operand(f, &o->parts[1], out);
        break;
    case PTX_LABEL: text_put(out, f->labels[o->label].name); break;
    case PTX_SINK: text_put(out, "_"); break;
    case PTX_ABSENT: break;
    }
}

/* ---- instructions ---- */

/* Suffixes come in the order of the row's pattern, which is that of the PTX manual. */
void ptx_print_opcode(const ptx_instruction *i, text *out) {
    const ptx_pattern *pattern = ptx_pattern_of(i->op);
    const uint8_t types[] = {i->type, i->type2, i->type3, i->type4};
    text_put(out, ptx_ops[i->op].mnemonic);
    for (unsigned s = 0; s < pattern->suffix_count; s++) {
        const ptx_suffix *suffix = &pattern->suffixes[s];
        const char *name =
            suffix->is_type ? ptx_types[types[suffix->slot]].name : ptx_modifier_names[i->mods[suffix->slot]];
        const bool glued = !suffix->is_type && suffix->slot == PTX_SLOT_DEPTH; /* .m16n8k16 */
        if (*name && !glued) text_put(out, ".");
        text_put(out, name);
    }
}

/* Empty lists of a call are omitted. */
static bool is_written(const ptx_operand *o) {
    return o->kind != PTX_ABSENT && !(o->kind == PTX_LIST && !o->part_count);
}

void ptx_print_instruction(const ptx_module *module, const ptx_function *f, const ptx_instruction *i, text *out) {
    (void)module;
    if (i->guarded) {
        text_put(out, i->guard_negated ? "@!" : "@");
        text_put(out, f->registers[i->guard].name);
        text_put(out, " ");
    }
    ptx_print_opcode(i, out);
    const char *separator = " ";
    for (unsigned o = 0; o < i->operand_count; o++) {
        if (!is_written(&i->operands[o])) continue;
        text_put(out, separator);
        print_operand(f, &i->operands[o], out);
        separator = ", ";
    }
    text_put(out, ";");
}

/* ---- variables ---- */

static unsigned scalar_bytes(const ptx_variable *v) {
    unsigned bytes = (ptx_bits(v->type) + 7) / 8;
    return bytes ? bytes : 1;
}

/* `.align 4 .v2 .f32 name[10]` */
static void print_shape(const ptx_variable *v, text *out) {
    unsigned element = scalar_bytes(v) * v->vector;
    uint64_t count = v->size / element;
    if (v->space != PTX_SPACE_REG && v->alignment != element) text_printf(out, " .align %u", v->alignment);
    if (v->vector > 1) text_printf(out, " .v%u", v->vector);
    text_printf(out, " .%s %s", ptx_types[v->type].name, v->name);
    if (count > 1 || (count && v->dimensions)) text_printf(out, "[%" PRIu64 "]", count);
    if (count == 0) text_put(out, "[]");
}

static void print_address(const ptx_relocation *r, text *out) {
    const char *name = r->variable ? r->variable->name : r->function->name;
    text_printf(out, r->generic ? "generic(%s)" : "%s", name);
    print_offset(r->addend, out);
}

/* A part of an address is printed as its mask. */
static void print_relocation(const ptx_relocation *r, text *out) {
    if (!r->shift && r->bytes >= 4) {
        print_address(r, out);
        return;
    }
    uint64_t mask = r->bytes < 8 ? (UINT64_C(1) << 8 * r->bytes) - 1 : UINT64_MAX;
    text_printf(out, "0x%" PRIx64 "(", mask << r->shift);
    print_address(r, out);
    text_put(out, ")");
}

static void print_scalar(const ptx_variable *v, uint64_t at, text *out) {
    unsigned bytes = scalar_bytes(v);
    uint64_t value = 0;
    memcpy(&value, v->initial + at, bytes < 8 ? bytes : 8);
    if (v->type == PTX_F32) {
        text_printf(out, "0f%08" PRIX64, value);
    } else if (v->type == PTX_F64) {
        text_printf(out, "0d%016" PRIX64, value);
    } else {
        text_printf(out, "%" PRIu64, value);
    }
}

/* The bytes that must be written; zeros follow. */
static uint64_t initial_length(const ptx_variable *v) {
    uint64_t end = v->size, bytes = scalar_bytes(v);
    const ptx_relocation *last = v->relocation_count ? &v->relocations[v->relocation_count - 1] : NULL;
    while (end && !v->initial[end - 1] && !(last && end <= last->at + last->bytes)) end--;
    return (end + bytes - 1) / bytes * bytes;
}

/* Vectors are lists within the list; the last one is completed with zeros. */
static void print_initial(const ptx_variable *v, text *out) {
    const uint64_t end = initial_length(v), bytes = scalar_bytes(v), element = bytes * v->vector;
    const bool list = v->size > element || v->dimensions, vector = v->vector > 1;
    size_t next = 0;
    text_put(out, list ? " = {" : " = ");
    for (uint64_t at = 0; at < end || (vector && at % element); at += bytes) {
        if (at) text_put(out, vector && at % element == 0 ? "}, " : ", ");
        if (vector && at % element == 0) text_put(out, "{");
        if (next < v->relocation_count && v->relocations[next].at == at) {
            print_relocation(&v->relocations[next++], out);
        } else {
            print_scalar(v, at, out);
        }
    }
    text_put(out, vector ? "}" : "");
    text_put(out, list ? "}" : "");
}

static void print_linkage(bool is_extern, bool is_visible, bool is_weak, bool is_common, text *out) {
    if (is_extern) text_put(out, ".extern ");
    if (is_visible) text_put(out, ".visible ");
    if (is_weak) text_put(out, ".weak ");
    if (is_common) text_put(out, ".common ");
}

/* Without the value it prints an `.extern` declaration, which may come before the definition. */
static void print_variable(const ptx_variable *v, bool with_value, text *out) {
    if (with_value) print_linkage(v->is_extern, v->is_visible, v->is_weak, v->is_common, out);
    if (!with_value) text_put(out, ".extern ");
    text_printf(out, ".%s", ptx_space_names[v->space]);
    if (v->is_managed) text_put(out, " .attribute(.managed)");
    print_shape(v, out);
    if (with_value && v->initial) print_initial(v, out);
    text_put(out, ";\n");
}

/* ---- functions ---- */

static void print_parameters(ptx_variable *const *list, size_t count, text *out) {
    text_put(out, "(");
    for (size_t i = 0; i < count; i++) {
        text_put(out, i ? ", ." : ".");
        text_put(out, ptx_space_names[list[i]->space]);
        print_shape(list[i], out);
    }
    text_put(out, ")");
}

static void print_signature(const ptx_function *f, text *out) {
    if (f->result_count) print_parameters(f->results, f->result_count, out);
    text_printf(out, "%s%s", f->result_count ? " " : "", f->name);
    print_parameters(f->params, f->param_count, out);
    if (!f->is_entry) ptx_print_properties(f, " ", out);
}

static void print_header(const ptx_function *f, text *out) {
    print_linkage(f->is_extern, f->is_visible, f->is_weak, false, out);
    text_put(out, f->is_entry ? ".entry " : ".func ");
    print_signature(f, out);
}

/* The pragma of the module is not repeated. */
static void print_properties(const ptx_module *m, const ptx_function *f, text *out) {
    ptx_print_properties(f, "\n", out);
    if (f->keeps_loops && !m->keeps_loops) text_put(out, "\n.pragma \"nounroll\";");
}

/* Register parameters come first and are in the header. */
static size_t header_registers(const ptx_function *f) {
    size_t count = 0;
    for (size_t i = 0; i < f->param_count; i++) count += f->params[i]->space == PTX_SPACE_REG;
    for (size_t i = 0; i < f->result_count; i++) count += f->results[i]->space == PTX_SPACE_REG;
    return count;
}

enum { REGISTERS_A_LINE = 12 };

/* Registers are declared one by one, a few on a line, grouped by type. */
static void print_registers(const ptx_function *f, text *out) {
    for (unsigned type = 1; type < PTX_TYPE_COUNT; type++) {
        unsigned on_line = 0;
        for (size_t r = header_registers(f); r < f->register_count; r++) {
            if (f->registers[r].type != type) continue;
            if (on_line == REGISTERS_A_LINE) text_put(out, ";\n"), on_line = 0;
            if (!on_line) text_printf(out, "\t.reg .%s ", ptx_types[type].name);
            text_printf(out, "%s%s", on_line++ ? ", " : "", f->registers[r].name);
        }
        if (on_line) text_put(out, ";\n");
    }
}

/* Whether the label names a table rather than an instruction. */
static bool is_table(const ptx_label *l) {
    return l->branch_targets || l->call_targets || l->prototype;
}

static void print_table(const ptx_function *f, const ptx_label *l, text *out) {
    if (l->prototype) {
        text_printf(out, "%s: .callprototype ", l->name);
        print_signature(l->prototype, out);
        text_put(out, ";\n");
        return;
    }
    text_printf(out, "%s: %s", l->name, l->branch_targets ? ".branchtargets" : ".calltargets");
    for (uint32_t i = 0; i < l->branch_target_count; i++)
        text_printf(out, "%s%s", i ? ", " : " ", f->labels[l->branch_targets[i]].name);
    for (uint32_t i = 0; i < l->call_target_count; i++)
        text_printf(out, "%s%s", i ? ", " : " ", l->call_targets[i]->name);
    text_put(out, ";\n");
}

/* ---- places ---- */

/* Compares the whole chains: places are equal if their calls are, too. */
static bool same_place(const ptx_module *m, uint32_t a, uint32_t b) {
    while (a != b) {
        if (!a || !b) return false;
        const ptx_place *x = &m->places[a - 1], *y = &m->places[b - 1];
        if (x->file != y->file || x->line != y->line || x->column != y->column) return false;
        a = x->inlined_at;
        b = y->inlined_at;
    }
    return true;
}

/* Prints outer places first, since `inlined_at` means the last one printed. */
static void print_place(const ptx_module *m, uint32_t place, text *out) {
    const ptx_place *p = &m->places[place - 1];
    if (p->inlined_at) print_place(m, p->inlined_at, out);
    text_printf(out, "\t.loc %u %u %u", p->file, p->line, p->column);
    if (p->inlined_at) {
        const ptx_place *outer = &m->places[p->inlined_at - 1];
        text_printf(out, ", function_name $L__inlined, inlined_at %u %u %u", outer->file, outer->line, outer->column);
    }
    text_put(out, "\n");
}

static bool is_inlined(const ptx_module *m, const ptx_instruction *i) {
    return i->place && m->places[i->place - 1].inlined_at;
}

static bool has_inlined(const ptx_module *m) {
    for (size_t f = 0; f < m->function_count; f++)
        for (size_t i = 0; i < m->functions[f]->instruction_count; i++)
            if (is_inlined(m, &m->functions[f]->instructions[i])) return true;
    return false;
}

/* Prints a shared name of inlined functions: ptxas needs a label in a debug section, and places do not keep the
 * names. */
static void print_inlined_name(const ptx_module *m, text *out) {
    if (has_inlined(m)) text_put(out, "\n.section .debug_str\n{\n$L__inlined:\n.b8 0\n}\n");
}

/* ---- bodies ---- */

/* Prints the labels of an instruction. The parser found them in the order of the text, so one walk suffices. */
static size_t print_labels_at(const ptx_function *f, size_t next, size_t instruction, text *out) {
    for (; next < f->label_count && f->labels[next].target <= instruction; next++)
        if (!is_table(&f->labels[next])) text_printf(out, "%s:\n", f->labels[next].name);
    return next;
}

/* A source line is printed where it changes. */
static void print_instructions(const ptx_module *m, const ptx_function *f, text *out) {
    uint32_t place = 0;
    size_t label = 0;
    for (size_t i = 0; i < f->instruction_count; i++) {
        const ptx_instruction *instruction = &f->instructions[i];
        label = print_labels_at(f, label, i, out);
        if (instruction->place && !same_place(m, place, instruction->place)) print_place(m, instruction->place, out);
        place = instruction->place;
        text_put(out, instruction->keeps_loop ? "\t.pragma \"nounroll\";\n\t" : "\t");
        ptx_print_instruction(m, f, instruction, out);
        text_put(out, "\n");
    }
    print_labels_at(f, label, f->instruction_count, out);
}

void ptx_print_function(const ptx_module *m, const ptx_function *f, text *out) {
    print_header(f, out);
    if (!f->has_body) {
        text_put(out, ";\n");
        return;
    }
    if (f->is_entry) print_properties(m, f, out);
    text_put(out, "\n{\n");
    print_registers(f, out);
    for (size_t i = 0; i < f->variable_count; i++) {
        text_put(out, "\t");
        print_variable(f->variables[i], true, out);
    }
    for (size_t i = 0; i < f->label_count; i++)
        if (is_table(&f->labels[i])) print_table(f, &f->labels[i], out);
    print_instructions(m, f, out);
    text_put(out, "}\n");
}

/* ---- modules ---- */

static bool refers_to_entry(const ptx_operand *o) {
    return o->kind == PTX_FUNCTION_ADDRESS && o->function->is_entry;
}

static bool function_refers_to_entry(const ptx_function *f) {
    for (size_t i = 0; i < f->instruction_count; i++)
        for (unsigned o = 0; o < f->instructions[i].operand_count; o++)
            if (refers_to_entry(&f->instructions[i].operands[o])) return true;
    return false;
}

/* Returns whether a kernel's name is used, so that it must be declared first. */
static bool names_an_entry(const ptx_module *m) {
    for (size_t v = 0; v < m->variable_count; v++)
        for (size_t r = 0; r < m->variables[v]->relocation_count; r++)
            if (m->variables[v]->relocations[r].function && m->variables[v]->relocations[r].function->is_entry)
                return true;
    for (size_t f = 0; f < m->function_count; f++)
        if (function_refers_to_entry(m->functions[f])) return true;
    return false;
}

/* Returns whether an initial value names a later variable. */
static bool refers_forward(const ptx_module *m) {
    for (size_t v = 0; v < m->variable_count; v++) {
        for (size_t r = 0; r < m->variables[v]->relocation_count; r++) {
            const ptx_variable *target = m->variables[v]->relocations[r].variable;
            if (target && target->index > v) return true;
        }
    }
    return false;
}

static bool is_static(const ptx_variable *v) {
    return !v->is_extern && !v->is_visible && !v->is_weak && !v->is_common;
}

/* Prints the variables, without the grid's workspace, which is added last. Variables named before their declaration can
 * first be `.extern`, except static ones. */
static void print_variables(const ptx_module *m, text *out) {
    const size_t count = m->variable_count - (m->workspace != NULL);
    if (!refers_forward(m)) {
        for (size_t v = 0; v < count; v++) print_variable(m->variables[v], true, out);
        return;
    }
    for (size_t v = 0; v < count; v++)
        if (!is_static(m->variables[v])) print_variable(m->variables[v], false, out);
    for (size_t v = 0; v < count; v++)
        if (is_static(m->variables[v])) print_variable(m->variables[v], true, out);
    for (size_t v = 0; v < count; v++)
        if (!is_static(m->variables[v])) print_variable(m->variables[v], true, out);
}

static void print_prototype(const ptx_function *f, text *out) {
    print_header(f, out);
    text_put(out, ";\n");
}

/* Functions come before kernels, since only these cannot be called. */
static void print_bodies(const ptx_module *m, bool entries, text *out) {
    for (size_t f = 0; f < m->function_count; f++) {
        if (!m->functions[f]->has_body || m->functions[f]->is_entry != entries) continue;
        text_put(out, "\n");
        ptx_print_function(m, m->functions[f], out);
    }
}

static bool has_address_size(const ptx_module *m) {
    static const char directive[] = ".address_size";
    ptx_need need;
    return !ptx_need_of_directive(directive, sizeof directive - 1, &need) || m->version >= need.version;
}

void ptx_print_module(const ptx_module *m, text *out) {
    text_printf(out, ".version %u.%u\n.target sm_%u", m->version / 10, m->version % 10, m->sm);
    if (m->sm_suffix) text_append(out, &m->sm_suffix, 1);
    if (has_address_size(m)) text_printf(out, "\n.address_size %u", m->address_bits);
    text_put(out, "\n\n");
    if (m->keeps_loops) text_put(out, ".pragma \"nounroll\";\n");
    for (size_t i = 0; i < m->file_count; i++)
        if (m->files[i]) text_printf(out, ".file %zu \"%s\"\n", i, m->files[i]);
    bool entries = names_an_entry(m);
    for (size_t f = 0; f < m->function_count; f++)
        if (entries || !m->functions[f]->is_entry || !m->functions[f]->has_body) print_prototype(m->functions[f], out);
    print_variables(m, out);
    print_bodies(m, false, out);
    print_bodies(m, true, out);
    for (size_t f = 0; f < m->function_count; f++)
        if (m->functions[f]->alias_of)
            text_printf(out, ".alias %s, %s;\n", m->functions[f]->name, m->functions[f]->alias_of->name);
    print_inlined_name(m, out);
}
