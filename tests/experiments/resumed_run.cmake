# A reproduce that is interrupted and started again gives the same bytes as one that is not, and does not measure what
# it has already. Needs SOCKETLAB, FOLDER and WHOLE, the folder of a smoke run that was not interrupted.
file(REMOVE_RECURSE "${FOLDER}")
# Cut off after a few seconds: some statements are done, the planted faults at the end are not.
execute_process(COMMAND "${SOCKETLAB}" reproduce --profile smoke --out "${FOLDER}" TIMEOUT 4
                RESULT_VARIABLE first OUTPUT_QUIET ERROR_QUIET)
if(first EQUAL 0)
  message(FATAL_ERROR "the first run was not interrupted")
endif()
file(STRINGS "${FOLDER}/unfinished.jsonl" done REGEX "^{\"part\"")
list(LENGTH done count)
if(count EQUAL 0)
  message(FATAL_ERROR "four seconds were too short for one statement")
endif()
# The last part is cut short, as by a power failure; it is done again.
file(APPEND "${FOLDER}/unfinished.jsonl" "{\"part\":\"sweep 0\",\"res")
execute_process(COMMAND "${SOCKETLAB}" reproduce --profile smoke --out "${FOLDER}"
                RESULT_VARIABLE second OUTPUT_QUIET ERROR_VARIABLE errors)
if(NOT second EQUAL 0)
  message(FATAL_ERROR "the second run returned ${second}: ${errors}")
endif()
if(EXISTS "${FOLDER}/unfinished.jsonl")
  message(SEND_ERROR "unfinished.jsonl is left behind")
endif()
foreach(name verdicts.jsonl kill_matrix.csv faults.csv sweep.csv sweep_slopes.csv ranking_curves.csv
        ranking_histogram.csv rankers.csv provenance.json report.html)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E compare_files "${WHOLE}/${name}" "${FOLDER}/${name}"
                  RESULT_VARIABLE differs)
  if(differs)
    message(SEND_ERROR "${name} differs from that of a run without interruption")
  endif()
endforeach()
