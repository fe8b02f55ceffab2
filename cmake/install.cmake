# What `cmake --install build --prefix DIR` puts there, for a kernel project elsewhere: find_package(socketlab) gives
#   socketlab::command   the program bin/socketlab, for a test that runs `socketlab gpu-check --candidate LIBRARY`
#   socketlab::header    the folder of socketlab_gpu.h, for a library that offers the same functions
#   socketlab::gpu       libsocketlab_gpu with that header; only where gpu/ was compiled: socketlab_HAS_GPU says so
# tests/install/consumer is such a project, built against an installed prefix by the tests.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/socketlab)

add_library(skt_header INTERFACE)
set_target_properties(skt_header PROPERTIES EXPORT_NAME header)
target_include_directories(skt_header INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(socketlab PROPERTIES EXPORT_NAME command)
install(TARGETS skt_header socketlab EXPORT socketlabTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES gpu/socketlab_gpu.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY plots/ DESTINATION ${CMAKE_INSTALL_DATADIR}/socketlab/plots
        FILES_MATCHING PATTERN "*.py" PATTERN "*.html" PATTERN "*.css" PATTERN "*.js")
# What the family `learned` is read from where no file is named, and its licence.
install(FILES experiments/families/learned_heads.safetensors experiments/families/learned_heads.NOTICE
        DESTINATION ${CMAKE_INSTALL_DATADIR}/socketlab/experiments/families)

if(SKT_HAVE_CUDA)
  set_target_properties(socketlab_gpu PROPERTIES EXPORT_NAME gpu)
  target_include_directories(socketlab_gpu INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(TARGETS socketlab_gpu EXPORT socketlabTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(TARGETS socketlab-gpu RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(EXPORT socketlabTargets NAMESPACE socketlab:: DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/socketlabConfig.cmake.in
  ${PROJECT_BINARY_DIR}/socketlabConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/socketlabConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/socketlabConfig.cmake ${PROJECT_BINARY_DIR}/socketlabConfigVersion.cmake
        DESTINATION ${package_folder})
