/* The PTX in the array `ptx` as a fat binary, `fat`, and in the wrapper that nvcc puts into programs. The file that
 * includes this defines `ptx` first, and copies it to `fat.text`. */
#ifndef HAUL_TESTS_STANDIN_FAT_BINARY_H
#define HAUL_TESTS_STANDIN_FAT_BINARY_H

#include <stddef.h>
#include <stdint.h>

typedef struct fat_entry {
    uint16_t kind, version; /* 1: PTX; 2: machine code */
    uint32_t header_bytes;
    uint64_t bytes;
    uint32_t packed_bytes, options;
    uint16_t minor, major;
    uint32_t architecture, name, name_bytes;
    uint64_t flags, reserved, text_bytes;
} fat_entry;

static struct {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes;
    fat_entry entry;
    char text[sizeof ptx];
} fat = {.magic = 0xba55ed50,
         .version = 1,
         .header_bytes = 16,
         .bytes = sizeof fat - 16,
         .entry = {.kind = 1, .header_bytes = sizeof fat.entry, .bytes = sizeof ptx, .architecture = 80}};
static struct {
    int magic, version;
    const void *container, *linked;
} wrapper = {0x466243b1, 1, &fat, NULL};

#endif
