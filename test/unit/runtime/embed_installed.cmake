# Installs libtile from BUILD, builds the project in SOURCE against it with CXX and GENERATOR, and runs the program
# without arguments.
function(must)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
must(${CMAKE_COMMAND} --install ${BUILD} --component tile --prefix ${WORK}/prefix)
must(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
     -DCMAKE_CXX_COMPILER=${CXX})
must(${CMAKE_COMMAND} --build ${WORK}/build)
execute_process(COMMAND ${WORK}/build/embed RESULT_VARIABLE code ERROR_VARIABLE text)
if(NOT code EQUAL 2 OR NOT text STREQUAL "usage: embed softmax.cubin\n")
  message(FATAL_ERROR "embed gave ${code} and: ${text}")
endif()
