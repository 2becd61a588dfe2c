/* haul's host library: devices (virtual or real), buffers, modules, launches.
 *
 * Any thread may call any function, but one device, with all objects that belong to it, is used by one thread at a
 * time. Calls block until their work is done; haul/stream.h has those that do not block. A call's writes are visible to
 * later calls, on the host and on the device. Every failing call leaves a message (haul_message()) and sets its result
 * to NULL. Sizes and offsets are in bytes; shapes are x, y, z. */
#ifndef HAUL_HAUL_H
#define HAUL_HAUL_H

#include <haul/run.h>
#include <haul/status.h>
#include <haul/transfer.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct haul_device haul_device;
typedef struct haul_buffer haul_buffer;
typedef struct haul_module haul_module;

/* The order in which warps of a block, and blocks of an SM, run on the virtual GPU. Correct kernels cannot tell. */
typedef enum haul_schedule { HAUL_SCHEDULE_IN_ORDER, HAUL_SCHEDULE_REVERSED, HAUL_SCHEDULE_RANDOM } haul_schedule;

/* When asynchronous operations (copies, products of matrices, remote stores) read their sources and write their
 * results. Reductions in global memory always take effect at the wait. */
typedef enum haul_completion {
    HAUL_COMPLETION_AT_WAIT, /* when a thread waits for it or, without a wait, at the block's end */
    HAUL_COMPLETION_LATE,  /* even later: a wait for an mbarrier lasts while other warps can run, and bulk stores write
                              only when a thread waits for the write, not for the read */
    HAUL_COMPLETION_EARLY, /* when it is issued */
    HAUL_COMPLETION_SWAPPED, /* by turns at the wait and at the issue: of two in flight, the later comes first */
    HAUL_COMPLETION_RANDOM,
} haul_completion;

/* The launches that a virtual GPU counts. Launches that are not counted have the same results in less time. Counters in
 * their records are negative, and their estimate is rough: the mean of counted launches of the same kernel and shape,
 * or, if there are none, a figure from the number of operations. Checked launches are always counted; with
 * HAUL_COUNT_RECORDED, a device with checks checks no others. */
typedef enum haul_counting {
    HAUL_COUNT_ALL,
    HAUL_COUNT_RECORDED, /* launches whose record is appended to a run */
    HAUL_COUNT_NONE,
} haul_counting;

/* How a virtual device runs. Zero fields mean the default. */
typedef struct haul_device_options {
    uint32_t threads;           /* host threads; default: all cores. Does not affect results or counters */
    uint64_t instruction_limit; /* warp-level instructions of one launch; a launch that executes more counts as endless.
                                   Default 2^36 */
    uint64_t memory_bytes;      /* device memory; default: the machine's, limited by what the host has */
    uint64_t heap_bytes;        /* heap that kernels allocate from (cudaLimitMallocHeapSize); default 8 MiB; applies to
                                   GPUs too */
    uint64_t stack_bytes;   /* a thread's stack, for calls and alloca() (cudaLimitStackSize); default 1024; GPUs too */
    bool check;             /* look for findings (haul/run.h) in every launch. A kernel that faults or deadlocks then
                               still leaves its launch record, with the fault as a finding */
    bool strict;            /* with check: also reports a missing proxy fence between reads and the copy that overwrites
                               their data, which the PTX memory model requires and common code omits */
    haul_schedule schedule; /* the order in which warps and blocks take turns */
    uint64_t seed;          /* for HAUL_SCHEDULE_RANDOM and HAUL_COMPLETION_RANDOM */
    /* The next four need `check`. */
    haul_completion completion;
    bool unfenced;          /* the copy engine sees ordinary stores to shared memory at a proxy fence, not before */
    bool diverged;          /* lanes of a warp run apart until an instruction needs them together */
    bool dirty;             /* shared memory begins with other bytes than zeros */
    haul_counting counting; /* virtual GPUs only */
    bool keep_l2; /* virtual GPUs only: L2 keeps its lines from one counted launch to the next, as for a program on
                     hardware. Default: L2 is empty before each launch, as under Nsight Compute. Copies and fills
                     between launches do not change it */
    uint64_t sample_blocks;  /* if a launch has more blocks, only this many, in the middle of the grid, are counted, and
                                counters are scaled to all (haul_launch_record.sampled_blocks). Default: all are counted.
                                Checked launches, and those whose blocks may wait for each other, are counted in full */
    uint32_t most_registers; /* virtual GPUs only: kernels without launch bounds use at most this many registers a
                                thread, as with nvcc -maxrregcount; at least 24. Default: as many as they need */
} haul_device_options;

