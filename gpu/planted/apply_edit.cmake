# Writes the file FILE of SOURCE_DIR with one passage replaced to OUTPUT: FIND by REPLACE, both files, the passage of
# FIND exactly once in it. NAME is the edit's, for the message.
#   cmake -DNAME= -DSOURCE_DIR= -DFILE= -DFIND= -DREPLACE= -DOUTPUT= -P apply_edit.cmake
file(READ "${SOURCE_DIR}/${FILE}" text)
file(READ "${FIND}" find)
file(READ "${REPLACE}" replace)
string(FIND "${text}" "${find}" first)
string(FIND "${text}" "${find}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "Planted edit ${NAME}: ${FILE} must hold this passage once (gpu/planted/edits.cmake):\n${find}")
endif()
string(REPLACE "${find}" "${replace}" text "${text}")
file(WRITE "${OUTPUT}" "${text}")
