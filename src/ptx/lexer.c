/* Splits PTX into tokens, one at a time, without copying the text.
 *
 * PTX of real programs has millions of lines, so the lexer looks at each character once, by a table of classes. Whether
 * a dot begins a directive, a number or a suffix depends on what follows it. Errors do not return: they end the parser
 * by its diagnostics. */
#include "ptx/lexer.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* Classes of characters; a character may have several. */
enum { WORD_START = 1, WORD_PART = 2, DIGIT = 4, HEX_DIGIT = 8, BLANK = 16, PUNCTUATION = 32, PAIRED = 64 };

#define D(c) [c] = WORD_PART | DIGIT | HEX_DIGIT
#define H(c) [c] = WORD_START | WORD_PART | HEX_DIGIT
#define L(c) [c] = WORD_START | WORD_PART
#define B(c) [c] = BLANK
#define P(c) [c] = PUNCTUATION
#define Q(c) [c] = PUNCTUATION | PAIRED /* may be the first of two */
static const uint8_t classes[256] = {
    D('0'),  D('1'),
    D('2'),  D('3'),
    D('4'),  D('5'),
    D('6'),  D('7'),
    D('8'),  D('9'),
    H('a'),  H('b'),
    H('c'),  H('d'),
    H('e'),  H('f'),
    H('A'),  H('B'),
    H('C'),  H('D'),
    H('E'),  H('F'),
    L('g'),  L('h'),
    L('i'),  L('j'),
    L('k'),  L('l'),
    L('m'),  L('n'),
    L('o'),  L('p'),
    L('q'),  L('r'),
    L('s'),  L('t'),
    L('u'),  L('v'),
    L('w'),  L('x'),
    L('y'),  L('z'),
    L('G'),  L('H'),
    L('I'),  L('J'),
    L('K'),  L('L'),
    L('M'),  L('N'),
    L('O'),  L('P'),
    L('Q'),  L('R'),
    L('S'),  L('T'),
    L('U'),  L('V'),
    L('W'),  L('X'),
    L('Y'),  L('Z'),
    L('$'),  L('_'),
    B('\t'), B('\n'),
    B('\v'), B('\f'),
    B('\r'), B(' '),
    P('{'),  P('}'),
    P('('),  P(')'),
    P('['),  P(']'),
    P(','),  P(';'),
    P(':'),  P('+'),
    P('-'),  P('*'),
    P('/'),  P('^'),
    P('~'),  P('?'),
    P('@'),  Q('<'),
    Q('>'),  Q('&'),
    Q('|'),  Q('!'),
    Q('='),  ['%'] = WORD_START | PUNCTUATION,
};
#undef D
#undef H
#undef L
#undef B
#undef P
#undef Q

static bool is(char c, int class) {
    return classes[(unsigned char)c] & class;
}

/* The character `ahead` of `next`, or NUL past the end, which no token contains. */
static char peek(const ptx_lexer *l, size_t ahead) {
    return (size_t)(l->end - l->next) > ahead ? l->next[ahead] : '\0';
}

/* Columns count bytes from 1, as compilers do. */
static ptx_position here(const ptx_lexer *l) {
    return (ptx_position){l->line, (uint32_t)(l->next - l->line_start) + 1};
}

static void new_line(ptx_lexer *l) {
    l->line++;
    l->line_start = l->next + 1;
}

static void skip_block_comment(ptx_lexer *l) {
    ptx_position start = here(l);
    for (l->next += 2; l->next < l->end; l->next++) {
        if (*l->next == '\n') new_line(l);
        if (*l->next == '*' && peek(l, 1) == '/') {
            l->next += 2;
            return;
        }
    }
    ptx_fail_syntax(l->diagnostics, start, "this comment is not closed");
}

