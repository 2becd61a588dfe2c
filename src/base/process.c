/* Runs another program, reads all its output, and ends it if it takes too long.
 *
 * Both streams are read as they come, because a program that fills one pipe would wait forever. A program that runs
 * `alone` has a process group of its own: it is killed with its children, and signals that would end haul are held back
 * until it has ended. */
#include "base/process.h"

#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { OUT, ERRORS, STREAMS };
enum { PATIENCE = 100 }; /* milliseconds without output before checking on the program */

/* A running program: the reading ends of its output, and a descriptor for signals to haul itself. */
typedef struct running {
    const char *name;
    const process_options *options;
    pid_t id;
    int ends[STREAMS][2];
    int signals; /* -1: not watched */
    sigset_t before;
    struct timespec start;
} running;

/* ---- starting ---- */

/* The group, and the signal mask that haul had before it held signals. */
static void set_attributes(posix_spawnattr_t *attributes, const running *r) {
    if (!r->options->alone) return;
    posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(attributes, 0);
    posix_spawnattr_setsigmask(attributes, &r->before);
}

/* Returns an errno. */
static int start(running *r, const char *const *arguments) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions)) return ENOMEM;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    set_attributes(&attributes, r);
    int error = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, r->ends[OUT][1], STDOUT_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, r->ends[ERRORS][1], STDERR_FILENO);
    if (!error)
        error = posix_spawn(&r->id, arguments[0], &actions, &attributes, (char *const *)(void *)arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* ---- while the program runs ---- */

/* Whether the limit of time has passed. */
static bool is_late(const running *r) {
    struct timespec now;
    if (!r->options->seconds) return false;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long passed = (now.tv_sec - r->start.tv_sec) * 1000LL + (now.tv_nsec - r->start.tv_nsec) / 1000000;
    return passed >= r->options->seconds * 1000LL;
}

/* After the program has ended, kills its remaining children, which would keep the streams open. */
static void end_orphans(const running *r) {
    siginfo_t gone = {0};
    if (waitid(P_PID, (id_t)r->id, &gone, WEXITED | WNOHANG | WNOWAIT) == 0 && gone.si_pid == r->id)
        kill(-r->id, SIGKILL);
}

/* Reads from the end, and closes it at end of file. */
static bool take(int *end, text *to) {
    char chunk[16384];
    ssize_t got = read(*end, chunk, sizeof chunk);
    if (got > 0) text_append(to, chunk, (size_t)got);
    if (got < 0) return errno == EINTR || errno == EAGAIN;
    if (got == 0) close(*end), *end = -1;
    return true;
}

/* Waits for output once; returns false, with the reason in `status`, if reading is over. */
static bool read_some(running *r, text *const texts[STREAMS], haul_status *status) {
    struct pollfd waits[] = {{r->ends[OUT][0], POLLIN, 0}, {r->ends[ERRORS][0], POLLIN, 0}, {r->signals, POLLIN, 0}};
    int ready = poll(waits, 3, PATIENCE);
    bool lost = ready < 0 && errno != EINTR;
    if (ready == 0 && r->options->alone) end_orphans(r);
    if (ready > 0 && waits[2].revents) {
        *status = haul_fail(HAUL_ERROR_FILE, "%s was interrupted", r->name);
        return false;
    }
    for (int i = 0; ready > 0 && i < STREAMS; i++) lost |= waits[i].revents && !take(&r->ends[i][0], texts[i]);
    if (lost) *status = haul_fail(HAUL_ERROR_FILE, "%s: its output is lost: %s", r->name, strerror(errno));
    return !lost;
}

/* Reads until both streams have ended. */
static haul_status read_output(running *r, text *const texts[STREAMS], bool *too_slow) {
    haul_status status = HAUL_OK;
    while (r->ends[OUT][0] >= 0 || r->ends[ERRORS][0] >= 0) {
        if (!read_some(r, texts, &status)) return status;
        *too_slow = is_late(r);
        if (*too_slow) return HAUL_OK;
    }
    bool failed = texts[OUT]->failed || texts[ERRORS]->failed;
    return failed ? haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for its output", r->name) : HAUL_OK;
}

static void wait_for(pid_t id, process_end *end) {
    int state = 0;
    pid_t got;
    while ((got = waitpid(id, &state, 0)) < 0 && errno == EINTR) {
    }
    end->code = got == id && WIFEXITED(state) ? WEXITSTATUS(state) : -1;
    end->signal = got == id && WIFSIGNALED(state) ? WTERMSIG(state) : 0;
}

/* Reads until the end, kills the program if that failed, and fetches its exit status in any case. */
static haul_status watch(running *r, text *const texts[STREAMS], process_end *end) {
    haul_status status = read_output(r, texts, &end->too_slow);
    if (status != HAUL_OK || end->too_slow) kill(r->options->alone ? -r->id : r->id, SIGKILL);
    wait_for(r->id, end);
    return status;
}

/* ---- signals to haul ---- */

/* While the program runs, receives signals that would end haul through a descriptor, since the program must end
 * first. */
static void hold_signals(running *r) {
    sigset_t set;
    r->signals = -1;
    if (!r->options->alone) return;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, &r->before);
    r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Removes received signals, so that haul ends by its own error and cleans up. */
static void release_signals(running *r) {
    struct signalfd_siginfo came;
    if (!r->options->alone) return;
    while (r->signals >= 0 && read(r->signals, &came, sizeof came) > 0) {
    }
    if (r->signals >= 0) close(r->signals);
    pthread_sigmask(SIG_SETMASK, &r->before, NULL);
}

/* ---- the whole run ---- */

/* `side` 0: the ends that haul reads from. */
static void close_ends(running *r, int side) {
    for (int i = 0; i < STREAMS; i++) {
        if (r->ends[i][side] >= 0) close(r->ends[i][side]);
        r->ends[i][side] = -1;
    }
}

static haul_status run(running *r, const char *const *arguments, text *const texts[STREAMS], process_end *end) {
    for (int i = 0; i < STREAMS; i++) {
        if (pipe2(r->ends[i], O_CLOEXEC))
            return haul_fail(HAUL_ERROR_FILE, "%s: no pipe for its output: %s", r->name, strerror(errno));
    }
    int error = start(r, arguments);
    close_ends(r, 1);
    if (error) return haul_fail(HAUL_ERROR_FILE, "%s: cannot be started: %s", r->name, strerror(error));
    return watch(r, texts, end);
}

haul_status process_run(const char *const *arguments, const process_options *options, text *out, text *errors,
                        process_end *end) {
    static const process_options none;
    running r = {.name = arguments[0], .options = options ? options : &none, .ends = {{-1, -1}, {-1, -1}}};
    text *const texts[STREAMS] = {out, errors};
    *end = (process_end){.code = -1};
    clock_gettime(CLOCK_MONOTONIC, &r.start);
    hold_signals(&r);
    haul_status status = run(&r, arguments, texts, end);
    close_ends(&r, 0);
    close_ends(&r, 1);
    release_signals(&r);
    return status;
}

/* ---- finding programs ---- */

static bool is_program(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0;
}

/* A name with a slash is a path; others are searched for in PATH as shells do. */
bool process_find(const char *name, text *path) {
    text_clear(path);
    if (strchr(name, '/')) {
        text_put(path, name);
        return !path->failed && is_program(name);
    }
    const char *folders = getenv("PATH");
    while (folders && *name) {
        size_t length = strcspn(folders, ":");
        text_clear(path);
        text_printf(path, "%.*s/%s", length ? (int)length : 1, length ? folders : ".", name);
        if (!path->failed && is_program(text_string(path))) return true;
        folders = folders[length] ? folders + length + 1 : NULL;
    }
    return false;
}
