/* What becomes of a report: files in the folder of --out, and standard output. */
#ifndef HAUL_CLI_PUBLISH_H
#define HAUL_CLI_PUBLISH_H

#include "cli/options.h"
#include "report/document.h"

/* Makes the folder, unless it is there and can be written to. What takes long does so before it begins. Errors:
 * HAUL_ERROR_FILE. */
haul_status cli_make_folder(const char *folder);
/* Writes FOLDER/NAME. Errors as file_write()'s. */
haul_status cli_save(const char *folder, const char *name, const text *content);

/* Into the folder, made if it is not there: NAME.json, report.html with charts, and each table as
 * tables/SECTION-TABLE.csv (the second of a name with -2), NAME being the document's. */
haul_status cli_save_document(const char *folder, const report_document *d);
/* FOLDER/NAME.svg. */
haul_status cli_save_chart(const char *folder, const char *name, const report_chart *chart);

/* Appends what standard output is to have: JSON with --json; else text, unless --quiet. */
haul_status cli_put_document(const report_document *d, const cli_values *values, text *out);

/* Prints and empties the text. Errors as file_write()'s. */
haul_status cli_print(text *out);

#endif
