"""What a program says of the libraries that it is linked with.

    python3 packaging/linkage.py PROGRAM      prints the oldest version of glibc that will do
"""
import re
import subprocess
import sys


def _read(program, what):
    command = ["readelf", what, "--wide", str(program)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed_libraries(program):
    """The shared libraries that it names."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", _read(program, "--dynamic"))


def is_of_c_library(name):
    return re.match(r"(libc|libm|ld-linux.*)\.so\.", name) is not None


def c_library(program):
    """The oldest version of glibc that has all that it asks for."""
    text = _read(program, "--version-info")
    versions = [tuple(map(int, found.split("."))) for found in re.findall(r"Name: GLIBC_([0-9.]+)", text)]
    # Relocations of this kind came with a version of their own, which is no number.
    return max(versions + ([(2, 36)] if "GLIBC_ABI_DT_RELR" in text else []))[:2]


if __name__ == "__main__":
    print(*c_library(sys.argv[1]), sep=".")