/* Opens the device `name`: "sim:h100" (any machine of `haul info`), "sim" (h100), "gpu:0", or "auto" (gpu:0 if there is
 * one, else sim). `options` may be NULL. Errors: HAUL_ERROR_ARGUMENT (`name` has no such form), HAUL_ERROR_NO_DEVICE
 * (no such machine or GPU; no driver), HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_device_open(const char *name, const haul_device_options *options, haul_device **device);
/* The most devices that haul_devices_open() opens. */
enum { HAUL_MOST_DEVICES = 16 };
/* Opens several devices for one program: `names` is a list of names as above with commas, in which "gpu:all" stands for
 * every GPU of the machine, and "sim:h200x4" for four equal virtual GPUs. They get *count and the array's first
 * elements, in that order. Virtual GPUs of one call share pinned memory and a clock, and may be peers; at most 8 of
 * them. Close each one. Errors: those of haul_device_open(); HAUL_ERROR_ARGUMENT for a real GPU that is named twice, or
 * real and virtual GPUs together; HAUL_ERROR_LIMIT for too many. After an error none is open. */
haul_status haul_devices_open(const char *names, const haul_device_options *options,
                              haul_device *devices[HAUL_MOST_DEVICES], size_t *count);
/* Changes how later launches on a virtual device are checked: reads `check`, `strict`, `schedule`, `seed`,
 * `completion`, `unfenced`, `diverged`, `dirty` and `instruction_limit`, no other option; NULL ends the checks. Waits
 * for the device's work. Memory allocated before the first checks has no gaps around it and counts as initialised, as
 * all memory does after a launch without checks. Opening the device with `check` avoids this. Errors:
 * HAUL_ERROR_UNSUPPORTED for checks on a GPU. */
haul_status haul_device_set_checks(haul_device *device, const haul_device_options *options);
/* For virtual devices with checks: appends a record with leak findings to `run` for each kernel of loaded modules that
 * has unfreed blocks in the device's heap. Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_device_leaks(haul_device *device, haul_run *run);
/* Also frees the modules, buffers, pinned host memory, arrays and textures that are left. Streams, events, graphs and
 * pools must be freed before. NULL is allowed. */
void haul_device_close(haul_device *device);
/* The texts live as long as the device. */
const char *haul_device_name(const haul_device *device);    /* "sim:h100" */
const char *haul_device_product(const haul_device *device); /* "NVIDIA H100 80GB HBM3" */
bool haul_device_is_virtual(const haul_device *device);
uint32_t haul_device_architecture(const haul_device *device); /* 90 for sm_90; 0 if the driver does not say */
uint32_t haul_device_sm_count(const haul_device *device);     /* streaming multiprocessors; likewise */
double haul_device_memory_rate(const haul_device *device);    /* bytes a second of device memory, at most; likewise */

/* Limits of a device, as in cudaGetDeviceProperties(); properties.def describes each. 0 if the driver does not say. */
typedef struct haul_device_properties {
    uint32_t architecture; /* 90 for sm_90 */
    uint64_t memory_bytes; /* device memory of the machine */
    double memory_rate;    /* bytes a second, at most */
#define PROPERTY(group, name, attribute, unit, title, text) uint64_t name;
#include <haul/properties.def>
} haul_device_properties;
/* Does not block. */
void haul_device_properties_of(const haul_device *device, haul_device_properties *properties);

/* Allocates `bytes` of device memory (0 is allowed), aligned to 512 bytes, contents undefined. Errors:
 * HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_buffer_create(haul_device *device, uint64_t bytes, haul_buffer **buffer);
/* Waits for work that may use the buffer. Not for a pool's buffers, a module's variables or a view of host memory. NULL
 * is allowed. */
void haul_buffer_free(haul_buffer *buffer);
uint64_t haul_buffer_bytes(const haul_buffer *buffer);
uint64_t haul_buffer_address(const haul_buffer *buffer); /* device address */
/* Copies between host memory and the buffer at byte `offset`. Errors: HAUL_ERROR_ARGUMENT beyond the buffer's end. */
haul_status haul_buffer_write(haul_buffer *buffer, uint64_t offset, const void *host, uint64_t bytes);
haul_status haul_buffer_read(haul_buffer *buffer, uint64_t offset, void *host, uint64_t bytes);

