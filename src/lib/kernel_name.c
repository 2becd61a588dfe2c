/* Finds kernels by what users call them: symbol, source name or C++ declaration (lib/kernel_name.h).
 *
 * A symbol matches at once if it is identical. Else mangled_name() finds the plain name in it. Only if that fails, too,
 * are all symbols demangled, and their declarations compared with the wanted one, both in a normal form: blanks only
 * between words, no suffixes of numbers, `unsigned` without `int`, const after its type. A declaration is then cut
 * into scopes, name, template arguments and parameters, so that the user may leave out the parts at either end. */
#include "lib/kernel_name.h"

#include "base/arena.h"
#include "base/demangle.h"
#include "base/mangled.h"
#include "base/memory.h"
#include "base/nearest.h"
#include "base/status.h"

#include <ctype.h>
#include <string.h>

/* ---- normal form of a declaration ---- */

static bool in_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* The end of the type's name at `s`: words, scopes and template arguments. */
static const char *end_of_type(const char *s) {
    int depth = 0;
    for (; *s; s++) {
        depth += (*s == '<') - (*s == '>');
        if (depth < 0 || (depth == 0 && !in_word(*s) && !strchr(":> ", *s))) return s;
    }
    return s;
}

/* Finds `word` as a whole word from `s` on; NULL if there is none. */
static char *find_word(char *s, const char *word) {
    const size_t length = strlen(word);
    for (char *at = strstr(s, word); at; at = strstr(at + 1, word))
        if ((at == s || !in_word(at[-1])) && !in_word(at[length])) return at;
    return NULL;
}

/* Keeps blanks only between words. */
static void drop_blanks(char *s) {
    char *to = s;
    for (const char *from = s; *from; from++) {
        if (!isspace((unsigned char)*from)) {
            *to++ = *from;
            continue;
        }
        while (isspace((unsigned char)from[1])) from++;
        if (to > s && in_word(to[-1]) && in_word(from[1])) *to++ = ' ';
    }
    *to = '\0';
}

/* 4u and 4ul become 4. */
static void drop_suffixes(char *s) {
    char *to = s;
    bool number = false;
    for (const char *from = s; *from; from++) {
        if (!in_word(*from) || from == s || !in_word(from[-1])) number = isdigit((unsigned char)*from);
        if (number && strchr("uUlL", *from)) continue;
        *to++ = *from;
    }
    *to = '\0';
}

