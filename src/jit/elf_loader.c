/* Loads object files as LLVM makes them from haul's IR: code and constants that refer only to each other.
 *
 * The system's loader is for programs and libraries; an object of a few functions needs only its sections copied to
 * memory and its references filled in. Objects come from a cache on disk, so every offset is checked before it is used,
 * and anything unexpected makes the load fail: the kernel is then interpreted. */
#include "base/memory.h"
#include "jit/code.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct sim_code_symbol {
    char name[16];
    uintptr_t address;
} sim_code_symbol;

struct sim_code {
    void *mapped;
    size_t mapped_bytes;
    sim_code_symbol *symbols;
    size_t symbol_count;
};

typedef struct object {
    const unsigned char *bytes;
    size_t size;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *sections;
    const char *names;
    uint64_t *at; /* by section: its offset in the mapping + 1; 0: left out */
    unsigned char *mapped;
} object;

/* Whether the bytes lie in the file. */
static bool is_inside(const object *o, uint64_t from, uint64_t size) {
    return from <= o->size && size <= o->size - from;
}

/* Checks that the object is a relocatable x86-64 ELF file whose sections lie inside it. */
static bool read_header(object *o) {
    o->header = (const Elf64_Ehdr *)(const void *)o->bytes;
    if (o->size < sizeof *o->header || memcmp(o->header->e_ident, ELFMAG, SELFMAG)) return false;
    if (o->header->e_ident[EI_CLASS] != ELFCLASS64 || o->header->e_machine != EM_X86_64) return false;
    if (o->header->e_type != ET_REL || o->header->e_shentsize != sizeof *o->sections) return false;
    const uint64_t from = o->header->e_shoff, count = o->header->e_shnum;
    if (from % 8 || !is_inside(o, from, count * sizeof *o->sections)) return false;
    o->sections = (const Elf64_Shdr *)(const void *)(o->bytes + from);
    for (uint64_t s = 0; s < count; s++)
        if (o->sections[s].sh_type != SHT_NOBITS && !is_inside(o, o->sections[s].sh_offset, o->sections[s].sh_size))
            return false;
    if (o->header->e_shstrndx >= count) return false;
    o->names = (const char *)o->bytes + o->sections[o->header->e_shstrndx].sh_offset;
    return true;
}

/* True for code and constants. Unwind tables are not needed, since nothing is thrown. */
static bool is_wanted(const object *o, const Elf64_Shdr *s) {
    return (s->sh_flags & SHF_ALLOC) && s->sh_type == SHT_PROGBITS && strcmp(o->names + s->sh_name, ".eh_frame");
}

/* Assigns offsets to wanted sections and returns their total size; 0 if one is aligned to more than a page. */
static size_t place_sections(object *o, size_t page) {
    size_t end = 0;
    for (unsigned s = 0; s < o->header->e_shnum; s++) {
        const Elf64_Shdr *section = &o->sections[s];
        const uint64_t unit = section->sh_addralign ? section->sh_addralign : 1;
        if (!is_wanted(o, section)) continue;
        if (unit > page) return 0;
        end = (end + unit - 1) / unit * unit;
        o->at[s] = end + 1;
        end += section->sh_size;
    }
    return end;
}

/* The address of a symbol in the mapping; false if its section is not loaded. */
static bool symbol_address(const object *o, const Elf64_Shdr *symbols, uint64_t index, uint64_t *out) {
    const Elf64_Sym *list = (const Elf64_Sym *)(const void *)(o->bytes + symbols->sh_offset);
    if (index >= symbols->sh_size / sizeof *list) return false;
    const unsigned section = list[index].st_shndx;
    if (section >= o->header->e_shnum || !o->at[section]) return false;
    *out = (uint64_t)(uintptr_t)o->mapped + o->at[section] - 1 + list[index].st_value;
    return true;
}

/* Applies a relocation. Returns false for types other than those LLVM uses here, and for foreign symbols. */
static bool relocate(const object *o, const Elf64_Shdr *section, unsigned char *base, const Elf64_Shdr *symbols,
                     const Elf64_Rela *r) {
    uint64_t symbol;
    if (!symbol_address(o, symbols, ELF64_R_SYM(r->r_info), &symbol)) return false;
    const unsigned type = (unsigned)ELF64_R_TYPE(r->r_info), bytes = type == R_X86_64_64 ? 8 : 4;
    if (type != R_X86_64_64 && type != R_X86_64_PC32 && type != R_X86_64_PLT32) return false;
    if (r->r_offset > section->sh_size || section->sh_size - r->r_offset < bytes) return false;
    unsigned char *place = base + r->r_offset;
    uint64_t value = symbol + (uint64_t)r->r_addend;
    if (type != R_X86_64_64) value -= (uint64_t)(uintptr_t)place;
    memcpy(place, &value, bytes);
    return true;
}

