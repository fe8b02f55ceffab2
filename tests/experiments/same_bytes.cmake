# The same seed gives the same bytes in every result file for 1, 2 and 16 threads. Needs SOCKETLAB and FOLDER.
file(REMOVE_RECURSE "${FOLDER}")
set(files sweep.csv sweep_slopes.csv provenance.json)
foreach(threads 1 2 16)
  execute_process(
    COMMAND "${SOCKETLAB}" sweep --axis tables --values 4,16,32 --families needle --keys 64 --dim 8 --planes 3
            --trials 20 --seed 7 --threads ${threads} --out "${FOLDER}/${threads} threads"
    RESULT_VARIABLE status OUTPUT_VARIABLE text_${threads} ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "sweep with ${threads} threads returned ${status}: ${errors}")
  endif()
  string(REGEX REPLACE "\nwrote [^\n]+\n$" "\n" text_${threads} "${text_${threads}}")  # names the folder
  if(NOT text_${threads} STREQUAL text_1)
    message(FATAL_ERROR "the table on stdout differs between 1 and ${threads} threads")
  endif()
  foreach(name IN LISTS files)
    execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${FOLDER}/1 threads/${name}"
                            "${FOLDER}/${threads} threads/${name}" RESULT_VARIABLE differs)
    if(differs)
      message(FATAL_ERROR "${name} differs between 1 and ${threads} threads")
    endif()
  endforeach()
endforeach()
