/* What `haul run -- PROGRAM` and its kin tell the stand-in that is loaded into the program: environment variables. The
 * command line sets them all, those that were not given to nothing, so that a program that is run by another has the
 * settings of the innermost haul. */
#ifndef HAUL_STANDIN_ENVIRONMENT_H
#define HAUL_STANDIN_ENVIRONMENT_H

/* What is done with launches: a row's name is a value of STANDIN_TASK, and the command that sets it. TASK(id, name) */
#define STANDIN_TASKS(TASK) TASK(RUN, "run") TASK(PROFILE, "profile") TASK(CHECK, "check") TASK(RECORD, "replay")

#define STANDIN_TASK "HAUL_STANDIN_TASK"
#define STANDIN_VARIABLE(NAME) "HAUL_STANDIN_" #NAME
/* What stands between the items of a list. */
#define STANDIN_BETWEEN '\n'

typedef enum standin_task {
#define TASK(id, name) STANDIN_##id,
    STANDIN_TASKS(TASK)
#undef TASK
} standin_task;

#endif
