/* Writes the stand-in's driver API functions from the tables, for each name that libcuda.so.1 exports: a call of the
 * virtual GPU's driver if it has the function (src/driver/driver.def), a form for code with a default stream for each
 * thread, or a refusal. Functions of functions.def are written by hand.
 *
 *     generate-calls calls     C definitions, and CALL(name, version, is_here) for each name
 *     generate-calls names     CALL(name, version, is_here) only */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct function {
    const char *symbol, *field, *parameters; /* field: of the driver's table; NULL: written by hand */
    bool is_beside;                          /* may be called while kernels of other threads run */
} function;

/* Functions written by hand take precedence over the driver's. */
static const function functions[] = {
#define CUDA(symbol, parameters) {#symbol, NULL, #parameters, false},
#include "standin/cuda/functions.def"
#undef CUDA
#define DRIVER(name, symbol, parameters) {#symbol, #name, #parameters, false},
#define DRIVER_BESIDE(name, symbol, parameters) {#symbol, #name, #parameters, true},
#include "driver/driver.def"
#undef DRIVER
};

static const struct {
    const char *name;
    int version;
    const char *reason; /* why haul lacks it; NULL: it has it */
} names[] = {
#define NAME(name, version) {#name, version, NULL},
#define REFUSED(name, version, reason) {#name, version, #reason},
#include "standin/cuda/names.def"
#undef NAME
};

enum { MOST_PARAMETERS = 20, MOST_NAME = 64 };

typedef struct parameter {
    char type[MOST_NAME], name[MOST_NAME];
} parameter;

static void fail(const char *symbol, const char *why) {
    fprintf(stderr, "%s: %s\n", symbol, why);
    exit(1);
}

static bool is_of_name(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "CUdeviceptr *address": the name is the last word. Ends the build if it cannot tell them apart. */
static void read_parameter(const char *text, size_t length, const char *symbol, parameter *p) {
    while (length && text[0] == ' ') text++, length--;
    size_t name = length;
    while (name && is_of_name(text[name - 1])) name--;
    if (length >= MOST_NAME || name == length || name == 0) fail(symbol, "its parameters cannot be read");
    snprintf(p->type, sizeof p->type, "%.*s", (int)name, text);
    snprintf(p->name, sizeof p->name, "%.*s", (int)(length - name), text + name);
    for (size_t end = strlen(p->type); end && p->type[end - 1] == ' ';) p->type[--end] = '\0';
}

/* Splits "(int *value, CUdevice device)" at its commas. No parameter is a pointer to a function written out. */
static unsigned read_parameters(const function *f, parameter *all) {
    const char *at = f->parameters + 1;
    unsigned count = 0;
    if (strcmp(f->parameters, "(void)") == 0) return 0;
    for (const char *end; *at; at = end + 1, count++) {
        end = at + strcspn(at, ",)");
        if (count == MOST_PARAMETERS || !*end) fail(f->symbol, "its parameters cannot be read");
        read_parameter(at, (size_t)(end - at), f->symbol, &all[count]);
    }
    return count;
}

/* The first row with that name: those by hand come first. */
static const function *find(const char *symbol, size_t length) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strncmp(functions[i].symbol, symbol, length) == 0 && !functions[i].symbol[length]) return &functions[i];
    return NULL;
}

/* `own_stream`: streams are replaced by standin_own(). */
static void print_arguments(const parameter *all, unsigned count, bool own_stream) {
    for (unsigned i = 0; i < count; i++) {
        const bool own = own_stream && strcmp(all[i].type, "CUstream") == 0;
        printf("%s%s%s%s", i ? ", " : "", own ? "standin_own(" : "", all[i].name, own ? ")" : "");
    }
}

/* Checks and translations of handles before the driver's table gets them. The first parameter must not be NULL if it
 * is an output. */
static void print_checks(const parameter *all, unsigned count) {
    static const struct {
        const char *type, *check;
    } checks[] = {{"CUmodule", "cuda_check_module(%s)"},
                  {"CUfunction", "cuda_function_of(&%s)"},
                  {"CUdevice", "cuda_device_of(&%s)"}};
    if (count && strchr(all[0].type, '*') && !strstr(all[0].type, "void"))
        printf("    if (!%s) result = CUDA_INVALID_VALUE;\n", all[0].name);
    for (unsigned i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof checks / sizeof *checks; k++) {
            if (strcmp(all[i].type, checks[k].type) != 0) continue;
            printf("    if (result == CUDA_SUCCESS) result = ");
            printf(checks[k].check, all[i].name);
            printf(";\n");
        }
}

/* A query of a kernel prepares it, if that was not done before. */
static bool prepares(const char *field) {
    return strcmp(field, "function_attribute") == 0 || strcmp(field, "occupancy") == 0;
}

