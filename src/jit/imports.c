/* A library's calls go through slots of its global offset table. Each slot has a relocation that names the function. */
#include "jit/imports.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct imports {
    uintptr_t base;
    const Elf64_Sym *symbols;
    const char *names;
    const Elf64_Rela *tables[2]; /* of functions that are bound when first called, and of all others */
    size_t bytes[2];
} imports;

static imports imports_of(const struct link_map *map) {
    imports m = {.base = map->l_addr};
    for (const Elf64_Dyn *d = map->l_ld; d->d_tag != DT_NULL; d++) switch (d->d_tag) {
        case DT_SYMTAB: memcpy(&m.symbols, &d->d_un.d_ptr, sizeof m.symbols); break;
        case DT_STRTAB: memcpy(&m.names, &d->d_un.d_ptr, sizeof m.names); break;
        case DT_JMPREL: memcpy(&m.tables[0], &d->d_un.d_ptr, sizeof m.tables[0]); break;
        case DT_RELA: memcpy(&m.tables[1], &d->d_un.d_ptr, sizeof m.tables[1]); break;
        case DT_PLTRELSZ: m.bytes[0] = d->d_un.d_val; break;
        case DT_RELASZ: m.bytes[1] = d->d_un.d_val; break;
        default: break;
        }
    return m;
}

/* The loader may have made the table read-only. */
static bool write_slot(uintptr_t slot, uintptr_t function) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = slot & ~(page - 1);
    void *at;
    memcpy(&at, &start, sizeof at);
    if (mprotect(at, page, PROT_READ | PROT_WRITE) != 0) return false;
    memcpy(&at, &slot, sizeof at);
    memcpy(at, &function, sizeof function);
    return true;
}

static bool is_slot(const Elf64_Rela *r) {
    return ELF64_R_TYPE(r->r_info) == R_X86_64_JUMP_SLOT || ELF64_R_TYPE(r->r_info) == R_X86_64_GLOB_DAT;
}

bool sim_replace_import(void *library, const char *name, uintptr_t function) {
    struct link_map *map;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return false;
    const imports m = imports_of(map);
    bool replaced = false;
    for (unsigned t = 0; t < 2; t++)
        for (size_t k = 0; k < m.bytes[t] / sizeof(Elf64_Rela); k++) {
            const Elf64_Rela *r = &m.tables[t][k];
            if (!is_slot(r) || strcmp(m.names + m.symbols[ELF64_R_SYM(r->r_info)].st_name, name) != 0) continue;
            if (!write_slot(m.base + r->r_offset, function)) return false;
            replaced = true;
        }
    return replaced;
}
