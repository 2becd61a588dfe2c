/* Implements haul/compile.h on lib/compile.h, which compiles files: a text is written to a folder of its own. */
#include "base/file.h"
#include "base/memory.h"
#include "base/status.h"
#include "lib/compile.h"
#include "lib/device.h"

#include <haul/compile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- a text as a file ---- */

/* The compilers read the file, but messages and line information have the text's name. */
static void write_named(text *file, const char *name, const char *source) {
    text_put(file, "#line 1 \"");
    for (; *name; name++) {
        if (*name == '"' || *name == '\\') text_append(file, "\\", 1);
        text_append(file, name, 1);
    }
    text_printf(file, "\"\n%s", source);
}

/* Creates a file that ends in .cu, which the caller removes. */
static haul_status make_file(const char *name, const char *source, text *path) {
    text file = {0};
    if (strchr(name, '\n')) return haul_fail(HAUL_ERROR_ARGUMENT, "the source's name has a newline: give another name");
    text_printf(path, "%s/haul-XXXXXX.cu", file_temporary());
    if (path->failed) return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory for its source", name);
    const int descriptor = mkstemps(path->bytes, (int)strlen(".cu"));
    if (descriptor < 0) {
        path->bytes[0] = '\0'; /* nothing to remove */
        return haul_fail(HAUL_ERROR_FILE,
                         "%s: no temporary file for its source: set TMPDIR to a folder that can be written", name);
    }
    close(descriptor);
    write_named(&file, name, source);
    const haul_status status = file_write(path->bytes, &file);
    text_free(&file);
    return status;
}

/* ---- compiling ---- */

/* The options, with the folder of the text's name in front of the folders to include. The strings are the caller's. */
static haul_status with_folder(const char *name, compile_options *options, text *folder, const char ***flags) {
    const char *slash = strrchr(name, '/');
    if (slash)
        text_append(folder, name, (size_t)(slash - name + 1));
    else
        text_put(folder, ".");
    *flags = memory_zeroed(options->flag_count + 2, sizeof **flags);
    if (!*flags || folder->failed)
        return haul_fail(HAUL_ERROR_OUT_OF_MEMORY, "%s: no memory to start the compiler", name);
    (*flags)[0] = "-I";
    (*flags)[1] = text_string(folder);
    for (size_t i = 0; i < options->flag_count; i++) (*flags)[2 + i] = options->flags[i];
    options->flags = *flags;
    options->flag_count += 2;
    return HAUL_OK;
}

/* The message then names the text rather than its file. */
static haul_status name_text(haul_status status, const char *name, const char *path) {
    const size_t length = strlen(path);
    if (status == HAUL_OK || !length || strncmp(haul_message(), path, length) != 0) return status;
    return haul_fail(status, "%s%s", name, haul_message() + length);
}

static haul_status compile_text(const char *name, const char *source, compile_options options, text *ptx,
                                text *messages) {
    text path = {0}, folder = {0};
    const char **flags = NULL;
    haul_status status = make_file(name, source, &path);
    if (status == HAUL_OK) status = with_folder(name, &options, &folder, &flags);
    if (status == HAUL_OK) status = compile_source(text_string(&path), &options, ptx, messages);
    status = name_text(status, name, text_string(&path));
    if (path.length && path.bytes[0]) unlink(path.bytes);
    memory_free((void *)flags);
    text_free(&folder);
    text_free(&path);
    return status;
}

static haul_status compile_any(const char *name, const char *source, const haul_compile_options *o, text *ptx,
                               text *messages) {
    compile_options options = {0};
    if (!name) return haul_fail(HAUL_ERROR_ARGUMENT, "compile: name is NULL: give the file, or a name for the text");
    if (o) options = (compile_options){o->compiler, o->architecture, o->flags, o->flag_count, o->separate};
    return source ? compile_text(name, source, options, ptx, messages) : compile_source(name, &options, ptx, messages);
}

haul_status haul_compile(const char *name, const char *source, const haul_compile_options *options,
                         haul_compilation *result) {
    text ptx = {0}, messages = {0};
    if (!result) return haul_fail(HAUL_ERROR_ARGUMENT, "haul_compile: result is NULL");
    const haul_status status = compile_any(name, source, options, &ptx, &messages);
    if (status != HAUL_OK) text_free(&ptx);
    if (!messages.length) text_free(&messages);
    *result =
        (haul_compilation){status == HAUL_OK ? ptx.bytes : NULL, status == HAUL_OK ? ptx.length : 0, messages.bytes};
    return status;
}

void haul_compilation_free(haul_compilation *result) {
    if (!result) return;
    memory_free(result->ptx);
    memory_free(result->messages);
    *result = (haul_compilation){0};
}

/* Adds the compiler's first error to the message, which says only that the source does not compile. */
static haul_status say_first_error(haul_status status, const char *messages) {
    const char *error = messages ? strstr(messages, "error") : NULL;
    if (status != HAUL_ERROR_COMPILER || !error) return status;
    while (error > messages && error[-1] != '\n') error--;
    char before[512];
    snprintf(before, sizeof before, "%s", haul_message());
    return haul_fail(status, "%s: %.*s", before, (int)strcspn(error, "\n"), error);
}

haul_status haul_module_compile(haul_device *device, const char *name, const char *source,
                                const haul_compile_options *options, haul_module **module) {
    haul_compile_options chosen = options ? *options : (haul_compile_options){0};
    haul_compilation result = {0};
    char architecture[32];
    if (!device || !module) return haul_fail(HAUL_ERROR_ARGUMENT, "haul_module_compile: device or module is NULL");
    snprintf(architecture, sizeof architecture, "sm_%u", haul_device_architecture(device));
    if (!chosen.architecture) chosen.architecture = architecture;
    haul_status status = haul_compile(name, source, &chosen, &result);
    if (status == HAUL_OK)
        status = haul_module_load(device, name, result.ptx, result.ptx_length, module);
    else
        status = say_first_error(status, result.messages);
    haul_compilation_free(&result);
    return status;
}
