/*
 * test_key_input.c - keys in all the forms that terminals have; what silence means; whatever
 * else comes is over when it is silent. tests/script/input.sh feeds real sequences to screens.
 */
#include "tui/toolkit/key_input.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static struct key_input input;
static double now;

/* The first key of the bytes, each `pause` after the one before; then one of silence. */
static int key_of(const char *bytes, double pause)
{
    int key = K_NONE;

    for (const char *p = bytes; *p && !key; p++) {
        now += pause;
        key = key_input_silence(&input, now);
        key = key ? key : key_input_byte(&input, (unsigned char)*p, now);
    }
    now += 1;
    return key ? key : key_input_silence(&input, now);
}

static void test_keys_in_all_their_forms(void **state)
{
    static const struct {
        const char *forms;
        int key;
    } rows[] = {
        {"[A OA [1;1A [1;1:1A [1;129A", K_UP},
        {"[B OB", K_DOWN},
        {"[C OC", K_RIGHT},
        {"[D OD", K_LEFT},
        {"[H OH [1~ [7~ [1;1H", K_HOME},
        {"[F OF [4~ [8~ [4;1~", K_END},
        {"[5~", K_PGUP},
        {"[6~", K_PGDN},
        {"[3~", K_DELETE},
        {"[Z \t", K_BACKTAB},
        {"OP [P [[A [11~", K_F1},
        {"OS [S [[D [14~", K_F4},
        {"[[E [15~", K_F5},
        {"[17~", K_F6},
        {"[21~", K_F10},
        {"[24~ [24;65~", K_F12},
        {"OM [13u", K_ENTER},
        {"[27u", K_ESC},
        {"2", K_ALT_1 + 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char forms[80], *rest = forms, *form;

        strcpy(forms, rows[i].forms);
        while ((form = strtok_r(rest, " ", &rest))) {
            char bytes[40];

            gp_format(bytes, sizeof bytes, "\033%s", form);
            assert_int_equal(key_of(bytes, 0), rows[i].key);
            assert_int_equal(key_of(bytes, 0.02), rows[i].key);
        }
    }
    assert_int_equal(key_of("\x9b"
                            "A",
                            0),
                     K_UP);
    assert_int_equal(key_of("\303\266", 0), 0xf6);
    assert_int_equal(key_of("\n", 0), K_ENTER);
    assert_int_equal(key_of("\b", 0), K_BACKSPACE);
}

static void test_silence_tells_esc_from_a_sequence(void **state)
{
    (void)state;
    assert_int_equal(key_input_byte(&input, 27, now), K_NONE);
    assert_near(key_input_wait(&input, now), 0.025, 1e-6);
    assert_int_equal(key_input_silence(&input, now + 0.02), K_NONE);
    assert_int_equal(key_input_silence(&input, now + 0.03), K_ESC);
    /* a slow line: what follows still belongs to it */
    assert_int_equal(key_input_byte(&input, '[', now + 0.2), K_NONE);
    assert_int_equal(key_input_byte(&input, '5', now + 0.6), K_NONE);
    assert_int_equal(key_input_byte(&input, '~', now + 1), K_PGUP);
    assert_true(key_input_wait(&input, now + 1) < 0);
    /* a key of one's own, a second later, does not */
    assert_int_equal(key_of("\033", 0), K_ESC);
    assert_int_equal(key_of("[", 1), 0x5b);
}

static void test_a_broken_paste_ends(void **state)
{
    (void)state;
    assert_int_equal(key_of("\033[200~q\033[31mu\033[201~", 0), K_PASTE);
    assert_string_equal(input.paste.text, "q?[31mu");
    assert_int_equal(key_of("\033[200~q", 0), K_NONE);
    assert_int_equal(key_of("uit", 1), K_NONE);
    assert_int_equal(key_of("\033", 0), K_PASTE); /* Esc, and nothing: out of it */
    assert_string_equal(input.paste.text, "quit");
    assert_int_equal(key_of("q", 0), 'q');
}

static void test_mouse_where_it_is_asked_for(void **state)
{
    (void)state;
    assert_int_equal(key_of("\033[<0;7;3M", 0), K_NONE);
    input.mouse_on = true;
    assert_int_equal(key_of("\033[<0;7;3M", 0), K_MOUSE);
    assert_true(input.mouse.click && input.mouse.x == 6 && input.mouse.y == 2);
    assert_int_equal(key_of("\033[M\x60'#", 0), K_MOUSE);
    assert_true(input.mouse.wheel == -1 && input.mouse.x == 6 && input.mouse.y == 2);
    assert_int_equal(key_of("\033[<0;7;3m", 0), K_NONE);
    assert_int_equal(key_of("\033[<35;7;3M", 0), K_NONE);
    assert_int_equal(key_of("\033[<0;0;3M", 0), K_NONE);
    input.mouse_on = false;
}

/* Whatever came: after a second of silence a letter is that letter, and keys are keys. */
static void test_anything_is_over_at_last(void **state)
{
    static const char likely[] = "\033\033[[O]P_^X<?;:0123456789~uMAm$ \a\\q\x9b";

    (void)state;
    srand(1);
    for (int i = 0; i < 50000; i++) {
        char bytes[80];
        int n = rand() % (int)(sizeof bytes - 1), key;

        for (int k = 0; k < n; k++)
            bytes[k] =
                rand() % 4 ? likely[rand() % (int)(sizeof likely - 1)] : (char)(1 + rand() % 255);
        bytes[n] = '\0';
        for (const char *p = bytes; *p; p++) {
            now += rand() % 10 ? 0 : 0.05;
            key_input_silence(&input, now);
            key = key_input_byte(&input, (unsigned char)*p, now);
            assert_true(key >= 0 && key < K_END_OF_KEYS);
        }
        key_of("", 0);
        if (!input.paste.on)
            assert_int_equal(key_of("z", 0), 'z');
        else
            assert_int_equal(key_of("\033", 0), K_PASTE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_in_all_their_forms),
        cmocka_unit_test(test_silence_tells_esc_from_a_sequence),
        cmocka_unit_test(test_a_broken_paste_ends),
        cmocka_unit_test(test_mouse_where_it_is_asked_for),
        cmocka_unit_test(test_anything_is_over_at_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
