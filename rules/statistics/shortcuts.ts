import { type DataFigures } from '../../schemas/dataset/data-figures';
import { GUESSES, type Guess } from '../../schemas/dataset/guess';
import type { InstanceForm } from '../../schemas/dataset/instance';
import { DEFAULT_SEED } from '../../schemas/run/settings';
import { groupBy } from '../group-by';
import { isSamePreference } from '../texts/compare-texts';
import { ShareCounter } from './share';
import { Mean } from './tally';
import { computePreferenceShare } from '../texts/preference-in-request';
import { type ChoiceOption, findRightOption, listOptions } from '../choice/options';
import { hasType, PersonaRows, type RequestRow } from '../choice/persona-rows';

/** Scores an option; a guess chooses the one with the highest score. */
type Score = (option: ChoiceOption, at: number, request: string) => number;

const SCORES: Readonly<Record<Guess, Score>> = {
  longest: ({ preference }) => preference.length,
  shortest: ({ preference }) => -preference.length,
  // Names of factors count as well: the guess does not know which words name one.
  request: ({ preference }, _at, request) => computePreferenceShare(request, preference, ''),
  A: scorePosition(0),
  B: scorePosition(1),
  C: scorePosition(2),
  D: scorePosition(3),
};

/** Quantile of the normal distribution for intervals that contain all seven shares in 95 % of cases (Bonferroni). */
const Z_OF_ALL = 2.69;

function scorePosition(position: number): Score {
  return (_option, at) => (at === position ? 1 : -Infinity);
}

/** Counts how often guesses that ignore the history find the right option of a choice, instance by instance. */
export class ShortcutCounter {
  readonly #rows = new PersonaRows((persona, rows) => this.#count(persona, rows));
  readonly #guesses = GUESSES.map((guess) => ({ guess, right: new ShareCounter(), chance: new Mean() }));
  readonly #withoutChoice = new ShareCounter();
  readonly #nearlyEqual = new ShareCounter();
  readonly #pairs: NonNullable<DataFigures['nearlyEqualOptions']>['pairs'] = [];
  readonly #unchanged = new ShareCounter();

  add(instance: InstanceForm): void {
    this.#rows.add(instance);
  }

  end(): Pick<DataFigures, 'guesses' | 'withoutChoice' | 'nearlyEqualOptions' | 'unchangedPreference'> {
    this.#rows.end();
    const nearlyEqual = this.#nearlyEqual.end();
    const unchanged = this.#unchanged.end();
    return {
      guesses: Object.fromEntries(
        this.#guesses.flatMap(({ guess, right, chance }) => {
          const figure = right.end(Z_OF_ALL);
          if (figure === undefined) return [];
          const { share, total, interval } = figure;
          return [[guess, { share, total, interval, chance: chance.value() }]];
        }),
      ),
      withoutChoice: this.#withoutChoice.end(),
      nearlyEqualOptions: nearlyEqual && { ...nearlyEqual, pairs: this.#pairs },
      unchangedPreference: unchanged && { ...unchanged, personas: this.#unchanged.listPersonas() },
    };
  }

  #count(persona: string, rows: readonly RequestRow[]): void {
    const options = listOptions(rows, DEFAULT_SEED);
    for (const [request, asking] of groupBy(rows, ({ current_request }) => current_request)) {
      const rightOptions = asking.flatMap((row) => findRightOption(options, row) ?? []);
      this.#withoutChoice.add(persona, asking.length - rightOptions.length, asking.length);
      this.#addGuesses(persona, request, options, rightOptions);
    }
    const pair = findNearlyEqual(options);
    if (options.length > 1) this.#nearlyEqual.add(persona, pair === undefined ? 0 : 1, 1);
    if (pair !== undefined) this.#pairs.push({ persona_id: persona, preferences: pair });
    const kinds = options.map(({ kind }) => kind);
    if (hasType(rows, 'changing') && kinds.includes('original'))
      this.#unchanged.add(persona, kinds.includes('changed') ? 0 : 1, 1);
  }

  /** @param rightOptions of each choice that is made with this request */
  #addGuesses(
    persona: string,
    request: string,
    options: readonly ChoiceOption[],
    rightOptions: readonly number[],
  ): void {
    for (const { guess, right, chance } of this.#guesses) {
      const chosen = listChosen(guess, options, request);
      if (chosen.length === 0) continue;
      for (const rightAt of rightOptions) {
        right.add(persona, chosen.includes(rightAt) ? 1 / chosen.length : 0, 1);
        chance.add(1 / options.length);
      }
    }
  }
}

/** Lists the guesses that find the right option of a choice, alone or among equal candidates. */
export function listRightGuesses(options: readonly ChoiceOption[], request: string, right: number): Guess[] {
  return GUESSES.filter((guess) => listChosen(guess, options, request).includes(right));
}

/** Lists the options that a guess may choose; none if a choice has fewer options than there are positions. */
function listChosen(guess: Guess, options: readonly ChoiceOption[], request: string): number[] {
  const scores = options.map((option, at) => SCORES[guess](option, at, request));
  const highest = Math.max(...scores);
  if (highest === -Infinity) return [];
  return scores.flatMap((score, at) => (score === highest ? [at] : []));
}

/** Finds two options with nearly the same words, whether or not one negates the other. */
function findNearlyEqual(options: readonly ChoiceOption[]): [first: string, second: string] | undefined {
  for (const [at, { preference: first }] of options.entries()) {
    const second = options.slice(at + 1).find(({ preference }) => isSamePreference(first, preference));
    if (second !== undefined) return [first, second.preference];
  }
  return undefined;
}
