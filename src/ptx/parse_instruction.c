/* Parses statements: guards, opcodes and operands.
 *
 * An opcode with its suffixes is looked up once and remembered with its name, since a text repeats the same few
 * hundred. Operands are parsed as they are written, without knowing the instruction; arrange() then moves them to the
 * places of the row's pattern, where optional ones may be missing. Types of registers are left to the verifier. */
#include "ptx/parse.h"

#include <string.h>

static ptx_operand parse_operand(ptx_parser *p, unsigned depth);

static ptx_operand at_here(const ptx_parser *p, ptx_operand_kind kind) {
    return (ptx_operand){.kind = kind, .position = p->lexer.token.position};
}

/* Copies an operand's parts to the module's arena. */
static ptx_operand *keep_parts(ptx_parser *p, const ptx_operand *parts, size_t count) {
    ptx_operand *kept = ARENA_ARRAY(p->memory, count, ptx_operand);
    if (count) memcpy(kept, parts, count * sizeof *kept);
    return kept;
}

/* ---- names ---- */

static ptx_operand register_operand(ptx_operand o, uint32_t reg) {
    o.kind = PTX_REGISTER;
    o.reg = reg;
    return o;
}

/* The register's canonical name: %r1 for %r01. */
static ptx_name *canonical_name(ptx_parser *p, const ptx_symbol *range, ptx_name *name, uint32_t number) {
    const char *digits = name->text + range->name->length;
    if (digits[0] != '0' || !digits[1]) return name;
    const char *text = arena_printf(&p->scratch, "%s%u", range->name->text, number);
    return ptx_intern(&p->symbols, text, strlen(text));
}

/* Makes a register of a range, in the range's own scope, so that all uses mean the same. */
static uint32_t make_register(ptx_parser *p, ptx_symbol *range, ptx_name *name, uint32_t number) {
    ptx_name *canonical = canonical_name(p, range, name, number);
    if (canonical != name && canonical->symbol && canonical->symbol->depth == range->depth)
        return canonical->symbol->index;
    ptx_symbol *symbol = ptx_declare_at(&p->symbols, canonical, PTX_SYMBOL_REGISTER, range->depth);
    return symbol->index = ptx_add_register(p, canonical, range->type, range->depth > 1);
}

/* A vector register as operand means all its components. */
static ptx_operand vector_register(ptx_parser *p, ptx_operand o, const ptx_symbol *symbol) {
    o.kind = PTX_VECTOR;
    o.part_count = symbol->count;
    o.parts = ARENA_ARRAY(p->memory, symbol->count, ptx_operand);
    for (uint32_t i = 0; i < symbol->count; i++) o.parts[i] = register_operand(o, symbol->index + i);
    for (uint32_t i = 0; i < symbol->count; i++) o.parts[i].parts = NULL, o.parts[i].part_count = 0;
    return o;
}

/* Parses `v.x` of a vector register. */
static bool vector_component(ptx_parser *p, const ptx_name *name, ptx_operand *o) {
    static const char letters[] = "xyzwrgba";
    const char *dot = memchr(name->text, '.', name->length);
    const char *letter = dot && dot[1] && !dot[2] ? strchr(letters, dot[1]) : NULL;
    if (!letter) return false;
    const ptx_name *base = ptx_intern(&p->symbols, name->text, (size_t)(dot - name->text));
    uint32_t component = (uint32_t)(letter - letters) % 4;
    if (!base->symbol || base->symbol->kind != PTX_SYMBOL_REGISTER_VECTOR || component >= base->symbol->count)
        return false;
    *o = register_operand(*o, base->symbol->index + component);
    return true;
}

/* Parses the `+ 4` of `name + 4`; returns 0 if there is none. */
static int64_t accept_offset(ptx_parser *p) {
    const ptx_position at = p->lexer.token.position;
    if (ptx_at(p, '-'))
        ptx_fail_syntax(&p->diagnostics, at, "a negative offset needs a plus in front: write +-4 for -4");
    if (!ptx_accept(p, '+')) return 0;
    const ptx_constant c = ptx_parse_constant(p);
    if (c.is_float) ptx_fail_syntax(&p->diagnostics, at, "an offset must be an integer");
    return (int64_t)c.bits;
}