static void skip_blanks(ptx_lexer *l) {
    for (;;) {
        while (l->next < l->end && is(*l->next, BLANK)) {
            if (*l->next == '\n') new_line(l);
            l->next++;
        }
        if (peek(l, 0) != '/') return;
        if (peek(l, 1) == '/') {
            const char *stop = memchr(l->next, '\n', (size_t)(l->end - l->next));
            l->next = stop ? stop : l->end;
        } else if (peek(l, 1) == '*') {
            skip_block_comment(l);
        } else {
            return;
        }
    }
}

/* Completes the token: its text reaches from `start` to the next character. */
static void finish(ptx_lexer *l, int kind, const char *start) {
    l->token.kind = kind;
    l->token.text = start;
    l->token.length = (uint32_t)(l->next - start);
}

/* A word is a name, an instruction or a register. Percent signs occur only at its start. */
static void word(ptx_lexer *l) {
    const char *start = l->next++;
    while (l->next < l->end && is(*l->next, WORD_PART)) l->next++;
    finish(l, PTX_TOKEN_WORD, start);
}

/* Skips word parts and the `::` between them. */
static void skip_dotted_part(ptx_lexer *l) {
    for (;;) {
        while (l->next < l->end && is(*l->next, WORD_PART)) l->next++;
        if (peek(l, 0) != ':' || peek(l, 1) != ':' || !is(peek(l, 2), WORD_PART)) return;
        l->next += 2;
    }
}

/* A directive or a suffix: a dot, and a word that may contain `::`, as in .shared::cta. */
static void directive(ptx_lexer *l) {
    const char *start = l->next++;
    skip_dotted_part(l);
    finish(l, PTX_TOKEN_DIRECTIVE, start);
}

/* Names are kept as C strings, so a NUL byte is refused here; otherwise everything after it would be lost. */
static void string(ptx_lexer *l) {
    const char *start = ++l->next;
    while (l->next < l->end && *l->next != '"' && *l->next != '\n' && *l->next != '\0') {
        bool escape = *l->next == '\\' && peek(l, 1) != '\n' && peek(l, 1) != '\0';
        l->next += escape ? 2 : 1;
    }
    if (l->next < l->end && *l->next == '\0')
        ptx_fail_syntax(l->diagnostics, l->token.position, "this string contains a NUL byte");
    if (peek(l, 0) != '"') ptx_fail_syntax(l->diagnostics, l->token.position, "this string is not closed on its line");
    finish(l, PTX_TOKEN_STRING, start);
    l->next++;
}

_Noreturn static void malformed(ptx_lexer *l, const char *start) {
    int length = (int)(l->next - start);
    ptx_fail_syntax(l->diagnostics, l->token.position, "malformed number '%.*s'", length < 40 ? length : 40, start);
}

/* Returns a number that no base has, if the character is no digit. */
static unsigned digit_value(char c) {
    if (is(c, DIGIT)) return (unsigned)(c - '0');
    return is(c, HEX_DIGIT) ? (unsigned)((c | 32) - 'a') + 10 : 99;
}

/* Reads all digits of `base` from `next` on; returns false if the value does not fit into 64 bits. */
static bool digits(ptx_lexer *l, unsigned base, uint64_t *value) {
    const uint64_t near_end = UINT64_MAX / 16 - 1; /* below this, another digit fits */
    uint64_t v = 0;
    bool fits = true;
    for (; l->next < l->end; l->next++) {
        const unsigned digit = digit_value(*l->next);
        if (digit >= base) break;
        if (v > near_end) fits = fits && v <= (UINT64_MAX - digit) / base;
        v = v * base + digit;
    }
    *value = v;
    return fits;
}

/* Reads 0f or 0d: the bits of a float or a double as exactly 8 or 16 hexadecimal digits. */
static void float_bits(ptx_lexer *l, const char *start) {
    l->token.width = (l->next[1] | 32) == 'f' ? 32 : 64;
    l->next += 2;
    const char *first = l->next;
    digits(l, 16, &l->token.bits);
    if (l->next - first != l->token.width / 4 || is(peek(l, 0), WORD_PART)) malformed(l, start);
    finish(l, PTX_TOKEN_FLOAT, start);
}

