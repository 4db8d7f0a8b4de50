# Everything runs in .venv, which `make venv` makes from a lock file; see CONTRIBUTING.md.
# BLENDER=4.5 | 5.0 | 5.3 takes an environment of its own with that Blender, as in `make test BLENDER=4.5`.
VENV = .venv$(if $(BLENDER),-$(BLENDER))
LOCK = $(if $(BLENDER),--lock requirements/blender-$(BLENDER).lock)
PYTHON = $(VENV)/bin/python
VERSIONS_ = 3.11 3.13
VERSIONS_4.5 = 3.11
VERSIONS_5.0 = 3.11
VERSIONS_5.3 = 3.13
# Every process that loads Blender's module gets a limit in seconds: some of its faults hang at exit.
LIMIT := $(shell command -v timeout || command -v gtimeout)
WITHIN = $(if $(LIMIT),$(LIMIT) --kill-after=10 $(1))

# A folder with a Debian root for the window tests, made where there is none; its name is the suite of Debian.
WINDOW_ROOT ?= $(HOME)/.cache/brittle/window/sid

.PHONY: demo gallery test test-core test-blender test-window fuzz lint build bench venv lock clean

demo: venv
	$(call WITHIN,1800) $(PYTHON) tools/demo.py

# One panel for each kind of pieces, of six broken meshes, of nine rough surfaces, and film strips of motion and of matter
# of springs: pieces.png, meshes.png, surfaces.png, forces.png, motion.png and springs.png in build/gallery.
gallery: venv
	$(call WITHIN,4500) $(PYTHON) tools/gallery.py
	$(call WITHIN,900) $(PYTHON) tools/gallery_motion.py
	$(call WITHIN,900) $(PYTHON) tools/gallery_springs.py

# TESTS=tests/blender/test_job.py runs some of those with Blender alone.
test: test-core test-blender

test-core: venv
	$(PYTHON) -m pytest --durations=15 tests --ignore=tests/blender

test-blender: venv
	$(call WITHIN,3600) $(PYTHON) -m pytest --durations=15 $(or $(TESTS),tests/blender)

# The real Blender in a Debian root, its window on a screen without a monitor, the built zip installed, driven by mouse and
# keys. Needs the rights of root; making the root takes minutes and 2 GB, once. Pictures go to build/window, among them
# the film strip of the README.
test-window: build
	tests/window/make_root.sh $(WINDOW_ROOT) $(notdir $(WINDOW_ROOT))
	BRITTLE_WINDOW_ROOT=$(WINDOW_ROOT) BRITTLE_WINDOW_ZIP=$$(ls -t build/brittle-*-linux_x64.zip | head -1) \
		$(call WITHIN,1800) $(PYTHON) -m pytest -x -rs tests/window

# Random meshes and partitions, and random scenes in which something breaks: an hour and three for all 10,000 of each;
# each bad case is named by the command that runs it again. CASES=500 runs fewer, SEED=2 others, PROCESSES=2 cuts two
# meshes at a time. Then random settings, and what a click does to each primitive of Blender as each material at three
# sizes: hours for all of them.
fuzz: venv
	$(PYTHON) -m tests.fuzz.run --cases $(or $(CASES),10000) --seed $(or $(SEED),1) --processes $(or $(PROCESSES),1)
	$(call WITHIN,36000) $(PYTHON) -m tests.fuzz_scenes.run --cases $(or $(CASES),10000) --seed $(or $(SEED),1)
	$(call WITHIN,36000) $(PYTHON) -m tests.fuzz_settings.run --cases $(or $(CASES),500) --seed $(or $(SEED),1)
	$(call WITHIN,36000) $(PYTHON) -m tests.default_break.run --seed $(or $(SEED),1)

lint: venv
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy

# PLATFORM=windows-x64 | linux-x64 | macos-arm64; this machine's when it is not given.
build: venv
	$(PYTHON) tools/build.py $(if $(PLATFORM),--platform $(PLATFORM))

# NAME=cut runs tests/bench/bench_cut.py alone.
bench: venv
	$(PYTHON) tools/bench.py $(NAME)

venv:
	@python=$$(sh tools/find_python.sh $(VERSIONS_$(BLENDER))) && "$$python" tools/venv.py $(VENV) $(LOCK)

# After a change to requirements/*.in; needs uv (`pip install uv`).
lock: venv
	$(PYTHON) tools/lock.py

clean:
	rm -rf build .venv .venv-* .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find core operators panels tests tools -name __pycache__ -prune -exec rm -rf {} +
