/* A status line on a terminal (standard error) that is redrawn in place and erased at the end. */
#ifndef HAUL_BASE_TERMINAL_LINE_H
#define HAUL_BASE_TERMINAL_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum { TERMINAL_LINE_LONGEST = 200 };

/* The text of the line. Starts as zeros; longer text is cut off. */
typedef struct terminal_line {
    char text[TERMINAL_LINE_LONGEST];
    size_t length;
} terminal_line;

void terminal_line_put(terminal_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
void terminal_line_put_bar(terminal_line *line, double share);
/* Adds the time left, as in ", 12 s left": `share` of the work was done after `seconds`, and `since` seconds have
 * passed since. Adds nothing before any work is done. */
void terminal_line_put_left(terminal_line *line, double share, double seconds, double since);

/* Draws the line over the previous one and blanks the rest. Text that would wrap is cut off. The cursor stays at the
 * beginning of the line. Returns false if the terminal cannot be written to. */
bool terminal_line_draw(const terminal_line *line);
/* If no line is drawn, begins a new line of the terminal, unless the cursor is at the beginning of one. */
void terminal_line_make_room(void);
bool terminal_line_is_drawn(void);
/* Erases the line. Signal handlers may call it. */
void terminal_line_erase(void);

#endif
