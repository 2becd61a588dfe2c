/* Launch descriptions: lines of a LAUNCHES.jsonl file, or options of a command line; and running one.
 *
 * A line is an object:
 *     {"id":0,"kernel":"saxpy","grid":[256,1,1],"block":[256,1,1],"smem":0,
 *      "args":[{"i32":65536},{"f32":1.5},{"buf":"f01","words":65536,"seed":1,"offset":0,"after":"1d94492b1bfe4bfa"}],
 *      "globals":{"table":{"buf":"u32","words":256}},
 *      "l2":{"set_aside":16777216,"arg":2,"ratio":0.5,"hit":"persisting","miss":"streaming"},
 *      "file":"saxpy","counters":{"inst_global_ld":1,"lts__t_sectors_srcunit_tex_op_read":[4,8]},"us":60.45}
 * globals: values of the module's variables in global or constant memory, from their beginning on; the rest keeps what
 * the launch before left. l2: how much of L2 is set aside for the launch, and its access window, which is one of its
 * buffers; hit and miss are normal, streaming or persisting. kernel, grid, block and args are required; grid and block
 * may have fewer than three numbers. Fields that are not in fields.def are refused; `notes` may hold anything.
 *
 * Buffers are 32-bit words; element i of a buffer of n words, with h(x) = x * 2654435761 mod 2^32:
 *     f01     float ((h(i + seed) >> 8) + 1) * 2^-24, in (0, 1]
 *     u32     h(i + seed)
 *     iota    i + seed
 *     perm    i * seed mod n, as in recorded launches; without a seed as shuffle
 *     shuffle the numbers 0 to n - 1 in random order, for n up to 2^32
 *     index   random numbers below `below` (default n), uniformly distributed
 *     zero    0
 *     poison  0xdeadbeef
 * A buffer may also have elements of a scalar's type, with a distribution, a function of seed and index:
 *     {"buf":"f16","count":4096,"normal":[0,1],"seed":3}
 * `uniform` has bounds, which integers include; `normal` has a mean and a deviation; `value` is a number for all.
 * Without them, real numbers are uniform in (0, 1], and integers have any bits. A texture stands for its handle. Its
 * elements are filled as a buffer's words, without gaps, row by row:
 *     {"tex":"u32","shape":[64,32],"format":"u8x4","as":"linear,wrap,normalized","seed":1}
 * shape: width, height, depth (layers). format: u8, u16, u32, s8, s16, s32, f16 or f32, and x2 or x4. `as`: words of
 * LAUNCH_TEXTURE_WORDS, in any order; without them: no filter, clamped, in texels, in an array. {"surf":...} is a
 * surface, whose contents are hashed like a buffer's.
 *
 * A launch's buffers are allocated one after the other in the order of the arguments, each `words` * 4 + 256 bytes. The
 * kernel gets the address `offset` bytes after the start, where the words begin. On a device that checks launches, a
 * buffer ends with its words.
 *
 * {"buf":"file","path":"in.bin"} holds the bytes of a file, whose path is relative to the launch file's folder. `at`,
 * of any buffer, moves the kernel's pointer this many bytes beyond the first word. {"buf":"same","of":0,"at":4096} is a
 * pointer into the buffer of another argument, counted from 0. For a buffer in a structure `of` is a path: [0,2] is the
 * third field of argument 0, [0,"in"] its field of that name. {"bytes":"00000040"} are the bytes of an argument, such
 * as a structure, as hexadecimal digits.
 *
 * {"struct":{"n":{"i32":4},"scale":{"f32x2":[1,2]},"in":{"buf":"f01","words":64}}} is a structure by value, laid out as
 * C does; its fields are arguments, also structures, and an array of them has no names. {"f32x4":[1,2,3,4]} is a vector
 * with its alignment, {"f32":[1,2,3]} an array.
 *
 * `ptx` names the kernel's file, relative to the launch file's folder, so that --ptx is not needed.
 *
 * A tensor map is an argument that describes an array in the buffer of another argument, `of`, counted from 0:
 *     {"tensor":"f32","of":0,"extent":[64,32],"pitch":[256],"box":[32,8],"step":[1,1],"swizzle":"128B",
 *      "promotion":"none","nan":false}
 * with haul_tensor's fields and types ("f32", "bf16", ...); step, interleave, swizzle, promotion and nan are optional.
 * Copies by pixels also have "pixels", "lower" and "upper", and a box of one number. */
