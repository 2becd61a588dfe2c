/* Files of any size, read and written at offsets by several threads, around the page cache where that is possible.
 *
 * A file has two descriptors: one direct, for whole pages at aligned addresses, and one through the page cache, for
 * what is left at both ends and for file systems that refuse direct transfers. Transfers are large and come from
 * several threads, so that the system's queue of requests is full: io_uring gained nothing (0.86 to 1.08 times the
 * rate, by fio with blocks of 2 MiB on a virtual disk). Tests let any of the calls fail (disk_fail_after()). */
#include "base/disk.h"

#include "base/memory.h"
#include "base/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static atomic_uint countdown;
static atomic_int error_to_give;
static atomic_ullong most_moved;

void disk_fail_after(unsigned n, int error) {
    error_to_give = error;
    countdown = n;
}

void disk_move_at_most(uint64_t most) {
    most_moved = most;
}

/* Whether a test wants this call to fail. */
static bool must_fail(void) {
    if (countdown == 0 || atomic_fetch_sub(&countdown, 1) != 1) return false;
    errno = error_to_give;
    return true;
}

static haul_status fail(const char *path, const char *what) {
    return haul_fail(HAUL_ERROR_FILE, "%s: cannot be %s: %s", path, what, strerror(errno));
}

/* ---- opening and closing ---- */

/* A file system without direct transfers leaves `direct` closed. */
static haul_status open_both(const char *path, int flags, disk_file *f) {
    *f = (disk_file){.descriptor = -1, .direct = -1};
    f->path = memory_alloc(strlen(path) + 1);
    if (!f->path) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to open it", path);
    strcpy(f->path, path);
    f->descriptor = must_fail() ? -1 : open(path, flags | O_CLOEXEC, 0666);
    if (f->descriptor < 0) return fail(path, flags & O_CREAT ? "created" : "opened");
    f->direct = open(path, (flags & ~(O_CREAT | O_TRUNC)) | O_CLOEXEC | O_DIRECT);
    return HAUL_OK;
}

static void close_both(disk_file *f) {
    if (f->descriptor >= 0) close(f->descriptor);
    if (f->direct >= 0) close(f->direct);
    memory_free(f->path);
    *f = (disk_file){.descriptor = -1, .direct = -1};
}

/* Only regular files have a size that can be relied on. */
static haul_status measure(disk_file *f) {
    struct stat about;
    if (must_fail() || fstat(f->descriptor, &about) != 0) return fail(f->path, "read");
    if (!S_ISREG(about.st_mode)) return haul_fail(HAUL_ERROR_FILE, "%s is not a regular file", f->path);
    f->bytes = (uint64_t)about.st_size;
    return HAUL_OK;
}

haul_status disk_open(const char *path, disk_file *f) {
    haul_status status = open_both(path, O_RDONLY, f);
    if (status == HAUL_OK) status = measure(f);
    if (status != HAUL_OK) close_both(f);
    return status;
}

/* Allocates the file's space, if the file system can. */
static haul_status reserve(disk_file *f) {
    if (f->bytes == 0) return HAUL_OK;
    if (must_fail()) return fail(f->path, "given its size");
    if (fallocate(f->descriptor, 0, 0, (off_t)f->bytes) == 0) return HAUL_OK;
    if (errno == ENOSPC || errno == EFBIG || errno == EDQUOT) return fail(f->path, "given its size");
    return ftruncate(f->descriptor, (off_t)f->bytes) == 0 ? HAUL_OK : fail(f->path, "given its size");
}

haul_status disk_create(const char *path, uint64_t bytes, disk_file *f) {
    haul_status status = open_both(path, O_RDWR | O_CREAT | O_TRUNC, f);
    if (status == HAUL_OK) {
        f->bytes = bytes;
        status = reserve(f);
        if (status != HAUL_OK) disk_remove(path);
    }
    if (status != HAUL_OK) close_both(f);
    return status;
}

haul_status disk_reopen(const char *path, disk_file *f) {
    haul_status status = open_both(path, O_RDWR, f);
    if (status == HAUL_OK) status = measure(f);
    if (status != HAUL_OK) close_both(f);
    return status;
}

void disk_use_page_cache(disk_file *f) {
    if (f->direct >= 0) close(f->direct);
    f->direct = -1;
}

int disk_open_probe(const char *path, char name[DISK_NAME]) {
    const int length = snprintf(name, DISK_NAME, "%s.XXXXXX", path);
    if (length < 0 || length >= DISK_NAME) return -1;
    return mkostemp(name, O_DIRECT | O_CLOEXEC);
}

haul_status disk_open_log(const char *path, disk_file *f) {
    const haul_status status = open_both(path, O_WRONLY | O_APPEND | O_CREAT, f);
    if (status != HAUL_OK) close_both(f);
    return status;
}

haul_status disk_append(const disk_file *f, const char *bytes, size_t count) {
    ssize_t written = -1;
    if (!must_fail()) written = write(f->descriptor, bytes, count);
    if (written < 0) return fail(f->path, "written");
    if ((size_t)written == count) return HAUL_OK;
    return haul_fail(HAUL_ERROR_FILE, "%s: nothing more can be written: is the disk full?", f->path);
}

