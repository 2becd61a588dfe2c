/* Ranges that a program marks with NVTX. On the first NVTX call, NVTX's headers load the library that
 * NVTX_INJECTION64_PATH names, and ask it which functions it takes over. Their numbers and types are those of
 * nvtxDetail/nvtxTypes.h, version 3.
 *
 * --range limits a task to launches within certain ranges. Ranges that push and pop are a stack for each thread, by
 * domain; those that start and end may do so in any thread. Only the number of wanted ranges matters for a launch
 * (standin_in_range()), so both kinds keep a count of them. The functions not taken over stay NVTX's own, which do
 * nothing. */
#include "lib/name_filter.h"
#include "standin/settings.h"
#include "standin/standin.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { NAME = 256 };
/* NVTX's numbers: the table that gives access to the others, and the modules with functions for ranges. */
enum { TABLE_CALLBACKS = 1, MODULE_CORE = 1, MODULE_CORE2 = 5 };
enum { MESSAGE_ASCII = 1, MESSAGE_UNICODE = 2, MESSAGE_REGISTERED = 3 };

/* nvtxEventAttributes_t, whose message names the range. */
typedef struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t colour_type;
    uint32_t colour;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    union {
        const char *ascii;
        const wchar_t *wide;
        const char *registered; /* the handle returned for it */
    } message;
} attributes;

/* Ranges that match the filter: a stack for each thread, and those that begin and end anywhere. */
typedef struct range {
    const void *domain; /* of a range on a stack */
    uint64_t id;        /* of a range that may end anywhere */
    bool wanted;
    struct range *below;
} range;

static _Thread_local range *stack;
static _Thread_local int wanted_in_stack; /* ranges of the stack that match */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static range *started; /* with the lock, as are the next two */
static int wanted_started;
static uint64_t last_id;

bool standin_in_range(void) {
    if (!standin_asked.only_ranges.count) return true;
    pthread_mutex_lock(&lock);
    const bool in = wanted_started > 0;
    pthread_mutex_unlock(&lock);
    return in || wanted_in_stack > 0;
}

/* Without a filter no range is, and standin_in_range() does not ask. */
static bool is_wanted(const char *name) {
    return standin_asked.only_ranges.count && name && name_filter_takes(&standin_asked.only_ranges, name);
}

static bool is_wanted_wide(const wchar_t *name) {
    char plain[NAME] = "";
    return name && wcstombs(plain, name, sizeof plain - 1) != (size_t)-1 && is_wanted(plain);
}

/* The message may be of any of three types. */
static bool is_wanted_event(const attributes *a) {
    switch (a ? a->message_type : 0) {
    case MESSAGE_ASCII: return is_wanted(a->message.ascii);
    case MESSAGE_REGISTERED: return is_wanted(a->message.registered);
    case MESSAGE_UNICODE: return is_wanted_wide(a->message.wide);
    default: return false;
    }
}

/* ---- the two kinds of ranges ---- */

/* If there is no memory for a range, its end removes another one: the filter becomes inexact, but nothing breaks. */
static int push(const void *domain, bool wanted) {
    range *r = malloc(sizeof *r);
    if (!r) return -1;
    *r = (range){.domain = domain, .wanted = wanted, .below = stack};
    stack = r;
    wanted_in_stack += wanted;
    return 0;
}

/* Removes the domain's uppermost range. */
static int pop(const void *domain) {
    for (range **link = &stack; *link; link = &(*link)->below) {
        range *r = *link;
        if (r->domain != domain) continue;
        *link = r->below;
        wanted_in_stack -= r->wanted;
        free(r);
        return 0;
    }
    return -1;
}

/* The number is unique even if there is no memory for the range. */
static uint64_t start(bool wanted) {
    range *r = malloc(sizeof *r);
    pthread_mutex_lock(&lock);
    const uint64_t id = ++last_id;
    if (r) {
        *r = (range){.id = id, .wanted = wanted, .below = started};
        started = r;
        wanted_started += wanted;
    }
    pthread_mutex_unlock(&lock);
    return id;
}

