"""Declarations of libhaul for ctypes. Made by tools/gen-api from include/haul: do not edit."""
from ctypes import (POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int16, c_int32, c_int64, c_int8, c_size_t, c_uint, c_uint16, c_uint32, c_uint64, c_uint8, c_void_p)

VERSION = "0.1.0"

HAUL_OK = 0
HAUL_ERROR_ARGUMENT = 100
HAUL_ERROR_SYNTAX = 101
HAUL_ERROR_UNSUPPORTED = 102
HAUL_ERROR_NOT_FOUND = 103
HAUL_ERROR_LIMIT = 104
HAUL_ERROR_CANCELLED = 105
HAUL_ERROR_OUT_OF_MEMORY = 200
HAUL_ERROR_FILE = 201
HAUL_ERROR_NO_DEVICE = 202
HAUL_ERROR_COMPILER = 203
HAUL_ERROR_FAULT = 300
HAUL_ERROR_TRAP = 301
HAUL_ERROR_TIMEOUT = 302
HAUL_ERROR_DEADLOCK = 303
HAUL_ERROR_DRIVER = 400
HAUL_ERROR_INTERNAL = 401
HAUL_COUNTER_INST_EXECUTED = 0
HAUL_COUNTER_THREAD_INST_EXECUTED = 1
HAUL_COUNTER_INST_GLOBAL_LD = 2
HAUL_COUNTER_INST_GLOBAL_ST = 3
HAUL_COUNTER_INST_GLOBAL_RED = 4
HAUL_COUNTER_INST_GLOBAL_ATOM = 5
HAUL_COUNTER_INST_LOCAL_LD = 6
HAUL_COUNTER_INST_LOCAL_ST = 7
HAUL_COUNTER_INST_SHARED_LD = 8
HAUL_COUNTER_INST_SHARED_ST = 9
HAUL_COUNTER_INST_SHARED_ATOM = 10
HAUL_COUNTER_INST_LDGSTS = 11
HAUL_COUNTER_INST_LDGSTS_ACCESS = 12
HAUL_COUNTER_INST_LDGSTS_BYPASS = 13
HAUL_COUNTER_INST_TMA_LD = 14
HAUL_COUNTER_INST_TMA_ST = 15
HAUL_COUNTER_INST_TEXTURE = 16
HAUL_COUNTER_INST_SURFACE_LD = 17
HAUL_COUNTER_INST_SURFACE_ST = 18
HAUL_COUNTER_INST_SURFACE_RED = 19
HAUL_COUNTER_L1_GLOBAL_LD_REQUESTS = 20
HAUL_COUNTER_L1_GLOBAL_LD_SECTORS = 21
HAUL_COUNTER_L1_GLOBAL_LD_WAVEFRONTS = 22
HAUL_COUNTER_L1_GLOBAL_LD_HIT = 23
HAUL_COUNTER_L1_GLOBAL_LD_MISS = 24
HAUL_COUNTER_L1_GLOBAL_ST_REQUESTS = 25
HAUL_COUNTER_L1_GLOBAL_ST_SECTORS = 26
HAUL_COUNTER_L1_GLOBAL_ST_WAVEFRONTS = 27
HAUL_COUNTER_L1_GLOBAL_ST_HIT = 28
HAUL_COUNTER_L1_GLOBAL_ST_MISS = 29
HAUL_COUNTER_L1_GLOBAL_RED_REQUESTS = 30
HAUL_COUNTER_L1_GLOBAL_RED_SECTORS = 31
HAUL_COUNTER_L1_GLOBAL_RED_WAVEFRONTS = 32
HAUL_COUNTER_L1_GLOBAL_ATOM_REQUESTS = 33
HAUL_COUNTER_L1_GLOBAL_ATOM_SECTORS = 34
HAUL_COUNTER_L1_LOCAL_LD_REQUESTS = 35
HAUL_COUNTER_L1_LOCAL_LD_SECTORS = 36
HAUL_COUNTER_L1_LOCAL_LD_HIT = 37
HAUL_COUNTER_L1_LOCAL_ST_REQUESTS = 38
HAUL_COUNTER_L1_LOCAL_ST_SECTORS = 39
HAUL_COUNTER_L1_TEXTURE_REQUESTS = 40
HAUL_COUNTER_L1_TEXTURE_SECTORS = 41
HAUL_COUNTER_L1_TEXTURE_WAVEFRONTS = 42
HAUL_COUNTER_L1_TEXTURE_HIT = 43
HAUL_COUNTER_L1_TEXTURE_MISS = 44
HAUL_COUNTER_L1_SURFACE_LD_REQUESTS = 45
HAUL_COUNTER_L1_SURFACE_LD_SECTORS = 46
HAUL_COUNTER_L1_SURFACE_LD_HIT = 47
HAUL_COUNTER_L1_SURFACE_ST_REQUESTS = 48
HAUL_COUNTER_L1_SURFACE_ST_SECTORS = 49
HAUL_COUNTER_L1_SURFACE_RED_REQUESTS = 50
HAUL_COUNTER_L1_SURFACE_RED_SECTORS = 51
HAUL_COUNTER_SHARED_LD_WAVEFRONTS = 52
HAUL_COUNTER_SHARED_ST_WAVEFRONTS = 53
HAUL_COUNTER_SHARED_ATOM_WAVEFRONTS = 54
HAUL_COUNTER_SHARED_LD_CONFLICTS = 55
HAUL_COUNTER_SHARED_ST_CONFLICTS = 56
HAUL_COUNTER_SHARED_ATOM_CONFLICTS = 57
HAUL_COUNTER_SHARED_LDGSTS_WAVEFRONTS = 58
HAUL_COUNTER_SHARED_LDGSTS_CONFLICTS = 59
HAUL_COUNTER_INST_LDC = 60
HAUL_COUNTER_CONSTANT_REQUESTS = 61
HAUL_COUNTER_CONSTANT_HIT = 62
HAUL_COUNTER_CONSTANT_MISS = 63
HAUL_COUNTER_LDGSTS_ACCESS_REQUESTS = 64
HAUL_COUNTER_LDGSTS_BYPASS_REQUESTS = 65
HAUL_COUNTER_LDGSTS_ACCESS_SECTORS = 66
HAUL_COUNTER_LDGSTS_BYPASS_SECTORS = 67
HAUL_COUNTER_TMA_LD_SECTORS = 68
HAUL_COUNTER_TMA_ST_SECTORS = 69
HAUL_COUNTER_L2_READ_REQUESTS = 70
HAUL_COUNTER_L2_READ_SECTORS = 71
HAUL_COUNTER_L2_READ_HIT = 72
HAUL_COUNTER_L2_READ_MISS = 73
HAUL_COUNTER_L2_WRITE_REQUESTS = 74
HAUL_COUNTER_L2_WRITE_SECTORS = 75
HAUL_COUNTER_L2_RED_REQUESTS = 76
HAUL_COUNTER_L2_RED_SECTORS = 77
HAUL_COUNTER_L2_ATOM_SECTORS = 78
HAUL_COUNTER_L2_CODE_SECTORS = 79
HAUL_COUNTER_DRAM_READ_SECTORS = 80
HAUL_COUNTER_DRAM_WRITE_SECTORS = 81
HAUL_COUNTER_NVLINK_READ_BYTES = 82
HAUL_COUNTER_NVLINK_WRITE_BYTES = 83
HAUL_COUNTER_COUNT = 84
HAUL_COUNTER_EXACT = 0
HAUL_COUNTER_CLOSE = 1
HAUL_COUNTER_INFO = 2
HAUL_CLASS_NONE = 0
HAUL_CLASS_GLOBAL_LOAD = 1
HAUL_CLASS_GLOBAL_STORE = 2
HAUL_CLASS_GLOBAL_ATOMIC = 3
HAUL_CLASS_GLOBAL_REDUCTION = 4
HAUL_CLASS_LOCAL_LOAD = 5
HAUL_CLASS_LOCAL_STORE = 6
HAUL_CLASS_SHARED_LOAD = 7
HAUL_CLASS_SHARED_STORE = 8
HAUL_CLASS_SHARED_ATOMIC = 9
HAUL_CLASS_LDGSTS_ACCESS = 10
HAUL_CLASS_LDGSTS_BYPASS = 11
HAUL_CLASS_BULK_LOAD = 12
HAUL_CLASS_BULK_STORE = 13
HAUL_CLASS_TEXTURE = 14
HAUL_CLASS_SURFACE_LOAD = 15
HAUL_CLASS_SURFACE_STORE = 16
HAUL_CLASS_SURFACE_REDUCTION = 17
HAUL_CLASS_CONSTANT_LOAD = 18
HAUL_CLASS_COUNT = 19
HAUL_ARGUMENT_BUFFER = 0
HAUL_ARGUMENT_I32 = 1
HAUL_ARGUMENT_I64 = 2
HAUL_ARGUMENT_F32 = 3
HAUL_ARGUMENT_F64 = 4
HAUL_ARGUMENT_BYTES = 5
HAUL_ARGUMENT_I8 = 6
HAUL_ARGUMENT_I16 = 7
HAUL_STALL_SELECTED = 0
HAUL_STALL_WAIT = 1
HAUL_STALL_LONG_SCOREBOARD = 2
HAUL_STALL_SHORT_SCOREBOARD = 3
HAUL_STALL_LG_THROTTLE = 4
HAUL_STALL_MIO_THROTTLE = 5
HAUL_STALL_TEX_THROTTLE = 6
HAUL_STALL_IMC_MISS = 7
HAUL_STALL_NO_INSTRUCTION = 8
HAUL_STALL_BRANCH_RESOLVING = 9
HAUL_STALL_DISPATCH_STALL = 10
HAUL_STALL_MEMBAR = 11
HAUL_STALL_BARRIER = 12
HAUL_STALL_NOT_SELECTED = 13
HAUL_STALL_MATH_PIPE = 14
HAUL_STALL_DRAIN = 15
HAUL_STALL_COUNT = 16
HAUL_FINDING_RACE_SHARED = 0
HAUL_FINDING_RACE_GLOBAL = 1
HAUL_FINDING_RACE_SAME_VALUE = 2
HAUL_FINDING_RACE_PEERS = 3
HAUL_FINDING_SCOPE_TOO_NARROW = 4
HAUL_FINDING_RACE_STREAMS = 5
HAUL_FINDING_RACE_HOST = 6
HAUL_FINDING_COPY_OVERLAPS = 7
HAUL_FINDING_NOT_RELEASED = 8
HAUL_FINDING_ASYNC_READ_BEFORE_WAIT = 9
HAUL_FINDING_ASYNC_SOURCE_OVERWRITTEN = 10
HAUL_FINDING_MISSING_PROXY_FENCE = 11
HAUL_FINDING_MISSING_COMMIT = 12
HAUL_FINDING_COMMIT_DIVERGENT = 13
HAUL_FINDING_MATRIX_BEFORE_WAIT = 14
HAUL_FINDING_TENSOR_MEMORY_BEFORE_WAIT = 15
HAUL_FINDING_TENSOR_MEMORY_KEPT = 16
HAUL_FINDING_SCHEDULE_DEPENDENT_RESULT = 17
HAUL_FINDING_BARRIER_DIVERGENCE = 18
HAUL_FINDING_BARRIER_MISUSE = 19
HAUL_FINDING_DEADLOCK = 20
HAUL_FINDING_MBARRIER_MISUSE = 21
HAUL_FINDING_WARPGROUP_DIVERGENCE = 22
HAUL_FINDING_SHUFFLE_MASK = 23
HAUL_FINDING_MISALIGNED = 24
HAUL_FINDING_OUT_OF_BOUNDS = 25
HAUL_FINDING_USE_AFTER_FREE = 26
HAUL_FINDING_BAD_FREE = 27
HAUL_FINDING_LEAK = 28
HAUL_FINDING_UNINITIALISED_READ = 29
HAUL_FINDING_TEXTURE_STALE = 30
HAUL_FINDING_TEXTURE_RANGE = 31
HAUL_FINDING_STACK_OVERFLOW = 32
HAUL_FINDING_ILLEGAL_ACCESS = 33
HAUL_FINDING_TRAP = 34
HAUL_FINDING_LAUNCH_LIMIT = 35
HAUL_FINDING_COUNT = 36
HAUL_GRADE_ERROR = 0
HAUL_GRADE_WARNING = 1
HAUL_GRADE_ADVICE = 2
HAUL_ACTION_NONE = 0
HAUL_ACTION_READ = 1
HAUL_ACTION_WRITE = 2
HAUL_ACTION_ATOMIC = 3
HAUL_ACTION_ASYNC_READ = 4
HAUL_ACTION_ASYNC_WRITE = 5
HAUL_ACTION_SYNC = 6
HAUL_ACTION_ALLOCATE = 7
HAUL_ACTION_FREE = 8
HAUL_ACTION_COUNT = 9
HAUL_SPACE_NONE = 0
HAUL_SPACE_GLOBAL = 1
HAUL_SPACE_SHARED = 2
HAUL_SPACE_LOCAL = 3
HAUL_SPACE_PARAM = 4
HAUL_SPACE_COUNT = 5
HAUL_SIMULATED = 0
HAUL_MEASURED = 1
HAUL_REPLAYED = 2
HAUL_SCHEDULE_IN_ORDER = 0
HAUL_SCHEDULE_REVERSED = 1
HAUL_SCHEDULE_RANDOM = 2
HAUL_COMPLETION_AT_WAIT = 0
HAUL_COMPLETION_LATE = 1
HAUL_COMPLETION_EARLY = 2
HAUL_COMPLETION_SWAPPED = 3
HAUL_COMPLETION_RANDOM = 4
HAUL_COUNT_ALL = 0
HAUL_COUNT_RECORDED = 1
HAUL_COUNT_NONE = 2
HAUL_MOST_DEVICES = 16
HAUL_TENSOR_U8 = 0
HAUL_TENSOR_U16 = 1
HAUL_TENSOR_U32 = 2
HAUL_TENSOR_S32 = 3
HAUL_TENSOR_U64 = 4
HAUL_TENSOR_S64 = 5
HAUL_TENSOR_F16 = 6
HAUL_TENSOR_F32 = 7
HAUL_TENSOR_F64 = 8
HAUL_TENSOR_BF16 = 9
HAUL_TENSOR_F32_FTZ = 10
HAUL_TENSOR_TF32 = 11
HAUL_TENSOR_TF32_FTZ = 12
HAUL_TENSOR_SWIZZLE_NONE = 0
HAUL_TENSOR_SWIZZLE_32B = 1
HAUL_TENSOR_SWIZZLE_64B = 2
HAUL_TENSOR_SWIZZLE_128B = 3
HAUL_TENSOR_SWIZZLE_128B_ATOM_32B = 4
HAUL_TENSOR_SWIZZLE_128B_ATOM_32B_FLIP_8B = 5
HAUL_TENSOR_SWIZZLE_128B_ATOM_64B = 6
HAUL_TENSOR_WIDE_NONE = 0
HAUL_TENSOR_WIDE_W = 1
HAUL_TENSOR_WIDE_W128 = 2
HAUL_TENSOR_INTERLEAVE_NONE = 0
HAUL_TENSOR_INTERLEAVE_16B = 1
HAUL_TENSOR_INTERLEAVE_32B = 2
HAUL_TENSOR_PROMOTION_NONE = 0
HAUL_TENSOR_PROMOTION_64B = 1
HAUL_TENSOR_PROMOTION_128B = 2
HAUL_TENSOR_PROMOTION_256B = 3
HAUL_PARAMETER_BYTES = 0
HAUL_PARAMETER_INTEGER = 1
HAUL_PARAMETER_FLOATING = 2
HAUL_L2_NORMAL = 0
HAUL_L2_STREAMING = 1
HAUL_L2_PERSISTING = 2
HAUL_HOST_PINNED = 0
HAUL_HOST_WRITE_COMBINED = 1
HAUL_HOST_MANAGED = 2


