/* Compiled code of kernels, kept in memory while the process runs and on disk between runs.
 *
 * A kernel is found by a hash of all that its code depends on: the host's processor, the operations, instructions and
 * constants. Within a kernel, code is found by a hash of its IR, so code of another version of the writer is never used
 * by mistake. Code on disk is loaded only if it was made by the compiler that is installed now. Kernels that nobody
 * holds stay in memory up to a limit. One lock guards everything; code that was handed out lives as long as its kernel
 * is held. */
#include "jit/code_cache.h"

#include "base/cache.h"
#include "base/hash.h"
#include "base/memory.h"
#include "state/program.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum {
    VERSION = 3,       /* of the file format, and of the use of compiler and loader */
    MEMORY = 64 << 20, /* limit for kernels that are not held */
    NAME = 64,
};

/* A kernel's code. */
struct sim_code_cache {
    uint64_t key[2];
    char compiler[SIM_COMPILER_IDENTITY];
    sim_code_cache_block *first, **last;
    unsigned holders;
    bool unsaved, shared; /* shared: in the list, found by its key */
    uint64_t bytes, used; /* used: larger for kernels held more recently */
    struct sim_code_cache *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sim_code_cache *all;
static uint64_t uses;

/* ---- keys ---- */

/* Hashes operations without their handlers, whose addresses differ between processes. */
static void hash_operations(uint64_t hash[2], const sim_program *p) {
    const size_t from = offsetof(sim_op, guard), to = offsetof(sim_op, uncounted);
    for (size_t i = 0; i < p->op_count; i++) hash_both(hash, (const char *)&p->ops[i] + from, to - from);
}

/* The name is hashed as well, because code is installed by the names of its segments. */
static void hash_instructions(uint64_t hash[2], const ptx_function *f) {
    for (size_t i = 0; i < f->instruction_count; i++)
        hash_both_word(hash, (uint64_t)f->instructions[i].op << 32 | f->instructions[i].type);
    hash_both(hash, f->name, strlen(f->name));
}

/* Computes a kernel's key: host, file version, operations, instructions and constants. */
static void find_key(const sim_program *p, uint64_t key[2]) {
    sim_host_hash(key);
    hash_both_word(key, VERSION);
    hash_operations(key, p);
    hash_instructions(key, p->function);
    hash_both(key, p->pool, p->pool_count * sizeof *p->pool);
    hash_both(key, p->block_ops, p->function->block_count * sizeof *p->block_ops);
    hash_both(key, p->template + p->constants_at, p->constants_bytes);
}

/* The file's name is the key. */
static void name_of(const sim_code_cache *k, char name[NAME]) {
    snprintf(name, NAME, "kernel-%016llx%016llx", (unsigned long long)k->key[0], (unsigned long long)k->key[1]);
}

void sim_code_cache_hash(const text *ir, sim_code_level level, uint64_t hash[2]) {
    hash_both_start(hash);
    hash_both_word(hash, (uint64_t)VERSION << 32 | level);
    hash_both(hash, ir->bytes, ir->length);
}

static bool is_same(const uint64_t a[2], const uint64_t b[2]) {
    return a[0] == b[0] && a[1] == b[1];
}

/* ---- blocks ---- */

static void free_block(sim_code_cache_block *b) {
    sim_code_free(b->code);
    text_free(&b->object);
    memory_free(b->kinds);
    memory_free(b);
}

static bool is_same_place(const sim_code_cache_block *a, const sim_code_cache_block *b) {
    return a->block == b->block && a->form == b->form;
}

/* Adds a block as the newest; older code of the same block and form becomes outdated. */
static void append(sim_code_cache *k, sim_code_cache_block *b) {
    for (sim_code_cache_block *old = k->first; old; old = old->next) old->outdated |= is_same_place(old, b);
    *k->last = b;
    k->last = &b->next;
    k->bytes += b->object.length;
}

static sim_code_cache_block *copy_of(const sim_code_cache_block *from) {
    sim_code_cache_block *b = memory_zeroed(1, sizeof *b);
    if (!b) return NULL;
    *b = *from;
    b->next = NULL;
    return b;
}

/* Loads an object when its code is first asked for. */
static const sim_code *code_of(sim_code_cache_block *b) {
    if (!b->code) b->code = sim_code_load((const unsigned char *)b->object.bytes, b->object.length);
    return b->code;
}

/* ---- on disk ---- */

typedef struct file_kernel {
    uint32_t version, blocks;
    char compiler[SIM_COMPILER_IDENTITY];
} file_kernel;

typedef struct file_block {
    uint64_t hash[2], object_bytes;
    uint32_t block, form, level, kinds;
} file_block;

typedef struct reader {
    const char *at;
    size_t left;
} reader;

/* Copies bytes out of the file; false at its end. */
static bool take(reader *r, void *out, size_t bytes) {
    if (r->left < bytes) return false;
    if (bytes) memcpy(out, r->at, bytes);
    r->at += bytes;
    r->left -= bytes;
    return true;
}

/* Sizes in the file are checked against what is left of it. */
static bool read_parts(reader *r, const file_block *head, sim_code_cache_block *b) {
    *b = (sim_code_cache_block){.hash = {head->hash[0], head->hash[1]},
                                .block = head->block,
                                .form = head->form,
                                .level = (sim_code_level)head->level,
                                .kind_count = head->kinds};
    if (head->level >= SIM_CODE_LEVELS || head->kinds > r->left / sizeof *b->kinds) return false;
    b->kinds = memory_alloc((head->kinds + 1) * sizeof *b->kinds);
    if (!b->kinds || !take(r, b->kinds, head->kinds * sizeof *b->kinds) || head->object_bytes > r->left) return false;
    text_append(&b->object, r->at, head->object_bytes);
    r->at += head->object_bytes;
    r->left -= head->object_bytes;
    return !b->object.failed;
}

/* Whether the kernel has the block's code already, or newer code of the same block. */
static bool is_known(const sim_code_cache *k, const sim_code_cache_block *other) {
    for (const sim_code_cache_block *b = k->first; b; b = b->next)
        if ((is_same_place(b, other) && !b->outdated) || is_same(b->hash, other->hash)) return true;
    return false;
}

/* Reads a block, and adds it unless there is newer code of it. */
static bool read_block(sim_code_cache *k, reader *r) {
    file_block head;
    sim_code_cache_block *b = memory_zeroed(1, sizeof *b);
    const bool good = b && take(r, &head, sizeof head) && read_parts(r, &head, b);
    if (good && !is_known(k, b))
        append(k, b);
    else if (b)
        free_block(b);
    return good;
}

/* Adds the file's blocks, if its version and compiler are right. */
static void read_blocks(sim_code_cache *k, const text *file) {
    reader r = {file->bytes, file->length};
    file_kernel head;
    if (!take(&r, &head, sizeof head) || head.version != VERSION) return;
    head.compiler[sizeof head.compiler - 1] = 0;
    if (!*k->compiler) memcpy(k->compiler, head.compiler, sizeof k->compiler);
    if (strcmp(k->compiler, head.compiler) != 0) return;
    for (uint32_t n = 0; n < head.blocks && read_block(k, &r); n++) continue;
}

static void read_disk(sim_code_cache *k) {
    text file = {0};
    char name[NAME];
    name_of(k, name);
    if (cache_read(name, &file)) read_blocks(k, &file);
    text_free(&file);
}

static void put_block(const sim_code_cache_block *b, text *out) {
    const file_block head = {.hash = {b->hash[0], b->hash[1]},
                             .object_bytes = b->object.length,
                             .block = b->block,
                             .form = b->form,
                             .level = b->level,
                             .kinds = (uint32_t)b->kind_count};
    text_append(out, (const char *)&head, sizeof head);
    text_append(out, (const char *)b->kinds, b->kind_count * sizeof *b->kinds);
    text_append(out, b->object.bytes, b->object.length);
}

static void put_kernel(const sim_code_cache *k, text *out) {
    file_kernel head = {.version = VERSION};
    memcpy(head.compiler, k->compiler, sizeof head.compiler);
    for (const sim_code_cache_block *b = k->first; b; b = b->next) head.blocks += !b->outdated;
    text_append(out, (const char *)&head, sizeof head);
    for (const sim_code_cache_block *b = k->first; b; b = b->next)
        if (!b->outdated) put_block(b, out);
}

/* Another process may have written since; its blocks are kept. The lock is held. */
static void write_disk(sim_code_cache *k) {
    text file = {0};
    char name[NAME];
    if (!k->unsaved || !*k->compiler) return;
    k->unsaved = false;
    name_of(k, name);
    read_disk(k);
    put_kernel(k, &file);
    if (!file.failed) (void)cache_write(name, file.bytes, file.length);
    text_free(&file);
}

/* ---- kernels ---- */

static void free_kernel(sim_code_cache *k) {
    while (k->first) {
        sim_code_cache_block *b = k->first;
        k->first = b->next;
        free_block(b);
    }
    memory_free(k);
}

/* With the lock held. */
static sim_code_cache *find_kernel(const uint64_t key[2]) {
    sim_code_cache *k = all;
    while (k && !is_same(k->key, key)) k = k->next;
    return k;
}

static sim_code_cache *new_kernel(const uint64_t key[2], cache_extent extent) {
    sim_code_cache *k = memory_zeroed(1, sizeof *k);
    if (!k) return NULL;
    memcpy(k->key, key, sizeof k->key);
    k->last = &k->first;
    k->shared = extent != CACHE_OFF;
    if (extent == CACHE_DISK) read_disk(k);
    if (!k->shared) return k;
    k->next = all;
    all = k;
    return k;
}

/* Returns NULL without memory; with the cache off, a kernel of its own. */
sim_code_cache *sim_code_cache_hold(const sim_program *p) {
    uint64_t key[2];
    const cache_extent extent = cache_kept();
    find_key(p, key);
    pthread_mutex_lock(&lock);
    sim_code_cache *k = extent == CACHE_OFF ? NULL : find_kernel(key);
    if (!k) k = new_kernel(key, extent);
    if (k) k->holders++;
    pthread_mutex_unlock(&lock);
    return k;
}

static void unlink_kernel(sim_code_cache *k) {
    sim_code_cache **at = &all;
    while (*at != k) at = &(*at)->next;
    *at = k->next;
    free_kernel(k);
}

/* Frees kernels that nobody holds, least recently held first, until at most `most` bytes are left. */
static void shrink(uint64_t most) {
    for (;;) {
        sim_code_cache *oldest = NULL;
        uint64_t bytes = 0;
        for (sim_code_cache *k = all; k; k = k->next) {
            if (k->holders) continue;
            bytes += k->bytes + sizeof *k;
            if (!oldest || k->used < oldest->used) oldest = k;
        }
        if (!oldest || bytes <= most) return;
        unlink_kernel(oldest);
    }
}

void sim_code_cache_save(sim_code_cache *k) {
    pthread_mutex_lock(&lock);
    if (k->shared) write_disk(k);
    pthread_mutex_unlock(&lock);
}

void sim_code_cache_release(sim_code_cache *k) {
    if (!k) return;
    sim_code_cache_save(k);
    pthread_mutex_lock(&lock);
    k->used = ++uses;
    k->holders--;
    if (!k->shared)
        free_kernel(k);
    else
        shrink(MEMORY);
    pthread_mutex_unlock(&lock);
}

void sim_code_cache_forget(void) {
    pthread_mutex_lock(&lock);
    shrink(0);
    pthread_mutex_unlock(&lock);
}

void sim_code_cache_after_fork(void) {
    pthread_mutex_init(&lock, NULL);
}

/* ---- code ---- */

/* Lists the usable code of a kernel, block by block. */
const sim_code_cache_block *sim_code_cache_after(sim_code_cache *k, const sim_code_cache_block *b) {
    pthread_mutex_lock(&lock);
    b = b ? b->next : k->first;
    while (b && b->outdated) b = b->next;
    pthread_mutex_unlock(&lock);
    return b;
}

bool sim_code_cache_compiler(sim_code_cache *k, sim_compiler_info *info) {
    pthread_mutex_lock(&lock);
    const bool known = sim_compiler_recognise(k->compiler, info);
    pthread_mutex_unlock(&lock);
    return known;
}

const sim_code *sim_code_cache_find(sim_code_cache *k, const uint64_t hash[2]) {
    const sim_code *code = NULL;
    sim_compiler_info info;
    pthread_mutex_lock(&lock);
    sim_code_cache_block *b = sim_compiler_recognise(k->compiler, &info) ? k->first : NULL;
    for (; b && !code; b = b->next)
        if (is_same(b->hash, hash)) code = code_of(b);
    pthread_mutex_unlock(&lock);
    return code;
}

/* Drops the code of another compiler: a kernel's code comes from one compiler. */
static void set_compiler(sim_code_cache *k, const char *compiler) {
    if (!strcmp(k->compiler, compiler)) return;
    for (sim_code_cache_block *b = k->first; b; b = b->next) {
        b->outdated = true;
        memset(b->hash, 0, sizeof b->hash);
    }
    snprintf(k->compiler, sizeof k->compiler, "%s", compiler);
}

/* Takes over the object and the kinds, also on failure. Code that cannot be loaded is not kept. */
const sim_code *sim_code_cache_add(sim_code_cache *k, sim_code_cache_block *block) {
    sim_code_cache_block *b = copy_of(block);
    if (!b) {
        text_free(&block->object);
        memory_free(block->kinds);
        return NULL;
    }
    const sim_code *code = code_of(b);
    if (!code) {
        free_block(b);
        return NULL;
    }
    pthread_mutex_lock(&lock);
    set_compiler(k, sim_compiler_identity());
    append(k, b);
    k->unsaved = true;
    pthread_mutex_unlock(&lock);
    return code;
}

void sim_code_cache_drop(sim_code_cache *k, const uint64_t hash[2]) {
    pthread_mutex_lock(&lock);
    for (sim_code_cache_block *b = k->first; b; b = b->next) b->outdated |= is_same(b->hash, hash);
    pthread_mutex_unlock(&lock);
}
