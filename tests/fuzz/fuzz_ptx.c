/* Any bytes as PTX: an error message or a module; what a module prints as must parse and print the same, and its
 * kernels flatten or say why not. */
#include "base/status.h"
#include "ptx/inline.h"
#include "ptx/print.h"

#include <stdlib.h>
#include <string.h>

static void require(int condition) {
    if (!condition) abort();
}

static void print_twice(const ptx_module *module) {
    text first = {0}, second = {0};
    ptx_module *again;
    ptx_print_module(module, &first);
    require(ptx_module_parse("printed", text_string(&first), first.length, &again) == HAUL_OK);
    ptx_print_module(again, &second);
    require(strcmp(text_string(&first), text_string(&second)) == 0);
    ptx_module_free(again);
    text_free(&first);
    text_free(&second);
}

static void flatten(ptx_module *module) {
    for (size_t f = 0; f < module->function_count; f++) {
        ptx_function *flat;
        if (!module->functions[f]->is_entry) continue;
        if (ptx_inline_calls(module, module->functions[f], &flat) == HAUL_OK)
            require(ptx_verify(module, flat) == HAUL_OK);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ptx_module *module;
    if (ptx_module_parse("fuzz.ptx", (const char *)data, size, &module) != HAUL_OK) {
        require(*haul_message() != '\0');
        return 0;
    }
    print_twice(module);
    flatten(module);
    ptx_module_free(module);
    return 0;
}