/* ---- tensor maps: boxes of arrays for the tensor copy engine (sm_90 and later) ---- */

/* Element types, numbered as in the driver API. */
typedef enum haul_tensor_type {
    HAUL_TENSOR_U8,
    HAUL_TENSOR_U16,
    HAUL_TENSOR_U32,
    HAUL_TENSOR_S32,
    HAUL_TENSOR_U64,
    HAUL_TENSOR_S64,
    HAUL_TENSOR_F16,
    HAUL_TENSOR_F32,
    HAUL_TENSOR_F64,
    HAUL_TENSOR_BF16,
    HAUL_TENSOR_F32_FTZ,
    HAUL_TENSOR_TF32,
    HAUL_TENSOR_TF32_FTZ
} haul_tensor_type;

/* How a box's 16-byte chunks are spread over the banks of shared memory. Bits 4 and up of the shared address are XORed
 * with bits 7 and up: one bit (32B), two (64B) or three (128B). Rows of a box are as far apart as the swizzle is
 * wide. */
typedef enum haul_tensor_swizzle {
    HAUL_TENSOR_SWIZZLE_NONE,
    HAUL_TENSOR_SWIZZLE_32B,
    HAUL_TENSOR_SWIZZLE_64B,
    HAUL_TENSOR_SWIZZLE_128B,
    /* sm_100 and later: as 128B, but 32 or 64 bytes stay together. FLIP_8B also exchanges the 8-byte halves of each 16
     * bytes in every second line of 128 bytes, for loads only. */
    HAUL_TENSOR_SWIZZLE_128B_ATOM_32B,
    HAUL_TENSOR_SWIZZLE_128B_ATOM_32B_FLIP_8B,
    HAUL_TENSOR_SWIZZLE_128B_ATOM_64B
} haul_tensor_swizzle;

/* Copies by pixels that move along dimension 1 alone (im2col::w, im2col::w::128), sm_100 and later. */
typedef enum haul_tensor_wide { HAUL_TENSOR_WIDE_NONE, HAUL_TENSOR_WIDE_W, HAUL_TENSOR_WIDE_W128 } haul_tensor_wide;

/* Interleaved channels: the array consists of pixels of 16 or 32 bytes, each a slice of their channels (NC/8HWC8 of
 * 2-byte elements is 16B). Dimension 0 counts pixels, which are adjacent. The last dimension but one counts slices; a
 * copy takes one, whatever the box says. Measured on an H100 (driver 580); the driver's manual does not say. */
typedef enum haul_tensor_interleave {
    HAUL_TENSOR_INTERLEAVE_NONE,
    HAUL_TENSOR_INTERLEAVE_16B,
    HAUL_TENSOR_INTERLEAVE_32B
} haul_tensor_interleave;

/* The smallest unit that L2 fetches for a copy. */
typedef enum haul_tensor_promotion {
    HAUL_TENSOR_PROMOTION_NONE,
    HAUL_TENSOR_PROMOTION_64B,
    HAUL_TENSOR_PROMOTION_128B,
    HAUL_TENSOR_PROMOTION_256B
} haul_tensor_promotion;

/* An array in a buffer, and the box that one copy moves. Dimension 0 is the innermost, with adjacent elements. Elements
 * of a box outside the array read as zeros or NaN and are not written (but rows are written to a multiple of 16 bytes).
 * A copy's first coordinate, in bytes, must be a multiple of 16; only loads may have negative coordinates. */
typedef struct haul_tensor {
    haul_buffer *buffer;
    uint64_t offset; /* bytes from the buffer's start to the array; the address must be a multiple of 16 */
    haul_tensor_type type;
    uint32_t rank;      /* 1 to 5 dimensions */
    uint64_t extent[5]; /* elements of the array, 1 to 2^32 each */
    uint64_t pitch[4];  /* bytes from one element to the next of dimensions 1 to 4: multiples of 16 below 2^40 */
    uint32_t box[5];    /* elements, 1 to 256 each; in dimension 0 a multiple of 16 bytes, at most the swizzle's */
    uint32_t step[5];   /* in dimensions 1 to 4 a copy takes each step-th element of the box, 1 to 8; 0 means 1 */
    haul_tensor_swizzle swizzle;
    haul_tensor_promotion promotion;
    bool fill_nan; /* floating types only */
    /* Copies by pixels (im2col), of 3 to 5 dimensions: channels, a pixel's place (1 to 3 dimensions), images. A copy
     * takes box[0] channels of `pixels` pixels (1 to 1024), each step-th from the place that it names on, row by row
     * and image by image. It stays between the corners: `lower` is counted from the first place, `upper` from the
     * last. */
    bool by_pixels;
    uint32_t pixels;
    int32_t lower[3], upper[3];
    /* By pixels, along dimension 1 alone: only that dimension's corners count, the next image follows the last place,
     * and the swizzle must be 64B, 128B or ATOM_32B. W128 always takes 128 pixels. A copy names a halo: the number of
     * additional pixels, or (W128) of additional pixels after each 32. */
    haul_tensor_wide wide;
    /* Not by pixels; 3 to 5 dimensions; no swizzle, or 32B with HAUL_TENSOR_INTERLEAVE_32B; rows without gaps.
     * extent[0] and box[0] then count pixels, but box[0] times an element's bytes must still be a multiple of 16. With
     * 32B the address and the pitches are multiples of 32. */
    haul_tensor_interleave interleave;
} haul_tensor;

