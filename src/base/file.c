#include "base/file.h"

#include "base/number.h"
#include "base/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CHUNK = 64 * 1024 };
/* Limits for a regular file, and for a pipe or device, which may be endless. */
static const size_t largest = (size_t)4 << 30, longest = (size_t)256 << 20;

static haul_status read_all(FILE *f, const char *path, text *content) {
    char chunk[CHUNK], size[32];
    size_t got;
    struct stat about;
    if (fstat(fileno(f), &about)) return haul_fail(HAUL_ERROR_FILE, "%s: cannot be read: %s", path, strerror(errno));
    const size_t most = S_ISREG(about.st_mode) ? largest : longest;
    if (S_ISDIR(about.st_mode)) return haul_fail(HAUL_ERROR_FILE, "%s is a directory, not a file", path);
    while (!content->failed && (got = fread(chunk, 1, sizeof chunk, f)) > 0) {
        text_append(content, chunk, got);
        if (content->length > most)
            return haul_fail(HAUL_ERROR_LIMIT, "%s has more than %s", path, number_format_bytes((double)most, size));
    }
    if (ferror(f)) return haul_fail(HAUL_ERROR_FILE, "%s: cannot be read: %s", path, strerror(errno));
    if (content->failed) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for its contents", path);
    return HAUL_OK;
}

haul_status file_read(const char *path, text *content) {
    if (strcmp(path, "-") == 0) return read_all(stdin, "standard input", content);
    FILE *f = fopen(path, "rb");
    if (!f) return haul_fail(HAUL_ERROR_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    const haul_status status = read_all(f, path, content);
    fclose(f);
    return status;
}

haul_status file_check_output(const char *path) {
    struct stat about;
    const bool is_new = stat(path, &about) != 0;
    if (strcmp(path, "-") == 0 || (!is_new && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))) return HAUL_OK;
    FILE *f = fopen(path, "ab");
    if (!f) return haul_fail(HAUL_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    fclose(f);
    if (is_new) (void)remove(path);
    return HAUL_OK;
}

haul_status file_write(const char *path, const text *content) {
    if (content->failed) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for its contents", path);
    const bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard output" : path;
    FILE *f = standard ? stdout : fopen(path, "wb");
    if (!f) return haul_fail(HAUL_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
    bool complete = fwrite(text_string(content), 1, content->length, f) == content->length;
    if (standard ? fflush(f) : fclose(f)) complete = false;
    return complete ? HAUL_OK : haul_fail(HAUL_ERROR_FILE, "%s: cannot be written: %s", name, strerror(errno));
}

const char *file_temporary(void) {
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}
