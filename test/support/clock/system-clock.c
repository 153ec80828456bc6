// Sets the wall clock of one process. Loaded with LD_PRELOAD, it adds the milliseconds in CLOCK_OFFSET_FILE to the time
// of day. The monotonic clock stays as it is, as when the clock of a machine is set.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile const int64_t *offset_ms;

__attribute__((constructor)) static void map_offset(void) {
  const char *path = getenv("CLOCK_OFFSET_FILE");
  int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  void *mapped = mmap(NULL, sizeof *offset_ms, PROT_READ, MAP_SHARED, fd, 0);
  if (mapped != MAP_FAILED) offset_ms = mapped;
  close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int result = syscall(SYS_clock_gettime, clock, now);
  if (result != 0 || offset_ms == NULL) return result;
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE) return result;
  int64_t ns = now->tv_nsec + (*offset_ms % 1000) * 1000000;
  now->tv_sec += *offset_ms / 1000 + (ns < 0 ? -1 : ns / 1000000000);
  now->tv_nsec = ns < 0 ? ns + 1000000000 : ns % 1000000000;
  return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  (void)zone;
  struct timespec time;
  if (clock_gettime(CLOCK_REALTIME, &time) != 0) return -1;
  now->tv_sec = time.tv_sec;
  now->tv_usec = time.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *result) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  if (result != NULL) *result = now.tv_sec;
  return now.tv_sec;
}
