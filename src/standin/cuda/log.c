/* The log of errors: the messages of calls that failed, for a program that asks for them.
 *
 * Each failed call with a message adds an entry, the latest MOST_ENTRIES of which are kept. An iterator is the number
 * of the next entry. Callbacks are called within the call that fails. */
#include "standin/cuda/log.h"

#include "base/memory.h"
#include "base/text.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MOST_ENTRIES = 100, LINE = 512, ERROR_LEVEL = 0, MOST_BYTES = 25600 };

struct CUlogsCallbackEntry_st {
    cuda_log_function call;
    void *data;
    CUlogsCallback next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char entries[MOST_ENTRIES][LINE];
static unsigned count; /* of all entries so far */
static CUlogsCallback callbacks;

/* As the driver formats it: time, thread, level, message. */
static void put(char line[LINE], const char *message) {
    char when[32];
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    strftime(when, sizeof when, "%H:%M:%S", localtime_r(&now.tv_sec, &parts));
    snprintf(line, LINE, "[%s.%03ld][%lu][CUDA][E] %s", when, now.tv_nsec / 1000000, (unsigned long)pthread_self(),
             message);
}

void cuda_add_log(const char *message) {
    CUlogsCallback told[8];
    char line[LINE];
    size_t to_tell = 0;
    put(line, message);
    pthread_mutex_lock(&lock);
    memcpy(entries[count++ % MOST_ENTRIES], line, LINE);
    for (CUlogsCallback c = callbacks; c && to_tell < sizeof told / sizeof *told; c = c->next) told[to_tell++] = c;
    pthread_mutex_unlock(&lock);
    for (size_t i = 0; i < to_tell; i++) told[i]->call(told[i]->data, ERROR_LEVEL, line, strlen(line));
}

CUresult cuLogsRegisterCallback(cuda_log_function call, void *data, CUlogsCallback *made) {
    if (!call) return CUDA_INVALID_VALUE;
    CUlogsCallback c = memory_zeroed(1, sizeof *c);
    if (!c) return CUDA_OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    *c = (struct CUlogsCallbackEntry_st){call, data, callbacks};
    callbacks = c;
    pthread_mutex_unlock(&lock);
    if (made) *made = c;
    return CUDA_SUCCESS;
}

/* The entry is not freed, as another thread may be about to call it. */
CUresult cuLogsUnregisterCallback(CUlogsCallback gone) {
    bool found = false;
    pthread_mutex_lock(&lock);
    for (CUlogsCallback *link = &callbacks; *link && !found; link = found ? link : &(*link)->next) {
        found = *link == gone;
        if (found) *link = gone->next;
    }
    pthread_mutex_unlock(&lock);
    return found ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

CUresult cuLogsCurrent(unsigned *iterator, unsigned flags) {
    if (!iterator || flags) return CUDA_INVALID_VALUE;
    pthread_mutex_lock(&lock);
    *iterator = count;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

/* The entries from *iterator on, or all that are kept; *iterator becomes the next one. */
static void collect(unsigned *iterator, text *to) {
    pthread_mutex_lock(&lock);
    unsigned at = iterator ? *iterator : 0;
    if (count - at > MOST_ENTRIES) at = count > MOST_ENTRIES ? count - MOST_ENTRIES : 0;
    for (; at != count; at++) text_printf(to, "%s\n", entries[at % MOST_ENTRIES]);
    if (iterator) *iterator = count;
    pthread_mutex_unlock(&lock);
}

CUresult cuLogsDumpToFile(unsigned *iterator, const char *path, unsigned flags) {
    text all = {0};
    if (!path || flags) return CUDA_INVALID_VALUE;
    FILE *file = fopen(path, "w");
    if (!file) return CUDA_INVALID_VALUE;
    collect(iterator, &all);
    fputs(text_string(&all), file);
    text_free(&all);
    return fclose(file) == 0 ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* Keeps the latest entries if there is no room for all. *bytes becomes the text's length, without its NUL. */
CUresult cuLogsDumpToMemory(unsigned *iterator, char *buffer, size_t *bytes, unsigned flags) {
    text all = {0};
    if (!buffer || !bytes || !*bytes || flags) return CUDA_INVALID_VALUE;
    collect(iterator, &all);
    const size_t room = (*bytes < MOST_BYTES ? *bytes : MOST_BYTES) - 1, kept = all.length < room ? all.length : room;
    memcpy(buffer, text_string(&all) + (all.length - kept), kept);
    buffer[kept] = '\0';
    *bytes = kept;
    text_free(&all);
    return CUDA_SUCCESS;
}
