/* assert(), for device code and the host half. No guard: NDEBUG may differ from one inclusion to the next. */
#undef assert

#if defined(NDEBUG)
#define assert(condition) ((void)0)
#elif defined(__cplusplus)
#define assert(condition) ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#else
#define assert(condition) ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __func__))
#endif

#ifndef HAUL_TOOLCHAIN_ASSERT_H
#define HAUL_TOOLCHAIN_ASSERT_H

/* The host's; device code has its own, in haul_toolchain/library.h. */
#if defined(__cplusplus)
extern "C" void __assert_fail(const char *condition, const char *file, unsigned int line, const char *function) noexcept
    __attribute__((noreturn));
#else
void __assert_fail(const char *condition, const char *file, unsigned int line, const char *function)
    __attribute__((noreturn));
#define static_assert _Static_assert
#endif

#endif