/* "unsigned int" becomes "unsigned"; long and short likewise. */
static void drop_int(char *s) {
    static const char *const words[] = {"unsigned int", "long int", "short int"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (char *at; (at = find_word(s, words[i]));) {
            char *tail = at + strlen(words[i]);
            memmove(tail - strlen(" int"), tail, strlen(tail) + 1);
        }
}

/* "const float*" becomes "float const*". */
static void move_const(char *s) {
    static const char before[] = "const ", behind[] = " const";
    const size_t length = sizeof before - 1;
    for (char *at = s; (at = find_word(at, "const")); at++) {
        const bool leads = at == s || strchr("(<,", at[-1]);
        if (!leads || at[length - 1] != ' ') continue;
        const size_t moved = (size_t)(end_of_type(at + length) - at) - length;
        memmove(at, at + length, moved);
        memcpy(at + moved, behind, length);
    }
}

/* Returns the normal form, for the caller to free; NULL without memory. No step makes the text longer. */
static char *spelling_of(const char *declaration, size_t length) {
    char *s = memory_alloc(length + 1);
    if (!s) return NULL;
    memcpy(s, declaration, length);
    s[length] = '\0';
    drop_blanks(s);
    drop_suffixes(s);
    drop_int(s);
    move_const(s);
    return s;
}

/* ---- the parts of a declaration ---- */

/* In "void blas::ld<float, 4>(float*)": offsets of the name, its template arguments and its parameters, or of the place
 * where they would be. */
typedef struct parts {
    size_t name, arguments, parameters, end;
} parts;

/* The offset of the parenthesis that opens the parameters; `end` if there are none. */
static size_t parameters_of(const char *s, size_t end) {
    int depth = 0;
    if (!end || s[end - 1] != ')') return end;
    for (size_t i = end; i-- > 0;) {
        depth += (s[i] == ')') - (s[i] == '(');
        if (depth == 0) return i;
    }
    return end;
}

/* The offset of the bracket that opens the template arguments; `end` if there are none. Comparisons in template
 * arguments are in parentheses, so brackets within them do not count. */
static size_t arguments_of(const char *s, size_t end) {
    int depth = 0, parentheses = 0;
    if (!end || s[end - 1] != '>') return end;
    for (size_t i = end; i-- > 0;) {
        parentheses += (s[i] == ')') - (s[i] == '(');
        if (parentheses == 0) depth += (s[i] == '>') - (s[i] == '<');
        if (depth == 0 && parentheses == 0) return i;
    }
    return end;
}

/* The position after the next blank (or "::") outside all brackets, from `s` on; NULL if there is none before `end`. */
static const char *behind_next(const char *s, const char *end, const char *mark) {
    int depth = 0;
    for (; s < end; s++) {
        depth += (strchr("<({[", *s) != NULL) - (strchr(">)}]", *s) != NULL);
        if (depth == 0 && strncmp(s, mark, strlen(mark)) == 0) return s + strlen(mark);
    }
    return NULL;
}

/* The name begins after the last blank outside of brackets: the result's type stands before it. */
static parts parts_of(const char *s) {
    parts p = {.end = strlen(s)};
    p.parameters = parameters_of(s, p.end);
    p.arguments = arguments_of(s, p.parameters);
    for (const char *at = s; (at = behind_next(at, s + p.arguments, " "));) p.name = (size_t)(at - s);
    return p;
}

/* ---- matching symbols ---- */

/* Whether s[from, to) is the wanted text. */
static bool is_stretch(const char *s, size_t from, size_t to, const char *wanted) {
    return to - from == strlen(wanted) && strncmp(s + from, wanted, to - from) == 0;
}

/* Whether the wanted text begins at `from` and ends with the declaration, or before its parameters, or before its
 * template arguments. */
static bool ends_so(const char *s, const parts *p, size_t from, const char *wanted) {
    return is_stretch(s, from, p->end, wanted) || is_stretch(s, from, p->parameters, wanted) ||
           is_stretch(s, from, p->arguments, wanted);
}

/* Whether the wanted name means this declaration: from its result, or from any of its scopes or the name on. Both are
 * in normal form. */
static bool declares(const char *declaration, const char *wanted) {
    const parts p = parts_of(declaration);
    if (!*declaration) return false;
    if (ends_so(declaration, &p, 0, wanted)) return true;
    for (const char *at = declaration + p.name; at; at = behind_next(at, declaration + p.arguments, "::"))
        if (ends_so(declaration, &p, (size_t)(at - declaration), wanted)) return true;
    return false;
}

/* Whether the symbol's plain name is this one, whatever its scopes and parameters. */
static bool is_called(const char *symbol, const char *name) {
    size_t length;
    const char *plain = mangled_name(symbol, &length);
    return length == strlen(name) && strncmp(plain, name, length) == 0;
}

/* Demangles all symbols at once, since that starts another process. */
static size_t find_declared(const char *name, const char *const *symbols, size_t count, size_t *found) {
    text lines = {0};
    char *wanted = spelling_of(name, strlen(name));
    size_t matches = 0;
    demangle_all(symbols, count, &lines);
    const char *line = text_string(&lines);
    for (size_t i = 0; wanted && !lines.failed && i < count; i++) {
        const size_t length = strcspn(line, "\n");
        char *declaration = spelling_of(line, length);
        if (declaration && declares(declaration, wanted)) found[matches++] = i;
        memory_free(declaration);
        line += length + (line[length] == '\n');
    }
    text_free(&lines);
    memory_free(wanted);
    return matches;
}

/* Three attempts, each only if the one before found nothing. */
size_t kernel_name_find(const char *name, const char *const *symbols, size_t count, size_t *found) {
    size_t matches = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(symbols[i], name) == 0) found[matches++] = i;
    for (size_t i = 0, exact = matches; i < count && !exact; i++)
        if (is_called(symbols[i], name)) found[matches++] = i;
    return matches || !*name ? matches : find_declared(name, symbols, count, found);
}

/* ---- messages for names that match none, or several ---- */

enum { LIST_BYTES = 600 };

/* Returns a line of several, and its length. */
static const char *line_of(const char *lines, size_t index, size_t *length) {
    for (; index; index--) lines = strchr(lines, '\n') + 1;
    *length = strcspn(lines, "\n");
    return lines;
}

