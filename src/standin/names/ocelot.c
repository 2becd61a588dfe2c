/* The library that tinygrad's mock GPU loads, as libgpuocelot.so: a filter, as libcuda.so.1 is (cuda.c). */
extern void ptx_run(void);
__attribute__((visibility("default"))) void ptx_run(void) {}