/* An operand that names a symbol. Names of the module that a function uses must not be hidden by its own
 * (unique_name()). */
static ptx_operand symbol_operand(ptx_parser *p, ptx_operand o, ptx_name *name, const ptx_symbol *symbol) {
    if (symbol->depth == 0) name->used_in = p->function_number;
    switch (symbol->kind) {
    case PTX_SYMBOL_REGISTER: return register_operand(o, symbol->index);
    case PTX_SYMBOL_REGISTER_VECTOR: return vector_register(p, o, symbol);
    case PTX_SYMBOL_VARIABLE:
        o.kind = PTX_VARIABLE_ADDRESS;
        o.variable = symbol->variable;
        return o;
    case PTX_SYMBOL_FUNCTION:
        o.kind = PTX_FUNCTION_ADDRESS;
        o.function = symbol->function;
        return o;
    default: ptx_fail_syntax(&p->diagnostics, o.position, "the label '%s' cannot be used here", name->text);
    }
}

/* Parses `r.h10`: the register's name, and the selected parts. */
static bool selected_register(ptx_parser *p, const ptx_name *name, ptx_operand *o) {
    const char *dot = memchr(name->text, '.', name->length);
    const size_t digits = dot ? name->length - (size_t)(dot - name->text) - 2 : 0;
    const unsigned bits = dot && dot[1] == 'b' ? 8 : dot && dot[1] == 'h' ? 16 : 0;
    uint32_t number;
    if (!bits || digits < 1 || digits > 4) return false;
    ptx_name *base = ptx_intern(&p->symbols, name->text, (size_t)(dot - name->text));
    ptx_symbol *range = ptx_find_range(&p->symbols, base, &number);
    const bool scalar = base->symbol && base->symbol->kind == PTX_SYMBOL_REGISTER;
    if (!range && !scalar) return false;
    o->selector = (ptx_selector){.count = (uint8_t)digits, .bits = (uint8_t)bits};
    for (size_t n = 0; n < digits; n++) {
        if (dot[2 + n] < '0' || dot[2 + n] > '7') return false;
        o->selector.part[digits - 1 - n] = (uint8_t)(dot[2 + n] - '0');
    }
    *o = register_operand(*o, range ? make_register(p, range, base, number) : base->symbol->index);
    return true;
}

/* Special registers need a version and a target, too. */
static void require_special(ptx_parser *p, unsigned special, ptx_position at) {
    const ptx_need need = ptx_need_of_special(special);
    ptx_require(p, at, ptx_special_names[special], strlen(ptx_special_names[special]), &need);
}

/* Parses %tid and the like with all dimensions. */
static bool special_vector(ptx_parser *p, const ptx_name *name, ptx_operand *o) {
    enum { DIMENSIONS = 4 };
    if (*name->text != '%') return false;
    const char *first = arena_printf(&p->scratch, "%s.x", name->text);
    const int special = ptx_intern(&p->symbols, first, strlen(first))->special;
    if (special < 0) return false;
    require_special(p, (unsigned)special, o->position);
    o->kind = PTX_VECTOR;
    o->part_count = DIMENSIONS;
    o->parts = ARENA_ARRAY(p->memory, DIMENSIONS, ptx_operand);
    for (unsigned d = 0; d < DIMENSIONS; d++)
        o->parts[d] = (ptx_operand){
            .kind = PTX_SPECIAL_REGISTER, .special = (uint8_t)((unsigned)special + d), .position = o->position};
    return true;
}

/* A name is a special register, one of a range, a symbol, a sink, or a register with a component or selector. */
static ptx_operand name_operand(ptx_parser *p) {
    ptx_operand o = at_here(p, PTX_REGISTER);
    ptx_lexer_take_component(&p->lexer);
    ptx_name *name = ptx_token_name(p);
    ptx_lexer_advance(&p->lexer);
    if (name->special >= 0) {
        o.kind = PTX_SPECIAL_REGISTER;
        o.special = (uint8_t)name->special;
        require_special(p, o.special, o.position);
        p->uses_workspace |= o.special == PTX_SPECIAL_ENVREG1 || o.special == PTX_SPECIAL_ENVREG2;
        return o;
    }
    uint32_t number;
    ptx_symbol *range = ptx_find_range(&p->symbols, name, &number);
    if (range) return register_operand(o, make_register(p, range, name, number));
    if (name->symbol) return symbol_operand(p, o, name, name->symbol);
    if (name->length == 1 && *name->text == '_') {
        o.kind = PTX_SINK;
        return o;
    }
    if (!vector_component(p, name, &o) && !selected_register(p, name, &o) && !special_vector(p, name, &o))
        ptx_fail_syntax(&p->diagnostics, o.position, "'%s' is not declared", name->text);
    return o;
}

