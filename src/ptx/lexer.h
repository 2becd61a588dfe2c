/* The lexer: splits PTX text into tokens, one at a time. */
#ifndef HAUL_PTX_LEXER_H
#define HAUL_PTX_LEXER_H

#include "ptx/diagnostics.h"

typedef enum ptx_token_kind {
    PTX_TOKEN_END,
    PTX_TOKEN_WORD,      /* name, %name, opcode up to its first dot */
    PTX_TOKEN_DIRECTIVE, /* .word, with `::` inside it */
    PTX_TOKEN_INTEGER,
    PTX_TOKEN_FLOAT,
    PTX_TOKEN_STRING, /* `text` is between the quotes, escapes as written */
    PTX_TOKEN_SHIFT_LEFT,
    PTX_TOKEN_SHIFT_RIGHT,
    PTX_TOKEN_LESS_EQUAL,
    PTX_TOKEN_GREATER_EQUAL,
    PTX_TOKEN_EQUAL,
    PTX_TOKEN_NOT_EQUAL,
    PTX_TOKEN_AND,
    PTX_TOKEN_OR,
    PTX_TOKEN_FIRST_CHARACTER = 32, /* other punctuation is its own character */
} ptx_token_kind;

typedef struct ptx_token {
    int kind; /* ptx_token_kind or a character */
    const char *text;
    uint32_t length;
    uint64_t bits;    /* value of a number: integer, or the float's bits */
    uint8_t width;    /* of a float: 32 (0f) or 64 */
    bool is_unsigned; /* integer with the suffix U */
    ptx_position position;
} ptx_token;

typedef struct ptx_lexer {
    ptx_token token; /* the current one */
    const char *next, *end, *line_start;
    uint32_t line;
    ptx_diagnostics *diagnostics;
} ptx_lexer;

/* Starts at the first token. The text need not be NUL-terminated and must outlive the lexer. */
void ptx_lexer_start(ptx_lexer *lexer, ptx_diagnostics *diagnostics, const char *text, size_t length);
/* Makes the next token current. */
void ptx_lexer_advance(ptx_lexer *lexer);
/* Goes on behind the next `mark` in the text. Returns false, at the end of the text, if there is none. */
bool ptx_lexer_skip_to(ptx_lexer *lexer, const char *mark);
/* Goes on behind the line of the current token. */
void ptx_lexer_skip_line(ptx_lexer *lexer);
/* Skips the words, numbers, dots and commas after the current token, without splitting them into tokens: in debug
 * sections nobody reads them. */
void ptx_lexer_skip_plain(ptx_lexer *lexer);
/* Extends the current word by all dotted parts that follow without a blank: `ld` becomes `ld.param.u64`. */
void ptx_lexer_take_suffixes(ptx_lexer *lexer);
/* Extends the current word by one dotted part, if there is one, as in `%tid.x` and `v.y`. */
void ptx_lexer_take_component(ptx_lexer *lexer);

#endif
