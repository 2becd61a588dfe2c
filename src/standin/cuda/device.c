/* Queries of devices; errors.
 *
 * The program's device numbers begin at 0; the virtual driver's are numbers of machines. cuda_device_of()
 * translates. Attributes come from the driver's table. The runtime's queries of devices (runtime/device.c) forward
 * to these functions or ask the table themselves. */
#include "base/hash.h"
#include "lib/device.h"
#include "standin/cuda/cuda.h"
#include "vgpu/driver.h"

#include <stdio.h>
#include <string.h>

static int count(void) {
    return (int)standin_device_count();
}

CUresult cuda_device_of(CUdevice *device) {
    if (!standin_is_device(*device)) return cuda_wrong(CUDA_INVALID_DEVICE, "no such device");
    *device = standin_device_at((unsigned)*device)->handle;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *devices) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    if (devices) *devices = count();
    return cuda_leave(devices ? CUDA_SUCCESS : CUDA_INVALID_VALUE);
}

/* The handle of a device is its number. */
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    if (!device) return cuda_leave(CUDA_INVALID_VALUE);
    if (!standin_is_device(ordinal)) return cuda_leave(CUDA_INVALID_DEVICE);
    *device = ordinal;
    return cuda_leave(CUDA_SUCCESS);
}

/* The name is cut to the program's room. */
CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    CUresult result = name && length > 0 ? cuda_device_of(&device) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = d->device_name(name, length, device);
    return cuda_leave(result);
}

/* The UUID is made from number and kind, so it is the same in every run. */
CUresult cuda_device_uuid(const driver_table *d, void *uuid, CUdevice device) {
    char name[256] = "";
    const CUresult result = d->device_name(name, sizeof name, device);
    const uint64_t halves[] = {hash_bytes(HASH_START, "haul", 4),
                               hash_bytes(HASH_START + sim_driver_device_number(device), name, strlen(name))};
    if (result == CUDA_SUCCESS) memcpy(uuid, halves, sizeof halves);
    return result;
}

CUresult cuDeviceGetUuid_v2(void *uuid, CUdevice device) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    CUresult result = uuid ? cuda_device_of(&device) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = cuda_device_uuid(d, uuid, device);
    return cuda_leave(result);
}

CUresult cuDeviceGetUuid(void *uuid, CUdevice device) {
    return cuDeviceGetUuid_v2(uuid, device);
}

/* ---- PCI address ---- */

enum { PCI_ID_BYTES = sizeof "0000:00:00.0" };

static void write_pci_id(char id[PCI_ID_BYTES], unsigned domain, unsigned bus, unsigned slot) {
    snprintf(id, PCI_ID_BYTES, "%04x:%02x:%02x.0", domain & 0xffff, bus & 0xff, slot & 0xff);
}

/* Writes the text also after a failure, with zeros. */
static CUresult pci_id_of(const driver_table *d, CUdevice device, char id[PCI_ID_BYTES]) {
    int domain = 0, bus = 0, slot = 0;
    CUresult result = cuda_device_of(&device);
    if (result == CUDA_SUCCESS) result = d->device_attribute(&domain, DRIVER_DEVICE_PCI_DOMAIN, device);
    if (result == CUDA_SUCCESS) result = d->device_attribute(&bus, DRIVER_DEVICE_PCI_BUS, device);
    if (result == CUDA_SUCCESS) result = d->device_attribute(&slot, DRIVER_DEVICE_PCI_DEVICE, device);
    write_pci_id(id, (unsigned)domain, (unsigned)bus, (unsigned)slot);
    return result;
}

/* The text is cut to the program's room. */
CUresult cuDeviceGetPCIBusId(char *bus_id, int length, CUdevice device) {
    char id[PCI_ID_BYTES];
    CUDA_ENTER_DEVICE_BESIDE(d);
    const CUresult result = bus_id && length > 0 ? pci_id_of(d, device, id) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) snprintf(bus_id, (size_t)length, "%s", id);
    return cuda_leave(result);
}

