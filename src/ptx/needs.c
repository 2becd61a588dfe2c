/* Finds the PTX version and targets that an instruction, a special register or a directive needs.
 *
 * The texts of targets.def, needs.def and isa.def are read once into sets of bits, one for each target. An
 * instruction's need is that of its row, joined with the rules of needs.def whose conditions it meets. Rules are
 * filtered by row when they are read, so few are looked at for an instruction. */
#include "ptx/needs.h"

#include "ptx/pattern.h"

#include <pthread.h>
#include <string.h>

/* ---- targets ---- */

static const struct target {
    uint16_t sm, now, version, shared_kib;
    char suffix; /* '_': none */
} targets[] = {
#define TARGET(sm, suffix, now, version, shared) {sm, now, version, shared, #suffix[0]},
#include "ptx/targets.def"
#undef TARGET
};

enum { TARGETS = sizeof targets / sizeof *targets };
_Static_assert(TARGETS <= 64, "a ptx_target_set has a bit for each row of targets.def");

/* Targets later than the table's last one count as that, so that PTX of newer compilers can be read. */
int ptx_target_of(unsigned sm, char suffix) {
    const char wanted = suffix ? suffix : '_';
    int latest = -1;
    for (int t = 0; t < TARGETS; t++) {
        if (targets[t].suffix != wanted) continue;
        if (targets[t].sm == sm) return t;
        if (latest < 0 || targets[t].sm > targets[latest].sm) latest = t;
    }
    return latest >= 0 && sm > targets[latest].sm ? latest : -1;
}

unsigned ptx_target_version(unsigned target) {
    return targets[target].version;
}

uint32_t ptx_target_shared_bytes(unsigned target) {
    return targets[target].shared_kib * UINT32_C(1024);
}

ptx_target_set ptx_target_of_gpu(unsigned sm) {
    const int alone = ptx_target_of(sm, 'a'), own = alone >= 0 ? alone : ptx_target_of(sm, '\0');
    return own >= 0 ? UINT64_C(1) << own : 0;
}

/* `80`: it and all later targets; `90a`: only it; `100f`: later targets of its family with a suffix. */
static bool meets(const struct target *t, unsigned sm, char suffix) {
    switch (suffix) {
    case 'a': return t->suffix == 'a' && t->now == sm;
    case 'f': return t->suffix != '_' && t->now / 10 == sm / 10 && t->now >= sm;
    default: return t->now >= sm;
    }
}

/* Reads one of the targets in `90a|100f` and advances *text. */
static unsigned read_target(const char **text, char *suffix) {
    unsigned sm = 0;
    while (**text >= '0' && **text <= '9') sm = sm * 10 + (unsigned)(*(*text)++ - '0');
    *suffix = **text && **text != '|' ? *(*text)++ : '\0';
    *text += **text == '|';
    return sm;
}

static ptx_target_set read_targets(const char *text) {
    ptx_target_set set = 0;
    while (*text) {
        char suffix;
        const unsigned sm = read_target(&text, &suffix);
        for (unsigned t = 0; t < TARGETS; t++)
            if (meets(&targets[t], sm, suffix)) set |= UINT64_C(1) << t;
    }
    return set;
}

/* Words the set for a message: `sm_90a, sm_100a or sm_120 or later`. */
const char *ptx_describe_targets(arena *a, const char *target_text) {
    const char *all = "", *between = "";
    while (*target_text) {
        char suffix;
        const unsigned sm = read_target(&target_text, &suffix);
        const char end[] = {suffix, '\0'};
        all = arena_printf(a, "%s%ssm_%u%s", all, between, sm, suffix ? end : " or later");
        between = strchr(target_text, '|') ? ", " : " or ";
    }
    return all;
}

/* ---- needs.def ---- */

enum { MAX_CONDITIONS = 4 };

/* A row of needs.def after reading. */
typedef struct rule {
    ptx_suffix conditions[MAX_CONDITIONS];
    uint8_t condition_count;
    uint8_t absent;      /* bit k: condition k must not hold */
    bool sink;           /* its result is `_` */
    const char *operand; /* this operand is present; NULL: no condition */
    ptx_need need;
} rule;

static const struct rule_text {
    const char *mnemonics, *form, *targets;
    uint16_t version;
} rule_texts[] = {
#define NEED(mnemonics, form, version, targets) {mnemonics, form, #targets, version},
#include "ptx/needs.def"
#undef NEED
};

enum { RULES = sizeof rule_texts / sizeof *rule_texts, MAX_USES = 64 * PTX_OP_COUNT };

static rule rules[RULES];
static ptx_need row_needs[PTX_OP_COUNT];
static bool asks_operands[PTX_OP_COUNT];

/* The rules that may apply to a row: uses[first_use[op]] to uses[first_use[op + 1] - 1]. */
static uint16_t uses[MAX_USES];
static uint16_t first_use[PTX_OP_COUNT + 1];

/* Returns whether `list`, words separated by blanks, contains the word; `*` contains all. */
static bool lists(const char *list, const char *word) {
    const size_t length = strlen(word);
    if (strcmp(list, "*") == 0) return true;
    for (; *list; list += strspn(list, " ")) {
        const size_t here = strcspn(list, " ");
        if (here == length && memcmp(list, word, length) == 0) return true;
        list += here;
    }
    return false;
}

/* Reads one word of a rule's form: a suffix, `!suffix`, `_` for a sink, or `+operand`. */
static bool read_condition(const char *word, size_t length, rule *r) {
    const bool absent = *word == '!';
    if (*word == '_' || *word == '+') {
        r->sink |= *word == '_';
        if (*word == '+') r->operand = word + 1;
        return true;
    }
    if (r->condition_count == MAX_CONDITIONS) return false;
    r->absent |= (uint8_t)(absent << r->condition_count);
    return ptx_read_suffix(word + absent, length - absent, &r->conditions[r->condition_count++]);
}

/* Returns false if the text of the rule makes no sense; a test asks for that (ptx_needs_are_read()). */
static bool read_rule(const struct rule_text *text, rule *r) {
    r->need = (ptx_need){text->version, read_targets(text->targets), text->targets};
    for (const char *word = text->form; *word; word += strspn(word, " ")) {
        const size_t length = strcspn(word, " ");
        if (!read_condition(word, length, r)) return false;
        word += length;
    }
    return r->need.targets != 0;
}

/* Returns which operand of the row isa.def calls `name`, up to a blank; -1 if none. */
static int operand_named(unsigned op, const char *name) {
    const size_t length = strcspn(name, " ");
    const char *at = ptx_ops[op].operands;
    for (int number = 0; *at; number++) {
        at += strspn(at, ", ");
        if (strncmp(at, name, length) == 0 && strchr(":#?,", at[length])) return number;
        at += strcspn(at, ",");
    }
    return -1;
}

/* Whether the rule can apply to instructions of the row at all. */
static bool concerns(const struct rule_text *text, const rule *r, unsigned op) {
    if (!lists(text->mnemonics, ptx_ops[op].mnemonic)) return false;
    for (unsigned c = 0; c < r->condition_count; c++)
        if (!ptx_row_has(op, &r->conditions[c]) && !(r->absent >> c & 1)) return false;
    return !r->operand || operand_named(op, r->operand) >= 0;
}

static bool rules_read;

static void read_all(void) {
    bool fine = true;
    unsigned count = 0;
    for (unsigned k = 0; k < RULES; k++) fine &= read_rule(&rule_texts[k], &rules[k]);
    for (unsigned op = 0; op < PTX_OP_COUNT; op++) {
        const ptx_op_info *row = &ptx_ops[op];
        row_needs[op] = (ptx_need){row->version, read_targets(row->targets), row->targets};
        fine &= row_needs[op].targets != 0;
        first_use[op] = (uint16_t)count;
        for (unsigned k = 0; k < RULES; k++) {
            if (!concerns(&rule_texts[k], &rules[k], op) || count == MAX_USES) continue;
            uses[count++] = (uint16_t)k;
            asks_operands[op] |= rules[k].operand || rules[k].sink;
        }
    }
    first_use[PTX_OP_COUNT] = (uint16_t)count;
    rules_read = fine && count < MAX_USES;
}

static void read_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_all);
}

bool ptx_needs_are_read(void) {
    read_once();
    return rules_read;
}

/* ---- instructions ---- */

static bool has_operand(const ptx_instruction *i, const char *name) {
    const int number = operand_named(i->op, name);
    return number >= 0 && number < i->operand_count && i->operands[number].kind != PTX_ABSENT;
}

static bool holds(const rule *r, const ptx_instruction *i) {
    for (unsigned c = 0; c < r->condition_count; c++)
        if (ptx_has_suffix(i, &r->conditions[c]) == (r->absent >> c & 1)) return false;
    if (r->sink && !(i->operand_count && i->operands[0].kind == PTX_SINK)) return false;
    return !r->operand || has_operand(i, r->operand);
}

/* Joins a need: the later version, and the targets that both allow. The text is that of the need that excluded some. */
static void add(ptx_need *need, const ptx_need *other) {
    if (other->version > need->version) need->version = other->version;
    if (!(need->targets & ~other->targets)) return;
    need->targets &= other->targets;
    need->target_text = other->target_text;
}

ptx_need ptx_need_of(const ptx_instruction *i) {
    read_once();
    ptx_need need = row_needs[i->op];
    for (unsigned k = first_use[i->op]; k < first_use[i->op + 1]; k++)
        if (holds(&rules[uses[k]], i)) add(&need, &rules[uses[k]].need);
    return need;
}

bool ptx_need_depends_on_operands(unsigned op) {
    read_once();
    return asks_operands[op];
}

/* ---- special registers and directives ---- */

ptx_need ptx_need_of_special(unsigned special) {
    static const struct {
        uint16_t version;
        const char *targets;
    } rows[] = {
#define SPECIAL(id, name, type, version, targets) {version, #targets},
#include "ptx/special.def"
#undef SPECIAL
    };
    return (ptx_need){rows[special].version, read_targets(rows[special].targets), rows[special].targets};
}

bool ptx_need_of_directive(const char *name, size_t length, ptx_need *need) {
    static const struct {
        const char *name, *targets;
        uint16_t length, version;
    } rows[] = {
#define DIRECTIVE(name, version, targets) {name, #targets, sizeof name - 1, version},
#include "ptx/directives.def"
#undef DIRECTIVE
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        if (rows[k].length != length || memcmp(rows[k].name, name, length) != 0) continue;
        *need = (ptx_need){rows[k].version, read_targets(rows[k].targets), rows[k].targets};
        return true;
    }
    return false;
}
