/* Asks ptxas for the machine code of PTX, and a disassembler for its instructions; or reads a program's own machine
 * code.
 *
 * ptxas tells registers and spills as text (-v); the cubin is an ELF file, which tells registers and in which
 * instructions can be counted without any tool; cuobjdump or nvdisasm name them. A tool that is not installed is
 * skipped, without an error. Input is the tools' output, whose form differs between versions, so lines that are not
 * understood are skipped. */
#include "base/machine_code.h"

#include "base/file.h"
#include "base/process.h"
#include "base/status.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void machine_code_begin(machine_code *code) {
    *code = (machine_code){0};
    arena_init(&code->memory, &code->out_of_memory);
}

void machine_code_free(machine_code *code) {
    arena_free(&code->memory);
    *code = (machine_code){0};
}

const machine_kernel *machine_code_find(const machine_code *code, const char *name) {
    for (size_t i = 0; i < code->count; i++)
        if (strcmp(code->kernels[i].name, name) == 0) return &code->kernels[i];
    return NULL;
}

/* ---- lines ---- */

/* Calls `take` for each line, without its newline. */
static void each_line(machine_code *code, const char *all, void (*take)(machine_code *, char *line, void *), void *to) {
    while (*all) {
        const size_t length = strcspn(all, "\n");
        take(code, arena_copy(&code->memory, all, length), to);
        all += length + (all[length] == '\n');
    }
}

/* The number before `word`, as in "80 bytes stack frame, 320 bytes spill stores". */
static uint32_t number_before(const char *line, const char *word) {
    const char *at = strstr(line, word);
    while (at && at > line && (at[-1] == ' ' || (at[-1] >= '0' && at[-1] <= '9'))) at--;
    return at ? (uint32_t)strtoul(at, NULL, 10) : 0;
}

/* ---- the output of ptxas ---- */

typedef struct report {
    machine_kernel *kernel;
} report;

/* Appends a kernel without figures. */
static machine_kernel *add_kernel(machine_code *code, const char *name, size_t length) {
    const machine_kernel made = {.name = arena_copy(&code->memory, name, length)};
    ARENA_PUSH(&code->memory, code->kernels, code->count, code->capacity, made);
    return &code->kernels[code->count - 1];
}

/* "Function properties for F" may concern a function that a kernel calls; its spills count for the kernel. */
static void take_report_line(machine_code *code, char *line, void *to) {
    static const char entry[] = "Compiling entry function '", used[] = "Used ";
    report *r = to;
    char *at = strstr(line, entry);
    if (at) {
        at += sizeof entry - 1;
        r->kernel = add_kernel(code, at, strcspn(at, "'"));
    } else if (r->kernel && strstr(line, "bytes spill stores")) {
        r->kernel->stack_bytes += number_before(line, "bytes stack frame");
        r->kernel->spill_store_bytes += number_before(line, "bytes spill stores");
        r->kernel->spill_load_bytes += number_before(line, "bytes spill loads");
    } else if (r->kernel && (at = strstr(line, used)) && strstr(line, "registers")) {
        r->kernel->registers = (uint32_t)strtoul(at + sizeof used - 1, NULL, 10);
    }
}

haul_status machine_code_read_report(machine_code *code, const char *all) {
    report r = {0};
    if (setjmp(code->out_of_memory)) return haul_no_memory("machine code");
    each_line(code, all, take_report_line, &r);
    return HAUL_OK;
}

/* ---- the output of disassemblers ---- */

/* Opcodes of a kernel are few, so a list is enough. */
static void count_opcode(machine_code *code, machine_kernel *k, const char *name) {
    if (strcmp(name, "NOP") == 0) return; /* padding */
    k->instructions++;
    for (size_t i = 0; i < k->opcode_count; i++) {
        if (strcmp(k->opcodes[i].name, name) != 0) continue;
        k->opcodes[i].count++;
        return;
    }
    const machine_opcode made = {arena_copy(&code->memory, name, strlen(name)), 1};
    ARENA_PUSH(&code->memory, k->opcodes, k->opcode_count, k->opcode_capacity, made);
}

