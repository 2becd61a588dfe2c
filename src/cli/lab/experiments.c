/* The table of experiments, expanded from experiments.def. Each name there has a file beside this one. */
#include "cli/lab/workbench.h"

#define EXPERIMENT(name, title, text) {#name, title, text, lab_run_##name},
const lab_experiment lab_experiments[] = {
#include "cli/lab/experiments.def"
};
#undef EXPERIMENT

const size_t lab_experiment_count = sizeof lab_experiments / sizeof lab_experiments[0];