/* ---- operands ---- */

static ptx_operand constant_operand(ptx_parser *p) {
    ptx_operand o = at_here(p, PTX_INTEGER);
    ptx_constant c = ptx_parse_constant(p);
    o.kind = c.is_float ? PTX_FLOATING : PTX_INTEGER;
    o.width = c.width;
    o.bits = c.bits;
    return o;
}

/* Parts are collected at the end of one list that nested lists share, and copied when the list is complete. */
static ptx_operand parse_list(ptx_parser *p, ptx_operand_kind kind, int close, unsigned depth) {
    size_t base = p->parts.count;
    ptx_operand o = at_here(p, kind);
    if (depth > 2) ptx_fail_syntax(&p->diagnostics, o.position, "this operand is nested too deeply");
    ptx_lexer_advance(&p->lexer);
    while (!ptx_at(p, close)) {
        const bool is_name = ptx_at(p, PTX_TOKEN_WORD);
        ptx_operand part = parse_operand(p, depth + 1);
        if (kind == PTX_LIST && is_name && part.kind == PTX_VECTOR) /* a vector passed to a function */
            for (uint32_t k = 0; k < part.part_count; k++) PTX_APPEND(p, p->parts, part.parts[k]);
        else
            PTX_APPEND(p, p->parts, part);
        if (!ptx_accept(p, ',')) break;
    }
    ptx_expect(p, close);
    o.part_count = (uint32_t)(p->parts.count - base);
    o.parts = keep_parts(p, o.part_count ? p->parts.items + base : NULL, o.part_count);
    p->parts.count = base;
    return o;
}

/* Parses `[base + offset]` or `[map, {coordinates}]`. */
static ptx_operand memory_operand(ptx_parser *p) {
    ptx_operand o = at_here(p, PTX_MEMORY), parts[2];
    ptx_lexer_advance(&p->lexer);
    parts[0] = ptx_at_constant(p) ? constant_operand(p) : name_operand(p);
    o.part_count = 1;
    o.offset = accept_offset(p);
    if (ptx_accept(p, ',')) {
        if (!ptx_at(p, '{')) ptx_expected(p, "the coordinates in braces");
        o.kind = PTX_TENSOR;
        o.part_count = 2;
        parts[1] = parse_list(p, PTX_VECTOR, '}', 1);
    }
    ptx_expect(p, ']');
    o.parts = keep_parts(p, parts, o.part_count);
    return o;
}

/* Parses `d|p`. */
static ptx_operand pair_operand(ptx_parser *p, ptx_operand first) {
    ptx_operand o = {.kind = PTX_PAIR, .position = first.position, .part_count = 2};
    ptx_operand parts[2] = {first, {.kind = PTX_SINK}};
    if (!ptx_at(p, PTX_TOKEN_WORD)) ptx_expected(p, "a predicate");
    parts[1] = name_operand(p);
    o.parts = keep_parts(p, parts, 2);
    return o;
}

/* Parses the indices of `a[2]`, the address of an element, after the variable's name. */
static int64_t accept_indices(ptx_parser *p, const ptx_variable *v) {
    uint64_t element = 0;
    for (unsigned d = 0; d < v->dimensions; d++) {
        element *= v->extents[d];
        if (!ptx_accept(p, '[')) continue;
        element += ptx_expect_integer(p, v->extents[d] ? v->extents[d] : PTX_MAX_VARIABLE, "the number of an element");
        ptx_expect(p, ']');
    }
    return (int64_t)(element * v->vector * ptx_bits(v->type) / 8);
}

/* An operand that begins with a name: `a[2] + 4`, `d|p`, or the name alone. */
static ptx_operand named_operand(ptx_parser *p) {
    ptx_operand o = name_operand(p);
    if (o.kind == PTX_VARIABLE_ADDRESS) {
        const int64_t first = accept_indices(p, o.variable);
        o.offset = first + accept_offset(p);
    }
    return ptx_accept(p, '|') ? pair_operand(p, o) : o;
}

