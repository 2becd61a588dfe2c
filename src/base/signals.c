#include "base/signals.h"

#include <stddef.h>

void signals_handle(int number, signals_handler *handler) {
    const int flags = (int)(SA_SIGINFO | SA_RESETHAND | SA_NODEFER);
    struct sigaction before, wanted = {.sa_sigaction = handler, .sa_flags = flags};
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL) (void)sigaction(number, &wanted, NULL);
}

void signals_handle_ends(signals_handler *handler) {
    static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGBUS, SIGFPE, SIGTERM};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) signals_handle(ends[i], handler);
}
