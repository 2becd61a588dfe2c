/* One line on standard error, a terminal, that is drawn over and over and taken away in the end. */
#ifndef HAUL_BASE_TERMINAL_LINE_H
#define HAUL_BASE_TERMINAL_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum { TERMINAL_LINE_LONGEST = 200 };

/* What the line says; starts as zeros. What is too long is cut off. */
typedef struct terminal_line {
    char text[TERMINAL_LINE_LONGEST];
    size_t length;
} terminal_line;

void terminal_line_put(terminal_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
void terminal_line_put_bar(terminal_line *line, double share);
/* ", 12 s left", once there is something to go by: the share that was done after so many seconds, and those since. */
void terminal_line_put_left(terminal_line *line, double share, double seconds, double since);

/* Draws it over the line that is there, whose rest becomes blank, as far as it does not wrap. The cursor stays at the
 * line's beginning. Returns false if it cannot be written. */
bool terminal_line_draw(const terminal_line *line);
/* Where no line is drawn: begins a new line of the terminal, unless the cursor is at the beginning of one. */
void terminal_line_make_room(void);
bool terminal_line_is_drawn(void);
/* Takes the line away. May be called by handlers of signals. */
void terminal_line_erase(void);

#endif
