/* Reads the suffixes and operands that isa.def writes as text, and resolves opcodes by them.
 *
 * The notation is described at the top of isa.def. All rows are read once, at the first use; a row that cannot be read
 * is marked, and a test asks for such rows. An opcode is resolved in two steps: the longest mnemonic that fits, and
 * then the first row with that mnemonic whose suffixes take the rest. */
#include "ptx/pattern.h"

#include <pthread.h>
#include <string.h>

static ptx_pattern patterns[PTX_OP_COUNT];
static uint16_t first_modifier[PTX_SLOT_COUNT]; /* of each slot */

/* ---- reading a row ---- */

/* A piece of a row's text. */
typedef struct piece {
    const char *text;
    size_t length;
} piece;

static bool equals(piece p, const char *text) {
    return p.length == strlen(text) && memcmp(p.text, text, p.length) == 0;
}

/* Cuts `rest` at the first of the characters `at`; returns the part before it. */
static piece cut(piece *rest, const char *at) {
    size_t length = 0;
    while (length < rest->length && !strchr(at, rest->text[length])) length++;
    piece head = {rest->text, length};
    size_t used = length < rest->length ? length + 1 : length;
    *rest = (piece){rest->text + used, rest->length - used};
    return head;
}

/* Removes the last character if it is `c`. */
static bool drop_last(piece *p, char c) {
    if (!p->length || p->text[p->length - 1] != c) return false;
    p->length--;
    return true;
}

static unsigned type_named(piece name) {
    for (unsigned t = 1; t < PTX_TYPE_COUNT; t++)
        if (equals(name, ptx_types[t].name)) return t;
    return PTX_TYPE_NONE;
}

/* Reads `a|b|c` as bits; 0 if one is unknown. */
static uint64_t read_types(piece list) {
    uint64_t set = 0;
    while (list.length) {
        unsigned type = type_named(cut(&list, "|"));
        if (type == PTX_TYPE_NONE) return 0;
        set |= UINT64_C(1) << type;
    }
    return set;
}

/* The number of modifiers of a slot; they are neighbours in modifiers.def. */
static unsigned modifiers_in(unsigned slot) {
    unsigned end = slot + 1 < PTX_SLOT_COUNT ? first_modifier[slot + 1] : PTX_MOD_COUNT;
    return end - first_modifier[slot];
}

/* Reads `a|b|c` as bits of the slot's modifiers; 0 if one is unknown. */
static uint64_t read_modifiers(unsigned slot, piece list) {
    uint64_t set = 0;
    while (list.length) {
        piece name = cut(&list, "|");
        unsigned i = 0;
        while (i < modifiers_in(slot) && !equals(name, ptx_modifier_names[first_modifier[slot] + i])) i++;
        if (i == modifiers_in(slot)) return 0;
        set |= UINT64_C(1) << i;
    }
    return set;
}

/* Returns a slot by its name; -1 if there is none. */
static int slot_named(piece name) {
    for (int s = 0; s < PTX_SLOT_COUNT; s++)
        if (equals(name, ptx_slot_names[s])) return s;
    return -1;
}

/* Reads `slot`, `slot?`, `slot=a|b`, `type=u32|s32`, each with `@types` that limit it. */
static bool read_suffix(piece text, ptx_suffix *suffix) {
    piece only = text;
    text = cut(&only, "@");
    piece choices = text;
    piece name = cut(&choices, "=");
    suffix->optional = drop_last(&name, '?');
    suffix->only = read_types(only);
    suffix->is_type = name.length >= 4 && memcmp(name.text, "type", 4) == 0;
    if (suffix->is_type) {
        suffix->slot = name.length > 4 ? (uint8_t)(name.text[4] - '1') : 0;
        if (equals(name, "types")) suffix->slot = PTX_ANY_TYPE;
        suffix->choice = read_types(choices);
        return suffix->choice && suffix->slot <= PTX_ANY_TYPE;
    }
    int slot = slot_named(name);
    if (slot < 0) return false;
    suffix->slot = (uint8_t)slot;
    suffix->choice = choices.length ? read_modifiers(suffix->slot, choices) : UINT64_MAX;
    return suffix->choice != 0;
}

