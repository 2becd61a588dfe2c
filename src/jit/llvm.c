/* LLVM through its C interface, from any supported version's shared library. Only functions that have not changed since
 * LLVM 13 are used. They are declared here, so that building needs neither headers nor library. */
#include "base/hash.h"
#include "jit/code.h"
#include "jit/imports.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct llvm_opaque llvm_opaque; /* contexts, modules, buffers, targets: only used through pointers */

enum { LLVM_RELOCATE_PIC = 2, LLVM_MODEL_SMALL = 3, LLVM_OBJECT_FILE = 1 };

/* The LLVM functions used: FUNCTION(result, name, parameters). */
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
static atomic_bool tried;
static char why_not[256] = "not looked for yet";
static llvm_opaque *machines[SIM_CODE_LEVELS]; /* used by one thread at a time */
static char *triple;
static char identity[SIM_COMPILER_IDENTITY];

/* Versions, the one that compiles fastest first. */
static const struct {
    const char *file, *name;
    bool opaque;
} libraries[] = {
    {"libLLVM-14.so.1", "LLVM 14", false}, {"libLLVM-15.so.1", "LLVM 15", true}, {"libLLVM-16.so.1", "LLVM 16", true},
    {"libLLVM-17.so.1", "LLVM 17", true},  {"libLLVM.so.18.1", "LLVM 18", true}, {"libLLVM-18.so.1", "LLVM 18", true},
    {"libLLVM.so.19.1", "LLVM 19", true},  {"libLLVM.so.20.1", "LLVM 20", true}, {"libLLVM.so.21.1", "LLVM 21", true},
};

