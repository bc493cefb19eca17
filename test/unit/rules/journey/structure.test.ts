import { drawStructure } from '../../../../rules/journey/structure';
import { journeyStructureSchema } from '../../../../schemas/dataset/session';

const structures = (nSessions: number, count = 300) =>
  Array.from({ length: count }, (_, index) => drawStructure({ nSessions, seed: 42, personaId: index + 1 }));

const places = (structure: readonly string[], role: string) =>
  structure.flatMap((other, index) => (other === role ? [index] : []));

const upTo = (end: number) => Array.from({ length: end }, (_, index) => index);

const draw = (seed: number) => drawStructure({ nSessions: 13, seed, personaId: 5 }).join();

test.each([9, 10, 13, 20])(
  'a journey of %i sessions has A, A, A′, A′ in order, B twice and A′ last',
  (nSessions) => {
    for (const structure of structures(nSessions)) {
      expect(journeyStructureSchema.parse(structure)).toHaveLength(nSessions);
      const [first, second] = places(structure, 'A');
      const [third, fourth, last] = places(structure, "A'");
      expect(places(structure, 'A')).toHaveLength(2);
      expect(places(structure, "A'")).toHaveLength(3);
      expect(places(structure, 'B')).toHaveLength(2);
      expect([first, second, third, fourth].toSorted((one, other) => (one ?? 0) - (other ?? 0))).toEqual([
        first,
        second,
        third,
        fourth,
      ]);
      expect(last).toBe(nSessions - 1);
      // Factor A is never right before the last session.
      expect(structure[nSessions - 2]).toMatch(/^(B|free)$/);
    }
  },
);

test('every place that may hold A, A′ or B does so for some persona, and structures differ between personas', () => {
  const drawn = structures(13);
  const seen = (role: string) => new Set(drawn.flatMap((structure) => places(structure, role)));
  expect([...seen('B')].toSorted((one, other) => one - other)).toEqual(upTo(12));
  expect(new Set([...seen('A'), ...seen("A'")])).toEqual(new Set([...upTo(11), 12]));
  expect(new Set(drawn.map((structure) => structure.join())).size).toBeGreaterThan(250);
});

test('the same run seed and persona give the same structure, another seed another one', () => {
  expect(draw(42)).toBe(draw(42));
  expect(new Set([1, 2, 3, 4, 5].map(draw)).size).toBeGreaterThan(1);
});
