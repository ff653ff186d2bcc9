/* Preloaded into every process of a site: notes what it does to the files below a folder, so that
 * power_loss.py can say what a disk would hold if the power went now.
 *
 * The log, at POWER_LOG, is one file that all processes append to. A record is a header and a payload:
 *   W  data at an offset            T  cut or lengthened to a size      E  room up to a size
 *   B  a sync begins                S  that sync has ended well
 *   C  a file was made, by name     R  renamed (two names, NUL between) L  linked (the same)
 *   U  unlinked                     M  a folder was made                D  a folder was removed
 * What is noted was done: each record is written after its call came back, but for B.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct header {
    uint64_t inode, offset, token;
    uint32_t length;
    char kind;
    char padding[3];
};

static char folder[PATH_MAX];
static size_t folder_length;
static int log_file = -1;

__attribute__((constructor)) static void begin(void) {
    const char *named = getenv("POWER_FOLDER"), *log = getenv("POWER_LOG");
    if (!named || !log || !realpath(named, folder)) return;
    folder_length = strlen(folder);
    int opened = syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (opened < 0) return;
    /* Far away from the numbers that programs count on; a child of fork shares it. */
    log_file = fcntl(opened, F_DUPFD_CLOEXEC, 700);
    syscall(SYS_close, opened);
}

#define NEXT(name) \
    static __typeof__(&name) next; \
    if (!next) next = (__typeof__(next))dlsym(RTLD_NEXT, #name)

static int is_inside(const char *path) {
    return log_file >= 0 && !strncmp(path, folder, folder_length) &&
           (path[folder_length] == '/' || path[folder_length] == 0);
}

/* The absolute name of an entry whose folder exists; the entry itself need not. */
static int name_of(int at, const char *given, char *whole) {
    char base[PATH_MAX], joined[2 * PATH_MAX], link[64];
    if (given[0] == '/') {
        snprintf(joined, sizeof joined, "%s", given);
    } else {
        if (at == AT_FDCWD) {
            if (!getcwd(base, sizeof base)) return 0;
        } else {
            snprintf(link, sizeof link, "/proc/self/fd/%d", at);
            ssize_t n = readlink(link, base, sizeof base - 1);
            if (n < 0) return 0;
            base[n] = 0;
        }
        snprintf(joined, sizeof joined, "%s/%s", base, given);
    }
    size_t end = strlen(joined);
    while (end > 1 && joined[end - 1] == '/') joined[--end] = 0;
    char *slash = strrchr(joined, '/');
    char parent[PATH_MAX];
    *slash = 0;
    if (!realpath(slash == joined ? "/" : joined, parent)) return 0;
    if (snprintf(whole, PATH_MAX, "%s/%s", parent, slash + 1) >= PATH_MAX) return 0;
    return is_inside(whole);
}

static uint64_t inode_inside(int file) {
    int kept = errno;
    char link[64], name[PATH_MAX];
    struct stat found;
    uint64_t inode = 0;
    if (log_file >= 0 && file != log_file) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        ssize_t n = readlink(link, name, sizeof name - 1);
        if (n > 0) {
            name[n] = 0;
            if (is_inside(name) && !fstat(file, &found) && (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)))
                inode = found.st_ino;
        }
    }
    errno = kept;
    return inode;
}

static void note(char kind, uint64_t inode, uint64_t offset, uint64_t token, const struct iovec *parts,
                 int count, size_t length) {
    int kept = errno;
    struct header head = {inode, offset, token, (uint32_t)length, kind, {0}};
    struct iovec all[256];
    int n = 1;
    all[0] = (struct iovec){&head, sizeof head};
    size_t left = length;
    for (int i = 0; i < count && left && n < 256; i++, n++) {
        all[n] = parts[i];
        if (all[n].iov_len > left) all[n].iov_len = left;
        left -= all[n].iov_len;
    }
    size_t whole = sizeof head + length;
    if (left || syscall(SYS_writev, log_file, all, n) != (long)whole) {
        static const char told[] = "power.c: the log could not be written\n";
        syscall(SYS_write, 2, told, sizeof told - 1);
        _exit(97);
    }
    errno = kept;
}

static void note_name(char kind, uint64_t inode, const char *name) {
    struct iovec part = {(void *)name, strlen(name)};
    note(kind, inode, 0, 0, &part, 1, part.iov_len);
}

static void note_names(char kind, const char *from, const char *to) {
    struct iovec parts[2] = {{(void *)from, strlen(from) + 1}, {(void *)to, strlen(to)}};
    note(kind, 0, 0, 0, parts, 2, parts[0].iov_len + parts[1].iov_len);
}

/* ---- contents ---- */

static void wrote(int file, ssize_t done, const struct iovec *parts, int count, off_t at, int positioned) {
    if (done <= 0) return;
    uint64_t inode = inode_inside(file);
    if (!inode) return;
    uint64_t offset = positioned ? (uint64_t)at : (uint64_t)(lseek(file, 0, SEEK_CUR) - done);
    note('W', inode, offset, 0, parts, count, (size_t)done);
}

ssize_t write(int file, const void *data, size_t length) {
    NEXT(write);
    ssize_t done = next(file, data, length);
    struct iovec part = {(void *)data, length};
    wrote(file, done, &part, 1, 0, 0);
    return done;
}

ssize_t pwrite64(int file, const void *data, size_t length, off64_t at) {
    NEXT(pwrite64);
    ssize_t done = next(file, data, length, at);
    struct iovec part = {(void *)data, length};
    wrote(file, done, &part, 1, at, 1);
    return done;
}

ssize_t pwrite(int file, const void *data, size_t length, off_t at) { return pwrite64(file, data, length, at); }

