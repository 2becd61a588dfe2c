/* Watches the loader while `haul run` has a program (LD_AUDIT). CUDA's libraries that are opened by path, as Python's
 * packages do, are replaced by those of the stand-in's folder, and the stand-in is told of each library that is opened
 * later. It is loaded into a separate namespace, away from the program; see rtld-audit(7).
 *
 * The auditing library sees every search for a library before the loader opens it. In its namespace it has a C
 * library of its own, so it cannot call the stand-in by name: it finds the stand-in's function in the symbol table
 * of the loaded library (find()) and calls that. */
#include "standin/audit/audit.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct link_map *standin; /* NULL until it is loaded */
static audit_opened *opened;           /* NULL until the program is about to start */

unsigned la_version(unsigned version);
unsigned la_version(unsigned version) {
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* ---- CUDA's libraries ---- */

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The number after `.so` in `libcudart.so.12`, `libcudart.so.12.8.90`, `libcudart-9335f6a2.so.12`; 0 if there is
 * none. */
static int version_of(const char *name) {
    const char *so = strstr(name, ".so");
    return so && so[3] == '.' ? atoi(so + 4) : 0;
}

/* `libcudart.so` is a link to a library with a number. */
static int version_behind(const char *path) {
    char real[PATH_MAX];
    return realpath(path, real) ? version_of(base_of(real)) : 0;
}

/* A name without any number gets the runtime of CUDA 12. */
static const char *runtime_of(const char *path) {
    const int version = version_of(base_of(path));
    switch (version ? version : version_behind(path)) {
    case 11: return "libcudart.so.11.0";
    case 0:
    case 12: return "libcudart.so.12";
    case 13: return "libcudart.so.13";
    default: return NULL;
    }
}

static bool begins(const char *name, const char *with) {
    return strncmp(name, with, strlen(with)) == 0;
}

/* The stand-in's library for one of CUDA's; NULL if there is none. */
static const char *own_name(const char *path) {
    const char *name = base_of(path);
    if (!strstr(name, ".so")) return NULL;
    if (begins(name, "libcudart.so") || begins(name, "libcudart-")) return runtime_of(path);
    if (begins(name, "libcuda.so") || begins(name, "libcuda-")) return "libcuda.so.1";
    if (begins(name, "libnvidia-ml.so")) return "libnvidia-ml.so.1";
    return NULL;
}

char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag);
/* Called for each name that is searched. Returns the name to use instead, valid until the next call. Only the name
 * as the program gave it is replaced, not the paths that the loader tries for it. */
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag) {
    static char path[4096];
    const char *own = own_name(name), *folder = getenv(AUDIT_FOLDER);
    (void)cookie;
    if (!own || !folder || flag != LA_SER_ORIG) return (char *)(uintptr_t)name;
    const int length = snprintf(path, sizeof path, "%s/%s", folder, own);
    return length > 0 && (size_t)length < sizeof path ? path : (char *)(uintptr_t)name;
}

/* ---- libraries that are opened later ---- */

/* The value of an entry of the library's dynamic section; NULL if it has none. */
static const void *at(const struct link_map *map, ElfW(Sxword) tag) {
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag) return (const void *)d->d_un.d_ptr; /* the loader has relocated it */
    return NULL;
}

/* Uses the table of -z hash-style=sysv, which has the number of symbols. */
static void *find(const struct link_map *map, const char *name) {
    const ElfW(Sym) *symbols = at(map, DT_SYMTAB);
    const char *names = at(map, DT_STRTAB);
    const uint32_t *hash = at(map, DT_HASH);
    for (uint32_t i = 0; symbols && names && hash && i < hash[1]; i++)
        if (symbols[i].st_shndx != SHN_UNDEF && strcmp(names + symbols[i].st_name, name) == 0)
            return (void *)(map->l_addr + symbols[i].st_value);
    return NULL;
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);
/* Called for each library that is mapped, before its constructors. */
unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie) {
    (void)cookie;
    if (space != LM_ID_BASE) return 0;
    if (strcmp(base_of(map->l_name), AUDIT_STANDIN) == 0) standin = map;
    if (opened && map->l_name[0]) opened(map->l_name, map->l_addr);
    return 0; /* do not report single calls */
}

/* All libraries that the program is linked with are relocated now. */
void la_preinit(uintptr_t *cookie);
void la_preinit(uintptr_t *cookie) {
    (void)cookie;
    if (standin) opened = (audit_opened *)(uintptr_t)find(standin, AUDIT_OPENED);
}
