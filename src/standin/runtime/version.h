/* The version of the CUDA runtime that the program was made for. */
#ifndef HAUL_STANDIN_RUNTIME_VERSION_H
#define HAUL_STANDIN_RUNTIME_VERSION_H

/* 11, 12 or 13, from the shared runtime that the program loads, or from the functions of its static one; 13 if neither
 * tells. */
int standin_cuda_version(void);
/* Notes that the program has a function of that name of the static runtime. */
void standin_note_static(const char *name);

#endif
