#ifndef HAUL_STANDIN_GPU_TRAMPOLINES_H
#define HAUL_STANDIN_GPU_TRAMPOLINES_H

typedef void (*gpu_function)(void);

/* From now on each exported name leads to what `find` returns for it. */
void gpu_set_trampolines(gpu_function (*find)(const char *name));

/* Is called by the first trampoline that is used: loads the driver and sets them all. */
__attribute__((visibility("hidden"))) void gpu_load(void);

#endif
