/* A program that launches kernels of the driver of gpu_driver.c. Its first argument chooses the test. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int launch(const char *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                   void **);

static void *library;

static void *find(const char *name) {
    void *function = dlsym(library, name);
    if (!function) printf("no %s\n", name), exit(4);
    return function;
}
#define CALL(name, parameters, ...) ((int(*) parameters)find(#name))(__VA_ARGS__)

static launch *entry(unsigned long long flags) {
    void *function = NULL;
    int status = 0;
    CALL(cuGetProcAddress_v2, (const char *, void **, int, unsigned long long, int *), "cuLaunchKernel", &function,
         12000, flags, &status);
    return (launch *)function;
}

static void increase(launch *l, unsigned grid, void *stream) {
    if (l("_ZN4blas8increaseIfLi4EEEvPT_", grid, 2, 1, 64, 1, 1, 0, stream, NULL, NULL)) printf("refused\n");
}

static void launch_all(void) {
    launch *linked = (launch *)find("cuLaunchKernel");
    const char *kernel;
    CALL(cuLibraryGetKernel, (const char **, void *, const char *), &kernel, (void *)6, "!plain");
    increase(linked, 10, NULL);
    increase(entry(0), 20, NULL);
    increase(entry(2), 30, NULL);
    increase(linked, 50, (void *)3); /* is captured */
    linked(kernel, 400, 1, 1, 32, 4, 1, 256, NULL, NULL, NULL);
    linked(kernel, 0, 1, 1, 32, 4, 1, 256, NULL, NULL, NULL);
    CALL(cuGraphLaunch, (void *, void *), (void *)5, NULL);
    linked("!other", 5, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    CALL(cuLaunchCooperativeKernel,
         (const char *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **), "waits",
         7, 1, 1, 8, 8, 8, 0, NULL, NULL);
}

static void *launch_many(void *unused) {
    for (int i = 0; i < 5000; i++) increase(entry(0), 1, NULL);
    return unused;
}

static void launch_in_threads(void) {
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, launch_many, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

/* ---- NVTX, as its headers do it ---- */

typedef int range_function(const char *);
static range_function *push_range;
static int (*pop_range)(void);
static void **nvtx_core[12] = {[9] = (void **)&push_range, [11] = (void **)&pop_range};

static int nvtx_table(int module, void ****table, unsigned *count) {
    *table = nvtx_core;
    *count = module == 1 ? 12 : 0;
    return module == 1;
}

static const void *nvtx_export(unsigned which) {
    static const struct {
        size_t bytes;
        int (*table_of)(int, void ****, unsigned *);
    } callbacks = {sizeof callbacks, nvtx_table};
    return which == 1 ? &callbacks : NULL;
}

static void launch_in_range(void) {
    void *injected = dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_LAZY);
    ((int (*)(const void *(*)(unsigned)))dlsym(injected, "InitializeInjectionNvtx2"))(nvtx_export);
    push_range("inner");
    increase((launch *)find("cuLaunchKernel"), 8, NULL);
    pop_range();
}

static void missing(void) {
    void *function = NULL;
    printf("cuLaunchKernelEx: %d\n", CALL(cuLaunchKernelEx, (void *, void *, void *, void *), NULL, NULL, NULL, NULL));
    printf("cuMemAlloc_v2: %d\n", CALL(cuMemAlloc_v2, (void *, size_t), NULL, 1));
    printf("by name: %d\n", CALL(cuGetProcAddress_v2, (const char *, void **, int, unsigned long long, int *),
                                 "cuMemAlloc", &function, 12000, 0, NULL));
}

int main(int count, char **arguments) {
    const char *task = count > 1 ? arguments[1] : "";
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (strcmp(task, "registers") == 0)
        for (int i = 0; i < 2; i++)
            printf("%d\n", CALL(cuMemcpy2D_v2,
                                (int, int, int, int, int, int, int, double, double, double, double, double, double,
                                 double, double, double),
                                1, 2, 3, 4, 5, 6, 7, 10, 20, 30, 40, 50, 60, 70, 80, 90));
    if (strcmp(task, "nothing") == 0) return 3;
    if (CALL(cuInit, (unsigned), 0)) return printf("cuInit fails\n"), 5;
    if (strcmp(task, "missing") == 0) missing();
    if (strcmp(task, "registers") && strcmp(task, "missing")) launch_all();
    if (strcmp(task, "many") == 0) launch_many(NULL);
    if (strcmp(task, "threads") == 0) launch_in_threads();
    if (strcmp(task, "fault") == 0) ((launch *)find("cuLaunchKernel"))("faults", 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
    if (strcmp(task, "fault") == 0) increase(entry(0), 1, NULL);
    if (strcmp(task, "range") == 0) launch_in_range();
    if (strcmp(task, "reset") == 0) CALL(cuDevicePrimaryCtxReset_v2, (int), 0);
    if (strcmp(task, "reset") == 0) launch_all();
    fflush(stdout);
    if (strcmp(task, "fork") == 0 && fork() == 0) exit(0);
    if (strcmp(task, "fork") == 0) wait(NULL);
    if (strcmp(task, "_exit") == 0) _exit(6);
    if (strcmp(task, "kill") == 0) raise(SIGTERM);
    if (strcmp(task, "abort") == 0) abort();
    return 3;
}
