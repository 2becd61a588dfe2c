/* Symbol tables of ELF files, which the loader does not map. */
#ifndef HAUL_STANDIN_RUNTIME_IMAGE_H
#define HAUL_STANDIN_RUNTIME_IMAGE_H

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/* A file in memory, aligned to 8 bytes. Its contents are not trusted. */
typedef struct image {
    const unsigned char *bytes;
    uint64_t size;
    const ElfW(Shdr) * sections;
    unsigned section_count;
} image;

typedef void image_visitor(void *context, const ElfW(Sym) * symbol, const char *name);

/* Maps a file for reading; false if it cannot be read or is empty. image_unmap() ends it. */
bool image_map(image *m, const char *path);
void image_unmap(image *m);
/* Finds the sections. False unless it is an ELF file whose section headers lie in it. */
bool image_read(image *m);
/* Whether a part lies in so many bytes; no sum overflows. */
bool image_has(uint64_t offset, uint64_t bytes, uint64_t size);
/* Visits the symbols of the tables of a type. Returns whether there is such a table. */
bool image_symbols(const image *m, unsigned type, image_visitor *visitor, void *context);
/* Whether a table of that type defines the name. */
bool image_defines(const image *m, unsigned type, const char *name);

#endif
