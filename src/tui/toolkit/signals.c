/*
 * signals.c - see signals.h. What a handler calls is async-signal-safe.
 */
#include "tui/toolkit/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#define GRACE 2     /* s that the loop has to end the program */
#define PATIENT 100 /* ms that one write waits for the terminal */
#define SIGNALS 65

/* Every signal ends a program but these, which stop it, wake it or tell it something.
 */
static const int harmless[] = {SIGKILL, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU,
                               SIGCONT, SIGCHLD, SIGURG,  SIGWINCH};
static const int asking[] = {SIGTERM, SIGHUP, SIGINT};
static const int crashing[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSYS};

#define IS_ONE_OF(list, sig) is_one_of(list, sizeof(list) / sizeof((list)[0]), sig)

static const struct give_back *back;
static int wake_fd;
static struct sigaction was[SIGNALS];
static volatile sig_atomic_t asked; /* not taken yet */
static volatile sig_atomic_t end;   /* what the program ends by if the loop does not */

static bool is_one_of(const int *list, size_t count, int sig)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == sig)
            return true;
    return false;
}

/* ---- giving the terminal back ---- */

/* Never waits long: what the terminal has not taken of a paint is thrown away first. */
static void write_text(int fd, const char *text, size_t len)
{
    struct pollfd room = {.fd = fd, .events = POLLOUT};
    int flags = fcntl(fd, F_GETFL);

    fcntl(fd, F_SETFL, flags | O_NONBLOCK);
    for (bool flushed = false; len > 0;) {
        ssize_t n = write(fd, text, len);

        if (n > 0) {
            text += n;
            len -= (size_t)n;
        } else if (!flushed) {
            flushed = true;
            tcflush(fd, TCOFLUSH);
        } else if (poll(&room, 1, PATIENT) <= 0 || !(room.revents & POLLOUT)) {
            break;
        }
    }
    fcntl(fd, F_SETFL, flags);
}

void signals_give_back(void)
{
    struct termios flowing = back->before;

    if (back->given)
        return;
    flowing.c_iflag &= ~(tcflag_t)IXON; /* takes Ctrl-S back */
    tcsetattr(STDIN_FILENO, TCSANOW, &flowing);
    write_text(STDOUT_FILENO, back->leave, back->leave_len);
    tcsetattr(STDIN_FILENO, TCSANOW, &back->before);
}

static void say_crash(int sig)
{
    static const char first[] = "gpuplan: internal error (signal ";
    static const char last[] = "); please report what you did\n";
    char digits[2] = {(char)('0' + sig / 10), (char)('0' + sig % 10)};
    size_t blank = sig < 10;

    write_text(STDERR_FILENO, first, sizeof(first) - 1);
    write_text(STDERR_FILENO, digits + blank, sizeof(digits) - blank);
    write_text(STDERR_FILENO, last, sizeof(last) - 1);
}

/* ---- handlers ---- */

static void on_fatal(int sig)
{
    int number = sig == SIGALRM && end ? end : sig;

    signals_give_back();
    if (IS_ONE_OF(crashing, number))
        say_crash(number);
    sigaction(number, &was[number], NULL);
    raise(number); /* comes when this returns */
}

/* A job in the background is stopped when it reads from its terminal: not one that was
 * asked to end. */
static void stop_for_terminal(bool yes)
{
    struct sigaction action = {.sa_handler = yes ? SIG_DFL : SIG_IGN};

    sigemptyset(&action.sa_mask);
    sigaction(SIGTTIN, &action, NULL);
    sigaction(SIGTTOU, &action, NULL);
}

static void on_ask(int sig)
{
    int saved = errno;

    asked = end = sig;
    stop_for_terminal(false);
    alarm(GRACE);
    ssize_t n = write(wake_fd, "", 1);
    (void)n; /* a full pipe wakes as well */
    errno = saved;
}

/* A stack that ran over cannot hold the handler's frame. */
static void own_stack(void)
{
    static char room[32768];
    stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};

    sigaltstack(&stack, NULL);
}

void signals_catch(const struct give_back *give_back, int wake)
{
    struct sigaction fatal = {.sa_handler = on_fatal, .sa_flags = SA_ONSTACK};
    struct sigaction options = {.sa_handler = on_ask, .sa_flags = SA_RESTART};

    back = give_back;
    wake_fd = wake;
    asked = end = 0;
    own_stack();
    sigfillset(&fatal.sa_mask);
    sigfillset(&options.sa_mask);
    for (int sig = 1; sig < SIGNALS; sig++) {
        if (IS_ONE_OF(harmless, sig) || sigaction(sig, NULL, &was[sig]) != 0 ||
            was[sig].sa_handler == SIG_IGN) /* nohup stays nohup */
            continue;
        sigaction(sig, IS_ONE_OF(asking, sig) ? &options : &fatal, NULL);
    }
}

void signals_release(void)
{
    alarm(0);
    for (int sig = 1; sig < SIGNALS; sig++)
        if (!IS_ONE_OF(harmless, sig))
            sigaction(sig, &was[sig], NULL);
}

int signals_waiting(void)
{
    return asked;
}

int signals_take(void)
{
    int sig = asked;

    asked = 0;
    return sig;
}

void signals_go_on(void)
{
    if (!end || asked)
        return;
    stop_for_terminal(true);
    alarm(0);
    end = 0;
}
