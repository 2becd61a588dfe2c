/* Reads rules from comments of a source file: `// haul: expect ...` and `// haul: ignore ...`.
 *
 * A rule applies to what its comment stands at: the line it is on, the statement or the function that follows, or the
 * function that it opens. No C++ parser is needed for that. The code is copied with comments, strings and preprocessor
 * lines blanked; then braces, semicolons and parentheses show where statements and bodies end. Offsets in the copy are
 * those in the file, so lines can be told from them. */
#include "report/check/annotations.h"

#include "base/search.h"
#include "base/status.h"

#include <ctype.h>
#include <string.h>

/* A comment for haul. */
typedef struct comment {
    size_t start, end; /* offsets of the comment in the file */
    const char *words; /* after `haul:` */
} comment;

/* The file being read. `code` is a copy with comments, strings and preprocessor lines blanked, except for line ends, so
 * that the rest can be parsed as code. */
typedef struct reader {
    report_rules *rules;
    const char *name, *path;
    const char *source;
    size_t length;
    char *code;
    size_t *ends; /* offsets of the line ends */
    size_t line_count;
    comment *comments;
    size_t count, capacity;
} reader;

/* Guards against files that are not sources. */
enum { MOST_COMMENTS = 1000 };

static haul_status find_lines(reader *r) {
    size_t count = 0;
    for (size_t i = 0; i < r->length; i++) count += r->source[i] == '\n';
    r->ends = ARENA_ARRAY(&r->rules->memory, count + 1, size_t);
    if (!r->ends) return haul_no_memory("the source's comments");
    for (size_t i = 0; i < r->length; i++) {
        if (r->source[i] == '\n') r->ends[r->line_count++] = i;
    }
    return HAUL_OK;
}

/* The line number: one more than the line ends before `offset`. */
static uint32_t line_at(const reader *r, size_t offset) {
    size_t at;
    SEARCH_FIRST(at, r->line_count, k, r->ends[k] < offset);
    return (uint32_t)at + 1;
}

/* ---- finding code ---- */

/* Line ends stay, so that line numbers do. */
static void blank(reader *r, size_t start, size_t end) {
    for (size_t i = start; i < end; i++) {
        if (r->code[i] != '\n') r->code[i] = ' ';
    }
}

/* The words of a comment that begins with `haul:`; in a longer comment, up to the end of the first line. */
static haul_status keep_comment(reader *r, size_t start, size_t end) {
    const char *s = r->source + start + 2, *stop = r->source + end;
    while (s < stop && (isspace((unsigned char)*s) || *s == '*' || *s == '/')) s++;
    if (stop - s < 5 || strncmp(s, "haul:", 5) != 0) return HAUL_OK;
    s += 5;
    size_t length = strcspn(s, "\n\r");
    if (length > (size_t)(stop - s)) length = (size_t)(stop - s);
    if (length >= 2 && r->source[start + 1] == '*' && strncmp(s + length - 2, "*/", 2) == 0) length -= 2;
    comment c = {.start = start, .end = end, .words = arena_copy(&r->rules->memory, s, length)};
    if (!c.words) return haul_no_memory("the source's comments");
    if (r->count == MOST_COMMENTS)
        return haul_fail(HAUL_ERROR_LIMIT, "%s: has more than %d comments for haul", r->name, MOST_COMMENTS);
    if (r->count == r->capacity) {
        comment *more = arena_grow(&r->rules->memory, r->comments, r->count, &r->capacity, sizeof *r->comments);
        if (!more) return haul_no_memory("the source's comments");
        r->comments = more;
    }
    r->comments[r->count++] = c;
    return HAUL_OK;
}

/* The end of the comment that begins at `i`; an open one lasts to the end of the file. */
static size_t end_of_comment(const reader *r, size_t i) {
    if (r->source[i + 1] == '/') return i + strcspn(r->source + i, "\n");
    const char *end = strstr(r->source + i + 2, "*/");
    return end ? (size_t)(end - r->source) + 2 : r->length;
}

/* The end of the string or character that begins at `i`. An open one ends with its line, as compilers recover. */
static size_t end_of_string(const reader *r, size_t i) {
    char quote = r->source[i++];
    while (r->source[i] && r->source[i] != quote && r->source[i] != '\n')
        i += r->source[i] == '\\' && r->source[i + 1] ? 2 : 1;
    return r->source[i] == quote ? i + 1 : i;
}

