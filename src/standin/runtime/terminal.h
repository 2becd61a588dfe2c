/* A terminal line with the progress of the program's current launch, if it takes long. */
#ifndef HAUL_STANDIN_RUNTIME_TERMINAL_H
#define HAUL_STANDIN_RUNTIME_TERMINAL_H

/* Shows launches from now on, on standard error if that is a terminal and not with --quiet. The line is removed before
 * the launch ends and before the launch prints anything. */
void standin_show_launches(void);

#endif