/* Reads where an operand's type comes from: the instruction's types, or one that the row names. */
static bool read_operand_type(piece type, ptx_operand_slot *slot) {
    static const char *const sources[] = {
        [PTX_TYPE_FIRST] = "t",   [PTX_TYPE_SECOND] = "t2", [PTX_TYPE_THIRD] = "t3",
        [PTX_TYPE_FOURTH] = "t4", [PTX_TYPE_WIDE] = "w",    [PTX_TYPE_TOKEN] = "token",
    };
    for (unsigned s = PTX_TYPE_FIRST; s <= PTX_TYPE_TOKEN; s++) {
        slot->source = s;
        if (equals(type, sources[s])) return true;
    }
    slot->source = PTX_TYPE_OF_ROW;
    slot->fixed = (uint8_t)type_named(type);
    return slot->fixed != PTX_TYPE_NONE;
}

/* Reads d, d_, d|p, d_|p, d&p, d_&p, vd, {d}, fd, fu. */
static bool read_destination(piece name, ptx_operand_slot *slot) {
    piece second = name;
    piece first = cut(&second, "|&");
    slot->pair = second.length > 0;
    slot->pair_required = slot->pair && first.text[first.length] == '&';
    slot->sink = drop_last(&first, '_');
    slot->vector = equals(first, "vd");
    slot->packed = equals(first, "{d}");
    slot->updated = equals(first, "fu");
    slot->fragment = slot->updated || equals(first, "fd") ? 'd' : 0;
    return slot->vector || slot->packed || slot->fragment || equals(first, "d");
}

/* Reads fa, fb, fc: a fragment; fx: of a matrix a that may be in shared memory. */
static void read_fragment(piece name, ptx_operand_slot *slot) {
    slot->described = equals(name, "fx");
    if (name.length != 2 || *name.text != 'f' || !strchr("abcx", name.text[1])) return;
    slot->fragment = slot->described ? 'a' : name.text[1];
}

/* Reads `?` or `?slot` after an operand's type. */
static bool read_option(piece option, ptx_operand_slot *slot) {
    slot->optional = true;
    if (!option.length) return true;
    int tie = slot_named(option);
    slot->tied = true;
    slot->tie = (uint8_t)tie;
    return tie >= 0;
}

/* Operands without a type are addresses, labels, and parts of textures and tensors. */
static ptx_role untyped_role(piece name) {
    static const struct {
        const char *name;
        ptx_role role;
    } roles[] = {{"l", PTX_ROLE_LABEL},    {"tm", PTX_ROLE_TENSOR},    {"io", PTX_ROLE_OFFSETS},
                 {"tx", PTX_ROLE_TEXTURE}, {"tg", PTX_ROLE_GRADIENTS}, {"to", PTX_ROLE_SHIFTS}};
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (equals(name, roles[i].name)) return roles[i].role;
    return PTX_ROLE_MEMORY;
}

/* Reads `name:type?option`. */
static bool read_operand(piece operand, ptx_operand_slot *slot) {
    piece option = operand, type = cut(&option, "?");
    if (type.length < operand.length && !read_option(option, slot)) return false;
    piece name = cut(&type, ":");
    slot->immediate = drop_last(&name, '#');
    if (!type.length) {
        slot->role = untyped_role(name);
        slot->in_tensor_memory = equals(name, "ta");
        return true;
    }
    slot->role = read_destination(name, slot) ? PTX_ROLE_DESTINATION : PTX_ROLE_SOURCE;
    if (slot->role == PTX_ROLE_SOURCE) {
        slot->pair = slot->pair_required = slot->sink = false;
        slot->vector = equals(name, "v");
        slot->packed = equals(name, "{a}");
        slot->in_tensor_memory = equals(name, "xa");
        slot->mask = equals(name, "lanes");
        read_fragment(name, slot);
    }
    return read_operand_type(type, slot);
}

