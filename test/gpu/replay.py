#!/usr/bin/env python3
"""Runs on a GPU what the simulator's unit tests ran, and compares every byte of memory; prints the kernels that differ.

Where the simulator is: TILE_SIM_RECORD=FOLDER tile-sim-machine-test. Where the GPU is: replay.py FOLDER. Kernels whose
result is the schedule's choice (orders of atomics, where lanes meet) may differ rightly. Exits with 1 if one differs.
"""
import argparse
import ctypes
import glob
import os
import sys

driver = ctypes.CDLL("libcuda.so.1")


def check(status):
    if status:
        text = ctypes.c_char_p()
        driver.cuGetErrorString(status, ctypes.byref(text))
        raise RuntimeError((text.value or b"unknown").decode())


class Run:
    """A recorded run: see `record` in test/unit/simulator/machine/RunPtx.cpp."""

    def __init__(self, stem):
        self.name = os.path.basename(stem)
        with open(stem + ".ptx", "rb") as file:
            self.ptx = file.read() + b"\0"
        with open(stem + ".launch") as file:
            numbers = [int(word) for word in file.read().split()]
        self.launch, self.shared, sizes = numbers[:6], numbers[6], numbers[7:]
        with open(stem + ".bytes", "rb") as file:
            self.before = [file.read(size) for size in sizes]
            self.after = [file.read(size) for size in sizes]

    def replay(self):
        """The tensors after the kernel has run on the GPU."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        check(driver.cuModuleLoadData(ctypes.byref(module), self.ptx))
        check(driver.cuModuleGetFunction(ctypes.byref(function), module, b"k"))
        pointers = [ctypes.c_uint64() for _ in self.before]
        for pointer, tensor in zip(pointers, self.before):
            check(driver.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(max(len(tensor), 1))))
            check(driver.cuMemcpyHtoD_v2(pointer, tensor, ctypes.c_size_t(len(tensor))))
        arguments = (ctypes.c_void_p * max(len(pointers), 1))(*[ctypes.addressof(pointer) for pointer in pointers])
        check(driver.cuLaunchKernel(function, *self.launch, self.shared, None, arguments, None))
        check(driver.cuCtxSynchronize())
        found = []
        for pointer, tensor in zip(pointers, self.before):
            data = ctypes.create_string_buffer(len(tensor))
            check(driver.cuMemcpyDtoH_v2(data, pointer, ctypes.c_size_t(len(tensor))))
            found.append(data.raw)
            check(driver.cuMemFree_v2(pointer))
        check(driver.cuModuleUnload(module))
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    options = parser.parse_args()
    context, device = ctypes.c_void_p(), ctypes.c_int()
    check(driver.cuInit(0))
    check(driver.cuDeviceGet(ctypes.byref(device), 0))
    check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    check(driver.cuCtxSetCurrent(context))
    stems = sorted(path[: -len(".ptx")] for path in glob.glob(os.path.join(options.folder, "*.ptx")))
    different = 0
    for run in map(Run, stems):
        try:
            found = run.replay()
        except RuntimeError as error:
            print(f"{run.name}: {error}", flush=True)
            different += 1
            if "PTX" not in str(error):  # a fault on the GPU ends the context
                break
            continue
        for number, (simulated, real) in enumerate(zip(run.after, found)):
            wrong = [i for i in range(len(real)) if real[i] != simulated[i]]
            if wrong:
                print(f"{run.name}: {len(wrong)} of {len(real)} bytes of p{number} differ, first {wrong[0]}", flush=True)
                different += 1
    print(f"{len(stems)} kernels, {different} differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
