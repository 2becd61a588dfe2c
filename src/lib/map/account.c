/* The account of a partial output file: which items are in their place, in files beside it.
 *
 * Each rank appends to a file of its own, PATH.partial.done-RANK: a line that names the run, then a line "FIRST ITEMS"
 * for each chunk, once its items are written. A killed process thus leaves an account that is true; a last line without
 * its end does not count. A later run, of any number of ranks, reads the accounts of all. Data and account are safe
 * from the end of a process, not from that of the machine: neither is flushed to the disk. */
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "base/text.h"
#include "lib/map/map.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = ".done-";

/* ---- the line that names the run ---- */

static uint64_t hash_number(uint64_t hash, uint64_t number) {
    return hash_bytes(hash, &number, sizeof number);
}

/* An input file that was replaced or changed is another input. */
static uint64_t hash_file(uint64_t hash, const map_end *e) {
    struct stat about;
    if (fstat(e->file.descriptor, &about) != 0) return hash;
    hash = hash_number(hash, (uint64_t)about.st_size);
    hash = hash_number(hash, (uint64_t)about.st_mtim.tv_sec);
    return hash_number(hash_number(hash, (uint64_t)about.st_mtim.tv_nsec), e->what.offset);
}

static void put_header(const haul_mapper *m, text *out) {
    uint64_t hash = hash_number(HASH_START, m->map.identity);
    hash = hash_number(hash_number(hash, m->map.before), m->map.after);
    for (size_t i = 0; i < m->map.input_count; i++) {
        hash = hash_number(hash, m->inputs[i].what.item_bytes);
        if (m->inputs[i].what.kind == HAUL_MAP_FILE) hash = hash_file(hash, &m->inputs[i]);
    }
    text_printf(out, "haul-done 1 %" PRIu64 " %" PRIu64 " %016" PRIx64 "\n", m->map.items, m->output.what.item_bytes,
                hash);
}

/* ---- ranges ---- */

static int by_first(const void *a, const void *b) {
    const haul_map_range *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Sorts, and joins ranges that touch or overlap. */
static void join_ranges(map_account *a) {
    size_t last = 0;
    if (a->count == 0) return;
    qsort(a->ranges, a->count, sizeof *a->ranges, by_first);
    for (size_t i = 1; i < a->count; i++) {
        haul_map_range *r = &a->ranges[last];
        const uint64_t end = a->ranges[i].first + a->ranges[i].items;
        if (a->ranges[i].first > r->first + r->items)
            a->ranges[++last] = a->ranges[i];
        else if (end > r->first + r->items)
            r->items = end - r->first;
    }
    a->count = last + 1;
}

bool map_account_has(const map_account *a, uint64_t first, uint64_t items) {
    for (size_t i = 0; i < a->count && a->ranges[i].first <= first; i++)
        if (first + items <= a->ranges[i].first + a->ranges[i].items) return true;
    return false;
}

/* ---- reading ---- */

/* Adds "FIRST ITEMS"; a line that is neither whole nor within the array is skipped. */
static haul_status read_line(haul_mapper *m, char *line) {
    map_account *a = &m->account;
    char *space = strchr(line, ' ');
    uint64_t first, items;
    if (!space) return HAUL_OK;
    *space = '\0';
    if (!number_u64(line, &first) || !number_u64(space + 1, &items)) return HAUL_OK;
    if (first > m->map.items || items > m->map.items - first) return HAUL_OK;
    haul_map_range *ranges = memory_grow(a->ranges, a->count, &a->capacity, sizeof *ranges);
    if (!ranges) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "map: no memory for an account of its items");
    a->ranges = ranges;
    a->ranges[a->count++] = (haul_map_range){first, items};
    return HAUL_OK;
}

static haul_status read_lines(haul_mapper *m, text *content) {
    char *line = content->bytes;
    for (char *end; line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        HAUL_TRY(read_line(m, line));
    }
    return HAUL_OK;
}