/* Names in the tools' output have no NUL at their end. */
static machine_kernel *kernel_named(const machine_code *code, const char *name, size_t length) {
    for (size_t i = 0; i < code->count; i++)
        if (strlen(code->kernels[i].name) == length && strncmp(code->kernels[i].name, name, length) == 0)
            return &code->kernels[i];
    return NULL;
}

/* Recognizes "Function : NAME" of cuobjdump and ".text.NAME:" of nvdisasm. */
static bool is_heading(const char *line, const char **name, size_t *length) {
    static const char function[] = "Function : ", section[] = ".text.";
    const char *at = strstr(line, function);
    if (at) {
        *name = at + sizeof function - 1;
        *length = strcspn(*name, " \t\r");
        return true;
    }
    if (strncmp(line, section, sizeof section - 1) != 0) return false;
    *name = line + sizeof section - 1;
    *length = strcspn(*name, ":");
    return (*name)[*length] == ':';
}

/* Returns the instruction after the address (a comment), and the address. Returns NULL if the line has none. */
static char *instruction_of(char *line, uint32_t *address) {
    char *at = line + strspn(line, " \t");
    if (strncmp(at, "/*", 2) != 0) return NULL;
    at += 2;
    const size_t digits = strspn(at, "0123456789abcdef");
    if (digits < 4 || strncmp(at + digits, "*/", 2) != 0) return NULL;
    *address = (uint32_t)strtoul(at, NULL, 16);
    at += digits + 2;
    return at + strspn(at, " \t{");
}

/* Returns the length of the opcode, and where it begins: behind a predicate. Returns 0 if there is none. */
static size_t opcode_of(const char *instruction, const char **opcode) {
    const char *at = instruction;
    if (*at == '@') {
        at += strcspn(at, " \t");
        at += strspn(at, " \t");
    }
    *opcode = at;
    return *at == '.' ? 0 : strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
}

/* Reads `//## File "PATH", line N inlined at "PATH", line M`. The caller's place is left to the next line, which has it
 * again. Returns false for any other line. */
static bool read_place(machine_code *code, const char *line, haul_source_place *place) {
    static const char heading[] = "//## File \"";
    const char *at = strstr(line, heading);
    if (!at) return false;
    at += sizeof heading - 1;
    const size_t length = strcspn(at, "\"");
    const char *number = strstr(at + length, "line ");
    *place = (haul_source_place){.file = arena_copy(&code->memory, at, length),
                                 .line = number ? (uint32_t)strtoul(number + 5, NULL, 10) : 0};
    return true;
}

/* The listing's state: places come before the instructions that they belong to, the innermost first. */
typedef struct listing_state {
    machine_kernel *kernel;
    haul_source_place place, *outermost; /* outermost: the end of the place's chain; NULL after an instruction */
} listing_state;

static void take_place(machine_code *code, const haul_source_place *place, listing_state *l) {
    if (l->outermost) {
        haul_source_place *outer = ARENA_NEW(&code->memory, haul_source_place);
        *outer = *place;
        l->outermost->inlined_into = outer;
        l->outermost = outer;
    } else {
        l->place = *place;
        l->outermost = &l->place;
    }
}

/* The length of an instruction's text, up to its semicolon, without blanks at the end. */
static size_t text_length(const char *instruction) {
    size_t length = strcspn(instruction, ";");
    while (length && strchr(" \t\r", instruction[length - 1])) length--;
    return length;
}

static void take_instruction(machine_code *code, char *line, listing_state *l) {
    uint32_t address;
    const char *opcode, *instruction = instruction_of(line, &address);
    const size_t length = instruction ? opcode_of(instruction, &opcode) : 0;
    if (!length) return;
    const char *name = arena_copy(&code->memory, opcode, length);
    count_opcode(code, l->kernel, name);
    const machine_line made = {address, arena_copy(&code->memory, instruction, text_length(instruction)), l->place};
    if (strcmp(name, "NOP") != 0)
        ARENA_PUSH(&code->memory, l->kernel->lines, l->kernel->line_count, l->kernel->line_capacity, made);
    l->outermost = NULL;
}

