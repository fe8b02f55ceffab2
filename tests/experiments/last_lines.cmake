# What a user reads of a long command: its last line says where the results are, and it is not longer than can be read.
# Needs SOCKETLAB and FOLDER.
function(expect_files files)
  file(REMOVE_RECURSE "${FOLDER}")
  execute_process(COMMAND "${SOCKETLAB}" ${ARGN} --out "${FOLDER}"
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  string(FIND "${output}" "\nwrote ${FOLDER}/${files}\n" position)
  string(LENGTH "${output}" length)
  string(LENGTH "\nwrote ${FOLDER}/${files}\n" line)
  math(EXPR last "${length} - ${line}")
  if(NOT status EQUAL 0 OR NOT position EQUAL last)
    message(SEND_ERROR "${ARGN}: status ${status}, output:\n${output}\nerrors:\n${errors}")
  endif()
  string(REPLACE ", " ";" names "${files}")
  foreach(name ${names})
    if(NOT EXISTS "${FOLDER}/${name}")
      message(SEND_ERROR "${ARGN}: says that it wrote ${name}, and did not")
    endif()
  endforeach()
  file(GLOB written "${FOLDER}/*")
  list(LENGTH names said)
  list(LENGTH written found)
  if(NOT said EQUAL found)
    message(SEND_ERROR "${ARGN}: wrote ${written}, and says ${files}")
  endif()
  string(REGEX MATCHALL "\n" ends "${output}")
  list(LENGTH ends lines)
  if(lines GREATER 200)
    message(SEND_ERROR "${ARGN}: ${lines} lines for the reader")
  endif()
endfunction()

set(small --keys 40 --dim 4 --trials 4)
expect_files("sweep.csv, sweep_slopes.csv, provenance.json" sweep --axis tables --values 4,20 --planes 2 ${small})
expect_files("audit.csv, audit_bounds.csv, audit.json, provenance.json"
             audit --planes 2 --temperatures 0.5 --bound-draws 0 ${small})
expect_files("bound_ratios.csv, provenance.json"
             audit --planes 2 --part bounds --temperatures 0.5 --bound-draws 80 --fresh-tables 50 --keys 40 --dim 4)
expect_files("ranking_curves.csv, ranking_histogram.csv, provenance.json"
             rank --part curves --profile smoke --keys 40 --dim 4 --trials 2)

# One word for one thing, in every command that takes it; needles are a family of each.
foreach(word --families --family)
  expect_files("sweep.csv, sweep_slopes.csv, provenance.json"
               sweep --axis tables --values 4 --planes 2 ${word} needles,gaussian ${small})
  expect_files("audit.csv, audit_bounds.csv, audit.json, provenance.json"
               audit --planes 2 --temperatures 0.5 --bound-draws 0 ${word} needles ${small})
  expect_files("rankers.csv, provenance.json"
               rank --part rankers --profile smoke --keys 40 --dim 4 --trials 2 ${word} needles,gaussian)
  file(STRINGS "${FOLDER}/rankers.csv" rows REGEX "^needles,")
  if(NOT rows)
    message(SEND_ERROR "rank ${word}: no row of needles")
  endif()
endforeach()
