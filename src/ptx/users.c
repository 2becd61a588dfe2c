/* Lists of the instructions that read and write each register, made by counting first and listing then. */
#include "ptx/users.h"

#include "ptx/liveness.h"

typedef struct user_scan {
    ptx_users *users[2]; /* readers, writers */
    uint32_t instruction;
} user_scan;

/* Counts start two entries up, are summed one entry up, and move into place as the lists are filled. */
static void count_user(void *context, uint32_t reg, bool writes) {
    const user_scan *s = context;
    if (s->users[writes]) s->users[writes]->first[reg + 2]++;
}

static void list_user(void *context, uint32_t reg, bool writes) {
    const user_scan *s = context;
    ptx_users *u = s->users[writes];
    if (u) u->instructions[u->first[reg + 1]++] = s->instruction;
}

static void visit_all(const ptx_function *f, user_scan *s, ptx_register_visitor visit) {
    for (s->instruction = 0; s->instruction < f->instruction_count; s->instruction++)
        ptx_visit_registers(&f->instructions[s->instruction], visit, s);
}

void ptx_users_find(const ptx_function *f, arena *memory, ptx_users *readers, ptx_users *writers) {
    const size_t registers = f->register_count;
    user_scan s = {.users = {readers, writers}};
    for (unsigned k = 0; k < 2; k++)
        if (s.users[k]) s.users[k]->first = ARENA_ARRAY(memory, registers + 2, uint32_t);
    visit_all(f, &s, count_user);
    for (unsigned k = 0; k < 2; k++) {
        ptx_users *u = s.users[k];
        if (!u) continue;
        for (size_t r = 1; r < registers + 2; r++) u->first[r] += u->first[r - 1];
        u->instructions = ARENA_ARRAY(memory, u->first[registers + 1], uint32_t);
    }
    visit_all(f, &s, list_user);
}