/* Parses `!p`, or the negation of a constant. */
static ptx_operand negated_operand(ptx_parser *p) {
    ptx_operand o = at_here(p, PTX_REGISTER);
    ptx_position at = o.position;
    ptx_lexer_advance(&p->lexer);
    if (!ptx_at(p, PTX_TOKEN_WORD)) {
        ptx_constant c = ptx_parse_constant(p);
        if (c.is_float) ptx_fail_syntax(&p->diagnostics, at, "! needs an integer");
        o.kind = PTX_INTEGER;
        o.bits = !c.bits;
        return o;
    }
    o = name_operand(p);
    if (o.kind != PTX_REGISTER) ptx_fail_syntax(&p->diagnostics, at, "only a predicate can be negated");
    o.negated = true;
    o.position = at;
    return o;
}

/* Parses `-r`; returns false, and takes nothing, if a constant follows. */
static bool accept_minus_register(ptx_parser *p, ptx_operand *o) {
    const ptx_lexer at_sign = p->lexer;
    const ptx_position at = p->lexer.token.position;
    ptx_lexer_advance(&p->lexer);
    if (!ptx_at(p, PTX_TOKEN_WORD) || ptx_at_constant(p)) {
        p->lexer = at_sign;
        return false;
    }
    *o = name_operand(p);
    if (o->kind != PTX_REGISTER) ptx_fail_syntax(&p->diagnostics, at, "only a register can have a sign");
    o->negated = true;
    o->position = at;
    return true;
}

/* The first token decides. Depth is limited to lists within lists. */
static ptx_operand parse_operand(ptx_parser *p, unsigned depth) {
    ptx_operand o;
    if (ptx_at(p, '-') && accept_minus_register(p, &o)) return o;
    switch (p->lexer.token.kind) {
    case '[': return memory_operand(p);
    case '{': return parse_list(p, PTX_VECTOR, '}', depth);
    case '!': return negated_operand(p);
    }
    if (ptx_at_constant(p)) return constant_operand(p);
    if (!ptx_at(p, PTX_TOKEN_WORD)) ptx_expected(p, "an operand");
    return named_operand(p);
}

/* ---- operands of an instruction ---- */

/* The operands as written; labels are resolved later, by name. */
typedef struct operand_list {
    ptx_operand items[PTX_MAX_OPERANDS];
    ptx_name *labels[PTX_MAX_OPERANDS];
    unsigned count;
} operand_list;

/* Labels and registers are written alike, so the pattern must say which is meant. */
static void add_label(ptx_parser *p, operand_list *list) {
    if (!ptx_at(p, PTX_TOKEN_WORD)) ptx_expected(p, "a label");
    list->items[list->count] = at_here(p, PTX_LABEL);
    list->labels[list->count++] = ptx_expect_name(p);
}

/* Parses the `+ 4` of `r + 4`, a source that no manual mentions but ptxas knows: an addition in front of the
 * instruction makes it. */
static ptx_operand accept_sum(ptx_parser *p, ptx_operand o) {
    const ptx_type type = o.kind == PTX_REGISTER ? p->registers.items[o.reg].type : PTX_PRED;
    const unsigned bits = ptx_bits(type);
    const ptx_type sum = bits == 16 ? PTX_U16 : bits == 32 ? PTX_U32 : PTX_U64;
    if (!ptx_at(p, '+') || ptx_types[type].kind == 'F' || type == PTX_PRED || bits != ptx_bits(sum)) return o;
    ptx_operand *operands = ARENA_ARRAY(p->memory, 3, ptx_operand);
    const char *text = arena_printf(&p->scratch, "%%sum$%u", (unsigned)p->registers.count);
    const uint32_t made = ptx_add_register(p, ptx_intern(&p->symbols, text, strlen(text)), sum, true);
    operands[0] = (ptx_operand){.kind = PTX_REGISTER, .reg = made, .position = o.position};
    operands[1] = o;
    operands[2] = (ptx_operand){.kind = PTX_INTEGER, .bits = (uint64_t)accept_offset(p), .position = o.position};
    const ptx_instruction add = {.op = PTX_OP_ADD,
                                 .type = (uint8_t)sum,
                                 .operand_count = 3,
                                 .operands = operands,
                                 .position = o.position,
                                 .place = p->place};
    PTX_APPEND(p, p->instructions, add);
    return operands[0];
}

