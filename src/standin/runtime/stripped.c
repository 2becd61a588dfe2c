/* Finds NVIDIA's static runtime in a library without a symbol table, as NVIDIA's own are (cuRAND, cuSPARSE).
 *
 * libcudart_static.a is one object. A linker puts the object's code into a library as a whole, so all of its functions
 * lie at one distance from their places in the object. The library's toolkit has that archive, and the archive has
 * names. The longest piece of its code that a linker leaves alone is searched in the library; the distance holds if
 * then all functions that haul replaces are there, byte by byte. A runtime of another release does not match, and is
 * left alone. */
#include "standin/runtime/stripped.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The object in the archive, and the section with its functions. */
typedef struct object {
    image file;
    const ElfW(Shdr) * code;
    unsigned char *linked; /* for each byte of the code whether a linker writes it */
    stripped_wants *wants;
    uint64_t anchor, anchor_bytes; /* the longest piece without such bytes within a function; its place in the code */
    const unsigned char *there;    /* this code's place in the library, once it is found */
    bool same;
    image_visitor *visitor;
    void *context;
    uint64_t address; /* where the library has the code */
} object;

/* ---- the archive ---- */

/* The header of a member: text, of which only name and size matter. */
enum { HEADER_BYTES = 60, SIZE_AT = 48, SIZE_BYTES = 10 };

/* Copies a member: in the archive it begins at an even address, which is too little for ELF. */
static bool read_member(const image *archive, uint64_t at, image *member) {
    unsigned char *copy = malloc(member->size ? member->size : 1);
    if (!copy) return false;
    memcpy(copy, archive->bytes + at, member->size);
    member->bytes = copy;
    if (image_read(member) && image_defines(member, SHT_SYMTAB, "cudaGetDeviceCount")) return true;
    free(copy);
    return false;
}

/* Finds the member that defines the runtime; the caller frees its bytes. */
static bool find_member(const image *archive, image *member) {
    static const char magic[] = "!<arch>\n";
    uint64_t at = sizeof magic - 1;
    if (archive->size < at || memcmp(archive->bytes, magic, at) != 0) return false;
    while (image_has(at, HEADER_BYTES, archive->size)) {
        char size[SIZE_BYTES + 1] = {0};
        memcpy(size, archive->bytes + at + SIZE_AT, SIZE_BYTES);
        at += HEADER_BYTES;
        *member = (image){.size = strtoull(size, NULL, 10)};
        if (!image_has(at, member->size, archive->size)) return false;
        if (read_member(archive, at, member)) return true;
        at += member->size + (member->size & 1);
    }
    return false;
}

/* Maps the first archive among the places where toolkits and Python's packages have it. */
static bool map_archive(image *archive, const char *library) {
    static const char *const beside[] = {"", "/../../cuda_runtime/lib"};
    static const char *const toolkits[] = {"CUDA_HOME", "CUDA_PATH"};
    char real[PATH_MAX], path[PATH_MAX + 64];
    char *slash = realpath(library, real) ? strrchr(real, '/') : NULL;
    if (slash) *slash = 0;
    for (size_t i = 0; slash && i < sizeof beside / sizeof *beside; i++) {
        snprintf(path, sizeof path, "%s%s/libcudart_static.a", real, beside[i]);
        if (image_map(archive, path)) return true;
    }
    for (size_t i = 0; i < sizeof toolkits / sizeof *toolkits; i++) {
        const char *home = getenv(toolkits[i]);
        if (!home || (size_t)snprintf(path, sizeof path, "%s/lib64/libcudart_static.a", home) >= sizeof path) continue;
        if (image_map(archive, path)) return true;
    }
    return image_map(archive, "/usr/local/cuda/lib64/libcudart_static.a");
}

/* ---- code and what a linker writes into it ---- */

static void find_code(void *context, const ElfW(Sym) * symbol, const char *name) {
    object *o = context;
    if (strcmp(name, "cudaGetDeviceCount") != 0 || symbol->st_shndx >= o->file.section_count) return;
    const ElfW(Shdr) *code = &o->file.sections[symbol->st_shndx];
    if (code->sh_type == SHT_PROGBITS && image_has(code->sh_offset, code->sh_size, o->file.size)) o->code = code;
}

/* Besides the bytes of its value, a linker may exchange the instruction around a relocation that goes by the table
 * of addresses or concerns thread-local variables. */
static void mark_relocation(object *o, const ElfW(Rela) * r) {
    const unsigned type = ELF64_R_TYPE(r->r_info);
    const bool plain = type == R_X86_64_PC32 || type == R_X86_64_PLT32 || type == R_X86_64_32 || type == R_X86_64_32S;
    const uint64_t before = plain ? 0 : 4, after = plain ? 4 : 12;
    const uint64_t first = r->r_offset > before ? r->r_offset - before : 0;
    for (uint64_t i = first; i < o->code->sh_size && i < r->r_offset + after; i++) o->linked[i] = 1;
}