/* A quote between digits separates them: 1'000. */
static bool begins_string(const reader *r, size_t i) {
    if (r->source[i] == '"') return true;
    return r->source[i] == '\'' && !(i && isalnum((unsigned char)r->source[i - 1]));
}

/* Collects comments for haul and blanks everything that is not code. */
static haul_status separate(reader *r) {
    for (size_t i = 0; r->source[i];) {
        bool is_comment = r->source[i] == '/' && (r->source[i + 1] == '/' || r->source[i + 1] == '*');
        if (!is_comment && !begins_string(r, i)) {
            i++;
            continue;
        }
        size_t end = is_comment ? end_of_comment(r, i) : end_of_string(r, i);
        if (is_comment) HAUL_TRY(keep_comment(r, i, end));
        blank(r, i, end);
        i = end;
    }
    return HAUL_OK;
}

/* A directive continues on the next line after a backslash. */
static void blank_directives(reader *r) {
    for (size_t i = 0; i < r->length;) {
        size_t first = i + strspn(r->code + i, " \t"), end = i + strcspn(r->code + i, "\n");
        bool directive = r->code[first] == '#';
        while (directive && end < r->length && end > i && r->source[end - 1] == '\\')
            end += 1 + strcspn(r->code + end + 1, "\n");
        if (directive) blank(r, i, end);
        i = end + 1;
    }
}

/* ---- the target of a comment ---- */

/* A plain search: that the word may be part of a longer name does no harm, since the words begin with underscores. */
static bool has_word(const char *code, size_t start, size_t end, const char *word) {
    size_t length = strlen(word);
    for (size_t i = start; i + length <= end; i++) {
        if (strncmp(code + i, word, length) == 0) return true;
    }
    return false;
}

/* The first semicolon or brace outside parentheses from `i` on, or the end. */
static size_t end_of_head(const reader *r, size_t i) {
    int depth = 0;
    for (; i < r->length; i++) {
        char c = r->code[i];
        depth += c == '(';
        depth -= c == ')';
        if (c == '{' || c == '}' || (c == ';' && depth <= 0)) return i;
    }
    return r->length;
}

/* Searches back from the brace at `i`: the position after the last semicolon or brace outside parentheses. */
static size_t start_of_head(const reader *r, size_t i) {
    int depth = 0;
    for (; i > 0; i--) {
        char c = r->code[i - 1];
        depth += c == ')';
        depth -= c == '(';
        if (c == '{' || c == '}' || (c == ';' && depth <= 0)) return i;
    }
    return 0;
}

/* The closing brace of the body that `brace` opens; the last character if it is not closed. */
static size_t end_of_body(const reader *r, size_t brace) {
    size_t depth = 0;
    for (size_t i = brace; i < r->length; i++) {
        if (r->code[i] == '{') depth++;
        if (r->code[i] == '}' && --depth == 0) return i;
    }
    return r->length ? r->length - 1 : 0;
}

static bool is_name(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* The position after the parenthesis that closes the one at `i`. */
static size_t skip_parentheses(const reader *r, size_t i, size_t end) {
    size_t depth = 0;
    for (; i < end; i++) {
        if (r->code[i] == '(') depth++;
        if (r->code[i] == ')' && --depth == 0) return i + 1;
    }
    return end;
}

/* Words with parentheses that may precede a function's name. */
static bool is_attribute(const char *word, size_t length) {
    static const char *const attributes[] = {"__launch_bounds__", "__attribute__", "__cluster_dims__",
                                             "__maxnreg__",       "__align__",     "alignas",
                                             "decltype",          "__block_size__"};
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        if (strlen(attributes[i]) == length && strncmp(word, attributes[i], length) == 0) return true;
    }
    return false;
}

/* The name before the first parenthesis that does not belong to an attribute; NULL if there is none. */
static const char *function_name(const reader *r, size_t i, size_t end) {
    while (i < end) {
        if (!is_name(r->code[i])) {
            i++;
            continue;
        }
        size_t start = i, next;
        while (i < end && is_name(r->code[i])) i++;
        next = i + strspn(r->code + i, " \t\n\r");
        if (next >= end || r->code[next] != '(') continue;
        if (!is_attribute(r->code + start, i - start)) return arena_copy(&r->rules->memory, r->code + start, i - start);
        i = skip_parentheses(r, next, end);
    }
    return NULL;
}

static void set_lines(const reader *r, report_scope *scope, size_t start, size_t end) {
    scope->first = line_at(r, start);
    scope->last = line_at(r, end);
}