/* Copies the number, since strtod() needs a terminated string with the locale's decimal point. */
static double decimal_value(ptx_lexer *l, const char *start) {
    char copy[64];
    size_t length = (size_t)(l->next - start);
    if (length >= sizeof copy) malformed(l, start);
    memcpy(copy, start, length);
    copy[length] = '\0';
    char *point = strchr(copy, '.');
    if (point) *point = *localeconv()->decimal_point;
    errno = 0;
    const double value = strtod(copy, NULL);
    if (errno == ERANGE) ptx_fail_syntax(l->diagnostics, l->token.position, "this number does not fit into a double");
    return value;
}

/* Reads a number with a point or an exponent. Compilers write the bits of floats; people write such numbers. */
static void decimal_float(ptx_lexer *l, const char *start) {
    while (is(peek(l, 0), DIGIT)) l->next++;
    if (peek(l, 0) == '.') l->next++;
    while (is(peek(l, 0), DIGIT)) l->next++;
    if ((peek(l, 0) | 32) == 'e') {
        l->next++;
        if (peek(l, 0) == '+' || peek(l, 0) == '-') l->next++;
        if (!is(peek(l, 0), DIGIT)) malformed(l, start);
        while (is(peek(l, 0), DIGIT)) l->next++;
    }
    if (is(peek(l, 0), WORD_PART)) malformed(l, start);
    double value = decimal_value(l, start);
    memcpy(&l->token.bits, &value, sizeof value);
    l->token.width = 64;
    finish(l, PTX_TOKEN_FLOAT, start);
}

/* Reads the digits of an integer, and the U after an unsigned one. */
static void integer(ptx_lexer *l, const char *start, unsigned base) {
    const char *first = l->next;
    bool fits = digits(l, base, &l->token.bits);
    bool empty = l->next == first;
    l->token.is_unsigned = peek(l, 0) == 'U';
    if (l->token.is_unsigned) l->next++;
    if (empty || is(peek(l, 0), WORD_PART)) malformed(l, start);
    if (!fits) ptx_fail_syntax(l->diagnostics, l->token.position, "this number does not fit into 64 bits");
    finish(l, PTX_TOKEN_INTEGER, start);
}

/* Looks past the digits for a point or an exponent. */
static bool is_decimal_float(const ptx_lexer *l) {
    size_t i = 0;
    while (is(peek(l, i), DIGIT)) i++;
    return peek(l, i) == '.' || (peek(l, i) | 32) == 'e';
}

/* The prefix decides: 0f and 0d are bits of floats, 0x hexadecimal, 0b binary, another leading 0 octal. */
static void number(ptx_lexer *l) {
    const char *start = l->next;
    char second = peek(l, 0) == '0' ? (char)(peek(l, 1) | 32) : '\0';
    if (second == 'f' || second == 'd') {
        float_bits(l, start);
    } else if (second == 'x') {
        l->next += 2;
        integer(l, start, 16);
    } else if (second == 'b') {
        l->next += 2;
        integer(l, start, 2);
    } else if (is_decimal_float(l)) {
        decimal_float(l, start);
    } else {
        integer(l, start, *start == '0' ? 8 : 10);
    }
}

/* The kind of a single character is its code; pairs have kinds of their own, all below PTX_TOKEN_FIRST_CHARACTER. */
static int punctuation_kind(const ptx_lexer *l) {
    static const struct {
        char first, second;
        int kind;
    } pairs[] = {
        {'<', '<', PTX_TOKEN_SHIFT_LEFT},    {'>', '>', PTX_TOKEN_SHIFT_RIGHT}, {'<', '=', PTX_TOKEN_LESS_EQUAL},
        {'>', '=', PTX_TOKEN_GREATER_EQUAL}, {'=', '=', PTX_TOKEN_EQUAL},       {'!', '=', PTX_TOKEN_NOT_EQUAL},
        {'&', '&', PTX_TOKEN_AND},           {'|', '|', PTX_TOKEN_OR},
    };
    for (size_t i = 0; is(*l->next, PAIRED) && i < sizeof pairs / sizeof *pairs; i++)
        if (peek(l, 0) == pairs[i].first && peek(l, 1) == pairs[i].second) return pairs[i].kind;
    return *l->next;
}

