# A thin front: CMake and Ninja do the work. `make help` lists the targets.
BUILD       ?= build
PREFIX      ?= /usr/local
CMAKE_FLAGS ?=
JOBS        ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 20
SKIP        ?= source|compilers|numbers|sweeps
CLANG       ?= $(firstword $(foreach c,clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14, \
                 $(shell command -v $(c) 2>/dev/null)) clang)

cmake = cmake -S . -G Ninja -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_FLAGS)
ninja = cmake --build $(1) -j $(JOBS) $(if $(2),--target $(2))
ctest = ctest --test-dir $(1) -j $(JOBS) --output-on-failure --no-tests=error --timeout 600

.PHONY: all demo check install deb wheel bench bench-device docs format fuzz sanitize clang clean deps deps-full deps-package help
.DEFAULT_GOAL := all

all: $(BUILD)/build.ninja ## build everything into build/, after installing what is missing
	$(call ninja,$(BUILD))

demo: $(BUILD)/build.ninja ## build haul and run its experiments: tables here, charts in build/lab/report.html
	$(call ninja,$(BUILD),haul_cli)
	$(BUILD)/haul lab --out $(BUILD)/lab
	@echo
	@echo "The report: $(abspath $(BUILD))/lab/report.html (a page for a browser), the numbers: $(BUILD)/lab/lab.json"

check: deps-full ## build and run all tests and the checks of the source
	$(cmake) -B $(BUILD) -DHAUL_TESTS=ON
	$(call ninja,$(BUILD))
	$(call ctest,$(BUILD))

install: all ## install below PREFIX (default /usr/local)
	cmake --install $(BUILD) --prefix $(PREFIX)

deb: deps-package ## the Debian packages haul and libhaul-dev, into build-deb/
	$(cmake) -B build-deb -DCMAKE_INSTALL_PREFIX=/usr -DHAUL_PACKAGE=ON -DHAUL_TESTS=OFF -DHAUL_BENCH=OFF
	$(call ninja,build-deb)
	rm -f build-deb/*.deb build-deb/*.whl
	cd build-deb && cpack

wheel: all ## a wheel for Python with the package, the library and the command, into build/
	tools/make-wheel $(BUILD)

bench: $(BUILD)/build.ninja ## the speed of the virtual GPU; haul's kernels on it, estimated, or on a GPU, measured
	$(call ninja,$(BUILD))
	$(BUILD)/bench/bench_simulator
	$(BUILD)/haul bench

bench-device: $(BUILD)/build.ninja ## measure haul's kernels and peers on GPU 0 in five processes, into bench/results
	$(call ninja,$(BUILD))
	bench/run.sh $(BUILD)/haul --device gpu:0

docs: deps-full $(BUILD)/build.ninja ## the documentation as a site into build/docs/html; refresh the pages made from tables
	$(call ninja,$(BUILD),haul_cli haul_gen_man haul_gen_ptx_docs haul_gen_check_docs haul_gen_runtime_docs)
	tools/gen-api exports >$(BUILD)/exports.map && mv $(BUILD)/exports.map src/exports.map
	tools/gen-api python >$(BUILD)/_api.py && mv $(BUILD)/_api.py python/haul/_api.py
	$(BUILD)/tools/haul_gen_man docs/man/haul.1.in >docs/man/haul.1
	$(BUILD)/tools/haul_gen_ptx_docs >docs/ptx.md
	$(BUILD)/tools/haul_gen_check_docs docs/check.md.in >docs/check.md
	$(BUILD)/tools/haul_gen_runtime_docs runtime >docs/runtime.md
	$(BUILD)/tools/haul_gen_runtime_docs driver >docs/driver.md
	tools/accuracy $(BUILD) >$(BUILD)/accuracy.md && mv $(BUILD)/accuracy.md docs/accuracy.md
	RENEW=1 sh tests/asyncbugs/run.sh . $(BUILD)
	tools/site/draw-picture $(BUILD)/haul >docs/images/row_sums.svg
	tools/make-docs $(BUILD)/docs

format: ## clang-format 14 over all C and CUDA sources
	tools/check-style --fix

fuzz: deps-full ## run each fuzz target for FUZZ_SECONDS (default 20), built with Clang, ASan and UBSan
	CC=$(CLANG) $(cmake) -B build-fuzz -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O1 -gline-tables-only' \
	    -DHAUL_FUZZ=ON -DHAUL_BENCH=OFF -DHAUL_TESTS=OFF -DHAUL_NATIVE_ONLY=ON -DHAUL_SANITIZE=address,undefined
	$(call ninja,build-fuzz,fuzz_targets)
	tools/run-fuzz build-fuzz $(FUZZ_SECONDS) $(JOBS)

sanitize: deps-full ## build with ASan and UBSan into build-asan/, run the tests there but those with a label of SKIP
	$(cmake) -B build-asan -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O2 -g1' -DHAUL_TESTS=ON -DHAUL_BENCH=OFF \
	    -DHAUL_NATIVE_ONLY=ON -DHAUL_SANITIZE=address,undefined
	$(call ninja,build-asan)
	$(call ctest,build-asan) --label-exclude '$(SKIP)'

clang: deps-full ## build with Clang into build-clang/, run the tests there but those with a label of SKIP
	CC=$(CLANG) $(cmake) -B build-clang -DHAUL_TESTS=ON
	$(call ninja,build-clang)
	$(call ctest,build-clang) --label-exclude '$(SKIP)'

clean: ## remove every build folder
	rm -rf build build-asan build-clang build-deb build-fuzz

deps:
	@tools/install-deps.sh --minimal
deps-package:
	@tools/install-deps.sh --package
deps-full:
	@tools/install-deps.sh

$(BUILD)/build.ninja: | deps
	$(cmake) -B $(BUILD)

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 14
