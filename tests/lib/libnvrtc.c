/* A libnvrtc for tests: its "PTX" lists the options and then the source; source that has `wrong` does not compile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct program {
    char text[8192];
    const char *log;
} program;

#define EXPORT __attribute__((visibility("default"))) extern

EXPORT int nvrtcVersion(int *major, int *minor);
int nvrtcVersion(int *major, int *minor) {
    *major = 12, *minor = 9;
    return 0;
}

EXPORT int nvrtcCreateProgram(program **p, const char *source, const char *name, int count, const char *const *texts,
                              const char *const *names);
int nvrtcCreateProgram(program **p, const char *source, const char *name, int count, const char *const *texts,
                       const char *const *names) {
    (void)texts, (void)names;
    *p = calloc(1, sizeof **p);
    if (!*p || count) return 1;
    snprintf((*p)->text, sizeof(*p)->text, "name %s\n%s", name, source);
    return 0;
}

EXPORT int nvrtcCompileProgram(program *p, int count, const char *const *options);
int nvrtcCompileProgram(program *p, int count, const char *const *options) {
    for (int i = 0; i < count; i++) {
        const size_t used = strlen(p->text);
        snprintf(p->text + used, sizeof p->text - used, "option %s\n", options[i]);
    }
    if (!strstr(p->text, "wrong")) return 0;
    p->log = "k.cu(1): error: this is wrong\n";
    return 6;
}

EXPORT int nvrtcGetProgramLogSize(program *p, size_t *size);
int nvrtcGetProgramLogSize(program *p, size_t *size) {
    *size = p->log ? strlen(p->log) + 1 : 1;
    return 0;
}

EXPORT int nvrtcGetProgramLog(program *p, char *log);
int nvrtcGetProgramLog(program *p, char *log) {
    strcpy(log, p->log ? p->log : "");
    return 0;
}

EXPORT int nvrtcGetPTXSize(program *p, size_t *size);
int nvrtcGetPTXSize(program *p, size_t *size) {
    *size = strlen(p->text) + 1;
    return 0;
}

EXPORT int nvrtcGetPTX(program *p, char *ptx);
int nvrtcGetPTX(program *p, char *ptx) {
    strcpy(ptx, p->text);
    return 0;
}

EXPORT int nvrtcDestroyProgram(program **p);
int nvrtcDestroyProgram(program **p) {
    free(*p);
    *p = NULL;
    return 0;
}