/* Reads "domain:bus:device.function" in hexadecimal digits; domain and function are optional. */
static bool read_pci_id(const char *at, unsigned *domain, unsigned *bus, unsigned *slot) {
    unsigned parts[3], function;
    int end = 0;
    const int count = sscanf(at, "%x:%x%n:%x%n", &parts[0], &parts[1], &end, &parts[2], &end);
    if (count < 2) return false;
    *domain = count == 3 ? parts[0] : 0;
    *bus = parts[count - 2];
    *slot = parts[count - 1];
    at += end;
    end = 0;
    if (*at == '.' && sscanf(at, ".%x%n", &function, &end) == 1 && function == 0) at += end;
    return *at == '\0';
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *bus_id) {
    char id[PCI_ID_BYTES], wanted[PCI_ID_BYTES];
    unsigned domain, bus, slot;
    CUDA_ENTER_DEVICE_BESIDE(d);
    if (!device || !bus_id || !read_pci_id(bus_id, &domain, &bus, &slot)) return cuda_leave(CUDA_INVALID_VALUE);
    write_pci_id(wanted, domain, bus, slot);
    for (CUdevice i = 0; i < count(); i++) {
        if (pci_id_of(d, i, id) != CUDA_SUCCESS || strcmp(id, wanted) != 0) continue;
        *device = i;
        return cuda_leave(CUDA_SUCCESS);
    }
    return cuda_leave(CUDA_INVALID_DEVICE);
}

/* ---- old functions ---- */

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    CUresult result = major && minor ? cuda_device_of(&device) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = d->device_attribute(major, DRIVER_DEVICE_MAJOR, device);
    if (result == CUDA_SUCCESS) result = d->device_attribute(minor, DRIVER_DEVICE_MINOR, device);
    return cuda_leave(result);
}

/* A CUdevprop consists of the attributes 1 to 14 in order. */
CUresult cuDeviceGetProperties(int *properties, CUdevice device) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    CUresult result = properties ? cuda_device_of(&device) : CUDA_INVALID_VALUE;
    for (int i = DRIVER_DEVICE_MAX_THREADS_PER_BLOCK; i <= DRIVER_DEVICE_TEXTURE_ALIGNMENT; i++)
        if (result == CUDA_SUCCESS)
            result = d->device_attribute(&properties[i - DRIVER_DEVICE_MAX_THREADS_PER_BLOCK], i, device);
    return cuda_leave(result);
}

/* ---- capabilities ---- */

/* In elements, of any size. */
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *elements, CUarray_format format, unsigned channels,
                                            CUdevice device) {
    int most = 0;
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)format;
    CUresult result = elements && channels && channels <= 4 ? cuda_device_of(&device) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = d->device_attribute(&most, DRIVER_DEVICE_LINEAR_TEXTURE, device);
    if (result == CUDA_SUCCESS) *elements = (size_t)most;
    return cuda_leave(result);
}

/* A launch cannot be limited to some of the SMs. */
CUresult cuDeviceGetExecAffinitySupport(int *is_supported, int kind, CUdevice device) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    const CUresult result = is_supported && kind == 0 ? cuda_device_of(&device) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *is_supported = 0;
    return cuda_leave(result);
}

/* Devices access each other's memory if NVLink connects such GPUs; a device is not its own peer. */
static bool may_be_peers(CUdevice device, CUdevice peer) {
    return device != peer && sim_driver_machine(device)->peer_gbps > 0;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    CUresult result = can ? cuda_device_of(&device) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = cuda_device_of(&peer);
    if (result == CUDA_SUCCESS) *can = may_be_peers(device, peer);
    return cuda_leave(result);
}

/* Peers have all capabilities; the rank is 0 for all. */
CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice device, CUdevice peer) {
    enum { RANK = 1, ACCESS, ATOMICS, ARRAYS, PARTIAL_ATOMICS };
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    CUresult result =
        value && attribute >= RANK && attribute <= PARTIAL_ATOMICS ? cuda_device_of(&device) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = cuda_device_of(&peer);
    if (result == CUDA_SUCCESS && device == peer) result = CUDA_INVALID_DEVICE;
    if (result == CUDA_SUCCESS) *value = attribute >= ACCESS && attribute <= ARRAYS && may_be_peers(device, peer);
    return cuda_leave(result);
}

/* Returns what kernels can do natively in a peer's memory, by operation. In CUDA's order, these are integer add,
 * minimum, maximum, increment, decrement, and, or, xor, exchange, compare and swap, then floating add, minimum,
 * maximum. */
