/* Input and output: the host's header where there is one; device code has printf() without it. */
#ifndef HAUL_TOOLCHAIN_STDIO_H
#define HAUL_TOOLCHAIN_STDIO_H

#if __has_include_next(<stdio.h>)
#include_next <stdio.h>
#else
#include <stdarg.h>
#include <stddef.h>

typedef struct haul_tc_file FILE;

#if defined(__cplusplus)
extern "C" {
#endif
extern FILE *stdin, *stdout, *stderr;
int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int fprintf(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));
int snprintf(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
int vprintf(const char *format, va_list arguments);
int vfprintf(FILE *file, const char *format, va_list arguments);
int vsnprintf(char *text, size_t size, const char *format, va_list arguments);
int puts(const char *text);
int putchar(int character);
int fputs(const char *text, FILE *file);
int fflush(FILE *file);
FILE *fopen(const char *path, const char *mode);
int fclose(FILE *file);
size_t fread(void *to, size_t size, size_t count, FILE *file);
size_t fwrite(const void *from, size_t size, size_t count, FILE *file);
void perror(const char *what);
#if defined(__cplusplus)
}
#endif
#endif

#endif
