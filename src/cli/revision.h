/* A git revision of the user's files, in a temporary folder. */
#ifndef HAUL_CLI_REVISION_H
#define HAUL_CLI_REVISION_H

#include "base/arena.h"
#include "base/text.h"

#include <haul/status.h>
#include <stdbool.h>

typedef struct cli_revision {
    const char *name; /* as given: "HEAD~1" */
    text top;         /* the root of the working tree */
    text folder;      /* the temporary folder; empty: none */
    text tree;        /* the revision's files, in it */
    text git, env;    /* the programs' paths */
} cli_revision;

/* Writes all files of the revision of the repository that has `path`. Submodules are those of the working tree. Call
 * cli_revision_close() also after an error. Errors: HAUL_ERROR_ARGUMENT (no repository, no such revision),
 * HAUL_ERROR_FILE. */
haul_status cli_revision_open(cli_revision *r, const char *name, const char *path);
/* The path of the revision's file or folder for one of the working tree; NULL if the revision has none, or it lies
 * outside the repository, or there is no memory. */
const char *cli_revision_path(const cli_revision *r, const char *path, arena *memory);
void cli_revision_close(cli_revision *r);

#endif
