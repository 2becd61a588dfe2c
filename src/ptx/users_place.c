#include "ptx/users_place.h"

#include "base/arena.h"
#include "base/toolchain.h"

void ptx_find_toolchain_files(ptx_module *m) {
    m->toolchain_files = ARENA_ARRAY(&m->memory, m->file_count + 1, bool);
    for (size_t i = 0; i < m->file_count; i++) m->toolchain_files[i] = m->files[i] && is_toolchain_file(m->files[i]);
}

const char *ptx_file_of(const ptx_module *m, uint32_t place) {
    if (!place || place > m->place_count) return NULL;
    const uint32_t file = m->places[place - 1].file;
    return file < m->file_count ? m->files[file] : NULL;
}

uint32_t ptx_users_place(const ptx_module *m, uint32_t place) {
    if (!ptx_file_of(m, place)) return 0;
    while (m->toolchain_files[m->places[place - 1].file] && ptx_file_of(m, m->places[place - 1].inlined_at))
        place = m->places[place - 1].inlined_at;
    return place;
}
