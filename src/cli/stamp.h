/* The stamp of a report: where and how its numbers were made. */
#ifndef HAUL_CLI_STAMP_H
#define HAUL_CLI_STAMP_H

#include "base/text.h"
#include "report/document.h"

#include <haul/haul.h>

/* Adds device, driver, date, version and the command as facts. */
void cli_stamp(report_document *d, const haul_device *device, int argc, char **argv);

/* The command as it was typed, as far as it is known: "haul bench copy". */
void cli_put_command(text *out, int argc, char **argv);

#endif
