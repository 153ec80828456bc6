// Makes the disk fail for one process. Loaded with LD_PRELOAD, it makes writes and syncs of files whose path contains
// DISK_FAULT_PATH fail with the two error numbers in DISK_FAULT_FILE; zero means no error.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile const int32_t *faults;
enum { WRITE, SYNC };

__attribute__((constructor)) static void map_faults(void) {
  const char *path = getenv("DISK_FAULT_FILE");
  int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  void *mapped = mmap(NULL, 2 * sizeof *faults, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped != MAP_FAILED) faults = mapped;
  close(fd);
}

static int fails(int call, int fd) {
  if (faults == NULL || faults[call] == 0) return 0;
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  if (strstr(path, getenv("DISK_FAULT_PATH")) == NULL) return 0;
  errno = faults[call];
  return 1;
}

#define PWRITE(name)                                                        \
  ssize_t name(int fd, const void *bytes, size_t size, off_t at) {          \
    static ssize_t (*real)(int, const void *, size_t, off_t);               \
    if (real == NULL) real = dlsym(RTLD_NEXT, #name);                       \
    return fails(WRITE, fd) ? -1 : real(fd, bytes, size, at);               \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

#define SYNC_CALL(name)                               \
  int name(int fd) {                                  \
    static int (*real)(int);                          \
    if (real == NULL) real = dlsym(RTLD_NEXT, #name); \
    return fails(SYNC, fd) ? -1 : real(fd);           \
  }
SYNC_CALL(fsync)
SYNC_CALL(fdatasync)
