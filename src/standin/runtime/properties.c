/* cudaDeviceProp, in the layouts of all versions of CUDA.
 *
 * CUDA 11, 12 and 13 lay the structure out differently, and the program has compiled one of them in. properties.def
 * lists the fields of all versions. It is expanded twice for each version, with the fields that this version has:
 * once as a structure, whose size is checked against CUDA's, once as a table of offsets and the driver's attributes.
 * fill() goes through the table. Name, identifiers and memory are at the beginning of all versions. */
#include "lib/device.h"
#include "standin/cuda/cuda.h"
#include "standin/runtime/version.h"

#include <string.h>

/* Rows of properties.def as members of a structure. */
#define FIELD(type, field, count, attribute) type field[count];
#define NOTHING(type, field, count, attribute)

/* The first fields of all versions. */
#define BEGINNING            \
    char name[256];          \
    unsigned char uuid[16];  \
    char luid[8];            \
    unsigned luidDeviceMask; \
    size_t totalGlobalMem

typedef struct properties_11 {
    BEGINNING;
#define ALWAYS FIELD
#define BEFORE_13 FIELD
#define SINCE_12 NOTHING
#define SINCE_13 NOTHING
#include "standin/runtime/properties.def"
} properties_11;

typedef struct properties_12 {
    BEGINNING;
#define ALWAYS FIELD
#define BEFORE_13 FIELD
#define SINCE_12 FIELD
#define SINCE_13 NOTHING
#include "standin/runtime/properties.def"
    int reserved[63]; /* CUDA 13 has used seven of them */
} properties_12;

typedef struct properties_13 {
    BEGINNING;
#define ALWAYS FIELD
#define BEFORE_13 NOTHING
#define SINCE_12 FIELD
#define SINCE_13 FIELD
#include "standin/runtime/properties.def"
    int reserved[56];
} properties_13;

_Static_assert(sizeof(properties_11) == 728, "as CUDA 11.8 has it");
_Static_assert(sizeof(properties_12) == 1032, "as CUDA 12.4 has it");
_Static_assert(sizeof(properties_13) == 1008, "as CUDA 13.0 has it");

typedef struct field {
    size_t at;
    int count, attribute; /* numbers in the field; the driver's attribute of the first */
    bool is_size;         /* size_t, not int */
} field;

/* A row of a version's table: where the field is, and what it holds. */
#define AS_11(type, field, count, attribute) \
    {offsetof(properties_11, field), count, attribute, sizeof(type) == sizeof(size_t)},
#define AS_12(type, field, count, attribute) \
    {offsetof(properties_12, field), count, attribute, sizeof(type) == sizeof(size_t)},
#define AS_13(type, field, count, attribute) \
    {offsetof(properties_13, field), count, attribute, sizeof(type) == sizeof(size_t)},

static const field fields_11[] = {
#define ALWAYS AS_11
#define BEFORE_13 AS_11
#define SINCE_12 NOTHING
#define SINCE_13 NOTHING
#include "standin/runtime/properties.def"
};

static const field fields_12[] = {
#define ALWAYS AS_12
#define BEFORE_13 AS_12
#define SINCE_12 AS_12
#define SINCE_13 NOTHING
#include "standin/runtime/properties.def"
};

static const field fields_13[] = {
#define ALWAYS AS_13
#define BEFORE_13 NOTHING
#define SINCE_12 AS_13
#define SINCE_13 AS_13
#include "standin/runtime/properties.def"
};

/* One version's structure as a table. */
typedef struct layout {
    size_t bytes;
    const field *fields;
    size_t count;
} layout;

#define LAYOUT(version) \
    { sizeof(properties_##version), fields_##version, sizeof fields_##version / sizeof *fields_##version }
static const layout layout_11 = LAYOUT(11), layout_12 = LAYOUT(12), layout_13 = LAYOUT(13);

/* Writes one field, in the type that the structure has there. */
static CUresult put(const driver_table *d, char *to, const field *f, CUdevice device) {
    CUresult result = CUDA_SUCCESS;
    for (int i = 0; i < f->count && result == CUDA_SUCCESS; i++) {
        int value = 0;
        result = d->device_attribute(&value, f->attribute + i, device);
        const size_t size = (size_t)value;
        if (f->is_size)
            memcpy(to + f->at + (size_t)i * sizeof size, &size, sizeof size);
        else
            memcpy(to + f->at + (size_t)i * sizeof value, &value, sizeof value);
    }
    return result;
}

/* Fields for which the driver has no attribute stay 0. */
static CUresult fill(const layout *l, void *to, int number) {
    properties_13 *beginning = to;
    if (!standin_is_device(number)) return standin_fail(CUDA_INVALID_DEVICE);
    if (!to) return standin_fail(CUDA_INVALID_VALUE);
    memset(to, 0, l->bytes);
    const driver_table *d = standin_enter_beside();
    const CUdevice device = standin_device_at((unsigned)number)->handle;
    CUresult result = d->device_name(beginning->name, sizeof beginning->name, device);
    if (result == CUDA_SUCCESS) result = cuda_device_uuid(d, beginning->uuid, device);
    if (result == CUDA_SUCCESS) result = d->device_memory(&beginning->totalGlobalMem, device);
    for (size_t i = 0; i < l->count && result == CUDA_SUCCESS; i++) result = put(d, to, &l->fields[i], device);
    return standin_leave(result);
}

/* CUDA 12 kept the old function of that name for already compiled programs. Programs made with CUDA 12 call the
 * second form by that name in their sources. */
CUresult cudaGetDeviceProperties(void *properties, int number) {
    return fill(standin_cuda_version() < 13 ? &layout_11 : &layout_13, properties, number);
}

CUresult cudaGetDeviceProperties_v2(void *properties, int number) {
    return fill(&layout_12, properties, number);
}
