/* The watcher of a program (watch.h).
 *
 * haul becomes the program, so that signals, exit codes and job control are the program's own. The watcher is forked
 * before, detached: it is no child of the program, whose wait() would find it, and in a session of its own, so that
 * what kills the program's process group leaves it. Each process that uses the virtual GPU adds files to a folder
 * (standin/saved.h), and removes them with its report. The watcher waits for the ends of these processes by pidfds,
 * prints what is left, and removes the folder. If none used the virtual GPU, it says so. */
#include "cli/watch.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "standin/saved.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_PROCESSES = 1024, INOTIFY = 0, FIRST = 1, REAP_TRIES = 200, REAP_NS = 1000000 };

typedef struct watch {
    const char *folder;
    bool quiet;
    pid_t pids[MOST_PROCESSES]; /* pids[i] belongs to polled[i] */
    struct pollfd polled[MOST_PROCESSES];
    nfds_t count;
    bool has_seen; /* a process used the virtual GPU */
} watch;

static int open_process(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* ---- how a process ended ---- */

/* struct pidfd_info of Linux 6.15, up to the field that is read here. */
typedef struct ended_info {
    uint64_t mask, group;
    uint32_t ids[11];
    int32_t code;
} ended_info;

/* Reads the exit code of a process that its parent has waited for. */
static bool read_reaped(int process, int *code) {
    static const uint64_t EXIT = 1 << 3;
    ended_info info = {.mask = EXIT};
    if (ioctl(process, _IOWR(0xFF, 11, ended_info), &info) != 0 || !(info.mask & EXIT)) return false;
    *code = info.code;
    return true;
}

/* Reads the exit code of a process that its parent has not waited for yet: the last number in its line of /proc. */
static bool read_waiting(pid_t pid, int *code) {
    char path[64];
    text stat = {0};
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    const bool is_there = file_read(path, &stat) == HAUL_OK;
    const char *name_end = is_there ? strrchr(text_string(&stat), ')') : NULL;
    const char *last = name_end && name_end[1] && name_end[2] == 'Z' ? strrchr(name_end, ' ') : NULL;
    if (last) *code = atoi(last + 1);
    text_free(&stat);
    return last;
}

/* The status as of wait(); false if the system does not tell. */
static bool read_end(pid_t pid, int process, int *code) {
    const struct timespec pause = {.tv_nsec = REAP_NS};
    for (int i = 0; i < REAP_TRIES; i++) {
        if (read_reaped(process, code) || read_waiting(pid, code)) return true;
        if (kill(pid, 0) != 0 && errno == ESRCH && i) return read_reaped(process, code);
        nanosleep(&pause, NULL);
    }
    return false;
}

/* ---- what it left ---- */

static void tell(pid_t pid, const standin_saved *saved, bool is_known, int code) {
    const char *plural = saved->launches == 1 ? "" : "es";
    fprintf(stderr, "haul: process %d ", (int)pid);
    if (is_known && WIFSIGNALED(code))
        fprintf(stderr, "was killed by signal %d (%s)", WTERMSIG(code), strsignal(WTERMSIG(code)));
    else
        fputs("ended without a report", stderr);
    fprintf(stderr, " after %llu launch%s", (unsigned long long)saved->launches, plural);
    if (!saved->covered)
        fputs(", before any of them was done", stderr);
    else if (saved->covered < saved->launches)
        fprintf(stderr, "; the report is that of the first %llu", (unsigned long long)saved->covered);
    fputs("\n", stderr);
}

/* Prints a saved report where the process would have printed it. */
static void print_report(const char *path) {
    text report = {0};
    if (file_read(path, &report) == HAUL_OK && report.length) {
        char *rest = strchr(report.bytes, '\n');
        if (rest) *rest++ = '\0';
        FILE *to = rest && *report.bytes ? fopen(report.bytes, "a") : stderr;
        if (to && rest) fputs(rest, to);
        if (to && to != stderr) fclose(to);
    }
    text_free(&report);
}

static void print_one(const watch *w, const char *name, pid_t pid, bool is_known, int code) {
    text path = {0}, content = {0};
    standin_saved saved = {0};
    text_printf(&path, "%s/%s", w->folder, name);
    if (file_read(text_string(&path), &content) == HAUL_OK && content.length >= sizeof saved)
        memcpy(&saved, content.bytes, sizeof saved);
    unlink(text_string(&path));
    if (!w->quiet) tell(pid, &saved, is_known, code);
    text_put(&path, STANDIN_SAVED_REPORT);
    if (saved.covered) print_report(text_string(&path));
    unlink(text_string(&path));
    text_put(&path, ".part");
    unlink(text_string(&path));
    text_free(&path);
    text_free(&content);
}

/* The process of a file PID.K; 0 for other files. */
static pid_t process_of(const char *name) {
    int pid, image, length = 0;
    return sscanf(name, "%d.%d%n", &pid, &image, &length) == 2 && !name[length] ? pid : 0;
}

static void print_left(const watch *w, pid_t pid, int process) {
    int code = 0;
    bool is_read = false, is_known = false;
    struct dirent **names;
    const int count = scandir(w->folder, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        if (process_of(names[i]->d_name) == pid) {
            if (!is_read) is_known = read_end(pid, process, &code);
            is_read = true;
            print_one(w, names[i]->d_name, pid, is_known, code);
        }
        free(names[i]);
    }
    if (count >= 0) free(names);
}

/* ---- the watcher ---- */

static void add(watch *w, pid_t pid, int process) {
    w->pids[w->count] = pid;
    w->polled[w->count++] = (struct pollfd){.fd = process, .events = POLLIN};
}

static bool is_watched(const watch *w, pid_t pid) {
    for (nfds_t i = FIRST; i < w->count; i++)
        if (w->pids[i] == pid) return true;
    return false;
}

/* Watches the processes whose files are there. One that has ended already has left them. */
static void add_new(watch *w) {
    DIR *folder = opendir(w->folder);
    for (const struct dirent *e; folder && (e = readdir(folder));) {
        const pid_t pid = process_of(e->d_name);
        if (!pid || is_watched(w, pid) || w->count == MOST_PROCESSES) continue;
        const int process = open_process(pid);
        if (process >= 0)
            add(w, pid, process);
        else
            print_left(w, pid, -1);
    }
    if (folder) closedir(folder);
}

static void take_ended(watch *w) {
    for (nfds_t i = FIRST; i < w->count;) {
        if (!w->polled[i].revents) {
            i++;
            continue;
        }
        print_left(w, w->pids[i], w->polled[i].fd);
        close(w->polled[i].fd);
        w->count--;
        w->pids[i] = w->pids[w->count];
        w->polled[i] = w->polled[w->count];
    }
}

/* True if the folder got files. */
static bool take_news(const watch *w) {
    char events[4096];
    bool has_news = false;
    while (read(w->polled[INOTIFY].fd, events, sizeof events) > 0) has_news = true;
    return has_news;
}

/* Returns when no watched process is left. The folder is read anew each time. */
static void run(watch *w) {
    while (w->count > FIRST) {
        if (poll(w->polled, w->count, -1) < 0 && errno != EINTR) return;
        if (take_news(w)) w->has_seen = true;
        add_new(w);
        take_ended(w);
    }
    if (take_news(w)) w->has_seen = true; /* of a process that ended meanwhile */
}

/* Keeps standard error and the listed descriptors alone, so that nobody waits for the others' end. */
static void detach(void) {
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    setsid();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    if (nothing >= 0) (void)dup2(nothing, STDIN_FILENO);
    if (nothing >= 0) (void)dup2(nothing, STDOUT_FILENO);
    if (chdir("/") != 0) return;
}

static _Noreturn void watch_program(watch *w, pid_t program, int process, int news) {
    detach();
    add(w, 0, news);
    add(w, program, process);
    run(w);
    const bool is_removed = rmdir(w->folder) == 0;
    if (is_removed && news >= 0 && !w->has_seen && !w->quiet)
        fputs("haul: the program used no GPU, so there is nothing to report\n", stderr);
    _exit(0);
}

/* The folder, or NULL. Its path is absolute, since programs change their folder. */
static char *make_folder(arena *memory) {
    const char *temporary = file_temporary();
    char *folder = arena_printf(memory, "%s/haul-run-XXXXXX", *temporary == '/' ? temporary : "/tmp");
    return folder ? mkdtemp(folder) : NULL;
}

void cli_watch(bool quiet, arena *memory) {
    static watch w;
    const pid_t program = getpid();
    const int process = open_process(program);
    char *folder = process >= 0 ? make_folder(memory) : NULL;
    if (!folder || setenv(STANDIN_SAVED, folder, 1) != 0) return;
    w = (watch){.folder = folder, .quiet = quiet};
    const int news = inotify_init1(IN_CLOEXEC | IN_NONBLOCK); /* before the program starts, to miss nothing */
    if (news >= 0) (void)inotify_add_watch(news, folder, IN_CREATE);
    const pid_t child = fork();
    if (child == 0) {
        const pid_t watcher = fork();
        if (watcher == 0) watch_program(&w, program, process, news);
        _exit(watcher < 0);
    }
    if (child > 0) (void)waitpid(child, NULL, 0);
    if (news >= 0) close(news);
    close(process);
}

void cli_unwatch(void) {
    const char *folder = getenv(STANDIN_SAVED);
    if (folder) (void)rmdir(folder);
}
