#include "driver/cufile.h"

#include "driver/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

static cufile_table loaded;
static CUfileDrvProps_t driver_properties;
static bool is_open;
static char why[CUFILE_REASON]; /* it is not */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static const struct {
    size_t at;
    const char *symbol;
} symbols[] = {
    {offsetof(cufile_table, driver_open), "cuFileDriverOpen"},
    {offsetof(cufile_table, properties), "cuFileDriverGetProperties"},
    {offsetof(cufile_table, handle_register), "cuFileHandleRegister"},
    {offsetof(cufile_table, handle_deregister), "cuFileHandleDeregister"},
    {offsetof(cufile_table, buffer_register), "cuFileBufRegister"},
    {offsetof(cufile_table, buffer_deregister), "cuFileBufDeregister"},
    {offsetof(cufile_table, read), "cuFileRead"},
    {offsetof(cufile_table, write), "cuFileWrite"},
};

/* ---- loading ---- */

static bool resolve(void *library, const char *name) {
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *function = dlsym(library, symbols[i].symbol);
        if (!function) {
            snprintf(why, sizeof why, "%s has no %s", name, symbols[i].symbol);
            return false;
        }
        *(void **)(void *)((char *)&loaded + symbols[i].at) = function;
    }
    return true;
}

static bool open_driver(void) {
    char text[CUFILE_REASON];
    CUfileError_t error = loaded.driver_open();
    if (error.err != 0) {
        snprintf(why, sizeof why, "cuFileDriverOpen: %.100s", cufile_error_text(error, text));
        return false;
    }
    error = loaded.properties(&driver_properties);
    if (error.err != 0) snprintf(why, sizeof why, "cuFileDriverGetProperties: %.100s", cufile_error_text(error, text));
    return error.err == 0;
}

static const char *given_library(void) {
    const char *given = getenv("HAUL_CUFILE");
    return given && *given ? given : NULL;
}

/* The driver stays open until the process ends, when cuFile closes it. */
static void load(void) {
    const char *name = given_library() ? given_library() : "libcufile.so.0";
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    const char *error = library ? NULL : dlerror();
    if (library)
        is_open = resolve(library, name) && open_driver();
    else if (error && !strstr(error, "No such file"))
        snprintf(why, sizeof why, "%s", error);
    else
        snprintf(why, sizeof why, "%s is not on this machine", name);
}

const cufile_table *cufile_load(const CUfileDrvProps_t **properties, char reason[CUFILE_REASON]) {
    pthread_once(&once, load);
    if (!is_open) memcpy(reason, why, CUFILE_REASON);
    *properties = &driver_properties;
    return is_open ? &loaded : NULL;
}

/* ---- which storage is reached ---- */

/* The module's folder is named in NVIDIA's "GPUDirect Storage Installation and Troubleshooting Guide". */
bool cufile_is_worth_opening(char reason[CUFILE_REASON]) {
    if (given_library() || access("/proc/driver/nvidia-fs", F_OK) == 0) return true;
    snprintf(reason, CUFILE_REASON, "nvidia-fs is not loaded");
    return false;
}

#define BIT(flag) (1U << CUFILE_##flag)

/* File systems by the number that statfs(2) gives, and the storage of nvidia-fs that reaches them. */
static const struct {
    uint32_t magic;
    unsigned flags;
} file_systems[] = {
    {0xEF53, BIT(NVME) | BIT(NVMEOF) | BIT(SCSI) | BIT(SCALEFLUX) | BIT(NVMESH) | BIT(NVME_P2P)},     /* ext4 */
    {0x58465342, BIT(NVME) | BIT(NVMEOF) | BIT(SCSI) | BIT(SCALEFLUX) | BIT(NVMESH) | BIT(NVME_P2P)}, /* XFS */
    {0x6969, BIT(NFS)},
    {0x0BD00BD0, BIT(LUSTRE)},
    {0x47504653, BIT(GPFS)},
    {0x19830326, BIT(BEEGFS)},
};

static unsigned flags_of(int fd) {
    struct statfs about;
    if (fstatfs(fd, &about) != 0) return 0;
    for (size_t i = 0; i < sizeof file_systems / sizeof *file_systems; i++)
        if ((uint32_t)about.f_type == file_systems[i].magic) return file_systems[i].flags;
    return 0;
}

/* CUFILE_FORCE_COMPAT_MODE is cuFile's own variable. */
static bool is_forced_through_host(void) {
    const char *forced = getenv("CUFILE_FORCE_COMPAT_MODE");
    return forced && (strcmp(forced, "true") == 0 || strcmp(forced, "1") == 0);
}

bool cufile_is_direct(const CUfileDrvProps_t *p, int fd, char reason[CUFILE_REASON]) {
    const unsigned reached = flags_of(fd) & p->nvfs.dstatusflags;
    const bool has_module = p->nvfs.major_version || p->nvfs.minor_version;
    if (is_forced_through_host())
        snprintf(reason, CUFILE_REASON, "CUFILE_FORCE_COMPAT_MODE makes cuFile copy through the host");
    else if (!has_module && !(p->nvfs.dstatusflags & BIT(NVME_P2P)))
        snprintf(reason, CUFILE_REASON, "nvidia-fs is not loaded, so cuFile copies through the host");
    else if (!reached)
        snprintf(reason, CUFILE_REASON, "cuFile has no direct path to this file system and copies through the host");
    else if (has_module)
        snprintf(reason, CUFILE_REASON, "nvidia-fs %u.%u reaches its storage", p->nvfs.major_version,
                 p->nvfs.minor_version);
    else
        snprintf(reason, CUFILE_REASON, "peer-to-peer DMA reaches its storage");
    return reached && (has_module || reached & BIT(NVME_P2P)) && !is_forced_through_host();
}

/* ---- errors ---- */

static const struct {
    int number;
    const char *name;
} errors[] = {
#define CUFILE_ERROR(number, name) {number, #name},
#include "driver/cufile.def"
};

const char *cufile_error_text(CUfileError_t e, char out[CUFILE_REASON]) {
    const char *name = NULL;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == e.err) name = errors[i].name;
    int length = snprintf(out, CUFILE_REASON, name ? "error %d (%s)" : "error %d", e.err, name);
    if (e.cu_err)
        snprintf(out + length, CUFILE_REASON - (size_t)length, ", %s", driver_result_name((CUresult)e.cu_err));
    return out;
}
