#include "report/code.h"

#include <ctype.h>
#include <string.h>

/* ---- comments and blanks ---- */

typedef enum state { CODE, STRING, CHARACTER, LINE_COMMENT, BLOCK_COMMENT } state;

typedef struct reader {
    const char *at;
    char *out, *line; /* the end of the current line's code, and its beginning */
    state in;
} reader;

static void put(reader *r, char c) {
    const bool blank = c == ' ' || c == '\t' || c == '\r';
    if (!blank)
        *r->out++ = c;
    else if (r->out > r->line && r->out[-1] != ' ')
        *r->out++ = ' ';
}

/* Whether the quote separates digits, as in 1'000. */
static bool is_separator(const reader *r) {
    return r->out > r->line && isalnum((unsigned char)r->out[-1]) && isalnum((unsigned char)r->at[1]);
}

static void read_code(reader *r) {
    const char c = r->at[0], next = r->at[1];
    if (c == '/' && (next == '/' || next == '*')) {
        r->in = next == '/' ? LINE_COMMENT : BLOCK_COMMENT;
        put(r, ' ');
        r->at++;
        return;
    }
    if (c == '"') r->in = STRING;
    if (c == '\'' && !is_separator(r)) r->in = CHARACTER;
    put(r, c);
}

/* A string ends with its line, too, so that one that is not understood spoils no more than that. */
static void read_quoted(reader *r) {
    const char c = *r->at;
    put(r, c);
    if (c == '\\' && r->at[1] && r->at[1] != '\n')
        put(r, *++r->at);
    else if (c == (r->in == STRING ? '"' : '\''))
        r->in = CODE;
}

static void read_character(reader *r) {
    switch (r->in) {
    case CODE: read_code(r); break;
    case STRING:
    case CHARACTER: read_quoted(r); break;
    case LINE_COMMENT: break;
    case BLOCK_COMMENT:
        if (r->at[0] == '*' && r->at[1] == '/') r->in = CODE, r->at++;
        break;
    }
    r->at++;
}

static const char *end_line(reader *r) {
    const char *line = r->line;
    if (r->out > r->line && r->out[-1] == ' ') r->out--;
    *r->out++ = '\0';
    r->line = r->out;
    if (r->in != BLOCK_COMMENT) r->in = CODE;
    return line;
}

report_code report_code_of(arena *memory, const char *text) {
    size_t lines = 1;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    report_code code = {.lines = ARENA_ARRAY(memory, lines, const char *)};
    /* no line has more code than text, and each has its own NUL in place of the line's end */
    char *bytes = arena_alloc(memory, strlen(text) + 1);
    reader r = {.at = text, .out = bytes, .line = bytes};
    if (!code.lines || !bytes) return (report_code){0};
    while (*r.at) {
        if (*r.at == '\n')
            code.lines[code.count++] = end_line(&r), r.at++;
        else
            read_character(&r);
    }
    code.lines[code.count++] = end_line(&r);
    return code;
}

const char *report_code_of_line(arena *memory, const char *line) {
    const report_code code = report_code_of(memory, line);
    return code.count ? code.lines[0] : NULL;
}

const char *report_code_of_ptx(arena *memory, const char *instruction) {
    char *copy = arena_copy(memory, instruction, strlen(instruction)), *out = copy;
    bool in_register = false;
    if (!copy) return NULL;
    for (const char *c = instruction; *c; c++) {
        in_register = *c == '%' || (in_register && isalnum((unsigned char)*c));
        if (!in_register || !isdigit((unsigned char)*c)) *out++ = *c;
    }
    *out = '\0';
    return copy;
}

/* ---- comparison ---- */

static const char *skip_blanks(const char *s) {
    while (*s == ' ' || *s == '\t') s++;
    return s;
}

bool report_code_equal(const char *a, const char *b) {
    for (;; a++, b++) {
        a = skip_blanks(a), b = skip_blanks(b);
        if (*a != *b) return false;
        if (!*a) return true;
    }
}

enum { PAIRS = 4096 }; /* cells for pairs of characters */

static size_t cell_of(const char *s) {
    return ((size_t)(unsigned char)s[0] * 61 + (unsigned char)s[1]) % PAIRS;
}

/* Dice's coefficient. Pairs that share a cell count as equal, which is close enough. */
double report_code_likeness(const char *a, const char *b) {
    unsigned char counts[PAIRS] = {0};
    size_t in_a = 0, in_b = 0, common = 0;
    for (; a[0] && a[1]; a++, in_a++)
        if (counts[cell_of(a)] < 255) counts[cell_of(a)]++;
    for (; b[0] && b[1]; b++, in_b++)
        if (counts[cell_of(b)]) counts[cell_of(b)]--, common++;
    return in_a + in_b ? 2.0 * (double)common / (double)(in_a + in_b) : 1;
}
