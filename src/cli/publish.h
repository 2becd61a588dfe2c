/* Output of a report: files in the folder of --out, and standard output. */
#ifndef HAUL_CLI_PUBLISH_H
#define HAUL_CLI_PUBLISH_H

#include "cli/options.h"
#include "report/document.h"

/* Creates the folder, unless it exists and is writable. Long commands call it before they begin. Errors:
 * HAUL_ERROR_FILE. */
haul_status cli_make_folder(const char *folder);
/* Writes FOLDER/NAME. Errors: those of file_write(). */
haul_status cli_save(const char *folder, const char *name, const text *content);

/* Writes to the folder, creating it if needed: NAME.json, report.html with charts, and each table as
 * tables/SECTION-TABLE.csv (the second of one name with -2). NAME is the document's. */
haul_status cli_save_document(const char *folder, const report_document *d);
/* Writes FOLDER/NAME.svg. */
haul_status cli_save_chart(const char *folder, const char *name, const report_chart *chart);

/* Appends the text for standard output: JSON with --json; else text, unless --quiet. */
haul_status cli_put_document(const report_document *d, const cli_values *values, text *out);

/* Checks the options of --csv, also of programs. Prints a note on standard error on metrics that haul does not have.
 * Errors: HAUL_ERROR_ARGUMENT. */
haul_status cli_check_csv(const cli_values *values);

/* Prints and empties the text. Errors: those of file_write(). */
haul_status cli_print(text *out);

#endif
