// Stands in for CANN's runtime (libascendcl.so): the device's memory is the host's, streams run at once, events are done
// when recorded.
#include <acl/acl.h>
#include <acl/acl_op_compiler.h>
#include <acl/acl_prof.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define STANDIN_API extern "C" __attribute__((visibility("default")))
// What this device has no need of, and what it does not have.
#define NOTHING(name, ...) \
  STANDIN_API aclError name(__VA_ARGS__) { return ACL_SUCCESS; }
#define NOT_SUPPORTED(name, ...) \
  STANDIN_API aclError name(__VA_ARGS__) { return ACL_ERROR_RT_FEATURE_NOT_SUPPORT; }

namespace {

using Clock = std::chrono::steady_clock;

struct Event {
  Clock::time_point at;
};

constexpr int kMostDevices = 64;
constexpr std::size_t kMemory = 8ull << 30;

int devices() {
  const char* given = std::getenv("STANDIN_CANN_DEVICES");
  const int wanted = given ? std::atoi(given) : 4;
  return wanted > 0 && wanted <= kMostDevices ? wanted : 1;
}

thread_local int device = -1;
thread_local std::string message;
char contexts[kMostDevices];
std::atomic<std::size_t> used;

aclError allocate(void** memory, std::size_t size) {
  constexpr std::size_t kAlignment = 512;
  if (posix_memalign(memory, kAlignment, size ? size : 1) != 0) return ACL_ERROR_RT_MEMORY_ALLOCATION;
  used += size;
  return ACL_SUCCESS;
}

aclError copy(void* to, std::size_t room, const void* from, std::size_t size) {
  if (size > room) return ACL_ERROR_INVALID_PARAM;
  std::memmove(to, from, size);
  return ACL_SUCCESS;
}

aclError create_stream(aclrtStream* stream) { return *stream = new char, ACL_SUCCESS; }
aclError destroy_stream(aclrtStream stream) { return delete static_cast<char*>(stream), ACL_SUCCESS; }
aclError create_event(aclrtEvent* event) { return *event = new Event, ACL_SUCCESS; }

}  // namespace

// Devices
NOTHING(aclInit, const char*)
NOTHING(aclFinalize)
STANDIN_API const char* aclGetRecentErrMsg() { return message.empty() ? nullptr : message.c_str(); }
STANDIN_API const char* aclrtGetSocName() { return "Ascend910B1"; }
STANDIN_API aclError aclrtGetDeviceCount(uint32_t* count) { return *count = static_cast<uint32_t>(devices()), ACL_SUCCESS; }
STANDIN_API aclError aclrtSetDevice(int32_t wanted) {
  if (wanted < 0 || wanted >= devices()) return ACL_ERROR_RT_INVALID_DEVICEID;
  return device = wanted, ACL_SUCCESS;
}
STANDIN_API aclError aclrtResetDevice(int32_t) { return device = -1, ACL_SUCCESS; }
STANDIN_API aclError aclrtGetDevice(int32_t* current) {
  return device < 0 ? ACL_ERROR_RT_CONTEXT_NULL : (*current = device, ACL_SUCCESS);
}
STANDIN_API aclError aclrtGetCurrentContext(aclrtContext* context) {
  return device < 0 ? ACL_ERROR_RT_CONTEXT_NULL : (*context = contexts + device, ACL_SUCCESS);
}
STANDIN_API aclError aclrtSetCurrentContext(aclrtContext context) {
  return device = static_cast<int>(static_cast<char*>(context) - contexts), ACL_SUCCESS;
}
STANDIN_API aclError aclrtGetRunMode(aclrtRunMode* mode) { return *mode = ACL_HOST, ACL_SUCCESS; }
NOTHING(aclrtSynchronizeDevice)
NOTHING(aclrtSynchronizeDeviceWithTimeout, int32_t)
STANDIN_API aclError aclrtDeviceCanAccessPeer(int32_t* can, int32_t, int32_t) { return *can = 1, ACL_SUCCESS; }
NOTHING(aclrtDeviceEnablePeerAccess, int32_t, uint32_t)
NOTHING(aclrtProcessReport, int32_t)
STANDIN_API aclError aclGetDeviceCapability(uint32_t, aclDeviceInfo info, int64_t* value) {
  return *value = info == ACL_DEVICE_INFO_L2_SIZE ? 192 << 20 : 24, ACL_SUCCESS;
}
STANDIN_API aclError aclGetCannAttributeList(const aclCannAttr** list, size_t* count) {
  static const aclCannAttr all[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16, ACL_CANN_ATTR_JIT_COMPILE};
  return *list = all, *count = std::size(all), ACL_SUCCESS;
}
STANDIN_API aclError aclGetCannAttribute(aclCannAttr attribute, int32_t* value) {
  return *value = attribute != ACL_CANN_ATTR_JIT_COMPILE, ACL_SUCCESS;
}
NOTHING(aclrtSetDeviceSatMode, aclrtFloatOverflowMode)
STANDIN_API aclError aclrtGetDeviceSatMode(aclrtFloatOverflowMode* mode) {
  return *mode = ACL_RT_OVERFLOW_MODE_INFNAN, ACL_SUCCESS;
}
NOTHING(aclrtSetSysParamOpt, aclSysParamOpt, int64_t)
NOTHING(aclrtCtxSetSysParamOpt, aclSysParamOpt, int64_t)
NOTHING(aclrtSetOpWaitTimeout, uint32_t)
NOTHING(aclrtSetOpExecuteTimeOut, uint32_t)