/* An empty file was just begun when its process ended. */
static haul_status read_one(haul_mapper *m, const map_end *output, const char *path) {
    text content = {0}, header = {0};
    put_header(m, &header);
    haul_status status = file_read(path, &content);
    if (status == HAUL_OK && (content.failed || header.failed))
        status = haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for it", path);
    if (status == HAUL_OK && content.length && strncmp(content.bytes, header.bytes, header.length) != 0)
        status = haul_fail(HAUL_ERROR_ARGUMENT,
                           "%s: is of a run with other inputs, sizes or kernels, so it cannot be resumed: repeat that "
                           "run, or remove %s to begin anew",
                           path, output->partial);
    if (status == HAUL_OK && content.length) status = read_lines(m, &content);
    text_free(&content);
    text_free(&header);
    return status;
}

/* Calls `each` for the account of each rank. */
static haul_status for_all(haul_mapper *m, const map_end *output,
                           haul_status (*each)(haul_mapper *, const map_end *, const char *path)) {
    const char *slash = strrchr(output->partial, '/'), *name = slash ? slash + 1 : output->partial;
    const size_t length = strlen(name);
    haul_status status = HAUL_OK;
    text path = {0}, folder = {0};
    text_append(&folder, output->partial, slash ? (size_t)(slash + 1 - output->partial) : 0);
    DIR *open = opendir(folder.length ? text_string(&folder) : ".");
    for (struct dirent *entry; open && status == HAUL_OK && (entry = readdir(open));) {
        if (strncmp(entry->d_name, name, length) != 0) continue;
        if (strncmp(entry->d_name + length, suffix, sizeof suffix - 1) != 0) continue;
        text_clear(&path);
        text_printf(&path, "%s%s", text_string(&folder), entry->d_name);
        status = path.failed ? haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for its account", output->partial)
                             : each(m, output, text_string(&path));
    }
    if (open) closedir(open);
    text_free(&path);
    text_free(&folder);
    return status;
}

/* Without the partial file, or if it has another size, there is nothing to continue. */
haul_status map_account_read(haul_mapper *m, const map_end *output, bool *found) {
    struct stat about;
    m->account.count = 0;
    *found = stat(output->partial, &about) == 0 && S_ISREG(about.st_mode) &&
             (uint64_t)about.st_size == m->map.items * output->what.item_bytes;
    if (!*found) return HAUL_OK;
    HAUL_TRY(for_all(m, output, read_one));
    join_ranges(&m->account);
    *found = m->account.count > 0;
    return HAUL_OK;
}

/* ---- writing ---- */

static haul_status remove_one(haul_mapper *m, const map_end *output, const char *path) {
    (void)m, (void)output;
    disk_remove(path);
    return HAUL_OK;
}

void map_account_remove(const map_end *output) {
    (void)for_all(NULL, output, remove_one);
}

/* A file that was cut off within a line gets its end first. */
haul_status map_account_open(haul_mapper *m, const map_end *output) {
    text name = {0}, begin = {0}, before = {0};
    text_printf(&name, "%s%s%u", output->partial, suffix, haul_ranks_rank(m->map.ranks));
    haul_status status = name.failed
                             ? haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for its account", output->partial)
                             : disk_open_log(text_string(&name), &m->account.log);
    if (status == HAUL_OK) status = file_read(text_string(&name), &before);
    if (before.length == 0)
        put_header(m, &begin);
    else if (before.bytes[before.length - 1] != '\n')
        text_put(&begin, "\n");
    if (status == HAUL_OK && begin.failed)
        status = haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for its account", output->partial);
    if (status == HAUL_OK && begin.length) status = disk_append(&m->account.log, begin.bytes, begin.length);
    text_free(&name);
    text_free(&begin);
    text_free(&before);
    return status;
}

haul_status map_account_note(haul_mapper *m, uint64_t first, uint64_t items) {
    char line[64];
    if (!m->account.log.path) return HAUL_OK;
    const int length = snprintf(line, sizeof line, "%" PRIu64 " %" PRIu64 "\n", first, items);
    return disk_append(&m->account.log, line, (size_t)length);
}

void map_account_close(haul_mapper *m) {
    if (m->account.log.path) (void)disk_close(&m->account.log);
}
