import { checkRecord } from '../../../../data/sets/check-record';
import { drawStructure } from '../../../../rules/journey/structure';
import { buildExampleRecord } from '../../rules/examples';

const NOTHING_DRAWN = {
  seed: '',
  career_level: '',
  personality_traits: [],
  personal_values: [],
  decision_making_styles: '',
};

const record = buildExampleRecord(drawStructure({ nSessions: 9, seed: 1, personaId: 7 }));

test('a persona whose description was given to its run has no template', () => {
  const checked = checkRecord({ ...record, persona: { ...record.persona, ...NOTHING_DRAWN } });
  expect(checked).toMatchObject({ row: { persona: NOTHING_DRAWN }, lapses: [] });
});

test('a persona with part of a template lacks the rest', () => {
  for (const [field, value] of Object.entries(NOTHING_DRAWN)) {
    const checked = checkRecord({ ...record, persona: { ...record.persona, [field]: value } });
    expect(checked).toMatchObject({ problems: [{ field: `persona.${field}` }] });
  }
});

test('types that are not the paper’s are distinguished from other unknown words', () => {
  const [first, ...others] = record.context_factors;
  const checked = checkRecord({
    ...record,
    persona: { ...record.persona, career_level: 'boss' },
    context_factors: [{ ...first, factor_type: 'Person' }, ...others],
  });
  expect('row' in checked && checked.lapses).toMatchObject([
    { field: 'persona.career_level' },
    { field: 'context_factors[0].factor_type', isOwnType: true },
  ]);
});
