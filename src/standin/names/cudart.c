/* A library of a name and a symbol version that programs with the shared runtime need to start; the functions are in
 * libhaul_standin.so, which is loaded in front of it. A version of a library is only there with a symbol. */
extern const int haul_cudart;
__attribute__((visibility("default"))) const int haul_cudart = 1;
