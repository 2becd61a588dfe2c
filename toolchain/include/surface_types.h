/* Its types are in texture_types.h. */
#include "texture_types.h"
