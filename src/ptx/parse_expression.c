/* Parses and evaluates constant expressions, by precedence climbing.
 *
 * Values are 64-bit integers, signed or unsigned as in C, or doubles; the two kinds do not mix. Depth is limited,
 * because the parser recurses and the text may come from anywhere. */
#include "ptx/parse.h"

#include <string.h>

static ptx_constant conditional(ptx_parser *p, unsigned depth);

static ptx_constant integer_constant(uint64_t bits, bool is_unsigned) {
    return (ptx_constant){.bits = bits, .is_unsigned = is_unsigned};
}

/* The constant as a double. 32-bit hexadecimal floats are widened. */
double ptx_constant_double(ptx_constant c) {
    double wide;
    float narrow;
    if (!c.is_float) return c.is_unsigned ? (double)c.bits : (double)(int64_t)c.bits;
    if (c.width == 32) {
        uint32_t bits = (uint32_t)c.bits;
        memcpy(&narrow, &bits, sizeof narrow);
        return (double)narrow;
    }
    memcpy(&wide, &c.bits, sizeof wide);
    return wide;
}

/* The constant as a float; the bits of `0f...` are kept as written, NaNs included. */
float ptx_constant_float(ptx_constant c) {
    float narrow;
    uint32_t bits = (uint32_t)c.bits;
    if (!c.is_float || c.width != 32) return (float)ptx_constant_double(c);
    memcpy(&narrow, &bits, sizeof narrow);
    return narrow;
}

static ptx_constant double_constant(double value) {
    ptx_constant c = {.is_float = true, .width = 64};
    memcpy(&c.bits, &value, sizeof value);
    return c;
}

/* Whether a constant expression begins at the token. */
bool ptx_at_constant(const ptx_parser *p) {
    const ptx_token *t = &p->lexer.token;
    switch (t->kind) {
    case PTX_TOKEN_INTEGER:
    case PTX_TOKEN_FLOAT:
    case '-':
    case '+':
    case '~':
    case '!':
    case '(': return true;
    case PTX_TOKEN_WORD: return t->length == 7 && memcmp(t->text, "WARP_SZ", 7) == 0;
    }
    return false;
}

static ptx_constant truth_of(bool value) {
    return integer_constant(value, false);
}

/* A decimal integer above the largest signed one is unsigned, as in C. */
static ptx_constant literal(ptx_parser *p) {
    const ptx_token t = p->lexer.token;
    ptx_lexer_advance(&p->lexer);
    if (t.kind == PTX_TOKEN_WORD) return integer_constant(PTX_WARP_SIZE, true);
    return (ptx_constant){.is_float = t.kind == PTX_TOKEN_FLOAT,
                          .is_unsigned = t.is_unsigned || (t.kind == PTX_TOKEN_INTEGER && t.bits > INT64_MAX),
                          .width = t.width,
                          .bits = t.bits};
}

/* 0f3f800000 can stand in parentheses, but has no operators, as in ptxas 13.0. */
static void refuse_single(ptx_parser *p, ptx_constant c, ptx_position at) {
    if (c.is_float && c.width == 32)
        ptx_fail_syntax(&p->diagnostics, at,
                        "a constant of the form 0f... takes no operators: write the result's bits");
}

/* Parses a parenthesis: a cast `(.s64) x`, `(.u64) x`, or an expression. */
static ptx_constant parenthesis(ptx_parser *p, unsigned depth);

