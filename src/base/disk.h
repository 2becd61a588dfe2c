/* Files read and written in pieces, at offsets, by several threads; direct I/O bypasses the page cache where possible.
 *
 * All file calls for large data go through here, so that tests can make the n-th one fail. */
#ifndef HAUL_BASE_DISK_H
#define HAUL_BASE_DISK_H

#include <haul/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DISK_PAGE = 4096 }; /* unit of direct transfers, in the file and in memory */

typedef struct disk_file {
    char *path;
    int descriptor, direct; /* direct: bypasses the page cache; -1 if unavailable */
    uint64_t bytes;         /* the size that the file has, or will have */
} disk_file;

/* All functions fail with HAUL_ERROR_FILE, with the path and the system's message. */
haul_status disk_open(const char *path, disk_file *file);
/* Creates or empties the file, with room for `bytes`. A full disk is reported here if the file system can. */
haul_status disk_create(const char *path, uint64_t bytes, disk_file *file);
/* Opens a file that exists, to write parts of it; its contents and size stay. */
haul_status disk_reopen(const char *path, disk_file *file);
/* Makes all transfers of an open file go through the page cache. */
void disk_use_page_cache(disk_file *file);
/* Makes a file in the folder of `path`, open for direct transfers alone: tells what the folder's file system can.
 * Returns its descriptor; -1 if there are no direct transfers. `name` gets its name, which has to be removed. */
enum { DISK_NAME = 4096 };
int disk_open_probe(const char *path, char name[DISK_NAME]);
/* Opens a file that grows by disk_append() alone, and makes it if it is not there. */
haul_status disk_open_log(const char *path, disk_file *file);
/* Appends the bytes in one call of the system, so that a killed process leaves whole records, save perhaps the last. */
haul_status disk_append(const disk_file *file, const char *bytes, size_t count);
/* Read or write all bytes at `offset`. Whole pages that are page-aligned in memory too are transferred directly. */
haul_status disk_read(const disk_file *file, uint64_t offset, void *bytes, uint64_t count);
haul_status disk_write(const disk_file *file, uint64_t offset, const void *bytes, uint64_t count);
/* Closes the file; reports delayed write errors. */
haul_status disk_close(disk_file *file);
/* Returns whether the path names the open file: the same path, or a link. */
bool disk_is_called(const disk_file *file, const char *path);
/* Checks that disk_rename() may put a file there: nothing exists, or a regular file. A symbolic link is refused, since
 * the rename would replace it instead of the file that it names. */
haul_status disk_check_target(const char *path);
haul_status disk_rename(const char *from, const char *to);
void disk_remove(const char *path);

/* For tests: the process's n-th file call from now fails with `error` (0: none does), and each read or write moves at
 * most `most` bytes (0: no limit). */
void disk_fail_after(unsigned n, int error);
void disk_move_at_most(uint64_t most);

#endif