class haul_counter_info(Structure):
    pass


class haul_traffic(Structure):
    pass


class haul_source_place(Structure):
    pass


class haul_access(Structure):
    pass


class haul_instruction_record(Structure):
    pass


class haul_occupancy(Structure):
    pass


class haul_stall_info(Structure):
    pass


class haul_estimate(Structure):
    pass


class haul_bounds(Structure):
    pass


class haul_finding_info(Structure):
    pass


class haul_finding_access(Structure):
    pass


class haul_finding(Structure):
    pass


class haul_code_fetch(Structure):
    pass


class haul_launch_record(Structure):
    pass


class haul_run(Structure):
    pass


class haul_device_options(Structure):
    pass


class haul_device_properties(Structure):
    pass


class haul_tensor(Structure):
    pass


class haul_ptx(Structure):
    pass


class haul_parameter(Structure):
    pass


class haul_argument(Structure):
    pass


class haul_l2_window(Structure):
    pass


class haul_launch(Structure):
    pass


class haul_compile_options(Structure):
    pass


class haul_compilation(Structure):
    pass


class haul_pool_usage(Structure):
    pass


haul_counter_info._fields_ = [
    ("key", c_char_p),
    ("ncu", c_char_p),
    ("unit", c_char_p),
    ("text", c_char_p),
    ("grade", c_int),
]

