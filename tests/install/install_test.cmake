# Installs the build into an empty folder and builds, against nothing but that folder, the project in consumer/.
#   cmake -DBUILD= -DFOLDER= -DSOURCE= -P install_test.cmake
file(REMOVE_RECURSE "${FOLDER}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${command}: ${code}\n${text}")
  endif()
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${FOLDER}/prefix")
run("${CMAKE_COMMAND}" -S "${SOURCE}/consumer" -B "${FOLDER}/build" "-DCMAKE_PREFIX_PATH=${FOLDER}/prefix")
run("${CMAKE_COMMAND}" --build "${FOLDER}/build")
run("${CMAKE_CTEST_COMMAND}" --test-dir "${FOLDER}/build" --no-tests=error)
# The heads of the learned family come along, and their licence.
foreach(heads IN ITEMS experiments/families/learned_heads.safetensors experiments/families/learned_heads.NOTICE)
  run("${CMAKE_COMMAND}" -E compare_files "${SOURCE}/../../${heads}" "${FOLDER}/prefix/share/socketlab/${heads}")
endforeach()
# What draws the report comes along: scripts, templates, and style.
run(python3 -B -c "import sys; sys.path.insert(0, sys.argv[1] + '/plots')
import report
report.shell.environment().get_template('report.html')
assert report.shell.inlined('report.css') and report.shell.inlined('report.js')" "${FOLDER}/prefix/share/socketlab")