/* Applies the relocations of one section; those of sections that are left out are skipped. */
static bool relocate_section(const object *o, const Elf64_Shdr *table) {
    if (table->sh_type != SHT_RELA || table->sh_info >= o->header->e_shnum) return true;
    if (!o->at[table->sh_info]) return true;
    if (table->sh_link >= o->header->e_shnum || table->sh_entsize != sizeof(Elf64_Rela)) return false;
    unsigned char *base = o->mapped + o->at[table->sh_info] - 1;
    const Elf64_Rela *list = (const Elf64_Rela *)(const void *)(o->bytes + table->sh_offset);
    for (size_t k = 0; k < table->sh_size / sizeof *list; k++)
        if (!relocate(o, &o->sections[table->sh_info], base, &o->sections[table->sh_link], &list[k])) return false;
    return true;
}

/* Copies the sections into the mapping and relocates them. */
static bool fill(const object *o) {
    for (unsigned s = 0; s < o->header->e_shnum; s++)
        if (o->at[s]) memcpy(o->mapped + o->at[s] - 1, o->bytes + o->sections[s].sh_offset, o->sections[s].sh_size);
    for (unsigned s = 0; s < o->header->e_shnum; s++)
        if (!relocate_section(o, &o->sections[s])) return false;
    return true;
}

/* Lists the functions' names and addresses. */
static bool list_symbols(const object *o, const Elf64_Shdr *table, sim_code *code) {
    if (table->sh_type != SHT_SYMTAB || table->sh_link >= o->header->e_shnum) return true;
    const size_t count = table->sh_size / sizeof(Elf64_Sym);
    const Elf64_Sym *list = (const Elf64_Sym *)(const void *)(o->bytes + table->sh_offset);
    const char *names = (const char *)o->bytes + o->sections[table->sh_link].sh_offset;
    code->symbols = memory_zeroed(count + 1, sizeof *code->symbols);
    if (!code->symbols) return false;
    for (size_t k = 0; k < count; k++) {
        uint64_t address;
        if (ELF64_ST_TYPE(list[k].st_info) != STT_FUNC || !symbol_address(o, table, k, &address)) continue;
        sim_code_symbol *symbol = &code->symbols[code->symbol_count++];
        strncpy(symbol->name, names + list[k].st_name, sizeof symbol->name - 1);
        symbol->address = (uintptr_t)address;
    }
    return true;
}

/* Maps the object's sections, relocates them and makes them executable. */
static bool load(object *o, sim_code *code) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = place_sections(o, page);
    if (!bytes) return false;
    code->mapped_bytes = (bytes + page - 1) / page * page;
    code->mapped = mmap(NULL, code->mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code->mapped == MAP_FAILED) {
        code->mapped = NULL;
        return false;
    }
    o->mapped = code->mapped;
    if (!fill(o)) return false;
    for (unsigned s = 0; s < o->header->e_shnum; s++)
        if (!list_symbols(o, &o->sections[s], code)) return false;
    return mprotect(code->mapped, code->mapped_bytes, PROT_READ | PROT_EXEC) == 0;
}

sim_code *sim_code_load(const unsigned char *bytes, size_t size) {
    object o = {.bytes = bytes, .size = size};
    if (!read_header(&o)) return NULL;
    sim_code *code = memory_zeroed(1, sizeof *code);
    o.at = memory_zeroed(o.header->e_shnum + 1u, sizeof *o.at);
    const bool loaded = code && o.at && load(&o, code);
    memory_free(o.at);
    if (loaded) return code;
    sim_code_free(code);
    return NULL;
}

uintptr_t sim_code_find(const sim_code *code, const char *name) {
    for (size_t k = 0; code && k < code->symbol_count; k++)
        if (!strcmp(code->symbols[k].name, name)) return code->symbols[k].address;
    return 0;
}

void sim_code_free(sim_code *code) {
    if (!code) return;
    if (code->mapped) munmap(code->mapped, code->mapped_bytes);
    memory_free(code->symbols);
    memory_free(code);
}