static void punctuation(ptx_lexer *l) {
    const char *start = l->next;
    unsigned char c = (unsigned char)*start;
    if (!is(*start, PUNCTUATION)) {
        if (c > 32 && c < 127) ptx_fail_syntax(l->diagnostics, l->token.position, "unexpected character '%c'", c);
        ptx_fail_syntax(l->diagnostics, l->token.position, "unexpected byte 0x%02x", c);
    }
    int kind = punctuation_kind(l);
    l->next += kind < PTX_TOKEN_FIRST_CHARACTER ? 2 : 1;
    finish(l, kind, start);
}

void ptx_lexer_advance(ptx_lexer *l) {
    skip_blanks(l);
    l->token.position = here(l);
    if (l->next == l->end) {
        finish(l, PTX_TOKEN_END, l->next);
        return;
    }
    char c = *l->next, second = peek(l, 1);
    if (c == '%' ? is(second, WORD_PART) : is(c, WORD_START)) {
        word(l);
    } else if (is(c, DIGIT) || (c == '.' && is(second, DIGIT))) {
        number(l);
    } else if (c == '.' && is(second, WORD_START) && second != '%') {
        directive(l);
    } else if (c == '"') {
        string(l);
    } else {
        punctuation(l);
    }
}

void ptx_lexer_start(ptx_lexer *l, ptx_diagnostics *diagnostics, const char *text, size_t length) {
    *l = (ptx_lexer){.next = text, .end = text + length, .line_start = text, .line = 1, .diagnostics = diagnostics};
    ptx_lexer_advance(l);
}

bool ptx_lexer_skip_to(ptx_lexer *l, const char *mark) {
    const size_t length = strlen(mark);
    while ((size_t)(l->end - l->next) >= length && memcmp(l->next, mark, length) != 0) {
        if (*l->next == '\n') new_line(l);
        l->next++;
    }
    const bool found = (size_t)(l->end - l->next) >= length;
    l->next = found ? l->next + length : l->end;
    ptx_lexer_advance(l);
    return found;
}

/* Goes on behind the token's line. */
void ptx_lexer_skip_line(ptx_lexer *l) {
    const char *stop = memchr(l->next, '\n', (size_t)(l->end - l->next));
    l->next = stop ? stop : l->end;
    ptx_lexer_advance(l);
}

/* Skips text that needs no tokens, such as the bytes of a large initialiser. Lines are still counted. */
void ptx_lexer_skip_plain(ptx_lexer *l) {
    while (l->next < l->end && (is(*l->next, WORD_PART | BLANK) || *l->next == '.' || *l->next == ',')) {
        if (*l->next == '\n') new_line(l);
        l->next++;
    }
}

/* Extends the token, an instruction's name, by all its suffixes, so that the parser looks the whole name up at once. */
void ptx_lexer_take_suffixes(ptx_lexer *l) {
    while (peek(l, 0) == '.' && is(peek(l, 1), WORD_PART)) {
        l->next++;
        skip_dotted_part(l);
    }
    l->token.length = (uint32_t)(l->next - l->token.text);
}

/* Extends the token, a register's name, by a component such as .x. */
void ptx_lexer_take_component(ptx_lexer *l) {
    if (peek(l, 0) != '.' || !is(peek(l, 1), WORD_START) || peek(l, 1) == '%') return;
    l->next++;
    while (is(peek(l, 0), WORD_PART)) l->next++;
    l->token.length = (uint32_t)(l->next - l->token.text);
}