/* Parses operands as they are written, up to the semicolon. */
static void parse_operands(ptx_parser *p, const ptx_pattern *pattern, operand_list *list) {
    list->count = 0;
    if (ptx_at(p, ';')) return;
    do {
        if (list->count == PTX_MAX_OPERANDS)
            ptx_fail_syntax(&p->diagnostics, p->lexer.token.position, "too many operands");
        bool label = list->count < pattern->operand_count && pattern->operands[list->count].role == PTX_ROLE_LABEL;
        if (label) {
            add_label(p, list);
        } else {
            const ptx_operand o = parse_operand(p, 0);
            list->items[list->count] = list->count ? accept_sum(p, o) : o;
            list->count++;
        }
    } while (ptx_accept(p, ','));
}

/* Parses `call (results), function, (arguments), prototype;`, where only the function is required. */
static void parse_call(ptx_parser *p, operand_list *list) {
    ptx_operand none = at_here(p, PTX_LIST);
    list->items[0] = none;
    if (ptx_at(p, '(')) {
        list->items[0] = parse_list(p, PTX_LIST, ')', 0);
        ptx_expect(p, ',');
    }
    if (!ptx_at(p, PTX_TOKEN_WORD)) ptx_expected(p, "a function");
    list->items[1] = name_operand(p);
    list->items[2] = none;
    list->count = 3;
    if (!ptx_accept(p, ',')) return;
    if (ptx_at(p, '(')) {
        list->items[2] = parse_list(p, PTX_LIST, ')', 0);
        if (!ptx_accept(p, ',')) return;
    }
    add_label(p, list);
}

/* Counts the required operands from a place on. */
static unsigned required_from(const ptx_pattern *pattern, unsigned slot, const uint16_t *mods) {
    unsigned count = 0;
    for (; slot < pattern->operand_count; slot++) count += ptx_is_required(&pattern->operands[slot], mods);
    return count;
}

/* Says how many operands the instruction takes in this form. */
_Noreturn static void fail_count(ptx_parser *p, const ptx_instruction *i, const ptx_pattern *pattern, unsigned given) {
    unsigned most = 0, least = required_from(pattern, 0, i->mods);
    for (unsigned s = 0; s < pattern->operand_count; s++) most += ptx_is_allowed(&pattern->operands[s], i->mods);
    const char *name = ptx_ops[i->op].mnemonic;
    if (least == most)
        ptx_fail_syntax(&p->diagnostics, i->position, "'%s' takes %u operand%s here, not %u", name, most,
                        most == 1 ? "" : "s", given);
    ptx_fail_syntax(&p->diagnostics, i->position, "'%s' takes %u to %u operands here, not %u", name, least, most,
                    given);
}

/* Returns whether there is one operand for each place and all are required, the usual case. */
static bool is_arranged(const ptx_pattern *pattern, const operand_list *list, const ptx_instruction *i) {
    return list->count == pattern->operand_count && required_from(pattern, 0, i->mods) == list->count;
}

/* Moves the operands to the row's places; omitted optional ones become PTX_ABSENT. */
static void arrange(ptx_parser *p, const ptx_pattern *pattern, operand_list *list, const ptx_instruction *i) {
    if (is_arranged(pattern, list, i)) return;
    operand_list given = *list;
    unsigned next = 0, filled = 0;
    for (unsigned s = 0; s < pattern->operand_count; s++) {
        const ptx_operand_slot *slot = &pattern->operands[s];
        bool required = ptx_is_required(slot, i->mods), more = next < given.count;
        bool fits = !slot->mask || (more && given.items[next].kind == PTX_VECTOR);
        if (slot->role == PTX_ROLE_DESTINATION && slot->optional) fits = more && given.items[next].kind == PTX_REGISTER;
        bool spare =
            ptx_is_allowed(slot, i->mods) && fits && given.count - next > required_from(pattern, s + 1, i->mods);
        if (more && (required || spare)) {
            list->items[s] = given.items[next++];
            filled = s + 1;
        } else if (required) {
            fail_count(p, i, pattern, given.count);
        } else {
            list->items[s] = (ptx_operand){.kind = PTX_ABSENT, .position = i->position};
        }
    }
    if (next < given.count) fail_count(p, i, pattern, given.count);
    list->count = filled;
}