/* Counts the instruction of the line for the kernel whose heading came last. */
static void take_listing_line(machine_code *code, char *line, void *to) {
    listing_state *l = to;
    const char *name;
    size_t length;
    haul_source_place place;
    if (is_heading(line, &name, &length))
        *l = (listing_state){.kernel = kernel_named(code, name, length)};
    else if (l->kernel && read_place(code, line, &place))
        take_place(code, &place, l);
    else if (l->kernel)
        take_instruction(code, line, l);
}

/* The most frequent opcodes first. */
static int by_count(const void *a, const void *b) {
    const machine_opcode *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    return strcmp(x->name, y->name);
}

/* The listing's count replaces that of the file. */
static void read_listing(machine_code *code, const char *all) {
    listing_state l = {0};
    for (size_t i = 0; i < code->count; i++) code->kernels[i].instructions = 0;
    each_line(code, all, take_listing_line, &l);
    for (size_t i = 0; i < code->count; i++)
        if (code->kernels[i].opcode_count)
            qsort(code->kernels[i].opcodes, code->kernels[i].opcode_count, sizeof(machine_opcode), by_count);
}

haul_status machine_code_read_listing(machine_code *code, const char *all) {
    if (setjmp(code->out_of_memory)) return haul_no_memory("machine code");
    read_listing(code, all);
    return HAUL_OK;
}

/* ---- the cubin: an ELF file with a section .text.KERNEL for each kernel ---- */

enum { INSTRUCTION_BYTES = 16, NO_OPERATION = 0x918, OPCODE_BITS = 0xfff };

/* Reads a section's header. Returns false if that or the section does not lie within the file. */
static bool section_at(const text *cubin, const Elf64_Ehdr *header, unsigned index, Elf64_Shdr *s) {
    const uint64_t table = header->e_shoff, at = table + index * sizeof *s;
    if (index >= header->e_shnum || table > cubin->length || at + sizeof *s > cubin->length) return false;
    memcpy(s, cubin->bytes + at, sizeof *s);
    return s->sh_offset <= cubin->length && s->sh_size <= cubin->length - s->sh_offset;
}

/* Counts instructions, without the padding at the end. */
static uint32_t count_words(const char *bytes, uint64_t size) {
    uint64_t count = size / INSTRUCTION_BYTES, word;
    for (; count; count--) {
        memcpy(&word, bytes + (count - 1) * INSTRUCTION_BYTES, sizeof word);
        if ((word & OPCODE_BITS) != NO_OPERATION) break;
    }
    return (uint32_t)count;
}

static const char *string_at(const text *cubin, const Elf64_Shdr *strings, uint64_t at, size_t *length) {
    if (at >= strings->sh_size) return NULL;
    *length = strnlen(cubin->bytes + strings->sh_offset + at, strings->sh_size - at);
    return cubin->bytes + strings->sh_offset + at;
}

/* A section's name behind the prefix; NULL if it has another one. */
static const char *name_behind(const text *cubin, const Elf64_Shdr *names, const Elf64_Shdr *s, const char *prefix,
                               size_t *length) {
    const char *name = string_at(cubin, names, s->sh_name, length);
    const size_t skipped = strlen(prefix);
    if (!name || *length < skipped || strncmp(name, prefix, skipped) != 0) return NULL;
    *length -= skipped;
    return name + skipped;
}

/* .nv.info: records of a format, an attribute and a value of two bytes, which is the size of what follows in the format
 * SIZED. Found by comparing the files with what `ptxas -v` says. */
enum { INFO_BYTES = 4, INFO_SIZED = 4, INFO_REGISTERS = 0x2f };

