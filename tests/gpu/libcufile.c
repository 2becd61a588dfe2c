/* A libcufile.so.0 for tests: it moves bytes between files and the memory of the GPU of libcuda.c, and fails on demand.
 *
 * FAKE_CUFILE, words apart by blanks:
 *     open=5001              cuFileDriverOpen fails with this error
 *     module=2.24            nvidia-fs is loaded, and reaches all file systems; else cuFile has no direct path
 *     refuse=5018            cuFileHandleRegister fails
 *     read=-5008@3           the third cuFileRead returns this number; -1: with errno EIO; likewise write=
 *     most=4096              each call moves at most so many bytes
 * FAKE_CUFILE_LOG names a file, to which each call appends a line. */
#define _GNU_SOURCE
#include "driver/cufile.h"
#include "driver/driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The value behind `name=`, or NULL. */
static const char *setting(const char *name) {
    const char *s = getenv("FAKE_CUFILE");
    const size_t length = strlen(name);
    for (; s && *s; s += strcspn(s, " "), s += strspn(s, " "))
        if (strncmp(s, name, length) == 0 && s[length] == '=') return s + length + 1;
    return NULL;
}

static void note(const char *call, size_t bytes, off_t file_offset, off_t at) {
    const char *path = getenv("FAKE_CUFILE_LOG");
    FILE *log = path ? fopen(path, "a") : NULL;
    if (!log) return;
    fprintf(log, "%s %zu %lld %lld\n", call, bytes, (long long)file_offset, (long long)at);
    fclose(log);
}

static CUfileError_t error_of(const char *name) {
    const char *value = setting(name);
    return (CUfileError_t){.err = value ? (int)strtol(value, NULL, 10) : 0};
}

/* A copy function of the driver that the program has loaded. */
static void *of_driver(const char *symbol) {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    return driver ? dlsym(driver, symbol) : NULL;
}

CUfileError_t cuFileDriverOpen(void);
CUfileError_t cuFileDriverGetProperties(CUfileDrvProps_t *);
CUfileError_t cuFileHandleRegister(CUfileHandle_t *, CUfileDescr_t *);
void cuFileHandleDeregister(CUfileHandle_t);
CUfileError_t cuFileBufRegister(const void *, size_t, int);
CUfileError_t cuFileBufDeregister(const void *);
ssize_t cuFileRead(CUfileHandle_t, void *, size_t, off_t, off_t);
ssize_t cuFileWrite(CUfileHandle_t, const void *, size_t, off_t, off_t);

CUfileError_t cuFileDriverOpen(void) {
    note("open", 0, 0, 0);
    return error_of("open");
}

CUfileError_t cuFileDriverGetProperties(CUfileDrvProps_t *p) {
    const char *module = setting("module");
    memset(p, 0, offsetof(CUfileDrvProps_t, later));
    if (!module || sscanf(module, "%u.%u", &p->nvfs.major_version, &p->nvfs.minor_version) != 2)
        return (CUfileError_t){0};
    p->nvfs.dstatusflags = ~0U;
    return (CUfileError_t){0};
}

/* A handle is a descriptor of the same file, without O_DIRECT, in memory of its own so that a leak is one. Like
 * NVIDIA's library, it opens the file by its name, which fails if that was removed. */
CUfileError_t cuFileHandleRegister(CUfileHandle_t *handle, CUfileDescr_t *about) {
    const CUfileError_t error = error_of("refuse");
    const int flags = fcntl(about->handle.fd, F_GETFL);
    char path[64], name[4096];
    note("register", 0, 0, 0);
    if (error.err) return error;
    if (!(flags & O_DIRECT)) return (CUfileError_t){.err = 5020};
    snprintf(path, sizeof path, "/proc/self/fd/%d", about->handle.fd);
    const ssize_t length = readlink(path, name, sizeof name - 1);
    name[length > 0 ? length : 0] = '\0';
    const int again = open(name, flags & O_ACCMODE);
    if (again < 0) return (CUfileError_t){.err = 5031};
    int *fd = malloc(sizeof *fd);
    *fd = again;
    *handle = fd;
    return error;
}

void cuFileHandleDeregister(CUfileHandle_t handle) {
    note("deregister", 0, 0, 0);
    close(*(int *)handle);
    free(handle);
}

CUfileError_t cuFileBufRegister(const void *base, size_t bytes, int flags) {
    (void)base, (void)flags;
    note("buffer", bytes, 0, 0);
    return (CUfileError_t){0};
}

CUfileError_t cuFileBufDeregister(const void *base) {
    (void)base;
    note("unbuffer", 0, 0, 0);
    return (CUfileError_t){0};
}

/* Returns what this call is to return instead of moving bytes; 0: nothing. */
static ssize_t failure(const char *name, atomic_uint *calls) {
    const char *value = setting(name);
    char *rest;
    const unsigned call = ++*calls;
    if (!value) return 0;
    const ssize_t result = strtol(value, &rest, 10);
    errno = EIO;
    return *rest == '@' && strtoul(rest + 1, NULL, 10) != call ? 0 : result;
}

static size_t piece(size_t bytes) {
    const char *most = setting("most");
    const size_t limit = most ? strtoul(most, NULL, 10) : bytes;
    return bytes < limit ? bytes : limit;
}

ssize_t cuFileRead(CUfileHandle_t handle, void *base, size_t bytes, off_t file_offset, off_t at) {
    static atomic_uint calls;
    const ssize_t failed = failure("read", &calls);
    note("read", bytes, file_offset, at);
    if (failed) return failed;
    CUresult (*copy)(CUdeviceptr, const void *, size_t);
    *(void **)(void *)&copy = of_driver("cuMemcpyHtoD_v2");
    char *host = malloc(bytes);
    ssize_t moved = pread(*(int *)handle, host, piece(bytes), file_offset);
    const CUdeviceptr to = (CUdeviceptr)(uintptr_t)base + (CUdeviceptr)at;
    if (moved > 0 && copy(to, host, (size_t)moved) != CUDA_SUCCESS) moved = -5012;
    free(host);
    return moved;
}

ssize_t cuFileWrite(CUfileHandle_t handle, const void *base, size_t bytes, off_t file_offset, off_t at) {
    static atomic_uint calls;
    const ssize_t failed = failure("write", &calls);
    note("write", bytes, file_offset, at);
    if (failed) return failed;
    CUresult (*copy)(void *, CUdeviceptr, size_t);
    *(void **)(void *)&copy = of_driver("cuMemcpyDtoH_v2");
    char *host = malloc(bytes);
    const CUdeviceptr from = (CUdeviceptr)(uintptr_t)base + (CUdeviceptr)at;
    ssize_t moved = -5012;
    if (copy(host, from, piece(bytes)) == CUDA_SUCCESS) moved = pwrite(*(int *)handle, host, piece(bytes), file_offset);
    free(host);
    return moved;
}
