# Compiles the files of each folder of `target` in pieces of up to eight, each piece as one file, so that headers are read
# once: that saves two fifths of the time of tests, a quarter of that of libraries. Where two files of a piece use one
# name for two things, the compiler says so; SKIP_UNITY_BUILD_INCLUSION has a file compiled alone. The preset dev
# compiles each file alone (SKT_PIECES=OFF), and any build a file that has definitions of its own.
function(skt_compile_in_pieces target)
  if(NOT SKT_PIECES)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  set(folders "")
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    list(APPEND folders "folder ${folder}")  # a name for the target's own folder too
    list(APPEND "sources of folder ${folder}" ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    # Of one size: a small last piece would read the headers for a few files.
    list(LENGTH "sources of ${folder}" files)
    math(EXPR pieces "(${files} + 7) / 8")
    set(number 0)
    foreach(source IN LISTS "sources of ${folder}")
      math(EXPR piece "${number} * ${pieces} / ${files}")
      string(MAKE_C_IDENTIFIER "${folder} ${piece}" piece)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${piece})
      math(EXPR number "${number} + 1")
    endforeach()
  endforeach()
endfunction()
