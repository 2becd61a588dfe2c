/* Files read and written in pieces, at offsets, by several threads: around the page cache where that is possible.
 *
 * The one door to the system's file calls for large data, so that tests can make the n-th one fail. */
#ifndef HAUL_BASE_DISK_H
#define HAUL_BASE_DISK_H

#include <haul/status.h>
#include <stdbool.h>
#include <stdint.h>

enum { DISK_PAGE = 4096 }; /* what direct transfers are multiples of, in the file and in memory */

typedef struct disk_file {
    char *path;
    int descriptor, direct; /* direct: around the page cache; -1 where that is not to be had */
    uint64_t bytes;         /* that the file has, or will have */
} disk_file;

/* Errors of all: HAUL_ERROR_FILE with the path and the system's words. */
haul_status disk_open(const char *path, disk_file *file);
/* Makes the file, or empties it, with room for `bytes`: a full disk is told here where the file system can. */
haul_status disk_create(const char *path, uint64_t bytes, disk_file *file);
/* All bytes at `offset`. Whole pages whose place in memory is on a page, too, go directly. */
haul_status disk_read(const disk_file *file, uint64_t offset, void *bytes, uint64_t count);
haul_status disk_write(const disk_file *file, uint64_t offset, const void *bytes, uint64_t count);
/* Closes; writing errors that were held back are told. */
haul_status disk_close(disk_file *file);
/* Whether that is another name of the open file: a link, or the same path. */
bool disk_is_called(const disk_file *file, const char *path);
/* Whether disk_rename() may put a file there: where nothing is, or a regular file that is no symbolic link, which would
 * be replaced instead of the file that it names. */
haul_status disk_check_target(const char *path);
haul_status disk_rename(const char *from, const char *to);
void disk_remove(const char *path);

/* For tests: the n-th file call of the process from now on fails with `error` (0: none does), and each read or write
 * moves at most `most` bytes (0: no limit). */
void disk_fail_after(unsigned n, int error);
void disk_move_at_most(uint64_t most);

#endif
