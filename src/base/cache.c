/* A folder of compiled code and other results, kept between runs.
 *
 * haul executes what it finds there, so only files and folders of the user's own are trusted, which nobody else can
 * write. A file is written under another name and renamed, so that readers see all of it or nothing. Contents have a
 * checksum. When the folder exceeds its limit, the files that were used longest ago are removed. Every failure only
 * means that something is computed again. */
#include "base/cache.h"

#include "base/hash.h"
#include "base/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_MOST = 4096, FILE_MOST = 64 << 20, STALE_SECONDS = 3600, WRITES_BETWEEN_TRIMS = 64 };

/* The header of a cached file. The checksum covers its name, so that no file is taken for another. */
typedef struct file_header {
    char magic[8];
    uint64_t size, checksum[2];
} file_header;

static const char magic[8] = "haulkeep";

cache_extent cache_kept(void) {
    const char *chosen = getenv("HAUL_CACHE");
    if (chosen && !strcmp(chosen, "off")) return CACHE_OFF;
    return chosen && !strcmp(chosen, "memory") ? CACHE_MEMORY : CACHE_DISK;
}

/* HAUL_CACHE_DIR, or haul's folder in the user's cache. */
bool cache_folder(char *path, size_t size) {
    const char *own = getenv("HAUL_CACHE_DIR"), *all = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    if (cache_kept() != CACHE_DISK) return false;
    if (own && *own)
        length = snprintf(path, size, "%s", own);
    else if (all && *all == '/')
        length = snprintf(path, size, "%s/haul", all);
    else if (home && *home == '/')
        length = snprintf(path, size, "%s/.cache/haul", home);
    return length > 0 && (size_t)length < size;
}

/* ---- trust ---- */

/* Whether the user owns it, and nobody else can write to it. */
static bool is_own(const struct stat *about) {
    return about->st_uid == geteuid() && !(about->st_mode & (S_IWGRP | S_IWOTH));
}

static bool is_own_folder(int folder) {
    struct stat about;
    return fstat(folder, &about) == 0 && is_own(&about);
}

/* Opens the cache's folder; -1 if there is none that is the user's own. */
static int open_folder(void) {
    char path[PATH_MOST];
    if (!cache_folder(path, sizeof path)) return -1;
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0 || is_own_folder(folder)) return folder;
    close(folder);
    return -1;
}

/* Makes the folder and its parents, if missing. */
static int make_folder(void) {
    char path[PATH_MOST];
    const int there = open_folder();
    if (there >= 0 || !cache_folder(path, sizeof path)) return there;
    for (char *at = path + 1; *at; at++) {
        if (*at != '/') continue;
        *at = 0;
        (void)mkdir(path, 0700);
        *at = '/';
    }
    (void)mkdir(path, 0700);
    return open_folder();
}

/* Two independent hashes over name and contents. */
static void find_checksum(const char *name, const void *contents, size_t size, uint64_t checksum[2]) {
    hash_both_start(checksum);
    hash_both(checksum, name, strlen(name));
    hash_both(checksum, contents, size);
}

/* ---- reading ---- */

bool cache_has(const char *name) {
    const int folder = open_folder();
    const bool has = folder >= 0 && faccessat(folder, name, R_OK, 0) == 0;
    if (folder >= 0) close(folder);
    return has;
}

/* Returns false if the file ends too soon. */
static bool read_all(int file, void *bytes, size_t size) {
    for (char *at = bytes; size;) {
        const ssize_t got = read(file, at, size);
        if (got <= 0) return false;
        at += got;
        size -= (size_t)got;
    }
    return true;
}

/* Trusts nothing of the file before its owner, size and checksum are known. */
static bool read_contents(int file, const char *name, text *contents) {
    file_header header;
    struct stat about;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || !is_own(&about)) return false;
    if (about.st_size < (off_t)sizeof header || about.st_size > FILE_MOST) return false;
    const size_t size = (size_t)about.st_size - sizeof header;
    if (!read_all(file, &header, sizeof header) || memcmp(header.magic, magic, sizeof magic)) return false;
    if (header.size != size) return false;
    char *bytes = memory_alloc(size + 1);
    uint64_t checksum[2];
    bool good = bytes && read_all(file, bytes, size);
    if (good) {
        find_checksum(name, bytes, size, checksum);
        good = !memcmp(checksum, header.checksum, sizeof checksum);
    }
    if (good) text_append(contents, bytes, size);
    memory_free(bytes);
    return good && !contents->failed;
}

bool cache_read(const char *name, text *contents) {
    const int folder = open_folder();
    if (folder < 0) return false;
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    const bool good = file >= 0 && read_contents(file, name, contents);
    if (good) (void)futimens(file, NULL); /* marks it as recently used */
    if (file >= 0) close(file);
    close(folder);
    return good;
}

/* ---- a bounded folder ---- */

