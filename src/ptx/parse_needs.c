/* Checks that the module's PTX version and target have the features that it uses, and says why haul lacks others. */
#include "ptx/parse.h"

#include <string.h>

_Noreturn static void fail_version(ptx_parser *p, ptx_position at, int length, const char *what, unsigned version) {
    const unsigned has = p->module->version;
    ptx_fail_syntax(&p->diagnostics, at, "'%.*s' needs PTX ISA %u.%u (the module says .version %u.%u): raise .version",
                    length, what, version / 10, version % 10, has / 10, has % 10);
}

_Noreturn static void fail_target(ptx_parser *p, ptx_position at, int length, const char *what,
                                  const char *target_text) {
    const ptx_module *m = p->module;
    const char suffix[] = {m->sm_suffix, '\0'};
    const char *targets = ptx_describe_targets(&p->scratch, target_text);
    ptx_fail_syntax(&p->diagnostics, at, "'%.*s' needs %s (the module says .target sm_%u%s): change .target", length,
                    what, targets, m->sm, suffix);
}

/* The version is reported before the target, because a target often needs a version itself. */
void ptx_require(ptx_parser *p, ptx_position at, const char *what, size_t length, const ptx_need *need) {
    const bool known = need->version <= p->module->version, has = need->targets >> p->module->target & 1;
    if (known && has) return;
    enum { MOST_SHOWN = 80 };
    const int shown = length < MOST_SHOWN ? (int)length : MOST_SHOWN;
    if (!known) fail_version(p, at, shown, what, need->version);
    fail_target(p, at, shown, what, need->target_text);
}

/* Directives that are not in directives.def have no needs. */
static void require_named(ptx_parser *p, ptx_position at, const char *name, size_t length) {
    ptx_need need;
    if (ptx_need_of_directive(name, length, &need)) ptx_require(p, at, name, length, &need);
}

void ptx_require_feature(ptx_parser *p, ptx_position at, const char *name) {
    require_named(p, at, name, strlen(name));
}

void ptx_require_token(ptx_parser *p) {
    const ptx_token *t = &p->lexer.token;
    require_named(p, t->position, t->text, t->length);
}

/* ---- features that haul refuses ---- */

static const struct refusal {
    const char *what, *why;
    unsigned version;
} refusals[] = {
#define REFUSED(what, version, why) {what, why, version},
#include "ptx/refused.def"
#undef REFUSED
};

/* Returns whether the text begins with the mnemonic, or has the suffix. Both end at a dot, or in `::`. */
static bool is_refused(const char *text, const char *what) {
    const size_t length = strlen(what);
    const char *at = *what == '.' ? strstr(text, what) : strncmp(text, what, length) == 0 ? text : NULL;
    return at && (at[length] == '.' || !at[length] || what[length - 1] == ':');
}

void ptx_fail_unsupported(ptx_parser *p, ptx_position at, const char *kind, const char *text, size_t length) {
    char name[128];
    if (length >= sizeof name) length = sizeof name - 1;
    memcpy(name, text, length);
    name[length] = '\0';
    for (size_t r = 0; r < sizeof refusals / sizeof *refusals; r++)
        if (is_refused(name, refusals[r].what))
            ptx_fail(&p->diagnostics, HAUL_ERROR_UNSUPPORTED, at, "unsupported %s '%s': '%s' of PTX ISA %u.%u: %s",
                     kind, name, refusals[r].what, refusals[r].version / 10, refusals[r].version % 10, refusals[r].why);
    ptx_fail(&p->diagnostics, HAUL_ERROR_UNSUPPORTED, at, "unsupported %s '%s'", kind, name);
}
