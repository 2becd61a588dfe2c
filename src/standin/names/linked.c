/* Linked into each program and library that `haul cc` makes, as libcudadevrt.a: does what NVIDIA's device linker would.
 * Objects call the names that start with __haul instead of the compiler's usual ones.
 *
 * With -rdc=true, each object has a fat binary with PTX that refers to others. NVIDIA's tools link these when the
 * program is built. Here the objects register themselves at the program's start, and are collected in one wrapper of
 * version 2; the stand-in links their PTX. All functions are hidden, so that each library of a program collects its
 * own objects. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define OWN __attribute__((visibility("hidden")))

void **__cudaRegisterFatBinary(void *fat);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
                       int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **managed, char *host, const char *name, int external, size_t bytes,
                              int constant, int global);
char __cudaInitModule(void **handle);
extern void *__emutls_get_address(void *control);

OWN void __haul_register_linked(void (*register_names)(void **), void *fat, void *id, void (*done)(void *));
OWN void __haul_register_variable(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
                                  int constant, int global);
OWN void *__haul_variable_address(void *control);

static void *grow(void *memory, size_t bytes) {
    void *grown = realloc(memory, bytes);
    if (grown) return grown;
    fprintf(stderr, "haul: no memory to start the program\n");
    exit(2);
}

/* ---- objects compiled with -rdc=true are one module ---- */

/* As in runtime/fatbin.c. */
typedef struct wrapper {
    uint32_t magic;
    int version;
    const void *container;
    const void **linked; /* version 2: the containers of all objects, then NULL */
} wrapper;

static wrapper whole = {0x466243b1, 2, NULL, NULL};
static void **whole_handle;
static size_t objects; /* in the list, which has room for one more and NULL */

/* Each object calls this before main(). The stand-in reads the list when the first kernel runs. */
void __haul_register_linked(void (*register_names)(void **), void *fat, void *id, void (*done)(void *)) {
    (void)id, (void)done;
    whole.linked = grow(whole.linked, (objects + 2) * sizeof *whole.linked);
    whole.linked[objects++] = ((const wrapper *)fat)->container;
    whole.linked[objects] = NULL;
    if (!whole_handle) {
        whole_handle = __cudaRegisterFatBinary(&whole);
        __cudaRegisterFatBinaryEnd(whole_handle);
    }
    register_names(whole_handle);
}

/* ---- managed variables ---- */

/* In the host half of a source with __managed__, these variables are thread-local ones with emulated addresses, and
 * each address is requested here. `control` is the compiler's record of the variable, `storage` its storage if it were
 * thread-local. The user's own thread-local variables come here too, and are never registered. */
typedef struct variable {
    void *control, *storage, *managed;
    void **handle;
    struct variable *next;
} variable;

static variable *variables; /* complete before main() */
static _Thread_local void *last_control, *last_address;

/* The first use loads the module, which sets `managed`. The storage serves if that fails. */
static void *managed_address(variable *v) {
    if (!v->managed) __cudaInitModule(v->handle);
    return v->managed ? v->managed : v->storage;
}

void *__haul_variable_address(void *control) {
    for (variable *v = variables; v; v = v->next)
        if (v->control == control) return managed_address(v);
    last_control = control;
    return last_address = __emutls_get_address(control);
}

/* Called immediately after the address of a managed variable was requested. */
void __haul_register_variable(void **handle, char *host, char *device, const char *name, int external, size_t bytes,
                              int constant, int global) {
    if (host != last_address) {
        __cudaRegisterVar(handle, host, device, name, external, bytes, constant, global);
        return;
    }
    variable *v = grow(NULL, sizeof *v);
    *v = (variable){last_control, host, NULL, handle, variables};
    variables = v;
    __cudaRegisterManagedVar(handle, &v->managed, last_control, name, external, bytes, constant, global);
}
