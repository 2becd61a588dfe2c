/* Replaces the static runtime. Programs and libraries linked with libcudart_static.a, nvcc's default, contain
 * NVIDIA's runtime. If they have a symbol table, its functions are found there, and each is overwritten with a jump
 * to haul's before their own code runs. audit/ reports libraries that the program opens later.
 *
 * The loader does not map symbol tables (.symtab), so the file is mapped a second time and searched (image.c). A
 * program without a symbol table that contains device code is refused with a message, as NVIDIA's runtime would find
 * no driver; in a library without one, stripped.c finds the functions. Shared runtimes need none of this: names/ has
 * libraries with their names. */
#include "standin/audit/audit.h"
#include "standin/runtime/image.h"
#include "standin/runtime/stripped.h"
#include "standin/runtime/version.h"
#include "standin/runtime/wrapper.h"
#include "standin/standin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RUNTIME(name) void name(void);
#define MISSING(name, reason) void name(void);
#include "standin/runtime/runtime.def"
#undef RUNTIME
#undef MISSING

/* Sorted by name, like the rows of runtime.def. */
static const struct {
    const char *name;
    void (*function)(void);
} functions[] = {
#define RUNTIME(name) {#name, name},
#define MISSING(name, reason) {#name, name},
#include "standin/runtime/runtime.def"
#undef RUNTIME
#undef MISSING
};

/* The row of a function's name, by bisection; -1 if there is none. */
static int find(const char *name) {
    int low = 0, high = (int)(sizeof functions / sizeof *functions) - 1;
    while (low <= high) {
        const int middle = (low + high) / 2, order = strcmp(name, functions[middle].name);
        if (order == 0) return middle;
        if (order < 0)
            high = middle - 1;
        else
            low = middle + 1;
    }
    return -1;
}

#ifdef __x86_64__
/* jmp *0(%rip), followed by the address */
enum { JUMP_BYTES = 14 };
static void write_jump(unsigned char *at, void (*function)(void)) {
    static const unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0};
    memcpy(at, jump, sizeof jump);
    memcpy(at + sizeof jump, &function, sizeof function);
}
#else
/* On other processors no function is long enough, so nothing is redirected. */
enum { JUMP_BYTES = 1 << 30 };
static void write_jump(unsigned char *at, void (*function)(void)) {
    (void)at, (void)function;
}
#endif

/* The jump may reach into a second page. */
static bool make_writable(unsigned char *at, int protection) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)at & ~(page - 1);
    return mprotect((void *)from, (uintptr_t)at + JUMP_BYTES - from, protection) == 0;
}

/* Functions too short for a jump only jump to other functions. `base` is the address at which the object is loaded.
 * standin_note_static() learns the version of CUDA from the names. */
static void redirect(const ElfW(Sym) * symbol, const char *name, uintptr_t base) {
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_size < JUMP_BYTES) return;
    const int k = strncmp(name, "cuda", 4) && strncmp(name, "__cuda", 6) ? -1 : find(name);
    unsigned char *at = (unsigned char *)(base + symbol->st_value);
    standin_note_static(name);
    if (k < 0 || !make_writable(at, PROT_READ | PROT_WRITE)) return;
    write_jump(at, functions[k].function);
    make_writable(at, PROT_READ | PROT_EXEC);
}

/* A function in C++ with the name of one of the runtime's is one of its headers' wrappers, and so is what is local to
 * it. cudaLaunchKernelEx() for typed kernels wraps cudaLaunchKernelExC(). */
static void note_wrapper(const ElfW(Sym) * symbol, const char *name, uintptr_t base) {
    char plain[64] = "";
    const char *source;
    const unsigned length = standin_source_name(name, &source);
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || !length || length + 1 >= sizeof plain) return;
    memcpy(plain, source, length);
    const bool wraps = find(plain) >= 0;
    plain[length] = 'C';
    if (wraps || find(plain) >= 0) standin_note_wrapper(base + symbol->st_value, symbol->st_size);
}

static void redirect_symbol(void *context, const ElfW(Sym) * symbol, const char *name) {
    const uintptr_t base = *(const uintptr_t *)context;
    if (symbol->st_shndx == SHN_UNDEF) return;
    redirect(symbol, name, base);
    note_wrapper(symbol, name, base);
}

