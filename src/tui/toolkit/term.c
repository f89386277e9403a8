/*
 * term.c - see term.h. Curses draws only what differs between two paints.
 *
 * Keys are waited for with ppoll() and read by key_input.c, not by curses, which would take
 * the rest of a sequence that the terminal's description lacks for letters, and does not end its
 * wait by a hang-up or a signal. SIGWINCH is let in only while ppoll() waits, so that a
 * resize between "no key" and "wait" is not lost. SIGTSTP is ours: curses' own handler would
 * leave bracketed paste on, writes from within the signal, and loses one that comes in a paint.
 */
#include "tui/toolkit/term.h"

#ifdef GP_HAVE_CURSES

#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define NCURSES_NOMACROS
#include <curses.h>
#include <fcntl.h>
#include <term.h>

#include "base/clock.h"
#include "base/exit.h"
#include "base/mem.h"
#include "base/say.h"
#include "tui/toolkit/signals.h"

#define PASTE_ON "\033[?2004h"
#define PASTE_OFF "\033[?2004l"
#define MOUSE_ON "\033[?1000h\033[?1006h"
#define MOUSE_OFF "\033[?1006;1000l"

static struct {
    bool open;
    SCREEN *screen;
    struct give_back back;
    int pipe[2];      /* a signal writes, ppoll() reads */
    sigset_t waiting; /* signals held back while ppoll() waits */
    struct sigaction was_cont, was_stop, was_winch;
    int colored; /* scheme whose pairs are set; -1: none */
    bool has_mouse;
    struct key_input input;
} term;

static volatile sig_atomic_t resumed, stop_asked, resized;

/* ---- signals ---- */

static void on_job(int sig)
{
    int saved = errno;

    *(sig == SIGCONT ? &resumed : sig == SIGWINCH ? &resized : &stop_asked) = 1;
    ssize_t n = write(term.pipe[1], "", 1);
    (void)n; /* a full pipe wakes as well */
    errno = saved;
}

static void release_signals(void)
{
    signals_release();
    sigaction(SIGCONT, &term.was_cont, NULL);
    sigaction(SIGTSTP, &term.was_stop, NULL);
    sigaction(SIGWINCH, &term.was_winch, NULL);
}

/* SIGWINCH waits until ppoll() does. In the background modes may be set as well:
 * SIGTTOU would stop a program that was asked to end while it was stopped. */
static void take_signals(void)
{
    struct sigaction action = {.sa_handler = on_job, .sa_flags = SA_RESTART};
    sigset_t held;

    sigemptyset(&action.sa_mask);
    sigaction(SIGCONT, &action, &term.was_cont);
    sigaction(SIGWINCH, &action, &term.was_winch);
    sigaction(SIGTSTP, NULL, &term.was_stop);
    if (term.was_stop.sa_handler != SIG_IGN) /* before curses looks: it takes what nobody has */
        sigaction(SIGTSTP, &action, NULL);
    signals_catch(&term.back, term.pipe[1]);
    sigemptyset(&held);
    sigaddset(&held, SIGWINCH);
    sigaddset(&held, SIGTTOU);
    sigprocmask(SIG_BLOCK, &held, &term.waiting);
    sigdelset(&term.waiting, SIGWINCH);
}

/* ---- opening and closing ---- */

static void write_mode(const char *mode)
{
    ssize_t n = write(STDOUT_FILENO, mode, strlen(mode));

    (void)n; /* then it is none that is pasted into */
}

/* What the terminal is to report, when it has the screen. Terminals without it pass over it. */
static void report_modes(bool on)
{
    write_mode(on ? PASTE_ON : PASTE_OFF);
    if (term.input.mouse_on)
        write_mode(on ? MOUSE_ON : MOUSE_OFF);
}

/* A capability without the pauses "$<50/>" that only old terminals need. */
static void add_leave(const char *name)
{
    const char *text = tigetstr(name);
    struct give_back *back = &term.back;

    if (!text || text == (const char *)-1)
        return;
    for (; *text && back->leave_len < sizeof(back->leave) - 1; text++) {
        if (text[0] == '$' && text[1] == '<' && strchr(text, '>'))
            text = strchr(text, '>');
        else
            back->leave[back->leave_len++] = *text;
    }
}

static void prepare_leave(void)
{
    static const char *const names[] = {"sgr0", "rmkx", "cnorm", "rmcup"};

    gp_format(term.back.leave, sizeof(term.back.leave), "%s%s", PASTE_OFF,
              term.input.mouse_on ? MOUSE_OFF : "");
    term.back.leave_len = strlen(term.back.leave);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        add_leave(names[i]);
}