static bool is_among(const char *word, const char *const *words) {
    while (*words && strcmp(*words, word) != 0) words++;
    return *words;
}

/* Whether a parameter, or what is freed, tells the context. */
static bool has_handle(const function *f, const parameter *all, unsigned count) {
    static const char *const handles[] = {"CUevent",     "CUmodule",    "CUfunction",   "CUgraph",
                                          "CUgraphExec", "CUgraphNode", "CUmemoryPool", NULL};
    static const char *const others[] = {"cuGraphCreate", "cuMemFree_v2", "cuMemFreeHost", "cuMemHostUnregister", NULL};
    bool found = is_among(f->symbol, others);
    for (unsigned i = 0; i < count; i++) found |= is_among(all[i].type, handles);
    return found && strcmp(f->field, "occupancy") != 0;
}

/* Prints the macro that enters: by whether a current context is needed (cuda.h), and by what runs beside the call.
 * Functions of devices and of virtual memory need none. */
static void print_way_in(const function *f, const parameter *all, unsigned count) {
    const char *const beside = f->is_beside ? "_BESIDE" : "";
    const char *stream = NULL;
    for (unsigned i = 0; i < count; i++)
        if (strcmp(all[i].type, "CUstream") == 0) stream = all[i].name;
    printf("    ");
    if (strncmp(f->symbol, "cuDevice", 8) == 0)
        printf("CUDA_ENTER_DEVICE_BESIDE(d)");
    else if (strncmp(f->field, "virtual_", 8) == 0 || strncmp(f->field, "multicast_", 10) == 0)
        printf("CUDA_ENTER_DEVICE(d)");
    else if (stream)
        printf("CUDA_ENTER_STREAM%s(d, %s)", beside, stream);
    else
        printf("CUDA_ENTER%s%s(d)", has_handle(f, all, count) ? "_HANDLE" : "", beside);
    printf(";\n");
}

/* The function has the name and parameters that CUDA documents; it enters, checks, calls the table and leaves. */
static void print_forward(const function *f) {
    parameter all[MOST_PARAMETERS];
    const unsigned count = read_parameters(f, all);
    printf("CUresult %s%s {\n", f->symbol, f->parameters);
    print_way_in(f, all, count);
    printf("    CUresult result = CUDA_SUCCESS;\n");
    print_checks(all, count);
    if (prepares(f->field)) printf("    if (result == CUDA_SUCCESS) cuda_prepare_alone(function);\n");
    printf("    if (result == CUDA_SUCCESS) result = d->%s(", f->field);
    print_arguments(all, count, false);
    printf(");\n    return cuda_leave(result);\n}\n");
}

/* _ptsz: the default stream is the thread's. _ptds: the same for functions that wait; haul uses the legacy default
 * stream for them, which waits for more. */
static void print_form(const char *name, const function *f) {
    parameter all[MOST_PARAMETERS];
    const unsigned count = read_parameters(f, all);
    printf("CUresult %s%s {\n    return %s(", name, f->parameters, f->symbol);
    print_arguments(all, count, true);
    printf(");\n}\n");
}

/* The order of cases: written by hand, in the driver's table, a form of one of these, or missing. Ends the build if
 * names.def says otherwise. */
static void define(const char *name, const char *reason) {
    const char *suffix = strstr(name, "_pt");
    const function *exact = find(name, strlen(name)), *plain = suffix ? find(name, (size_t)(suffix - name)) : NULL;
    if (!exact && !plain && !reason) fail(name, "neither functions.def nor driver.def has it, and names.def no reason");
    if ((exact || plain) && reason) fail(name, "names.def has a reason why it is missing, but it is there");
    if (exact && exact->field) print_forward(exact);
    if (!exact && plain) print_form(name, plain);
    if (!exact && !plain) printf("CUresult %s(void) {\n    return cuda_refuse(CALL_%s);\n}\n", name, name);
}

int main(int count, char **arguments) {
    const bool calls = count == 2 && strcmp(arguments[1], "calls") == 0;
    const size_t rows = sizeof names / sizeof *names;
    if (!calls && (count != 2 || strcmp(arguments[1], "names") != 0)) return 2;
    for (size_t i = 0; calls && i < rows; i++)
        printf("%sCALL_%s%s", i ? "    " : "enum {\n    ", names[i].name, i + 1 < rows ? ",\n" : "\n};\n");
    for (size_t i = 0; calls && i < rows; i++) define(names[i].name, names[i].reason);
    printf("#ifdef CALL\n");
    for (size_t i = 0; i < rows; i++)
        printf("CALL(%s, %d, %s)\n", names[i].name, names[i].version, names[i].reason ? "false" : "true");
    printf("#endif\n");
    return 0;
}
