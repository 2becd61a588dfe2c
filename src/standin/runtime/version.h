/* The version of the CUDA runtime that the program was made for. */
#ifndef HAUL_STANDIN_RUNTIME_VERSION_H
#define HAUL_STANDIN_RUNTIME_VERSION_H

/* 11, 12 or 13, by the shared runtime that the program asks for, or by the functions of the static one in it; where
 * neither says so, 13. */
int standin_cuda_version(void);
/* The program has a function of that name of the static runtime. */
void standin_note_static(const char *name);

#endif
