/* What `haul run -- PROGRAM` and its kin tell the stand-in that is loaded into the program: environment variables. */
#ifndef HAUL_STANDIN_ENVIRONMENT_H
#define HAUL_STANDIN_ENVIRONMENT_H

/* What is shown when the program ends: a row's name is a value of STANDIN_TASK, and the command that sets it.
 * TASK(id, name) */
#define STANDIN_TASKS(TASK) TASK(RUN, "run") TASK(PROFILE, "profile") TASK(CHECK, "check")

#define STANDIN_TASK "HAUL_STANDIN_TASK"
/* A virtual device's name, as `sim:h100`; it is valid. */
#define STANDIN_DEVICE "HAUL_STANDIN_DEVICE"
/* Of each kernel, grid and block: the launches whose counters are read by haul profile. */
#define STANDIN_LAUNCHES "HAUL_STANDIN_LAUNCHES"

typedef enum standin_task {
#define TASK(id, name) STANDIN_##id,
    STANDIN_TASKS(TASK)
#undef TASK
} standin_task;

#endif
