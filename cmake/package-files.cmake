# Run by CPack on the staged files of each package, before it is packed: what Debian's policy asks for beside haul's own
# files. These are the copyright, a changelog, exceptions from lintian's rules, compressed manual pages, and archives
# without debugging information.
string(TIMESTAMP today "%a, %d %b %Y %H:%M:%S +0000" UTC) # SOURCE_DATE_EPOCH, if it is set
set(readable FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)

function(compress file)
  file(ARCHIVE_CREATE OUTPUT ${file}.gz PATHS ${file} FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
  file(REMOVE ${file})
endfunction()

foreach(package haul:haul dev:libhaul-dev)
  string(REPLACE ":" ";" package ${package})
  list(GET package 0 component)
  list(GET package 1 name)
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  if(NOT IS_DIRECTORY ${root})
    message(FATAL_ERROR "no files of the package ${name} in ${root}")
  endif()
  set(documents ${root}/share/doc/${name})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/copyright ${documents}/copyright COPYONLY ${readable})
  file(WRITE ${documents}/changelog "${name} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * CHANGELOG.md of the package haul has the changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${today}
")
  compress(${documents}/changelog)
  file(GLOB pages ${root}/share/man/man1/*.1)
  foreach(page ${pages})
    compress(${page})
  endforeach()
  if(name STREQUAL "haul")
    configure_file(${CMAKE_CURRENT_LIST_DIR}/lintian-overrides ${root}/share/lintian/overrides/${name} COPYONLY ${readable})
  endif()
  file(REMOVE ${documents}/LICENSE) # the copyright names Debian's copy
  file(GLOB archives ${root}/lib/*/libhaul*.a)
  if(archives)
    execute_process(COMMAND strip --strip-debug --enable-deterministic-archives ${archives} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