/* Returns false if the row cannot be read. */
static bool read_row(const ptx_op_info *row, ptx_pattern *pattern) {
    pattern->mnemonic_length = strlen(row->mnemonic);
    pattern->is_call = strcmp(row->operands, "...") == 0;
    piece suffixes = {row->suffixes, strlen(row->suffixes)};
    while (suffixes.length) {
        if (pattern->suffix_count == PTX_MAX_SUFFIXES) return false;
        if (!read_suffix(cut(&suffixes, " "), &pattern->suffixes[pattern->suffix_count++])) return false;
    }
    piece operands = {row->operands, pattern->is_call ? 0 : strlen(row->operands)};
    while (operands.length) {
        if (*operands.text == ' ') cut(&operands, " ");
        if (pattern->operand_count == PTX_MAX_OPERANDS) return false;
        if (!read_operand(cut(&operands, ","), &pattern->operands[pattern->operand_count++])) return false;
    }
    return true;
}

static void read_all(void) {
    for (unsigned m = PTX_MOD_COUNT - 1; m > 0; m--) first_modifier[ptx_modifier_slots[m]] = (uint16_t)m;
    for (unsigned op = 0; op < PTX_OP_COUNT; op++)
        if (!read_row(&ptx_ops[op], &patterns[op])) patterns[op].suffix_count = PTX_BAD_PATTERN;
}

static void read_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_all);
}

const ptx_pattern *ptx_pattern_of(unsigned op) {
    read_once();
    return &patterns[op];
}

/* ---- resolving an opcode ---- */

static bool starts(piece text, const char *name, size_t length) {
    return length <= text.length && memcmp(text.text, name, length) == 0;
}

/* Returns the length of `name` if `text` starts with it and it ends there or at a dot; else 0. */
static size_t matched(piece text, const char *name) {
    const size_t length = strlen(name);
    if (!starts(text, name, length)) return 0;
    return length == text.length || text.text[length] == '.' ? length : 0;
}

/* A shape is followed by its depth without a dot: m16n8k16 is m16n8 and k16. */
static size_t matched_shape(piece text, const char *name) {
    const size_t length = strlen(name);
    const bool deep = starts(text, name, length) && length < text.length && text.text[length] == 'k';
    return deep ? length : matched(text, name);
}

static bool is_shape(const ptx_suffix *suffix) {
    return !suffix->is_type && (suffix->slot == PTX_SLOT_SHAPE || suffix->slot == PTX_SLOT_GROUP_SHAPE);
}

/* Finds the longest choice of `suffix` that `text` starts with: returns its length, and sets which it is. */
static size_t match_suffix(const ptx_suffix *suffix, piece text, uint16_t *which) {
    unsigned first = suffix->is_type ? 0 : first_modifier[suffix->slot];
    unsigned count = suffix->is_type ? PTX_TYPE_COUNT : modifiers_in(suffix->slot);
    size_t best = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!(suffix->choice >> i & 1)) continue;
        const char *name = suffix->is_type ? ptx_types[i].name : ptx_modifier_names[first + i];
        size_t length = is_shape(suffix) ? matched_shape(text, name) : matched(text, name);
        if (length <= best) continue;
        best = length;
        *which = (uint16_t)(first + i);
    }
    return best;
}

/* Returns whether a type that must stand before the one of suffix `s` is missing. */
static bool comes_too_early(const ptx_pattern *pattern, unsigned s, uint32_t taken) {
    for (unsigned k = 0; pattern->suffixes[s].is_type && k < s; k++)
        if (pattern->suffixes[k].is_type && !pattern->suffixes[k].optional && !(taken >> k & 1)) return true;
    return false;
}

/* Takes one suffix from `rest` into the first free place of the pattern that accepts it. PTX lets suffixes come in
 * several orders, so all places are tried. Types keep their order. */
