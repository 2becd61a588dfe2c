/* Launches of a session, shared out among the ranks of an MPI program.
 *
 * Each rank has a session of its own. Ranks run launches in rounds; rank 0 gets their outcomes as bytes, and takes them
 * in the order of launches, so that what it prints is what one process prints. Launches that may depend on earlier
 * ones, by variables of their module or the device's heap, run on rank 0, in order. */
#ifndef HAUL_CLI_SHARED_H
#define HAUL_CLI_SHARED_H

#include "base/pack.h"
#include "cli/session.h"

#include <haul/ranks.h>

/* Runs a launch and packs the outcome, whatever it is. */
typedef haul_status cli_shared_work(void *context, launch_description *launch, text *packed);

typedef struct cli_shared {
    haul_ranks *ranks;
    cli_session *session;
    cli_shared_work *work;
    void *context;
    size_t begin, end;     /* launches of the present round */
    bool over;             /* no further round comes: all ranks know */
    text own;              /* this rank's outcomes of the round */
    char **received;       /* rank 0: those of each rank */
    pack_reader *outcomes; /* rank 0: of each launch of the round */
    arena memory;          /* of the outcome that was taken last */
} cli_shared;

/* All ranks call it when they have opened their sessions, or could not, with that status. Errors: those of any rank.
 * Close it also after an error. */
haul_status cli_shared_open(cli_shared *s, haul_ranks *ranks, cli_session *session, cli_shared_work *work,
                            void *context, haul_status status);
/* Tells the other ranks that no further round comes. */
void cli_shared_close(cli_shared *s);
/* Whether there are several ranks. */
bool cli_shared_is_needed(const cli_shared *s);
/* Ranks but 0: runs launches until rank 0 has closed. Errors: those on which the ranks agreed. */
haul_status cli_shared_serve(cli_shared *s);
/* Rank 0: the outcome of the launch, which must be the next one. */
haul_status cli_shared_take(cli_shared *s, size_t launch, pack_reader **outcome);

/* Whether the launch may depend on earlier ones. */
bool cli_shared_is_bound(cli_session *session, launch_description *launch);

/* A failure with its message, packed and unpacked. */
void cli_pack_status(text *out, haul_status status);
haul_status cli_unpack_status(pack_reader *r, arena *memory);

/* cli_session_run() as the work, and its outcome: the record, and hashes of what the kernel left. */
haul_status cli_shared_pack_run(void *session, launch_description *launch, text *packed);
/* In place of cli_session_run(), on rank 0 or alone. */
haul_status cli_shared_run(cli_shared *s, launch_description *launch, const haul_launch_record **record);

/* Opens the ranks' device for launches. Errors: HAUL_ERROR_ARGUMENT for a real GPU if there are several ranks. */
haul_status cli_shared_device(const haul_ranks *ranks, const char *asked, char device[256]);
/* The options of its virtual GPU: those of the command line, with a share of the machine's cores. */
haul_device_options cli_shared_options(const haul_ranks *ranks, const cli_values *values);

#endif
