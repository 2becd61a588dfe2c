/* LLVM, by its C interface, from whatever version's shared library is there. Only what has been the same since LLVM 13
 * is used; declared here, so that neither headers nor the library are needed to build. */
#include "sim/compiled/code_internal.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct llvm_opaque llvm_opaque; /* contexts, modules, buffers, targets: only ever pointed to */

enum { LLVM_OPTIMISE = 2, LLVM_RELOCATE_PIC = 2, LLVM_MODEL_SMALL = 3, LLVM_OBJECT_FILE = 1 };

/* LLVM's functions that are used: FUNCTION(result, name, parameters). */
#define LLVM_FUNCTIONS(FUNCTION)                                                                                       \
    FUNCTION(void, InitializeX86TargetInfo, (void))                                                                    \
    FUNCTION(void, InitializeX86Target, (void))                                                                        \
    FUNCTION(void, InitializeX86TargetMC, (void))                                                                      \
    FUNCTION(void, InitializeX86AsmPrinter, (void))                                                                    \
    FUNCTION(llvm_opaque *, ContextCreate, (void))                                                                     \
    FUNCTION(void, ContextDispose, (llvm_opaque * context))                                                            \
    FUNCTION(llvm_opaque *, CreateMemoryBufferWithMemoryRangeCopy, (const char *bytes, size_t size, const char *name)) \
    FUNCTION(int, ParseIRInContext, (llvm_opaque * context, llvm_opaque * buffer, llvm_opaque * *module, char **why))  \
    FUNCTION(void, DisposeModule, (llvm_opaque * module))                                                              \
    FUNCTION(void, DisposeMessage, (char *message))                                                                    \
    FUNCTION(char *, GetDefaultTargetTriple, (void))                                                                   \
    FUNCTION(int, GetTargetFromTriple, (const char *triple, llvm_opaque **target, char **why))                         \
    FUNCTION(char *, GetHostCPUName, (void))                                                                           \
    FUNCTION(char *, GetHostCPUFeatures, (void))                                                                       \
    FUNCTION(llvm_opaque *, CreateTargetMachine,                                                                       \
             (llvm_opaque * target, const char *triple, const char *cpu, const char *features, int level,              \
              int relocation, int model))                                                                              \
    FUNCTION(void, DisposeTargetMachine, (llvm_opaque * machine))                                                      \
    FUNCTION(llvm_opaque *, CreateTargetDataLayout, (llvm_opaque * machine))                                           \
    FUNCTION(void, DisposeTargetData, (llvm_opaque * layout))                                                          \
    FUNCTION(void, SetModuleDataLayout, (llvm_opaque * module, llvm_opaque * layout))                                  \
    FUNCTION(void, SetTarget, (llvm_opaque * module, const char *triple))                                              \
    FUNCTION(int, TargetMachineEmitToMemoryBuffer,                                                                     \
             (llvm_opaque * machine, llvm_opaque * module, int kind, char **why, llvm_opaque **buffer))                \
    FUNCTION(const char *, GetBufferStart, (llvm_opaque * buffer))                                                     \
    FUNCTION(size_t, GetBufferSize, (llvm_opaque * buffer))                                                            \
    FUNCTION(void, DisposeMemoryBuffer, (llvm_opaque * buffer))

#define MEMBER(result, name, parameters) result(*name) parameters;
static struct { LLVM_FUNCTIONS(MEMBER) } llvm;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sim_compiler_info info;
static bool loaded;
static char why_not[256] = "not looked for yet";
static llvm_opaque *machine; /* used by one thread at a time */
static char *triple;

/* Versions from the one that compiles fastest on. */
static const struct {
    const char *file, *name;
    bool opaque;
} libraries[] = {
    {"libLLVM-14.so.1", "LLVM 14", false}, {"libLLVM-15.so.1", "LLVM 15", true}, {"libLLVM-16.so.1", "LLVM 16", true},
    {"libLLVM-17.so.1", "LLVM 17", true},  {"libLLVM.so.18.1", "LLVM 18", true}, {"libLLVM-18.so.1", "LLVM 18", true},
    {"libLLVM.so.19.1", "LLVM 19", true},  {"libLLVM.so.20.1", "LLVM 20", true}, {"libLLVM.so.21.1", "LLVM 21", true},
};

