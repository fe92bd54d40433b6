// What processes and cores have done so far, as the kernel counts it.
#pragma once
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { cores_at_most = 256 };

typedef struct {
  double busy, total;
} core_time;

static inline double seconds_now(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// All threads that live; what one did that has ended is lost, and nothing measured here ends any.
static inline double cpu_seconds(int process) {
  char path[64];
  double nanoseconds = 0;
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR *threads = opendir(path);
  if (threads == NULL) return 0;
  for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
    char file[512];
    unsigned long long spent = 0;
    snprintf(file, sizeof file, "/proc/%d/task/%s/schedstat", process, entry->d_name);
    FILE *stat = fopen(file, "r");
    if (stat == NULL) continue;
    if (fscanf(stat, "%llu", &spent) == 1) nanoseconds += (double)spent;
    fclose(stat);
  }
  closedir(threads);
  return nanoseconds / 1e9;
}

static inline core_time core_time_of(int core) {
  char line[512], name[16];
  unsigned long long user, nice, system, idle, waiting, hard, soft, stolen;
  core_time time = {0, 0};
  FILE *stat = fopen("/proc/stat", "r");
  snprintf(name, sizeof name, "cpu%d", core);
  while (stat != NULL && fgets(line, sizeof line, stat) != NULL) {
    char found[16];
    if (sscanf(line, "%15s %llu %llu %llu %llu %llu %llu %llu %llu", found, &user, &nice, &system, &idle, &waiting,
               &hard, &soft, &stolen) != 9 || strcmp(found, name) != 0)
      continue;
    time.busy = (double)(user + nice + system + hard + soft + stolen);
    time.total = time.busy + (double)(idle + waiting);
  }
  if (stat != NULL) fclose(stat);
  return time;
}

static inline double share_between(core_time before, core_time after) {
  return after.total > before.total ? (after.busy - before.busy) / (after.total - before.total) : 0;
}
