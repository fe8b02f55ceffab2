# Bad usage: status 2, one line on stderr that names the option, and no result file. Needs SOCKETLAB and FOLDER.
function(expect_refusal named)
  file(REMOVE_RECURSE "${FOLDER}")
  execute_process(COMMAND "${SOCKETLAB}" ${ARGN} --out "${FOLDER}"
                  RESULT_VARIABLE status OUTPUT_VARIABLE ignored ERROR_VARIABLE errors)
  string(REGEX MATCHALL "\n" ends "${errors}")
  list(LENGTH ends lines)
  string(FIND "${errors}" "${named}" position)
  file(GLOB left "${FOLDER}/*")
  if(NOT status EQUAL 2 OR NOT lines EQUAL 1 OR position EQUAL -1 OR left)
    message(SEND_ERROR "${ARGN}: status ${status}, left \"${left}\", stderr:\n${errors}")
  endif()
endfunction()

# As expect_refusal, for what is not of one subcommand.
function(expect_refusal_of_all named)
  execute_process(COMMAND "${SOCKETLAB}" ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE ignored ERROR_VARIABLE errors)
  string(FIND "${errors}" "${named}" position)
  if(NOT status EQUAL 2 OR NOT errors MATCHES "^[^\n]+\n$" OR position EQUAL -1)
    message(SEND_ERROR "${ARGN}: status ${status}, stderr:\n${errors}")
  endif()
endfunction()
# Nothing where a value belongs; CMake drops an empty argument of a function.
function(expect_empty_refused)
  execute_process(COMMAND "${SOCKETLAB}" ${ARGN} "" RESULT_VARIABLE status OUTPUT_VARIABLE ignored ERROR_VARIABLE errors)
  if(NOT status EQUAL 2 OR NOT errors MATCHES "^[^\n]+: nothing given; allowed are [^\n]+\n$")
    message(SEND_ERROR "${ARGN} and an empty argument: status ${status}, stderr:\n${errors}")
  endif()
endfunction()
expect_empty_refused(sweep --axis tables --values)
expect_empty_refused(verify --fault)
expect_empty_refused(attend --queries q --keys k --values v --mask)

# An output that takes nothing: full, or closed by the shell.
if(EXISTS /dev/full)
  foreach(chosen IN ITEMS "oracle;epsilon;--planes;8;--dim;128;--temperature;0.5;--query-norm;1" "verify;--list" --help
                          --version "sweep;--help")
    execute_process(COMMAND "${SOCKETLAB}" ${chosen} RESULT_VARIABLE status OUTPUT_FILE /dev/full ERROR_VARIABLE errors)
    if(NOT status EQUAL 2 OR NOT errors MATCHES "^[^\n]+ write to [^\n]+\n$")
      message(SEND_ERROR "${chosen} to a full device: status ${status}, stderr:\n${errors}")
    endif()
  endforeach()
  set(redirections 2>/dev/full "2>&-" ">&- 2>/dev/full")
  foreach(redirection IN LISTS redirections)
    foreach(expected IN ITEMS "2 oracle epsilon" "2 torus" "2 attend --queries no --keys no --values no"
                              "2 sweep --axis torus --values 4" "3 gpu-check" "3 gpu-bench")
      string(SUBSTRING "${expected}" 0 1 code)
      string(SUBSTRING "${expected}" 2 -1 words)
      execute_process(COMMAND "${CMAKE_COMMAND}" -E env CUDA_VISIBLE_DEVICES=
                              sh -c "exec \"$0\" ${words} ${redirection}" "${SOCKETLAB}"
                      RESULT_VARIABLE status OUTPUT_VARIABLE ignored ERROR_VARIABLE ignored)
      if(NOT status EQUAL code)
        message(SEND_ERROR "${words} ${redirection}: status ${status}, expected ${code}")
      endif()
    endforeach()
  endforeach()
endif()

# Ranges and words of single options: command/all_options_test.cpp.
set(sweep sweep --keys 32 --dim 4 --planes 2 --trials 4)
expect_refusal("--axis" ${sweep} --axis torus --values 4)
expect_refusal("--values2" sweep --keys 32 --dim 4 --trials 4 --axis tables --values 4 --axis2 planes --values2 0)
expect_refusal("family" audit --family torus)
expect_refusal("--axis" ${sweep} --values 4)
expect_refusal("family" ${sweep} --axis tables --values 4 --family torus)
expect_refusal("--families" audit --families gaussian,needle)
expect_refusal("query norm is 1e-140" audit --keys 64 --dim 8 --planes 3 --query-norm 1e-140)
foreach(replaced IN ITEMS "tables;--tables;4" "samples;--samples;4" "planes;--planes;2" "keys;--keys;32" "budget;--density;0.5"
                          "density;--budget;4")
  list(POP_FRONT replaced axis)
  list(GET replaced 0 option)
  expect_refusal("${option} is given, which --axis ${axis} does not use" sweep --axis ${axis} --values 0.5 ${replaced})
  expect_refusal("${option} is given, which --axis2 ${axis} does not use" sweep --axis dim --values 4 --axis2 ${axis}
                 --values2 0.5 ${replaced})