haul_traffic._fields_ = [
    ("instructions", c_uint64),
    ("threads", c_uint64),
    ("requests", c_uint64),
    ("sectors", c_uint64),
    ("ideal_sectors", c_uint64),
    ("hits", c_uint64),
    ("wavefronts", c_uint64),
    ("l2_requests", c_uint64),
    ("l2_sectors", c_uint64),
    ("bytes", c_uint64),
    ("shared_wavefronts", c_uint64),
    ("ideal_shared_wavefronts", c_uint64),
    ("bank_conflicts", c_uint64),
]

haul_source_place._fields_ = [
    ("file", c_char_p),
    ("line", c_uint32),
    ("column", c_uint32),
    ("inlined_into", POINTER(haul_source_place)),
]

haul_access._fields_ = [
    ("active", c_uint32),
    ("bytes", c_uint32),
    ("global", c_uint64 * 32),
    ("shared", c_uint32 * 32),
]

haul_instruction_record._fields_ = [
    ("text", c_char_p),
    ("mnemonic", c_char_p),
    ("ptx_line", c_uint32),
    ("place", haul_source_place),
    ("memory_class", c_int),
    ("traffic", haul_traffic),
    ("samples", POINTER(haul_access)),
    ("sample_count", c_size_t),
    ("orders", c_bool),
    ("sees_others", c_bool),
    ("loop", c_uint32),
]

