#include "base/signals.h"

#include <stddef.h>

static const int FLAGS = (int)(SA_SIGINFO | SA_RESETHAND | SA_NODEFER);

void signals_handle(int number, signals_handler *handler) {
    struct sigaction before, wanted = {.sa_sigaction = handler, .sa_flags = FLAGS};
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL) (void)sigaction(number, &wanted, NULL);
}

void signals_again(int number, signals_handler *handler) {
    const struct sigaction wanted = {.sa_sigaction = handler, .sa_flags = FLAGS};
    (void)sigaction(number, &wanted, NULL);
}

bool signals_has(int number, signals_handler *handler) {
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == handler;
}

void signals_handle_ends(signals_handler *handler) {
    static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGTERM};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) signals_handle(ends[i], handler);
}
