import {
  CAREER_LEVELS,
  DECISION_MAKING_STYLES,
  PERSONAL_VALUES,
  PERSONALITY_TRAITS,
  type PersonaTemplate,
} from '../../schemas/dataset/persona';
import { listCareerLevels } from './career-levels';
import { createRandom, type Random } from './random';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import type { Quality } from '../../schemas/run/settings';
import { InputError } from '../../schemas/input-error';

export interface TemplateSampling {
  /** Sentences that each describe a person. */
  readonly seeds: readonly string[];
  /** Occupation tokens, such as `baker`. */
  readonly occupations: readonly string[];
  readonly count: number;
  /** The run's seed. */
  readonly seed: number;
  /** Under strict rules, the career level is drawn among those that the sentence allows; otherwise among all, as in the paper. */
  readonly quality: Quality;
  /** The id of the first template to return; earlier personas are drawn again, but not returned. */
  readonly firstId?: number;
  /** Sentences that may not be drawn: first those of earlier personas, in the order of their ids. */
  readonly usedSeeds?: readonly string[];
}

/** Thrown when the seeds do not suffice for the number of personas. */
export class SeedsExhausted extends InputError {
  override readonly name = 'SeedsExhausted';

  constructor(
    /** Number of personas, earlier ones included, for which the seeds suffice. */
    readonly suffices: number,
    personaCount: number,
    sentences: number,
  ) {
    super(
      `Each persona needs a seed sentence of its own that names an occupation. The seeds have ${formatCount(sentences, 'different sentence')}, enough for ${formatCount(suffices, 'persona')} of ${formatNumber(personaCount)}. ${suffices > 0 ? `Ask for at most ${formatCount(suffices, 'persona')}, or give` : 'Give'} more seeds: each must contain one of the occupations as a whole word.`,
    );
  }
}

/**
 * Samples persona templates with ids from `firstId` on (paper, B.1): seeds in rounds over the occupations, attributes balanced over the whole run.
 * Fewer templates are a prefix of more. @throws SeedsExhausted
 */
export function sampleTemplates(sampling: TemplateSampling): PersonaTemplate[] {
  const { count, seed, firstId = 1, usedSeeds = [] } = sampling;
  const end = firstId + count;
  const pool = new SeedPool(sampling.seeds, sampling.occupations, seed);
  for (const sentence of usedSeeds.slice(firstId - 1)) pool.use(sentence);
  const drawAttributes = createAttributeDraw(seed, sampling.quality);
  const templates: PersonaTemplate[] = [];
  for (let id = 1; id < end; id += 1) {
    const sentence = pool.next(id < firstId ? usedSeeds[id - 1] : undefined);
    if (sentence === undefined) throw new SeedsExhausted(id - 1, end - 1, pool.size);
    const template = { id, seed: sentence, ...drawAttributes(id, sentence) };
    if (id >= firstId) templates.push(template);
  }
  return templates;
}

class SeedPool {
  readonly size: number;
  private readonly sentences = new Map<string, string[]>();
  private readonly used = new Set<string>();
  private readonly occupations: readonly string[];
  private round: string[] = [];
  private rounds = 0;

  constructor(
    seeds: readonly string[],
    occupations: readonly string[],
    private readonly seed: number,
  ) {
    const distinct = [...new Set(seeds.map((sentence) => sentence.trim()))].filter(
      (sentence) => sentence !== '',
    );
    this.size = distinct.length;
    for (const [occupation, matchingSentences] of groupByOccupation(distinct, occupations)) {
      this.sentences.set(occupation, createRandom(seed, 'seeds', occupation).shuffle(matchingSentences));
    }
    this.occupations = [...this.sentences.keys()];
  }

  use(sentence: string): void {
    this.used.add(sentence.trim());
  }

  /** Returns the next persona's seed, or `knownSeed` in its place; undefined if no occupation has another. */
  next(knownSeed?: string): string | undefined {
    const unusedSeed = this.nextUnused();
    const sentence = knownSeed ?? unusedSeed;
    if (sentence !== undefined) this.use(sentence);
    return unusedSeed === undefined ? undefined : sentence;
  }