static bool take_suffix(const ptx_pattern *pattern, piece *rest, uint32_t *taken, ptx_opcode *opcode) {
    for (unsigned s = 0; s < pattern->suffix_count; s++) {
        const ptx_suffix *suffix = &pattern->suffixes[s];
        uint16_t which = 0;
        size_t length = *taken >> s & 1 ? 0 : match_suffix(suffix, *rest, &which);
        if (!length || comes_too_early(pattern, s, *taken)) continue;
        if (suffix->is_type)
            opcode->types[suffix->slot] = (uint8_t)which;
        else
            opcode->mods[suffix->slot] = which;
        *taken |= UINT32_C(1) << s;
        size_t used = length < rest->length && rest->text[length] == '.' ? length + 1 : length;
        *rest = (piece){rest->text + used, rest->length - used};
        return true;
    }
    return false;
}

/* Whether all required suffixes are there, and those limited to some types go with the types. */
static bool is_complete(const ptx_pattern *pattern, uint32_t taken, const ptx_opcode *opcode) {
    uint64_t types = 0;
    for (int t = 0; t < 4; t++) types |= UINT64_C(1) << opcode->types[t];
    for (unsigned s = 0; s < pattern->suffix_count; s++) {
        const ptx_suffix *suffix = &pattern->suffixes[s];
        bool present = taken >> s & 1;
        if (!present && !suffix->optional) return false;
        if (present && suffix->only && !(suffix->only & types)) return false;
    }
    return true;
}

/* Tries one row. */
static bool fit(unsigned op, piece rest, ptx_opcode *opcode) {
    const ptx_pattern *pattern = &patterns[op];
    uint32_t taken = 0;
    *opcode = (ptx_opcode){.op = (uint16_t)op};
    while (rest.length)
        if (!take_suffix(pattern, &rest, &taken, opcode)) return false;
    return is_complete(pattern, taken, opcode);
}

static size_t longest_mnemonic(piece text) {
    size_t best = 0;
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        size_t length = matched(text, ptx_ops[op].mnemonic);
        if (length > best) best = length;
    }
    return best;
}

/* A name such as cp.async is also the start of longer ones, so the longest mnemonic decides. */
bool ptx_resolve_opcode(const char *text, size_t length, ptx_opcode *opcode) {
    read_once();
    piece whole = {text, length};
    size_t mnemonic = longest_mnemonic(whole);
    if (!mnemonic || (length && text[length - 1] == '.')) return false;
    size_t used = mnemonic < length ? mnemonic + 1 : length;
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        if (patterns[op].mnemonic_length != mnemonic || !matched(whole, ptx_ops[op].mnemonic)) continue;
        if (fit(op, (piece){text + used, length - used}, opcode)) return true;
    }
    return false;
}

/* ---- suffixes of instructions ---- */

bool ptx_read_suffix(const char *text, size_t length, ptx_suffix *suffix) {
    read_once();
    return read_suffix((piece){text, length}, suffix);
}

bool ptx_has_suffix(const ptx_instruction *i, const ptx_suffix *suffix) {
    const uint8_t types[] = {i->type, i->type2, i->type3, i->type4};
    if (!suffix->is_type) {
        const unsigned modifier = i->mods[suffix->slot];
        return modifier && suffix->choice >> (modifier - first_modifier[suffix->slot]) & 1;
    }
    if (suffix->slot < PTX_ANY_TYPE) return suffix->choice >> types[suffix->slot] & 1;
    for (unsigned t = 0; t < PTX_ANY_TYPE; t++)
        if (suffix->choice >> types[t] & 1) return true;
    return false;
}

bool ptx_row_has(unsigned op, const ptx_suffix *suffix) {
    const ptx_pattern *pattern = ptx_pattern_of(op);
    for (unsigned s = 0; s < pattern->suffix_count; s++) {
        const ptx_suffix *own = &pattern->suffixes[s];
        const bool any = suffix->is_type && suffix->slot == PTX_ANY_TYPE;
        if (own->is_type == suffix->is_type && (any || own->slot == suffix->slot) && own->choice & suffix->choice)
            return true;
    }
    return false;
}