// Memory
STANDIN_API aclError aclrtMalloc(void** memory, size_t size, aclrtMemMallocPolicy) { return allocate(memory, size); }
STANDIN_API aclError aclrtMallocAlign32(void** memory, size_t size, aclrtMemMallocPolicy) { return allocate(memory, size); }
STANDIN_API aclError aclrtMallocHost(void** memory, size_t size) { return allocate(memory, size); }
STANDIN_API aclError aclrtFree(void* memory) { return std::free(memory), ACL_SUCCESS; }
STANDIN_API aclError aclrtFreeHost(void* memory) { return std::free(memory), ACL_SUCCESS; }
STANDIN_API aclError aclrtMemcpy(void* to, size_t room, const void* from, size_t size, aclrtMemcpyKind) {
  return copy(to, room, from, size);
}
STANDIN_API aclError aclrtMemcpyAsync(void* to, size_t room, const void* from, size_t size, aclrtMemcpyKind, aclrtStream) {
  return copy(to, room, from, size);
}
STANDIN_API aclError aclrtMemset(void* memory, size_t, int32_t value, size_t size) {
  return std::memset(memory, value, size), ACL_SUCCESS;
}
STANDIN_API aclError aclrtMemsetAsync(void* memory, size_t, int32_t value, size_t size, aclrtStream) {
  return std::memset(memory, value, size), ACL_SUCCESS;
}
STANDIN_API aclError aclrtGetMemInfo(aclrtMemAttr, size_t* free, size_t* total) {
  return *total = kMemory, *free = kMemory - std::min<std::size_t>(used, kMemory), ACL_SUCCESS;
}
// By its name, since torch_npu 2.1's headers do not declare it: attributes begin with the location, and 2 is "unregistered".
STANDIN_API aclError pointer_attributes(const void*, aclrtMemLocation* location) asm("aclrtPointerGetAttributes");
aclError pointer_attributes(const void*, aclrtMemLocation* location) {
  return location->type = static_cast<aclrtMemLocationType>(2), ACL_SUCCESS;
}
NOT_SUPPORTED(aclrtReserveMemAddress, void**, size_t, size_t, void*, uint64_t)
NOT_SUPPORTED(aclrtReleaseMemAddress, void*)
NOT_SUPPORTED(aclrtMallocPhysical, aclrtDrvMemHandle*, size_t, const aclrtPhysicalMemProp*, uint64_t)
NOT_SUPPORTED(aclrtFreePhysical, aclrtDrvMemHandle)
NOT_SUPPORTED(aclrtMapMem, void*, size_t, size_t, aclrtDrvMemHandle, uint64_t)
NOT_SUPPORTED(aclrtUnmapMem, void*)
NOT_SUPPORTED(aclrtMemExportToShareableHandle, aclrtDrvMemHandle, aclrtMemHandleType, uint64_t, uint64_t*)
NOT_SUPPORTED(aclrtMemImportFromShareableHandle, uint64_t, int32_t, aclrtDrvMemHandle*)
NOT_SUPPORTED(aclrtMemSetPidToShareableHandle, uint64_t, int32_t*, size_t)
NOT_SUPPORTED(aclrtDeviceGetBareTgid, int32_t*)

