/* Records which threads of the process are haul's own, so that the program's can be counted.
 *
 * The stand-in must know whether the program has threads that still work. Linux tells the threads of a process in
 * /proc, without telling who started them. */
#include "base/own_threads.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST = 1024 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long own[MOST];
static unsigned count;

static long this_thread(void) {
    return syscall(SYS_gettid);
}

static bool is_own(long thread) {
    for (unsigned i = 0; i < count; i++)
        if (own[i] == thread) return true;
    return false;
}

/* Registers the calling thread, once. */
void own_threads_add(void) {
    static _Thread_local bool is_added;
    if (is_added) return;
    is_added = true;
    pthread_mutex_lock(&lock);
    if (count < MOST) own[count++] = this_thread();
    pthread_mutex_unlock(&lock);
}

/* In a line of /proc, after the name in parentheses, user and system time are the 12th and 13th fields. */
static unsigned long long time_of(long thread) {
    char path[64], line[512] = "";
    unsigned long long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", thread);
    FILE *file = fopen(path, "r");
    const char *rest = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    if (rest && sscanf(rest + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu %llu", &user, &system) != 2)
        user = 0;
    if (file) fclose(file);
    return user + system;
}

unsigned own_threads_count_others(unsigned long long *time) {
    DIR *tasks = opendir("/proc/self/task");
    const long self = this_thread();
    unsigned others = 0;
    *time = 0;
    pthread_mutex_lock(&lock);
    for (const struct dirent *entry; tasks && (entry = readdir(tasks));) {
        const long thread = strtol(entry->d_name, NULL, 10);
        if (!thread || is_own(thread)) continue;
        others++;
        if (thread != self) *time += time_of(thread);
    }
    pthread_mutex_unlock(&lock);
    if (tasks) closedir(tasks);
    return others;
}
