# How long do threads spin before they sleep? What libgomp says that it read: not at all, unless the environment of the
# user says otherwise. Needs SOCKETLAB. Another OpenMP library has other words, and is not asked.
function(expect_spins expected)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env --unset=OMP_WAIT_POLICY --unset=GOMP_SPINCOUNT
                          OMP_DISPLAY_ENV=verbose ${ARGN} "${SOCKETLAB}" verify --list
                  RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE words)
  if(NOT words MATCHES "GOMP_SPINCOUNT = ")
    return()
  endif()
  # The last of two starts is the one that works.
  string(REGEX MATCHALL "GOMP_SPINCOUNT = '[^']+'" spins "${words}")
  list(GET spins -1 last)
  if(NOT status EQUAL 0 OR NOT last STREQUAL "GOMP_SPINCOUNT = '${expected}'" OR NOT output MATCHES "^S000-1 ")
    message(SEND_ERROR "${ARGN}: status ${status}, expected ${expected}, said:\n${spins}")
  endif()
endfunction()

expect_spins(0)
expect_spins(0 OMP_WAIT_POLICY=passive)
expect_spins(30000000000 OMP_WAIT_POLICY=active)
expect_spins(5 GOMP_SPINCOUNT=5)
