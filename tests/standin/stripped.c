/* Opens the library that its argument names, and prints how many devices that library's runtime has. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int (*count)(void) = NULL;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL,
         *found = library ? dlsym(library, "devices_by_library") : NULL;
    if (!found) {
        fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "which library?");
        return 1;
    }
    memcpy(&count, &found, sizeof count);
    printf("%d\n", count());
    return 0;
}