/* ---- files without a symbol table ---- */

static void find_registration(void *found, const ElfW(Sym) * symbol, const char *name) {
    if (symbol->st_shndx == SHN_UNDEF && strcmp(name, "__cudaRegisterFatBinary") == 0) *(bool *)found = true;
}

/* Whether there is a section with device code. */
static bool has_fat_binary(const image *m) {
    const ElfW(Ehdr) *header = (const void *)m->bytes;
    if (header->e_shstrndx >= m->section_count) return false;
    const ElfW(Shdr) *names = &m->sections[header->e_shstrndx];
    static const char name[] = ".nv_fatbin";
    for (unsigned s = 0; s < m->section_count; s++) {
        const uint64_t at = m->sections[s].sh_name;
        if (image_has(names->sh_offset, names->sh_size, m->size) && image_has(at, sizeof name, names->sh_size) &&
            memcmp(m->bytes + names->sh_offset + at, name, sizeof name) == 0)
            return true;
    }
    return false;
}

/* An image that takes __cudaRegisterFatBinary() from a library is not linked with the static runtime. */
static bool takes_registration(const image *m) {
    bool takes = false;
    image_symbols(m, SHT_DYNSYM, find_registration, &takes);
    return takes;
}

/* Without symbols the program's own runtime is not replaced, and without a driver it fails. */
static void refuse_stripped(const image *m) {
    if (takes_registration(m) || !has_fat_binary(m)) return;
    fprintf(stderr,
            "haul: the program is linked with the static CUDA runtime and stripped: keep its symbols, or build it "
            "with the shared runtime (NVCC_APPEND_FLAGS=\"-cudart shared\", in CMake "
            "CMAKE_CUDA_RUNTIME_LIBRARY=Shared)\n");
    _exit(2);
}

/* ---- the program and its libraries ---- */

/* Libraries without the runtime are left alone: other functions may have such names. */
static bool has_runtime(const image *m) {
    return image_defines(m, SHT_SYMTAB, "cudaGetDeviceCount");
}

static bool has_function(const char *name) {
    return find(name) >= 0;
}

/* A library may be stripped, as NVIDIA's own are. */
static void prepare_library(const image *m, const char *path, uintptr_t base) {
    if (has_runtime(m))
        image_symbols(m, SHT_SYMTAB, redirect_symbol, &base);
    else if (has_fat_binary(m) && !takes_registration(m))
        stripped_symbols(m, path, has_function, redirect_symbol, &base);
}

static void prepare_program(const image *m, uintptr_t base) {
    if (!image_symbols(m, SHT_SYMTAB, redirect_symbol, &base)) refuse_stripped(m);
}

static void prepare_file(const char *path, uintptr_t base, bool is_program) {
    image m;
    if (!image_map(&m, path)) return;
    if (image_read(&m)) {
        if (is_program)
            prepare_program(&m, base);
        else
            prepare_library(&m, path, base);
    }
    image_unmap(&m);
}

/* The stand-in itself defines all of these names. */
static bool is_own(uintptr_t base) {
    Dl_info info;
    return dladdr((void *)(uintptr_t)is_own, &info) && (uintptr_t)info.dli_fbase == base;
}

/* The first object is the program. */
static int prepare_object(struct dl_phdr_info *info, size_t bytes, void *count) {
    const bool is_program = (*(unsigned *)count)++ == 0;
    (void)bytes;
    if (is_program || (info->dlpi_name[0] && !is_own(info->dlpi_addr)))
        prepare_file(is_program ? "/proc/self/exe" : info->dlpi_name, info->dlpi_addr, is_program);
    return 0;
}

/* Runs before the constructors of the program's libraries: see -z initfirst. */
__attribute__((constructor)) static void redirect_program(void) {
    unsigned count = 0;
    dl_iterate_phdr(prepare_object, &count);
}

/* audit/ finds this function by its name. */
extern audit_opened haul_library_opened;
void haul_library_opened(const char *path, uintptr_t base) {
    prepare_file(path, base, false);
}