enum gp_status term_usable(struct gp_err *err)
{
    static const char hint[] = "gpuplan --plan prints an answer, --plain asks line by "
                               "line, --help lists the rest";
    const char *name = getenv("TERM");
    int problem;

    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return gp_fail(err, GP_E_USAGE, "", hint,
                       "standard %s is not a terminal, and the screen needs one",
                       isatty(STDIN_FILENO) ? "output" : "input");
    if (!name || !name[0] || setupterm(NULL, STDOUT_FILENO, &problem) != OK)
        return gp_fail(err, GP_E_USAGE, "TERM", hint, "unknown terminal type '%.40s'",
                       name ? name : "");
    problem = !tigetstr("cup") || tigetstr("cup") == (char *)-1;
    del_curterm(cur_term);
    if (problem)
        return gp_fail(err, GP_E_USAGE, "TERM", hint, "a '%.40s' terminal cannot move its cursor",
                       name);
    return GP_OK;
}

static void set_up_curses(void)
{
    const char *mouse = tigetstr("kmous"), *name = getenv("TERM");
    struct termios modes;

    term.input = (struct key_input){0};
    term.has_mouse = (mouse && mouse != (const char *)-1) || (name && strstr(name, "xterm"));
    cbreak();
    noecho();
    nonl();
    report_modes(true);
    if (has_colors()) {
        start_color();
        use_default_colors();
    }
    curs_set(1);
    term.colored = -1;
    if (tcgetattr(STDIN_FILENO, &modes) != 0)
        return;
    modes.c_cc[VSUSP] = _POSIX_VDISABLE;      /* a key: the screen is given back before it stops */
    modes.c_cc[VMIN] = modes.c_cc[VTIME] = 0; /* read() never waits */
    tcsetattr(STDIN_FILENO, TCSADRAIN, &modes);
    def_prog_mode();
}

enum gp_status term_open(struct gp_err *err)
{
    static bool registered;
    enum gp_status rc = term_usable(err);

