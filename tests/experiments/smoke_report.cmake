# reproduce --profile smoke, interrupted once and started again: every result file is there, judge finds every row as it
# measures it again, compare finds no difference from itself. What the report holds: tests/plots/report_tables.py, of the
# same folder, and report_test.py. Needs SOCKETLAB and FOLDER.
file(REMOVE_RECURSE "${FOLDER}")
# Cut off while statements run, in the midst of a line of the journal.
execute_process(COMMAND "${SOCKETLAB}" reproduce --profile smoke --out "${FOLDER}" TIMEOUT 4
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
if(status EQUAL 0 OR NOT EXISTS "${FOLDER}/unfinished.jsonl")
  message(FATAL_ERROR "the first run was not interrupted, or left no journal: ${status}")
endif()
file(APPEND "${FOLDER}/unfinished.jsonl" "{\"part\":\"sweep of tables, gaussian, 4 planes\",\"res")
execute_process(COMMAND "${SOCKETLAB}" reproduce --profile smoke --out "${FOLDER}"
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "reproduce returned ${status}:\n${output}\n${errors}")
endif()
foreach(name verdicts.jsonl kill_matrix.csv faults.csv sweep.csv sweep_slopes.csv trials.csv laws.csv bound_ratios.csv ranking_curves.csv
        ranking_histogram.csv rankers.csv provenance.json report.html)
  if(NOT EXISTS "${FOLDER}/${name}")
    message(SEND_ERROR "${name} is missing")
  endif()
endforeach()
file(GLOB left_over "${FOLDER}/*.tmp" "${FOLDER}/unfinished.jsonl")
if(left_over)
  message(SEND_ERROR "left behind: ${left_over}")
endif()
if(NOT output MATCHES "Open [^\n]*/report.html\n$")
  message(SEND_ERROR "stdout does not end with where to look:\n${output}")
endif()

execute_process(COMMAND "${SOCKETLAB}" judge --rerun 1 "${FOLDER}/verdicts.jsonl"
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_QUIET)
if(NOT status EQUAL 0)
  message(SEND_ERROR "judge returned ${status}:\n${output}")
endif()

execute_process(COMMAND "${SOCKETLAB}" compare "${FOLDER}" "${FOLDER}"
                RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_QUIET)
if(NOT status EQUAL 0)
  message(SEND_ERROR "compare of a run with itself returned ${status}:\n${output}")
endif()