static void end(uint64_t id) {
    pthread_mutex_lock(&lock);
    for (range **link = &started; *link; link = &(*link)->below) {
        range *r = *link;
        if (r->id != id) continue;
        *link = r->below;
        wanted_started -= r->wanted;
        free(r);
        break;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- the functions ---- */

static uint64_t start_event(const attributes *a) {
    return start(is_wanted_event(a));
}

static uint64_t start_ascii(const char *name) {
    return start(is_wanted(name));
}

static uint64_t start_wide(const wchar_t *name) {
    return start(is_wanted_wide(name));
}

static int push_event(const attributes *a) {
    return push(NULL, is_wanted_event(a));
}

static int push_ascii(const char *name) {
    return push(NULL, is_wanted(name));
}

static int push_wide(const wchar_t *name) {
    return push(NULL, is_wanted_wide(name));
}

static int pop_plain(void) {
    return pop(NULL);
}

static uint64_t domain_start(const void *domain, const attributes *a) {
    (void)domain;
    return start_event(a);
}

static void domain_end(const void *domain, uint64_t id) {
    (void)domain;
    end(id);
}

static int domain_push(const void *domain, const attributes *a) {
    return push(domain, is_wanted_event(a));
}

static int domain_pop(const void *domain) {
    return pop(domain);
}

/* A string's handle is its text. It lives as long as the program. */
static const void *register_ascii(const void *domain, const char *string) {
    (void)domain;
    return string ? strdup(string) : NULL;
}

static const void *register_wide(const void *domain, const wchar_t *string) {
    char plain[NAME] = "";
    (void)domain;
    if (!string || wcstombs(plain, string, sizeof plain - 1) == (size_t)-1) return NULL;
    return strdup(plain);
}

/* A domain is known by its address alone. */
static void *create_domain(const void *name) {
    (void)name;
    return malloc(1);
}

static void destroy_domain(void *domain) {
    free(domain);
}

/* ---- the entry point for NVTX ---- */

typedef void function(void);

/* Functions that haul takes over, by module and number. */
#define TAKEN(TAKE)                        \
    TAKE(MODULE_CORE, 4, start_event)      \
    TAKE(MODULE_CORE, 5, start_ascii)      \
    TAKE(MODULE_CORE, 6, start_wide)       \
    TAKE(MODULE_CORE, 7, end)              \
    TAKE(MODULE_CORE, 8, push_event)       \
    TAKE(MODULE_CORE, 9, push_ascii)       \
    TAKE(MODULE_CORE, 10, push_wide)       \
    TAKE(MODULE_CORE, 11, pop_plain)       \
    TAKE(MODULE_CORE2, 2, domain_start)    \
    TAKE(MODULE_CORE2, 3, domain_end)      \
    TAKE(MODULE_CORE2, 4, domain_push)     \
    TAKE(MODULE_CORE2, 5, domain_pop)      \
    TAKE(MODULE_CORE2, 10, register_ascii) \
    TAKE(MODULE_CORE2, 11, register_wide)  \
    TAKE(MODULE_CORE2, 12, create_domain)  \
    TAKE(MODULE_CORE2, 13, create_domain)  \
    TAKE(MODULE_CORE2, 14, destroy_domain)

typedef struct callbacks {
    size_t bytes;
    int (*table_of)(int module, function ****table, unsigned *count);
} callbacks;

int InitializeInjectionNvtx2(const void *(*table_of)(uint32_t table));

/* NVTX's headers call this by its name. Returns 1 if functions were taken over. */
int InitializeInjectionNvtx2(const void *(*table_of)(uint32_t table)) {
    const callbacks *c = table_of(TABLE_CALLBACKS);
    function ***table;
    unsigned count;
    if (!c || c->bytes < sizeof *c) return 0;
#define TAKE(module, number, name) \
    if (c->table_of(module, &table, &count) && (number) < count && table[number]) *table[number] = (function *)name;
    TAKEN(TAKE)
#undef TAKE
    return 1;
}
