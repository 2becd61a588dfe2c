/* Demangles C++ names, in a process of its own.
 *
 * The demangler belongs to the C++ library, if there is one on this machine. Names come from files of unknown origin,
 * and demanglers have crashed or run forever on such, so a child with a limit of CPU time does it and sends the names
 * through a pipe. Names that it could not do stay as they are. */
#include "base/demangle.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST = 4000, SECONDS = 1 };

/* The demangler of the Itanium C++ ABI: returns memory from malloc(), or NULL. */
typedef char *demangler(const char *symbol, char *buffer, size_t *length, int *status);

/* Returns NULL if no C++ library is installed. */
static demangler *find(void) {
    static const char *const libraries[] = {"libstdc++.so.6", "libc++abi.so.1"};
    demangler *function = NULL;
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !function; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
        void *found = library ? dlsym(library, "__cxa_demangle") : NULL;
        memcpy(&function, &found, sizeof function); /* the library stays loaded */
    }
    return function;
}

/* ---- the process that demangles ---- */

static void put(int to, const char *bytes, size_t length) {
    while (length) {
        const ssize_t written = write(to, bytes, length);
        if (written < 0 && errno != EINTR) _exit(1);
        if (written <= 0) continue;
        bytes += written;
        length -= (size_t)written;
    }
}

/* In the child: one line for each symbol, an empty one if it is no C++ name. */
static void demangle_each(demangler *function, const char *const *symbols, size_t count, int to) {
    (void)setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS, SECONDS});
    (void)setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    for (size_t i = 0; i < count; i++) {
        char *name = strncmp(symbols[i], "_Z", 2) == 0 ? function(symbols[i], NULL, NULL, NULL) : NULL;
        const size_t length = name ? strlen(name) : 0;
        put(to, name, length > LONGEST ? 0 : length);
        put(to, "\n", 1);
        free(name);
    }
}

/* ---- the process that reads ---- */

/* Reads whole lines and drops a partial last one. Returns their number. */
static size_t read_lines(int from, text *lines) {
    char chunk[4096];
    ssize_t got;
    size_t count = 0;
    const size_t before = lines->length;
    while ((got = read(from, chunk, sizeof chunk)) > 0 || (got < 0 && errno == EINTR))
        if (got > 0) text_append(lines, chunk, (size_t)got);
    if (lines->failed) return 0;
    while (lines->length > before && lines->bytes[lines->length - 1] != '\n') lines->bytes[--lines->length] = '\0';
    for (size_t i = before; i < lines->length; i++) count += lines->bytes[i] == '\n';
    return count;
}

/* Returns how many lines came back. */
static size_t demangle_apart(demangler *function, const char *const *symbols, size_t count, text *lines) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return 0;
    const pid_t child = fork();
    if (child == 0) {
        demangle_each(function, symbols, count, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    const size_t read = child > 0 ? read_lines(ends[0], lines) : 0;
    close(ends[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
    return read;
}

void demangle_all(const char *const *symbols, size_t count, text *lines) {
    demangler *function = find();
    for (size_t known = function ? demangle_apart(function, symbols, count, lines) : 0; known < count; known++)
        text_append(lines, "\n", 1);
}
