/* Implements cli/revision.h: git writes the tree through an index of its own, so that neither the repository nor the
 * user's index changes, and filters and line ends are those of a checkout. */
#include "cli/revision.h"

#include "base/file.h"
#include "base/process.h"
#include "base/status.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Runs git in a folder. Fails with git's first line if it does. */
static haul_status run_git(const cli_revision *r, const char *folder, const char *const *words, text *out) {
    enum { BEFORE = 5, MOST = 16 };
    const char *arguments[MOST] = {text_string(&r->env), NULL, text_string(&r->git), "-C", folder};
    text index = {0}, errors = {0};
    process_end end = {0};
    text_printf(&index, "GIT_INDEX_FILE=%s/index", text_string(&r->folder));
    arguments[1] = r->folder.length ? text_string(&index) : "LC_ALL=C";
    for (size_t i = 0; words[i] && BEFORE + i + 1 < MOST; i++) arguments[BEFORE + i] = words[i];
    haul_status status = process_run(arguments, &(process_options){.alone = true}, out, &errors, &end);
    if (status == HAUL_OK && (index.failed || out->failed)) status = haul_no_memory("git's output");
    if (status == HAUL_OK && end.code != 0)
        status = haul_fail(HAUL_ERROR_ARGUMENT, "--rev %s: git %s: %.*s", r->name, words[0],
                           (int)strcspn(text_string(&errors), "\n"), text_string(&errors));
    text_free(&index);
    text_free(&errors);
    return status;
}

static void cut_line(text *t) {
    while (t->length && (t->bytes[t->length - 1] == '\n' || t->bytes[t->length - 1] == '\r'))
        t->bytes[--t->length] = '\0';
}

/* ---- opening ---- */

/* The folder of the path is in the repository, wherever haul was started. */
static haul_status find_top(cli_revision *r, const char *path) {
    static const char *const words[] = {"rev-parse", "--show-toplevel", NULL};
    const char *slash = strrchr(path, '/');
    text folder = {0};
    text_append(&folder, path, slash ? (size_t)(slash + 1 - path) : 0);
    if (!slash) text_put(&folder, ".");
    haul_status status = folder.failed ? haul_no_memory("a path") : run_git(r, text_string(&folder), words, &r->top);
    cut_line(&r->top);
    text_free(&folder);
    return status;
}

static haul_status find_tree(const cli_revision *r, text *hash) {
    text name = {0};
    text_printf(&name, "%s^{tree}", r->name);
    const char *const words[] = {"rev-parse", "--verify", "--quiet", text_string(&name), NULL};
    haul_status status = name.failed ? haul_no_memory("a name") : run_git(r, text_string(&r->top), words, hash);
    text_free(&name);
    cut_line(hash);
    if (status == HAUL_ERROR_ARGUMENT)
        return haul_fail(status, "--rev %s: there is no such revision in %s", r->name, text_string(&r->top));
    return status;
}

/* The path is resolved, because that is how sources are named later. */
static haul_status make_folder(cli_revision *r) {
    text template = {0};
    text_printf(&template, "%s/haul-diff-XXXXXX", file_temporary());
    char *made = template.failed ? NULL : mkdtemp(template.bytes), *real = made ? realpath(made, NULL) : NULL;
    if (real) {
        text_put(&r->folder, real);
        text_printf(&r->tree, "%s/tree", real);
    }
    const int error = errno;
    free(real);
    text_free(&template);
    if (r->folder.length) return r->tree.failed ? haul_no_memory("a path") : HAUL_OK;
    return haul_fail(HAUL_ERROR_FILE, "no folder for temporary files: %s", strerror(error));
}

/* Puts a link to the working tree's submodule in place of the empty folder. */
static void link_submodule(const cli_revision *r, const char *path, size_t length) {
    text from = {0}, to = {0};
    text_printf(&from, "%s/%.*s", text_string(&r->top), (int)length, path);
    text_printf(&to, "%s/%.*s", text_string(&r->tree), (int)length, path);
    /* if it cannot be made, the compiler names the missing file */
    if (!from.failed && !to.failed && rmdir(to.bytes) == 0 && symlink(from.bytes, to.bytes) != 0)
        (void)mkdir(to.bytes, 0777);
    text_free(&from);
    text_free(&to);
}

/* Lines of `git ls-files -s`: "160000 HASH 0<tab>PATH" for a submodule. */
static haul_status link_submodules(const cli_revision *r) {
    static const char *const words[] = {"ls-files", "-s", NULL};
    text files = {0};
    const haul_status status = run_git(r, text_string(&r->top), words, &files);
    for (const char *line = text_string(&files); status == HAUL_OK && *line;) {
        const size_t length = strcspn(line, "\n");
        const char *tab = memchr(line, '\t', length);
        if (tab && strncmp(line, "160000 ", 7) == 0) link_submodule(r, tab + 1, length - (size_t)(tab + 1 - line));
        line += length + (line[length] == '\n');
    }
    text_free(&files);
    return status;
}

static haul_status write_tree(const cli_revision *r, const char *hash) {
    text prefix = {0}, out = {0};
    text_printf(&prefix, "--prefix=%s/", text_string(&r->tree));
    const char *const read[] = {"read-tree", hash, NULL};
    const char *const write[] = {"checkout-index", "--all", "--quiet", text_string(&prefix), NULL};
    haul_status status = prefix.failed ? haul_no_memory("a path") : run_git(r, text_string(&r->top), read, &out);
    if (status == HAUL_OK) status = run_git(r, text_string(&r->top), write, &out);
    if (status == HAUL_OK) status = link_submodules(r);
    text_free(&prefix);
    text_free(&out);
    return status;
}

haul_status cli_revision_open(cli_revision *r, const char *name, const char *path) {
    text hash = {0};
    *r = (cli_revision){.name = name};
    if (*name == '-')
        return haul_fail(HAUL_ERROR_ARGUMENT, "--rev %s: is not a revision: name a commit, a branch or a tag", name);
    if (!process_find("git", &r->git) || !process_find("env", &r->env))
        return haul_fail(HAUL_ERROR_ARGUMENT, "--rev %s: git is not installed", name);
    HAUL_TRY(find_top(r, path));
    haul_status status = find_tree(r, &hash);
    if (status == HAUL_OK) status = make_folder(r);
    if (status == HAUL_OK) status = write_tree(r, text_string(&hash));
    text_free(&hash);
    return status;
}

/* ---- use ---- */

const char *cli_revision_path(const cli_revision *r, const char *path, arena *memory) {
    char *real = realpath(path, NULL);
    const char *found = NULL;
    if (real && strncmp(real, r->top.bytes, r->top.length) == 0 &&
        (real[r->top.length] == '/' || !real[r->top.length])) {
        found = arena_printf(memory, "%s%s", text_string(&r->tree), real + r->top.length);
        if (found && access(found, F_OK) != 0) found = NULL;
    }
    free(real);
    return found;
}

static int remove_one(const char *path, const struct stat *about, int kind, struct FTW *place) {
    (void)about, (void)kind, (void)place;
    remove(path);
    return 0;
}

void cli_revision_close(cli_revision *r) {
    enum { OPEN_FOLDERS = 16 };
    if (r->folder.length) nftw(text_string(&r->folder), remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
    text_free(&r->top);
    text_free(&r->folder);
    text_free(&r->tree);
    text_free(&r->git);
    text_free(&r->env);
    *r = (cli_revision){0};
}