haul_occupancy._fields_ = [
    ("blocks_per_sm", c_uint32),
    ("warps_per_sm", c_uint32),
    ("max_warps_per_sm", c_uint32),
    ("limit_blocks", c_uint32),
    ("limit_registers", c_uint32),
    ("limit_shared", c_uint32),
    ("limit_warps", c_uint32),
    ("registers_per_thread", c_uint32),
    ("registers_estimated", c_bool),
    ("registers_spilled", c_uint32),
    ("shared_per_block", c_uint32),
    ("shared_carveout", c_uint32),
    ("l1_bytes", c_uint32),
]

haul_stall_info._fields_ = [
    ("key", c_char_p),
    ("title", c_char_p),
    ("text", c_char_p),
]

haul_estimate._fields_ = [
    ("cycles", c_double),
    ("sm_mhz", c_double),
    ("memory_gbps", c_double),
    ("memory_share", c_double),
    ("l2_share", c_double),
    ("nvlink_read_share", c_double),
    ("nvlink_write_share", c_double),
    ("sm_share", c_double),
    ("issue_share", c_double),
    ("l1_share", c_double),
    ("instructions", c_double),
    ("warps_per_sm", c_double),
    ("stalls", c_double * 16),
]

haul_bounds._fields_ = [
    ("low", c_double),
    ("high", c_double),
]

