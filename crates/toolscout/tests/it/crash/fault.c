// A library for LD_PRELOAD that ends a process at its n-th change of a file, or lets that change and
// all later ones fail. It counts the calls that change files below one folder:
//
//   FAULT_UNDER   the folder, as a real path
//   FAULT_AT      the number of the change, from 1
//   FAULT_MODE    kill: SIGKILL before the change; torn: SIGKILL after the first half of a write;
//                 full: the change and all later writes fail, as on a full disk
//   FAULT_LOG     a file that gets one byte per change: `w` for a write, `.` for others
//
// The variables apply to one process only, not to its children.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum mode { KILL, TORN, FULL };
static enum mode mode;
static long at, count;
static int log_fd = -1;
static char under[4096];

__attribute__((constructor)) static void start(void) {
    const char *folder = getenv("FAULT_UNDER"), *number = getenv("FAULT_AT"), *log = getenv("FAULT_LOG");
    const char *how = getenv("FAULT_MODE");
    if (folder) snprintf(under, sizeof under, "%s", folder);
    if (number) at = atol(number);
    if (how) mode = !strcmp(how, "torn") ? TORN : !strcmp(how, "full") ? FULL : KILL;
    if (log) log_fd = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    unsetenv("LD_PRELOAD");
    unsetenv("FAULT_UNDER");
    unsetenv("FAULT_AT");
    unsetenv("FAULT_MODE");
    unsetenv("FAULT_LOG");
}

static int is_under(const char *path) {
    return under[0] && path && !strncmp(path, under, strlen(under));
}

static int is_counted(int fd) {
    char link[64], path[4096];
    if (!under[0] || fd == log_fd) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return is_under(path);
}

static void die(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

// Counts one change; returns whether this one is hit.
static int hit(const char *kind) {
    long now = __atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
    if (log_fd >= 0) syscall(SYS_write, log_fd, kind, 1);
    return at > 0 && (mode == FULL ? now >= at : now == at);
}

// A change that has no halves.
static int fails(void) {
    if (!hit(".")) return 0;
    if (mode != FULL) die();
    errno = ENOSPC;
    return 1;
}

#define NEXT(result, name, ...) \
    static result (*next)(__VA_ARGS__); \
    if (!next) next = (result (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

ssize_t write(int fd, const void *bytes, size_t length) {
    NEXT(ssize_t, "write", int, const void *, size_t);
    if (is_counted(fd) && hit("w")) {
        if (mode == FULL) { errno = ENOSPC; return -1; }
        if (mode == TORN) next(fd, bytes, length / 2);
        die();
    }
    return next(fd, bytes, length);
}

ssize_t writev(int fd, const struct iovec *parts, int number) {
    NEXT(ssize_t, "writev", int, const struct iovec *, int);
    if (is_counted(fd) && hit("w")) {
        if (mode == FULL) { errno = ENOSPC; return -1; }
        if (mode == TORN && number > 0) next(fd, parts, 1);
        die();
    }
    return next(fd, parts, number);
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
    NEXT(ssize_t, "pwrite64", int, const void *, size_t, off64_t);
    if (is_counted(fd) && hit("w")) {
        if (mode == FULL) { errno = ENOSPC; return -1; }
        if (mode == TORN) next(fd, bytes, length / 2, offset);
        die();
    }
    return next(fd, bytes, length, offset);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
    return pwrite64(fd, bytes, length, offset);
}

int ftruncate64(int fd, off64_t length) {
    NEXT(int, "ftruncate64", int, off64_t);
    return is_counted(fd) && fails() ? -1 : next(fd, length);
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int fsync(int fd) {
    NEXT(int, "fsync", int);
    return is_counted(fd) && fails() ? -1 : next(fd);
}

int fdatasync(int fd) {
    NEXT(int, "fdatasync", int);
    return is_counted(fd) && fails() ? -1 : next(fd);
}

int rename(const char *from, const char *to) {
    NEXT(int, "rename", const char *, const char *);
    return is_under(to) && fails() ? -1 : next(from, to);
}

int link(const char *from, const char *to) {
    NEXT(int, "link", const char *, const char *);
    return is_under(to) && fails() ? -1 : next(from, to);
}

int unlink(const char *path) {
    NEXT(int, "unlink", const char *);
    // On a full disk, files can still be removed.
    if (is_under(path) && hit(".") && mode != FULL) die();
    return next(path);
}

int mkdir(const char *path, mode_t bits) {
    NEXT(int, "mkdir", const char *, mode_t);
    return is_under(path) && fails() ? -1 : next(path, bits);
}

static int opens(const char *path, int flags) {
    return is_under(path) && (flags & (O_CREAT | O_TRUNC)) && fails();
}

int open64(const char *path, int flags, ...) {
    NEXT(int, "open64", const char *, int, ...);
    va_list rest;
    va_start(rest, flags);
    int bits = flags & O_CREAT ? va_arg(rest, int) : 0;
    va_end(rest);
    return opens(path, flags) ? -1 : next(path, flags, bits);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int bits = flags & O_CREAT ? va_arg(rest, int) : 0;
    va_end(rest);
    return open64(path, flags, bits);
}
