/* NVML, the device management library (libnvidia-ml.so.1): number, names, memory and PCI addresses of devices.
 * Clocks, power and temperature are not known.
 *
 * nvml.def lists the functions. Those that are missing return NVML_ERROR_NOT_SUPPORTED, as for a GPU that lacks a
 * sensor. Errors are NVML's own numbers. NVML counts how often it was initialised, and most calls before the first
 * initialisation fail. Its functions use the lock of the driver API (standin_enter_driver()), and leave the
 * runtime's last error alone. */
#include "lib/device.h"
#include "standin/cuda/cuda.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* A device handle is its number plus one. So NULL is no device. */
typedef void *nvml_device;

/* Bytes. */
typedef struct nvml_memory {
    unsigned long long total, free, used;
} nvml_memory;

typedef struct nvml_memory_v2 {
    unsigned version;
    unsigned long long total, reserved, free, used;
} nvml_memory_v2;

typedef struct nvml_utilisation {
    unsigned gpu, memory; /* percent */
} nvml_utilisation;

/* NVML's order and sizes; the numbers are those of the device's PCI attributes. */
typedef struct nvml_pci {
    char old_id[16];
    unsigned domain, bus, device, kind, subsystem;
    char id[32]; /* from the third form of the function on; the first ones have reserved words there */
} nvml_pci;

/* nvmlReturn_t */
enum { SUCCESS = 0, UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, TOO_SHORT = 7 };

#define NVML(name, parameters) extern int name parameters;
#define NVML_MISSING(name)    \
    extern int name(void);    \
    int name(void) {          \
        return NOT_SUPPORTED; \
    }
#include "standin/runtime/nvml.def"
#undef NVML
#undef NVML_MISSING

static atomic_uint users; /* initialisations without a shutdown */

/* ---- the library ---- */

/* Flags have no effect. */
int nvmlInitWithFlags(unsigned flags) {
    (void)flags;
    users++;
    return SUCCESS;
}

int nvmlInit_v2(void) {
    return nvmlInitWithFlags(0);
}

int nvmlInit(void) {
    return nvmlInitWithFlags(0);
}

int nvmlShutdown(void) {
    if (!users) return UNINITIALIZED;
    users--;
    return SUCCESS;
}

extern const char *nvmlErrorString(int result);
const char *nvmlErrorString(int result) {
    switch (result) {
    case SUCCESS: return "Success";
    case UNINITIALIZED: return "Uninitialized";
    case INVALID_ARGUMENT: return "Invalid Argument";
    case NOT_SUPPORTED: return "Not Supported";
    case NOT_FOUND: return "Not Found";
    case TOO_SHORT: return "Insufficient Size";
    default: return "Unknown Error";
    }
}

/* Copies a text to the program's buffer, with its NUL; TOO_SHORT if it does not fit. */
static int put(char *to, unsigned length, const char *from) {
    if (!users) return UNINITIALIZED;
    if (!to) return INVALID_ARGUMENT;
    if (strlen(from) >= length) return TOO_SHORT;
    strcpy(to, from);
    return SUCCESS;
}

/* The CUDA version followed by a zero. */
int nvmlSystemGetDriverVersion(char *version, unsigned length) {
    char text[32];
    int cuda = 0;
    (void)cuDriverGetVersion(&cuda);
    snprintf(text, sizeof text, "%d.%d.0", cuda / 1000, cuda / 10 % 100);
    return put(version, length, text);
}

/* NVML has the driver's version. */
int nvmlSystemGetNVMLVersion(char *version, unsigned length) {
    return nvmlSystemGetDriverVersion(version, length);
}

/* Also without initialisation. */
int nvmlSystemGetCudaDriverVersion(int *version) {
    if (!version) return INVALID_ARGUMENT;
    return cuDriverGetVersion(version) == CUDA_SUCCESS ? SUCCESS : NOT_SUPPORTED;
}

int nvmlSystemGetCudaDriverVersion_v2(int *version) {
    return nvmlSystemGetCudaDriverVersion(version);
}

/* ---- devices ---- */

/* The devices that CUDA shows to the program; NVIDIA's library shows all. */
int nvmlDeviceGetCount_v2(unsigned *count) {
    if (!users) return UNINITIALIZED;
    if (!count) return INVALID_ARGUMENT;
    *count = standin_device_count();
    return SUCCESS;
}

int nvmlDeviceGetCount(unsigned *count) {
    return nvmlDeviceGetCount_v2(count);
}

