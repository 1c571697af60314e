# Run by ctest when it starts (TEST_INCLUDE_FILES), so that `ctest -R` finds single cases: for all of them it takes 0.2 s.

# bisectd_cases(ROOM PROGRAM CHOSEN): every Catch2 case of a room's program that is chosen becomes a test named "ROOM: CASE".
function(bisectd_cases room program chosen)
  execute_process(COMMAND ${program} --list-test-names-only ${chosen} OUTPUT_VARIABLE names RESULT_VARIABLE count ERROR_QUIET)
  if(names STREQUAL "")
    add_test("${room}: not built" ${program})
    set_tests_properties("${room}: not built" PROPERTIES LABELS ${room})
  endif()
  # No CMake list: names hold semicolons and brackets.
  string(LENGTH "${names}" length)
  while(length GREATER 0)
    string(FIND "${names}" "\n" end)
    string(SUBSTRING "${names}" 0 ${end} name)
    math(EXPR next "${end} + 1")
    string(SUBSTRING "${names}" ${next} -1 names)
    string(LENGTH "${names}" length)
    string(REGEX REPLACE "([][\\,\"*~])" "\\\\\\1" pattern "${name}")
    # Without NoTests a name that matches nothing would pass.
    add_test("${room}: ${name}" ${program} --warn NoTests "${pattern}")
    set_tests_properties("${room}: ${name}" PROPERTIES LABELS ${room})
    if(room MATCHES "^(strategies|judge)$")
      set_tests_properties("${room}: ${name}" PROPERTIES RESOURCE_GROUPS computing:1 COST 300)
    endif()
  endwhile()
endfunction()

# bisectd_methods(NAME SCRIPT PYTHON LABELS ENVIRONMENT): every method of a Python test file as a test "NAME: CLASS.METHOD". A class
# without a base is a mixin: its methods are those of the classes below it. A class with a setUpClass and methods is one test,
# "NAME: CLASS": what they share is made once.
function(bisectd_methods name script python labels environment)
  # Not those of the trainings in its texts, whose bases are nn.Layer and the like.
  file(STRINGS ${script} lines REGEX "^class [A-Za-z]+(:|[(]([A-Za-z]+, )?([A-Za-z]+|unittest[.]TestCase)[)]:)|^    def (test_|setUpClass)")
  foreach(line IN LISTS lines)
    if(line MATCHES "^class ([A-Za-z_]+)(.*)")
      set(class ${CMAKE_MATCH_1})
      set(bases "${CMAKE_MATCH_2}")
      set(${class}_is_case OFF)
      if(bases MATCHES "^[(]")
        set(${class}_is_case ON)
      endif()
      string(REGEX MATCHALL "[A-Za-z_]+" bases "${bases}")
      foreach(base IN LISTS bases)
        foreach(method IN LISTS ${base}_methods)
          bisectd_method(${name} ${script} ${python} "${labels}" "${environment}" ${class}.${method})
        endforeach()
      endforeach()
    elseif(line MATCHES "def setUpClass")
      set(shares ${class})
    elseif(line MATCHES "def (test_[a-zA-Z0-9_]+)")
      if("${shares}" STREQUAL class)
        if(NOT "${whole}" STREQUAL class)
          bisectd_method(${name} ${script} ${python} "${labels}" "${environment}" ${class})
          set(whole ${class})
        endif()
      elseif(${class}_is_case)
        bisectd_method(${name} ${script} ${python} "${labels}" "${environment}" ${class}.${CMAKE_MATCH_1})
      else()
        list(APPEND ${class}_methods ${CMAKE_MATCH_1})
      endif()
    endif()
  endforeach()
endfunction()

function(bisectd_method name script python labels environment method)
  set(test "${name}: ${method}")
  add_test("${test}" ${python} -B ${script} ${method})
  set_tests_properties("${test}" PROPERTIES TIMEOUT 3600 SKIP_RETURN_CODE 77 SKIP_REGULAR_EXPRESSION "OK .skipped=1."
    LABELS "${labels}" ENVIRONMENT "${environment}" ENVIRONMENT_MODIFICATION "PATH=path_list_prepend:/usr/bin")  # whose python3 starts soonest
  # What computes all the time (searches of `strategies`, verdicts of `judge`, tests with a framework, which train twice at once) runs beside no
  # more of its kind than there are processors (slots.json), and what waits most of the time runs beside that. The longest begin first.
  if(labels MATCHES "framework")
    set_tests_properties("${test}" PROPERTIES PROCESSORS 2 RESOURCE_GROUPS computing:1 COST 1000)
    if(name MATCHES "_paddle_upgrade$")
      set_tests_properties("${test}" PROPERTIES COST 2500)
    elseif(name MATCHES "_(examples_paddle|story_torch)$")  # long ones, which would else be the last
      set_tests_properties("${test}" PROPERTIES COST 1800)
    endif()
  elseif(labels MATCHES "slow")
    set_tests_properties("${test}" PROPERTIES COST 500)
  elseif(name MATCHES "_(ci|fixes|signals|soak)$")  # what waits longest: limits of time, steps whose speed is measured
    set_tests_properties("${test}" PROPERTIES COST 200)
  elseif(labels MATCHES "end_to_end")
    set_tests_properties("${test}" PROPERTIES COST 100)
  endif()
endfunction()
