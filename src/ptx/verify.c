/* Functions, instruction by instruction; labels and calls. */
#include "ptx/verify.h"

#include "ptx/tcgen05.h"

haul_status ptx_check_fail(const ptx_check *c, ptx_position at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    haul_vfail(HAUL_ERROR_SYNTAX, format, arguments);
    va_end(arguments);
    const char *name = ptx_ops[c->instruction->op].mnemonic;
    if (c->number)
        return haul_fail_in(HAUL_ERROR_SYNTAX, "%s:%u:%u: operand %u of '%s'", c->module->name, at.line, at.column,
                            c->number, name);
    return haul_fail_in(HAUL_ERROR_SYNTAX, "%s:%u:%u: '%s'", c->module->name, at.line, at.column, name);
}

/* ---- labels ---- */

static haul_status check_labels(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    for (unsigned o = 0; o < i->operand_count; o++) {
        if (i->operands[o].kind != PTX_LABEL) continue;
        const ptx_label *label = &c->function->labels[i->operands[o].label];
        bool table = label->branch_targets || label->prototype || label->call_targets;
        if (i->op == PTX_OP_BRA && table)
            return ptx_check_fail(c, i->operands[o].position, "'%s' is not a place", label->name);
        if (i->op == PTX_OP_BRX_IDX && !label->branch_targets)
            return ptx_check_fail(c, i->operands[o].position, "'%s' is not a list of .branchtargets", label->name);
        if (i->op == PTX_OP_CALL && !label->prototype && !label->call_targets)
            return ptx_check_fail(c, i->operands[o].position, "'%s' is not a .callprototype or .calltargets",
                                  label->name);
    }
    return HAUL_OK;
}

/* ---- calls ---- */

static haul_status check_call_value(const ptx_check *c, const ptx_operand *o, const ptx_variable *formal, bool result) {
    if (o->kind == PTX_VARIABLE_ADDRESS && o->variable->space == PTX_SPACE_PARAM && !o->offset) {
        if (formal->space == PTX_SPACE_PARAM && (o->variable->size == formal->size || !formal->size)) return HAUL_OK;
        return ptx_check_fail(c, o->position, "'%s' has another size than the parameter", o->variable->name);
    }
    if (o->kind == PTX_INTEGER && !result) {
        if (formal->size && formal->size <= 8) return HAUL_OK;
        return ptx_check_fail(c, o->position, "a constant has another size than the parameter");
    }
    if (o->kind != PTX_REGISTER || o->negated)
        return ptx_check_fail(c, o->position, "calls pass .param variables, registers and integers");
    const ptx_register *r = &c->function->registers[o->reg];
    if (formal->size == (ptx_bits(r->type) + 7) / 8) return HAUL_OK;
    return ptx_check_fail(c, o->position, "'%s' has another size than the parameter", r->name);
}

static haul_status check_call_list(const ptx_check *c, const ptx_operand *list, ptx_variable *const *formals,
                                   size_t count, bool results) {
    if (list->part_count != count)
        return ptx_check_fail(c, list->position, "the function has %zu %s, the call %u", count,
                              results ? "results" : "parameters", list->part_count);
    for (size_t i = 0; i < count; i++) HAUL_TRY(check_call_value(c, &list->parts[i], formals[i], results));
    return HAUL_OK;
}

static const ptx_function *called_signature(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    if (i->operands[1].kind == PTX_FUNCTION_ADDRESS) return i->operands[1].function;
    const ptx_label *label = i->operand_count > 3 ? &c->function->labels[i->operands[3].label] : NULL;
    if (!label) return NULL;
    return label->prototype ? label->prototype : label->call_target_count ? label->call_targets[0] : NULL;
}

static haul_status check_call(const ptx_check *c) {
    const ptx_operand *target = &c->instruction->operands[1];
    if (ptx_is_far_call(c->instruction)) return HAUL_OK; /* nobody wrote it */
    bool indirect = target->kind == PTX_REGISTER;
    if (!indirect && target->kind != PTX_FUNCTION_ADDRESS)
        return ptx_check_fail(c, target->position, "needs a function");
    if (indirect && ptx_bits(c->function->registers[target->reg].type) != 64)
        return ptx_check_fail(c, target->position, "the address of a function has 64 bits");
    if (!indirect && target->function->is_entry)
        return ptx_check_fail(c, target->position, "'%s' is an .entry, which cannot be called", target->function->name);
    HAUL_TRY(check_labels(c));
    const ptx_function *callee = called_signature(c);
    if (!callee) return ptx_check_fail(c, target->position, "through a register needs a .callprototype");
    HAUL_TRY(check_call_list(c, &c->instruction->operands[0], callee->results, callee->result_count, true));
    return check_call_list(c, &c->instruction->operands[2], callee->params, callee->param_count, false);
}

/* ---- the whole ---- */

static haul_status check_instruction(ptx_check *c) {
    if (c->instruction->op == PTX_OP_CALL) return check_call(c);
    HAUL_TRY(ptx_check_matrix(c));
    HAUL_TRY(ptx_check_operands(c));
    HAUL_TRY(ptx_check_rules(c));
    return check_labels(c);
}

enum { MAX_TABLE_ENTRIES = 1 << 22 };

/* Many jumps through one large table would make more edges than the text is long. */
static haul_status check_table_sizes(ptx_check *c) {
    const ptx_function *f = c->function;
    uint64_t entries = 0;
    for (size_t i = 0; i < f->instruction_count; i++) {
        c->instruction = &f->instructions[i];
        if (c->instruction->op != PTX_OP_BRX_IDX) continue;
        entries += f->labels[c->instruction->operands[1].label].branch_target_count;
        if (entries > MAX_TABLE_ENTRIES) return ptx_check_fail(c, c->instruction->position, "too many branch targets");
    }
    return HAUL_OK;
}

/* A kernel's tcgen05 instructions are all for one block, or all for a pair. */
static haul_status check_groups(ptx_check *c) {
    const ptx_function *f = c->function;
    unsigned first = PTX_MOD_NONE;
    for (size_t i = 0; i < f->instruction_count; i++) {
        c->instruction = &f->instructions[i];
        const unsigned group = c->instruction->mods[PTX_SLOT_CTA_GROUP];
        if (!ptx_is_tcgen05(c->instruction) || !group) continue;
        if (first && group != first)
            return ptx_check_fail(c, c->instruction->position,
                                  "is for .%s, those before it for .%s: a kernel has one of them",
                                  ptx_modifier_names[group], ptx_modifier_names[first]);
        first = group;
    }
    return HAUL_OK;
}

haul_status ptx_verify(const ptx_module *module, const ptx_function *function) {
    ptx_check c = {.module = module, .function = function};
    for (size_t i = 0; i < function->instruction_count; i++) {
        c.instruction = &function->instructions[i];
        HAUL_TRY(check_instruction(&c));
    }
    HAUL_TRY(check_groups(&c));
    return check_table_sizes(&c);
}
