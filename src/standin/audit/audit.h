/* The interface between the stand-in and the library that watches the loader. */
#ifndef HAUL_STANDIN_AUDIT_AUDIT_H
#define HAUL_STANDIN_AUDIT_AUDIT_H

#include <stdint.h>

#define AUDIT_FOLDER "HAUL_STANDIN_FOLDER" /* where the stand-in's libraries are */
#define AUDIT_STANDIN "libhaul_standin.so"
#define AUDIT_OPENED "haul_library_opened" /* the stand-in's function for libraries that are opened later */

/* Called when a library is mapped, before any of its code has run. */
typedef void audit_opened(const char *path, uintptr_t base);

#endif
