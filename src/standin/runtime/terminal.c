/* The simulator calls show() while a launch runs. A launch that is over within a second shows nothing;
 * HAUL_PROGRESS_AFTER sets another time. The line is drawn at most ten times a second, and removed before anything
 * else is printed. base/terminal_line.h draws it. */
#include "standin/runtime/terminal.h"

#include "base/clock.h"
#include "base/signals.h"
#include "lib/launch/progress.h"
#include "standin/settings.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static const double BETWEEN = 0.1;
static double patience = 1; /* seconds before a launch gets a line */
enum { CALLS_A_LOOK = 16 }; /* calls between two looks at the clock, so that short launches cost nothing */

static struct {
    uint64_t launch;            /* number in the program, from 1 on */
    uint64_t calls, operations; /* since the launch began; executed operations at `noted` */
    double began, noted, drawn; /* clock seconds; noted: time of the last progress */
} state = {.launch = 1};

/* ---- signals ---- */

static void end(int number, siginfo_t *about, void *context) {
    (void)about, (void)context;
    terminal_line_erase();
    raise(number); /* the handler is reset */
}

/* Handlers of ending.c, if there are any, also remove the line. */
static void handle_signals(void) {
    signals_handle(SIGINT, end);
    signals_handle(SIGTERM, end);
    signals_handle(SIGHUP, end);
}

/* ---- the line ---- */

/* Text that the program has written on that line stays. */
static void draw(const sim_progress *p, double now) {
    terminal_line l = {0};
    if (!isatty(STDERR_FILENO)) return;
    if (!terminal_line_is_drawn()) {
        handle_signals();
        terminal_line_make_room();
    }
    terminal_line_put_bar(&l, launch_share_done(p));
    terminal_line_put(&l, "launch %llu, ", (unsigned long long)state.launch);
    launch_put_progress(&l, p, state.noted - state.began, now - state.noted);
    terminal_line_draw(&l);
    state.drawn = now;
}

/* Called once in CALLS_A_LOOK times: reads the clock, and draws if it is time. */
static void look(const sim_progress *p) {
    const double now = clock_seconds();
    if (state.calls == 1) state.began = now;
    if (state.calls == 1 || p->operations != state.operations) state.noted = now;
    state.operations = p->operations;
    if (now - state.began >= patience && now - state.drawn >= BETWEEN) draw(p, now);
}

/* The end of a launch begins the next one's count. */
static void show(void *unused, const sim_progress *p) {
    (void)unused;
    if (p->ended || p->prints) terminal_line_erase();
    if (p->ended) {
        state.launch++;
        state.calls = 0;
    } else if (state.calls++ % CALLS_A_LOOK == 0) {
        look(p);
    }
}

void standin_show_launches(void) {
    const char *asked = getenv("HAUL_PROGRESS_AFTER");
    if (asked && *asked) patience = strtod(asked, NULL);
    if (!standin_asked.quiet && isatty(STDERR_FILENO)) sim_set_progress((sim_progress_sink){show, NULL});
}
