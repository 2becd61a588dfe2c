/* haul's host library: devices (virtual or real), buffers, modules, launches.
 *
 * All functions may be called from any thread, but one object, and all that belongs to one device, by one thread at a
 * time. Calls block until the work is done (haul/stream.h has those that do not); what one wrote, those after it see,
 * on the host and on the device. Every failing call leaves a message (haul_message()), and sets what it would have made
 * to NULL. Sizes and offsets are bytes; shapes are x, y, z. */
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

/* Which warp of a block, and which block of an SM, runs first on the virtual GPU. Correct kernels cannot tell. */
typedef enum haul_schedule { HAUL_SCHEDULE_IN_ORDER, HAUL_SCHEDULE_REVERSED, HAUL_SCHEDULE_RANDOM } haul_schedule;

/* The launches whose counters a virtual GPU finds. Those that are not counted do the same in less time; counters are
 * negative in their records, and their estimate is rough: the mean of counted launches of the same kernel and shape,
 * or, where there are none, what the number of its operations says. Checked launches are always counted. */
typedef enum haul_counting {
    HAUL_COUNT_ALL,
    HAUL_COUNT_RECORDED, /* those that a run gets the record of */
    HAUL_COUNT_NONE,
} haul_counting;

/* How a virtual device runs. Zero fields mean the default. */
typedef struct haul_device_options {
    uint32_t threads;           /* host threads; default: all cores. Results and counters do not depend on it */
    uint64_t instruction_limit; /* warp-level instructions one launch may execute before it counts as endless;
                                   default 2^36 */
    uint64_t memory_bytes;      /* device memory; default: the machine's, as far as the host has it */
    uint64_t heap_bytes;        /* of the heap that kernels allocate from (cudaLimitMallocHeapSize); default 8 MiB; GPUs
                                   have it too */
    uint64_t stack_bytes;       /* of a thread, for calls and alloca() (cudaLimitStackSize); default 1024; GPUs too */
    bool check;             /* look for findings (haul/run.h) in every launch. A kernel that faults or deadlocks then
                               still leaves its launch record, with the fault as a finding */
    haul_schedule schedule; /* the order in which warps and blocks take turns */
    uint64_t seed;          /* of HAUL_SCHEDULE_RANDOM */
    haul_counting counting; /* virtual GPU */
    bool keep_l2; /* of a virtual GPU: L2 keeps its lines from one counted launch to the next, as it does for a
                     program on hardware; default: it is empty before each launch, as Nsight Compute has it.
                     Copies and fills between launches leave it alone */
    uint64_t sample_blocks; /* of a larger launch only so many blocks are counted, in the middle of the grid, and the
                               counters are scaled to all (haul_launch_record.sampled_blocks); default: all are
                               counted. Launches whose blocks may wait for each other, and checked ones, always are */
} haul_device_options;

/* `name`: "sim:h100" (any machine of `haul info`), "sim" (h100), "gpu:0", or "auto" (gpu:0 where there is one, else
 * sim). `options` may be NULL. Errors: HAUL_ERROR_ARGUMENT (no such form of a name), HAUL_ERROR_NO_DEVICE (no such
 * machine or GPU; no driver), HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_device_open(const char *name, const haul_device_options *options, haul_device **device);
/* Of a virtual device with checks: appends a record to `run` for each kernel of loaded modules whose blocks of the
 * device's heap nobody has freed, with the findings (leak). Errors: HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_device_leaks(haul_device *device, haul_run *run);
/* Also ends the modules, buffers, pinned host memory, arrays and textures that are left; streams, events, graphs and
 * pools have to be ended before. NULL is allowed. */
void haul_device_close(haul_device *device);
/* The texts live as long as the device. */
const char *haul_device_name(const haul_device *device);    /* "sim:h100" */
const char *haul_device_product(const haul_device *device); /* "NVIDIA H100 80GB HBM3" */
bool haul_device_is_virtual(const haul_device *device);
uint32_t haul_device_architecture(const haul_device *device); /* 90 for sm_90; 0 when the driver does not say */
uint32_t haul_device_sm_count(const haul_device *device);     /* streaming multiprocessors; likewise */
double haul_device_memory_rate(const haul_device *device);    /* bytes a second of device memory, at most; likewise */

