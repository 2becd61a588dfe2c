/* Device memory that several processes of one program share: it lies in a file of the process that allocated it, and
 * others map the pages of an allocation. */
#include "base/status.h"
#include "machine/memory_lists.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool sim_memory_show_own_pages(const sim_memory *m, uint64_t from, uint64_t bytes) {
    const int flags = m->file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    return mmap(m->host + from, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED, m->file ? m->file : -1,
                m->file ? (off_t)from : 0) != MAP_FAILED;
}

/* Pages that were never written need not be copied. */
static bool is_zero(const unsigned char *bytes) {
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, SIM_MEMORY_HOST_PAGE - 1) == 0;
}

/* Copies the allocation's pages; its first and last page may be shared with others. */
static bool write_pages(const sim_memory *m, size_t at, int file) {
    const uint64_t from = m->blocks[at].from / SIM_MEMORY_HOST_PAGE * SIM_MEMORY_HOST_PAGE;
    const uint64_t to = number_align(m->blocks[at].from + m->blocks[at].bytes, SIM_MEMORY_HOST_PAGE);
    for (uint64_t page = from; page < to; page += SIM_MEMORY_HOST_PAGE)
        if (!is_zero(m->host + page) &&
            pwrite(file, m->host + page, SIM_MEMORY_HOST_PAGE, (off_t)page) != SIM_MEMORY_HOST_PAGE)
            return false;
    return true;
}

/* Copies all allocations to the file. */
static bool write_all(const sim_memory *m, int file) {
    for (size_t i = 0; i < m->count; i++)
        if (!m->blocks[i].imported && !write_pages(m, i, file)) return false;
    return true;
}

/* Maps the file over everything except imported allocations, which are whole pages. */
static bool show_file(const sim_memory *m) {
    uint64_t from = 0;
    for (size_t i = 0; i < m->count; i++) {
        if (!m->blocks[i].imported) continue;
        if (m->blocks[i].from > from && !sim_memory_show_own_pages(m, from, m->blocks[i].from - from)) return false;
        from = m->blocks[i].from + m->blocks[i].bytes;
    }
    return from >= m->bytes || sim_memory_show_own_pages(m, from, m->bytes - from);
}

/* Moves private memory into a file, which only takes memory for written pages, too. */
static haul_status use_file(sim_memory *m) {
    if (m->file) return HAUL_OK;
    const int file = memfd_create("haul-device", MFD_CLOEXEC);
    if (file > 0 && ftruncate(file, (off_t)m->bytes) == 0 && write_all(m, file)) {
        m->file = file;
        if (show_file(m)) return HAUL_OK;
    } else if (file > 0) {
        close(file);
    }
    return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device memory: the host has no memory that processes can share");
}

haul_status sim_memory_share(sim_memory *m, uint64_t address, int *file, uint64_t *place, uint64_t *bytes) {
    const size_t at = sim_memory_block_of(m, address);
    if (at == m->count || m->blocks[at].managed || m->blocks[at].imported)
        return haul_fail(HAUL_ERROR_ARGUMENT, "device memory: 0x%llx: only memory from cudaMalloc() can be shared",
                         (unsigned long long)address);
    HAUL_TRY(use_file(m));
    *file = m->file;
    *place = m->blocks[at].from;
    *bytes = m->blocks[at].asked;
    sim_memory_mark_written(m, m->base + m->blocks[at].from, m->blocks[at].asked); /* others may write it */
    return HAUL_OK;
}

haul_status sim_memory_import(sim_memory *m, int file, uint64_t place, uint64_t bytes, uint64_t *address) {
    const uint64_t within = place % SIM_MEMORY_HOST_PAGE;
    HAUL_TRY(sim_memory_allocate_pages(m, within + bytes, address));
    unsigned char *host = m->host + (*address - m->base);
    if (mmap(host, sim_memory_host_pages(within + bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
             (off_t)(place - within)) == MAP_FAILED) {
        (void)sim_memory_release(m, *address);
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "device memory: the memory of another process cannot be mapped");
    }
    m->blocks[sim_memory_locate(m, *address - m->base)].imported = true;
    sim_memory_mark_written(m, *address, within + bytes);
    *address += within;
    return HAUL_OK;
}
