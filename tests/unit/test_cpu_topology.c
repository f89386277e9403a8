/* test_cpu_topology.c - affinity, cores, caches and cgroup limits from fixture trees. */
#include "probe/cpu_topology.h"

#include <stdio.h>
#include <sys/stat.h>

#include "unit.h"

static char root[256];

/* Writes root/path, making its folders. */
static void put(const char *path, const char *text)
{
    char full[1024];
    FILE *file;

    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(full, 0755);
        *at = '/';
    }
    file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void put_cache(int cpu, int index, const char *type, const char *level, const char *size,
                      const char *shared)
{
    const char *fields[][2] = {
        {"type", type}, {"level", level}, {"size", size}, {"shared_cpu_list", shared}};
    char path[256];

    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", cpu, index,
                 fields[i][0]);
        put(path, fields[i][1]);
    }
}

/* Four processors, two a core; a level 2 per core, a level 3 for all. */
static void put_machine(void)
{
    for (int cpu = 0; cpu < 4; cpu++) {
        const char *core = cpu < 2 ? "0-1\n" : "2-3\n";
        char path[128];

        put_cache(cpu, 0, "Data\n", "1\n", "48K\n", core);
        put_cache(cpu, 1, "Instruction\n", "2\n", "32K\n", core);
        put_cache(cpu, 2, "Unified\n", "2\n", "1024K\n", core);
        put_cache(cpu, 3, "Unified\n", "3\n", "32M\n", "0-3\n");
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                 cpu);
        put(path, core);
    }
    put("/proc/meminfo", "MemTotal:  8000000 kB\nMemAvailable:  4000000 kB\n");
    put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Test CPU\n");
}

static int make_root(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/gpuplan-topology-XXXXXX");
    unsetenv("OMP_NUM_THREADS");
    if (!mkdtemp(root))
        return -1;
    put_machine();
    return 0;
}

static int remove_root(void **state)
{
    char command[300];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static struct cpu_topology read_with(int first, int last)
{
    struct cpu_topology t;
    cpu_set_t mask;

    CPU_ZERO(&mask);
    for (int cpu = first; cpu <= last; cpu++)
        CPU_SET((size_t)cpu, &mask);
    cpu_topology_read(root, &mask, &t);
    return t;
}

static void test_affinity(void **state)
{
    struct cpu_topology all = read_with(0, 3), one = read_with(2, 3);

    (void)state;
    assert_int_equal(all.cpus, 4);
    assert_int_equal(all.cores, 2);
    assert_int_equal(all.threads, 2);
    assert_true(all.level2 == 2 * 1048576.0);
    assert_true(all.cache == 34 * 1048576.0);
    assert_int_equal(one.cores, 1);
    assert_true(one.cache == 33 * 1048576.0);
    assert_string_equal(all.name, "Test CPU");
    assert_true(all.memory == 8192000000.0 && all.free == 4096000000.0);
}

static void test_cgroup_v2(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/user/job\n");
    put("/sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
    assert_true(read_with(0, 3).quota == 0);
    put("/sys/fs/cgroup/user/cpu.max", "150000 100000\n"); /* the group above */
    assert_true(read_with(0, 3).quota == 1.5);
    assert_int_equal(read_with(0, 3).threads, 1);
    put("/sys/fs/cgroup/user/job/memory.max", "3000000000\n");
    put("/sys/fs/cgroup/user/job/memory.current", "1000000000\n");
    assert_true(cpu_memory_free(root) == 2000000000.0);
    put("/sys/fs/cgroup/user/job/memory.max", "max\n");
    assert_true(cpu_memory_free(root) == 4096000000.0);
}

static void test_cgroup_v1(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "4:memory:/a\n3:cpu,cpuacct:/a/b\n");
    put("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
    assert_true(read_with(0, 3).quota == 0);
    put("/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "50000\n");
    assert_true(read_with(0, 3).quota == 0.5);
    assert_int_equal(read_with(0, 3).threads, 1);
    put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "9223372036854771712\n");
    assert_true(cpu_memory_free(root) == 4096000000.0);
    put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1000000\n");
    put("/sys/fs/cgroup/memory/a/memory.usage_in_bytes", "400000\n");
    assert_true(cpu_memory_free(root) == 600000.0);
}

/* The path in /proc/self/cgroup is the host's and not visible: the top counts. */
static void test_namespace(void **state)
{
    (void)state;
    put("/proc/self/cgroup", "0::/host/only/path\n");
    put("/sys/fs/cgroup/cpu.max", "200000 100000\n");
    assert_true(read_with(0, 3).quota == 2);
}

static void test_omp_threads(void **state)
{
    (void)state;
    setenv("OMP_NUM_THREADS", "1", 1);
    assert_int_equal(read_with(0, 3).threads, 1);
    setenv("OMP_NUM_THREADS", "99", 1); /* more than there are cores is not obeyed */
    assert_int_equal(read_with(0, 3).threads, 2);
    unsetenv("OMP_NUM_THREADS");
}

/* Nothing to read at all: still one core and one thread. */
static void test_nothing(void **state)
{
    struct cpu_topology t;
    cpu_set_t none;

    (void)state;
    CPU_ZERO(&none);
    cpu_topology_read("/nonexistent", &none, &t);
    assert_int_equal(t.threads, 1);
    assert_true(t.cache == 0 && t.free == 0 && t.quota == 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make_root, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_affinity),  TEST(test_cgroup_v2),   TEST(test_cgroup_v1),
        TEST(test_namespace), TEST(test_omp_threads), TEST(test_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
