import {
  CAREER_LEVELS,
  DECISION_MAKING_STYLES,
  PERSONAL_VALUES,
  PERSONALITY_TRAITS,
  personaTemplateSchema,
} from '../../../../schemas/dataset/persona';
import { sampleTemplates, SeedsExhausted, type TemplateSampling } from '../../../../rules/sampling/templates';

const OCCUPATIONS = ['baker', 'actor', 'nurse', 'judge', 'pilot'];
/** Twelve sentences for each occupation, and as many without one. */
const SEEDS = [...OCCUPATIONS, 'contractor', 'piloting'].flatMap((word) =>
  Array.from({ length: 12 }, (_, number) => `A ${word} who has told ${number + 1} stories.`),
);

const sample = (sampling: Partial<TemplateSampling> = {}) =>
  sampleTemplates({
    seeds: SEEDS,
    occupations: OCCUPATIONS,
    count: 20,
    seed: 42,
    quality: 'strict',
    ...sampling,
  });

const occupationOf = (sentence: string) => sentence.split(' ')[1] ?? '';

test('templates have the form of the schema, ids without gaps, and the same seed gives the same ones', () => {
  const templates = sample();
  expect(templates.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  for (const template of templates) expect(personaTemplateSchema.parse(template)).toEqual(template);
  expect(sample()).toEqual(templates);
  expect(sample({ seed: 43 })).not.toEqual(templates);
});

test('fewer templates are the beginning of more', () => {
  for (const seed of [1, 2, 3]) {
    const all = sample({ count: 60, seed });
    for (const count of [1, 4, 5, 6, 33]) expect(sample({ count, seed })).toEqual(all.slice(0, count));
  }
});

test('a run that grows draws what it would have drawn at once, and never a seed it has used', () => {
  const all = sample({ count: 30 });
  const usedSeeds = all.slice(0, 13).map(({ seed }) => seed);
  expect(sample({ firstId: 14, count: 17, usedSeeds })).toEqual(all.slice(13));
  const grown = sample({ seeds: [...SEEDS, 'The nurse of a new list.'], firstId: 14, count: 17, usedSeeds });
  expect(grown.filter(({ seed }) => usedSeeds.includes(seed))).toEqual([]);
  expect(
    sample({ count: 58, usedSeeds: SEEDS.slice(0, 2) }).some(({ seed }) => SEEDS.slice(0, 2).includes(seed)),
  ).toBe(false);
});

test('every round gives each occupation one seed, in an order of its own', () => {
  const templates = sample({ count: 60 });
  const orders = new Set<string>();
  for (let start = 0; start < 60; start += 5) {
    const round = templates.slice(start, start + 5).map(({ seed }) => occupationOf(seed));
    expect(round.toSorted()).toEqual(OCCUPATIONS.toSorted());
    orders.add(round.join());
  }
  expect(orders.size).toBeGreaterThan(6);
});

test('no sentence is drawn twice in a run, even if it names several occupations or stands in the list twice', () => {
  const seeds = [
    'The baker and the actor.',
    ' The baker and the actor. ',
    'A baker.',
    'An actor.',
    'A baker.',
  ];
  const drawn = sample({ seeds, count: 3 }).map(({ seed }) => seed);
  expect(drawn.toSorted()).toEqual(['A baker.', 'An actor.', 'The baker and the actor.']);
});

test('an occupation whose seeds are used up is passed over', () => {
  const seeds = ['A judge.', ...SEEDS.filter((sentence) => sentence.includes('nurse'))];
  const drawn = sample({ seeds, count: 13 }).map(({ seed }) => seed);
  expect(new Set(drawn)).toEqual(new Set(seeds));
  expect(drawn.slice(0, 2)).toContain('A judge.');
});

test.each([
  ['A contractor in a factory.', 'actor', false],
  ['An ACTOR on stage.', 'actor', true],
  ['An actor-director.', 'actor', true],
  ['The actor’s life.', 'actor', true],
  ['Three actors.', 'actor', false],
  ['Un acteur étranger.', 'tranger', false],
  ['Un ÉDITEUR connu.', 'éditeur', true],
  ['Un e\u0301diteur connu.', 'éditeur', true],
  ['A real estate developer.', 'real estate developer', true],
  ['A really real estate.', 'real estate developer', false],
  ['An actor_in_training.', 'actor', false],
])('%s names %s: %p', (sentence, occupation, names) => {
  const drawn = () => sample({ seeds: [sentence], occupations: [occupation], count: 1 });
  if (names) expect(drawn()).toHaveLength(1);
  else expect(drawn).toThrow(SeedsExhausted);
});

test('seeds that do not suffice are an error that says for how many they do, and what to do', () => {
  expect(sample({ count: 60 })).toHaveLength(60);
  expect(() => sample({ count: 61 })).toThrow(SeedsExhausted);
  expect(() => sample({ count: 61 })).toThrow(
    /enough for 60 personas of 61\. Ask for at most 60 personas, or give more seeds/,
  );
  expect(() => sample({ seeds: [] })).toThrow(
    /0 different sentences, enough for 0 personas of .*\. Give more seeds/,
  );
  expect(() => sample({ occupations: [' ', ''] })).toThrow(SeedsExhausted);
});

test('attributes are always drawn from the half of their options used least so far', () => {
  const traits = PERSONALITY_TRAITS.flatMap((trait) => [`High ${trait}`, `Low ${trait}`]);
  for (const seed of [1, 42, 99]) {
    const uses = new Map<string, number>();
    const used = (option: string) => uses.get(option) ?? 0;
    const leastUsed = (options: readonly string[]) =>
      options.toSorted((one, other) => used(one) - used(other)).slice(0, Math.ceil(options.length / 2));
    for (const template of sample({ count: 60, seed })) {
      const drawn = [
        { options: traits, chosen: template.personality_traits },
        { options: PERSONAL_VALUES, chosen: template.personal_values },
        { options: CAREER_LEVELS, chosen: [template.career_level] },
        { options: DECISION_MAKING_STYLES, chosen: [template.decision_making_styles] },
      ];
      for (const { options, chosen } of drawn)
        expect(leastUsed(options)).toEqual(expect.arrayContaining(chosen));
      const [one, other] = template.personality_traits.map((text) => text.replace(/^(High|Low) /, ''));
      expect(one).not.toBe(other);
      expect(template.personal_values[0]).not.toBe(template.personal_values[1]);
      for (const { chosen } of drawn) for (const option of chosen) uses.set(option, used(option) + 1);
    }
    for (const options of [traits, PERSONAL_VALUES, CAREER_LEVELS, DECISION_MAKING_STYLES]) {
      const counts = options.map(used);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(3);
    }
  }
});

test('a large list is indexed once: every one of 1,000 personas out of 50,000 sentences has its own', () => {
  const occupations = Array.from({ length: 115 }, (_, number) => `worker${number}`);
  const seeds = Array.from(
    { length: 50_000 },
    (_, number) =>
      `Sentence ${number} tells of a worker${number % 115} in a town by the sea, who likes long walks.`,
  );
  const drawn = sample({ seeds, occupations, count: 1000 });
  expect(new Set(drawn.map(({ seed }) => seed)).size).toBe(1000);
});