/* Limits of a device, as cudaGetDeviceProperties() has them; properties.def says what each is. 0 where the driver does
 * not say. */
typedef struct haul_device_properties {
    uint32_t architecture; /* 90 for sm_90 */
    uint64_t memory_bytes; /* of device memory, as the machine has it */
    double memory_rate;    /* bytes a second, at most */
#define PROPERTY(group, name, attribute, unit, title, text) uint64_t name;
#include <haul/properties.def>
} haul_device_properties;
/* Does not block. */
void haul_device_properties_of(const haul_device *device, haul_device_properties *properties);

/* Device memory of `bytes` (0 is allowed), aligned to 512 bytes, contents undefined. Errors: HAUL_ERROR_OUT_OF_MEMORY.
 */
haul_status haul_buffer_create(haul_device *device, uint64_t bytes, haul_buffer **buffer);
/* Waits for work that may use it. Not for a pool's buffers, a module's variables or a view of host memory. NULL is
 * allowed. */
void haul_buffer_free(haul_buffer *buffer);
uint64_t haul_buffer_bytes(const haul_buffer *buffer);
uint64_t haul_buffer_address(const haul_buffer *buffer); /* device address */
/* Copies between host memory and the buffer at byte `offset`. Errors: HAUL_ERROR_ARGUMENT beyond the buffer's end. */
haul_status haul_buffer_write(haul_buffer *buffer, uint64_t offset, const void *host, uint64_t bytes);
haul_status haul_buffer_read(haul_buffer *buffer, uint64_t offset, void *host, uint64_t bytes);

/* ---- tensor maps: boxes of arrays for the tensor copy engine (sm_90 and later) ---- */

/* With the driver API's numbers. */
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

/* How a box's 16-byte chunks are spread over the banks of shared memory: bits 4.. of the shared address are XORed with
 * bits 7..: one bit (32B), two (64B), three (128B). Rows of a box are then as far apart as the swizzle is wide. */
typedef enum haul_tensor_swizzle {
    HAUL_TENSOR_SWIZZLE_NONE,
    HAUL_TENSOR_SWIZZLE_32B,
    HAUL_TENSOR_SWIZZLE_64B,
    HAUL_TENSOR_SWIZZLE_128B,
    /* From sm_100 on: 128B, but of 32 or 64 bytes that stay together; FLIP_8B: and in every second line of 128 bytes
     * the halves of 16 bytes change places, for loads only. */
    HAUL_TENSOR_SWIZZLE_128B_ATOM_32B,
    HAUL_TENSOR_SWIZZLE_128B_ATOM_32B_FLIP_8B,
    HAUL_TENSOR_SWIZZLE_128B_ATOM_64B
} haul_tensor_swizzle;

/* Copies by pixels that move along dimension 1 alone (im2col::w, im2col::w::128), from sm_100 on. */
typedef enum haul_tensor_wide { HAUL_TENSOR_WIDE_NONE, HAUL_TENSOR_WIDE_W, HAUL_TENSOR_WIDE_W128 } haul_tensor_wide;

/* Interleaved channels: an array of pixels of 16 or 32 bytes each, a slice of their channels (NC/8HWC8 of 2-byte
 * elements is 16B). Dimension 0 counts pixels, which lie side by side; the last dimension but one counts slices, of
 * which a copy takes one, whatever the box says. As an H100 has it (driver 580): the driver's manual does not say. */
typedef enum haul_tensor_interleave {
    HAUL_TENSOR_INTERLEAVE_NONE,
    HAUL_TENSOR_INTERLEAVE_16B,
    HAUL_TENSOR_INTERLEAVE_32B
} haul_tensor_interleave;

/* The least that L2 fetches for a copy. */
typedef enum haul_tensor_promotion {
    HAUL_TENSOR_PROMOTION_NONE,
    HAUL_TENSOR_PROMOTION_64B,
    HAUL_TENSOR_PROMOTION_128B,
    HAUL_TENSOR_PROMOTION_256B
} haul_tensor_promotion;