// Streams and events
STANDIN_API aclError aclrtCreateStream(aclrtStream* stream) { return create_stream(stream); }
STANDIN_API aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t, uint32_t) { return create_stream(stream); }
STANDIN_API aclError aclrtDestroyStream(aclrtStream stream) { return destroy_stream(stream); }
STANDIN_API aclError aclrtDestroyStreamForce(aclrtStream stream) { return destroy_stream(stream); }
NOTHING(aclrtSetStreamFailureMode, aclrtStream, uint64_t)
NOTHING(aclrtSetStreamOverflowSwitch, aclrtStream, uint32_t)
STANDIN_API aclError aclrtGetStreamOverflowSwitch(aclrtStream, uint32_t* on) { return *on = 0, ACL_SUCCESS; }
NOTHING(aclrtSynchronizeStream, aclrtStream)
NOTHING(aclrtSynchronizeStreamWithTimeout, aclrtStream, int32_t)
STANDIN_API aclError aclrtStreamQuery(aclrtStream, aclrtStreamStatus* status) {
  return *status = ACL_STREAM_STATUS_COMPLETE, ACL_SUCCESS;
}
NOTHING(aclrtStreamWaitEvent, aclrtStream, aclrtEvent)
STANDIN_API aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t) { return create_event(event); }
STANDIN_API aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t) { return create_event(event); }
STANDIN_API aclError aclrtDestroyEvent(aclrtEvent event) { return delete static_cast<Event*>(event), ACL_SUCCESS; }
STANDIN_API aclError aclrtRecordEvent(aclrtEvent event, aclrtStream) {
  return static_cast<Event*>(event)->at = Clock::now(), ACL_SUCCESS;
}
NOTHING(aclrtResetEvent, aclrtEvent, aclrtStream)
NOTHING(aclrtSynchronizeEvent, aclrtEvent)
STANDIN_API aclError aclrtQueryEventStatus(aclrtEvent, aclrtEventRecordedStatus* status) {
  return *status = ACL_EVENT_RECORDED_STATUS_COMPLETE, ACL_SUCCESS;
}
STANDIN_API aclError aclrtQueryEventWaitStatus(aclrtEvent, aclrtEventWaitStatus* status) {
  return *status = ACL_EVENT_WAIT_STATUS_COMPLETE, ACL_SUCCESS;
}
STANDIN_API aclError aclrtEventElapsedTime(float* milliseconds, aclrtEvent from, aclrtEvent to) {
  const auto passed = static_cast<Event*>(to)->at - static_cast<Event*>(from)->at;
  return *milliseconds = std::chrono::duration<float, std::milli>(passed).count(), ACL_SUCCESS;
}

// Logs, profiler, dumps
STANDIN_API void aclAppLog(aclLogLevel, const char*, const char*, uint32_t, const char*, ...) {}
STANDIN_API uint64_t MsprofGetHashId(const char*, size_t) { return 0; }
STANDIN_API int32_t MsprofReportApi(uint32_t, const void*) { return 0; }
STANDIN_API int32_t MsprofReportCompactInfo(uint32_t, const void*, uint32_t) { return 0; }
STANDIN_API uint64_t MsprofSysCycleTime() { return 0; }
NOTHING(aclmdlInitDump)
NOTHING(aclmdlFinalizeDump)
NOTHING(aclmdlSetDump, const char*)
NOT_SUPPORTED(rtDevBinaryRegister, const void*, void**)
NOT_SUPPORTED(rtFunctionRegister, void*, const void*, const char*, const void*, uint32_t)
NOT_SUPPORTED(rtKernelLaunch, const void*, uint32_t, void*, uint32_t, void*, void*)