/* Gives immediates the width of their type. */
static void fit_constant(ptx_operand *o, ptx_type type) {
    if (o->kind == PTX_VECTOR)
        for (uint32_t i = 0; i < o->part_count; i++) fit_constant(&o->parts[i], type);
    if (o->kind != PTX_FLOATING) return;
    ptx_constant c = {.is_float = true, .width = o->width, .bits = o->bits};
    float narrow = ptx_constant_float(c);
    double wide = ptx_constant_double(c);
    uint32_t bits;
    if (type == PTX_F32 && o->width == 64) {
        memcpy(&bits, &narrow, sizeof bits);
        o->bits = bits;
        o->width = 32;
    } else if (type == PTX_F64 && o->width == 32) {
        memcpy(&o->bits, &wide, sizeof wide);
        o->width = 64;
    }
}

/* A single element may be in braces: `suld.b.1d.b32.trap {%r1}, [..]`. */
static void unwrap(ptx_operand *o, const ptx_operand_slot *slot, const ptx_instruction *i) {
    if (slot->vector && ptx_vector_length(i) == 1 && o->kind == PTX_VECTOR && o->part_count == 1) *o = o->parts[0];
}

static void use_labels(ptx_parser *p, ptx_instruction *i, const operand_list *list) {
    for (unsigned o = 0; o < i->operand_count; o++)
        if (i->operands[o].kind == PTX_LABEL)
            ptx_use_label(p, list->labels[o], &i->operands[o].label, i->operands[o].position);
}

/* The operands are copied to the module once they are complete. */
static void finish_operands(ptx_parser *p, ptx_instruction *i) {
    const ptx_pattern *pattern = ptx_pattern_of(i->op);
    operand_list list;
    if (pattern->is_call) {
        parse_call(p, &list);
    } else {
        parse_operands(p, pattern, &list);
        arrange(p, pattern, &list, i);
        for (unsigned o = 0; o < list.count; o++) {
            unwrap(&list.items[o], &pattern->operands[o], i);
            fit_constant(&list.items[o], ptx_slot_type(&pattern->operands[o], i));
        }
    }
    i->operand_count = (uint8_t)list.count;
    i->operands = keep_parts(p, list.items, list.count);
    use_labels(p, i, &list);
}

/* ---- instructions ---- */

/* Parses `@p` or `@!p`. */
static void parse_guard(ptx_parser *p, ptx_instruction *i) {
    if (!ptx_accept(p, '@')) return;
    i->guarded = true;
    i->guard_negated = ptx_accept(p, '!');
    if (!ptx_at(p, PTX_TOKEN_WORD)) ptx_expected(p, "a predicate");
    ptx_operand o = name_operand(p);
    if (o.kind != PTX_REGISTER || p->registers.items[o.reg].type != PTX_PRED)
        ptx_fail_syntax(&p->diagnostics, o.position, "the guard must be a predicate register");
    i->guard = o.reg;
}

/* Looks an opcode up and keeps the result with its name. */
static const ptx_known_opcode *resolve(ptx_parser *p, ptx_name *name, ptx_position at) {
    if (name->opcode) return name->opcode;
    ptx_known_opcode *known = ARENA_NEW(&p->scratch, ptx_known_opcode);
    ptx_instruction bare = {0};
    if (!ptx_resolve_opcode(name->text, name->length, &known->opcode))
        ptx_fail_unsupported(p, at, "instruction", name->text, name->length);
    ptx_set_opcode(&bare, &known->opcode);
    known->need = ptx_need_of(&bare);
    known->depends_on_operands = ptx_need_depends_on_operands(bare.op);
    return name->opcode = known;
}

/* The need is known from the opcode, unless rules ask for operands. */
static void require_instruction(ptx_parser *p, const ptx_instruction *i, const ptx_name *name) {
    const ptx_known_opcode *known = name->opcode;
    const ptx_need all = known->depends_on_operands ? ptx_need_of(i) : (ptx_need){0};
    ptx_require(p, i->position, name->text, name->length, known->depends_on_operands ? &all : &known->need);
}

