// The device: memory, streams and events of "npu:0" .. "npu:N-1", all of them on the host and all of them synchronous.
// Paddle looks for InitPlugin in every library of CUSTOM_DEVICE_ROOT and fills its table from what it finds here.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "copies.hpp"
#include "fault_file.hpp"
#include "faults.hpp"
#include "paddle/phi/backends/device_ext.h"
#include "registration.hpp"

namespace {

thread_local int current_device = 0;

int device_count() {
  const char* text = std::getenv("STANDIN_NPU_COUNT");
  return text ? std::atoi(text) : 4;
}

C_Status nothing() { return C_SUCCESS; }
C_Status device_nothing(const C_Device) { return C_SUCCESS; }
C_Status stream_nothing(const C_Device, C_Stream) { return C_SUCCESS; }
C_Status event_nothing(const C_Device, C_Event) { return C_SUCCESS; }
C_Status stream_event_nothing(const C_Device, C_Stream, C_Event) { return C_SUCCESS; }

C_Status set_device(const C_Device device) {
  current_device = device->id;
  return C_SUCCESS;
}
C_Status get_device(const C_Device device) {
  device->id = current_device;
  return C_SUCCESS;
}
C_Status get_device_count(size_t* count) {
  *count = static_cast<size_t>(device_count());
  return C_SUCCESS;
}
C_Status get_device_list(size_t* list) {
  for (int i = 0; i < device_count(); ++i) list[i] = static_cast<size_t>(i);
  return C_SUCCESS;
}

// Streams and events need only be non-null.
C_Status create_stream(const C_Device, C_Stream* stream) {
  *stream = reinterpret_cast<C_Stream>(1);
  return C_SUCCESS;
}
C_Status create_event(const C_Device, C_Event* event) {
  *event = reinterpret_cast<C_Event>(1);
  return C_SUCCESS;
}
C_Status add_callback(const C_Device device, C_Stream stream, C_Callback callback, void* data) {
  C_Status status = C_SUCCESS;
  callback(device, stream, data, &status);
  return status;
}

C_Status allocate(const C_Device, void** memory, size_t bytes) {
  *memory = nullptr;
  return posix_memalign(memory, 64, bytes ? bytes : 64) == 0 ? C_SUCCESS : C_FAILED;
}
C_Status deallocate(const C_Device, void* memory, size_t) {
  std::free(memory);
  return C_SUCCESS;
}
C_Status copy(const C_Device, void* to, const void* from, size_t bytes) {
  std::memcpy(to, from, bytes);
  return C_SUCCESS;
}
C_Status copy_async(const C_Device device, C_Stream, void* to, const void* from, size_t bytes) {
  return copy(device, to, from, bytes);
}
C_Status copy_peer(const C_Device, const C_Device to_device, void* to, const void* from, size_t bytes) {
  return copy(to_device, to, from, bytes);
}
C_Status copy_peer_async(const C_Device, const C_Device to_device, C_Stream, void* to, const void* from, size_t bytes) {
  return copy(to_device, to, from, bytes);
}
C_Status memory_stats(const C_Device, size_t* total, size_t* free_bytes) {
  *total = size_t{8} << 30;
  *free_bytes = size_t{6} << 30;
  return C_SUCCESS;
}
C_Status min_chunk_size(const C_Device, size_t* bytes) {
  *bytes = 64;
  return C_SUCCESS;
}

void fill(C_DeviceInterface& device) {
  std::memset(reinterpret_cast<char*>(&device) + sizeof(device.size), 0, sizeof(device) - sizeof(device.size));
  device.initialize = device.finalize = nothing;
  device.init_device = device.deinit_device = device.synchronize_device = device_nothing;
  device.set_device = set_device;
  device.get_device = get_device;
  device.get_device_count = get_device_count;
  device.get_device_list = get_device_list;
  device.create_stream = create_stream;
  device.destroy_stream = device.query_stream = device.synchronize_stream = stream_nothing;
  device.stream_add_callback = add_callback;
  device.create_event = create_event;
  device.destroy_event = device.query_event = device.synchronize_event = event_nothing;
  device.record_event = device.stream_wait_event = stream_event_nothing;
  device.device_memory_allocate = device.host_memory_allocate = device.unified_memory_allocate = allocate;
  device.device_memory_deallocate = device.host_memory_deallocate = device.unified_memory_deallocate = deallocate;
  device.memory_copy_h2d = device.memory_copy_d2h = device.memory_copy_d2d = copy;
  device.async_memory_copy_h2d = device.async_memory_copy_d2h = device.async_memory_copy_d2d = copy_async;
  device.memory_copy_p2p = copy_peer;
  device.async_memory_copy_p2p = copy_peer_async;
  device.device_memory_stats = memory_stats;
  device.device_min_chunk_size = min_chunk_size;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void InitPlugin(CustomRuntimeParams* params) {
  PADDLE_CUSTOM_RUNTIME_CHECK_VERSION(params);
  params->device_type = const_cast<char*>(standin::device_type());
  fill(*params->interface);
  standin::copy_without_threads();

  if (const char* path = std::getenv("STANDIN_NPU_FAULTS")) {
    const std::string mistake = standin::plant_faults(path);
    if (!mistake.empty()) {
      std::fprintf(stderr, "standin-npu: %s\n", mistake.c_str());
      std::_Exit(2);
    }
  }
}
