/* Replaces the static runtime. Programs and libraries linked with libcudart_static.a, nvcc's default, contain
 * NVIDIA's runtime. If they have a symbol table, its functions are found there, and each is overwritten with a jump
 * to haul's before their own code runs. audit/ reports libraries that the program opens later.
 *
 * The loader does not map symbol tables (.symtab), so the file is mapped a second time and searched. All offsets in
 * it are checked against its size, since any file may be opened as a library. A program without a symbol table that
 * contains device code is refused with a message, as NVIDIA's runtime would find no driver. Shared runtimes need
 * none of this: names/ has libraries with their names. */
#include "standin/audit/audit.h"
#include "standin/runtime/version.h"
#include "standin/standin.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define RUNTIME(name) void name(void);
#define MISSING(name) void name(void);
#include "standin/runtime/runtime.def"
#undef RUNTIME
#undef MISSING

/* Sorted by name, like the rows of runtime.def. */
static const struct {
    const char *name;
    void (*function)(void);
} functions[] = {
#define RUNTIME(name) {#name, name},
#define MISSING(name) {#name, name},
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

/* Whether a part of a file lies in it; written so that no sum overflows. */
static bool lies_within(uint64_t offset, uint64_t bytes, uint64_t file_bytes) {
    return offset <= file_bytes && bytes <= file_bytes - offset;
}

/* A mapped file, if it is an ELF file for this machine. */
typedef struct image {
    const unsigned char *bytes;
    uint64_t size;
    const ElfW(Shdr) * sections;
    unsigned section_count;
} image;

/* False unless it is an ELF file whose section headers lie in the file. */
static bool read_image(image *m) {
    const ElfW(Ehdr) *header = (const void *)m->bytes;
    if (m->size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return false;
    if (!lies_within(header->e_shoff, (uint64_t)header->e_shnum * sizeof(ElfW(Shdr)), m->size)) return false;
    m->sections = (const void *)(m->bytes + header->e_shoff);
    m->section_count = header->e_shnum;
    return true;
}

/* The names of a symbol table; NULL if there are none, or they lie outside the file. The last byte must be NUL, so
 * that every name ends. */
static const char *names_of(const image *m, const ElfW(Shdr) * table, uint64_t *bytes) {
    if (table->sh_link >= m->section_count || !lies_within(table->sh_offset, table->sh_size, m->size)) return NULL;
    const ElfW(Shdr) *names = &m->sections[table->sh_link];
    if (!names->sh_size || !lies_within(names->sh_offset, names->sh_size, m->size)) return NULL;
    *bytes = names->sh_size;
    return m->bytes[names->sh_offset + names->sh_size - 1] ? NULL : (const char *)m->bytes + names->sh_offset;
}

typedef void visit(void *context, const ElfW(Sym) * symbol, const char *name);

/* Visits the symbols of the tables of a type. Returns whether there is such a table. */
static bool visit_symbols(const image *m, unsigned type, visit *visitor, void *context) {
    bool any = false;
    for (unsigned s = 0; s < m->section_count; s++) {
        uint64_t bytes;
        const ElfW(Shdr) *table = &m->sections[s];
        const char *names = table->sh_type == type ? names_of(m, table, &bytes) : NULL;
        if (!names) continue;
        any = true;
        const ElfW(Sym) *symbols = (const void *)(m->bytes + table->sh_offset);
        for (uint64_t i = 0; i < table->sh_size / sizeof *symbols; i++)
            if (symbols[i].st_name < bytes) visitor(context, &symbols[i], names + symbols[i].st_name);
    }
    return any;
}

static void redirect_symbol(void *context, const ElfW(Sym) * symbol, const char *name) {
    if (symbol->st_shndx != SHN_UNDEF) redirect(symbol, name, *(const uintptr_t *)context);
}

/* ---- programs that cannot be redirected ---- */

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
        if (lies_within(names->sh_offset, names->sh_size, m->size) && lies_within(at, sizeof name, names->sh_size) &&
            memcmp(m->bytes + names->sh_offset + at, name, sizeof name) == 0)
            return true;
    }
    return false;
}

/* Without symbols the program's own runtime cannot be found, and without a driver it fails. A program that takes
 * __cudaRegisterFatBinary() from a library is not linked with the static runtime. */
static void refuse_stripped(const image *m) {
    bool is_shared = false;
    visit_symbols(m, SHT_DYNSYM, find_registration, &is_shared);
    if (is_shared || !has_fat_binary(m)) return;
    fprintf(stderr,
            "haul: the program is linked with the static CUDA runtime and stripped: keep its symbols, or build it "
            "with the shared runtime (NVCC_APPEND_FLAGS=\"-cudart shared\", in CMake "
            "CMAKE_CUDA_RUNTIME_LIBRARY=Shared)\n");
    _exit(2);
}

/* ---- the program and its libraries ---- */

static void find_runtime(void *found, const ElfW(Sym) * symbol, const char *name) {
    if (symbol->st_shndx != SHN_UNDEF && strcmp(name, "cudaGetDeviceCount") == 0) *(bool *)found = true;
}

/* Libraries without the runtime are left alone: other functions may have such names. */
static bool has_runtime(const image *m) {
    bool found = false;
    visit_symbols(m, SHT_SYMTAB, find_runtime, &found);
    return found;
}

/* A library may be stripped, as NVIDIA's own are; its use of its runtime is not haul's concern. */
static void prepare(const image *m, uintptr_t base, bool is_program) {
    if (!is_program && !has_runtime(m)) return;
    if (!visit_symbols(m, SHT_SYMTAB, redirect_symbol, &base) && is_program) refuse_stripped(m);
}

static void prepare_file(const char *path, uintptr_t base, bool is_program) {
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            image m = {.bytes = bytes, .size = (uint64_t)status.st_size};
            if (read_image(&m)) prepare(&m, base, is_program);
            munmap(bytes, (size_t)status.st_size);
        }
    }
    close(file);
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