haul_finding_info._fields_ = [
    ("key", c_char_p),
    ("why", c_char_p),
    ("cure", c_char_p),
    ("grade", c_int),
]

haul_finding_access._fields_ = [
    ("action", c_int),
    ("instruction", c_size_t),
    ("block", c_uint32 * 3),
    ("thread", c_uint32 * 3),
    ("bytes", c_uint32),
]

haul_finding._fields_ = [
    ("kind", c_int),
    ("grade", c_int),
    ("count", c_uint64),
    ("blocks", c_uint64),
    ("access", haul_finding_access),
    ("other", haul_finding_access),
    ("space", c_int),
    ("address", c_uint64),
    ("bytes", c_uint32),
    ("object", c_char_p),
    ("what", c_char_p),
    ("between_lanes", c_bool),
    ("before_init", c_bool),
    ("beside_init", c_bool),
]

haul_code_fetch._fields_ = [
    ("bytes", c_uint64),
    ("parameter_bytes", c_uint64),
    ("requests", c_uint64),
    ("sectors", c_uint64),
    ("misses", c_uint64),
    ("device_sectors", c_uint64),
]

haul_launch_record._fields_ = [
    ("kernel", c_char_p),
    ("grid", c_uint32 * 3),
    ("block", c_uint32 * 3),
    ("shared_bytes", c_uint32),
    ("opted_in", c_bool),
    ("counters", c_double * 84),
    ("bounds", haul_bounds * 84),
    ("classes", haul_traffic * 19),
    ("instructions", POINTER(haul_instruction_record)),
    ("instruction_count", c_size_t),
    ("findings", POINTER(haul_finding)),
    ("finding_count", c_size_t),
    ("checked", c_bool),
    ("ended_by", c_int),
    ("occupancy", haul_occupancy),
    ("code", haul_code_fetch),
    ("estimate_us", c_double),
    ("estimate", haul_estimate),
    ("measured_us", c_double),
    ("measured_range_us", haul_bounds),
    ("host_seconds", c_double),
    ("sampled_blocks", c_uint64),
]

