import * as z from 'zod';
import { formatPythonRepr } from '../../../../data/prompts/python-repr';
import {
  renderEarlierSessions,
  renderFactorsYaml,
  renderChecklist,
  renderStructure,
  renderTemplates,
} from '../../../../data/prompts/values';
import { formatYamlScalar } from '../../../../data/prompts/pyyaml-scalar';
import type { PersonaTemplate } from '../../../../schemas/dataset/persona';
import { readGolden } from './golden/read-golden';

/**
 * Results of Python 3.11's `repr(text)` and PyYAML 6.0.3's `yaml.dump`, the latter for
 * `{'factors': [{'context_factor': text, 'preference': text, 'task_types': [text]}]}`.
 */
const golden = readGolden(
  'python-texts.jsonl',
  z.object({ text: z.string(), repr: z.string(), yaml: z.string() }),
);

describe('templateLines', () => {
  const template: PersonaTemplate = {
    id: 17,
    seed: "A beekeeper who won't sell honey",
    career_level: 'senior-level/advanced/lead/expert',
    personality_traits: ['High Openness to Experience', 'Low Neuroticism'],
    personal_values: ['Security', 'Tradition'],
    decision_making_styles: 'Directive',
  };

  test('writes one numbered line a template, counted from 1 in the batch, as the repr of its dict', () => {
    const second: PersonaTemplate = { ...template, id: 18, seed: 'A baker\nat night' };
    expect(renderTemplates([template, second])).toBe(
      `1. {'id': 17, 'seed': "A beekeeper who won't sell honey", 'career_level': 'senior-level/advanced/lead/expert', 'personality_traits': ['High Openness to Experience', 'Low Neuroticism'], 'personal_values': ['Security', 'Tradition'], 'decision_making_styles': 'Directive'}\n` +
        `2. {'id': 18, 'seed': 'A baker\\nat night', 'career_level': 'senior-level/advanced/lead/expert', 'personality_traits': ['High Openness to Experience', 'Low Neuroticism'], 'personal_values': ['Security', 'Tradition'], 'decision_making_styles': 'Directive'}`,
    );
  });

  test('keeps the order of the keys, whatever order the template has them in', () => {
    const { id, ...rest } = template;
    expect(renderTemplates([{ ...rest, id }])).toBe(renderTemplates([template]));
  });
});

test.each(golden)('repr is what Python gives for $text', ({ text, repr }) => {
  expect(formatPythonRepr(text)).toBe(repr);
});

describe('structureLines', () => {
  test('gives a line to the sessions of the pair, none to the free ones, and ends without a newline', () => {
    expect(renderStructure(['A', 'free', 'B', 'A', 'free', 'B', "A'", "A'", 'free', "A'"])).toBe(
      [
        '    - Scenario ID 1: Context factor A with original preference A.',
        '    - Scenario ID 3: Context factor B with original preference B.',
        '    - Scenario ID 4: Context factor A with original preference A.',
        '    - Scenario ID 6: Context factor B with original preference B.',
        "    - Scenario ID 7: Context factor A with changed preference A'.",
        "    - Scenario ID 8: Context factor A with changed preference A'.",
        "    - Scenario ID 10: Context factor A with changed preference A'.",
      ].join('\n'),
    );
  });
});

describe('factorsYaml', () => {
  test('lays several factors out as yaml.dump does', () => {
    expect(
      renderFactorsYaml([
        {
          factor: 'Dr. Elena Martí',
          preference: 'Be brief: no lists.',
          task_types: ['Planning', 'Writing & editing'],
        },
        { factor: 'Quay 9', preference: 'No.', task_types: [] },
      ]),
    ).toBe(
      [
        'factors:',
        '- context_factor: "Dr. Elena Mart\\xED"',
        "  preference: 'Be brief: no lists.'",
        '  task_types:',
        '  - Planning',
        '  - Writing & editing',
        '- context_factor: Quay 9',
        '  preference: No.',
        '  task_types: []',
        '',
      ].join('\n'),
    );
    expect(renderFactorsYaml([])).toBe('factors: []\n');
  });

  // The schema has no such task types, but the test is about the layout of a list's entry.
  test.each(golden)('quotes, escapes and folds as PyYAML does for $text', ({ text, yaml }) => {
    const [withoutTaskType, taskType] = splitBeforeTaskType(yaml);
    expect(renderFactorsYaml([{ factor: text, preference: text, task_types: [] }])).toBe(
      withoutTaskType.replace(/ {2}task_types:\n$/u, '  task_types: []\n'),
    );
    expect(`  -${formatYamlScalar(text, 3)}\n`).toBe(taskType);
  });
});

test('numberedChecklist numbers the items from 1', () => {
  expect(renderChecklist(['Is it short?', 'Is it kind?'])).toBe('1. Is it short?\n2. Is it kind?');
});

function splitBeforeTaskType(yaml: string): [string, string] {
  const at = yaml.lastIndexOf('  task_types:\n') + '  task_types:\n'.length;
  return [yaml.slice(0, at), yaml.slice(at)];
}

describe('renderEarlierSessions', () => {
  const session = {
    id: 4,
    context_factor: 'The Logbook',
    preference: 'Short.',
    task_type: 'Planning',
    story: 'It rained.\nShe waited.',
    request_with_factor_and_preference: 'Plan it, briefly.',
    request_with_factor: 'Plan it.',
  };

  test('writes a line for each session', () => {
    expect(renderEarlierSessions([session, { ...session, id: 5 }])).toBe(
      '4. The Logbook (Planning). Story: It rained. She waited. Request: Plan it.\n' +
        '5. The Logbook (Planning). Story: It rained. She waited. Request: Plan it.',
    );
    expect(renderEarlierSessions([])).toBe('None: the journey begins with this part.');
  });

  test('shortens long texts between words, and never to half of a character', () => {
    const words = renderEarlierSessions([{ ...session, request_with_factor: 'word '.repeat(100) }]);
    expect(words).toMatch(/word…$/);
    expect(words.length).toBeLessThan(300);
    const signs = renderEarlierSessions([{ ...session, story: `a${'😀'.repeat(200)}` }]);
    expect(signs).toContain('😀…');
    expect(signs).not.toMatch(/\p{Surrogate}/u);
  });
});