/* A function of the library under its own name. */
static bool resolve(void *library, const char *symbol, void *function) {
    void *found = dlsym(library, symbol);
    if (!found) snprintf(why_not, sizeof why_not, "the LLVM library has no %s", symbol);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

#define RESOLVE(result, name, parameters) \
    if (!resolve(library, "LLVM" #name, &llvm.name)) return false;
static bool resolve_all(void *library) {
    LLVM_FUNCTIONS(RESOLVE)
    return true;
}

static bool make_machine(llvm_opaque *target) {
    char *cpu = llvm.GetHostCPUName(), *features = llvm.GetHostCPUFeatures();
    machine =
        llvm.CreateTargetMachine(target, triple, cpu, features, LLVM_OPTIMISE, LLVM_RELOCATE_PIC, LLVM_MODEL_SMALL);
    llvm.DisposeMessage(cpu);
    llvm.DisposeMessage(features);
    if (!machine) snprintf(why_not, sizeof why_not, "LLVM knows no target %s", triple);
    return machine != NULL;
}

static bool prepare(void) {
    char *message = NULL;
    llvm_opaque *target = NULL;
    llvm.InitializeX86TargetInfo();
    llvm.InitializeX86Target();
    llvm.InitializeX86TargetMC();
    llvm.InitializeX86AsmPrinter();
    triple = llvm.GetDefaultTargetTriple();
    if (!llvm.GetTargetFromTriple(triple, &target, &message)) return make_machine(target);
    snprintf(why_not, sizeof why_not, "%s", message);
    llvm.DisposeMessage(message);
    return false;
}

/* HAUL_LLVM in the environment: the one with that in its name, or none. */
static bool is_chosen(const char *file) {
    const char *chosen = getenv("HAUL_LLVM");
    return !chosen || strstr(file, chosen);
}

static void *open_library(void) {
    for (size_t k = 0; k < sizeof libraries / sizeof *libraries; k++) {
        void *library = is_chosen(libraries[k].file) ? dlopen(libraries[k].file, RTLD_LAZY | RTLD_LOCAL) : NULL;
        if (!library) continue;
        info = (sim_compiler_info){.name = libraries[k].name, .opaque = libraries[k].opaque};
        return library;
    }
    snprintf(why_not, sizeof why_not, "no LLVM library (libLLVM, versions 14 to 21) on this machine");
    return NULL;
}

static void load(void) {
    void *library = open_library();
    if (!library) return;
    loaded = resolve_all(library) && prepare();
    if (loaded) sim_compiler_at_exit();
}

#if defined(__x86_64__)
bool sim_compiler_is_possible(void) {
    return true;
}

static bool host_has_fma(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("fma");
}
#else
bool sim_compiler_is_possible(void) {
    return false;
}

static bool host_has_fma(void) {
    return false;
}
#endif

const sim_compiler_info *sim_compiler(void) {
    if (!sim_compiler_is_possible()) {
        snprintf(why_not, sizeof why_not, "only x86-64 hosts are compiled for");
        return NULL;
    }
    pthread_once(&once, load);
    info.has_fma = host_has_fma();
    return loaded ? &info : NULL;
}

const char *sim_compiler_why_not(void) {
    return why_not;
}

/* ---- compiling ---- */

/* NULL: the IR is wrong, which is a defect of haul's. */
static llvm_opaque *parse(llvm_opaque *context, const text *ir) {
    llvm_opaque *module = NULL;
    char *message = NULL;
    llvm_opaque *buffer = llvm.CreateMemoryBufferWithMemoryRangeCopy(ir->bytes, ir->length, "segments");
    if (!llvm.ParseIRInContext(context, buffer, &module, &message)) return module;
    llvm.DisposeMessage(message);
    return NULL;
}

static llvm_opaque *emit(llvm_opaque *module) {
    llvm_opaque *object = NULL, *layout = llvm.CreateTargetDataLayout(machine);
    char *message = NULL;
    llvm.SetTarget(module, triple);
    llvm.SetModuleDataLayout(module, layout);
    llvm.DisposeTargetData(layout);
    if (!llvm.TargetMachineEmitToMemoryBuffer(machine, module, LLVM_OBJECT_FILE, &message, &object)) return object;
    llvm.DisposeMessage(message);
    return NULL;
}

static sim_code *compile(llvm_opaque *context, const text *ir) {
    llvm_opaque *module = parse(context, ir), *object = module ? emit(module) : NULL;
    sim_code *code = NULL;
    if (object) {
        code = sim_code_load((const unsigned char *)llvm.GetBufferStart(object), llvm.GetBufferSize(object));
        llvm.DisposeMemoryBuffer(object);
    }
    if (module) llvm.DisposeModule(module);
    return code;
}

bool sim_code_make(const text *ir, sim_code **list) {
    llvm_opaque *context = llvm.ContextCreate();
    sim_code *code = compile(context, ir);
    llvm.ContextDispose(context);
    if (!code) return false;
    code->next = *list;
    *list = code;
    return true;
}
