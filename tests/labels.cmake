# Gives each discovered test its labels, by the folder of the file that defines it. ctest reads this
# when it starts, so a new test has its label without configuring again.
#
#   tests/ops, tests/kernels   op        forward and gradient against a plain reference
#   tests/golden               golden    graph text after a pass
#   tests/runs, tests/app      run       starts trainings or the program itself
#   any other                  unit
# A suite whose name ends in Op, Golden, Catalog (every model, optimizer, ...), Run, Dist (starts mpirun) or Perf (alone,
# never beside another test) has that label wherever its file is.
cmake_policy(VERSION 3.25)
set(tests_folder "@CMAKE_CURRENT_SOURCE_DIR@")

set(folders_op ops kernels)
set(folders_golden golden)
set(folders_run runs app)

# folder_<Suite.Name> is where TEST(Suite, Name) stands.
file(GLOB_RECURSE files RELATIVE ${tests_folder} ${tests_folder}/*_test.cpp)
foreach(file IN LISTS files)
  string(REGEX REPLACE "/.*" "" folder ${file})
  file(STRINGS ${tests_folder}/${file} lines REGEX "^(TYPED_)?TEST(_F|_P)?\\([A-Za-z0-9_]+, *[A-Za-z0-9_]+\\)")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[A-Z_]+\\(([A-Za-z0-9_]+), *([A-Za-z0-9_]+)\\).*" "\\1.\\2" name "${line}")
    set(folder_${name} ${folder})
  endforeach()
endforeach()

foreach(test IN LISTS convoy_tests_TESTS)
  # Prefix/Suite.Name/value, Suite.Name<type> -> Suite.Name
  set(folder "")
  string(REGEX MATCH "^([^.]+)\\.([^/<]+)" parts "${test}")
  string(REPLACE "/" ";" suites "${CMAKE_MATCH_1}")
  set(name "${CMAKE_MATCH_2}")
  set(suite "")
  foreach(part IN LISTS suites)
    if(DEFINED folder_${part}.${name})
      set(folder ${folder_${part}.${name}})
      set(suite ${part})
    endif()
  endforeach()

  set(label unit)
  foreach(known op golden run)
    if(folder IN_LIST folders_${known})
      set(label ${known})
    endif()
  endforeach()
  if(suite MATCHES "(Op|Golden|Catalog|Run|Dist|Perf)$")
    string(TOLOWER ${CMAKE_MATCH_1} label)
  endif()
  set_tests_properties("${test}" PROPERTIES LABELS ${label})
  # What tells a process that hangs from one that is slow must not be made slow by its neighbours.
  if(label STREQUAL perf OR suite MATCHES "^(PeerWatch|LaunchTrainRun|StopJobsRun|StopJobRun|HungDiskRun|Supervisor)")
    set_tests_properties("${test}" PROPERTIES RUN_SERIAL TRUE)
  endif()
endforeach()