static void take_registers(machine_code *code, const text *cubin, const Elf64_Ehdr *header, const Elf64_Shdr *info,
                           const unsigned char *record) {
    uint32_t symbol, registers;
    Elf64_Shdr symbols, strings;
    Elf64_Sym found;
    size_t length;
    memcpy(&symbol, record, sizeof symbol);
    memcpy(&registers, record + sizeof symbol, sizeof registers);
    if (!section_at(cubin, header, info->sh_link, &symbols) || symbol >= symbols.sh_size / sizeof found) return;
    if (!section_at(cubin, header, symbols.sh_link, &strings)) return;
    memcpy(&found, cubin->bytes + symbols.sh_offset + symbol * sizeof found, sizeof found);
    const char *name = string_at(cubin, &strings, found.st_name, &length);
    machine_kernel *k = name ? kernel_named(code, name, length) : NULL;
    if (k) k->registers = registers;
}

static void read_info(machine_code *code, const text *cubin, const Elf64_Ehdr *header, const Elf64_Shdr *info) {
    const unsigned char *at = (const unsigned char *)cubin->bytes + info->sh_offset;
    for (uint64_t left = info->sh_size; left >= INFO_BYTES;) {
        const uint64_t size = at[0] == INFO_SIZED ? at[2] | (uint64_t)at[3] << 8 : 0;
        if (size > left - INFO_BYTES) return;
        if (at[0] == INFO_SIZED && at[1] == INFO_REGISTERS && size >= 2 * sizeof(uint32_t))
            take_registers(code, cubin, header, info, at + INFO_BYTES);
        at += INFO_BYTES + size;
        left -= INFO_BYTES + size;
    }
}

/* First the kernels, by their code, then what is said of them. */
static void read_cubin(machine_code *code, const text *cubin) {
    Elf64_Ehdr header;
    Elf64_Shdr names, s;
    size_t length;
    if (cubin->length < sizeof header || memcmp(cubin->bytes, ELFMAG, SELFMAG) != 0) return;
    memcpy(&header, cubin->bytes, sizeof header);
    if (!section_at(cubin, &header, header.e_shstrndx, &names)) return;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        if (!section_at(cubin, &header, i, &s)) continue;
        const char *name = name_behind(cubin, &names, &s, ".text.", &length);
        if (!name) continue;
        machine_kernel *k = kernel_named(code, name, length);
        if (!k) k = add_kernel(code, name, length);
        k->instructions = count_words(cubin->bytes + s.sh_offset, s.sh_size);
    }
    for (unsigned i = 0; i < header.e_shnum; i++)
        if (section_at(cubin, &header, i, &s) && name_behind(cubin, &names, &s, ".nv.info", &length) && length == 0)
            read_info(code, cubin, &header, &s);
}

haul_status machine_code_read_file(machine_code *code, const text *cubin) {
    if (setjmp(code->out_of_memory)) return haul_no_memory("machine code");
    read_cubin(code, cubin);
    return HAUL_OK;
}

/* ---- running the tools ---- */

enum { MOST_SECONDS = 30 }; /* for which a profile waits for the assembler */

typedef struct folder {
    char path[PATH_MAX - 16], ptx[PATH_MAX], cubin[PATH_MAX];
} folder;

static haul_status make_folder(folder *f) {
    snprintf(f->path, sizeof f->path, "%s/haul-XXXXXX", file_temporary());
    if (!mkdtemp(f->path)) return haul_fail(HAUL_ERROR_FILE, "%s: cannot make a folder there; set TMPDIR", f->path);
    snprintf(f->ptx, sizeof f->ptx, "%s/kernel.ptx", f->path);
    snprintf(f->cubin, sizeof f->cubin, "%s/kernel.cubin", f->path);
    return HAUL_OK;
}

static void remove_folder(const folder *f) {
    unlink(f->ptx);
    unlink(f->cubin);
    rmdir(f->path);
}

/* The letter of the PTX's target, if that is the architecture: sm_90a has features that sm_90 lacks. */
static char letter_of(const char *ptx, uint32_t sm) {
    static const char directive[] = ".target sm_";
    const char *at = strstr(ptx, directive);
    char *end;
    if (!at || strtoul(at + sizeof directive - 1, &end, 10) != sm) return 0;
    return *end == 'a' || *end == 'f' ? *end : 0;
}