ssize_t writev(int file, const struct iovec *parts, int count) {
    NEXT(writev);
    ssize_t done = next(file, parts, count);
    wrote(file, done, parts, count, 0, 0);
    return done;
}

ssize_t pwritev64(int file, const struct iovec *parts, int count, off64_t at) {
    NEXT(pwritev64);
    ssize_t done = next(file, parts, count, at);
    wrote(file, done, parts, count, at, 1);
    return done;
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t at) {
    return pwritev64(file, parts, count, at);
}

int ftruncate64(int file, off64_t size) {
    NEXT(ftruncate64);
    int failed = next(file, size);
    uint64_t inode = failed ? 0 : inode_inside(file);
    if (inode) note('T', inode, (uint64_t)size, 0, NULL, 0, 0);
    return failed;
}

int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

int posix_fallocate64(int file, off64_t at, off64_t length) {
    NEXT(posix_fallocate64);
    int failed = next(file, at, length);
    uint64_t inode = failed ? 0 : inode_inside(file);
    if (inode) note('E', inode, (uint64_t)(at + length), 0, NULL, 0, 0);
    return failed;
}

int posix_fallocate(int file, off_t at, off_t length) { return posix_fallocate64(file, at, length); }

int fallocate64(int file, int mode, off64_t at, off64_t length) {
    NEXT(fallocate64);
    if (mode) {
        errno = EOPNOTSUPP;
        return -1;
    }
    int failed = next(file, mode, at, length);
    uint64_t inode = failed ? 0 : inode_inside(file);
    if (inode) note('E', inode, (uint64_t)(at + length), 0, NULL, 0, 0);
    return failed;
}

int fallocate(int file, int mode, off_t at, off_t length) { return fallocate64(file, mode, at, length); }

/* Ways of copying that are not noted; whoever asks for them reads and writes instead. */
ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *there, size_t length, unsigned flags) {
    (void)from, (void)at, (void)to, (void)there, (void)length, (void)flags;
    errno = EXDEV;
    return -1;
}

static int synced(int file, int (*next)(int)) {
    uint64_t inode = inode_inside(file), token = 0;
    if (inode) {
        static uint32_t number;
        token = ((uint64_t)getpid() << 32) | __atomic_add_fetch(&number, 1, __ATOMIC_SEQ_CST);
        note('B', inode, 0, token, NULL, 0, 0);
    }
    int failed = next(file);
    if (inode && !failed) note('S', inode, 0, token, NULL, 0, 0);
    return failed;
}

int fsync(int file) {
    NEXT(fsync);
    return synced(file, next);
}

int fdatasync(int file) {
    NEXT(fdatasync);
    return synced(file, next);
}

/* ---- names ---- */

static int opened(int at, const char *name, int flags, mode_t mode) {
    char whole[PATH_MAX];
    struct stat before;
    int inside = (flags & (O_CREAT | O_TRUNC)) && name_of(at, name, whole);
    int existed = inside && !fstatat(at, name, &before, 0);
    int file = (int)syscall(SYS_openat, at, name, flags | O_LARGEFILE, mode);
    if (file < 0 || !inside) return file;
    uint64_t inode = inode_inside(file);
    if (inode && !existed) note_name('C', inode, whole);
    else if (inode && (flags & O_TRUNC)) note('T', inode, 0, 0, NULL, 0, 0);
    return file;
}

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        return opened(AT_FDCWD, path, flags, mode); \
    }
#define OPENS_AT(name) \
    int name(int at, const char *path, int flags, ...) { \
        va_list rest; \
        va_start(rest, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
        va_end(rest); \
        return opened(at, path, flags, mode); \
    }
OPENS(open)
OPENS(open64)
OPENS_AT(openat)
OPENS_AT(openat64)

static int two_names(int failed, int have_from, int have_to, char kind, const char *from, const char *to) {
    if (!failed && have_from && have_to) note_names(kind, from, to);
    return failed;
}

int renameat(int at, const char *from, int there, const char *to) {
    char old[PATH_MAX], fresh[PATH_MAX];
    int has_old = name_of(at, from, old), has_fresh = name_of(there, to, fresh);
    int failed = (int)syscall(SYS_renameat2, at, from, there, to, 0);
    return two_names(failed, has_old, has_fresh, 'R', old, fresh);
}

int rename(const char *from, const char *to) { return renameat(AT_FDCWD, from, AT_FDCWD, to); }

int linkat(int at, const char *from, int there, const char *to, int flags) {
    char old[PATH_MAX], fresh[PATH_MAX];
    int has_old = name_of(at, from, old), has_fresh = name_of(there, to, fresh);
    int failed = (int)syscall(SYS_linkat, at, from, there, to, flags);
    return two_names(failed, has_old, has_fresh, 'L', old, fresh);
}

int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

int unlinkat(int at, const char *name, int flags) {
    char whole[PATH_MAX];
    int inside = name_of(at, name, whole);
    int failed = (int)syscall(SYS_unlinkat, at, name, flags);
    if (!failed && inside) note_name(flags & AT_REMOVEDIR ? 'D' : 'U', 0, whole);
    return failed;
}

int unlink(const char *name) { return unlinkat(AT_FDCWD, name, 0); }

int rmdir(const char *name) { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }

int mkdirat(int at, const char *name, mode_t mode) {
    char whole[PATH_MAX];
    struct stat made;
    int failed = (int)syscall(SYS_mkdirat, at, name, mode);
    if (!failed && name_of(at, name, whole) && !stat(whole, &made)) note_name('M', made.st_ino, whole);
    return failed;
}

int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }
