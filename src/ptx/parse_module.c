/* Parses whole modules: the directives at the top, declarations, and linking of several texts.
 *
 * Errors and lack of memory jump back to parse(), so the functions below return only success. Linked texts are parsed
 * one after the other into the same module; each has its own version, target and names, and shares the names that it
 * exports. Functions are verified and analysed when their text ends, because that text's version and target decide what
 * is valid. */
#include "ptx/parse.h"

#include "base/memory.h"
#include "base/status.h"
#include "ptx/limits.h"
#include "ptx/spaces.h"
#include "ptx/users_place.h"

#include <string.h>

/* ---- the first lines ---- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Whether there is such a version. The table has the last version of each major one: 3.0 followed 2.3. */
static bool is_known(uint32_t version) {
    static const uint8_t last[] = {15, 23, 32, 43, 51, 65, 78, 88, 94};
    const uint32_t major = version / 10, rows = sizeof last / sizeof *last;
    return major && major <= rows && version <= last[major - 1];
}

/* Reads digits up to `end`, or up to a character that is none; at most MOST. */
static uint32_t read_number(const char **at, const char *end) {
    enum { MOST = 1000 };
    uint32_t n = 0;
    for (; *at < end && is_digit(**at); ++*at) n = n < MOST ? n * 10 + (uint32_t)(**at - '0') : MOST;
    return n;
}

/* Reads a version as ptxas does: both parts are integers, and a minor one of 10 is the next major version. False if the
 * token is no version. */
static bool read_version(const ptx_token *t, uint32_t *version) {
    const char *at = t->text, *const end = t->text + t->length;
    if (t->kind != PTX_TOKEN_FLOAT) return false;
    const uint32_t major = read_number(&at, end);
    if (at == t->text || at == end || *at != '.' || ++at == end) return false;
    *version = major * 10 + read_number(&at, end);
    return at == end;
}

/* Parses `.version 8.3`. */
static void parse_version(ptx_parser *p) {
    if (!ptx_accept_directive(p, ".version")) ptx_expected(p, "'.version'");
    const ptx_token *t = &p->lexer.token;
    if (!read_version(t, &p->module->version)) ptx_expected(p, "a version such as 8.0");
    if (!is_known(p->module->version))
        ptx_fail_syntax(&p->diagnostics, t->position, "there is no PTX ISA %.*s, or it is newer than this program",
                        (int)t->length, t->text);
    ptx_lexer_advance(&p->lexer);
}

/* Parses `sm_90a`. */
static bool parse_architecture(ptx_parser *p) {
    const ptx_token *t = &p->lexer.token;
    if (t->kind != PTX_TOKEN_WORD || t->length < 4 || t->length > 7 || memcmp(t->text, "sm_", 3) != 0) return false;
    if (t->text[3] == '0') return false;
    uint32_t sm = 0, at = 3;
    while (at < t->length && is_digit(t->text[at])) sm = sm * 10 + (uint32_t)(t->text[at++] - '0');
    p->module->sm_suffix = at < t->length ? t->text[at++] : '\0';
    p->module->sm = sm;
    return sm && at == t->length;
}

/* Finds the target's row, and checks that this version of PTX has it. */
static void check_architecture(ptx_parser *p) {
    ptx_module *m = p->module;
    const ptx_token *t = &p->lexer.token;
    const int target = ptx_target_of(m->sm, m->sm_suffix);
    if (target < 0) ptx_fail_syntax(&p->diagnostics, t->position, "there is no target '%.*s'", (int)t->length, t->text);
    m->target = (uint8_t)target;
    const ptx_need need = {.version = (uint16_t)ptx_target_version(m->target), .targets = ~(ptx_target_set)0};
    ptx_require(p, t->position, t->text, t->length, &need);
}

enum { OPTION_DEBUG, OPTION_UNIFIED, OPTION_INDEPENDENT, OPTION_MAP, OPTIONS };

/* Options without effect here. map_f64_to_f32 changes the meaning of .f64, so .f64 is then refused. */
static unsigned known_option(const ptx_token *t) {
    static const char *const options[OPTIONS] = {"debug", "texmode_unified", "texmode_independent", "map_f64_to_f32"};
    for (unsigned i = 0; i < OPTIONS; i++)
        if (t->kind == PTX_TOKEN_WORD && t->length == strlen(options[i]) && memcmp(t->text, options[i], t->length) == 0)
            return i;
    return OPTIONS;
}

/* Accepts an architecture. If there are several, the last one counts, as for ptxas. */
static bool accept_architecture(ptx_parser *p) {
    if (!parse_architecture(p)) return false;
    check_architecture(p);
    ptx_lexer_advance(&p->lexer);
    return true;
}

/* Parses `.target sm_90a, debug`. */
static void parse_target(ptx_parser *p) {
    if (!ptx_accept_directive(p, ".target")) ptx_expected(p, "'.target'");
    if (!accept_architecture(p)) ptx_expected(p, "an architecture such as sm_90");
    bool given[OPTIONS] = {false};
    p->maps_f64 = false;
    while (ptx_accept(p, ',')) {
        if (accept_architecture(p)) continue;
        const unsigned option = known_option(&p->lexer.token);
        if (option == OPTIONS) ptx_expected(p, "debug or texmode_independent");
        ptx_require_token(p);
        given[option] = true;
        if (option == OPTION_MAP && p->module->sm >= 13)
            ptx_fail_syntax(&p->diagnostics, p->lexer.token.position, "map_f64_to_f32 needs a target before sm_13");
        if (option == OPTION_MAP) p->maps_f64 = true;
        if (given[OPTION_UNIFIED] && given[OPTION_INDEPENDENT])
            ptx_fail_syntax(&p->diagnostics, p->lexer.token.position,
                            "texmode_unified and texmode_independent cannot be combined: remove one");
        ptx_lexer_advance(&p->lexer);
    }
}

/* Parses an optional `.address_size 64`. */
static void parse_address_size(ptx_parser *p) {
    if (!ptx_accept_directive(p, ".address_size")) return;
    ptx_position at = p->lexer.token.position;
    p->module->address_bits = (uint32_t)ptx_expect_integer(p, UINT32_MAX, "an address size");
    if (p->module->address_bits != 64)
        ptx_fail(&p->diagnostics, HAUL_ERROR_UNSUPPORTED, at, "only 64-bit addresses are supported");
}

/* ---- declarations at module scope ---- */

/* Parses `.alias f, g;`: f is declared without a body, and calls of it mean g. */
static void parse_alias(ptx_parser *p) {
    ptx_function *functions[2];
    ptx_lexer_advance(&p->lexer);
    for (int i = 0; i < 2; i++) {
        ptx_position at = p->lexer.token.position;
        ptx_name *name = ptx_expect_name(p);
        if (!name->symbol || name->symbol->kind != PTX_SYMBOL_FUNCTION)
            ptx_fail_syntax(&p->diagnostics, at, "'%s' is not a function", name->text);
        functions[i] = name->symbol->function;
        if (i == 1 && functions[i]->alias_of) functions[i] = (ptx_function *)functions[i]->alias_of;
        if (functions[i]->has_body != (i == 1) || functions[i]->alias_of)
            ptx_fail_syntax(&p->diagnostics, at, "an alias needs a function without a body and a target with one");
        if (functions[i]->is_entry || (i == 1 && functions[i]->is_weak))
            ptx_fail_syntax(&p->diagnostics, at, "'%s' is %s: it has no alias", name->text,
                            functions[i]->is_entry ? "a kernel" : ".weak");
        ptx_expect(p, i == 0 ? ',' : ';');
    }
    if (!ptx_same_signature(functions[0], functions[1]) || functions[0]->is_noreturn != functions[1]->is_noreturn)
        ptx_fail_syntax(&p->diagnostics, p->lexer.token.position,
                        "'%s' has different parameters or directives than '%s'", functions[0]->name,
                        functions[1]->name);
    functions[0]->alias_of = functions[1];
}

/* Accepts one of the linkage directives. */
static ptx_linkage accept_linkage(ptx_parser *p) {
    static const char *const directives[] = {
        [PTX_LINKAGE_VISIBLE] = ".visible",
        [PTX_LINKAGE_EXTERN] = ".extern",
        [PTX_LINKAGE_WEAK] = ".weak",
        [PTX_LINKAGE_COMMON] = ".common",
    };
    for (unsigned i = 1; i < sizeof directives / sizeof *directives; i++)
        if (ptx_accept_directive(p, directives[i])) return i;
    return PTX_LINKAGE_NONE;
}

static void parse_declaration(ptx_parser *p) {
    const ptx_position at = p->lexer.token.position;
    const ptx_linkage linkage = accept_linkage(p);
    if (linkage && accept_linkage(p))
        ptx_fail_syntax(&p->diagnostics, at,
                        "a declaration has one of .visible, .extern, .weak and .common: remove one");
    if (ptx_at_directive(p, ".entry") || ptx_at_directive(p, ".func")) {
        ptx_parse_function(p, linkage);
    } else if (ptx_at_space(p)) {
        ptx_parse_variables(p, linkage);
    } else if (ptx_at(p, PTX_TOKEN_DIRECTIVE)) {
        const ptx_token *t = &p->lexer.token;
        ptx_fail_unsupported(p, t->position, "directive", t->text, t->length);
    } else {
        ptx_expected(p, "a declaration");
    }
}

/* PTX before 2.0 has its debug sections in lines that begin with @@DWARF. */
static bool skip_dwarf_line(ptx_parser *p) {
    static const char mark[] = "@@DWARF";
    enum { VERSION_OF_SECTIONS = 20 };
    const ptx_token *t = &p->lexer.token;
    const size_t left = (size_t)(p->lexer.end - t->text);
    if (p->module->version >= VERSION_OF_SECTIONS || left < strlen(mark) || memcmp(t->text, mark, strlen(mark)) != 0)
        return false;
    ptx_lexer_skip_line(&p->lexer);
    return true;
}

/* Parses one item of the module's scope. */
static void parse_item(ptx_parser *p) {
    if (ptx_at(p, '@') && skip_dwarf_line(p)) return;
    if (ptx_at_directive(p, ".file")) {
        ptx_parse_file(p);
    } else if (ptx_at_directive(p, ".section")) {
        ptx_parse_section(p);
    } else if (ptx_at_directive(p, ".nv_intermediate_source_section")) {
        ptx_parse_intermediate_sources(p);
    } else if (ptx_at_directive(p, ".pragma")) {
        p->module->keeps_loops |= ptx_parse_pragma(p, PTX_PRAGMA_OF_MODULE);
    } else if (ptx_at_directive(p, ".alias")) {
        parse_alias(p);
    } else if (ptx_at_directive(p, ".address_size")) {
        ptx_fail_syntax(&p->diagnostics, p->lexer.token.position, "'.address_size' must follow .target, once");
    } else {
        parse_declaration(p);
    }
}

/* ---- whole modules ---- */

enum { WORKSPACE_BYTES = 64, WORKSPACE_ALIGNMENT = 16 };

/* Adds the workspace: cooperative groups read the address of the grid's barrier from two special registers. */
static void add_workspace(ptx_parser *p) {
    if (!p->uses_workspace) return;
    ptx_variable *v = ARENA_NEW(p->memory, ptx_variable);
    *v = (ptx_variable){.name = "haul_grid_workspace",
                        .space = PTX_SPACE_GLOBAL,
                        .type = PTX_B8,
                        .vector = 1,
                        .alignment = WORKSPACE_ALIGNMENT,
                        .size = WORKSPACE_BYTES,
                        .index = (uint32_t)p->variables.count};
    PTX_APPEND(p, p->variables, v);
    p->module->workspace = v;
}

/* All `extern __shared__` arrays begin at the same place, so each is aligned to the largest alignment declared so
 * far. */
static void find_dynamic_alignments(const ptx_parser *p) {
    uint32_t greatest = 1;
    for (size_t i = 0; i < p->variables.count; i++) {
        ptx_variable *v = p->variables.items[i];
        if (!v->is_extern || v->space != PTX_SPACE_SHARED) continue;
        if (v->alignment > greatest) greatest = v->alignment;
        v->dynamic_alignment = greatest;
    }
}

/* Copies the lists to the module after each text, since its functions are analysed then. */
static void keep_module_lists(ptx_parser *p) {
    ptx_module *m = p->module;
#define KEEP(target, count_field, list, type)               \
    m->count_field = (list).count;                          \
    m->target = ARENA_ARRAY(p->memory, (list).count, type); \
    if ((list).count) memcpy(m->target, (list).items, (list).count * sizeof(type));
    KEEP(variables, variable_count, p->variables, ptx_variable *)
    KEEP(functions, function_count, p->functions, ptx_function *)
    KEEP(files, file_count, p->files, const char *)
    KEEP(places, place_count, p->places, ptx_place)
#undef KEEP
    ptx_find_toolchain_files(m);
}

/* Checks and analyses functions that have not been yet: those of the last text. */
static haul_status check_and_analyse(ptx_module *module) {
    for (size_t f = 0; f < module->function_count; f++) {
        if (!module->functions[f]->has_body || module->functions[f]->blocks) continue;
        HAUL_TRY(ptx_check_parameters(module, module->functions[f]));
        HAUL_TRY(ptx_verify(module, module->functions[f]));
        ptx_name_spaces(module->functions[f]);
        ptx_analyse(module->functions[f], &module->memory);
    }
    return HAUL_OK;
}

/* Functions of other texts are .extern here, and an alias has the body of its target. */
static void check_bodies(ptx_parser *p) {
    for (const ptx_symbol *s = p->symbols.scopes[0]; s; s = s->next_in_scope) {
        if (s->kind != PTX_SYMBOL_FUNCTION || s->is_defined || s->linkage == PTX_LINKAGE_EXTERN) continue;
        const ptx_function *f = s->function;
        if (f->has_body || f->is_entry || f->alias_of) continue;
        ptx_fail_syntax(&p->diagnostics, f->position, "'%s' has no body; declare it .extern if another module has it",
                        f->name);
    }
}

/* Trailing NULs are not part of the text: callers pass C strings with their end. */
static haul_status parse_text(ptx_parser *p, const ptx_source *source, bool last) {
    size_t length = source->length;
    while (length && source->text[length - 1] == '\0') length--;
    if (length > PTX_MAX_SOURCE) return haul_fail(HAUL_ERROR_LIMIT, "%s: PTX text larger than 1 GiB", source->name);
    p->module->name = p->diagnostics.name = arena_copy(p->memory, source->name, strlen(source->name));
    p->module->address_bits = 64;
    p->first_file = p->files.count;
    ptx_lexer_start(&p->lexer, &p->diagnostics, source->text, length);
    parse_version(p);
    do parse_target(p);
    while (ptx_at_directive(p, ".target"));
    parse_address_size(p);
    while (!ptx_at(p, PTX_TOKEN_END)) parse_item(p);
    check_bodies(p);
    if (last) add_workspace(p);
    find_dynamic_alignments(p);
    keep_module_lists(p);
    HAUL_TRY(check_and_analyse(p->module));
    ptx_symbols_end_text(&p->symbols);
    return HAUL_OK;
}

/* A module has the latest version and architecture of its texts. */
static haul_status parse_texts(ptx_parser *p, const ptx_source *sources, size_t count) {
    uint32_t version = 0, sm = 0;
    char suffix = 0;
    for (size_t i = 0; i < count; i++) {
        HAUL_TRY(parse_text(p, &sources[i], i + 1 == count));
        if (p->module->version > version) version = p->module->version;
        if (p->module->sm >= sm) sm = p->module->sm, suffix = p->module->sm_suffix;
    }
    p->module->version = version;
    p->module->sm = sm;
    p->module->sm_suffix = suffix;
    return HAUL_OK;
}

/* Runs everything that can run out of memory or find an error; both jump back to here. */
static haul_status parse(ptx_parser *p, const char *name, const ptx_source *sources, size_t count) {
    if (setjmp(p->module->out_of_memory))
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: out of memory while reading PTX", name);
    if (setjmp(p->diagnostics.unwind)) return p->diagnostics.status;
    p->source_count = count;
    ptx_symbols_start(&p->symbols, &p->scratch, p->memory);
    HAUL_TRY(parse_texts(p, sources, count));
    if (count > 1) p->module->name = arena_copy(p->memory, name, strlen(name));
    HAUL_TRY(ptx_check_constants(p->module));
    return ptx_check_shared(p->module, &p->scratch);
}

haul_status ptx_module_parse(const char *name, const char *source, size_t length, ptx_module **result) {
    return ptx_module_link(name, &(ptx_source){name, source, length}, 1, result);
}

haul_status ptx_module_link(const char *name, const ptx_source *sources, size_t count, ptx_module **result) {
    *result = NULL;
    ptx_parser *p = memory_zeroed(1, sizeof *p);
    ptx_module *module = memory_zeroed(1, sizeof *module);
    haul_status status = HAUL_ERROR_OUT_OF_MEMORY;
    if (p && module) {
        p->module = module;
        p->memory = &module->memory;
        arena_init(&module->memory, &module->out_of_memory);
        arena_init(&p->scratch, &module->out_of_memory);
        status = parse(p, name, sources, count);
        arena_free(&p->scratch);
        module->memory.out_of_memory = NULL;
    } else {
        haul_fail(status, "%s: out of memory while reading PTX", name);
    }
    memory_free(p);
    if (status == HAUL_OK) {
        *result = module;
    } else if (module) {
        ptx_module_free(module);
    }
    return status;
}

void ptx_module_free(ptx_module *module) {
    if (!module) return;
    arena_free(&module->memory);
    memory_free(module);
}

/* Returns a variable that is declared .extern and defined nowhere, or NULL. Dynamic shared memory is .extern, too, and
 * fine. */
const ptx_variable *ptx_find_undefined(const ptx_module *module) {
    for (size_t i = 0; i < module->variable_count; i++) {
        const ptx_variable *v = module->variables[i];
        if (v->is_extern && (v->space == PTX_SPACE_GLOBAL || v->space == PTX_SPACE_CONST)) return v;
    }
    return NULL;
}

ptx_function *ptx_find_entry(const ptx_module *module, const char *name) {
    for (size_t f = 0; f < module->function_count; f++)
        if (module->functions[f]->is_entry && strcmp(module->functions[f]->name, name) == 0)
            return module->functions[f];
    return NULL;
}