#ifndef HAUL_LIB_LAUNCH_LAUNCHES_H
#define HAUL_LIB_LAUNCH_LAUNCHES_H

#include "base/arena.h"
#include "base/text.h"
#include "lib/launch/fill.h"
#include "lib/launch/scalar.h"

#include <haul/haul.h>
#include <haul/texture.h>
#include <jansson.h>

/* The only list of words that describe a texture: WORD(name, what it sets). */
#define LAUNCH_TEXTURE_WORDS(WORD)                \
    WORD("linear", sampler.linear = true)         \
    WORD("wrap", mode = HAUL_ADDRESS_WRAP)        \
    WORD("clamp", mode = HAUL_ADDRESS_CLAMP)      \
    WORD("mirror", mode = HAUL_ADDRESS_MIRROR)    \
    WORD("border", mode = HAUL_ADDRESS_BORDER)    \
    WORD("normalized", sampler.normalized = true) \
    WORD("integers", sampler.integers = true)     \
    WORD("srgb", sampler.srgb = true)             \
    WORD("seamless", sampler.seamless = true)     \
    WORD("layered", shape.layered = true)         \
    WORD("cube", shape.cube = true)               \
    WORD("gather", shape.gather = true)           \
    WORD("memory", memory = LAUNCH_IN_LINEAR)     \
    WORD("pitched", memory = LAUNCH_IN_PITCHED)

/* The array or memory under a texture or surface. */
typedef struct launch_texture {
    bool is_surface;
    const char *as; /* the words */
    haul_array_shape shape;
    haul_sampler sampler;
    haul_address_mode mode;
    enum { LAUNCH_IN_ARRAY, LAUNCH_IN_LINEAR, LAUNCH_IN_PITCHED } memory;
} launch_texture;

typedef struct launch_argument launch_argument;

/* The way from a structure to one of its fields. */
typedef struct launch_step {
    const char *field; /* its name; NULL: it is told by `number` */
    size_t number;
} launch_step;

/* A structure by value, laid out as C does. In a launch, its fields are arguments of their own behind the kernel's. */
typedef struct launch_structure {
    launch_argument *fields;
    size_t count;
    size_t first;             /* the first field's number among the launch's arguments */
    uint64_t size, alignment; /* bytes */
    const char *row;          /* of a vector or an array, its kind: f32x4, or f32 for an array; else NULL */
} launch_structure;

struct launch_argument {
    const char *variable; /* the module's variable that holds this value; NULL: an argument of the kernel, or a field */
    const char *field;    /* its name in its structure, or NULL */
    size_t inside, number; /* of a field: its structure's argument, and its place in the list of fields */
    uint64_t place;        /* of a field: bytes from the structure's beginning */
    bool is_field;
    launch_structure *structure; /* NULL: none; else BYTES */
    haul_argument_kind kind;
    launch_texture *texture;     /* NULL: none; else I64, with fill, words and seed of a BUFFER */
    const launch_scalar *scalar; /* NULL: not a scalar */
    int64_t integer;             /* integer scalars */
    double real;                 /* F32, F64 */
    /* BUFFER */
    launch_fill fill;
    launch_elements elements; /* LAUNCH_FILL_ELEMENTS */
    uint64_t words;
    uint32_t seed;
    uint64_t below; /* LAUNCH_FILL_INDEX; 0: `words` */
    uint64_t offset;
    uint64_t at;        /* bytes from the first word to the kernel's pointer */
    bool shares;        /* it uses the buffer of argument `of` */
    const char *input;  /* LAUNCH_FILL_FILE: the file with the contents, else NULL */
    const char *output; /* the file that gets the contents after the kernel, or NULL */
    bool recorded;      /* the line has an `after` hash */
    uint64_t after;     /* that hash */
    uint64_t hash;      /* set by launch_run(): FNV-1a over the words */
    /* BYTES: the bytes, or a tensor map of the array in the buffer of argument `of` */
    const unsigned char *bytes;
    size_t byte_count;
    haul_tensor *tensor; /* NULL: none */
    size_t of;           /* among the launch's arguments; until these are complete, where `path` begins */
    launch_step *path;   /* of `steps`, to a field; NULL: `of` is the argument itself */
    size_t steps;
};

/* A recorded counter: a number (low == high) or a range. */
typedef struct launch_counter {
    haul_counter counter;
    double low, high;
} launch_counter;

/* L2 settings of a launch. */
typedef struct launch_l2 {
    bool given;
    uint64_t set_aside;
    bool has_window;
    size_t argument; /* the window's buffer */
    double ratio;
    haul_l2_access hit, miss;
} launch_l2;

