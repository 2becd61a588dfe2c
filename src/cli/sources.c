/* Implements cli/sources.h. PTX names source files as the compiler saw them, often relative to a folder that is not
 * here. They are looked for in the folders of --source first, then in those of the kernels' files, in which the sources
 * of PTX usually lie. Opening and caching the files is report/source.h's. */
#include "cli/sources.h"

#include "base/memory.h"
#include "base/status.h"

#include <string.h>

/* Appends a folder, copied with its end cut off; length 0 means the current one. The array has room for all. */
static haul_status add_folder(cli_sources *s, const char *path, size_t length) {
    char *folder = memory_alloc(length + 2);
    if (!folder) return haul_no_memory("the report");
    memcpy(folder, length ? path : ".", length ? length : 1);
    folder[length ? length : 1] = '\0';
    s->folders[s->folder_count++] = folder;
    return HAUL_OK;
}

haul_status cli_sources_open(cli_sources *s, const cli_values *v, const cli_session *session) {
    const text_list *given = &v->source;
    *s = (cli_sources){.folders = memory_zeroed(given->count + session->module_count, sizeof *s->folders)};
    if (!s->folders) return haul_no_memory("the report");
    for (size_t i = 0; i < given->count; i++) HAUL_TRY(add_folder(s, given->items[i], strlen(given->items[i])));
    for (size_t i = 0; i < session->module_count; i++) {
        const char *path = session->modules[i].path, *slash = strrchr(path, '/');
        HAUL_TRY(add_folder(s, path, slash ? (size_t)(slash - path) : 0));
    }
    report_sources_init(&s->files, (const char *const *)s->folders, s->folder_count);
    return HAUL_OK;
}

void cli_sources_close(cli_sources *s) {
    report_sources_free(&s->files);
    for (size_t i = 0; i < s->folder_count; i++) memory_free(s->folders[i]);
    memory_free(s->folders);
    *s = (cli_sources){0};
}
