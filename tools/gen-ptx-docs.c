/* Writes docs/ptx.md from isa.def and its sister tables: gen-ptx-docs >docs/ptx.md */
#include "ptx/pattern.h"

#include <stdio.h>
#include <string.h>

static const char *const introduction[] = {
    "# PTX coverage",
    "`haul_gen_ptx_docs` makes this page from `src/ptx/isa.def`, `modifiers.def`, `types.def` and `special.def`. Do "
    "not "
    "edit it; `make docs` refreshes it.",
    "haul reads whole PTX modules as nvcc 13, clang 14 and clang 19 write them, and as the PTX ISA 9.0 describes them. "
    "Of PTX ISA 9.1 to 9.4 it has the forms in the tables; a list at the end says what it refuses, and why. "
    "It refuses anything that is not on this page, by name, file, line and column. Nothing is skipped silently.",
    "## Modules",
    "- **Module directives**: `.version`, `.target` (of several architectures the last one counts; with `debug`, "
    "`texmode_unified`, `texmode_independent`), "
    "`.address_size 64`, `.file`, `.section` and `@@DWARF` (skipped, because `.loc` has the same lines), "
    "`.nv_intermediate_source_section` and `.loc_intermediate` (skipped), `.alias`, "
    "`.pragma` (a "
    "hint, without effect).",
    "- **Linkage**: `.extern`, `.visible`, `.weak`, `.common`. Separately compiled modules (`-rdc=true`) are linked by "
    "`cuLinkAddData` and its kin, `haul_module_link()`, or `--link` on the command line. Strong names win over weak "
    "ones. Of several weak names the first stays, of several `.common` ones the largest. In a module that is not "
    "linked, "
    "an `.extern` variable that nothing defines is 0, as ptxas makes it with a warning.",
    "- **Functions**: `.entry` and `.func` with `.param` and `.reg` parameters and results, also `.reg .v4` ones; "
    "prototypes; `.maxntid`, "
    "`.reqntid`, `.minnctapersm`, `.maxnreg`, `.reqnctapercluster`, `.explicitcluster`, `.maxclusterrank`, "
    "`.blocksareclusters`, `.noreturn`, `.abi_preserve`.",
    "- **Calls**: Direct calls are inlined when a kernel is launched. Recursive calls and calls through registers "
    "(tables of functions, virtual functions) use a stack of 1024 bytes a thread, which `cuCtxSetLimit` changes. A "
    "call "
    "takes the `.local` variables of its function and 16 bytes. Functions without a body that can be called: "
    "`vprintf`, "
    "`__assertfail`, `malloc`, `__cuda_syscall_aligned_malloc`, `free`.",
    "- **Memory of kernels**: The heap has 8 MiB unless `cuCtxSetLimit` or `--heap` changes it. `malloc` returns NULL "
    "when the heap is used up. Blocks live until a kernel frees them. `alloca` has a stack of its own, of the same "
    "size "
    "as that of calls.",
    "- **Variables**: `.global`, `.const`, `.shared`, `.local`, `.param`; arrays, `.v2` and `.v4`, `.align`, "
    "`.attribute(.managed)` and `.unified`; initial values with nested braces, constant expressions, addresses of "
    "variables and functions, `generic(x)`, byte masks `0xff00(x)`. `.global` and `.const` variables inside a function "
    "live as long as the module. Only PTX before 3.0 has `.local` variables of a module. An access without a state "
    "space that names a variable, `ld.u32 r, [x]`, has the variable's space. The spaces `.const` and `.param` have to "
    "be "
    "written.",
    "- **Bodies**: `.reg` with ranges and vectors, nested scopes with their own names, labels, guards, `.loc` with "
    "`inlined_at`, `.branchtargets`, `.calltargets`, `.callprototype`.",
    "- **Limits**: 1 GiB of text, 1 GiB of initial values, 2^40 bytes a variable, 64 nested scopes.",
    "## Instructions",
    "The tables use this notation for modifiers:",
    "- `[ ]`: may be left out.",
    "- `a/b`: one of them.",
    "- `(f32)` after a modifier: it goes with that type only.",
    "- The depth of a product's shape follows the shape without a dot: `m16n8 k16` is `.m16n8k16`.",
    "The tables use this notation for operands:",
    "- `[m]` is an address, `[tm]` a tensor map with coordinates, `[ta]` an address in tensor memory, `xa` such an "
    "address or a descriptor.",
    "- `{d}` is a register or a vector that fills the type, `d|p` a register and an optional predicate.",
    "- `fa` to `fd` are each lane's part of a matrix, `io` a pixel's offsets, `lanes` the words of a mask, all in "
    "braces.",
    "- Other operands in `[ ]` may be left out.",
    "The last columns are the first PTX version and the targets that have the instruction. `sm_80` stands for all "
    "later "
    "targets too, `sm_90a` for itself alone. `sm_100f` stands for targets of its family that say so (`sm_100a`, "
    "`sm_103f`). `src/ptx/needs.def` has the needs of single modifiers, types and operands; `directives.def` and "
    "`special.def` have those of directives and special registers. All follow ptxas 13.0. A module that uses a feature "
    "which its `.version` or `.target` does not have is refused.",
};

