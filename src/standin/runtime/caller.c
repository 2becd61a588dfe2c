/* Finds the program's call, and the line of an address.
 *
 * The stack is walked by backtrace(): the frames of haul's own library come first, then the program's. This needs
 * frames for all of haul's functions, so the stand-in is compiled without tail calls (src/CMakeLists.txt). Lines
 * come from addr2line, a process of its own, whose absence only makes places less exact. caller.h has the interface. */
#include "standin/runtime/caller.h"

#include "base/process.h"
#include "base/toolchain.h"
#include "standin/runtime/wrapper.h"
#include "standin/standin.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 }; /* frames of haul's own */

/* The addresses of this library: dladdr() would search its symbols for each of a stack's frames. */
static struct {
    pthread_once_t once;
    uintptr_t from, to;
} ours = {.once = PTHREAD_ONCE_INIT};

/* Called for each loaded object, with its segments. */
static int note_ours(struct dl_phdr_info *object, size_t size, void *context) {
    const uintptr_t inside = (uintptr_t)standin_caller_now;
    uintptr_t from = UINTPTR_MAX, to = 0;
    (void)size;
    (void)context;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const uintptr_t begin = object->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;
        if (segment->p_type != PT_LOAD) continue;
        from = begin < from ? begin : from;
        to = end > to ? end : to;
    }
    if (inside < from || inside >= to) return 0;
    ours.from = from;
    ours.to = to;
    return 1;
}

static void find_ours(void) {
    dl_iterate_phdr(note_ours, NULL);
}

/* Whether an address belongs to this library. */
static bool is_ours(const void *address) {
    pthread_once(&ours.once, find_ours);
    return (uintptr_t)address >= ours.from && (uintptr_t)address < ours.to;
}

/* Returns the name of the function of this library that has the address; NULL: not known. dladdr() searches all
 * symbols, and programs call the same functions again and again. */
static const char *name_of_ours(const void *address) {
    enum { KEPT = 16 };
    static _Thread_local struct {
        const void *address;
        const char *name;
    } kept[KEPT];
    const size_t at = (uintptr_t)address / KEPT % KEPT;
    Dl_info about;
    if (kept[at].address == address) return kept[at].name;
    kept[at].address = address;
    return kept[at].name = dladdr(address, &about) ? about.dli_sname : NULL;
}

/* The frame after the last one of haul's is the program's; the one before it is the function that it called. Both
 * are NULL if the stack cannot be read. Functions of the toolkit's headers that wrap the called one are not the
 * program's own. */
standin_caller standin_caller_now(void) {
    void *frames[DEEPEST];
    const int count = backtrace(frames, DEEPEST);
    int i = 0;
    while (i < count && is_ours(frames[i])) i++;
    if (i == 0 || i == count) return (standin_caller){0};
    const char *name = name_of_ours(frames[i - 1]);
    while (i + 1 < count && standin_is_wrapper(frames[i])) i++;
    const void *launch = standin_launching();
    return (standin_caller){launch ? launch : frames[i], name};
}

/* The loader's entry for the program has an empty name. */
bool standin_is_program(const void *address) {
    Dl_info about;
    struct link_map *map;
    return dladdr1(address, &about, (void **)&map, RTLD_DL_LINKMAP) && !*map->l_name;
}

/* ---- lines ---- */

/* Removes the variables that load the stand-in. -C demangles, -f gives the function, -e names the file, -i adds the
 * functions into which the code was inlined. */
static bool run_addr2line(const char *file, uintptr_t offset, text *lines) {
    char at[32];
    text path = {0}, errors = {0};
    process_end end = {0};
    const process_options options = {.seconds = 10};
    snprintf(at, sizeof at, "0x%llx", (unsigned long long)offset);
    const bool found = process_find("addr2line", &path);
    const char *arguments[] = {text_string(&path), "-Cfie", file, at, NULL};
    const bool ran = found && process_run(arguments, &options, lines, &errors, &end) == HAUL_OK && end.code == 0;
    text_free(&path);
    text_free(&errors);
    return ran;
}

