#include "lib/compile.h"

#include "base/memory.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool compile_is_source(const char *path) {
    size_t length = strlen(path);
    return length > 3 && strcmp(path + length - 3, ".cu") == 0;
}

/* ---- finding cu2ptx ---- */

static bool try_folder(const char *folder, const char *below, char path[PATH_MAX]) {
    int length = snprintf(path, PATH_MAX, "%s%s/cu2ptx", folder, below);
    return length > 0 && length < PATH_MAX && access(path, X_OK) == 0;
}

static bool beside_program(char path[PATH_MAX]) {
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return false;
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) *slash = '\0';
    return try_folder(program, "/../share/haul/toolchain", path);
}

/* HAUL_TOOLCHAIN decides when it is set; else an installed tree may have been moved, so the program's place comes
 * first. */
static haul_status find_script(char path[PATH_MAX]) {
    const char *chosen = getenv("HAUL_TOOLCHAIN");
    if (chosen && *chosen) {
        if (try_folder(chosen, "", path)) return HAUL_OK;
        return haul_fail(HAUL_ERROR_COMPILER,
                         "HAUL_TOOLCHAIN: no cu2ptx in %s: unset it or name haul's toolchain folder", chosen);
    }
    if (beside_program(path) || try_folder(HAUL_TOOLCHAIN_SOURCE, "", path) ||
        try_folder(HAUL_TOOLCHAIN_INSTALLED, "", path))
        return HAUL_OK;
    return haul_fail(HAUL_ERROR_COMPILER, "cu2ptx not found: set HAUL_TOOLCHAIN to haul's toolchain folder");
}

/* ---- running it ---- */

static haul_status read_pipe(int descriptor, text *out) {
    char chunk[16384];
    ssize_t got;
    while ((got = read(descriptor, chunk, sizeof chunk)) != 0) {
        if (got > 0)
            text_append(out, chunk, (size_t)got);
        else if (errno != EINTR)
            return haul_fail(HAUL_ERROR_COMPILER, "cu2ptx: its output is lost: %s", strerror(errno));
    }
    return out->failed ? haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory for the compiled kernels") : HAUL_OK;
}

static void read_messages(FILE *f, text *messages) {
    char chunk[4096];
    size_t got;
    rewind(f);
    while ((got = fread(chunk, 1, sizeof chunk, f)) > 0) text_append(messages, chunk, got);
}

static int start_process(char *const *arguments, int output, int errors, pid_t *process) {
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions)) return ENOMEM;
    int error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", 0, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
    if (!error) error = posix_spawn(process, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Its exit status, or -1 when it did not end by itself. */
static int wait_for(pid_t process) {
    int state;
    while (waitpid(process, &state, 0) < 0) {
        if (errno != EINTR) return -1;
    }
    return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

static haul_status run_with(char *const *arguments, int pipe_ends[2], FILE *errors, text *out, int *code) {
    pid_t process;
    int error = start_process(arguments, pipe_ends[1], fileno(errors), &process);
    close(pipe_ends[1]);
    haul_status status =
        error ? haul_fail(HAUL_ERROR_COMPILER, "%s: cannot be started: %s", arguments[0], strerror(error))
              : read_pipe(pipe_ends[0], out);
    close(pipe_ends[0]);
    if (!error) *code = wait_for(process);
    return status;
}

/* The child's standard output goes to `out`; its messages go through a file, so that neither end can block the other.
 */
static haul_status run_script(char *const *arguments, text *out, text *messages, int *code) {
    int pipe_ends[2];
    FILE *errors = tmpfile();
    if (!errors) return haul_fail(HAUL_ERROR_FILE, "no temporary file for the compiler: %s", strerror(errno));
    if (pipe2(pipe_ends, O_CLOEXEC)) {
        fclose(errors);
        return haul_fail(HAUL_ERROR_FILE, "no pipe for the compiler: %s", strerror(errno));
    }
    haul_status status = run_with(arguments, pipe_ends, errors, out, code);
    read_messages(errors, messages);
    fclose(errors);
    return status;
}

/* cu2ptx ends with one line of its own that says what went wrong; the compiler's come before it. */
static haul_status fail_with_last_line(text *messages) {
    while (messages->length && messages->bytes[messages->length - 1] == '\n')
        messages->bytes[--messages->length] = '\0';
    const char *all = text_string(messages), *newline = strrchr(all, '\n'), *last = newline ? newline + 1 : all;
    static const char prefix[] = "cu2ptx: ";
    const char *what = strncmp(last, prefix, strlen(prefix)) == 0 ? last + strlen(prefix) : last;
    haul_status status = haul_fail(HAUL_ERROR_COMPILER, "%s", *what ? what : "the compiler failed without a word");
    if (!newline)
        text_clear(messages);
    else if (what != last)
        messages->bytes[messages->length = (size_t)(newline + 1 - all)] = '\0';
    return status;
}

static haul_status run_checked(char *const *arguments, text *out, text *messages) {
    int code = 0;
    HAUL_TRY(run_script(arguments, out, messages, &code));
    return code == 0 ? HAUL_OK : fail_with_last_line(messages);
}

enum { FIXED_ARGUMENTS = 10 };

haul_status compile_source(const char *path, const compile_options *options, text *ptx, text *messages) {
    static const compile_options defaults;
    if (!options) options = &defaults;
    char script[PATH_MAX];
    HAUL_TRY(find_script(script));
    const char **arguments = memory_zeroed(FIXED_ARGUMENTS + options->flag_count, sizeof *arguments);
    if (!arguments) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "no memory to start the compiler");
    size_t n = 0;
    arguments[n++] = script;
    if (options->compiler) arguments[n++] = "--compiler", arguments[n++] = options->compiler;
    arguments[n++] = "--arch", arguments[n++] = options->architecture ? options->architecture : "sm_90";
    for (size_t i = 0; i < options->flag_count; i++) arguments[n++] = options->flags[i];
    arguments[n++] = path, arguments[n++] = "-o", arguments[n++] = "-";
    haul_status status = run_checked((char *const *)(void *)arguments, ptx, messages);
    memory_free(arguments);
    return status;
}

haul_status compile_find(const char *compiler, text *line) {
    char script[PATH_MAX];
    HAUL_TRY(find_script(script));
    text messages = {0};
    const char *arguments[] = {script, "--find", compiler ? "--compiler" : NULL, compiler, NULL};
    haul_status status = run_checked((char *const *)(void *)arguments, line, &messages);
    text_free(&messages);
    while (line->length && line->bytes[line->length - 1] == '\n') line->bytes[--line->length] = '\0';
    return status;
}
