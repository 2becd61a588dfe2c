/* The verifier: functions, instruction by instruction; labels and calls.
 *
 * A module that passes needs no checks later: lowering, the assembler's passes and the interpreter rely on operands
 * having the kinds and types of their rows. It refuses what ptxas 13.0 refuses, so that a program that works here works
 * there. Messages name the place, the operand and the reason. */
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

static bool is_before(ptx_position a, ptx_position b) {
    return a.line != b.line ? a.line < b.line : a.column < b.column;
}

/* Labels must be what their instruction takes, and tables must stand before it. */
static haul_status check_labels(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    for (unsigned o = 0; o < i->operand_count; o++) {
        if (i->operands[o].kind != PTX_LABEL) continue;
        const ptx_label *label = &c->function->labels[i->operands[o].label];
        bool table = label->branch_targets || label->prototype || label->call_targets;
        if (i->op == PTX_OP_BRA && table)
            return ptx_check_fail(c, i->operands[o].position, "'%s' is not the label of an instruction", label->name);
        if (i->op == PTX_OP_BRX_IDX && !label->branch_targets)
            return ptx_check_fail(c, i->operands[o].position, "'%s' is not a list of .branchtargets", label->name);
        if (table && !is_before(label->position, i->position))
            return ptx_check_fail(c, i->operands[o].position,
                                  "'%s' is declared later: declare it before this instruction", label->name);
        if (i->op == PTX_OP_CALL && !label->prototype && !label->call_targets)
            return ptx_check_fail(c, i->operands[o].position, "'%s' is not a .callprototype or .calltargets",
                                  label->name);
    }
    return HAUL_OK;
}

/* ---- calls ---- */

static bool is_bits(unsigned type) {
    return ptx_types[type].kind == 'B' || type == PTX_F16X2;
}

/* Integers of 8 and 16 bits are passed as bits, as in ptxas. */
static bool can_be_passed(unsigned type) {
    return is_bits(type) || ptx_types[type].kind == 'F' || ptx_bits(type) >= 32;
}

/* Whether a value of one type can be passed as the other: equal widths, and floats only as themselves or as bits. */
static bool passes(unsigned formal, unsigned type) {
    if (formal == PTX_PRED || type == PTX_PRED || ptx_bits(formal) != ptx_bits(type)) return false;
    if (is_bits(formal) || is_bits(type)) return true;
    return ptx_types[formal].kind == 'F' || ptx_types[type].kind == 'F' ? formal == type : true;
}

static haul_status fail_passing(const ptx_check *c, const ptx_operand *o, const ptx_variable *formal,
                                const char *name) {
    return ptx_check_fail(c, o->position, "'%s' has a different type than the function's '%s', a .%s%s", name,
                          formal->name, ptx_types[formal->type].name, formal->dimensions ? " array" : "");
}

/* Checks a passed variable; arrays must have the same size and alignment. */
static haul_status check_passed(const ptx_check *c, const ptx_operand *o, const ptx_variable *formal) {
    const ptx_variable *v = o->variable;
    const bool arrays = v->dimensions && formal->dimensions, scalars = !v->dimensions && !formal->dimensions;
    if (formal->space != PTX_SPACE_PARAM)
        return ptx_check_fail(c, o->position, "'%s' is in .param, the function's '%s' is a register", v->name,
                              formal->name);
    if (scalars && passes(formal->type, v->type)) return HAUL_OK;
    if (!arrays || (v->size != formal->size && formal->size)) return fail_passing(c, o, formal, v->name);
    if (v->alignment == formal->alignment) return HAUL_OK;
    return ptx_check_fail(c, o->position, "'%s' is aligned to %u bytes, the function's '%s' to %u", v->name,
                          v->alignment, formal->name, formal->alignment);
}

/* Checks one argument or result: a .param variable, a register, or an integer. */
static haul_status check_call_value(const ptx_check *c, const ptx_operand *o, const ptx_variable *formal, bool result) {
    if (!formal->dimensions && !can_be_passed(formal->type))
        return ptx_check_fail(c, o->position,
                              "no call can pass the function's '%s', a .%s: declare it as bits or wider", formal->name,
                              ptx_types[formal->type].name);
    if (o->kind == PTX_VARIABLE_ADDRESS && o->variable->space == PTX_SPACE_PARAM && !o->offset)
        return check_passed(c, o, formal);
    if (o->kind == PTX_INTEGER && !result) {
        if (!formal->dimensions && formal->size <= 8 && ptx_types[formal->type].kind != 'F') return HAUL_OK;
        return ptx_check_fail(c, o->position, "a constant has a different type than the function's '%s'", formal->name);
    }
    if (o->kind != PTX_REGISTER || o->negated)
        return ptx_check_fail(c, o->position, "calls pass .param variables, registers and integers");
    const ptx_register *r = &c->function->registers[o->reg];
    if (!formal->dimensions && passes(formal->type, r->type)) return HAUL_OK;
    return fail_passing(c, o, formal, r->name);
}