// The graph engine, which torch_npu asks where libopapi.so has no operator: it has none, and says which was wanted.
struct aclDataBuffer {};
struct aclTensorDesc {
  aclDataType type;
  std::vector<int64_t> sizes;
  aclFormat format;
};
struct aclopAttr {};

STANDIN_API aclDataBuffer* aclCreateDataBuffer(void*, size_t) { return new aclDataBuffer; }
STANDIN_API aclError aclDestroyDataBuffer(const aclDataBuffer* buffer) { return delete buffer, ACL_SUCCESS; }
STANDIN_API aclTensorDesc* aclCreateTensorDesc(aclDataType type, int dimensions, const int64_t* sizes, aclFormat format) {
  return new aclTensorDesc{type, {sizes, sizes + dimensions}, format};
}
STANDIN_API void aclDestroyTensorDesc(const aclTensorDesc* tensor) { delete tensor; }
STANDIN_API aclDataType aclGetTensorDescType(const aclTensorDesc* tensor) { return tensor->type; }
STANDIN_API aclFormat aclGetTensorDescFormat(const aclTensorDesc* tensor) { return tensor->format; }
STANDIN_API size_t aclGetTensorDescNumDims(const aclTensorDesc* tensor) { return tensor->sizes.size(); }
STANDIN_API aclError aclGetTensorDescDimV2(const aclTensorDesc* tensor, size_t index, int64_t* size) {
  return index < tensor->sizes.size() ? (*size = tensor->sizes[index], ACL_SUCCESS) : ACL_ERROR_INVALID_PARAM;
}
STANDIN_API void aclSetTensorDescName(aclTensorDesc*, const char*) {}
NOTHING(aclSetTensorFormat, aclTensorDesc*, aclFormat)
NOTHING(aclSetTensorShape, aclTensorDesc*, int, const int64_t*)
NOTHING(aclSetTensorPlaceMent, aclTensorDesc*, aclMemType)
STANDIN_API aclopAttr* aclopCreateAttr() { return new aclopAttr; }
STANDIN_API void aclopDestroyAttr(const aclopAttr* attribute) { delete attribute; }
NOTHING(aclopSetAttrBool, aclopAttr*, const char*, uint8_t)
NOTHING(aclopSetAttrDataType, aclopAttr*, const char*, aclDataType)
NOTHING(aclopSetAttrFloat, aclopAttr*, const char*, float)
NOTHING(aclopSetAttrInt, aclopAttr*, const char*, int64_t)
NOTHING(aclopSetAttrString, aclopAttr*, const char*, const char*)
NOTHING(aclopSetAttrListBool, aclopAttr*, const char*, int, const uint8_t*)
NOTHING(aclopSetAttrListFloat, aclopAttr*, const char*, int, const float*)
NOTHING(aclopSetAttrListInt, aclopAttr*, const char*, int, const int64_t*)
NOTHING(aclopSetAttrListListInt, aclopAttr*, const char*, int, const int*, const int64_t* const[])

static aclError has_no(const char* operator_type) {
  message = std::string("standin-cann: the graph engine has no operator ") + operator_type;
  std::fprintf(stderr, "%s\n", message.c_str());
  return ACL_ERROR_OP_NOT_FOUND;
}
STANDIN_API aclError aclopCompileAndExecute(const char* type, int, const aclTensorDesc* const[],
                                            const aclDataBuffer* const[], int, const aclTensorDesc* const[],
                                            aclDataBuffer* const[], const aclopAttr*, aclopEngineType, aclopCompileType,
                                            const char*, aclrtStream) {
  return has_no(type);
}
STANDIN_API aclError aclopCompileAndExecuteV2(const char* type, int, aclTensorDesc*[], aclDataBuffer*[], int,
                                              aclTensorDesc*[], aclDataBuffer*[], aclopAttr*, aclopEngineType,
                                              aclopCompileType, const char*, aclrtStream) {
  return has_no(type);
}
NOTHING(aclSetCompileopt, aclCompileOpt, const char*)
STANDIN_API size_t aclGetCompileoptSize(aclCompileOpt) { return sizeof "disable"; }
STANDIN_API aclError aclGetCompileopt(aclCompileOpt, char* value, size_t room) {
  return std::snprintf(value, room, "disable"), ACL_SUCCESS;
}