typedef struct entry {
    char *name;
    uint64_t bytes;
    struct timespec used;
} entry;

typedef struct listing {
    entry *entries;
    size_t count, capacity;
    uint64_t bytes;
} listing;

static bool add_entry(listing *l, const char *name, const struct stat *about) {
    if (l->count == l->capacity) {
        const size_t capacity = l->capacity ? 2 * l->capacity : 64;
        entry *more = memory_resize(l->entries, capacity * sizeof *more);
        if (!more) return false;
        l->entries = more;
        l->capacity = capacity;
    }
    entry e = {memory_alloc(strlen(name) + 1), (uint64_t)about->st_size, about->st_mtim};
    if (!e.name) return false;
    strcpy(e.name, name);
    l->entries[l->count++] = e;
    l->bytes += e.bytes;
    return true;
}

/* Files that were never completed are removed after an hour. */
static bool is_stale(const char *name, const struct stat *about) {
    return *name == '.' && time(NULL) - about->st_mtim.tv_sec > STALE_SECONDS;
}

/* Lists complete files, and removes temporary ones that were left behind. */
static void list_folder(int folder, listing *l) {
    const int own = dup(folder);
    DIR *files = own < 0 ? NULL : fdopendir(own);
    struct stat about;
    if (!files) {
        if (own >= 0) close(own);
        return;
    }
    rewinddir(files);
    for (const struct dirent *d; (d = readdir(files));) {
        if (fstatat(folder, d->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode)) continue;
        if (is_stale(d->d_name, &about))
            (void)unlinkat(folder, d->d_name, 0);
        else if (*d->d_name != '.' && !add_entry(l, d->d_name, &about))
            break;
    }
    closedir(files);
}

static void free_listing(listing *l) {
    for (size_t k = 0; k < l->count; k++) memory_free(l->entries[k].name);
    memory_free(l->entries);
}

/* Reading sets a file's time, so this is the order of use. */
static int by_use(const void *a, const void *b) {
    const struct timespec *first = &((const entry *)a)->used, *second = &((const entry *)b)->used;
    if (first->tv_sec != second->tv_sec) return first->tv_sec < second->tv_sec ? -1 : 1;
    return (first->tv_nsec > second->tv_nsec) - (first->tv_nsec < second->tv_nsec);
}

/* Above `limit`, removes files until `most` bytes are left. */
static void trim(int folder, uint64_t limit, uint64_t most) {
    listing l = {0};
    list_folder(folder, &l);
    if (l.bytes > limit) {
        qsort(l.entries, l.count, sizeof *l.entries, by_use);
        for (size_t k = 0; k < l.count && l.bytes > most; k++)
            if (unlinkat(folder, l.entries[k].name, 0) == 0) l.bytes -= l.entries[k].bytes;
    }
    free_listing(&l);
}

void cache_trim(uint64_t most) {
    const int folder = open_folder();
    if (folder < 0) return;
    trim(folder, most, most);
    close(folder);
}

cache_usage cache_measure(void) {
    cache_usage usage = {0};
    listing l = {0};
    char path[PATH_MOST];
    const int folder = open_folder();
    if (folder < 0) {
        usage.refused = cache_folder(path, sizeof path) && access(path, F_OK) == 0;
        return usage;
    }
    list_folder(folder, &l);
    usage.bytes = l.bytes;
    usage.files = l.count;
    free_listing(&l);
    close(folder);
    return usage;
}

/* ---- writing ---- */

static bool write_all(int file, const void *bytes, size_t size) {
    for (const char *at = bytes; size;) {
        const ssize_t put = write(file, at, size);
        if (put <= 0) return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

/* The file has its final name only when it is complete. */
static bool write_under(int folder, const char *temporary, const char *name, const void *contents, size_t size) {
    file_header header = {.size = size};
    const int file = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return false;
    memcpy(header.magic, magic, sizeof magic);
    find_checksum(name, contents, size, header.checksum);
    bool good = write_all(file, &header, sizeof header) && write_all(file, contents, size);
    good &= close(file) == 0;
    good = good && renameat(folder, temporary, folder, name) == 0;
    if (!good) (void)unlinkat(folder, temporary, 0);
    return good;
}

/* The folder is measured at some of the writes only, since that reads all of it. */
bool cache_write(const char *name, const void *contents, size_t size) {
    static atomic_uint writes;
    char temporary[64];
    if (size > FILE_MOST - sizeof(file_header)) return false;
    const int folder = make_folder();
    if (folder < 0) return false;
    const unsigned number = atomic_fetch_add(&writes, 1);
    snprintf(temporary, sizeof temporary, ".%ld-%u", (long)getpid(), number);
    if (number % WRITES_BETWEEN_TRIMS == 0) trim(folder, CACHE_LIMIT, CACHE_LIMIT / 4 * 3);
    const bool good = write_under(folder, temporary, name, contents, size);
    close(folder);
    return good;
}