/* A function and a place in it, as addr2line prints them. */
typedef struct code_place {
    text function, path; /* empty: not known */
    uint32_t line;       /* 0: not known, nor is the path */
} code_place;

static void code_place_free(code_place *p) {
    text_free(&p->function);
    text_free(&p->path);
    *p = (code_place){0};
}

/* Parses two lines of addr2line's output: "run()", or "??", and "src/main.cu:57 (discriminator 2)", "??:0" or
 * "main.cpp:?". Returns what follows them; NULL if they are not complete. */
static const char *parse_place(const char *lines, code_place *p) {
    const char *end = strchr(lines, '\n'), *second_end = end ? strchr(end + 1, '\n') : NULL, *colon = NULL;
    if (!second_end) return NULL;
    if (*lines != '?') text_append(&p->function, lines, (size_t)(end - lines));
    for (const char *c = end + 1; c < second_end; c++)
        if (*c == ':') colon = c;
    p->line = colon && end[1] != '?' ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
    if (p->line) text_append(&p->path, end + 1, (size_t)(colon - end - 1));
    return second_end + 1;
}

/* Finds the function and the line of code. Code of the toolkit's headers, such as cudaMalloc() for typed pointers, was
 * inlined into the program's: the innermost line outside of them is the program's own. */
static bool find_place(const char *file, uintptr_t offset, code_place *found) {
    text lines = {0};
    const char *at = run_addr2line(file, offset, &lines) ? text_string(&lines) : NULL;
    for (bool is_first = true; at && *at; is_first = false) {
        code_place p = {0};
        at = parse_place(at, &p);
        const bool is_own = p.line && !is_toolchain_file(text_string(&p.path));
        if (is_first || is_own) {
            code_place_free(found);
            *found = p;
        } else {
            code_place_free(&p);
        }
        if (is_own) break;
    }
    text_free(&lines);
    return found->function.length > 0;
}

/* A path without its folders. */
static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool put_line(const char *file, uintptr_t offset, text *out) {
    code_place p = {0};
    const bool known = find_place(file, offset, &p);
    if (known && p.line) text_printf(out, "%s:%u, in ", last_part(text_string(&p.path)), p.line);
    if (known) text_put(out, text_string(&p.function));
    code_place_free(&p);
    return known;
}

/* NULL if the address is in no loaded file. */
static const char *file_of(const void *address, uintptr_t *offset) {
    Dl_info about;
    struct link_map *map;
    if (!address || !dladdr1(address, &about, (void **)&map, RTLD_DL_LINKMAP)) return NULL;
    *offset = (uintptr_t)address - map->l_addr;
    return *about.dli_fname ? about.dli_fname : "/proc/self/exe";
}

bool standin_find_line(const void *address, text *file, uint32_t *line) {
    uintptr_t offset;
    code_place p = {0};
    const char *program = file_of(address, &offset);
    if (program) find_place(program, offset - 1, &p);
    *line = p.line;
    if (p.line) text_put(file, text_string(&p.path));
    code_place_free(&p);
    return *line;
}

/* A return address is behind the call, maybe in the next line: one byte before it is in the call. */
void standin_put_place(const void *address, text *out) {
    Dl_info about;
    struct link_map *map;
    if (!address || !dladdr1(address, &about, (void **)&map, RTLD_DL_LINKMAP)) {
        text_put(out, "an unknown place");
        return;
    }
    const char *file = *about.dli_fname ? about.dli_fname : "/proc/self/exe";
    const uintptr_t offset = (uintptr_t)address - map->l_addr;
    if (put_line(file, offset - 1, out)) return;
    if (about.dli_sname)
        text_printf(out, "%s + 0x%llx", about.dli_sname,
                    (unsigned long long)((uintptr_t)address - (uintptr_t)about.dli_saddr));
    else
        text_printf(out, "%s + 0x%llx", file, (unsigned long long)offset);
}
