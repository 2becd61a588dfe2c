/* The interface between driver.c, which loads the real driver, and trampolines.c, whose exported names lead to it. */
#ifndef HAUL_STANDIN_GPU_TRAMPOLINES_H
#define HAUL_STANDIN_GPU_TRAMPOLINES_H

typedef void (*gpu_function)(void);

/* Makes each exported name lead to what `find` returns for it. */
void gpu_set_trampolines(gpu_function (*find)(const char *name));

/* The first trampoline that is used calls this; it loads the driver and sets them all. */
__attribute__((visibility("hidden"))) void gpu_load(void);

#endif
