/* Access of a program's devices to each other's memory. */
#include "machine/lookup.h"
#include "machine/memory_lists.h"
#include "machine/virtual.h"

/* Returns whether the device at the place has access to the allocation. */
static bool is_for(const sim_memory *m, size_t at, unsigned place) {
    const uint64_t places = m->blocks[at].chosen ? m->blocks[at].visible : m->peers;
    return m->blocks[at].managed || (places >> place & 1);
}

bool sim_memory_find_in_family(const sim_memory *m, uint64_t address, sim_range *range) {
    const sim_memory *home = sim_memory_home_of(m, address);
    const size_t at = home == m ? home->count : sim_memory_block_of(home, address);
    if (at != home->count) return is_for(home, at, m->place) && sim_memory_find_in_block(home, at, address, range);
    for (unsigned i = 0; i < m->family_count; i++)
        if (m->family[i] != m && sim_memory_find_mapped_range(m->family[i], address, range)) return true;
    return false;
}

void sim_memory_join(sim_memory *m, sim_memory *const *family, unsigned count, unsigned place) {
    m->family = family;
    m->family_count = count;
    m->place = place;
}

bool sim_memory_set_peer(sim_memory *m, unsigned place, bool reaches) {
    const uint64_t bit = UINT64_C(1) << place, peers = reaches ? m->peers | bit : m->peers & ~bit;
    const bool changes = peers != m->peers;
    m->peers = peers;
    return changes;
}

void sim_memory_set_visible(sim_memory *m, uint64_t address, uint64_t places) {
    const size_t at = sim_memory_block_of(m, address);
    if (at == m->count) return;
    sim_lookup_keep_out();
    m->blocks[at].chosen = true;
    m->blocks[at].visible = places;
    sim_lookup_let_in();
}

/* True if this device itself, and not another of the family, has memory at the address. */
static bool has(const sim_memory *m, uint64_t address) {
    sim_range range;
    if (sim_is_virtual(address)) return m->sees_virtual && sim_virtual_find(m->device, address, &range);
    return sim_memory_block_of(m, address) != m->count || sim_memory_find_mapped_range(m, address, &range);
}

sim_memory *sim_memory_owner(sim_memory *m, uint64_t address) {
    if (!m->family || has(m, address)) return m;
    for (unsigned i = 0; i < m->family_count; i++)
        if (has(m->family[i], address)) return m->family[i];
    return m;
}

bool sim_memory_is_shared(const sim_memory *m) {
    uint64_t places = m->peers;
    for (size_t i = 0; i < m->count; i++)
        if (m->blocks[i].chosen) places |= m->blocks[i].visible;
    return places & ~(UINT64_C(1) << m->place);
}

bool sim_memory_peer(const sim_memory *m, unsigned k, uint64_t *from, uint64_t *to) {
    if (k >= m->family_count) return false;
    const sim_memory *other = m->family[k];
    *from = *to = other->base;
    if (other != m) *to += other->bytes;
    return true;
}