/* Encodes the map that kernels get as an argument (HAUL_ARGUMENT_BYTES), for the device of the tensor's buffer. Errors:
 * HAUL_ERROR_ARGUMENT (the message says what is wrong; also if the array reaches beyond its buffer),
 * HAUL_ERROR_UNSUPPORTED if the device's driver lacks a feature. */
haul_status haul_tensor_map_encode(const haul_tensor *tensor, haul_tensor_map *map);
/* Describes the array for the tile transfers of haul/device.h, on any device. Without a tensor copy engine, the map
 * stays zero and other engines carry tiles. Extents up to 2^31 - 1, channels not interleaved. Errors as above. */
haul_status haul_tensor_view_encode(const haul_tensor *tensor, haul_tensor_view *view);

/* Loads PTX text; `name` is for messages. Errors: HAUL_ERROR_SYNTAX, HAUL_ERROR_UNSUPPORTED with name:line:column. */
haul_status haul_module_load(haul_device *device, const char *name, const char *ptx, size_t length,
                             haul_module **module);
/* Links several PTX texts into one module: symbols that one declares .extern are defined and made visible by another,
 * as with separate compilation (nvcc -rdc=true, clang -fgpu-rdc). Errors as above, with the text's name;
 * HAUL_ERROR_NOT_FOUND if no text defines a symbol. */
typedef struct haul_ptx {
    const char *name, *text;
    size_t length;
} haul_ptx;
haul_status haul_module_link(haul_device *device, const char *name, const haul_ptx *parts, size_t count,
                             haul_module **module);
/* Loads PTX from a file. Errors as haul_module_load(), and HAUL_ERROR_FILE. */
haul_status haul_module_load_file(haul_device *device, const char *path, haul_module **module);
/* Waits for the module's launches and frees its variables too. NULL is allowed. */
void haul_module_unload(haul_module *module);
/* Kernels of the module. haul parses a GPU's modules itself, to check launches; 0 if it cannot. */
size_t haul_module_kernel_count(const haul_module *module);
/* NULL if `index` is haul_module_kernel_count() or more. The text lives as long as the module. */
const char *haul_module_kernel_name(const haul_module *module, size_t index);

/* Finds a kernel by its name in the PTX or in the source, or by a part of its C++ declaration: "_Z2ldIfLi4EEvPT_",
 * "ld", "ld<float, 4>". Sets `symbol` to its name in the PTX, which lives as long as the module; to `name` if haul
 * cannot parse the PTX. Errors: HAUL_ERROR_NOT_FOUND with similar names; HAUL_ERROR_ARGUMENT if several match. */
haul_status haul_module_find_kernel(const haul_module *module, const char *name, const char **symbol);
/* Writes the name that a symbol of the PTX has in the source, without scopes and parameters ("saxpy" of
 * "_Z5saxpyifPKfPf"), cut to `size` - 1 characters. */
void haul_kernel_name(const char *symbol, char *name, size_t size);

/* The type of a parameter, as the PTX declares it. Addresses are integers. */
typedef enum haul_parameter_kind {
    HAUL_PARAMETER_BYTES, /* a structure, an array, or a number of unknown type */
    HAUL_PARAMETER_INTEGER,
    HAUL_PARAMETER_FLOATING
} haul_parameter_kind;
typedef struct haul_parameter {
    const char *name; /* lives as long as the module */
    haul_parameter_kind kind;
    uint64_t bytes;
} haul_parameter;
/* Gets the parameters of the kernel `symbol`: sets `count` to their number, and fills in the first `room`. Errors:
 * HAUL_ERROR_NOT_FOUND (no such kernel), HAUL_ERROR_UNSUPPORTED if haul cannot parse the PTX. */
