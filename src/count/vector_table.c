/* This variant's functions of counting. */
#include "count/vector_names.h"

extern const sim_vectors SIM_PASTE(sim_vectors, SIM_VARIANT);

const sim_vectors SIM_PASTE(sim_vectors, SIM_VARIANT) = {
    .bank_pass = SIM_BANK_PASS,
    .coalesce = SIM_COALESCE,
    .tag_wavefronts = SIM_TAG_WAVEFRONTS,
    .find_log_places = SIM_FIND_LOG_PLACES,
    .l2_play = SIM_L2_PLAY,
};
