/* A line on the terminal that shows progress and is erased again.
 *
 * It is drawn over and over in place, so it must never wrap; blanks erase what the previous one was longer by. Signal
 * handlers erase it, which limits that to write() and one variable. */
#include "base/terminal_line.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { BAR = 24, USUAL_COLUMNS = 80, LONGEST = TERMINAL_LINE_LONGEST };

/* The width of the drawn line; signal handlers read it. */
static volatile sig_atomic_t columns;

void terminal_line_erase(void) {
    char blanks[LONGEST + 2];
    const size_t length = (size_t)columns;
    if (!length) return;
    memset(blanks, ' ', sizeof blanks);
    blanks[0] = blanks[length + 1] = '\r';
    columns = write(STDERR_FILENO, blanks, length + 2) > 0 ? 0 : columns;
}

bool terminal_line_is_drawn(void) {
    return columns > 0;
}

/* Text that does not fit is cut off. */
void terminal_line_put(terminal_line *l, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(l->text + l->length, sizeof l->text - l->length, format, arguments);
    va_end(arguments);
    l->length += length > 0 ? (size_t)length : 0;
    if (l->length >= sizeof l->text) l->length = sizeof l->text - 1;
}

void terminal_line_put_bar(terminal_line *l, double share) {
    char bar[BAR + 1] = {0};
    for (int i = 0; i < BAR; i++) bar[i] = i < share * BAR ? '#' : '.';
    terminal_line_put(l, "[%s] ", bar);
}

/* Extrapolates from the share done so far; `since` is how old that share is. */
void terminal_line_put_left(terminal_line *l, double share, double seconds, double since) {
    const double rest = share > 0 ? seconds * (1 - share) / share - since : -1, left = share > 0 && rest < 0 ? 0 : rest;
    if (left < 0) return;
    if (left < 120)
        terminal_line_put(l, ", %.0f s left", left);
    else if (left < 7200)
        terminal_line_put(l, ", %.0f min left", left / 60);
    else
        terminal_line_put(l, ", %.0f h left", left / 3600);
}

/* The terminal's width; 0 if unknown. */
static size_t terminal_columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 0;
}

/* The most columns that do not wrap. */
static size_t most_columns(void) {
    const size_t known = terminal_columns(), most = known ? known - 1 : USUAL_COLUMNS - 1;
    return most < LONGEST ? most : LONGEST - 1;
}

bool terminal_line_draw(const terminal_line *l) {
    char out[2 * LONGEST];
    const size_t most = most_columns(), length = l->length < most ? l->length : most, before = (size_t)columns;
    const size_t width = length > before ? length : before;
    const int bytes = snprintf(out, sizeof out, "\r%.*s%*s\r", (int)length, l->text, (int)(width - length), "");
    columns = (sig_atomic_t)width;
    const bool written = write(STDERR_FILENO, out, (size_t)bytes) >= 0;
    columns = (sig_atomic_t)length;
    return written;
}

/* Prints as many blanks as the terminal has columns: on an empty line they fill it, otherwise they continue on the next
 * line. */
void terminal_line_make_room(void) {
    char blanks[1024];
    const size_t width = terminal_columns();
    if (!width || width >= sizeof blanks) return;
    memset(blanks, ' ', width);
    blanks[width] = '\r';
    if (write(STDERR_FILENO, blanks, width + 1) < 0) return;
}