/* Checks the arguments or the results of a call against the function's. */
static haul_status check_call_list(const ptx_check *c, const ptx_operand *list, ptx_variable *const *formals,
                                   size_t count, bool results) {
    if (list->part_count != count)
        return ptx_check_fail(c, list->position, "the function has %zu %s, the call %u", count,
                              results ? "results" : "parameters", list->part_count);
    for (size_t i = 0; i < count; i++) HAUL_TRY(check_call_value(c, &list->parts[i], formals[i], results));
    return HAUL_OK;
}

static haul_status check_lists(const ptx_check *c, const ptx_function *callee) {
    const ptx_operand *results = &c->instruction->operands[0], *arguments = &c->instruction->operands[2];
    HAUL_TRY(check_call_list(c, results, callee->results, callee->result_count, true));
    return check_call_list(c, arguments, callee->params, callee->param_count, false);
}

/* Checks a call through a register, whose label must describe the function. */
static haul_status check_indirect_call(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    const ptx_label *label = i->operand_count > 3 ? &c->function->labels[i->operands[3].label] : NULL;
    if (ptx_bits(c->function->registers[i->operands[1].reg].type) != 64)
        return ptx_check_fail(c, i->operands[1].position, "the address of a function has 64 bits");
    if (!label) return ptx_check_fail(c, i->operands[1].position, "through a register needs a .callprototype");
    HAUL_TRY(check_labels(c));
    if (!is_before(label->position, i->position))
        return ptx_check_fail(c, i->operands[3].position, "'%s' is declared later: declare it before the call",
                              label->name);
    if (label->prototype) return check_lists(c, label->prototype);
    for (uint32_t t = 0; t < label->call_target_count; t++) HAUL_TRY(check_lists(c, label->call_targets[t]));
    return HAUL_OK;
}

/* Calls have operands of their own, so they are not checked by a pattern. */
static haul_status check_call(const ptx_check *c) {
    const ptx_instruction *i = c->instruction;
    const ptx_operand *target = &i->operands[1];
    if (ptx_is_far_call(i)) return HAUL_OK; /* made by inlining */
    if (target->kind == PTX_REGISTER) return check_indirect_call(c);
    if (target->kind != PTX_FUNCTION_ADDRESS) return ptx_check_fail(c, target->position, "needs a function");
    if (target->function->is_entry)
        return ptx_check_fail(c, target->position, "'%s' is an .entry, which cannot be called", target->function->name);
    if (i->operand_count > 3)
        return ptx_check_fail(c, i->operands[3].position, "of '%s' takes no .callprototype and no .calltargets",
                              target->function->name);
    return check_lists(c, target->function);
}

/* ---- whole functions ---- */

static haul_status check_instruction(ptx_check *c) {
    if (c->instruction->op == PTX_OP_CALL) return check_call(c);
    HAUL_TRY(ptx_check_matrix(c));
    HAUL_TRY(ptx_check_operands(c));
    HAUL_TRY(ptx_check_rules(c));
    return check_labels(c);
}

enum { MAX_TABLE_ENTRIES = 1 << 22 };

/* Limits table entries: many jumps through one large table would make more edges than the text is long. */
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

/* A kernel's tcgen05 instructions must all be for one block, or all for a pair. */
static haul_status check_groups(ptx_check *c) {
    const ptx_function *f = c->function;
    unsigned first = PTX_MOD_NONE;
    for (size_t i = 0; i < f->instruction_count; i++) {
        c->instruction = &f->instructions[i];
        const unsigned group = c->instruction->mods[PTX_SLOT_CTA_GROUP];
        if (!ptx_is_tcgen05(c->instruction) || !group) continue;
        if (first && group != first)
            return ptx_check_fail(c, c->instruction->position,
                                  "is for .%s, those before it for .%s: a kernel can use only one of them",
                                  ptx_modifier_names[group], ptx_modifier_names[first]);
        first = group;
    }
    return HAUL_OK;
}

/* Checks the instructions one by one, then rules about the function as a whole. */
haul_status ptx_verify(const ptx_module *module, const ptx_function *function) {
    ptx_check c = {.module = module, .function = function};
    for (size_t i = 0; i < function->instruction_count; i++) {
        c.instruction = &function->instructions[i];
        HAUL_TRY(check_instruction(&c));
    }
    HAUL_TRY(check_groups(&c));
    return check_table_sizes(&c);
}
