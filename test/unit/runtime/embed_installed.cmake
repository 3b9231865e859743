# Installs COMPONENT from BUILD, builds the project in SOURCE against it with CXX and GENERATOR, and runs its PROGRAM
# without arguments, which has to give EXPECTED.
function(must)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
must(${CMAKE_COMMAND} --install ${BUILD} --component ${COMPONENT} --prefix ${WORK}/prefix)
must(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
     -DCMAKE_CXX_COMPILER=${CXX})
must(${CMAKE_COMMAND} --build ${WORK}/build)
execute_process(COMMAND ${WORK}/build/${PROGRAM} RESULT_VARIABLE code ERROR_VARIABLE text)
if(NOT code EQUAL 2 OR NOT text STREQUAL "${EXPECTED}\n")
  message(FATAL_ERROR "${PROGRAM} gave ${code} and: ${text}")
endif()