enum { MAX_OPCODE = 200 };

/* Accepts separate suffixes: `ld .global .u32`. */
static ptx_name *take_apart_suffixes(ptx_parser *p, ptx_name *name) {
    char text[MAX_OPCODE];
    size_t length = name->length;
    if (!ptx_at(p, PTX_TOKEN_DIRECTIVE) || length >= sizeof text) return name;
    memcpy(text, name->text, length);
    for (; ptx_at(p, PTX_TOKEN_DIRECTIVE); ptx_lexer_advance(&p->lexer)) {
        const ptx_token *t = &p->lexer.token;
        if (t->length >= sizeof text - length) ptx_expected(p, "operands");
        memcpy(text + length, t->text, t->length);
        length += t->length;
    }
    return ptx_intern(&p->symbols, text, length);
}

/* Replaces forms that only targets before sm_20 or PTX ISA 1.0 to 1.3 have by the forms that a driver uses on newer
 * machines. */
static ptx_name *newer_form(ptx_parser *p, ptx_name *name) {
    static const char *const forms[][2] = {
        {"mad.f32", "mad.rn.ftz.f32"},       {"mad.sat.f32", "mad.rn.ftz.sat.f32"},
        {"div.f32", "div.approx.ftz.f32"},   {"rcp.f32", "rcp.approx.ftz.f32"},
        {"sqrt.f32", "sqrt.approx.ftz.f32"}, {"rsqrt.f32", "rsqrt.approx.ftz.f32"},
        {"sin.f32", "sin.approx.ftz.f32"},   {"cos.f32", "cos.approx.ftz.f32"},
        {"lg2.f32", "lg2.approx.ftz.f32"},   {"ex2.f32", "ex2.approx.ftz.f32"},
        {"mad.f64", "mad.rn.f64"},           {"div.f64", "div.rn.f64"},
        {"rcp.f64", "rcp.rn.f64"},           {"sqrt.f64", "sqrt.rn.f64"},
        {"rsqrt.f64", "rsqrt.approx.f64"},
    };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        if (name->length == strlen(forms[f][0]) && memcmp(name->text, forms[f][0], name->length) == 0)
            return ptx_intern(&p->symbols, forms[f][1], strlen(forms[f][1]));
    return NULL;
}

/* Under map_f64_to_f32 .f64 means something else; refusing is better than wrong results. */
static void refuse_mapped(ptx_parser *p, const ptx_instruction *i) {
    if (i->type == PTX_F64 || i->type2 == PTX_F64 || i->type3 == PTX_F64 || i->type4 == PTX_F64)
        ptx_fail(
            &p->diagnostics, HAUL_ERROR_UNSUPPORTED, i->position,
            "an instruction with .f64 in PTX of `.target ..., map_f64_to_f32`, where it means .f32, is not supported");
}

/* A word followed by a colon is a label; anything else is an instruction. */
void ptx_parse_statement(ptx_parser *p) {
    ptx_instruction i = {.place = p->place};
    parse_guard(p, &i);
    if (!ptx_at(p, PTX_TOKEN_WORD)) ptx_expected(p, "an instruction");
    i.position = p->lexer.token.position;
    ptx_lexer_take_suffixes(&p->lexer);
    ptx_name *name = ptx_token_name(p);
    ptx_lexer_advance(&p->lexer);
    if (ptx_at(p, ':') && !i.guarded) {
        ptx_parse_label(p, name, i.position);
        return;
    }
    name = take_apart_suffixes(p, name);
    enum { DEFAULTS_END = 14 };
    const bool is_old = p->module->sm < 20 || p->module->version < DEFAULTS_END;
    ptx_name *const newer = is_old ? newer_form(p, name) : NULL;
    ptx_set_opcode(&i, &resolve(p, newer ? newer : name, i.position)->opcode);
    finish_operands(p, &i);
    if (!newer) require_instruction(p, &i, name);
    if (p->maps_f64) refuse_mapped(p, &i);
    ptx_expect(p, ';');
    i.keeps_loop = p->keeps_loop;
    p->keeps_loop = false;
    PTX_APPEND(p, p->instructions, i);
}
