#include "report/mnemonic.h"

#include "ptx/pattern.h"

#include <string.h>

static bool resolve(const haul_instruction_record *i, ptx_opcode *opcode) {
    return i->mnemonic && ptx_resolve_opcode(i->mnemonic, strlen(i->mnemonic), opcode);
}

ptx_kind report_ptx_kind(const haul_instruction_record *i) {
    ptx_opcode opcode;
    return resolve(i, &opcode) ? ptx_kind_of(opcode.op) : PTX_KIND_OTHER;
}

unsigned report_ptx_modifier(const haul_instruction_record *i, unsigned slot) {
    ptx_opcode opcode;
    return resolve(i, &opcode) ? opcode.mods[slot] : 0;
}