typedef struct launch_description {
    const char *where; /* "launches.jsonl:3", for messages */
    int64_t id;
    const char *kernel;
    const char *entry; /* the kernel's symbol in its module; NULL = `kernel` is it */
    const char *file;  /* the source's stem, or NULL */
    const char *ptx;   /* the kernel's file, or NULL */
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* blocks of a cluster; zeros: as the kernel declares */
    uint32_t shared_bytes;
    bool opted_in; /* set by launch_run(): the kernel had to opt in to this size */
    launch_l2 l2;
    launch_argument *arguments; /* the kernel's, the fields of its structures, and the variables' values */
    size_t argument_count, field_count, variable_count;
    launch_counter *counters; /* counters that haul knows */
    size_t counter_count;
    double us;    /* recorded time; negative = none */
    json_t *json; /* the line as read; NULL for a launch from the command line */
} launch_description;

typedef struct launch_list {
    arena memory;
    const char *folder; /* folder of the launch file being read; NULL: the current one */
    launch_description *items;
    size_t count, capacity;
} launch_list;

#define LAUNCH_SAME "same"   /* in place of a rule: another argument's buffer */
enum { LAUNCH_SLACK = 256 }; /* bytes of a buffer beyond its words, the range of `offset` */

extern const char *const launch_access_names[HAUL_L2_PERSISTING + 1]; /* of haul_l2_access */

/* Arguments, fields and variables. */
static inline size_t launch_value_count(const launch_description *d) {
    return d->argument_count + d->field_count + d->variable_count;
}

/* All-zero is a valid empty list. */
void launch_list_free(launch_list *list);

/* Appends a file's launches; empty lines are skipped. Errors: HAUL_ERROR_FILE; HAUL_ERROR_SYNTAX and
 * HAUL_ERROR_ARGUMENT as "path:line: what". */
haul_status launch_read_file(launch_list *list, const char *path);
/* The same from memory; `name` stands for the path. */
haul_status launch_read_text(launch_list *list, const char *name, const char *text, size_t length);

/* Parses an argument of the command line:
 *     i32:N  f32:X  and so on: LAUNCH_SCALARS
 *     f32x4:X,X,X,X  i32[3]:N,N,N                    a vector with its alignment, an array
 *     bytes:HEX                                      the argument's bytes
 *     struct:{n=i32:4,in=buf:f01:64}                 fields with or without names, laid out as C does
 *     buf:FILL:WORDS[:SEED[:OFFSET]][,below=N][,out=FILE]      words and N may be 64K, 1M
 *     buf:file=FILE[,out=FILE]                       the file's bytes, zero-padded to whole words
 *     tex:FILL:SHAPE:FORMAT[:AS[:SEED]]              tex:f01:64x32:f32:linear,wrap,normalized:7
 *     surf:FILL:SHAPE:FORMAT[:AS[:SEED]]
 * Strings are copied into the list. */
haul_status launch_parse_argument(launch_list *list, const char *text, launch_argument *argument);
/* Parses hexadecimal digits, two a byte. */
haul_status launch_parse_bytes(launch_list *list, const char *hex, launch_argument *argument);
/* In structure.c: reads {"struct":...}; parses the text behind `struct:`, or a vector or array of scalars as
 * f32x4:1,2,3,4 and i32[3]:1,2,3 (`kind` is what is before the colon). */
haul_status launch_read_structure(launch_list *list, json_t *object, launch_argument *argument);
haul_status launch_parse_structure(launch_list *list, const char *fields, launch_argument *argument);
haul_status launch_parse_vector(launch_list *list, const char *kind, const char *numbers, launch_argument *argument);
bool launch_is_vector(const char *kind);
json_t *launch_structure_to_json(const launch_argument *argument);
/* Gives the fields of all structures their places behind the kernel's arguments. */
haul_status launch_place_fields(launch_list *list, launch_description *launch);
/* Parses a variable's value from the command line: NAME=ARGUMENT. */
haul_status launch_parse_variable(launch_list *list, const char *text, launch_argument *variable);
/* Parses a window: "2:0.5": argument 2 persists in L2, for half of its accesses; "2": for all. */
haul_status launch_parse_window(const char *text, launch_l2 *l2);
/* Parses "256", "256,2", "16x16x4" or "[32,8,1]" to three numbers; missing ones are 1. */
haul_status launch_parse_extent(const char *what, const char *text, uint32_t extent[3]);
/* In texture.c: reads a texture or surface from a launch file, or from the command line (the text after the kind), and
 * writes it back. */