/* An array in a buffer, and the box that one copy moves. Dimension 0 is the innermost, whose elements lie side by side.
 * Elements of a box outside the array read as zeros or NaN, and are not written (but rows are written to a multiple of
 * 16 bytes). A copy's first coordinate, in bytes, must be a multiple of 16; only loads may have negative ones. */
typedef struct haul_tensor {
    haul_buffer *buffer;
    uint64_t offset; /* of the array in the buffer, in bytes; the address must be a multiple of 16 */
    haul_tensor_type type;
    uint32_t rank;      /* 1 to 5 dimensions */
    uint64_t extent[5]; /* elements of the array, 1 to 2^32 each */
    uint64_t pitch[4];  /* bytes from one element to the next of dimensions 1 to 4: multiples of 16 below 2^40 */
    uint32_t box[5];    /* elements, 1 to 256 each; in dimension 0 a multiple of 16 bytes, at most the swizzle's */
    uint32_t step[5];   /* of dimensions 1 to 4, a copy takes each step-th element of the box, 1 to 8; 0 means 1 */
    haul_tensor_swizzle swizzle;
    haul_tensor_promotion promotion;
    bool fill_nan; /* floating types only */
    /* For copies by pixels (im2col), of 3 to 5 dimensions: channels, a pixel's place (1 to 3 dimensions), images. A
     * copy takes box[0] channels of so many pixels one after the other (1 to 1024), each step-th from the place that it
     * names on, row by row and image by image, between the corners: `lower` counted from the first place, `upper` from
     * the last. */
    bool by_pixels;
    uint32_t pixels;
    int32_t lower[3], upper[3];
    /* By pixels, along dimension 1 alone: only its corners count, behind the last place comes the next image, and the
     * swizzle must be 64B, 128B or ATOM_32B. W128 always takes 128 pixels. A copy names a halo: so many more pixels, or
     * (W128) so many beyond each 32. */
    haul_tensor_wide wide;
    /* Not by pixels, and of 3 to 5 dimensions; without a swizzle, or with 32B of 32B, in rows without gaps. extent[0]
     * is pixels then, and so is box[0], which times an element's bytes must be a multiple of 16 all the same. With 32B
     * the address and the pitches are multiples of 32. */
    haul_tensor_interleave interleave;
} haul_tensor;

/* Encodes the map that kernels get as an argument (HAUL_ARGUMENT_BYTES), for the device of the tensor's buffer. Errors:
 * HAUL_ERROR_ARGUMENT with what is wrong (also when the array reaches beyond its buffer), HAUL_ERROR_UNSUPPORTED for
 * what the device's driver does not have. */
haul_status haul_tensor_map_encode(const haul_tensor *tensor, haul_tensor_map *map);
/* The array as the tile transfers of haul/device.h take it, on any device: where there is no tensor copy engine, the
 * map stays zeros and tiles go by other engines. Extents up to 2^31 - 1, channels not interleaved. Errors as above. */
haul_status haul_tensor_view_encode(const haul_tensor *tensor, haul_tensor_view *view);

/* Loads PTX text; `name` is for messages. Errors: HAUL_ERROR_SYNTAX, HAUL_ERROR_UNSUPPORTED with name:line:column. */
haul_status haul_module_load(haul_device *device, const char *name, const char *ptx, size_t length,
                             haul_module **module);
/* Several PTX texts as one module: what one declares .extern is what another defines and lets others see, as separate
 * compilation makes them (nvcc -rdc=true, clang -fgpu-rdc). Errors as above, with the text's name; HAUL_ERROR_NOT_FOUND
 * for what none of them defines. */
typedef struct haul_ptx {
    const char *name, *text;
    size_t length;
} haul_ptx;
haul_status haul_module_link(haul_device *device, const char *name, const haul_ptx *parts, size_t count,
                             haul_module **module);
