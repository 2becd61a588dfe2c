/* Implements cli/progress.h with the line of base/terminal_line.h. Its two sources: the virtual GPU calls show() while
 * a launch runs, and commands report bytes of a stream. The line appears only after FIRST_SECOND, so that short
 * commands print nothing, and is redrawn at most every BETWEEN seconds. */
#include "cli/progress.h"

#include "base/clock.h"
#include "base/number.h"
#include "base/signals.h"
#include "lib/launch/progress.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double FIRST_SECOND = 1, BETWEEN = 0.1; /* seconds */

static struct {
    bool on;                    /* false: not started, or the terminal cannot show a line */
    double began, drawn;        /* clock seconds: of the first launch or byte; of the line */
    size_t launch, launches;    /* launches 0: unknown */
    double launch_began, noted; /* launch_began 0: none is running; noted: time of `now` */
    uint64_t bytes, all_bytes;  /* of a stream; all_bytes 0: no stream */
    sim_progress now;
} state;

/* ---- signals ---- */

/* State of the signal handler, which calls only async-signal-safe functions. */
static volatile sig_atomic_t has_file;
static char file[PATH_MAX];

static volatile sig_atomic_t has_line;
static char last_line[512];

/* Set when the time of --timeout is over. */
static volatile sig_atomic_t is_late;
static char late_message[128];

/* Handles a signal that ends haul: removes the line and the incomplete file. */
static void end(int signal_number, siginfo_t *about, void *context) {
    (void)about, (void)context;
    terminal_line_erase();
    if (has_file) unlink(file);
    if (has_line) {
        const ssize_t written = write(STDERR_FILENO, last_line, strlen(last_line));
        (void)written;
    }
    if (is_late) _exit(2);
    raise(signal_number); /* the handler is reset, so this ends haul */
}

/* Ends haul as SIGTERM does, since programs that haul runs must end first (base/process.h). */
static void end_late(int signal_number) {
    (void)signal_number;
    terminal_line_erase();
    const ssize_t written = write(STDERR_FILENO, late_message, strlen(late_message));
    (void)written;
    is_late = 1;
    kill(getpid(), SIGTERM);
}

static void handle_all(void) {
    signals_handle(SIGINT, end);
    signals_handle(SIGTERM, end);
    signals_handle(SIGHUP, end);
}

void progress_end_after(const char *command, uint64_t seconds) {
    struct sigaction late = {.sa_handler = end_late, .sa_flags = SA_RESTART};
    snprintf(late_message, sizeof late_message, "haul %s: stopped after %llu s: --timeout\n", command,
             (unsigned long long)seconds);
    signals_handle(SIGTERM, end);
    (void)sigaction(SIGALRM, &late, NULL);
    alarm(seconds < UINT_MAX ? (unsigned)seconds : UINT_MAX);
}

bool progress_is_late(void) {
    return is_late;
}

void progress_remove_on_signal(const char *path) {
    has_file = 0;
    if (!path || strlen(path) >= sizeof file) return;
    strcpy(file, path);
    has_file = 1;
    handle_all();
}

void progress_say_on_signal(const char *line) {
    has_line = 0;
    if (!line) return;
    snprintf(last_line, sizeof last_line, "%s\n", line);
    has_line = 1;
    handle_all();
}

/* ---- the line ---- */

/* The part of the line about a stream: bar, bytes, rate and time left. */
static void put_bytes(terminal_line *l, double now) {
    char done[32], all[32], rate[32];
    const double bytes = (double)state.bytes, share = bytes / (double)state.all_bytes, seconds = now - state.began;
    terminal_line_put_bar(l, share);
    terminal_line_put(l, "%s of %s, %s/s", number_format_bytes(bytes, done),
                      number_format_bytes((double)state.all_bytes, all), number_format_bytes(bytes / seconds, rate));
    terminal_line_put_left(l, share, seconds, 0);
}

/* The part about a launch. Beside a stream it gets no bar of its own. */
static void put_launch(terminal_line *l, double now) {
    if (!state.all_bytes) terminal_line_put_bar(l, launch_share_done(&state.now));
    if (state.all_bytes) terminal_line_put(l, "; ");
    if (state.launches > 1) terminal_line_put(l, "launch %zu of %zu, ", state.launch, state.launches);
    launch_put_progress(l, &state.now, state.noted - state.launch_began, now - state.noted);
}

/* Within a stream a launch is mentioned only if it takes long; most are over before anybody could read it. */
static void draw(double now) {
    terminal_line l = {0};
    if (state.all_bytes) put_bytes(&l, now);
    if (state.launch_began > 0 && (!state.all_bytes || now - state.launch_began > FIRST_SECOND)) put_launch(&l, now);
    if (!terminal_line_draw(&l)) state.on = false;
    state.drawn = now;
}

static void draw_in_time(void) {
    const double now = clock_seconds();
    if (state.began <= 0) state.began = now;
    if (now - state.began >= FIRST_SECOND && now - state.drawn >= BETWEEN) draw(now);
}

/* ---- events ---- */

/* Called by the virtual GPU. `noted` is the time at which the operations last grew: time since then shows a kernel that
 * makes no progress. */
static void show(void *context, const sim_progress *p) {
    (void)context;
    if (state.launch_began <= 0 || p->operations != state.now.operations) state.noted = clock_seconds();
    if (state.launch_began <= 0) state.launch_began = state.noted;
    state.now = *p;
    draw_in_time();
    /* the kernel's output follows */
    if (p->prints) terminal_line_erase();
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

/* The state is kept also without a terminal; only drawing is left out. */
void progress_bytes(uint64_t done, uint64_t all) {
    state.bytes = done;
    state.all_bytes = all;
    if (state.on && all) draw_in_time();
}

void progress_clear(void) {
    terminal_line_erase();
}