int nvmlDeviceGetHandleByIndex_v2(unsigned number, nvml_device *device) {
    if (!users) return UNINITIALIZED;
    if (!device || number >= standin_device_count()) return INVALID_ARGUMENT;
    *device = (void *)((uintptr_t)number + 1);
    return SUCCESS;
}

int nvmlDeviceGetHandleByIndex(unsigned number, nvml_device *device) {
    return nvmlDeviceGetHandleByIndex_v2(number, device);
}

/* Gets the program's number of a device; the handle may be any value. */
static int number_of(nvml_device device, unsigned *number) {
    if (!users) return UNINITIALIZED;
    *number = (unsigned)(uintptr_t)device - 1;
    return *number < standin_device_count() ? SUCCESS : INVALID_ARGUMENT;
}

int nvmlDeviceGetIndex(nvml_device device, unsigned *number) {
    return number ? number_of(device, number) : INVALID_ARGUMENT;
}

/* Calls the driver with its own device. NULL if the handle is wrong, with nothing entered; *result says why.
 * Otherwise leave() must follow. */
static const driver_table *enter(nvml_device device, CUdevice *own, int *result) {
    unsigned number;
    *result = number_of(device, &number);
    if (*result != SUCCESS) return NULL;
    const driver_table *d = standin_enter_driver();
    *own = standin_device_at(number)->handle;
    return d;
}

/* CUDA's errors have no equal in NVML. */
static int leave(CUresult result) {
    return standin_leave_driver(result) == CUDA_SUCCESS ? SUCCESS : NOT_SUPPORTED;
}

int nvmlDeviceGetName(nvml_device device, char *name, unsigned length) {
    char text[256];
    CUdevice own;
    int result;
    const driver_table *d = enter(device, &own, &result);
    if (d) result = leave(d->device_name(text, sizeof text, own));
    return result == SUCCESS ? put(name, length, text) : result;
}

