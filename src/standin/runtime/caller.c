/* Finds the program's call, and the line of an address.
 *
 * The stack is walked by backtrace(): the frames of haul's own library come first, then the program's. This needs
 * frames for all of haul's functions, so the stand-in is compiled without tail calls (src/CMakeLists.txt). Lines
 * come from addr2line, a process of its own, whose absence only makes places less exact. caller.h has the interface. */
#include "standin/runtime/caller.h"

#include "base/process.h"
#include "standin/standin.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 }; /* frames of haul's own */

/* Whether an address belongs to this library. */
static bool is_ours(const void *address) {
    Dl_info ours, other;
    return dladdr((const void *)(uintptr_t)standin_caller_now, &ours) && dladdr(address, &other) &&
           ours.dli_fbase == other.dli_fbase;
}

/* The frame after the last one of haul's is the program's; the one before it is the function that it called. Both
 * are NULL if the stack cannot be read. */
standin_caller standin_caller_now(void) {
    void *frames[DEEPEST];
    Dl_info called;
    const int count = backtrace(frames, DEEPEST);
    int i = 0;
    while (i < count && is_ours(frames[i])) i++;
    if (i == 0 || i == count) return (standin_caller){0};
    const bool named = dladdr(frames[i - 1], &called) && called.dli_sname;
    const void *launch = standin_launching();
    return (standin_caller){launch ? launch : frames[i], named ? called.dli_sname : NULL};
}

/* The loader's entry for the program has an empty name. */
bool standin_is_program(const void *address) {
    Dl_info about;
    struct link_map *map;
    return dladdr1(address, &about, (void **)&map, RTLD_DL_LINKMAP) && !*map->l_name;
}

/* ---- lines ---- */

/* Removes the variables that load the stand-in. -C demangles, -f gives the function, -e names the file. */
static bool run_addr2line(const char *file, uintptr_t offset, text *lines) {
    char at[32];
    text path = {0}, errors = {0};
    process_end end = {0};
    const process_options options = {.seconds = 10};
    snprintf(at, sizeof at, "0x%llx", (unsigned long long)offset);
    const bool found = process_find("addr2line", &path);
    const char *arguments[] = {text_string(&path), "-Cfe", file, at, NULL};
    const bool ran = found && process_run(arguments, &options, lines, &errors, &end) == HAUL_OK && end.code == 0;
    text_free(&path);
    text_free(&errors);
    return ran;
}

/* A path without its folders. */
static const char *last_part(const char *path, size_t length) {
    const char *part = path;
    for (const char *c = path; c < path + length; c++)
        if (*c == '/') part = c + 1;
    return part;
}

/* Parses addr2line's output: "run()", or "??", and on the next line a path with its line, "src/main.cu:57
 * (discriminator 2)", or "??:0". */
static bool put_line(const char *file, uintptr_t offset, text *out) {
    text lines = {0};
    const bool ran = run_addr2line(file, offset, &lines);
    const char *function = text_string(&lines), *end = strchr(function, '\n');
    const bool known = ran && end && *function != '?', has_line = known && end[1] != '?';
    if (has_line) {
        const size_t length = strcspn(end + 1, " \n");
        const char *place = last_part(end + 1, length);
        text_printf(out, "%.*s, in ", (int)(end + 1 + length - place), place);
    }
    if (known) text_append(out, function, (size_t)(end - function));
    text_free(&lines);
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
    text lines = {0};
    const char *program = file_of(address, &offset);
    const bool ran = program && run_addr2line(program, offset - 1, &lines);
    const char *path = strchr(text_string(&lines), '\n'), *colon = NULL;
    for (const char *c = path; ran && c && *c; c++)
        if (*c == ':') colon = c;
    *line = colon && path[1] != '?' ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
    if (*line) text_append(file, path + 1, (size_t)(colon - path - 1));
    text_free(&lines);
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
