/* NVIDIA's cuFile (GPUDirect Storage): files from and to a GPU's memory. The library is loaded at run time, as the
 * driver is; nothing of it is needed to build.
 *
 * Declared here are the few functions and types that haul uses. Sources: parameters, results, threads and contexts from
 * NVIDIA's "cuFile API Reference Guide"; fields and numbers from the pages cufile.h(3), CUfileDescr_t(3),
 * CUfileDrvProps(3) and CUfileOpError.h(3) of libcufile-dev 1.5 to 1.9, which NVIDIA's header makes; the order of the
 * fields and newer flags from the public bindings of other languages (cuda.bindings.cufile, the crate cufile-sys). */
#ifndef HAUL_DRIVER_CUFILE_H
#define HAUL_DRIVER_CUFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef void *CUfileHandle_t;

/* The result of all functions that move no bytes. */
typedef struct CUfileError_t {
    int err;    /* 0, or a number of cufile.def */
    int cu_err; /* CUresult, if err is CUDA_DRIVER_ERROR */
} CUfileError_t;

enum { CUFILE_HANDLE_FD = 1 }; /* CU_FILE_HANDLE_TYPE_OPAQUE_FD */

typedef struct CUfileDescr_t {
    int type; /* CUFILE_HANDLE_FD */
    union {
        int fd; /* opened with O_DIRECT */
        void *handle;
    } handle;
    const void *fs_ops;
} CUfileDescr_t;

/* Bits of nvfs.dstatusflags: the storage that is reached without a copy through the host. */
enum {
    CUFILE_LUSTRE = 0,
    CUFILE_NFS = 2,
    CUFILE_GPFS = 3,
    CUFILE_NVME = 4,
    CUFILE_NVMEOF = 5,
    CUFILE_SCSI = 6,
    CUFILE_SCALEFLUX = 7,
    CUFILE_NVMESH = 8,
    CUFILE_BEEGFS = 9,
    CUFILE_NVME_P2P = 11, /* by the kernel's own peer-to-peer DMA, without nvidia-fs */
};

typedef struct CUfileDrvProps_t {
    struct {
        unsigned major_version, minor_version; /* of the kernel module nvidia-fs; both 0: it is not loaded */
        size_t poll_thresh_size, max_direct_io_size;
        unsigned dstatusflags, dcontrolflags;
    } nvfs;
    unsigned fflags, max_device_cache_size, per_buffer_cache_size, max_device_pinned_mem_size;
    unsigned max_batch_io_size, max_batch_io_timeout_msecs;
    unsigned char later[256]; /* room for fields of newer libraries */
} CUfileDrvProps_t;

/* All functions may be called by any thread; those with a GPU's memory need its context to be current. */
typedef struct cufile_table {
    CUfileError_t (*driver_open)(void);
    CUfileError_t (*properties)(CUfileDrvProps_t *);
    CUfileError_t (*handle_register)(CUfileHandle_t *, CUfileDescr_t *);
    void (*handle_deregister)(CUfileHandle_t);
    CUfileError_t (*buffer_register)(const void *address, size_t bytes, int flags);
    CUfileError_t (*buffer_deregister)(const void *address);
    /* Return the bytes moved; -1: errno says why; less: the negative number of an error. */
    ssize_t (*read)(CUfileHandle_t, void *base, size_t bytes, off_t file_offset, off_t base_offset);
    ssize_t (*write)(CUfileHandle_t, const void *base, size_t bytes, off_t file_offset, off_t base_offset);
} cufile_table;

enum { CUFILE_REASON = 160 };

/* Whether cuFile may reach storage directly: nvidia-fs is loaded, or the user names a library. To open its driver takes
 * time, and leaves a log in the working folder. */
bool cufile_is_worth_opening(char reason[CUFILE_REASON]);
/* Loads libcufile.so.0, or what HAUL_CUFILE names, and opens its driver, once in a process; a device's context has to
 * be current. NULL: it cannot be had; `reason` says why. */
const cufile_table *cufile_load(const CUfileDrvProps_t **properties, char reason[CUFILE_REASON]);
/* Whether cuFile reaches the open file's storage without a copy through the host; `reason` says by what, or why not. */
bool cufile_is_direct(const CUfileDrvProps_t *properties, int fd, char reason[CUFILE_REASON]);
/* "error 5008 (IO_NOT_SUPPORTED)", with the error of CUDA if it is one. Returns `out`. */
const char *cufile_error_text(CUfileError_t error, char out[CUFILE_REASON]);

#endif
