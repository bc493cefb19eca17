import type { Quality } from '../../../../schemas/run/settings';
import { listCareerLevels } from '../../../../rules/sampling/career-levels';
import { sampleTemplates } from '../../../../rules/sampling/templates';
import { CAREER_LEVELS } from '../../../../schemas/dataset/persona';

const [ENTRY, MIDDLE, SENIOR] = CAREER_LEVELS;

test.each([
  ['Dental student in Beirut with a generator-powered lamp and two part-time jobs.', [ENTRY]],
  ['Caring for a brother, a law student in Quito records lectures.', [ENTRY]],
  ['An apprentice cook and evening student in Marseille wants to pass her exams.', [ENTRY]],
  ['Trainee, insomniac and secretly terrified of silence, the youngest dispatcher counts seconds.', [ENTRY]],
  ['The junior intelligence analyst stationed in Canberra cannot tell her family what she does.', [ENTRY]],
  ['Newly qualified and slightly terrified, a twenty-four-year-old accountant hides notes.', [ENTRY]],
  ['Cold cases fill the garage of a retired Cleveland detective.', [MIDDLE]],
  ['Two years before retirement, the sole accountant of a quarry is teaching.', [MIDDLE, SENIOR]],
  ['Semi-retired in Nova Scotia, this anthropologist records superstitions.', [MIDDLE, SENIOR]],
  ['The senior paralegal at a Toronto firm has outlasted six partners.', [SENIOR]],
  ['Shunned at first, the chief economist of a Danish brewery is quoted.', [SENIOR]],
  ['After forty years with the same brewery, the bookkeeper still uses an abacus.', [MIDDLE, SENIOR]],
  ['A recent college graduate who looks for a first job as an editor.', [ENTRY]],
  ['An aspiring chef in Lyon.', [ENTRY]],
  ['A seasoned journalist who mentors interns.', [MIDDLE, SENIOR]],
  ['A nurse who has worked nights for 22 years.', [MIDDLE, SENIOR]],
])('%s', (seed, levels) => {
  expect(listCareerLevels(seed)).toEqual(levels);
});

test.each([
  'A baker in Montevideo is teaching his Syrian apprentice to braid challah.',
  'Bespoke shirts are a dying craft, laments a tailor with one apprentice and four unpaid bills.',
  'Air ambulance shifts suit one paramedic who was once an apprentice cook.',
  "Formerly a perfumer's apprentice, a botanist on Réunion catalogues vanilla.",
  'Cello students flee or flourish under a stern Tallinn teacher.',
  'A teacher who helps every student and each trainee.',
  'A retired submarine officer turned barista serves espresso.',
  'Variable stars are a shared hobby for an astronomer and her retired father.',
  'Every head in a Glasgow police station has been shorn by the same barber.',
  'A nurse at a senior center in Ohio.',
  'An editor of the student newspaper archive.',
  'A hairdresser in Beirut also trains an apprentice and orders products.',
  'A financial planner in Charlotte meets couples about retirement.',
  'A student adviser in Maastricht.',
  'A coach of aspiring singers.',
  'An undergraduate dropout became the most cited researcher on urban foxes.',
])('words about somebody else, or of another life, leave all levels: %s', (seed) => {
  expect(listCareerLevels(seed)).toEqual(CAREER_LEVELS);
});

test('a level is drawn among those of the seed, the same for the same run, and the other seeds balance it', () => {
  const seeds = Array.from({ length: 30 }, (_, at) =>
    at % 3 === 0 ? `A baker and student of class ${at}.` : `A baker of town ${at}.`,
  );
  const sample = (quality: Quality = 'strict') =>
    sampleTemplates({ seeds, occupations: ['baker'], count: 30, seed: 5, quality });
  const templates = sample();
  expect(sample()).toEqual(templates);
  const levelsOf = (word: string) =>
    templates.filter(({ seed }) => seed.includes(word)).map((template) => template.career_level);
  expect(new Set(levelsOf('student'))).toEqual(new Set([ENTRY]));
  expect(new Set(levelsOf('town'))).toEqual(new Set(CAREER_LEVELS));
  const counts = CAREER_LEVELS.map((level) => templates.filter((one) => one.career_level === level).length);
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(3);
  // The paper draws it independently of the sentence.
  const students = sample('reference').filter(({ seed }) => seed.includes('student'));
  expect(new Set(students.map((template) => template.career_level))).toEqual(new Set(CAREER_LEVELS));
});
