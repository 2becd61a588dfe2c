# haul_add_ptx(PTX SOURCE ARCHITECTURE [option of cu2ptx...]): compiles a CUDA source file to PTX, with the compiler that
# HAUL_KERNEL_COMPILER names, again when anything changes that it includes.
set(HAUL_CU2PTX ${PROJECT_SOURCE_DIR}/toolchain/cu2ptx)

function(haul_add_ptx ptx source architecture)
  set(compiler "")
  if(HAUL_KERNEL_COMPILER)
    set(compiler --compiler ${HAUL_KERNEL_COMPILER})
  endif()
  file(RELATIVE_PATH shown ${PROJECT_SOURCE_DIR} ${source})
  add_custom_command(
    OUTPUT ${ptx}
    COMMAND ${HAUL_CU2PTX} ${compiler} --arch sm_${architecture} --depfile ${ptx}.d ${ARGN} ${source} -o ${ptx}
    DEPENDS ${source} ${HAUL_CU2PTX}
    DEPFILE ${ptx}.d
    COMMENT "Compiling ${shown} to PTX for sm_${architecture}"
    VERBATIM)
endfunction()