static void mark_relocations(object *o) {
    for (unsigned s = 0; s < o->file.section_count; s++) {
        const ElfW(Shdr) *table = &o->file.sections[s];
        if (table->sh_type != SHT_RELA || table->sh_info >= o->file.section_count) continue;
        if (&o->file.sections[table->sh_info] != o->code) continue;
        if (!image_has(table->sh_offset, table->sh_size, o->file.size)) continue;
        const ElfW(Rela) *rows = (const void *)(o->file.bytes + table->sh_offset);
        for (uint64_t i = 0; i < table->sh_size / sizeof *rows; i++) mark_relocation(o, &rows[i]);
    }
}

/* Whether it is a function of the code that haul has, too. */
static bool is_wanted(const object *o, const ElfW(Sym) * symbol, const char *name) {
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx < o->file.section_count &&
           &o->file.sections[symbol->st_shndx] == o->code &&
           image_has(symbol->st_value, symbol->st_size, o->code->sh_size) && o->wants(name);
}

static void find_anchor(void *context, const ElfW(Sym) * symbol, const char *name) {
    object *o = context;
    if (!is_wanted(o, symbol, name)) return;
    for (uint64_t i = symbol->st_value, run = 0; i < symbol->st_value + symbol->st_size; i++) {
        run = o->linked[i] ? 0 : run + 1;
        if (run <= o->anchor_bytes) continue;
        o->anchor_bytes = run;
        o->anchor = i + 1 - run;
    }
}

/* ---- the library ---- */

static void compare_function(void *context, const ElfW(Sym) * symbol, const char *name) {
    object *o = context;
    if (!o->same || !is_wanted(o, symbol, name)) return;
    const unsigned char *code = o->file.bytes + o->code->sh_offset;
    for (uint64_t i = symbol->st_value; i < symbol->st_value + symbol->st_size; i++)
        if (!o->linked[i] && code[i] != o->there[i]) {
            o->same = false;
            return;
        }
}

/* Searches one segment of the library. */
static bool search_segment(object *o, const image *library, const ElfW(Phdr) * segment) {
    const unsigned char *first = library->bytes + segment->p_offset, *end = first + segment->p_filesz;
    const unsigned char *anchor = o->file.bytes + o->code->sh_offset + o->anchor;
    for (const unsigned char *at = first; at < end; at++) {
        at = memmem(at, (size_t)(end - at), anchor, (size_t)o->anchor_bytes);
        if (!at) return false;
        if ((uint64_t)(at - first) < o->anchor) continue;
        o->there = at - o->anchor;
        o->same = image_has((uint64_t)(o->there - first), o->code->sh_size, segment->p_filesz);
        if (o->same) image_symbols(&o->file, SHT_SYMTAB, compare_function, o);
        if (!o->same) continue;
        o->address = segment->p_vaddr + (uint64_t)(o->there - first);
        return true;
    }
    return false;
}

static bool search_library(object *o, const image *library) {
    const ElfW(Ehdr) *header = (const void *)library->bytes;
    if (!image_has(header->e_phoff, (uint64_t)header->e_phnum * sizeof(ElfW(Phdr)), library->size)) return false;
    const ElfW(Phdr) *segments = (const void *)(library->bytes + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++) {
        const ElfW(Phdr) *s = &segments[i];
        if (s->p_type == PT_LOAD && s->p_flags & PF_X && image_has(s->p_offset, s->p_filesz, library->size) &&
            search_segment(o, library, s))
            return true;
    }
    return false;
}

/* Hands a function over with its address in the library. */
static void visit_found(void *context, const ElfW(Sym) * symbol, const char *name) {
    const object *o = context;
    if (!is_wanted(o, symbol, name)) return;
    ElfW(Sym) there = *symbol;
    there.st_value += o->address;
    o->visitor(o->context, &there, name);
}

/* A short piece of code may be anywhere. */
enum { LEAST_ANCHOR = 16 };

static bool search(object *o, const image *library) {
    image_symbols(&o->file, SHT_SYMTAB, find_code, o);
    o->linked = o->code ? calloc(o->code->sh_size ? o->code->sh_size : 1, 1) : NULL;
    if (!o->linked) return false;
    mark_relocations(o);
    image_symbols(&o->file, SHT_SYMTAB, find_anchor, o);
    const bool found = o->anchor_bytes >= LEAST_ANCHOR && search_library(o, library);
    if (found) image_symbols(&o->file, SHT_SYMTAB, visit_found, o);
    free(o->linked);
    return found;
}

bool stripped_symbols(const image *library, const char *path, stripped_wants *wants, image_visitor *visitor,
                      void *context) {
    image archive;
    object o = {.wants = wants, .visitor = visitor, .context = context};
    if (!map_archive(&archive, path)) return false;
    const bool is_runtime = find_member(&archive, &o.file), found = is_runtime && search(&o, library);
    if (is_runtime) free((void *)(uintptr_t)o.file.bytes);
    image_unmap(&archive);
    return found;
}
