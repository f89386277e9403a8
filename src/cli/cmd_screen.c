/*
 * cmd_screen.c - gpuplan without a command: the screens, or plain questions.
 *
 * What counts, the first first: an option, gpuplan.cfg, state.cfg, NO_COLOR, what the
 * terminal can do. Settings that cannot be read are the first line of the screen and
 * never keep it from starting.
 */
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "tui/loop.h"
#include "tui/settings.h"

/* auto leaves the settings; the others win over them. */
static void color_option(const char *word, struct app_settings *settings)
{
    int scheme = theme_scheme_find(word);

    if (strcmp(word, "auto") == 0)
        return;
    settings->scheme_given = strcmp(word, "always") != 0;
    if (!settings->scheme_given)
        unsetenv("NO_COLOR");
    else
        settings->scheme = scheme >= 0 ? (enum scheme)scheme : SCHEME_MONO;
}

static enum gp_status screen_run(struct invocation *in, struct gp_err *err)
{
    struct app_start start = {.planner = in->planner, .options = &in->options};
    struct gp_err wrong = {0};
    char report[GP_ERR_LINE];

    if (settings_read(&start.settings, &wrong))
        start.report = gp_err_line(&wrong, report);
    color_option(options_word(&in->options, OPT_COLOR, "auto"), &start.settings);
    if (options_flag(&in->options, OPT_ASCII)) {
        start.settings.charset = CHARSET_ASCII;
        start.settings.charset_given = true;
    }
    if (options_flag(&in->options, OPT_NO_MOUSE))
        start.settings.mouse = false;
    start.script = getenv("GPUPLAN_SCRIPT");
    const char *because =
        plain_because(options_flag(&in->options, OPT_PLAIN), start.settings.plain);
    if (because && !start.script)
        in->exit_code = plain_run(&start, because, err);
    else
        in->exit_code = app_run(&start, err);
    return err->code;
}

const struct command cmd_screen = {
    .name = "screen",
    .usage = "[-m MODEL] [-p FORMAT] [-g GPU[:COUNT]] [OPTION]...",
    .brief = "screens to plan, compare and measure; the default on a terminal",
    .bit = FOR_SCREEN,
    .one = ONE_EACH,
    .several = "press 2 there, or use --compare",
    .streams = true,
    .run = screen_run,
};
