/* A line on the terminal that says how far the program's launch has come, while it takes long. */
#ifndef HAUL_STANDIN_RUNTIME_TERMINAL_H
#define HAUL_STANDIN_RUNTIME_TERMINAL_H

/* Shows launches from now on, on standard error if that is a terminal, and not with --quiet. The line is gone before
 * the launch ends and before anything of it is printed. */
void standin_show_launches(void);

#endif
