/* The source files of kernels, found as the command line says. */
#ifndef HAUL_CLI_SOURCES_H
#define HAUL_CLI_SOURCES_H

#include "cli/session.h"
#include "report/source.h"

typedef struct cli_sources {
    report_sources files;
    char **folders; /* --source, then the kernels' folders */
    size_t folder_count;
} cli_sources;

/* Call cli_sources_close() also after an error. */
haul_status cli_sources_open(cli_sources *s, const cli_values *values, const cli_session *session);
void cli_sources_close(cli_sources *s);

#endif