  private nextUnused(): string | undefined {
    for (;;) {
      const occupation = this.round.shift();
      if (occupation !== undefined) {
        const sentence = this.firstUnused(occupation);
        if (sentence !== undefined) return sentence;
        continue;
      }
      const able = this.occupations.some((name) => this.firstUnused(name) !== undefined);
      if (!able) return undefined;
      this.rounds += 1;
      this.round = createRandom(this.seed, 'occupations', this.rounds).shuffle(this.occupations);
    }
  }

  private firstUnused(occupation: string): string | undefined {
    const sentences = this.sentences.get(occupation) ?? [];
    // Used sentences are dropped, which keeps this fast over thousands of draws.
    const unused = sentences.findIndex((sentence) => !this.used.has(sentence));
    sentences.splice(0, unused < 0 ? sentences.length : unused);
    return sentences[0];
  }
}

/** Returns the sentences that contain each occupation as a whole word, in any case; `contractor` does not contain `actor`. */
function groupByOccupation(
  sentences: readonly string[],
  occupations: readonly string[],
): Map<string, string[]> {
  const sentencesByOccupation = new Map<string, string[]>();
  const byFirstWord = new Map<string, { occupation: string; phrase: string }[]>();
  for (const occupation of new Set(occupations.map((name) => splitIntoWords(name).join(' ')))) {
    const [first] = occupation.split(' ');
    if (first === undefined || first === '') continue;
    byFirstWord.set(first, [...(byFirstWord.get(first) ?? []), { occupation, phrase: ` ${occupation} ` }]);
    sentencesByOccupation.set(occupation, []);
  }
  for (const sentence of sentences) {
    const words = splitIntoWords(sentence);
    const text = ` ${words.join(' ')} `;
    for (const word of new Set(words)) {
      for (const { occupation, phrase } of byFirstWord.get(word) ?? []) {
        if (text.includes(phrase)) sentencesByOccupation.get(occupation)?.push(sentence);
      }
    }
  }
  return sentencesByOccupation;
}

function splitIntoWords(text: string): string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{Letter}\p{Mark}\p{Number}_]+/gu) ?? []
  );
}

type Attributes = Omit<PersonaTemplate, 'id' | 'seed'>;

const TRAITS = PERSONALITY_TRAITS.flatMap((trait) => [
  { text: `High ${trait}`, trait },
  { text: `Low ${trait}`, trait },
]);

/**
 * Draws the attributes of one persona after the other. They depend on the run's seed and the persona's number; under strict rules, the career
 * level also on the sentences.
 */
function createAttributeDraw(seed: number, quality: Quality): (id: number, sentence: string) => Attributes {
  const careers = createBalancedDraw(CAREER_LEVELS);
  const traits = createBalancedDraw(TRAITS);
  const values = createBalancedDraw(PERSONAL_VALUES);
  const styles = createBalancedDraw(DECISION_MAKING_STYLES);
  return (id, sentence) => {
    const random = createRandom(seed, 'attributes', id);
    const career = careers.draw(random, quality === 'strict' ? listCareerLevels(sentence) : CAREER_LEVELS);
    const [firstTrait, secondTrait] = traits.drawTwo(random, (first, second) => first.trait !== second.trait);
    const twoValues = values.drawTwo(random, (first, second) => first !== second);
    return {
      career_level: career,
      personality_traits: [firstTrait.text, secondTrait.text],
      personal_values: twoValues,
      decision_making_styles: styles.draw(random),
    };
  };
}

/** Draws from the half of the options used least so far, rounded up, ties in list order. */
function createBalancedDraw<T>(options: readonly T[]) {
  const uses = new Map(options.map((option) => [option, 0]));
  const leastUsed = (open: readonly T[] = options) =>
    open.toSorted((a, b) => (uses.get(a) ?? 0) - (uses.get(b) ?? 0)).slice(0, Math.ceil(open.length / 2));
  const countUse = (option: T) => uses.set(option, (uses.get(option) ?? 0) + 1);

  return {
    /** Draws one option, out of `open` if given. */
    draw(random: Random, open?: readonly T[]): T {
      const option = random.pick(leastUsed(open));
      countUse(option);
      return option;
    },
    /** Draws two compatible options, both from the half that was used least before either was drawn. */
    drawTwo(random: Random, isCompatible: (first: T, second: T) => boolean): [T, T] {
      const half = leastUsed();
      const first = random.pick(half);
      const second = random.pick(half.filter((option) => isCompatible(first, option)));
      countUse(first);
      countUse(second);
      return [first, second];
    },
  };
}