/* The part of the declaration that is shown: without result, and without parameters if `brief`. */
static text shown(const char *lines, size_t index, const char *symbol, bool brief) {
    size_t length;
    text out = {0}, declaration = {0};
    const char *line = line_of(lines, index, &length);
    text_append(&declaration, line, length);
    const parts p = parts_of(text_string(&declaration));
    if (length)
        text_append(&out, line + p.name, (brief ? p.parameters : p.end) - p.name);
    else
        text_put(&out, symbol);
    text_free(&declaration);
    return out;
}

/* Whether two of the names are equal, so that they do not tell the kernels apart. */
static bool any_alike(const text *names, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(text_string(&names[i]), text_string(&names[k])) == 0) return true;
    return false;
}

/* Appends "`ld<float, 4>`, `ld<float, 2>`", with parameters if names are equal without them. */
static void put_list(const char *const *symbols, const size_t *which, size_t count, text *out) {
    const char **chosen = memory_zeroed(count, sizeof *chosen);
    text lines = {0}, *names = memory_zeroed(count, sizeof *names);
    for (size_t i = 0; chosen && i < count; i++) chosen[i] = symbols[which[i]];
    if (chosen) demangle_all(chosen, count, &lines);
    for (int brief = 1; brief >= 0 && chosen && names && !lines.failed; brief--) {
        for (size_t i = 0; i < count; i++) {
            text_free(&names[i]);
            names[i] = shown(text_string(&lines), i, chosen[i], brief);
        }
        if (brief && !any_alike(names, count)) break;
    }
    const size_t before = out->length;
    for (size_t i = 0; names && i < count; i++) {
        const bool full = i && out->length - before + names[i].length > LIST_BYTES;
        if (i) text_put(out, ", ");
        if (full) text_put(out, "...");
        if (full) break;
        text_printf(out, "`%s`", text_string(&names[i]));
    }
    for (size_t i = 0; names && i < count; i++) text_free(&names[i]);
    memory_free(names);
    memory_free((void *)chosen);
    text_free(&lines);
}

haul_status kernel_name_ambiguous(const char *name, const char *const *symbols, const size_t *found, size_t count) {
    text list = {0};
    put_list(symbols, found, count, &list);
    const haul_status status = haul_fail(HAUL_ERROR_ARGUMENT, "`%s` is the name of %zu kernels, give one in full: %s",
                                         name, count, text_string(&list));
    text_free(&list);
    return status;
}

/* "ld" of "ld<float, 5>", which may have other instances. False if there are none. */
static bool tell_others(const char *name, const char *in, const char *const *symbols, size_t count, size_t *found) {
    text plain = {0}, list = {0};
    text_append(&plain, name, strcspn(name, "<("));
    const bool has_more = plain.length < strlen(name);
    const size_t matches = has_more ? kernel_name_find(text_string(&plain), symbols, count, found) : 0;
    if (matches) {
        put_list(symbols, found, matches, &list);
        (void)haul_fail(HAUL_ERROR_NOT_FOUND, "no kernel `%s` in %s; there is %s", name, in, text_string(&list));
    }
    text_free(&plain);
    text_free(&list);
    return matches > 0;
}

/* The source names of all symbols, for nearest_name(). */
static haul_status tell_nearest(const char *name, const char *in, const char *const *symbols, size_t count) {
    arena memory = {0};
    const char **names = ARENA_ARRAY(&memory, count, const char *);
    for (size_t i = 0; names && i < count; i++) {
        size_t length;
        const char *plain = mangled_name(symbols[i], &length);
        names[i] = arena_copy(&memory, plain, length);
        if (!names[i]) names[i] = symbols[i];
    }
    const char *near = names ? nearest_name(name, names, count) : NULL;
    if (near)
        (void)haul_fail(HAUL_ERROR_NOT_FOUND, "no kernel `%s` in %s: did you mean `%s`?", name, in, near);
    else
        (void)haul_fail(HAUL_ERROR_NOT_FOUND, "no kernel `%s` in %s, which has %zu: `%s`%s", name, in, count,
                        names ? names[0] : symbols[0], count > 1 ? ", ..." : "");
    arena_free(&memory);
    return HAUL_ERROR_NOT_FOUND;
}

haul_status kernel_name_unknown(const char *name, const char *in, const char *const *symbols, size_t count) {
    if (!count) return haul_fail(HAUL_ERROR_NOT_FOUND, "no kernel `%s`: there is none at all in %s", name, in);
    size_t *found = memory_zeroed(count, sizeof *found);
    const bool told = found && tell_others(name, in, symbols, count, found);
    memory_free(found);
    return told ? HAUL_ERROR_NOT_FOUND : tell_nearest(name, in, symbols, count);
}