bool ptx_row_allows(unsigned op, unsigned modifier) {
    read_once();
    const unsigned slot = ptx_modifier_slots[modifier];
    const ptx_suffix suffix = {.slot = (uint8_t)slot, .choice = 1ull << (modifier - first_modifier[slot])};
    return ptx_row_has(op, &suffix);
}

void ptx_set_opcode(ptx_instruction *i, const ptx_opcode *opcode) {
    i->op = opcode->op;
    i->type = opcode->types[0];
    i->type2 = opcode->types[1];
    i->type3 = opcode->types[2];
    i->type4 = opcode->types[3];
    memcpy(i->mods, opcode->mods, sizeof i->mods);
}

/* ---- operands ---- */

/* An operand tied to a modifier is there if the modifier is. */
bool ptx_is_required(const ptx_operand_slot *slot, const uint16_t *mods) {
    return slot->tied ? mods[slot->tie] != PTX_MOD_NONE : !slot->optional;
}

bool ptx_is_allowed(const ptx_operand_slot *slot, const uint16_t *mods) {
    return !slot->tied || mods[slot->tie] != PTX_MOD_NONE;
}

ptx_type ptx_slot_type(const ptx_operand_slot *slot, const ptx_instruction *i) {
    static const uint8_t wide[PTX_TYPE_COUNT] = {
        [PTX_U16] = PTX_U32, [PTX_S16] = PTX_S32, [PTX_U32] = PTX_U64, [PTX_S32] = PTX_S64};
    switch (slot->source) {
    case PTX_TYPE_OF_ROW: return slot->fixed;
    case PTX_TYPE_FIRST: return i->type;
    case PTX_TYPE_SECOND: return i->type2;
    case PTX_TYPE_THIRD: return i->type3;
    case PTX_TYPE_FOURTH: return i->type4;
    case PTX_TYPE_WIDE: return wide[i->type];
    case PTX_TYPE_TOKEN: return i->mods[PTX_SLOT_PARITY] ? PTX_U32 : PTX_B64;
    }
    return PTX_TYPE_NONE;
}

unsigned ptx_vector_length(const ptx_instruction *i) {
    switch (i->mods[PTX_SLOT_VECTOR]) {
    case PTX_MOD_V2: return 2;
    case PTX_MOD_V4: return 4;
    case PTX_MOD_V8: return 8;
    }
    return 1;
}

static const struct {
    uint8_t coordinates, gradients;
    bool layered;
} geometries[] = {
    [PTX_MOD_GEOMETRY_1D - PTX_MOD_GEOMETRY_1D] = {1, 1, false},
    [PTX_MOD_GEOMETRY_2D - PTX_MOD_GEOMETRY_1D] = {2, 2, false},
    [PTX_MOD_GEOMETRY_3D - PTX_MOD_GEOMETRY_1D] = {4, 4, false},
    [PTX_MOD_GEOMETRY_A1D - PTX_MOD_GEOMETRY_1D] = {2, 1, true},
    [PTX_MOD_GEOMETRY_A2D - PTX_MOD_GEOMETRY_1D] = {4, 2, true},
    [PTX_MOD_GEOMETRY_CUBE - PTX_MOD_GEOMETRY_1D] = {4, 4, false},
    [PTX_MOD_GEOMETRY_ACUBE - PTX_MOD_GEOMETRY_1D] = {4, 4, true},
};

static unsigned geometry_of(const ptx_instruction *i) {
    return i->mods[PTX_SLOT_GEOMETRY] - (unsigned)PTX_MOD_GEOMETRY_1D;
}

unsigned ptx_coordinate_count(const ptx_instruction *i) {
    return geometries[geometry_of(i)].coordinates;
}

ptx_type ptx_coordinate_type(const ptx_instruction *i) {
    return i->type2 ? (ptx_type)i->type2 : PTX_S32;
}

bool ptx_is_layered(const ptx_instruction *i) {
    return geometries[geometry_of(i)].layered;
}

unsigned ptx_gradient_count(const ptx_instruction *i) {
    return geometries[geometry_of(i)].gradients;
}