/* Signs and negations, from the right. */
static ptx_constant unary(ptx_parser *p, unsigned depth) {
    ptx_position at = p->lexer.token.position;
    if (depth > PTX_MAX_NESTING) ptx_fail_syntax(&p->diagnostics, at, "this expression is nested too deeply");
    if (!ptx_at_constant(p)) ptx_expected(p, "a constant");
    int op = p->lexer.token.kind;
    if (op == PTX_TOKEN_INTEGER || op == PTX_TOKEN_FLOAT || op == PTX_TOKEN_WORD) return literal(p);
    ptx_lexer_advance(&p->lexer);
    if (op == '(') return parenthesis(p, depth + 1);
    ptx_constant c = unary(p, depth + 1);
    refuse_single(p, c, at);
    if (c.is_float && (op == '~' || op == '!')) ptx_fail_syntax(&p->diagnostics, at, "%c needs an integer", op);
    if (op == '!') return truth_of(!c.bits);
    if (c.is_float && op == '-') c.bits ^= UINT64_C(1) << (c.width - 1);
    if (!c.is_float && op == '-') c.bits = 0 - c.bits;
    if (op == '~') c.bits = ~c.bits;
    return c;
}

static ptx_constant parenthesis(ptx_parser *p, unsigned depth) {
    ptx_type type = ptx_type_of_directive(p);
    if (type == PTX_TYPE_NONE) {
        ptx_constant c = conditional(p, depth);
        ptx_expect(p, ')');
        return c;
    }
    if (type != PTX_S64 && type != PTX_U64) ptx_expected(p, "a cast to .s64 or .u64");
    ptx_lexer_advance(&p->lexer);
    ptx_expect(p, ')');
    ptx_position at = p->lexer.token.position;
    ptx_constant c = unary(p, depth);
    if (c.is_float) ptx_fail_syntax(&p->diagnostics, at, "a cast needs an integer");
    c.is_unsigned = type == PTX_U64;
    return c;
}

/* ---- binary operators ---- */

/* Returns the precedence of a binary operator, as in C; 0 if the token is none. */
static int precedence(int op) {
    switch (op) {
    case PTX_TOKEN_OR: return 1;
    case PTX_TOKEN_AND: return 2;
    case '|': return 3;
    case '^': return 4;
    case '&': return 5;
    case PTX_TOKEN_EQUAL:
    case PTX_TOKEN_NOT_EQUAL: return 6;
    case '<':
    case '>':
    case PTX_TOKEN_LESS_EQUAL:
    case PTX_TOKEN_GREATER_EQUAL: return 7;
    case PTX_TOKEN_SHIFT_LEFT:
    case PTX_TOKEN_SHIFT_RIGHT: return 8;
    case '+':
    case '-': return 9;
    case '*':
    case '/':
    case '%': return 10;
    }
    return 0;
}

/* Whether a comparison holds for operands whose order is negative, zero or positive. */
static bool compares(int op, int order) {
    switch (op) {
    case PTX_TOKEN_EQUAL: return order == 0;
    case PTX_TOKEN_NOT_EQUAL: return order != 0;
    case '<': return order < 0;
    case '>': return order > 0;
    case PTX_TOKEN_LESS_EQUAL: return order <= 0;
    default: return order >= 0;
    }
}

static uint64_t divide(ptx_parser *p, int op, ptx_constant a, ptx_constant b, bool is_unsigned, ptx_position at) {
    if (!b.bits) ptx_fail_syntax(&p->diagnostics, at, "division by zero");
    if (is_unsigned) return op == '/' ? a.bits / b.bits : a.bits % b.bits;
    if (b.bits == UINT64_MAX) return op == '/' ? 0 - a.bits : 0; /* the only overflowing quotient is by -1 */
    int64_t x = (int64_t)a.bits, y = (int64_t)b.bits;
    return (uint64_t)(op == '/' ? x / y : x % y);
}

/* Shifting by 64 or more leaves zeros or the sign, which C leaves undefined. */
static uint64_t shift(int op, ptx_constant a, uint64_t count) {
    bool negative = !a.is_unsigned && (int64_t)a.bits < 0;
    if (op == PTX_TOKEN_SHIFT_LEFT) return count < 64 ? a.bits << count : 0;
    if (count >= 64) return negative ? UINT64_MAX : 0;
    uint64_t filled = negative && count ? UINT64_MAX << (64 - count) : 0;
    return a.bits >> count | filled;
}

