/* The library that tinygrad's mock GPU loads, as libgpuocelot.so: a filter like libcuda.so.1 (cuda.c). */
extern void ptx_run(void);
__attribute__((visibility("default"))) void ptx_run(void) {}