haul_run._fields_ = [
    ("stamp", c_int),
    ("machine", c_char_p),
    ("device", c_char_p),
    ("version", c_char_p),
    ("launches", POINTER(haul_launch_record)),
    ("launch_count", c_size_t),
    ("owner", c_void_p),
]

haul_device_options._fields_ = [
    ("threads", c_uint32),
    ("instruction_limit", c_uint64),
    ("memory_bytes", c_uint64),
    ("heap_bytes", c_uint64),
    ("stack_bytes", c_uint64),
    ("check", c_bool),
    ("strict", c_bool),
    ("schedule", c_int),
    ("seed", c_uint64),
    ("completion", c_int),
    ("unfenced", c_bool),
    ("diverged", c_bool),
    ("dirty", c_bool),
    ("counting", c_int),
    ("keep_l2", c_bool),
    ("sample_blocks", c_uint64),
    ("most_registers", c_uint32),
]

haul_device_properties._fields_ = [
    ("architecture", c_uint32),
    ("memory_bytes", c_uint64),
    ("memory_rate", c_double),
    ("sms", c_uint64),
    ("threads_per_sm", c_uint64),
    ("blocks_per_sm", c_uint64),
    ("registers_per_sm", c_uint64),
    ("shared_per_sm", c_uint64),
    ("sm_clock_khz", c_uint64),
    ("threads_per_block", c_uint64),
    ("registers_per_block", c_uint64),
    ("shared_per_block", c_uint64),
    ("shared_per_block_optin", c_uint64),
    ("shared_reserved", c_uint64),
    ("clusters", c_uint64),
    ("l2_bytes", c_uint64),
    ("persisting_l2_bytes", c_uint64),
    ("window_bytes", c_uint64),
    ("constant_bytes", c_uint64),
    ("memory_clock_khz", c_uint64),
    ("memory_bus_bits", c_uint64),
    ("copy_engines", c_uint64),
    ("concurrent_kernels", c_uint64),
    ("maps_host", c_uint64),
    ("unified_addresses", c_uint64),
    ("managed_memory", c_uint64),
    ("pageable_access", c_uint64),
]

haul_tensor._fields_ = [
    ("buffer", c_void_p),
    ("offset", c_uint64),
    ("type", c_int),
    ("rank", c_uint32),
    ("extent", c_uint64 * 5),
    ("pitch", c_uint64 * 4),
    ("box", c_uint32 * 5),
    ("step", c_uint32 * 5),
    ("swizzle", c_int),
    ("promotion", c_int),
    ("fill_nan", c_bool),
    ("by_pixels", c_bool),
    ("pixels", c_uint32),
    ("lower", c_int32 * 3),
    ("upper", c_int32 * 3),
    ("wide", c_int),
    ("interleave", c_int),
]

haul_ptx._fields_ = [
    ("name", c_char_p),
    ("text", c_char_p),
    ("length", c_size_t),
]

haul_parameter._fields_ = [
    ("name", c_char_p),
    ("kind", c_int),
    ("bytes", c_uint64),
]

haul_argument._fields_ = [
    ("kind", c_int),
    ("integer", c_int64),
    ("real", c_double),
    ("buffer", c_void_p),
    ("offset", c_uint64),
    ("bytes", c_void_p),
    ("size", c_uint64),
]

haul_l2_window._fields_ = [
    ("buffer", c_void_p),
    ("offset", c_uint64),
    ("bytes", c_uint64),
    ("hit_ratio", c_float),
    ("hit", c_int),
    ("miss", c_int),
]

haul_launch._fields_ = [
    ("kernel", c_char_p),
    ("grid", c_uint32 * 3),
    ("block", c_uint32 * 3),
    ("shared_bytes", c_uint32),
    ("arguments", POINTER(haul_argument)),
    ("argument_count", c_size_t),
    ("cluster", c_uint32 * 3),
    ("window", haul_l2_window),
]

haul_compile_options._fields_ = [
    ("compiler", c_char_p),
    ("architecture", c_char_p),
    ("flags", POINTER(c_char_p)),
    ("flag_count", c_size_t),
    ("separate", c_bool),
]

haul_compilation._fields_ = [
    ("ptx", c_char_p),
    ("ptx_length", c_size_t),
    ("messages", c_char_p),
]

haul_pool_usage._fields_ = [
    ("used", c_uint64),
    ("used_high", c_uint64),
    ("reserved", c_uint64),
    ("reserved_high", c_uint64),
    ("limit", c_uint64),
    ("buffers", c_size_t),
]