/* Looks up a function of the library. */
static bool resolve(void *library, const char *symbol, void *function) {
    void *found = dlsym(library, symbol);
    if (!found) snprintf(why_not, sizeof why_not, "the LLVM library has no %s", symbol);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

#define RESOLVE(result, name, parameters) \
    if (!resolve(library, "LLVM" #name, &llvm.name)) return false;

/* Returns false, with the reason, if a function is missing. */
static bool resolve_all(void *library) {
    LLVM_FUNCTIONS(RESOLVE)
    return true;
}

/* Creates a target machine for each level of effort. */
static bool make_machines(llvm_opaque *target) {
    static const int levels[SIM_CODE_LEVELS] = {[SIM_CODE_LESS] = 0, [SIM_CODE_MORE] = 2};
    char *cpu = llvm.GetHostCPUName(), *features = llvm.GetHostCPUFeatures();
    bool made = true;
    for (unsigned k = 0; k < SIM_CODE_LEVELS; k++) {
        machines[k] =
            llvm.CreateTargetMachine(target, triple, cpu, features, levels[k], LLVM_RELOCATE_PIC, LLVM_MODEL_SMALL);
        made &= machines[k] != NULL;
    }
    llvm.DisposeMessage(cpu);
    llvm.DisposeMessage(features);
    if (!made) snprintf(why_not, sizeof why_not, "LLVM does not support the target %s", triple);
    return made;
}

/* Initialises LLVM's x86 target. */
static bool prepare(void) {
    char *message = NULL;
    llvm_opaque *target = NULL;
    llvm.InitializeX86TargetInfo();
    llvm.InitializeX86Target();
    llvm.InitializeX86TargetMC();
    llvm.InitializeX86AsmPrinter();
    triple = llvm.GetDefaultTargetTriple();
    if (!llvm.GetTargetFromTriple(triple, &target, &message)) return make_machines(target);
    snprintf(why_not, sizeof why_not, "%s", message);
    llvm.DisposeMessage(message);
    return false;
}

/* True if HAUL_LLVM in the environment is unset or part of the file name; another value excludes all. */
static bool is_chosen(const char *file) {
    const char *chosen = getenv("HAUL_LLVM");
    return !chosen || strstr(file, chosen);
}

/* Gets "name|file|size|date" of a library's file. */
static bool identify(const char *name, const char *path, char out[SIM_COMPILER_IDENTITY]) {
    struct stat about;
    if (stat(path, &about) != 0) return false;
    const int length = snprintf(out, SIM_COMPILER_IDENTITY, "%s|%s|%lld|%lld", name, path, (long long)about.st_size,
                                (long long)about.st_mtim.tv_sec);
    return length < SIM_COMPILER_IDENTITY;
}

/* Code of a library that cannot be identified is not cached. */
static void identify_library(void *library, const char *name) {
    struct link_map *map = NULL;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !identify(name, map->l_name, identity)) *identity = 0;
}

/* Opens the first library of the list that exists and is allowed. */
static void *open_library(void) {
    for (size_t k = 0; k < sizeof libraries / sizeof *libraries; k++) {
        void *library = is_chosen(libraries[k].file) ? dlopen(libraries[k].file, RTLD_LAZY | RTLD_LOCAL) : NULL;
        if (!library) continue;
        info = (sim_compiler_info){.name = libraries[k].name, .opaque = libraries[k].opaque};
        identify_library(library, libraries[k].file);
        return library;
    }
    snprintf(why_not, sizeof why_not, "no LLVM library (libLLVM, versions 14 to 21) on this machine");
    return NULL;
}

/* In place of __cxa_atexit(): the object is never destroyed. */
static int keep_object(void (*destroy)(void *), void *object, void *library) {
    (void)destroy, (void)object, (void)library;
    return 0;
}

/* Runs once; everything else only reads the result. LLVM makes some objects when it first needs them. exit() would
 * destroy those before it stops the thread that compiles, since they would be registered last. */
static void load(void) {
    void *library = open_library();
    loaded = library && resolve_all(library) && prepare();
    if (loaded) {
        sim_compiler_at_exit();
        (void)sim_replace_import(library, "__cxa_atexit", (uintptr_t)keep_object);
    }
    atomic_store(&tried, true);
}

#if defined(__x86_64__)
#include <cpuid.h>

bool sim_compiler_is_possible(void) {
    return true;
}

/* Returns the register sets that the operating system saves and lets programs use. */
static uint64_t saved_by_system(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return 0;
    __asm__("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
    return (uint64_t)d << 32 | a;
}

/* Parts of a leaf that differ between cores of one processor are left out. */
void sim_host_hash(uint64_t hash[2]) {
    static const struct {
        unsigned leaf, part, used[4];
    } leaves[] = {{0, 0, {~0u, ~0u, ~0u, ~0u}},      {1, 0, {~0u, 0, ~0u, ~0u}},      {7, 0, {~0u, ~0u, ~0u, ~0u}},
                  {7, 1, {~0u, ~0u, ~0u, ~0u}},      {0xd, 0, {~0u, 0, 0, 0}},        {0xd, 1, {~0u, 0, 0, 0}},
                  {0x14, 0, {~0u, ~0u, ~0u, ~0u}},   {0x19, 0, {~0u, ~0u, ~0u, ~0u}}, {0x24, 0, {~0u, ~0u, ~0u, ~0u}},
                  {0x80000001, 0, {0, 0, ~0u, ~0u}}, {0x80000008, 0, {0, ~0u, 0, 0}}};
    hash_both_start(hash);
    for (size_t k = 0; k < sizeof leaves / sizeof *leaves; k++) {
        unsigned r[4] = {0};
        (void)__get_cpuid_count(leaves[k].leaf, leaves[k].part, &r[0], &r[1], &r[2], &r[3]);
        for (unsigned i = 0; i < 4; i++) hash_both_word(hash, r[i] & leaves[k].used[i]);
    }
    hash_both_word(hash, saved_by_system());
}

static void detect_features(sim_compiler_info *out) {
    unsigned a, b, c, d;
    __builtin_cpu_init();
    out->has_fma = __builtin_cpu_supports("fma");
    out->has_f16 = out->has_fma && __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
    out->has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw");
}
#else
bool sim_compiler_is_possible(void) {
    return false;
}

void sim_host_hash(uint64_t hash[2]) {
    hash_both_start(hash);
}

static void detect_features(sim_compiler_info *out) {
    out->has_fma = out->has_f16 = out->has_avx512 = false;
}
#endif

const sim_compiler_info *sim_compiler(void) {
    if (!sim_compiler_is_possible()) {
        snprintf(why_not, sizeof why_not, "haul compiles for x86-64 hosts only");
        return NULL;
    }
    pthread_once(&once, load);
    detect_features(&info);
    return loaded ? &info : NULL;
}

const char *sim_compiler_why_not(void) {
    return why_not;
}

bool sim_compiler_is_loaded(void) {
    return atomic_load(&tried);
}

const char *sim_compiler_identity(void) {
    return identity;
}

/* Reads an identity that was stored with code. It is right only if the file is still the same. */
bool sim_compiler_recognise(const char *known, sim_compiler_info *out) {
    char name[64] = "", path[SIM_COMPILER_IDENTITY] = "", now[SIM_COMPILER_IDENTITY];
    if (atomic_load(&tried) && (!loaded || strcmp(known, identity))) return false;
    if (sscanf(known, "%63[^|]|%511[^|]|", name, path) != 2) return false;
    if (!is_chosen(name) || !identify(name, path, now) || strcmp(now, known)) return false;
    for (size_t k = 0; k < sizeof libraries / sizeof *libraries; k++) {
        if (strcmp(libraries[k].file, name)) continue;
        *out = (sim_compiler_info){.name = libraries[k].name, .opaque = libraries[k].opaque};
        detect_features(out);
        return true;
    }
    return false;
}

/* ---- compiling ---- */

/* Returns NULL if the IR is wrong, which is a defect of haul. */
static llvm_opaque *parse(llvm_opaque *context, const text *ir) {
    llvm_opaque *module = NULL;
    char *message = NULL;
    llvm_opaque *buffer = llvm.CreateMemoryBufferWithMemoryRangeCopy(ir->bytes, ir->length, "segments");
    if (!llvm.ParseIRInContext(context, buffer, &module, &message)) return module;
    llvm.DisposeMessage(message);
    return NULL;
}

/* Returns an object file, or NULL. */
static llvm_opaque *emit(llvm_opaque *machine, llvm_opaque *module) {
    llvm_opaque *object = NULL, *layout = llvm.CreateTargetDataLayout(machine);
    char *message = NULL;
    llvm.SetTarget(module, triple);
    llvm.SetModuleDataLayout(module, layout);
    llvm.DisposeTargetData(layout);
    if (!llvm.TargetMachineEmitToMemoryBuffer(machine, module, LLVM_OBJECT_FILE, &message, &object)) return object;
    llvm.DisposeMessage(message);
    return NULL;
}

bool sim_code_make(const text *ir, sim_code_level level, text *out) {
    llvm_opaque *context = llvm.ContextCreate(), *module = parse(context, ir);
    llvm_opaque *object = module ? emit(machines[level], module) : NULL;
    if (object) {
        text_append(out, llvm.GetBufferStart(object), llvm.GetBufferSize(object));
        llvm.DisposeMemoryBuffer(object);
    }
    if (module) llvm.DisposeModule(module);
    llvm.ContextDispose(context);
    return object && !out->failed;
}
