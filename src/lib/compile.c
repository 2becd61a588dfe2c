/* Implements lib/compile.h by running the script toolchain/cu2ptx, which knows compilers and their flags. This file
 * finds the script, makes its command line, and turns its last line into the error's message. The PTX comes on standard
 * output. NVRTC, a library, is called by lib/nvrtc.c. */
#include "lib/compile.h"

#include "base/memory.h"
#include "base/process.h"
#include "base/status.h"
#include "lib/nvrtc.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool compile_is_source(const char *path) {
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".cu") == 0;
}

/* ---- finding cu2ptx ---- */

/* Whether the folder has cu2ptx; sets its path. */
static bool try_folder(const char *folder, const char *below, char path[PATH_MAX]) {
    int length = snprintf(path, PATH_MAX, "%s%s/cu2ptx", folder, below);
    return length > 0 && length < PATH_MAX && access(path, X_OK) == 0;
}

/* An installation has the toolchain in share/haul, beside the program's bin. */
static bool beside_program(char path[PATH_MAX]) {
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return false;
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) *slash = '\0';
    return try_folder(program, "/../share/haul/toolchain", path);
}

/* The shared library is in lib, or in a folder or two of that. A program that is linked with the static one is no
 * library of haul's: any user may own the folders above it. */
static bool beside_library(char path[PATH_MAX]) {
    static const char mine;
    static const char *const below[] = {"/../share/haul/toolchain", "/../../share/haul/toolchain",
                                        "/../../../share/haul/toolchain", "/../../../../share/haul/toolchain"};
    Dl_info info;
    char library[PATH_MAX];
    if (!dladdr(&mine, &info) || !info.dli_fname || !realpath(info.dli_fname, library)) return false;
    char *slash = strrchr(library, '/');
    if (!slash || strncmp(slash, "/libhaul", strlen("/libhaul")) != 0) return false;
    *slash = '\0';
    for (size_t i = 0; i < sizeof below / sizeof *below; i++)
        if (try_folder(library, below[i], path)) return true;
    return false;
}

/* A program that is linked with the static library may have been built where haul was, and run where it is elsewhere.
 */
static bool beside_command(char path[PATH_MAX]) {
    text found = {0};
    char command[PATH_MAX];
    bool there = process_find("haul", &found) && realpath(text_string(&found), command);
    text_free(&found);
    char *slash = there ? strrchr(command, '/') : NULL;
    if (!slash) return false;
    *slash = '\0';
    return try_folder(command, "/../share/haul/toolchain", path);
}

/* Sets the path of cu2ptx. HAUL_TOOLCHAIN takes precedence. An installed tree may have been moved, so the program's
 * and the library's own folders come next; then the source tree of the build, and last where the build was to be
 * installed. */
static haul_status find_script(char path[PATH_MAX]) {
    const char *chosen = getenv("HAUL_TOOLCHAIN");
    if (chosen && *chosen) {
        if (try_folder(chosen, "", path)) return HAUL_OK;
        return haul_fail(HAUL_ERROR_COMPILER,
                         "HAUL_TOOLCHAIN: no cu2ptx in %s: unset it or name haul's toolchain folder", chosen);
    }
    if (beside_program(path) || beside_library(path) || try_folder(HAUL_TOOLCHAIN_SOURCE, "", path) ||
        try_folder(HAUL_TOOLCHAIN_INSTALLED, "", path) || beside_command(path))
        return HAUL_OK;
    return haul_fail(HAUL_ERROR_COMPILER, "cu2ptx not found: set HAUL_TOOLCHAIN to haul's toolchain folder");
}

/* ---- running it ---- */

/* Fails with the last line of the messages. cu2ptx ends with its own line that says what went wrong; that line is taken
 * out, and the compiler's lines before it stay in `messages`. */