static unsigned atomics_of_peers(int operation) {
    enum { SIGNED = 1, UNSIGNED = 2, REDUCTION = 4, WORD = 8, DOUBLE_WORD = 16, QUAD_WORD = 32 };
    static const unsigned capabilities[] = {SIGNED | UNSIGNED | REDUCTION | WORD | DOUBLE_WORD,
                                            SIGNED | UNSIGNED | REDUCTION | WORD | DOUBLE_WORD,
                                            SIGNED | UNSIGNED | REDUCTION | WORD | DOUBLE_WORD,
                                            UNSIGNED | REDUCTION | WORD,
                                            UNSIGNED | REDUCTION | WORD,
                                            UNSIGNED | REDUCTION | WORD | DOUBLE_WORD,
                                            UNSIGNED | REDUCTION | WORD | DOUBLE_WORD,
                                            UNSIGNED | REDUCTION | WORD | DOUBLE_WORD,
                                            UNSIGNED | WORD | DOUBLE_WORD | QUAD_WORD,
                                            UNSIGNED | WORD | DOUBLE_WORD | QUAD_WORD,
                                            SIGNED | REDUCTION | WORD | DOUBLE_WORD,
                                            0,
                                            0};
    return capabilities[operation];
}

CUresult cuDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const int *operations, unsigned count,
                                          CUdevice device, CUdevice peer) {
    enum { OPERATIONS = 13 };
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    CUresult result = capabilities && operations && count ? cuda_device_of(&device) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = cuda_device_of(&peer);
    if (result == CUDA_SUCCESS && device == peer) result = CUDA_INVALID_DEVICE;
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        if (operations[i] < 0 || operations[i] >= OPERATIONS) result = CUDA_INVALID_VALUE;
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        capabilities[i] = may_be_peers(device, peer) ? atomics_of_peers(operations[i]) : 0;
    return cuda_leave(result);
}

/* CUDA's old form, for devices of up to 4 GiB. */
CUresult cuDeviceTotalMem(unsigned *bytes, CUdevice device) {
    size_t all;
    const CUresult result = bytes ? cuDeviceTotalMem_v2(&all, device) : CUDA_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *bytes = all > UINT32_MAX ? UINT32_MAX : (unsigned)all;
    return result;
}

/* Graphs allocate from the device's default pool: the figures are the pool's. */
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, int attribute, void *value) {
    enum { IN_USE, IN_USE_HIGH, RESERVED, RESERVED_HIGH };
    static const int of_pool[] = {[IN_USE] = DRIVER_POOL_USED,
                                  [IN_USE_HIGH] = DRIVER_POOL_USED_HIGH,
                                  [RESERVED] = DRIVER_POOL_RESERVED,
                                  [RESERVED_HIGH] = DRIVER_POOL_RESERVED_HIGH};
    CUmemoryPool pool;
    if (attribute < IN_USE || attribute > RESERVED_HIGH) return CUDA_INVALID_VALUE;
    const CUresult result = cuDeviceGetDefaultMemPool(&pool, device);
    return result == CUDA_SUCCESS ? cuMemPoolGetAttribute(pool, of_pool[attribute], value) : result;
}

/* Only the high-water marks can be set, which resets them. */
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, int attribute, void *value) {
    enum { IN_USE_HIGH = 1, RESERVED_HIGH = 3 };
    CUmemoryPool pool;
    if (attribute != IN_USE_HIGH && attribute != RESERVED_HIGH) return CUDA_INVALID_VALUE;
    const CUresult result = cuDeviceGetDefaultMemPool(&pool, device);
    const int of_pool = attribute == IN_USE_HIGH ? DRIVER_POOL_USED_HIGH : DRIVER_POOL_RESERVED_HIGH;
    return result == CUDA_SUCCESS ? cuMemPoolSetAttribute(pool, of_pool, value) : result;
}

/* Unused memory is never kept. */
CUresult cuDeviceGraphMemTrim(CUdevice device) {
    CUDA_ENTER_DEVICE_BESIDE(d);
    (void)d;
    return cuda_leave(cuda_device_of(&device));
}

/* ---- errors ---- */

/* NULL and CUDA_INVALID_VALUE for a number that is no error of CUDA's. */
CUresult cuGetErrorName(CUresult result, const char **what) {
    if (!what) return CUDA_INVALID_VALUE;
    *what = driver_result_is_known(result) ? driver_result_name(result) : NULL;
    return *what ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* The texts are the runtime's (runtime/errors.def), as in NVIDIA's driver. */
CUresult cuGetErrorString(CUresult result, const char **what) {
    if (!what) return CUDA_INVALID_VALUE;
    *what = driver_result_is_known(result) ? standin_error_text(result) : NULL;
    return *what ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* ---- profilers: the command line chooses what is counted ---- */

CUresult cuProfilerInitialize(const char *configuration, const char *output, int mode) {
    (void)configuration, (void)output, (void)mode;
    return CUDA_SUCCESS;
}

CUresult cuProfilerStart(void) {
    return CUDA_SUCCESS;
}

CUresult cuProfilerStop(void) {
    return CUDA_SUCCESS;
}