endforeach()
foreach(command IN ITEMS "audit" "sweep;--axis;tables;--values;4")
  expect_refusal("--needle-cosine is given, which --families gaussian does not use: allowed with --families needle"
                 ${command} --needle-cosine 0.5)
endforeach()
expect_refusal("--density" ${sweep} --axis tables --values 4 --density 0.1 --budget 5)
expect_refusal("--only" verify --list --only S002-Q1)
expect_refusal("--slice" verify --only S000-1 --slice 1/2 --merge)
expect_refusal("--merge: 3 of 3 parts are missing" verify --only S000-1 --merge)
expect_refusal("--list" verify --list --profile smoke)
expect_refusal("--junit" verify --all-faults --junit x.xml)
expect_refusal_of_all("--helq: no such option; the nearest are --help, " --helq)
set(rank rank --keys 32 --dim 4 --trials 2)
expect_refusal("--planes is 21: with bucket-attention allowed are 1 to 20" rank --planes 21)
expect_refusal("--planes is 21: with bucket-attention allowed are 1 to 20" rank --planes 21 --part rankers)
expect_refusal("--families torus" ${rank} --family torus)
foreach(unused IN ITEMS "prediction;--families;learned" "prediction;--learned;none.safetensors" "curves;--families;needle"
                        "temperatures;--planes;2" "temperatures;--temperature;0.5" "prediction;--top;2" "rankers;--cuts;4"
                        "prediction;--histogram-cut;4" "curves;--densities;0.1" "temperatures;--sizes;64")
  list(POP_FRONT unused part)
  list(GET unused 0 option)
  expect_refusal("${option} is given, which --part ${part} does not use: allowed with --part " ${rank} --part ${part} ${unused})
endforeach()
foreach(unused IN ITEMS "--delta;0.1" "--target;0.1" "--trials;4")
  list(GET unused 0 option)
  expect_refusal("${option} is given, which --part bounds does not use: allowed with --part all" audit --keys 32 --dim 4
                 --part bounds ${unused})
endforeach()
expect_refusal("--fresh-tables is given, which --bound-draws 0 does not use" audit --bound-draws 0 --fresh-tables 50)
expect_refusal_of_all("--cosine-i is given, which oracle weight does not use: allowed with oracle pair-moment"
                      oracle weight --planes 8 --dim 8 --temperature 1 --query-norm 1 --cosine 0 --cosine-i 0)
expect_refusal_of_all("--dim is given, which oracle angular-weight does not use" oracle angular-weight --planes 8 --cosine 0
                      --dim 8)
expect_refusal("--list" verify --list --keep-trials)
set(learned --families learned)
expect_refusal("learned: none.safetensors: there is no such file" rank ${learned} --learned none.safetensors)
expect_refusal("--learned none.safetensors: no family is learned" rank --learned none.safetensors)
expect_refusal("--learned none.safetensors: no family is learned" audit --learned none.safetensors)
expect_refusal("--keys: the family learned has the size that its file sets" ${rank} ${learned} --learned none.safetensors)
expect_refusal("--dim: the family learned has" audit --dim 64 ${learned} --learned none.safetensors)
expect_refusal("--keys: the family learned has" ${sweep} --axis tables --values 4 ${learned} --learned none.safetensors)
expect_refusal("--write-case" gpu-check --write-case case --candidate-scores no.npy --case operation=score-buckets)
expect_refusal("--write-case ${SOCKETLAB}: cannot make" gpu-check --write-case "${SOCKETLAB}" --case operation=score-buckets)
expect_refusal("--write-case ${SOCKETLAB}/x: cannot make" gpu-check --write-case "${SOCKETLAB}/x" --case operation=score-buckets)
expect_refusal("planes is given twice" gpu-check --case planes=4,planes=5)

# Where no device can be seen: status 3, and one line that says so, or how to build what would look for one.
foreach(command gpu-check gpu-bench)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env CUDA_VISIBLE_DEVICES= "${SOCKETLAB}" ${command}
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 3 OR NOT output STREQUAL "" OR
     NOT errors MATCHES "^socketlab: ${command}: (no CUDA device|no socketlab-gpu beside this program; `cmake --build build --target socketlab-gpu` [^\n]+)\n$")
    message(SEND_ERROR "${command} without a device: status ${status}, stdout:\n${output}stderr:\n${errors}")
  endif()
endforeach()
