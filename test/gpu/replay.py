#!/usr/bin/env python3
"""Runs on a GPU what the simulator's unit tests ran, and compares every byte of memory; prints the kernels that differ.

Where the simulator is: TILE_SIM_RECORD=FOLDER tile-sim-machine-test. Where the GPU is: replay.py FOLDER. Where NAME.cubin
lies beside NAME.ptx it is taken, else the driver compiles. Exits with 1 if a kernel differs.
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
        code = stem + ".cubin" if os.path.exists(stem + ".cubin") else stem + ".ptx"
        with open(code, "rb") as file:
            self.code = file.read() + b"\0"
        with open(stem + ".launch") as file:
            numbers = [int(word) for word in file.read().split()]
        self.launch, self.shared, sizes = numbers[:6], numbers[6], numbers[7:]
        with open(stem + ".bytes", "rb") as file:
            self.before = [file.read(size) for size in sizes]
            self.after = [file.read(size) for size in sizes]

    def replay(self):
        """The tensors after the kernel has run on the GPU."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        check(driver.cuModuleLoadData(ctypes.byref(module), self.code))
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
    parser.add_argument("--from", dest="first", type=int, default=0, help="the kernel to begin with")
    options = parser.parse_args()
    context, device = ctypes.c_void_p(), ctypes.c_int()
    check(driver.cuInit(0))
    check(driver.cuDeviceGet(ctypes.byref(device), 0))
    check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    check(driver.cuCtxSetCurrent(context))
    stems = sorted(path[: -len(".ptx")] for path in glob.glob(os.path.join(options.folder, "*.ptx")))
    different = 0
    for place, run in enumerate(map(Run, stems)):
        if place < options.first:
            continue
        try:
            found = run.replay()
        except RuntimeError as error:
            print(f"{run.name}: {error}", flush=True)
            different += 1
            if "PTX" in str(error):
                continue
            # A fault on the GPU ends the context; the rest gets another one.
            os.execv(sys.executable, [sys.executable, *sys.argv[:2], "--from", str(place + 1)])
        for number, (simulated, real) in enumerate(zip(run.after, found)):
            wrong = [i for i in range(len(real)) if real[i] != simulated[i]]
            if wrong:
                print(f"{run.name}: {len(wrong)} of {len(real)} bytes of p{number} differ, first {wrong[0]}", flush=True)
                different += 1
    print(f"{len(stems)} kernels, {different} differences")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