/* The same from a file, whose name is for messages. Errors: HAUL_ERROR_FILE too. */
haul_status haul_module_load_file(haul_device *device, const char *path, haul_module **module);
/* Ends its variables too. Waits for its launches. NULL is allowed. */
void haul_module_unload(haul_module *module);
/* Of a GPU's modules haul reads the PTX itself, to check launches by it: 0 where it cannot. */
size_t haul_module_kernel_count(const haul_module *module);
/* NULL from haul_module_kernel_count() on. The text lives as long as the module. */
const char *haul_module_kernel_name(const haul_module *module, size_t index);

/* A variable of the module in global or constant memory, as the source or the PTX calls it: a buffer over it, which the
 * module owns. haul_buffer_write() fills a constant bank before launches; kernels that are under way see it or not.
 * Errors: HAUL_ERROR_NOT_FOUND. */
haul_status haul_module_variable(haul_module *module, const char *name, haul_buffer **variable);

/* How many blocks of `threads`, with `shared_bytes` of dynamic shared memory each, an SM of the module's device holds
 * at once: 0 when not even one fits. What a grid that stays resident is sized by. Errors: HAUL_ERROR_NOT_FOUND (no such
 * kernel), HAUL_ERROR_ARGUMENT (no threads). */
haul_status haul_module_blocks_per_sm(haul_module *module, const char *kernel, uint32_t threads, uint32_t shared_bytes,
                                      uint32_t *blocks);

/* Opts a kernel in to `bytes` of dynamic shared memory for each block, as cudaFuncSetAttribute() does; what it was
 * allowed before stays. Launches of more than haul_device_properties.shared_per_block (48 KiB), static shared memory
 * included, are refused without. Errors: HAUL_ERROR_NOT_FOUND (no such kernel), HAUL_ERROR_LIMIT (beyond
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

/* What of L2 a launch's accesses get. Persisting lines stay as long as the part that haul_l2_set_aside() sets aside has
 * room; streaming ones are the first to go. CUDA's numbers. */
typedef enum haul_l2_access { HAUL_L2_NORMAL, HAUL_L2_STREAMING, HAUL_L2_PERSISTING } haul_l2_access;

/* Of the accesses to these bytes, the share `hit_ratio` (0 to 1; in sixteenths) is `hit`, the rest `miss`. Accesses
 * elsewhere are normal. The most bytes are haul_device_properties.window_bytes. */
typedef struct haul_l2_window {
    haul_buffer *buffer; /* NULL: no window but the stream's */
    uint64_t offset, bytes;
    float hit_ratio;
    haul_l2_access hit, miss;
} haul_l2_window;

/* grid: blocks, block: threads, in x, y, z; shared_bytes: dynamic shared memory a block. */
typedef struct haul_launch {
    const char *kernel;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    const haul_argument *arguments;
    size_t argument_count;
    uint32_t cluster[3]; /* blocks of a cluster in x, y, z; zeros: as the kernel says. sm_90 and later; the grid is made
                            up of whole clusters of at most 8 blocks */
    haul_l2_window window;
} haul_launch;

/* Launches a kernel and waits for its end, unless haul_device_use_stream() says where it goes. Arguments are checked
 * against the kernel's parameters by number, size, and where PTX declares it, whether they are whole or floating.
 * Messages name scalars as the command line does, as `u8:1`. `run` (may be NULL) gets a launch record appended. Errors:
 * HAUL_ERROR_NOT_FOUND (no such kernel), HAUL_ERROR_ARGUMENT, HAUL_ERROR_LIMIT (grid, block or shared memory beyond the
 * device, dynamic shared memory that the kernel did not opt in to), HAUL_ERROR_FAULT, _TRAP, _TIMEOUT, _DEADLOCK (the
 * kernel's). */
haul_status haul_launch_run(haul_module *module, const haul_launch *launch, haul_run *run);

/* An empty run record stamped with the device, which it may outlive. End it with haul_run_free(). Errors:
 * HAUL_ERROR_OUT_OF_MEMORY. */
haul_status haul_run_create(haul_device *device, haul_run **run);

#ifdef __cplusplus
}
#endif
#endif
