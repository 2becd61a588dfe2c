/* Packs a record as its structure, followed by all that it points to, in the order of the fields. Pointers in the
 * packed structures have no meaning; unpacking replaces each of them. */
#include "lib/launch/pack.h"

/* ---- places: a chain of call sites ---- */

static void pack_place(text *out, const haul_source_place *place) {
    for (const haul_source_place *p = place; p; p = p->inlined_into) {
        pack_bytes(out, p, sizeof *p);
        pack_string(out, p->file);
        pack_number(out, p->inlined_into != NULL);
    }
}

static void unpack_place(pack_reader *r, arena *memory, haul_source_place *place) {
    for (haul_source_place *next; place; place = next) {
        unpack_bytes(r, place, sizeof *place);
        place->file = unpack_string(r, memory);
        next = unpack_number(r) && !r->failed ? ARENA_NEW(memory, haul_source_place) : NULL;
        place->inlined_into = next;
    }
}

/* ---- instructions and findings ---- */

static void pack_instruction(text *out, const haul_instruction_record *i) {
    pack_bytes(out, i, sizeof *i);
    pack_string(out, i->text);
    pack_string(out, i->mnemonic);
    pack_place(out, &i->place);
    pack_bytes(out, i->samples, i->sample_count * sizeof *i->samples);
}

static void unpack_instruction(pack_reader *r, arena *memory, haul_instruction_record *i) {
    unpack_bytes(r, i, sizeof *i);
    i->text = unpack_string(r, memory);
    i->mnemonic = unpack_string(r, memory);
    unpack_place(r, memory, &i->place);
    i->samples = unpack_array(r, memory, i->sample_count, sizeof *i->samples);
}

static void pack_finding(text *out, const haul_finding *f) {
    pack_bytes(out, f, sizeof *f);
    pack_string(out, f->object);
    pack_string(out, f->what);
}

static void unpack_finding(pack_reader *r, arena *memory, haul_finding *f) {
    unpack_bytes(r, f, sizeof *f);
    f->object = unpack_string(r, memory);
    f->what = unpack_string(r, memory);
}

/* ---- the record ---- */

void launch_pack_record(text *out, const haul_launch_record *record) {
    pack_bytes(out, record, sizeof *record);
    pack_string(out, record->kernel);
    for (size_t i = 0; i < record->instruction_count; i++) pack_instruction(out, &record->instructions[i]);
    for (size_t i = 0; i < record->finding_count; i++) pack_finding(out, &record->findings[i]);
}

/* Elements are at least as large when packed, so that a wrong count cannot ask for more memory than there are bytes. */
static void *room(pack_reader *r, arena *memory, size_t count, size_t size) {
    r->failed |= count > (size_t)(r->end - r->at) / size;
    void *array = r->failed ? NULL : arena_array(memory, count, size);
    r->failed |= !array;
    return array;
}

void launch_unpack_record(pack_reader *r, arena *memory, haul_launch_record *record) {
    unpack_bytes(r, record, sizeof *record);
    record->kernel = unpack_string(r, memory);
    record->instructions = room(r, memory, record->instruction_count, sizeof *record->instructions);
    for (size_t i = 0; i < record->instruction_count && !r->failed; i++)
        unpack_instruction(r, memory, &record->instructions[i]);
    record->findings = room(r, memory, record->finding_count, sizeof *record->findings);
    for (size_t i = 0; i < record->finding_count && !r->failed; i++) unpack_finding(r, memory, &record->findings[i]);
}
