# Writes OUTPUT, a header with the commit of SOURCE ("-dirty" if files differ from it, "unknown" outside git).
# Run at every build; the file changes only when the commit does.
execute_process(COMMAND git -C ${SOURCE} describe --always --abbrev=40 --dirty --exclude=*
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\ninline constexpr char kBuildCommit[] = \"${commit}\";\n")