static haul_status fail_with_last_line(text *messages) {
    while (messages->length && messages->bytes[messages->length - 1] == '\n')
        messages->bytes[--messages->length] = '\0';
    const char *all = text_string(messages), *newline = strrchr(all, '\n'), *last = newline ? newline + 1 : all;
    static const char prefix[] = "cu2ptx: ";
    const char *what = strncmp(last, prefix, strlen(prefix)) == 0 ? last + strlen(prefix) : last;
    haul_status status = haul_fail(HAUL_ERROR_COMPILER, "%s", *what ? what : "the compiler failed without a message");
    if (!newline)
        text_clear(messages);
    else if (what != last)
        messages->bytes[messages->length = (size_t)(newline + 1 - all)] = '\0';
    return status;
}

/* Runs the script; an exit status other than 0 is an error. */
static haul_status run_checked(const char *const *arguments, text *out, text *messages) {
    process_end end;
    HAUL_TRY(process_run(arguments, NULL, out, messages, &end));
    return end.code == 0 ? HAUL_OK : fail_with_last_line(messages);
}

enum { FIXED_ARGUMENTS = 11 }; /* the script's own, at most, and NULL */

/* Compiles with NVRTC, and passes it the folder of haul's own headers. It does without them if there is no toolchain.
 */
static haul_status compile_with_nvrtc(const char *path, const compile_options *options, text *ptx, text *messages) {
    static const char *const below[] = {"/../include", "/../../../include", "/../kernels"};
    enum { FOLDERS = sizeof below / sizeof *below };
    char script[PATH_MAX], folders[FOLDERS][PATH_MAX + 32];
    const char *list[FOLDERS];
    nvrtc_request request = {options->compiler,
                             path,
                             options->architecture ? options->architecture : "sm_90",
                             options->flags,
                             options->flag_count,
                             {list, 0},
                             options->separate};
    if (find_script(script) == HAUL_OK) {
        *strrchr(script, '/') = '\0';
        for (size_t i = 0; i < FOLDERS; i++) {
            snprintf(folders[i], sizeof folders[i], "%s%s", script, below[i]);
            list[request.include.count++] = folders[i];
        }
    }
    return nvrtc_compile(&request, ptx, messages);
}

haul_status compile_source(const char *path, const compile_options *options, text *ptx, text *messages) {
    static const compile_options defaults;
    if (!options) options = &defaults;
    if (nvrtc_is_named(options->compiler)) return compile_with_nvrtc(path, options, ptx, messages);
    char script[PATH_MAX];
    HAUL_TRY(find_script(script));
    const char **arguments = memory_zeroed(FIXED_ARGUMENTS + options->flag_count, sizeof *arguments);
    if (!arguments) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory to start the compiler");
    size_t n = 0;
    arguments[n++] = script;
    if (options->compiler) arguments[n++] = "--compiler", arguments[n++] = options->compiler;
    arguments[n++] = "--arch", arguments[n++] = options->architecture ? options->architecture : "sm_90";
    if (options->separate) arguments[n++] = "--separate";
    for (size_t i = 0; i < options->flag_count; i++) arguments[n++] = options->flags[i];
    arguments[n++] = path, arguments[n++] = "-o", arguments[n++] = "-";
    haul_status status = run_checked(arguments, ptx, messages);
    memory_free(arguments);
    return status;
}

haul_status compile_find(const char *compiler, text *line) {
    if (nvrtc_is_named(compiler)) return nvrtc_find(compiler, line);
    char script[PATH_MAX];
    HAUL_TRY(find_script(script));
    text messages = {0};
    const char *arguments[] = {script, "--find", compiler ? "--compiler" : NULL, compiler, NULL};
    haul_status status = run_checked(arguments, line, &messages);
    text_free(&messages);
    while (line->length && line->bytes[line->length - 1] == '\n') line->bytes[--line->length] = '\0';
    return status;
}

/* The source is one folder above the toolchain, in the source tree and in installations. */
haul_status compile_find_own(const char *name, text *path) {
    char script[PATH_MAX];
    HAUL_TRY(find_script(script));
    *strrchr(script, '/') = '\0';
    text_printf(path, "%s/../%s", script, name);
    if (path->failed) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for its path", name);
    if (access(text_string(path), R_OK) == 0) return HAUL_OK;
    return haul_fail(HAUL_ERROR_FILE, "%s: haul's own source is not here: install it whole, or set HAUL_TOOLCHAIN",
                     name);
}
