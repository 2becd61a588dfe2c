# Read by the tests of this folder: Debian's Python, which has venv and numpy as packages, or another one; and the library.
#   . "$1/tests/python/python.sh"   where $1 is the root of the source and $2 the build folder
. "$1/tests/want.sh"
build=$2
[ -e "$build/libhaul.so" ] || { echo "no libhaul.so: a build with sanitizers has none, and Python could not load it" && exit 77; }
python=/usr/bin/python3
[ -x $python ] || python=$(command -v python3)
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV HAUL_TOOLCHAIN