/* Classifies the head that ends at `end`: a kernel's, another function's, or a statement. */
static haul_status apply_to_head(const reader *r, size_t start, size_t end, report_scope *scope) {
    if (has_word(r->code, start, end, "__global__")) {
        scope->kernel = function_name(r, start, end);
        return scope->kernel ? HAUL_OK : haul_fail(HAUL_ERROR_SYNTAX, "the kernel that follows has no plain name");
    }
    bool is_function = end < r->length && r->code[end] == '{' &&
                       (has_word(r->code, start, end, "__device__") || has_word(r->code, start, end, "HAUL_DEVICE"));
    set_lines(r, scope, start, is_function ? end_of_body(r, end) : end);
    return HAUL_OK;
}

/* The kernel whose body contains `offset`, or NULL. */
static const char *kernel_around(const reader *r, size_t offset) {
    const char *found = r->code;
    while ((found = strstr(found, "__global__")) && (size_t)(found - r->code) < offset) {
        size_t start = (size_t)(found - r->code), brace = end_of_head(r, start);
        if (brace >= offset) return NULL;
        size_t end = r->code[brace] == '{' ? end_of_body(r, brace) : brace;
        if (end > offset) return function_name(r, start, brace);
        found = r->code + end;
    }
    return NULL;
}

static bool has_code_before(const reader *r, size_t i) {
    while (i > 0 && r->code[i - 1] != '\n') {
        if (!isspace((unsigned char)r->code[--i])) return true;
    }
    return false;
}

static bool has_code_behind(const reader *r, size_t i) {
    for (; i < r->length && r->code[i] != '\n'; i++) {
        if (!isspace((unsigned char)r->code[i])) return true;
    }
    return false;
}

/* The brace right before the comment, if it opens a function; else 0. */
static size_t opening_brace(const reader *r, const comment *c) {
    size_t i = c->start;
    while (i > 0 && isspace((unsigned char)r->code[i - 1])) i--;
    if (i == 0 || r->code[i - 1] != '{') return 0;
    size_t brace = i - 1, start = start_of_head(r, brace);
    return has_word(r->code, start, brace, "__global__") || has_word(r->code, start, brace, "__device__") ? brace : 0;
}

/* After code, or before code on the same line, a comment means its own line. Alone on a line it means the function
 * that it opens, or else what follows. */
static haul_status find_scope(const reader *r, const comment *c, report_scope *scope) {
    *scope = (report_scope){.file = r->path, .exact = true};
    bool leads = has_code_behind(r, c->end);
    size_t brace = leads ? 0 : opening_brace(r, c);
    if (brace) return apply_to_head(r, start_of_head(r, brace), brace, scope);
    if (leads || has_code_before(r, c->start)) {
        scope->first = line_at(r, c->start);
        scope->last = line_at(r, c->end);
        return HAUL_OK;
    }
    size_t start = c->end + strspn(r->code + c->end, " \t\n\r\f\v");
    if (start >= r->length || r->code[start] == '}')
        return haul_fail(HAUL_ERROR_SYNTAX, "nothing follows that it could apply to");
    return apply_to_head(r, start, end_of_head(r, start), scope);
}

/* Makes the comment's rule. A rule on lines also remembers the kernel around it, so that it cannot be missed unnoticed
 * if its lines have no instructions. */
static haul_status apply(const reader *r, const comment *c) {
    report_rule rule = {.file = r->name, .line = line_at(r, c->start), .in_source = true};
    haul_status status = find_scope(r, c, &rule.scope);
    if (status != HAUL_OK) return haul_fail_in(status, "%s:%u", r->name, rule.line);
    if (rule.scope.first) rule.within = kernel_around(r, c->start);
    return report_parse_rule(r->rules, c->words, &rule);
}

haul_status report_read_annotations(report_rules *rules, const char *name, const char *path, const char *source) {
    if (!strstr(source, "haul:")) return HAUL_OK;
    arena *memory = &rules->memory;
    reader r = {.rules = rules, .source = source, .length = strlen(source)};
    r.name = arena_copy(memory, name, strlen(name));
    r.path = arena_copy(memory, path, strlen(path));
    r.code = arena_copy(memory, source, r.length);
    if (!r.name || !r.path || !r.code) return haul_no_memory("the source's comments");
    HAUL_TRY(find_lines(&r));
    HAUL_TRY(separate(&r));
    blank_directives(&r);
    for (size_t i = 0; i < r.count; i++) HAUL_TRY(apply(&r, &r.comments[i]));
    return HAUL_OK;
}
