import { findName, listDescriptionProblems } from '../../../../rules/quality/descriptions';

const DESCRIPTION = `Ioana Lupescu, 41, she/her, is a senior hospital pharmacist who has run the night dispensary of a regional clinic for nine years.
She wants fewer dosing errors on the wards and counts a quiet week without a call-back as success. The stock system fails every few days, and she
fears the one mistake that nobody catches in time. She thinks a good deal about her father's treatment and hopes to train two successors. Nurses
say she answers before they finish asking, and her sister says she never switches off. She checks each label twice, walks home along the canal,
and plans the rota on paper before anybody else sees it.`;
const OTHER = {
  description: DESCRIPTION.replaceAll(/\w{4,}/g, (word) => `${word}o`).replace(/^\w+ \w+/, 'Tomasi Vea'),
  occupation: 'hospital pharmacist',
};
const PERSON = { description: DESCRIPTION, occupation: 'hospital pharmacist' };

test('two whole descriptions of two people have no problems', () => {
  expect(listDescriptionProblems([PERSON, OTHER])).toEqual([]);
});

test.each([
  [
    'too short',
    { description: 'Ioana Lupescu, 41, is a pharmacist.' },
    /has 6 words; it must have 60 to 450/,
  ],
  [
    'of one sentence',
    { description: DESCRIPTION.replaceAll('. ', ', ').replaceAll('.\n', ', ') },
    /has 1 sentences/,
  ],
  [
    'of somebody else',
    { occupation: 'pharmacist / night manager' },
    /^persona 2: occupation "pharmacist \/ night/,
  ],
  [
    'with the name of another',
    { description: OTHER.description.replace('Tomasi Vea', 'Ioana Lupescu') },
    /is that of persona 1/,
  ],
  ['of the same person', { description: DESCRIPTION.replace('Ioana', 'Joana') }, /nearly that of persona 1/],
])('a description %s is found', (_, written, problem) => {
  expect(listDescriptionProblems([PERSON, { ...OTHER, ...written }]).join('; ')).toMatch(problem);
});

test.each([
  ['Dr. Ann-Marie O’Neil, 50, they/them, teaches', 'Ann-Marie O’Neil'],
  ['Jan van der Meer is 33', 'Jan van der Meer'],
  ['At 31, Ana works', undefined],
])('the name in %j is %j', (description, name) => {
  expect(findName(description)).toBe(name);
});