haul_status launch_read_texture(launch_list *list, json_t *object, launch_argument *argument);
haul_status launch_parse_texture(launch_list *list, char *fields, bool is_surface, launch_argument *argument);
json_t *launch_texture_to_json(const launch_argument *argument);

/* Appends one launch made of options; arguments and kernel name are copied. NULL if out of memory. */
launch_description *launch_append(launch_list *list, const launch_description *launch);

/* Allocates and fills buffers, opts the kernel in to its dynamic shared memory, launches, hashes every buffer
 * (argument.hash), writes output files and frees. Appends a launch record to `run` (see haul_launch_run), on a device
 * that checks launches also if the kernel fails. Messages begin with launch->where. */
haul_status launch_run(haul_device *device, haul_module *module, launch_description *launch, haul_run *run);

/* A launch's buffers, for repeated launches. */
typedef struct launch_workspace {
    size_t count; /* number of arguments, variables included */
    size_t own;   /* number of the kernel's arguments and their fields; their buffers are freed */
    uint32_t *chunk;
    text *contents;                                 /* contents of buffers from files */
    haul_buffer **buffers;                          /* by argument; NULL for scalars; a variable's is its module's */
    haul_array **arrays;                            /* by argument; of textures and surfaces */
    haul_texture **textures;                        /* by argument */
    unsigned char (*maps)[sizeof(haul_tensor_map)]; /* by argument */
    unsigned char **structures;                     /* by argument; their bytes */
    haul_argument *arguments;                       /* what haul_launch_run() takes */
} launch_workspace;

/* In texture.c: creates the argument's array or memory and its object; fills it; hashes a surface's contents. */
haul_status launch_texture_start(haul_device *device, const launch_argument *argument, launch_workspace *w, size_t i);
haul_status launch_texture_fill(const launch_argument *argument, const launch_workspace *w, size_t i);
haul_status launch_texture_take(launch_argument *argument, const launch_workspace *w, size_t i);

/* Allocates and fills; `module` has the variables (NULL if there are none). `w` must be all zeros; call
 * launch_workspace_end() also after an error. */
haul_status launch_workspace_start(haul_device *device, haul_module *module, launch_argument *arguments, size_t count,
                                   launch_workspace *w);
/* Fills the buffers again. */
haul_status launch_workspace_refill(launch_workspace *w, const launch_argument *arguments);
/* Hashes the buffers' contents (argument.hash) and writes output files. */
haul_status launch_workspace_take(launch_workspace *w, launch_argument *arguments);
void launch_workspace_end(launch_workspace *w);
/* The launch with the workspace's arguments; valid as long as both. Structures get the size of the kernel's parameter
 * if its alignment pads them. */
haul_launch launch_workspace_launch(const launch_workspace *w, const haul_module *module,
                                    const launch_description *launch);

/* Sets L2 aside before the launch (`begins`), or ends that after it. */
haul_status launch_set_aside(haul_device *device, const launch_description *launch, bool begins);

/* Ends it after a launch that failed; returns `status` with its message. */
haul_status launch_end_aside(haul_device *device, const launch_description *launch, haul_status status);

/* Times the launch on a real device: `rounds` times (0: 15) after a few warm-up rounds, each with its buffers' initial
 * contents and none of them in L2. The record of the same launch gets the median and the range. Errors: those of
 * launch_run(); HAUL_ERROR_OUT_OF_MEMORY if the device has no room for a copy of the buffers. */
haul_status launch_time(haul_device *device, haul_module *module, launch_description *launch, unsigned rounds,
                        haul_launch_record *record);

/* The argument as a launch file has it; NULL when out of memory. */
json_t *launch_argument_to_json(const launch_argument *argument);

/* Whether all recorded hashes match; true if none is recorded. Valid after launch_run(). */
bool launch_outputs_match(const launch_description *launch);

/* Writes the line with this run's `after`, `counters`, and `estimate_us`, or `us`, `us_low` and `us_high` if it was
 * timed. `stamp` is the run's. NULL if out of memory; the caller owns the reference. */
json_t *launch_to_json(const launch_description *launch, haul_stamp stamp, const haul_launch_record *record);

/* Counters as a JSON object by key, without those not read. A counter that varied between readings of hardware is
 * [lowest, highest]. */
json_t *launch_counters_to_json(haul_stamp stamp, const haul_launch_record *record);

#endif
