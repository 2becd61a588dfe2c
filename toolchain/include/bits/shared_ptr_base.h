/* The C++ library spells an attribute __noinline__, which is a macro of CUDA source for clang before version 15. */
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
