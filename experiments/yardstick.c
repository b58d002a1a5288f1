/* A plain C program that plays full games of The Mind: the yardstick of `experiments/benchmark.py`.
 *
 * Gap-proportional waits, scalar noise of the given Weber fraction, lives and rewards; no stars, no reaction, no felt
 * time, no results but the share won: less than mindsim does. Usage: yardstick PLAYERS GAMES WEBER
 * Build: cc -O3 -march=native yardstick.c -o yardstick -lm
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { DECK = 100, MOST_PLAYERS = 4, MOST_CARDS = 12 };

typedef struct { uint64_t state; } Random;

static uint64_t draw(Random *r) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

static double uniform(Random *r) { return ((double)(draw(r) >> 12) + 0.5) * 0x1p-52; }

/* The ziggurat: LAYERS layers of equal AREA under the bell; nearly always one draw falls inside its layer for certain.
 * Marsaglia and Tsang (2000), The ziggurat method for generating random variables, whose constants these are. */
enum { LAYERS = 128 };
static const double TAIL = 3.442619855899, AREA = 9.91256303526217e-3;
static double width[LAYERS + 1];

static double height(double x) { return exp(-0.5 * x * x); }

static void cut_layers(void) {
    width[0] = AREA / height(TAIL);
    width[1] = TAIL;
    for (int i = 2; i < LAYERS; i++) width[i] = sqrt(-2 * log(AREA / width[i - 1] + height(width[i - 1])));
    width[LAYERS] = 0;
}

static double beyond_tail(Random *r) {
    double x, y;
    do { x = -log(uniform(r)) / TAIL; y = -log(uniform(r)); } while (2 * y < x * x);
    return TAIL + x;
}

static double normal(Random *r) {
    for (;;) {
        uint64_t bits = draw(r);
        int i = bits & (LAYERS - 1);
        double x = (2 * ((double)(bits >> 11) * 0x1p-53) - 1) * width[i];
        if (fabs(x) < width[i + 1]) return x;
        if (i == 0) return x < 0 ? -beyond_tail(r) : beyond_tail(r);
        double low = height(width[i]), high = height(width[i + 1]);
        if (low + uniform(r) * (high - low) < height(x)) return x;
    }
}

typedef struct { int cards[MOST_PLAYERS][MOST_CARDS], next[MOST_PLAYERS], held, players, level; } Level;

static void deal(Level *v, Random *r) {
    int deck[DECK], owner[DECK];
    for (int i = 0; i < DECK; i++) { deck[i] = i; owner[i] = -1; }
    v->held = v->players * v->level;
    for (int i = 0; i < v->held; i++) {
        int j = i + (int)(((draw(r) >> 32) * (uint64_t)(DECK - i)) >> 32), card = deck[j];
        deck[j] = deck[i];
        owner[card] = i / v->level;
    }
    int n[MOST_PLAYERS] = {0};
    for (int card = 0; card < DECK; card++)
        if (owner[card] >= 0) v->cards[owner[card]][n[owner[card]]++] = card + 1;
    for (int p = 0; p < v->players; p++) v->next[p] = 0;
}

/* Plays one level; returns how many lives it costs, at most `lives`. */
static int play(Level *v, double weber, int lives, Random *r) {
    int top = 0, lost = 0;
    while (v->held > 0 && lost < lives) {
        double least = INFINITY;
        int who = 0;
        for (int p = 0; p < v->players; p++) {
            if (v->next[p] == v->level) continue;
            double wait = (v->cards[p][v->next[p]] - top) * (1 + weber * normal(r));
            if (wait < least) { least = wait; who = p; }
        }
        top = v->cards[who][v->next[who]++];
        v->held--;
        int early = 0;
        for (int p = 0; p < v->players; p++)
            for (; v->next[p] < v->level && v->cards[p][v->next[p]] < top; v->next[p]++) { early = 1; v->held--; }
        lost += early;
    }
    return lost;
}

int main(int argc, char **argv) {
    if (argc != 4) { fprintf(stderr, "usage: %s PLAYERS GAMES WEBER\n", argv[0]); return 2; }
    int players = atoi(argv[1]), levels = players == 2 ? 12 : players == 3 ? 10 : 8;
    long games = atol(argv[2]), won = 0;
    double weber = atof(argv[3]);
    Random r = {42};
    cut_layers();
    clock_t start = clock();
    for (long g = 0; g < games; g++) {
        int lives = players;
        for (int level = 1; level <= levels && lives > 0; level++) {
            Level v = {.players = players, .level = level};
            deal(&v, &r);
            lives -= play(&v, weber, lives, &r);
            if (lives > 0 && lives < 5 && level % 3 == 0 && level <= 9) lives++;
        }
        won += lives > 0;
    }
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%.1f %.6f\n", games / seconds, (double)won / games);
    return 0;
}
