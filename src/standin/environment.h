/* Environment variables by which `haul run -- PROGRAM` and related commands configure the stand-in that is loaded into
 * the program. The command line sets them all, also to nothing, so that with nested hauls a program has the settings of
 * the innermost one. */
#ifndef HAUL_STANDIN_ENVIRONMENT_H
#define HAUL_STANDIN_ENVIRONMENT_H

/* Tasks for launches. TASK(id, name): a value of STANDIN_TASK, and the command that sets it. */
#define STANDIN_TASKS(TASK) TASK(RUN, "run") TASK(PROFILE, "profile") TASK(CHECK, "check") TASK(RECORD, "replay")

#define STANDIN_TASK "HAUL_STANDIN_TASK"
#define STANDIN_VARIABLE(NAME) "HAUL_STANDIN_" #NAME
/* Separates the items of a list. */
#define STANDIN_BETWEEN '\n'

typedef enum standin_task {
#define TASK(id, name) STANDIN_##id,
    STANDIN_TASKS(TASK)
#undef TASK
} standin_task;

#endif
