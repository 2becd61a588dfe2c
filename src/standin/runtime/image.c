/* Reads symbol tables of ELF files. All offsets in a file are checked against its size, since any file may be opened
 * as a library. */
#include "standin/runtime/image.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool image_map(image *m, const char *path) {
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    *m = (image){0};
    if (file < 0) return false;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) *m = (image){.bytes = bytes, .size = (uint64_t)status.st_size};
    }
    close(file);
    return m->bytes != NULL;
}

void image_unmap(image *m) {
    munmap((void *)(uintptr_t)m->bytes, (size_t)m->size);
}

bool image_has(uint64_t offset, uint64_t bytes, uint64_t size) {
    return offset <= size && bytes <= size - offset;
}

bool image_read(image *m) {
    const ElfW(Ehdr) *header = (const void *)m->bytes;
    if (m->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (!image_has(header->e_shoff, (uint64_t)header->e_shnum * sizeof(ElfW(Shdr)), m->size)) return false;
    m->sections = (const void *)(m->bytes + header->e_shoff);
    m->section_count = header->e_shnum;
    return true;
}

/* The names of a symbol table; NULL if there are none, or they lie outside the file. The last byte must be NUL, so
 * that every name ends. */
static const char *names_of(const image *m, const ElfW(Shdr) * table, uint64_t *bytes) {
    if (table->sh_link >= m->section_count || !image_has(table->sh_offset, table->sh_size, m->size)) return NULL;
    const ElfW(Shdr) *names = &m->sections[table->sh_link];
    if (!names->sh_size || !image_has(names->sh_offset, names->sh_size, m->size)) return NULL;
    *bytes = names->sh_size;
    return m->bytes[names->sh_offset + names->sh_size - 1] ? NULL : (const char *)m->bytes + names->sh_offset;
}

bool image_symbols(const image *m, unsigned type, image_visitor *visitor, void *context) {
    bool any = false;
    for (unsigned s = 0; s < m->section_count; s++) {
        uint64_t bytes;
        const ElfW(Shdr) *table = &m->sections[s];
        const char *names = table->sh_type == type ? names_of(m, table, &bytes) : NULL;
        if (!names) continue;
        any = true;
        const ElfW(Sym) *symbols = (const void *)(m->bytes + table->sh_offset);
        for (uint64_t i = 0; i < table->sh_size / sizeof *symbols; i++)
            if (symbols[i].st_name < bytes) visitor(context, &symbols[i], names + symbols[i].st_name);
    }
    return any;
}

typedef struct wanted {
    const char *name;
    bool found;
} wanted;

static void compare(void *context, const ElfW(Sym) * symbol, const char *name) {
    wanted *w = context;
    if (symbol->st_shndx != SHN_UNDEF && strcmp(name, w->name) == 0) w->found = true;
}

bool image_defines(const image *m, unsigned type, const char *name) {
    wanted w = {name, false};
    image_symbols(m, type, compare, &w);
    return w.found;
}
