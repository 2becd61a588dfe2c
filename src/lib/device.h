/* Structures of the host library's objects, and their internal functions. */
#ifndef HAUL_LIB_DEVICE_H
#define HAUL_LIB_DEVICE_H

#include "driver/driver.h"
#include "ptx/ir.h"

#include <haul/haul.h>
#include <haul/stream.h>
#include <haul/texture.h>

/* Virtual GPUs that were opened together. Their contexts live until all of them are closed, since each knows the
 * others'. */
typedef struct device_set {
    CUcontext contexts[HAUL_MOST_DEVICES];
    CUdevice handles[HAUL_MOST_DEVICES];
    unsigned count, open;
} device_set;

/* A device owns its buffers, modules, arrays and textures: closing it frees them. */
struct haul_device {
    const driver_table *driver;
    const struct vgpu_extras *extras; /* of a virtual GPU, beside the driver API; NULL: a real GPU */
    bool checks;                      /* launches are checked for findings */
    bool queues;                      /* launches are not waited for: lib/timing.h */
    haul_stream *default_stream;      /* NULL: not used yet */
    CUstream stream;                  /* launches go there and are not waited for; NULL: the default stream */
    char *name, *product;
    CUdevice handle;
    CUcontext context;
    device_set *set; /* NULL: it is alone, or a real GPU */
    haul_buffer *buffers;
    haul_module *modules;
    haul_host *hosts;
    haul_array *arrays;
    haul_texture *textures;
};

struct haul_buffer {
    haul_device *device;
    CUdeviceptr address;
    uint64_t bytes;
    haul_buffer *next;
};

struct haul_module {
    haul_device *device;
    CUmodule handle;
    char *name;
    const ptx_module *ptx;  /* the kernels' signatures; NULL if haul could not parse them */
    ptx_module *own_ptx;    /* the same, if the module owns it */
    haul_buffer *variables; /* views created so far */
    haul_module *next;
};

/* Finds a variable by its name in the source or in the PTX; NULL if haul knows none. */
const ptx_variable *module_find_variable(const haul_module *module, const char *name);

/* Opts the launch's kernel in to its dynamic shared memory, for launches that haul itself makes; *opted_in: it was
 * necessary. Errors: those of haul_module_allow_shared(). */
haul_status module_opt_in(haul_module *module, const haul_launch *launch, bool *opted_in);

/* As haul_device_open(); `number`: how many virtual GPUs of the same name come before it in the program. */
haul_status device_open_further(const char *name, unsigned number, const haul_device_options *options,
                                haul_device **device);

/* Splits "h200x4", a machine and a number of devices. Returns the length of the machine's name; for a name without a
 * number all of it, and the number is 1. */
size_t device_split_machine(const char *machine, uint64_t *number);
/* Splits "sim:h200x4" into the length of the device's own name and the number of such devices, 1 for a name without
 * one. Errors: HAUL_ERROR_LIMIT if a program cannot have that many. */
haul_status device_split_number(const char *name, size_t *length, unsigned *number);

/* Ends the device's context, at once or with the last device of its set. */
void device_leave(haul_device *device);

/* Reads the properties of the driver's device `handle`, which need not be open. extras: NULL, or a virtual GPU's. */
void device_read_properties(const driver_table *driver, const struct vgpu_extras *extras, CUdevice handle,
                            haul_device_properties *properties);

/* shared_per_block_optin alone: drivers need milliseconds for all properties, since some of them are clocks. */
uint32_t device_shared_opt_in(const haul_device *device);

/* "sim:h100": the virtual device most similar to this one, of the same product or else the same architecture. */
void device_name_twin(const haul_device *device, char name[32]);

/* Sets whether the next launches on a virtual GPU are checked, their schedule and their limit of instructions; reads no
 * other option. */
void device_set_schedule(const haul_device *device, const haul_device_options *options);
/* Parses the name of a schedule: words joined by +, as in reversed+early. random and random:SEED stand for all of its
 * parts. Errors: HAUL_ERROR_ARGUMENT. */
haul_status device_read_schedule(const char *name, haul_device_options *options);

/* Makes the device's context current; every call to the driver needs it first. */
haul_status device_enter(const haul_device *device);
/* Loads NUL-terminated PTX; `name` is for messages. Errors: those of haul_module_load(), with the message of the
 * driver's compiler. */
haul_status device_load_ptx(const haul_device *device, const char *name, const char *ptx, CUmodule *module);
/* The same for several texts, linked. */
haul_status device_link_ptx(const haul_device *device, const char *name, const haul_ptx *parts, size_t count,
                            CUmodule *module);
/* HAUL_ERROR_LIMIT if grid, block or shared memory exceed a real device or the kernel's bounds. */
haul_status device_check_launch(const haul_device *device, const haul_launch *launch, CUfunction kernel);
/* Turns a CUresult into a status with a message: "what: the driver's words". The virtual GPU's own message is kept,
 * since it says more. */
haul_status device_check(const haul_device *device, CUresult result, const char *what);

/* HAUL_ERROR_ARGUMENT if an access-policy window exceeds the device's largest. */
haul_status device_check_window(const haul_device *device, uint64_t bytes);
/* HAUL_ERROR_ARGUMENT if the bytes reach beyond the buffer's end. */
haul_status buffer_check_range(const haul_buffer *buffer, uint64_t offset, uint64_t bytes);

#endif
