/* NVIDIA's static runtime in libraries without a symbol table. */
#ifndef HAUL_STANDIN_RUNTIME_STRIPPED_H
#define HAUL_STANDIN_RUNTIME_STRIPPED_H

#include "standin/runtime/image.h"

/* Whether the stand-in has a function of that name. */
typedef bool stripped_wants(const char *name);

/* Finds the functions of the static runtime in the library at `path`, by the libcudart_static.a of its toolkit. Visits
 * those that are wanted, with their addresses in the library as values. Returns whether it found them. */
bool stripped_symbols(const image *library, const char *path, stripped_wants *wants, image_visitor *visitor,
                      void *context);

#endif