/* Choices where the manual leaves something open, or where no GPU was there to compare with. */
static const char *const choices[] = {
    "The manual leaves these points open, or hardware and ptxas decide them:",
    "- **`multimem`** reaches the copies of all devices that a multicast object is bound to, in the order in which "
    "they "
    "were added to it. Sums in 8 bits saturate. Virtual GPUs run one after the other, so a kernel that waits for "
    "another device's kernel ends as deadlocked.",
    "- **Tensor copies `.im2col::w` and `.im2col::w::128`** could not be compared with a GPU. The manual does not say "
    "where a halo lies. Here its pixels are those that follow in the walk, and they lie after all others. With 128 "
    "pixels they lie after all 128: first the pixel that follows each 32, then the second one of each.",
    "- **Interleaved channels** (16 or 32 bytes) of tensor maps follow an H100. The first dimension counts pixels of "
    "one "
    "slice. The last dimension but one counts slices, of which a copy takes one. By pixels (im2col) the first "
    "dimension "
    "and those after it are walked.",
    "- **Refused by name**: interleaved channels for `im2col::w`, `.texref` and `.samplerref`.",
    "- **NaNs** are an H100's. Arithmetic in single and half precision, `neg` and `abs` too, returns the NaN with all "
    "bits set but the sign. A negated or absolute operand of a selection is an exception, because ptxas moves the sign "
    "into the selection. In double precision, sums and products keep sign and payload of the last operand that is a "
    "NaN; constants come after registers. `fma` keeps b's, then c's; `div` keeps the first operand's.",
    "- **Constants** that ptxas evaluates are evaluated as on an H100: approximate functions of constants, products by "
    "one, fields and shifts by constants beyond the width (`assembler/fold.c`).",
    "- **`%pm0` to `%pm7` and `%envreg`** read as 0, but for the grid's barrier. `clusterlaunchcontrol` hands out "
    "clusters "
    "of the SM that asks.",
    "- **`cvt.rs`** adds random bits to the bits that are cut off, from the highest of these on. With `.e2m1x4` the "
    "first "
    "and second value take the upper bytes of the upper and the lower half, the others the lower bytes.",
    "- **Mbarriers** report no failures, since no operation that could runs here: reports are zero, and the "
    "conditional "
    "phase ends with the primary one. A layout 1 mbarrier counts up to 511 arrivals.",
    "- **Relaxed bulk copies** move their bytes as weak ones do, and `haul check` treats them as weak.",
    "- **Video instructions** give the results of the code that ptxas 13.0 makes for sm_90. If the result is a part of "
    "a "
    "register, they follow the manual.",
};

/* ---- paragraphs ---- */

enum { COLUMNS = 120 };

/* Up to a blank; what stands in backticks stays together. */
static size_t word_length(const char *text) {
    bool code = false;
    size_t length = 0;
    for (; text[length] && (code || text[length] != ' '); length++) code ^= text[length] == '`';
    return length;
}

/* Words up to the margin; the lines of a list's item but the first stand below its text. */
static void put_wrapped(const char *paragraph) {
    const size_t indent = strncmp(paragraph, "- ", 2) == 0 ? 2 : 0;
    size_t column = 0;
    while (*paragraph) {
        const size_t word = word_length(paragraph);
        const bool wraps = column && column + 1 + word > COLUMNS;
        if (wraps) printf("\n%*s", (int)indent, "");
        if (!wraps && column) putchar(' ');
        printf("%.*s", (int)word, paragraph);
        column = (wraps ? indent : column + (column > 0)) + word;
        paragraph += word + (paragraph[word] == ' ');
    }
    putchar('\n');
}

static bool is_item(const char *paragraph) {
    return *paragraph == '-';
}

static void put_paragraphs(const char *const *paragraphs, size_t count) {
    for (size_t p = 0; p < count; p++) {
        if (p && !(is_item(paragraphs[p - 1]) && is_item(paragraphs[p]))) putchar('\n');
        put_wrapped(paragraphs[p]);
    }
}

#define PUT_PARAGRAPHS(list) put_paragraphs(list, sizeof(list) / sizeof *(list))

/* ---- one row ---- */

static void put_choices(const ptx_suffix *suffix, const char *separator) {
    const char *between = "";
    unsigned first = 1, count = PTX_TYPE_COUNT;
    if (!suffix->is_type) {
        while (ptx_modifier_slots[first] != suffix->slot) first++;
        for (count = 0; first + count < PTX_MOD_COUNT && ptx_modifier_slots[first + count] == suffix->slot;) count++;
    }
    for (unsigned i = suffix->is_type; i < count; i++) {
        if (!(suffix->choice >> i & 1)) continue;
        printf("%s%s", between, suffix->is_type ? ptx_types[i].name : ptx_modifier_names[first + i]);
        between = separator;
    }
}

