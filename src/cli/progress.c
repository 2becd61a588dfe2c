#include "cli/progress.h"

#include "base/mangled.h"
#include "base/number.h"
#include "sim/progress.h"

#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 24, NAME = 40, LONGEST = 200, USUAL_COLUMNS = 80 };
static const double FIRST_SECOND = 1, BETWEEN = 0.1;

static struct {
    bool on;
    double began, drawn;        /* seconds of the clock: of the first launch or byte; of the line */
    size_t launch, launches;    /* launches 0: nobody said */
    double launch_began, noted; /* launch_began 0: none is running; noted: when `now` was news */
    uint64_t bytes, all_bytes;  /* of a stream; all_bytes 0: there is none */
    sim_progress now;
} state;

/* ---- signals ---- */

/* What a handler looks at: it only calls what it may. */
static volatile sig_atomic_t columns; /* of the line that is there */
static volatile sig_atomic_t has_file;
static char file[PATH_MAX];

static void erase(void) {
    char blanks[LONGEST + 2];
    const size_t length = (size_t)columns;
    if (!length) return;
    memset(blanks, ' ', sizeof blanks);
    blanks[0] = blanks[length + 1] = '\r';
    columns = write(STDERR_FILENO, blanks, length + 2) > 0 ? 0 : columns;
}

static void end(int signal_number) {
    erase();
    if (has_file) unlink(file);
    raise(signal_number); /* the handler is gone: this ends haul */
}

/* A signal that is ignored, of a command in the background, stays so. */
static void handle(int signal_number) {
    struct sigaction before, wanted = {.sa_handler = end, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
    if (sigaction(signal_number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
        (void)sigaction(signal_number, &wanted, NULL);
}

static void handle_all(void) {
    handle(SIGINT);
    handle(SIGTERM);
    handle(SIGHUP);
}

void progress_remove_on_signal(const char *path) {
    has_file = 0;
    if (!path || strlen(path) >= sizeof file) return;
    strcpy(file, path);
    has_file = 1;
    handle_all();
}

/* ---- the line ---- */

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct line {
    char text[LONGEST];
    size_t length;
} line;

static void put(line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(line *l, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(l->text + l->length, sizeof l->text - l->length, format, arguments);
    va_end(arguments);
    l->length += length > 0 ? (size_t)length : 0;
    if (l->length >= sizeof l->text) l->length = sizeof l->text - 1;
}

static void put_bar(line *l, double share) {
    char bar[BAR + 1] = {0};
    for (int i = 0; i < BAR; i++) bar[i] = i < share * BAR ? '#' : '.';
    put(l, "[%s] ", bar);
}

/* ", 12 s left", once there is something to go by: the share that was done after so many seconds, and those since. */
static void put_left(line *l, double share, double seconds, double since) {
    const double rest = share > 0 ? seconds * (1 - share) / share - since : -1, left = share > 0 && rest < 0 ? 0 : rest;
    if (left < 0) return;
    if (left < 120)
        put(l, ", %.0f s left", left);
    else if (left < 7200)
        put(l, ", %.0f min left", left / 60);
    else
        put(l, ", %.0f h left", left / 3600);
}

static void put_bytes(line *l, double now) {
    char done[32], all[32], rate[32];
    const double bytes = (double)state.bytes, share = bytes / (double)state.all_bytes, seconds = now - state.began;
    put_bar(l, share);
    put(l, "%s of %s, %s/s", number_format_bytes(bytes, done), number_format_bytes((double)state.all_bytes, all),
        number_format_bytes(bytes / seconds, rate));
    put_left(l, share, seconds, 0);
}

static void put_launch(line *l, double now) {
    char done[32], all[32], rate[32], operations[32];
    const sim_progress *p = &state.now;
    const double share = p->blocks ? (double)p->done / (double)p->blocks : 0,
                 seconds = state.noted - state.launch_began;
    size_t length;
    const char *name = mangled_name(p->kernel, &length);
    if (!state.all_bytes) put_bar(l, share);
    if (state.all_bytes) put(l, "; ");
    if (state.launches > 1) put(l, "launch %zu of %zu, ", state.launch, state.launches);
    put(l, "%.*s: %s of %s blocks", length < NAME ? (int)length : NAME, name, number_format_count(p->done, done),
        number_format_count(p->blocks, all));
    if (p->done && seconds > 0)
        put(l, ", %s/s", number_format_count((uint64_t)((double)p->done / seconds), rate));
    else
        put(l, ", %s warp instructions", number_format_count(p->operations, operations));
    put_left(l, share, seconds, now - state.noted);
}

/* So many that the line does not wrap. */
static size_t terminal_columns(void) {
    struct winsize size;
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    const size_t most = known ? size.ws_col - 1u : USUAL_COLUMNS - 1;
    return most < LONGEST ? most : LONGEST - 1;
}

/* Over the line that is there, whose rest becomes blank. */
static void draw(double now) {
    line l = {0};
    char out[2 * LONGEST];
    if (state.all_bytes) put_bytes(&l, now);
    if (state.launch_began > 0 && (!state.all_bytes || now - state.launch_began > FIRST_SECOND)) put_launch(&l, now);
    const size_t most = terminal_columns(), length = l.length < most ? l.length : most, before = (size_t)columns;
    const size_t width = length > before ? length : before;
    const int bytes = snprintf(out, sizeof out, "\r%.*s%*s\r", (int)length, l.text, (int)(width - length), "");
    columns = (sig_atomic_t)width;
    if (write(STDERR_FILENO, out, (size_t)bytes) < 0) state.on = false;
    columns = (sig_atomic_t)length;
    state.drawn = now;
}

static void draw_in_time(void) {
    const double now = seconds_now();
    if (state.began <= 0) state.began = now;
    if (now - state.began >= FIRST_SECOND && now - state.drawn >= BETWEEN) draw(now);
}

/* ---- what happens ---- */

static void show(void *context, const sim_progress *p) {
    (void)context;
    if (state.launch_began <= 0 || p->operations != state.now.operations) state.noted = seconds_now();
    if (state.launch_began <= 0) state.launch_began = state.noted;
    state.now = *p;
    draw_in_time();
    if (p->ended) state.launch_began = 0;
}

void progress_start(bool quiet) {
    if (quiet || !isatty(STDERR_FILENO)) return;
    state.on = true;
    handle_all();
    sim_set_progress((sim_progress_sink){show, NULL});
}

void progress_launch(size_t number, size_t count) {
    state.launch = number;
    state.launches = count;
}

void progress_bytes(uint64_t done, uint64_t all) {
    state.bytes = done;
    state.all_bytes = all;
    if (state.on && all) draw_in_time();
}

void progress_clear(void) {
    erase();
}