/* The usual text form: 8-4-4-4-12 digits. */
static int uuid_of(nvml_device device, char text[64]) {
    unsigned char bytes[16];
    CUdevice own;
    int result;
    const driver_table *d = enter(device, &own, &result);
    if (d) result = leave(cuda_device_uuid(d, bytes, own));
    if (result != SUCCESS) return result;
    char *at = text + sprintf(text, "GPU");
    for (int i = 0; i < 16; i++)
        at += sprintf(at, "%s%02x", i == 0 || i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
    return SUCCESS;
}

/* "GPU-" and the digits of CUDA's UUID. */
int nvmlDeviceGetUUID(nvml_device device, char *uuid, unsigned length) {
    char text[64];
    const int result = uuid_of(device, text);
    return result == SUCCESS ? put(uuid, length, text) : result;
}

/* Compares the texts of all devices. */
int nvmlDeviceGetHandleByUUID(const char *uuid, nvml_device *device) {
    char text[64];
    if (!uuid || !device) return INVALID_ARGUMENT;
    for (unsigned i = 0; nvmlDeviceGetHandleByIndex_v2(i, device) == SUCCESS; i++)
        if (uuid_of(*device, text) == SUCCESS && !strcmp(text, uuid)) return SUCCESS;
    return users ? NOT_FOUND : UNINITIALIZED;
}

int nvmlDeviceGetCudaComputeCapability(nvml_device device, int *major, int *minor) {
    CUdevice own;
    int result;
    if (!major || !minor) return INVALID_ARGUMENT;
    const driver_table *d = enter(device, &own, &result);
    if (!d) return result;
    const CUresult found = d->device_attribute(major, DRIVER_DEVICE_MAJOR, own);
    return leave(found == CUDA_SUCCESS ? d->device_attribute(minor, DRIVER_DEVICE_MINOR, own) : found);
}

/* Clocks do not change, so those of the moment are the highest. The driver tells them in kHz. That of video (3) is not
 * known. */
int nvmlDeviceGetClockInfo(nvml_device device, int clock, unsigned *mhz) {
    static const int attributes[] = {DRIVER_DEVICE_CLOCK_KHZ, DRIVER_DEVICE_CLOCK_KHZ, DRIVER_DEVICE_MEMORY_CLOCK_KHZ};
    CUdevice own;
    int result, khz = 0;
    if (!mhz || clock < 0 || clock > 3) return INVALID_ARGUMENT;
    if (clock == 3) return NOT_SUPPORTED;
    const driver_table *d = enter(device, &own, &result);
    if (!d) return result;
    const CUresult found = d->device_attribute(&khz, attributes[clock], own);
    *mhz = (unsigned)khz / 1000;
    return leave(found);
}

int nvmlDeviceGetMaxClockInfo(nvml_device device, int clock, unsigned *mhz) {
    return nvmlDeviceGetClockInfo(device, clock, mhz);
}

/* The driver tells the memory of the selected device only, so the thread's device changes during the call. */
static int take_memory(nvml_device device, nvml_memory *memory) {
    unsigned number;
    size_t free = 0, total = 0;
    const int result = number_of(device, &number);
    if (result != SUCCESS) return result;
    const driver_table *d = standin_enter_driver();
    const unsigned before = standin_select(number);
    const CUresult found = d->memory_info(&free, &total);
    (void)standin_select(before);
    *memory = (nvml_memory){total, free, total - free};
    return leave(found);
}

int nvmlDeviceGetMemoryInfo(nvml_device device, nvml_memory *memory) {
    return memory ? take_memory(device, memory) : INVALID_ARGUMENT;
}

/* Nothing is reserved. */
int nvmlDeviceGetMemoryInfo_v2(nvml_device device, nvml_memory_v2 *memory) {
    nvml_memory m;
    const int result = memory ? take_memory(device, &m) : INVALID_ARGUMENT;
    if (result != SUCCESS) return result;
    *memory = (nvml_memory_v2){.version = memory->version, .total = m.total, .free = m.free, .used = m.used};
    return SUCCESS;
}

/* A virtual GPU is never busy between calls. */
int nvmlDeviceGetUtilizationRates(nvml_device device, nvml_utilisation *rates) {
    unsigned number;
    const int result = rates ? number_of(device, &number) : INVALID_ARGUMENT;
    if (result == SUCCESS) *rates = (nvml_utilisation){0, 0};
    return result;
}

/* ---- PCI address ---- */

/* Fills in both texts: the old one has a domain of four digits, the new one of eight. */
static int take_place(nvml_device device, nvml_pci *pci) {
    const int attributes[] = {DRIVER_DEVICE_PCI_DOMAIN, DRIVER_DEVICE_PCI_BUS, DRIVER_DEVICE_PCI_DEVICE};
    unsigned *const values[] = {&pci->domain, &pci->bus, &pci->device};
    CUresult found = CUDA_SUCCESS;
    CUdevice own;
    int result, value = 0;
    const driver_table *d = enter(device, &own, &result);
    if (!d) return result;
    memset(pci, 0, sizeof *pci);
    for (int i = 0; i < 3 && found == CUDA_SUCCESS; i++) {
        found = d->device_attribute(&value, attributes[i], own);
        *values[i] = (unsigned)value;
    }
    snprintf(pci->old_id, sizeof pci->old_id, "%04X:%02X:%02X.0", pci->domain & 0xffff, pci->bus & 0xff,
             pci->device & 0xff);
    snprintf(pci->id, sizeof pci->id, "%08X:%02X:%02X.0", pci->domain, pci->bus & 0xff, pci->device & 0xff);
    return leave(found);
}

int nvmlDeviceGetPciInfo_v3(nvml_device device, nvml_pci *pci) {
    return pci ? take_place(device, pci) : INVALID_ARGUMENT;
}

/* The older structures have 16 bytes in place of the identifier. */
int nvmlDeviceGetPciInfo_v2(nvml_device device, nvml_pci *pci) {
    nvml_pci all;
    const int result = pci ? take_place(device, &all) : INVALID_ARGUMENT;
    if (result == SUCCESS) memcpy(pci, &all, offsetof(nvml_pci, id));
    return result;
}

int nvmlDeviceGetPciInfo(nvml_device device, nvml_pci *pci) {
    return nvmlDeviceGetPciInfo_v2(device, pci);
}

/* Accepts both texts, in upper or lower case. */
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, nvml_device *device) {
    nvml_pci pci;
    if (!bus_id || !device) return INVALID_ARGUMENT;
    for (unsigned i = 0; nvmlDeviceGetHandleByIndex_v2(i, device) == SUCCESS; i++) {
        if (take_place(*device, &pci) != SUCCESS) continue;
        if (!strcasecmp(pci.id, bus_id) || !strcasecmp(pci.old_id, bus_id)) return SUCCESS;
    }
    return users ? NOT_FOUND : UNINITIALIZED;
}

int nvmlDeviceGetHandleByPciBusId(const char *bus_id, nvml_device *device) {
    return nvmlDeviceGetHandleByPciBusId_v2(bus_id, device);
}
