// What a process has had of the machine so far, as the kernel counts it.
#pragma once
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// How long a process ran, and how long it could have but another had its core.
typedef struct {
  double ran, waited;
} process_time;

static inline double seconds_now(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// All threads that live; what one did that has ended is lost, and nothing measured here ends any.
static inline process_time process_time_of(int process) {
  char path[64];
  process_time time = {0, 0};
  snprintf(path, sizeof path, "/proc/%d/task", process);
  DIR *threads = opendir(path);
  if (threads == NULL) return time;
  for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
    // Beside the threads is a way back to the process, which has their sum.
    if (entry->d_name[0] == '.') continue;
    char file[512];
    unsigned long long ran = 0, waited = 0;
    snprintf(file, sizeof file, "/proc/%d/task/%s/schedstat", process, entry->d_name);
    FILE *stat = fopen(file, "r");
    if (stat == NULL) continue;
    if (fscanf(stat, "%llu %llu", &ran, &waited) != 2) ran = waited = 0;
    time.ran += (double)ran / 1e9;
    time.waited += (double)waited / 1e9;
    fclose(stat);
  }
  closedir(threads);
  return time;
}
