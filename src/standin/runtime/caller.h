/* The place in the program where a call of the runtime or the driver was made. */
#ifndef HAUL_STANDIN_RUNTIME_CALLER_H
#define HAUL_STANDIN_RUNTIME_CALLER_H

#include "base/text.h"

#include <stdint.h>

typedef struct standin_caller {
    const void *address;  /* return address of the call; NULL: not known */
    const char *function; /* the called function of the runtime or the driver; NULL: not known */
} standin_caller;

/* The call that the thread is in. A kernel<<<...>>> is launched by a function of its own, whose place would say
 * nothing: it has the place of the <<<...>>>. */
standin_caller standin_caller_now(void);
/* The place of the kernel<<<...>>> whose launch the thread has begun; NULL for other calls. */
const void *standin_launching(void);
/* Whether the address is in the program itself, not in a library. */
bool standin_is_program(const void *address);
/* Finds the line of the call that returns to the address: appends the path of its file. False if it is unknown. */
bool standin_find_line(const void *address, text *file, uint32_t *line);
/* Appends "main.cu:57, in run()", as far as the program's debug information and symbols tell; else "./program +
 * 0x1234". */
void standin_put_place(const void *address, text *out);

#endif
