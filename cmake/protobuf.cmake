# The messages of ONNX files, in a separate library because protoc's code does not pass our warnings.
set(messages ${PROJECT_BINARY_DIR}/generated)
add_custom_command(
  OUTPUT ${messages}/export/onnx.pb.cc ${messages}/export/onnx.pb.h
  COMMAND protobuf::protoc --proto_path=${PROJECT_SOURCE_DIR}/src --cpp_out=lite:${messages} export/onnx.proto
  DEPENDS ${PROJECT_SOURCE_DIR}/src/export/onnx.proto
  VERBATIM)
add_library(convoy_messages STATIC ${messages}/export/onnx.pb.cc)
target_include_directories(convoy_messages PRIVATE ${messages})
target_link_libraries(convoy_messages PUBLIC protobuf::libprotobuf-lite PRIVATE convoy_sanitizers)