/* An operation is unsigned if either operand is; a shift takes the type of its left operand. */
static ptx_constant integers(ptx_parser *p, int op, ptx_constant a, ptx_constant b, ptx_position at) {
    bool u = a.is_unsigned || b.is_unsigned;
    int order = u ? (a.bits > b.bits) - (a.bits < b.bits)
                  : ((int64_t)a.bits > (int64_t)b.bits) - ((int64_t)a.bits < (int64_t)b.bits);
    switch (op) {
    case '|': return integer_constant(a.bits | b.bits, u);
    case '^': return integer_constant(a.bits ^ b.bits, u);
    case '&': return integer_constant(a.bits & b.bits, u);
    case '+': return integer_constant(a.bits + b.bits, u);
    case '-': return integer_constant(a.bits - b.bits, u);
    case '*': return integer_constant(a.bits * b.bits, u);
    case '/':
    case '%': return integer_constant(divide(p, op, a, b, u, at), u);
    case PTX_TOKEN_SHIFT_LEFT:
    case PTX_TOKEN_SHIFT_RIGHT: return integer_constant(shift(op, a, b.bits), a.is_unsigned);
    }
    return truth_of(compares(op, order));
}

/* Comparisons with NaN are false, except `!=`. */
static ptx_constant floats(ptx_parser *p, int op, double a, double b, ptx_position at) {
    switch (op) {
    case '+': return double_constant(a + b);
    case '-': return double_constant(a - b);
    case '*': return double_constant(a * b);
    case '/':
        if (b == 0) ptx_fail_syntax(&p->diagnostics, at, "division by zero");
        return double_constant(a / b);
    case PTX_TOKEN_OR:
    case PTX_TOKEN_AND:
    case '|':
    case '^':
    case '&':
    case '%':
    case PTX_TOKEN_SHIFT_LEFT:
    case PTX_TOKEN_SHIFT_RIGHT: ptx_fail_syntax(&p->diagnostics, at, "this operator needs integers");
    }
    if (a != a || b != b) return truth_of(op == PTX_TOKEN_NOT_EQUAL);
    return truth_of(compares(op, (a > b) - (a < b)));
}

/* Applies a binary operator. `||` and `&&` evaluate both sides: constants have no side effects. */
static ptx_constant combine(ptx_parser *p, int op, ptx_constant a, ptx_constant b, ptx_position at) {
    refuse_single(p, a, at);
    refuse_single(p, b, at);
    if (a.is_float != b.is_float)
        ptx_fail_syntax(&p->diagnostics, at, "an integer and a floating constant cannot be combined: write 1.0 for 1");
    if (a.is_float) return floats(p, op, ptx_constant_double(a), ptx_constant_double(b), at);
    if (op == PTX_TOKEN_OR) return truth_of(a.bits || b.bits);
    if (op == PTX_TOKEN_AND) return truth_of(a.bits && b.bits);
    return integers(p, op, a, b, at);
}

/* Parses operators that bind at least as tightly as `least`. */
static ptx_constant binary(ptx_parser *p, int least, unsigned depth) {
    ptx_constant left = unary(p, depth);
    for (;;) {
        int op = p->lexer.token.kind, level = precedence(op);
        if (level < least || level == 0) return left;
        ptx_position at = p->lexer.token.position;
        ptx_lexer_advance(&p->lexer);
        left = combine(p, op, left, binary(p, level + 1, depth + 1), at);
    }
}

/* Both branches are parsed and must be integers. */
static ptx_constant conditional(ptx_parser *p, unsigned depth) {
    ptx_constant c = binary(p, 1, depth);
    if (!ptx_accept(p, '?')) return c;
    const ptx_position at = p->lexer.token.position;
    ptx_constant yes = conditional(p, depth + 1);
    ptx_expect(p, ':');
    ptx_constant no = conditional(p, depth + 1);
    if (c.is_float || yes.is_float || no.is_float) ptx_fail_syntax(&p->diagnostics, at, "this choice needs integers");
    return c.bits ? yes : no;
}

ptx_constant ptx_parse_constant(ptx_parser *p) {
    return conditional(p, 0);
}
