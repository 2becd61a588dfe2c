/* Files that haul keeps from one run to the next, in a folder of the user's own.
 *
 * What is kept makes haul faster and nothing else: whatever goes wrong here (no folder, a full disk, a file that
 * somebody else could have written, or that is not whole) is as if nothing had been kept. Any number of processes may
 * use the folder at once: a file appears under its name when it is complete, and is never changed afterwards. */
#ifndef HAUL_BASE_CACHE_H
#define HAUL_BASE_CACHE_H

#include "base/text.h"

#include <stdint.h>

/* How long things are kept: HAUL_CACHE in the environment. */
typedef enum cache_extent {
    CACHE_OFF,    /* "off": not beyond their first use */
    CACHE_MEMORY, /* "memory": while the process lives */
    CACHE_DISK,   /* anything else, or nothing */
} cache_extent;

cache_extent cache_kept(void);

/* $HAUL_CACHE_DIR, else $XDG_CACHE_HOME/haul, else $HOME/.cache/haul, whether it is there or not. False: none of these
 * is set, or nothing is kept on disk. */
bool cache_folder(char *path, size_t size);

/* `name` has no folder in it. */
bool cache_has(const char *name);
/* Appends the file's contents. False (and nothing appended) if there is none, or it is not to be trusted: it or the
 * folder belongs to another user or may be written by others, or the checksum does not fit. */
bool cache_read(const char *name, text *contents);
/* Makes the folder if need be, and keeps it below CACHE_LIMIT bytes by removing what was used longest ago. */
bool cache_write(const char *name, const void *contents, size_t size);

#define CACHE_LIMIT (256ull << 20)

typedef struct cache_usage {
    uint64_t bytes, files;
    bool refused; /* it is there, but others may write in it, or it is not the user's */
} cache_usage;

cache_usage cache_measure(void);

/* Removes what was used longest ago until no more than `most` bytes are left. */
void cache_trim(uint64_t most);

#endif