/* The status matters for written files: errors may be reported only now. */
haul_status disk_close(disk_file *f) {
    haul_status status = HAUL_OK;
    if (f->descriptor >= 0) {
        const bool failed = must_fail();
        if (close(f->descriptor) != 0 || failed) status = fail(f->path, "closed");
        f->descriptor = -1;
    }
    if (f->path) close_both(f);
    return status;
}

/* Whether the path leads to this very file. */
bool disk_is_called(const disk_file *f, const char *path) {
    struct stat file, named;
    return fstat(f->descriptor, &file) == 0 && stat(path, &named) == 0 && file.st_dev == named.st_dev &&
           file.st_ino == named.st_ino;
}

haul_status disk_check_target(const char *path) {
    struct stat about;
    if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode))
        return haul_fail(HAUL_ERROR_FILE, "%s is a symbolic link and would be replaced; give the file that it names",
                         path);
    if (stat(path, &about) != 0 || S_ISREG(about.st_mode)) return HAUL_OK;
    return haul_fail(HAUL_ERROR_FILE, "%s is not a regular file and would be replaced; give the name of a file", path);
}

haul_status disk_rename(const char *from, const char *to) {
    if (must_fail() || rename(from, to) != 0)
        return haul_fail(HAUL_ERROR_FILE, "%s: cannot be renamed to %s: %s", from, to, strerror(errno));
    return HAUL_OK;
}

void disk_remove(const char *path) {
    unlink(path);
}

/* ---- moving bytes ---- */

/* Returns the bytes that one call moves. */
static size_t piece(uint64_t count) {
    const uint64_t most = most_moved;
    const uint64_t limit = most ? most : (uint64_t)1 << 30; /* the system moves at most 2 GiB at once */
    return (size_t)(count < limit ? count : limit);
}

/* Repeats partial transfers until all bytes are moved. */
static haul_status move(const disk_file *f, int descriptor, bool writes, uint64_t offset, char *bytes, uint64_t count) {
    while (count > 0) {
        ssize_t moved = -1;
        if (!must_fail())
            moved = writes ? pwrite(descriptor, bytes, piece(count), (off_t)offset)
                           : pread(descriptor, bytes, piece(count), (off_t)offset);
        if (moved < 0 && errno == EINTR) continue;
        if (moved < 0) return fail(f->path, writes ? "written" : "read");
        if (moved == 0 && writes)
            return haul_fail(HAUL_ERROR_FILE, "%s: nothing more can be written: is the disk full?", f->path);
        if (moved == 0)
            return haul_fail(HAUL_ERROR_FILE, "%s ends at byte %llu: it was truncated", f->path,
                             (unsigned long long)offset);
        offset += (uint64_t)moved;
        bytes += moved;
        count -= (uint64_t)moved;
    }
    return HAUL_OK;
}

/* Transfers whole pages directly. If the system refuses a direct transfer (of this file, or this memory), or does only
 * part of it, the rest goes through the page cache. */
static haul_status move_pages(const disk_file *f, bool writes, uint64_t offset, char *bytes, uint64_t count) {
    while (f->direct >= 0 && most_moved == 0 && count > 0) {
        const ssize_t moved = must_fail() ? -1
                              : writes    ? pwrite(f->direct, bytes, piece(count), (off_t)offset)
                                          : pread(f->direct, bytes, piece(count), (off_t)offset);
        if (moved < 0 && errno != EINVAL && errno != EINTR && errno != EFAULT)
            return fail(f->path, writes ? "written" : "read");
        if (moved <= 0 || moved % DISK_PAGE) break;
        offset += (uint64_t)moved;
        bytes += moved;
        count -= (uint64_t)moved;
    }
    return move(f, f->descriptor, writes, offset, bytes, count);
}

/* Direct transfers need offset and address to be at the same place in a page. The parts before the first page and
 * after the last one go through the page cache. */
static haul_status move_all(const disk_file *f, bool writes, uint64_t offset, char *bytes, uint64_t count) {
    if (offset % DISK_PAGE != (uintptr_t)bytes % DISK_PAGE) return move(f, f->descriptor, writes, offset, bytes, count);
    uint64_t head = (DISK_PAGE - offset % DISK_PAGE) % DISK_PAGE;
    if (head > count) head = count;
    const uint64_t pages = (count - head) / DISK_PAGE * DISK_PAGE;
    HAUL_TRY(move(f, f->descriptor, writes, offset, bytes, head));
    HAUL_TRY(move_pages(f, writes, offset + head, bytes + head, pages));
    return move(f, f->descriptor, writes, offset + head + pages, bytes + head + pages, count - head - pages);
}

haul_status disk_read(const disk_file *f, uint64_t offset, void *bytes, uint64_t count) {
    return move_all(f, false, offset, bytes, count);
}

haul_status disk_write(const disk_file *f, uint64_t offset, const void *bytes, uint64_t count) {
    return move_all(f, true, offset, (char *)(uintptr_t)bytes, count);
}