    if (rc || term.open)
        return rc;
    if (tcgetattr(STDIN_FILENO, &term.back.before) != 0 ||
        pipe2(term.pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return gp_fail(err, GP_E_INTERNAL, "terminal", "", "%s", strerror(errno));
    resumed = stop_asked = resized = 0;
    term.back.leave_len = 0;
    term.back.given = false;
    take_signals();
    term.screen = newterm(NULL, stdout, stdin);
    if (!term.screen) {
        release_signals();
        return gp_fail(err, GP_E_USAGE, "TERM", "gpuplan --plan prints one answer",
                       "this terminal cannot be used");
    }
    term.open = true;
    set_up_curses();
    prepare_leave();
    if (!registered)
        atexit(term_close);
    registered = true;
    gp_before_exit = signals_give_back;
    return GP_OK;
}

static void leave_screen(void)
{
    if (term.back.given)
        return;
    endwin();
    report_modes(false);
    tcsetattr(STDIN_FILENO, TCSANOW, &term.back.before);
    term.back.given = true;
}

void term_close(void)
{
    if (!term.open)
        return;
    term.open = false;
    gp_before_exit = NULL;
    leave_screen();
    delscreen(term.screen);
    release_signals();
    sigprocmask(SIG_SETMASK, &term.waiting, NULL);
    close(term.pipe[0]);
    close(term.pipe[1]);
}

/* The whole job (0), as the terminal would, or this process alone. */
static void stop_job(const char *note, pid_t who)
{
    struct sigaction usual = {.sa_handler = SIG_DFL}, was;

    leave_screen();
    if (note[0]) {
        gp_out(note, strlen(note));
        gp_out("\n", 1);
    }
    sigemptyset(&usual.sa_mask);
    sigaction(SIGTSTP, &usual, &was);
    kill(who, SIGTSTP);
    sigaction(SIGTSTP, &was, NULL);
    resumed = 1;
    if (signals_waiting()) /* perhaps in the background: the shell has the terminal */
        return;
    term.back.given = false;
    reset_prog_mode();
}

void term_copy(const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = strlen(text);
    struct strbuf out;

    if (!term.open)
        return;
    strbuf_init(&out);
    strbuf_add(&out, "\033]52;c;");
    for (size_t i = 0; i < len; i += 3) { /* base64 */
        unsigned int b[3] = {(unsigned char)text[i], i + 1 < len ? (unsigned char)text[i + 1] : 0,
                             i + 2 < len ? (unsigned char)text[i + 2] : 0};

        strbuf_addf(&out, "%c%c%c%c", digits[b[0] >> 2], digits[(b[0] << 4 | b[1] >> 4) & 63],
                    i + 1 < len ? digits[(b[1] << 2 | b[2] >> 6) & 63] : '=',
                    i + 2 < len ? digits[b[2] & 63] : '=');
    }
    strbuf_add(&out, "\a");
    write_mode(out.text);
    strbuf_fini(&out);
}

void term_suspend(const char *note)
{
    if (term.open)
        stop_job(note, 0);
}

/* ---- what it can do ---- */

enum scheme term_scheme(void)
{
    const char *none = getenv("NO_COLOR");
    const char *background = getenv("COLORFGBG"); /* "15;0", as some terminals tell */

    if ((none && none[0]) || !term.open || !has_colors() || COLORS < 8)
        return SCHEME_MONO;
    if (COLORS < 256)
        return SCHEME_16;
    background = background ? strrchr(background, ';') : NULL;
    return background && gp_has_word("7 15", " ", background + 1) ? SCHEME_LIGHT : SCHEME_DARK;
}

enum scheme term_scheme_able(enum scheme scheme)
{
    if (!term.open || !has_colors() || COLORS < 8)
        return SCHEME_MONO;
    return COLORS < 256 && scheme > SCHEME_16 ? SCHEME_16 : scheme;
}

enum charset term_charset(void)
{
    const char *name = getenv("TERM");

    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        return CHARSET_ASCII;
    return name && strcmp(name, "linux") == 0 ? CHARSET_BLOCK : CHARSET_BRAILLE;
}

void term_size(int *rows, int *cols)
{
    if (term.open)
        getmaxyx(stdscr, *rows, *cols);
}

void term_mouse(bool on)
{
    if (!term.open || !term.has_mouse || on == term.input.mouse_on)
        return;
    term.input.mouse_on = on;
    write_mode(on ? MOUSE_ON : MOUSE_OFF);
    prepare_leave();
}

bool term_mouse_read(struct term_mouse *out)
{
    *out = term.input.mouse;
    return out->click || out->wheel;
}

const struct paste *term_paste(void)
{
    return &term.input.paste;
}

int term_signal(void)
{
    return signals_take();
}

/* ---- keys ---- */

/* To the terminal's size; false: it has it. */
static bool fit_size(void)
{
    struct winsize size;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_row || !size.ws_col ||
        (size.ws_row == LINES && size.ws_col == COLS))
        return false;
    resizeterm(size.ws_row, size.ws_col);
    return true;
}

/* What happened to the terminal, which is no key. */
static int pending_event(void)
{
    signals_go_on();
    if (signals_waiting())
        return K_HANGUP;
    if (stop_asked) {
        stop_asked = 0;
        stop_job("", getpid());
        if (signals_waiting())
            return K_HANGUP;
    }
    if (resumed) {
        resumed = resized = 0;
        reset_prog_mode(); /* SIGSTOP left no time to leave the screen */
        fit_size();        /* a shell does not pass on that it changed */
        report_modes(true);
        return K_RESUME;
    }
    if (resized) {
        resized = 0;
        fit_size();
        return K_RESIZE; /* back to the same size, it may still have lost what was painted */
    }
    return K_NONE;
}

/* Bytes are read one by one: those behind a key that ends the program are the shell's. */
static int input_pending(void)
{
    int key = pending_event();
    unsigned char byte;

    while (key == K_NONE && read(STDIN_FILENO, &byte, 1) == 1)
        key = key_input_byte(&term.input, byte, clock_now());
    return key != K_NONE ? key : key_input_silence(&term.input, clock_now());
}

/* A terminal that is gone is always readable, and then there is nothing to read. */
static bool is_gone(int revents)
{
    int bytes = 1;

    if (revents & (POLLHUP | POLLERR | POLLNVAL))
        return true;
    return (revents & POLLIN) && (ioctl(STDIN_FILENO, FIONREAD, &bytes) != 0 || bytes == 0);
}

/* For one of these events, or a signal. True when the terminal is still there. */
static bool wait_for(short events, double seconds)
{
    struct pollfd fds[2] = {{.fd = STDIN_FILENO, .events = events},
                            {.fd = term.pipe[0], .events = POLLIN}};
    struct timespec limit = {.tv_sec = (time_t)seconds};
    char bytes[16];

    limit.tv_nsec = (long)((seconds - (double)limit.tv_sec) * 1e9);
    int n = ppoll(fds, 2, seconds < 0 ? NULL : &limit, &term.waiting);
    while (read(term.pipe[0], bytes, sizeof(bytes)) > 0)
        ;
    return n <= 0 || !is_gone(fds[0].revents);
}

int term_key(double seconds)
{
    int key = term.open ? input_pending() : K_HANGUP;
    double rest = key_input_wait(&term.input, clock_now());

    if (key != K_NONE)
        return key;
    if (rest >= 0 && (seconds < 0 || seconds > rest))
        seconds = rest;
    return wait_for(POLLIN, seconds > 86400 ? 86400 : seconds) ? input_pending() : K_HANGUP;
}

int term_no_key(double seconds)
{
    int key = term.open ? pending_event() : K_HANGUP;

    if (key != K_NONE)
        return key;
    return wait_for(0, seconds) ? pending_event() : K_HANGUP;
}

/* ---- painting ---- */

static void set_colors(enum scheme scheme)
{
    if (term.colored == (int)scheme || !has_colors())
        return;
    for (int ink = 0; ink < INK_COUNT; ink++)
        init_pair((short)(ink + 1), (short)theme_look(scheme, (enum ink)ink).color, -1);
    term.colored = (int)scheme;
}

struct pen {
    attr_t style[INK_COUNT];
    short pair[INK_COUNT];
};

static void paint_row(const struct canvas *canvas, int y, int cols, const struct pen *pen,
                      cchar_t *row)
{
    const struct cell *cell = &canvas->cells[(size_t)y * (size_t)canvas->cols];
    int n = 0;

    for (int x = 0; x < cols; x++) {
        wchar_t text[2] = {(wchar_t)cell[x].ch, 0};

        if (cell[x].ch != 0)
            setcchar(&row[n++], text, pen->style[cell[x].ink], pen->pair[cell[x].ink], NULL);
    }
    mvwadd_wchnstr(stdscr, y, 0, row, n);
}

void term_paint(const struct canvas *canvas, enum scheme scheme, bool whole)
{
    struct pen pen;
    cchar_t *row;
    int rows = canvas->rows, cols = canvas->cols;

    if (!term.open)
        return;
    scheme = term_scheme_able(scheme);
    set_colors(scheme);
    for (int ink = 0; ink < INK_COUNT; ink++) {
        struct look look = theme_look(scheme, (enum ink)ink);

        pen.style[ink] =
            (look.style & STYLE_BOLD ? A_BOLD : 0) | (look.style & STYLE_REVERSE ? A_REVERSE : 0) |
            (look.style & STYLE_UNDERLINE ? A_UNDERLINE : 0) | (look.style & STYLE_DIM ? A_DIM : 0);
        pen.pair[ink] = look.color >= 0 ? (short)(ink + 1) : 0;
    }
    rows = rows < LINES ? rows : LINES;
    cols = cols < COLS ? cols : COLS;
    row = gp_calloc((size_t)cols + 1, sizeof(*row));
    for (int y = 0; y < rows; y++)
        paint_row(canvas, y, cols, &pen, row);
    free(row);
    if (whole)
        clearok(stdscr, TRUE);
    wmove(stdscr, canvas->cursor_y, canvas->cursor_x);
    wnoutrefresh(stdscr);
    doupdate();
}

#else /* built without curses (--disable-tui): scripts, --plain and all commands are there */

#include <langinfo.h>
#include <string.h>

enum gp_status term_usable(struct gp_err *err)
{
    return gp_fail(err, GP_E_USAGE, "",
                   "gpuplan --plan prints one answer, gpuplan --plain asks line by line",
                   "this gpuplan was built without terminal screens");
}

enum gp_status term_open(struct gp_err *err)
{
    return term_usable(err);
}

void term_close(void)
{
}

enum scheme term_scheme(void)
{
    return SCHEME_MONO;
}

enum scheme term_scheme_able(enum scheme scheme)
{
    return scheme;
}

enum charset term_charset(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? CHARSET_BRAILLE : CHARSET_ASCII;
}

void term_size(int *rows, int *cols)
{
    (void)rows;
    (void)cols;
}

void term_mouse(bool on)
{
    (void)on;
}

bool term_mouse_read(struct term_mouse *out)
{
    *out = (struct term_mouse){0};
    return false;
}

const struct paste *term_paste(void)
{
    static const struct paste nothing;

    return &nothing;
}

int term_key(double seconds)
{
    (void)seconds;
    return K_HANGUP;
}

int term_no_key(double seconds)
{
    return term_key(seconds);
}

int term_signal(void)
{
    return 0;
}

void term_paint(const struct canvas *canvas, enum scheme scheme, bool whole)
{
    (void)canvas;
    (void)scheme;
    (void)whole;
}

void term_copy(const char *text)
{
    (void)text;
}

void term_suspend(const char *note)
{
    (void)note;
}

#endif
