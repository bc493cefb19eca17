import { drawCrossed, GENERAL_PREFERENCES, listStressCases } from '../../../../rules/analyses/stress-cases';
import { listOptions } from '../../../../rules/choice/options';
import { extendHistory } from '../../../../rules/history/build';
import { buildCandidate, drawFillers } from '../../../../rules/history/fillers';
import { splitInstances } from '../../../../rules/instances/split';
import { drawFactorA, drawStructure } from '../../../../rules/journey/structure';
import { drawReviewSample } from '../../../../rules/review/sample';
import { orderTasks } from '../../../../rules/review/tasks';
import { drawPersonas, findCohorts } from '../../../../rules/sampling/cohorts';
import { sampleTemplates } from '../../../../rules/sampling/templates';
import { buildGeneration } from '../analyses/rows';
import { buildExampleRecord, buildSession } from '../examples';
import { buildPersona } from '../history/personas';

const SEED = 42;
const NUMBERS = Array.from({ length: 12 }, (_, at) => `${at + 1}`);
const STRUCTURE = drawStructure({ nSessions: 13, seed: SEED, personaId: 7 });
const SPLIT = splitInstances(buildExampleRecord(STRUCTURE), SEED);
const ROWS = SPLIT.map(({ instance }) => instance);

// Published data were drawn so, and a run that is continued in a newer version must draw the same again.
test.each<[string, () => unknown, unknown]>([
  ['the sessions of a journey', () => STRUCTURE.join(' '), "B free A free A free A' free A' free B free A'"],
  [
    'the place of factor A',
    () => NUMBERS.map((id) => drawFactorA({ seed: SEED, personaId: Number(id) })).join(''),
    '011101000001',
  ],
  [
    'the sessions that instances leave out',
    () => SPLIT.map(({ priorSessions }) => priorSessions.join(' ')),
    ['2 3 4 5 6 8 10 12', '1 3 4 5 6 8 11 12', '3 4 5 6 7 8 9 12'],
  ],
  [
    'the options of a choice',
    () => listOptions(ROWS, SEED).map(({ kind, preference }) => `${kind}: ${preference}`),
    [
      'original: Answers must name exactly 9 sources.',
      'contrastive: Answers must name exactly 8 sources.',
      'changed: Answers must rest on no source at all.',
      'other: Answers must name exactly 4 sources.',
    ],
  ],
  ['the sessions that extend a history', listDrawnFillers, '2/5 2/2 2/1 2/8 2/4 2/7 2/6 2/3 4/3 4/4 4/1'],
  ['their places in it', listPlaces, '1 a 2 d f 3 4 e 5 6 7 b 8 c'],
  [
    'the templates of personas',
    describeTemplates,
    [
      'The baker of village 3.; entry-level/beginner/junior/novice; High Conscientiousness; Low Openness to Experience; Self-Direction; Universalism; Analytical',
      'The actor of village 1.; mid-level/intermediate/experienced/associate; Low Extroversion; High Openness to Experience; Benevolence; Power; Directive',
      'The nurse of village 1.; senior-level/advanced/lead/expert; High Agreeableness; High Neuroticism; Security; Stimulation; Behavioral',
      'The nurse of village 2.; mid-level/intermediate/experienced/associate; High Extroversion; High Openness to Experience; Hedonism; Achievement; Conceptual',
    ],
  ],
  [
    'the personas of a review',
    () =>
      drawReviewSample(
        NUMBERS.map((id) => ({ persona_id: id, types: ['any'] })),
        5,
        SEED,
      ).map(({ persona_id }) => persona_id),
    ['5', '1', '3', '6', '2'],
  ],
  ['the tasks of a rater', () => orderTasks(NUMBERS, SEED, 'anna').join(' '), '10 6 3 11 1 2 12 9 8 5 7 4'],
  [
    'the personas of a stress test',
    () => drawPersonas(findCohorts([NUMBERS.map((id) => ({ persona_id: id }))]), SEED, 'stress').join(' '),
    '1 7 8 5 11 9 4 12 3 2 6 10',
  ],
  [
    'the general preferences of a stress test',
    () =>
      listStressCases(
        [1, 2, 3, 4].map((id) => buildPersona(id)),
        4,
        SEED,
      )
        .filter(({ kind }) => kind === 'general')
        .map(({ preference }) => GENERAL_PREFERENCES.indexOf(preference)),
    [3, 3, 2, 4],
  ],
  ['the response that is judged on another row', listCrossedModels, '7 7 11'],
])('a seed always draws the same: %s', (_, draw, expected) => {
  expect(draw()).toEqual(expected);
});

function listDrawnFillers(): string {
  const blocks = [2, 3, 4].map((id) =>
    (buildPersona(id)[0]?.prior_interactions ?? []).map((session, at) =>
      buildCandidate(`${id}+trade_${id}`, session, { row: id, session: at + 1, tokens: 10 }),
    ),
  );
  const { fillers } = drawFillers(buildPersona(1), blocks, { seed: SEED, tokens: 100, earlier: [] });
  return fillers.map(({ row, session }) => `${row}/${session}`).join(' ');
}

/** Lists the sessions of an extended history by number, a filler as a letter. */
function listPlaces(): string {
  const rows = buildPersona(1);
  const [row] = rows;
  if (row === undefined) throw new Error('The persona has no rows.');
  const fillers = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => buildSession(letter, 'Brief.', letter));
  return extendHistory(row, { rows, fillers, seed: SEED })
    .map((session) =>
      fillers.includes(session) ? session.context_factor : row.prior_interactions.indexOf(session) + 1,
    )
    .join(' ');
}

function describeTemplates(): string[] {
  const occupations = ['baker', 'actor', 'nurse'];
  const seeds = occupations.flatMap((name) => [1, 2, 3].map((number) => `The ${name} of village ${number}.`));
  return sampleTemplates({ seeds, occupations, count: 4, seed: SEED, quality: 'reference' }).map((template) =>
    [
      template.seed,
      template.career_level,
      ...template.personality_traits,
      ...template.personal_values,
      template.decision_making_styles,
    ].join('; '),
  );
}

/** Lists the models whose responses are drawn, for three personas. */
function listCrossedModels(): string {
  return [1, 2, 3]
    .map((id) => {
      const persona = buildPersona(id);
      const responses = NUMBERS.map((model) =>
        buildGeneration(7, { model, instance_type: 'consistent', context: 'full' }),
      );
      return drawCrossed(persona, responses, SEED)?.response.model;
    })
    .join(' ');
}