/* Fails with the first error in the output. */
static haul_status fail_with(const text *said) {
    const char *error = strstr(text_string(said), "error"), *line = error ? error : text_string(said);
    return haul_fail(HAUL_ERROR_COMPILER, "ptxas: %.*s", (int)strcspn(line, "\n"), line);
}

/* Runs ptxas on the PTX, in its own folder and with a limit of time. */
static haul_status assemble(const char *ptxas, const char *ptx, const folder *f, machine_code *code) {
    text source = {0}, said = {0};
    static const process_options limits = {.seconds = MOST_SECONDS, .alone = true};
    const char letter[2] = {letter_of(ptx, code->sm)};
    char arch[32];
    snprintf(arch, sizeof arch, "-arch=sm_%u%s", code->sm, letter);
    const char *lines = strstr(ptx, ".loc") ? "-lineinfo" : NULL;
    char most[32] = "-v"; /* once more, if there is no limit */
    if (code->most_registers) snprintf(most, sizeof most, "-maxrregcount=%u", code->most_registers);
    const char *arguments[] = {ptxas, arch, "-v", most, f->ptx, "-o", f->cubin, lines, NULL};
    process_end end = {.code = -1};
    text_put(&source, ptx);
    haul_status status = file_write(f->ptx, &source);
    if (status == HAUL_OK) status = process_run(arguments, &limits, &said, &said, &end);
    if (status == HAUL_OK && end.too_slow)
        status = haul_fail(HAUL_ERROR_COMPILER, "ptxas did not end within %d seconds", MOST_SECONDS);
    if (status == HAUL_OK && end.code != 0) status = fail_with(&said);
    if (status == HAUL_OK) status = machine_code_read_report(code, text_string(&said));
    text_free(&source);
    text_free(&said);
    return status;
}

static haul_status read_file(const folder *f, machine_code *code) {
    text cubin = {0};
    haul_status status = file_read(f->cubin, &cubin);
    if (status == HAUL_OK) status = machine_code_read_file(code, &cubin);
    text_free(&cubin);
    return status;
}

/* Ignores what a disassembler cannot do. */
static haul_status disassemble(const folder *f, machine_code *code) {
    static const char *const tools[][3] = {{"nvdisasm", "-c", "-gi"}, {"cuobjdump", "-sass", NULL}};
    haul_status status = HAUL_OK;
    bool done = false;
    for (size_t i = 0; i < sizeof tools / sizeof *tools && !done && status == HAUL_OK; i++) {
        text path = {0}, listing = {0}, said = {0};
        process_end end = {.code = -1};
        if (process_find(tools[i][0], &path)) {
            const char *arguments[] = {text_string(&path), tools[i][1], f->cubin, tools[i][2], NULL};
            done = process_run(arguments, NULL, &listing, &said, &end) == HAUL_OK && end.code == 0;
            if (done) status = machine_code_read_listing(code, text_string(&listing));
        }
        text_free(&path);
        text_free(&listing);
        text_free(&said);
    }
    return status;
}

/* Without ptxas the result is empty, and that is no error. */
haul_status machine_code_make(const char *ptx, uint32_t sm, uint32_t most_registers, machine_code *code) {
    text ptxas = {0};
    folder f;
    machine_code_begin(code);
    code->sm = sm;
    code->most_registers = most_registers;
    if (!process_find("ptxas", &ptxas)) {
        text_free(&ptxas);
        return HAUL_OK;
    }
    haul_status status = make_folder(&f);
    if (status == HAUL_OK) {
        status = assemble(text_string(&ptxas), ptx, &f, code);
        if (status == HAUL_OK) status = read_file(&f, code);
        if (status == HAUL_OK) status = disassemble(&f, code);
        remove_folder(&f);
    }
    text_free(&ptxas);
    return status;
}