static void put_only(const ptx_suffix *suffix) {
    const char *between = " (";
    for (unsigned t = 1; t < PTX_TYPE_COUNT; t++) {
        if (!(suffix->only >> t & 1)) continue;
        printf("%s%s", between, ptx_types[t].name);
        between = " ";
    }
    if (suffix->only) printf(")");
}

static void put_modifiers(const ptx_pattern *pattern) {
    const char *between = "";
    for (unsigned s = 0; s < pattern->suffix_count; s++) {
        const ptx_suffix *suffix = &pattern->suffixes[s];
        if (suffix->is_type) continue;
        printf("%s%s", between, suffix->optional ? "[" : "");
        put_choices(suffix, "/");
        put_only(suffix);
        printf("%s", suffix->optional ? "]" : "");
        between = " ";
    }
}

static void put_types(const ptx_pattern *pattern) {
    const char *between = "";
    for (unsigned s = 0; s < pattern->suffix_count; s++) {
        if (!pattern->suffixes[s].is_type) continue;
        printf("%s", between);
        put_choices(&pattern->suffixes[s], " ");
        between = " · ";
    }
}

/* `name:type?` of the row, without the type. */
static void put_operand(const char *operand, size_t length, const ptx_operand_slot *slot) {
    const char *colon = memchr(operand, ':', length);
    size_t name = colon ? (size_t)(colon - operand) : length;
    while (name && (operand[name - 1] == '?' || operand[name - 1] == '#')) name--;
    const bool brackets = slot->role == PTX_ROLE_MEMORY || slot->role == PTX_ROLE_TENSOR;
    const char *open = brackets ? "[" : "", *close = brackets ? "]" : "";
    printf(slot->optional ? "[%s" : "%s", open);
    for (size_t i = 0; i < name; i++) {
        if (operand[i] == '|' || operand[i] == '&') {
            printf("\\|");
        } else if (operand[i] != '_') {
            putchar(operand[i]);
        }
    }
    printf(slot->optional ? "%s]" : "%s", close);
}

static void put_operands(const ptx_op_info *row, const ptx_pattern *pattern) {
    const char *at = row->operands;
    if (pattern->is_call) printf("[(results),] function [, (arguments)] [, prototype]");
    for (unsigned o = 0; o < pattern->operand_count; o++) {
        at += strspn(at, ", ");
        size_t length = strcspn(at, ",");
        printf("%s", o ? ", " : "");
        put_operand(at, length, &pattern->operands[o]);
        at += length;
    }
}

/* Table cells cannot hold a bare bar. */
static void put_escaped(const char *cell) {
    for (; *cell; cell++) printf(*cell == '|' ? "\\|" : "%c", *cell);
}

/* `90a|100f` as sm_90a, sm_100f */
static void put_targets(const char *targets) {
    for (const char *between = "sm_"; *targets; between = ", sm_") {
        const size_t length = strcspn(targets, "|");
        printf("%s%.*s", between, (int)length, targets);
        targets += length + (targets[length] == '|');
    }
}

static void put_row(unsigned op) {
    const ptx_op_info *row = &ptx_ops[op];
    const ptx_pattern *pattern = ptx_pattern_of(op);
    printf("| `%s` | ", row->mnemonic);
    put_modifiers(pattern);
    printf(" | ");
    put_types(pattern);
    printf(" | ");
    put_operands(row, pattern);
    printf(" | ");
    put_escaped(row->effect);
    printf(" | %u.%u | ", row->version / 10, row->version % 10);
    put_targets(row->targets);
    printf(" |\n");
}

/* ---- the page ---- */

static void put_section(const char *title) {
    printf("\n### %s\n\n| instruction | modifiers | types | operands | effect | PTX | target "
           "|\n|---|---|---|---|---|---|---|\n",
           title);
}

static void put_specials(void) {
    printf("\n## Special registers\n\n");
    for (unsigned i = 0; i < PTX_SPECIAL_COUNT; i++)
        printf("%s`%s` (%s)", i ? ", " : "", ptx_special_names[i], ptx_types[ptx_special_types[i]].name);
    printf(".\n\n`WARP_SZ` is 32.\n");
}

static void put_refused(void) {
    printf("\n## Refused\n\n| what | PTX | why |\n|---|---|---|\n");
#define REFUSED(what, version, why) printf("| `%s` | %u.%u | %s |\n", what, (version) / 10u, (version) % 10u, why);
#include "ptx/refused.def"
#undef REFUSED
}

int main(void) {
    PUT_PARAGRAPHS(introduction);
    putchar('\n');
    PUT_PARAGRAPHS(choices);
#define SECTION(title) put_section(title);
#define INSTRUCTION(id, mnemonic, kind, traits, suffixes, operands, effect, version, targets) put_row(PTX_OP_##id);
#include "ptx/isa.def"
#undef INSTRUCTION
    printf("\n%d rows.\n", PTX_OP_COUNT);
    put_specials();
    put_refused();
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
