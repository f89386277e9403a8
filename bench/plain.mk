# plain.mk - builds gpuplan and its CUDA engine with gcc, GNU make and CUDA's headers alone:
# no autotools. For a machine where nothing can be installed, and for a folder that is
# carried to one. From the top folder:
#
#   make -f bench/plain.mk                   ./gpuplan and ./gpuplan-bench-cuda
#   make -f bench/plain.mk gpuplan-bench-cuda CUDA=/opt/cuda-12.4 CC=gcc-12
#   make -f bench/plain.mk STATIC=1          they need libc and libm where they run
#   make -f bench/plain.mk gpu-kit           both, profiles and check-gpu in one folder
#
# CUDA      the toolkit, of which only headers are used (default: $CUDA_HOME, else
#           /usr/local/cuda); INCLUDES where they lie in several folders
# STATIC    not empty: jansson, libconfig and ncurses from their .a files
# TUI       empty: no terminal screens, no ncurses
# BUILD     where objects go (default: plain-build)
# TO        where the programs go (default: here)
#
# CUDA's libraries are opened when the engine runs (cuda_library.h). `clean` removes what
# was built.

include src/files.mk

CUDA ?= $(or $(CUDA_HOME),/usr/local/cuda)
INCLUDES ?= -isystem $(CUDA)/include
CFLAGS ?= -O2 -g -Wall -Wextra
BUILD ?= plain-build
TO ?= .
TUI ?= yes
STATIC ?=
VERSION := $(shell sed -n 's/^AC_INIT(\[gpuplan\], \[\(.*\)\])/\1/p' configure.ac)
KIT ?= gpuplan-$(VERSION)-gpu-kit

static_jansson = -l:libjansson.a
static_config = -l:libconfig.a
static_curses = -l:libncursesw.a -l:libtinfo.a
flags_of = $(shell pkg-config --$(1) $(2) 2>/dev/null)
libs_of = $(if $(STATIC),$(3),$(or $(call flags_of,libs,$(1)),$(2)))
JANSSON_LIBS ?= $(call libs_of,jansson,-ljansson,$(static_jansson))
LIBCONFIG_LIBS ?= $(call libs_of,libconfig,-lconfig,$(static_config))
NCURSESW_LIBS ?= $(if $(TUI),$(call libs_of,ncursesw,-lncursesw -ltinfo,$(static_curses)))

flags = -std=gnu11 -D_GNU_SOURCE -DGP_VERSION='"$(VERSION)"' \
	$(if $(TUI),-DGP_HAVE_CURSES) -I. -Isrc -I$(BUILD) \
	$(call flags_of,cflags,jansson libconfig $(if $(TUI),ncursesw)) $(CFLAGS)
objects = $(patsubst %.c,$(BUILD)/%.o,$(filter %.c,$(1)))
common_objects = $(call objects,$(libgpuplan_a_SOURCES))
cuda_objects = $(call objects,$(cuda_engine_sources))
gpuplan_objects = $(call objects,$(gpuplan_SOURCES))

programs: $(TO)/gpuplan $(TO)/gpuplan-bench-cuda
gpuplan: $(TO)/gpuplan
gpuplan-bench-cuda: $(TO)/gpuplan-bench-cuda

# A static library, of which each program takes what it needs.
$(BUILD)/libgpuplan.a: $(common_objects)
	rm -f $@ && ar rcs $@ $(common_objects)

$(TO)/gpuplan: $(gpuplan_objects) $(BUILD)/libgpuplan.a
	@mkdir -p $(TO)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBCONFIG_LIBS) $(JANSSON_LIBS) $(NCURSESW_LIBS) \
	  -lm -ldl -lpthread

$(TO)/gpuplan-bench-cuda: $(cuda_objects) $(BUILD)/libgpuplan.a
	@mkdir -p $(TO)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(JANSSON_LIBS) -lm -ldl -lpthread

# ---- libgpuplan.so.0, of objects of its own (position independent) -------------------------
#
#   make lib [LIB=lib-build] [STATIC=1] [DATA=FILE.tar]    DATA: the profiles within

LIB ?= lib-build
PKGDATADIR ?= /usr/local/share/gpuplan
lib_objects = $(LIB)/src/lib/gpuplan.o $(if $(DATA),$(LIB)/builtin.o)
lib:
	$(MAKE) -f bench/plain.mk BUILD=$(LIB) CFLAGS='$(CFLAGS) -fPIC -fvisibility=hidden \
	  -DGP_PKGDATADIR=\"$(PKGDATADIR)\"' $(LIB)/libgpuplan.so.0
$(LIB)/builtin.o: tools/builtin.S $(DATA)
	$(CC) -DDATA='"$(DATA)"' -c $< -o $@
$(LIB)/libgpuplan.so.0: $(lib_objects) $(BUILD)/libgpuplan.a
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libgpuplan.so.0 -Wl,-z,defs \
	  -Wl,--version-script=src/lib/gpuplan.map -o $@ $^ $(LIBCONFIG_LIBS) $(JANSSON_LIBS) \
	  -lm -ldl -lpthread
	ln -sf libgpuplan.so.0 $(LIB)/libgpuplan.so

$(cuda_objects): flags += $(INCLUDES)
$(BUILD)/%.o: %.c $(BUILD)/gpuplan_git.h
	@mkdir -p $(@D)
	$(CC) $(flags) -MMD -c -o $@ $<

$(BUILD)/gpuplan_git.h:
	@mkdir -p $(@D)
	echo '#define GP_GIT "'`git describe --always --dirty 2>/dev/null`'"' >$@

-include $(patsubst %.o,%.d,$(common_objects) $(cuda_objects) $(gpuplan_objects))

# ---- a folder to carry -------------------------------------------------------------------

gpu_files = tests/gpu/check-gpu.sh tests/gpu/expected.txt tests/gpu/torch_ref.py

$(TO)/tests/gpu/judge: $(BUILD)/tests/gpu/judge.o $(BUILD)/libgpuplan.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(JANSSON_LIBS) -lm

# Objects of its own: what is built here otherwise is left alone.
gpu-kit:
	rm -rf $(KIT) $(KIT).tar.gz
	$(MAKE) -f bench/plain.mk STATIC=1 BUILD=$(BUILD)/kit TO=$(KIT) programs \
	  $(KIT)/tests/gpu/judge
	strip --strip-debug $(KIT)/gpuplan $(KIT)/gpuplan-bench-cuda
	cp -RL profiles $(KIT)/profiles
	cp $(gpu_files) $(KIT)/tests/gpu
	cp LICENSE README.md $(KIT) && ln -s tests/gpu/check-gpu.sh $(KIT)/check-gpu
	cd $(dir $(KIT)) && tar -czf $(notdir $(KIT)).tar.gz $(notdir $(KIT))
	@echo "$(KIT).tar.gz: unpack it where the GPU is, and run ./check-gpu"

clean:
	rm -rf $(BUILD) $(KIT) $(KIT).tar.gz
	rm -f $(TO)/gpuplan $(TO)/gpuplan-bench-cuda

.PHONY: lib programs gpuplan gpuplan-bench-cuda gpu-kit clean
