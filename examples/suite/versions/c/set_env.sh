# Selects this version of the stand-in NPU's software.
STANDIN_NPU_HOME=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export STANDIN_NPU_HOME STANDIN_NPU_FAULTS=$STANDIN_NPU_HOME/faults.json
export CUSTOM_DEVICE_ROOT=$STANDIN_NPU_HOME/../../../../build/standin-npu
