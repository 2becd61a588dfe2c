/* A program that asks NVML for devices, and finds it as programs do: with dlopen(). */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

typedef void *device;

static void *library;

#define CALL(name, parameters, arguments) ((int(*) parameters)dlsym(library, #name)) arguments

int main(void) {
    unsigned count = 0, number = 9, rates[2] = {7, 7}, power;
    unsigned long long memory[3];
    char name[96], uuid[96], version[80], short_name[2];
    struct {
        char old_id[16];
        unsigned numbers[5];
        char id[32];
    } pci;
    device first = NULL, same = NULL, other = NULL;
    library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
    if (!library) return 2;
    printf("%d ", CALL(nvmlDeviceGetCount_v2, (unsigned *), (&count)));
    printf("%d ", CALL(nvmlInit_v2, (void), ()));
    printf("%d ", CALL(nvmlDeviceGetCount_v2, (unsigned *), (&count)));
    printf("%d ", CALL(nvmlDeviceGetHandleByIndex_v2, (unsigned, device *), (0, &first)));
    printf("%d\n", CALL(nvmlDeviceGetHandleByIndex_v2, (unsigned, device *), (count, &other)));
    printf("%d ", CALL(nvmlDeviceGetName, (device, char *, unsigned), (first, name, sizeof name)));
    printf("%d %s\n", CALL(nvmlDeviceGetName, (device, char *, unsigned), (first, short_name, sizeof short_name)),
           name);
    printf("%d ", CALL(nvmlDeviceGetUUID, (device, char *, unsigned), (first, uuid, sizeof uuid)));
    printf("%d ", CALL(nvmlDeviceGetHandleByUUID, (const char *, device *), (uuid, &same)));
    printf("%d %zu\n", same == first, strlen(uuid));
    printf("%d ", CALL(nvmlDeviceGetPciInfo_v3, (device, void *), (first, &pci)));
    printf("%d ", CALL(nvmlDeviceGetHandleByPciBusId_v2, (const char *, device *), (pci.id, &same)));
    printf("%d %zu\n", same == first, strlen(pci.id));
    printf("%d ", CALL(nvmlDeviceGetMemoryInfo, (device, void *), (first, memory)));
    printf("%d\n", memory[0] == memory[1] + memory[2] && memory[0] > 0);
    printf("%d ", CALL(nvmlDeviceGetUtilizationRates, (device, unsigned *), (first, rates)));
    printf("%u %u\n", rates[0], rates[1]);
    printf("%d ", CALL(nvmlDeviceGetIndex, (device, unsigned *), (first, &number)));
    printf("%u\n", number);
    printf("%d %s\n", CALL(nvmlSystemGetDriverVersion, (char *, unsigned), (version, sizeof version)), version);
    unsigned clocks[2] = {0};
    printf("%d ", CALL(nvmlDeviceGetClockInfo, (device, int, unsigned *), (first, 1, &clocks[0])));
    printf("%d ", CALL(nvmlDeviceGetMaxClockInfo, (device, int, unsigned *), (first, 2, &clocks[1])));
    printf("%u %u\n", clocks[0], clocks[1]);
    const int missing = CALL(nvmlDeviceGetPowerUsage, (device, unsigned *), (first, &power));
    printf("%d %s\n", missing, ((const char *(*)(int))dlsym(library, "nvmlErrorString"))(missing));
    printf("%d ", CALL(nvmlShutdown, (void), ()));
    printf("%d\n", CALL(nvmlShutdown, (void), ()));
    return 0;
}
