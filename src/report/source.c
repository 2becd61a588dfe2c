/* Finds and reads the source files that PTX names, so that reports can quote lines.
 *
 * The compiler's path may not exist on this machine, so folders of the user are searched for the file's last part. A
 * file is read once, also if it is missing: the list remembers that by a NULL path. Lines are split in one copy of the
 * text and trimmed when they are first asked for. */
#include "report/source.h"

#include "base/file.h"
#include "base/toolchain.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct report_source_file {
    report_source_file *next;
    const char *name, *path;
    const char *text;
    char **lines; /* trimmed, ended by NULs */
    size_t count;
};

/* PTX may name anything, so larger files are not read. */
enum { LONGEST_SOURCE = 64 * 1024 * 1024 };

void report_sources_init(report_sources *s, const char *const *folders, size_t folder_count) {
    *s = (report_sources){.folders = folders, .folder_count = folder_count};
}

void report_sources_free(report_sources *s) {
    arena_free(&s->memory);
    *s = (report_sources){0};
}

/* ---- places ---- */

const char *report_file_name(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* Paths below the current folder become relative to it, as compilers print them. */
const char *report_local_name(const char *file) {
    char here[4096];
    size_t length = *file == '/' && getcwd(here, sizeof here) ? strlen(here) : 0;
    return length && strncmp(file, here, length) == 0 && file[length] == '/' ? file + length + 1 : file;
}

/* Leaves headers of the toolchain by the chain of inlined calls, until a line of the user's is reached. */
const haul_source_place *report_user_place(const haul_source_place *place) {
    while (place->file && is_toolchain_file(place->file) && place->inlined_into && place->inlined_into->file)
        place = place->inlined_into;
    return place;
}

/* ---- files ---- */

/* PTX may name any file, so only regular files of a sane size are read. */
static bool read_regular(const char *path, text *content) {
    struct stat about;
    if (stat(path, &about) || !S_ISREG(about.st_mode) || about.st_size > LONGEST_SOURCE) return false;
    return strcmp(path, "-") != 0 && file_read(path, content) == HAUL_OK;
}

/* The path without links, by which the same file under two names is read once. Falls back to the path as it is. */
static const char *real_path(report_sources *s, const char *path) {
    char *real = realpath(path, NULL);
    const char *found = real ? real : path, *copy = arena_copy(&s->memory, found, strlen(found));
    free(real);
    return copy;
}

static const char *read_in_folders(report_sources *s, const char *name, text *content) {
    const char *last = report_file_name(name);
    for (size_t i = 0; i < s->folder_count; i++) {
        text path = {0};
        text_printf(&path, "%s/%s", s->folders[i], last);
        text_clear(content);
        const char *found = read_regular(text_string(&path), content) ? real_path(s, text_string(&path)) : NULL;
        text_free(&path);
        if (found) return found;
    }
    return NULL;
}

/* Reads the file by the compiler's name for it, then by its last part in each of the folders. Returns where it was. */
static const char *read_somewhere(report_sources *s, const char *name, text *content) {
    const bool here_first = !s->folders_first || *name == '/';
    if (here_first && read_regular(name, content)) return real_path(s, name);
    const char *found = read_in_folders(s, name, content);
    if (found || here_first) return found;
    text_clear(content);
    return read_regular(name, content) ? real_path(s, name) : NULL;
}

/* Makes two copies: one whole, and one with NULs instead of line ends. On failure the file counts as empty. */
static void split(report_sources *s, report_source_file *f, const text *content) {
    char *bytes = arena_copy(&s->memory, text_string(content), content->length);
    f->text = arena_copy(&s->memory, text_string(content), content->length);
    size_t most = 1;
    for (size_t i = 0; bytes && i < content->length; i++) most += bytes[i] == '\n';
    f->lines = bytes ? ARENA_ARRAY(&s->memory, most, char *) : NULL;
    for (char *line = bytes; f->lines && line;) {
        f->lines[f->count++] = line;
        line = strchr(line, '\n');
        if (line) *line++ = '\0';
    }
}

static report_source_file *find(report_sources *s, const char *name) {
    for (report_source_file *f = s->files; f; f = f->next) {
        if (strcmp(f->name, name) == 0) return f;
    }
    report_source_file *f = ARENA_NEW(&s->memory, report_source_file);
    if (!f) return NULL;
    *f = (report_source_file){.next = s->files, .name = arena_copy(&s->memory, name, strlen(name))};
    if (!f->name) return NULL;
    s->files = f;
    text content = {0};
    f->path = read_somewhere(s, name, &content);
    if (f->path) split(s, f, &content);
    text_free(&content);
    return f;
}

/* Removes blanks at both ends and turns tabs into spaces. Trimming a line twice changes nothing. */
static char *trim(char *line) {
    while (*line == ' ' || *line == '\t') line++;
    size_t length = strlen(line);
    while (length && strchr(" \t\r", line[length - 1])) line[--length] = '\0';
    for (char *c = line; *c; c++) {
        if (*c == '\t') *c = ' ';
    }
    return line;
}

const char *report_source_line(report_sources *s, const char *file, uint32_t line) {
    report_source_file *f = file ? find(s, file) : NULL;
    if (!f || line < 1 || line > f->count) return NULL;
    char *trimmed = trim(f->lines[line - 1]);
    return *trimmed ? trimmed : NULL;
}

const char *report_source_text(report_sources *s, const char *file) {
    report_source_file *f = file ? find(s, file) : NULL;
    return f ? f->text : NULL;
}

const char *report_source_path(report_sources *s, const char *file) {
    report_source_file *f = file ? find(s, file) : NULL;
    return f && f->text ? f->path : NULL;
}