haul_status haul_module_parameters(const haul_module *module, const char *symbol, haul_parameter *parameters,
                                   size_t room, size_t *count);

/* Finds a variable of the module in global or constant memory, by its name in the source or the PTX. The result is a
 * buffer over it, which the module owns. haul_buffer_write() fills a constant bank before launches; whether running
 * kernels see the change is undefined. Errors: HAUL_ERROR_NOT_FOUND. */
haul_status haul_module_variable(haul_module *module, const char *name, haul_buffer **variable);

/* Gets how many blocks of `threads` threads, with `shared_bytes` of dynamic shared memory each, an SM of the module's
 * device holds at once; 0 if not even one fits. Use it to size a grid that stays resident. Errors: HAUL_ERROR_NOT_FOUND
 * (no such kernel), HAUL_ERROR_ARGUMENT (no threads). */
haul_status haul_module_blocks_per_sm(haul_module *module, const char *kernel, uint32_t threads, uint32_t shared_bytes,
                                      uint32_t *blocks);

/* Opts a kernel in to `bytes` of dynamic shared memory a block, as cudaFuncSetAttribute() does; a larger earlier limit
 * stays. Without it, launches with more than haul_device_properties.shared_per_block (48 KiB), static shared memory
 * included, are refused. Errors: HAUL_ERROR_NOT_FOUND (no such kernel), HAUL_ERROR_LIMIT (beyond
 * shared_per_block_optin). */
haul_status haul_module_allow_shared(haul_module *module, const char *kernel, uint32_t bytes);

typedef struct haul_argument {
    haul_argument_kind kind;
    int64_t integer;     /* I8 to I64, signed or not */
    double real;         /* F32, F64 */
    haul_buffer *buffer; /* BUFFER: the kernel gets its device address + offset */
    uint64_t offset;
    const void *bytes; /* BYTES: a structure or array passed by value, such as a haul_tensor_map */
    uint64_t size;     /* BYTES: its size, the parameter's */
} haul_argument;

/* L2 policy of a launch's accesses. Persisting lines stay while the part that haul_l2_set_aside() reserves has room;
 * streaming lines are evicted first. CUDA's numbers. */
typedef enum haul_l2_access { HAUL_L2_NORMAL, HAUL_L2_STREAMING, HAUL_L2_PERSISTING } haul_l2_access;

/* A share `hit_ratio` (0 to 1, in sixteenths) of the accesses to these bytes has policy `hit`, the rest `miss`.
 * Accesses elsewhere are normal. haul_device_properties.window_bytes limits `bytes`. */
typedef struct haul_l2_window {
    haul_buffer *buffer; /* NULL: only the stream's window */
    uint64_t offset, bytes;
    float hit_ratio;
    haul_l2_access hit, miss;
} haul_l2_window;

/* grid is in blocks, block in threads; shared_bytes is the dynamic shared memory of a block. */
typedef struct haul_launch {
    const char *kernel;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    const haul_argument *arguments;
    size_t argument_count;
    uint32_t cluster[3]; /* blocks of a cluster in x, y, z; zeros: as the kernel declares. sm_90 and later; the grid
                            must consist of whole clusters of at most 8 blocks */
    haul_l2_window window;
} haul_launch;

/* Launches a kernel and waits for its end, unless haul_device_use_stream() has named a stream. Arguments are checked
 * against the kernel's parameters: their number, size, and, if the PTX declares it, whether they are integers or
 * floating point. Messages name scalars as the command line does, as `u8:1`. A launch record is appended to `run` (may
 * be NULL). Errors: HAUL_ERROR_NOT_FOUND (no such kernel), HAUL_ERROR_ARGUMENT, HAUL_ERROR_LIMIT (the device cannot
 * hold grid, block or shared memory, or the kernel did not opt in to that much dynamic shared memory),
 * HAUL_ERROR_FAULT, _TRAP, _TIMEOUT, _DEADLOCK (from the kernel). */
haul_status haul_launch_run(haul_module *module, const haul_launch *launch, haul_run *run);

/* Creates an empty run record stamped with the device; it may outlive the device. Free it with haul_run_free(). Errors:
 * HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_run_create(haul_device *device, haul_run **run);

#ifdef __cplusplus
}
#endif
#endif