FUNCTIONS = {  # name: result, arguments
    "haul_version": (c_char_p, []),
    "haul_status_text": (c_char_p, [c_int]),
    "haul_message": (c_char_p, []),
    "haul_counter_find": (c_int, [c_char_p]),
    "haul_traffic_add": (None, [POINTER(haul_traffic), POINTER(haul_traffic)]),
    "haul_finding_find": (c_int, [c_char_p]),
    "haul_run_free": (None, [POINTER(haul_run)]),
    "haul_device_open": (c_int, [c_char_p, POINTER(haul_device_options), POINTER(c_void_p)]),
    "haul_devices_open": (c_int, [c_char_p, POINTER(haul_device_options), POINTER(c_void_p), POINTER(c_size_t)]),
    "haul_device_set_checks": (c_int, [c_void_p, POINTER(haul_device_options)]),
    "haul_device_leaks": (c_int, [c_void_p, POINTER(haul_run)]),
    "haul_device_close": (None, [c_void_p]),
    "haul_device_name": (c_char_p, [c_void_p]),
    "haul_device_product": (c_char_p, [c_void_p]),
    "haul_device_is_virtual": (c_bool, [c_void_p]),
    "haul_device_architecture": (c_uint32, [c_void_p]),
    "haul_device_sm_count": (c_uint32, [c_void_p]),
    "haul_device_memory_rate": (c_double, [c_void_p]),
    "haul_device_properties_of": (None, [c_void_p, POINTER(haul_device_properties)]),
    "haul_buffer_create": (c_int, [c_void_p, c_uint64, POINTER(c_void_p)]),
    "haul_buffer_free": (None, [c_void_p]),
    "haul_buffer_bytes": (c_uint64, [c_void_p]),
    "haul_buffer_address": (c_uint64, [c_void_p]),
    "haul_buffer_write": (c_int, [c_void_p, c_uint64, c_void_p, c_uint64]),
    "haul_buffer_read": (c_int, [c_void_p, c_uint64, c_void_p, c_uint64]),
    "haul_tensor_map_encode": (c_int, [POINTER(haul_tensor), c_void_p]),
    "haul_tensor_view_encode": (c_int, [POINTER(haul_tensor), c_void_p]),
    "haul_module_load": (c_int, [c_void_p, c_char_p, c_char_p, c_size_t, POINTER(c_void_p)]),
    "haul_module_link": (c_int, [c_void_p, c_char_p, POINTER(haul_ptx), c_size_t, POINTER(c_void_p)]),
    "haul_module_load_file": (c_int, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "haul_module_unload": (None, [c_void_p]),
    "haul_module_kernel_count": (c_size_t, [c_void_p]),
    "haul_module_kernel_name": (c_char_p, [c_void_p, c_size_t]),
    "haul_module_find_kernel": (c_int, [c_void_p, c_char_p, POINTER(c_char_p)]),
    "haul_kernel_name": (None, [c_char_p, c_char_p, c_size_t]),
    "haul_module_parameters": (c_int, [c_void_p, c_char_p, POINTER(haul_parameter), c_size_t, POINTER(c_size_t)]),
    "haul_module_variable": (c_int, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "haul_module_blocks_per_sm": (c_int, [c_void_p, c_char_p, c_uint32, c_uint32, POINTER(c_uint32)]),
    "haul_module_allow_shared": (c_int, [c_void_p, c_char_p, c_uint32]),
    "haul_launch_run": (c_int, [c_void_p, POINTER(haul_launch), POINTER(haul_run)]),
    "haul_run_create": (c_int, [c_void_p, POINTER(POINTER(haul_run))]),
    "haul_compile": (c_int, [c_char_p, c_char_p, POINTER(haul_compile_options), POINTER(haul_compilation)]),
    "haul_compilation_free": (None, [POINTER(haul_compilation)]),
    "haul_module_compile": (c_int, [c_void_p, c_char_p, c_char_p, POINTER(haul_compile_options), POINTER(c_void_p)]),
    "haul_host_create": (c_int, [c_void_p, c_uint64, c_int, POINTER(c_void_p)]),
    "haul_host_register": (c_int, [c_void_p, c_void_p, c_uint64, POINTER(c_void_p)]),
    "haul_host_free": (None, [c_void_p]),
    "haul_host_memory": (c_void_p, [c_void_p]),
    "haul_host_bytes": (c_uint64, [c_void_p]),
    "haul_host_is_pinned": (c_bool, [c_void_p, c_void_p, c_uint64]),
    "haul_host_read": (c_int, [c_void_p, c_uint64, c_void_p, c_uint64]),
    "haul_host_write": (c_int, [c_void_p, c_uint64, c_void_p, c_uint64]),
    "haul_host_compute": (c_int, [c_void_p, c_double, POINTER(c_void_p), c_void_p]),
    "haul_host_view": (c_void_p, [c_void_p]),
    "haul_stream_create": (c_int, [c_void_p, c_int, POINTER(c_void_p)]),
    "haul_stream_create_ordered": (c_int, [c_void_p, c_int, POINTER(c_void_p)]),
    "haul_stream_default": (c_int, [c_void_p, POINTER(c_void_p)]),
    "haul_stream_free": (None, [c_void_p]),
    "haul_stream_write": (c_int, [c_void_p, c_void_p, c_uint64, c_void_p, c_uint64]),
    "haul_stream_read": (c_int, [c_void_p, c_void_p, c_uint64, c_void_p, c_uint64]),
    "haul_stream_copy": (c_int, [c_void_p, c_void_p, c_uint64, c_void_p, c_uint64, c_uint64]),
    "haul_stream_fill": (c_int, [c_void_p, c_void_p, c_uint64, c_uint8, c_uint64]),
    "haul_stream_launch": (c_int, [c_void_p, c_void_p, POINTER(haul_launch)]),
    "haul_device_use_stream": (None, [c_void_p, c_void_p]),
    "haul_stream_call": (c_int, [c_void_p, POINTER(c_void_p), c_void_p]),
    "haul_stream_wait": (c_int, [c_void_p]),
    "haul_stream_query": (c_int, [c_void_p, POINTER(c_bool)]),
    "haul_device_wait": (c_int, [c_void_p]),
    "haul_device_can_reach": (c_bool, [c_void_p, c_void_p]),
    "haul_device_reach": (c_int, [c_void_p, c_void_p, c_bool]),
    "haul_event_create": (c_int, [c_void_p, c_bool, POINTER(c_void_p)]),
    "haul_event_free": (None, [c_void_p]),
    "haul_event_record": (c_int, [c_void_p, c_void_p]),
    "haul_stream_wait_event": (c_int, [c_void_p, c_void_p]),
    "haul_event_wait": (c_int, [c_void_p]),
    "haul_event_query": (c_int, [c_void_p, POINTER(c_bool)]),
    "haul_event_elapsed": (c_int, [c_void_p, c_void_p, POINTER(c_double)]),
    "haul_graph_capture_begin": (c_int, [c_void_p]),
    "haul_graph_capture_end": (c_int, [c_void_p, POINTER(c_void_p)]),
    "haul_graph_launch": (c_int, [c_void_p, c_void_p]),
    "haul_graph_free": (None, [c_void_p]),
    "haul_pool_create": (c_int, [c_void_p, c_uint64, POINTER(c_void_p)]),
    "haul_pool_allocate": (c_int, [c_void_p, c_void_p, c_uint64, c_char_p, POINTER(c_void_p)]),
    "haul_pool_release": (c_int, [c_void_p, c_void_p]),
    "haul_pool_let": (c_int, [c_void_p, c_void_p, c_bool]),
    "haul_pool_usage_of": (c_int, [c_void_p, POINTER(haul_pool_usage)]),
    "haul_pool_reset_high": (c_int, [c_void_p]),
    "haul_pool_free": (c_int, [c_void_p]),
    "haul_device_memory": (c_int, [c_void_p, POINTER(c_uint64), POINTER(c_uint64)]),
    "haul_l2_set_fetch": (c_int, [c_void_p, c_uint32]),
    "haul_l2_fetch": (c_int, [c_void_p, POINTER(c_uint32)]),
    "haul_l2_set_aside": (c_int, [c_void_p, c_uint64, POINTER(c_uint64)]),
    "haul_l2_keep": (c_int, [c_void_p, c_void_p, c_uint64, c_uint64, c_float]),
    "haul_l2_reset": (c_int, [c_void_p]),
}
TABLES = {  # name: type
    "haul_counters": haul_counter_info * 84,
    "haul_class_names": c_char_p * 19,
    "haul_stalls": haul_stall_info * 16,
    "haul_finding_kinds": haul_finding_info * 36,
    "haul_grade_names": c_char_p * 3,
    "haul_action_names": c_char_p * 9,
    "haul_space_names": c_char_p * 5,
}
