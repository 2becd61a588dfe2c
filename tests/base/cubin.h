/* The least of a cubin that tells a kernel's registers and instructions: its code, a symbol, and .nv.info. */
#ifndef HAUL_TESTS_CUBIN_H
#define HAUL_TESTS_CUBIN_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { CUBIN_INSTRUCTIONS = 5 };
enum { CUBIN_STRINGS = 1, CUBIN_SYMBOLS, CUBIN_INFO, CUBIN_CODE, CUBIN_SECTIONS };

typedef struct cubin {
    Elf64_Ehdr header;
    Elf64_Shdr sections[CUBIN_SECTIONS];
    char strings[128];
    Elf64_Sym symbols[2];
    struct {
        uint8_t format, attribute; /* 4: a size follows; 0x2f: a symbol's registers */
        uint16_t size;
        uint32_t symbol, registers;
    } info[1];
    uint64_t code[CUBIN_INSTRUCTIONS][2];
} cubin;

/* Appends a name to the strings; returns its place. */
static inline uint32_t cubin_name(cubin *c, const char *prefix, const char *name) {
    uint32_t at = 1;
    while (c->strings[at]) at += (uint32_t)strlen(c->strings + at) + 1;
    snprintf(c->strings + at, sizeof c->strings - at, "%s%s", prefix, name);
    return at;
}

static inline void cubin_section(cubin *c, int which, uint32_t name, const void *content, uint64_t bytes,
                                 uint32_t link) {
    c->sections[which] = (Elf64_Shdr){.sh_name = name,
                                      .sh_offset = (uint64_t)((const char *)content - (const char *)c),
                                      .sh_size = bytes,
                                      .sh_link = link};
}

static inline cubin cubin_of(const char *kernel, uint32_t registers) {
    cubin c = {.header = {.e_ident = ELFMAG,
                          .e_shoff = offsetof(cubin, sections),
                          .e_shnum = CUBIN_SECTIONS,
                          .e_shstrndx = CUBIN_STRINGS},
               .info = {{4, 0x2f, 8, 1, registers}}};
    for (int i = 0; i < CUBIN_INSTRUCTIONS; i++) c.code[i][0] = 0x947; /* a branch; nothing is padding */
    c.symbols[1].st_name = cubin_name(&c, "", kernel);
    cubin_section(&c, CUBIN_STRINGS, 0, c.strings, sizeof c.strings, 0);
    cubin_section(&c, CUBIN_SYMBOLS, 0, c.symbols, sizeof c.symbols, CUBIN_STRINGS);
    cubin_section(&c, CUBIN_INFO, cubin_name(&c, ".nv.info", ""), c.info, sizeof c.info, CUBIN_SYMBOLS);
    cubin_section(&c, CUBIN_CODE, cubin_name(&c, ".text.", kernel), c.code, sizeof c.code, 0);
    return c;
}

#endif
