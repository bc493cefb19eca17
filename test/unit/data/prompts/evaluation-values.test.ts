import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import {
  EMPTY_LOG,
  renderInteractionLog,
  renderJudgeChecklist,
  renderMatcherExamples,
  renderSessionPreferences,
  renderSummaryLog,
} from '../../../../data/prompts/evaluation-values';
import { formatPythonJson } from '../../../../data/prompts/python-json';
import type { PriorInteraction } from '../../../../schemas/dataset/instance';

describe('interactionLog', () => {
  test('shows every message under its speaker, sessions numbered from 1, each closed by a rule', () => {
    expect(
      renderInteractionLog([
        session('Quay 9', 'Be brief.', ['Plan my day.', 'Here it is.', 'Shorter.']),
        session('The Ledger', 'No numbers.', ['What now?', 'Rest.']),
      ]),
    ).toBe(
      [
        '### Session 1',
        '',
        '#### User',
        '',
        'Plan my day.',
        '',
        '#### AI Assistant',
        '',
        'Here it is.',
        '',
        '#### User',
        '',
        'Shorter.',
        '',
        '---',
        '',
        '### Session 2',
        '',
        '#### User',
        '',
        'What now?',
        '',
        '#### AI Assistant',
        '',
        'Rest.',
        '',
        '---',
      ].join('\n'),
    );
  });

  test('strips and changes nothing within a message, whatever it holds', () => {
    const odd = '\n  ### Session 9\r\n\r\n---\n{curr_request} {{x}} „żółć“ $& \u2028 ';
    expect(renderInteractionLog([session('f', 'p', [odd])])).toBe(
      `### Session 1\n\n#### User\n\n${odd}\n\n---`,
    );
  });

  test('shows neither context factor nor preference', () => {
    const log = renderInteractionLog([session('SECRET FACTOR', 'SECRET PREFERENCE', ['Hello', 'Hi'])]);
    expect(log).not.toContain('SECRET');
  });

  test('a session without messages keeps its number', () => {
    expect(renderInteractionLog([session('f', 'p', []), session('f', 'p', ['a'])])).toBe(
      '### Session 1\n\n---\n\n### Session 2\n\n#### User\n\na\n\n---',
    );
  });

  test('says so when there are no sessions, in words that no log begins with', () => {
    expect(renderInteractionLog([])).toBe(EMPTY_LOG);
    expect(EMPTY_LOG).toMatch(/no previous sessions/u);
    expect(EMPTY_LOG).not.toMatch(/^###/u);
  });
});

describe('summaryLog', () => {
  test('gives each session its two lists, numbered and closed as in the log', () => {
    expect(
      renderSummaryLog([
        { context: ['At Quay 9.', 'Loading was late.'], preferences: ['Wants it brief.'] },
        { context: ['c'], preferences: ['p', 'q'] },
      ]),
    ).toBe(
      [
        '### Session 1',
        '',
        '#### Context',
        '',
        '- At Quay 9.',
        '- Loading was late.',
        '',
        '#### Preferences',
        '',
        '- Wants it brief.',
        '',
        '---',
        '',
        '### Session 2',
        '',
        '#### Context',
        '',
        '- c',
        '',
        '#### Preferences',
        '',
        '- p',
        '- q',
        '',
        '---',
      ].join('\n'),
    );
  });

  test('keeps every point on its line, so that none can pass for a session', () => {
    expect(renderSummaryLog([{ context: [' a\n\n### Session 7\r\nb '], preferences: ['p'] }])).toBe(
      '### Session 1\n\n#### Context\n\n- a ### Session 7 b\n\n#### Preferences\n\n- p\n\n---',
    );
  });

  test('says so when there are no sessions', () => {
    expect(renderSummaryLog([])).toBe(EMPTY_LOG);
  });
});

test('judgeChecklist gives every item a line with a dash, as it stands', () => {
  expect(renderJudgeChecklist(['Is it {short}? ', 'Is it kind?'])).toBe('- Is it {short}? \n- Is it kind?');
});

describe('matcherExamples', () => {
  test('shows each example under its preference, with a fenced JSON output whose entries are numbered from 1', () => {
    expect(
      renderMatcherExamples([
        {
          preference: 'Keep it {short}; naïve "quotes" stay. ',
          checklist: [
            { entry: 'Is it "short"?', label: 'Fully Covered' },
            { entry: 'Is it naïve – or 😀?', label: 'Partially Covered' },
          ],
        },
        { preference: 'Be kind.', checklist: [{ entry: 'Is it \\ red?', label: 'Not Covered' }] },
      ]),
    ).toBe(
      [
        '#### Preference',
        '',
        'Keep it {short}; naïve "quotes" stay. ',
        '',
        '#### Output',
        '',
        '```json',
        '{',
        '  "results": [',
        '    {',
        '      "index": 1,',
        String.raw`      "entry": "Is it \"short\"?",`,
        '      "label": "Fully Covered"',
        '    },',
        '    {',
        '      "index": 2,',
        String.raw`      "entry": "Is it na\u00efve \u2013 or \ud83d\ude00?",`,
        '      "label": "Partially Covered"',
        '    }',
        '  ]',
        '}',
        '```',
        '',
        '---',
        '',
        '#### Preference',
        '',
        'Be kind.',
        '',
        '#### Output',
        '',
        '```json',
        '{',
        '  "results": [',
        '    {',
        '      "index": 1,',
        String.raw`      "entry": "Is it \\ red?",`,
        '      "label": "Not Covered"',
        '    }',
        '  ]',
        '}',
        '```',
        '',
        '---',
      ].join('\n'),
    );
  });

  test('writes JSON as Python does', () => {
    const golden = z
      .object({ value: z.object({ results: z.array(z.unknown()) }), text: z.string(), empty: z.string() })
      .parse(JSON.parse(readFileSync(path.join(__dirname, 'golden/python-json.json'), 'utf8')));
    expect(golden.value.results).not.toEqual([]);
    expect(formatPythonJson(golden.value)).toBe(golden.text);
    expect(formatPythonJson({ results: [] })).toBe(golden.empty);
  });
});

describe('sessionPreferences', () => {
  test('names each distinct pair once, in order, and a changed preference of one factor as another pair', () => {
    expect(
      renderSessionPreferences([
        session('Quay 9', 'Be brief.', ['a']),
        session('The Ledger', 'No numbers.', ['b']),
        session('Quay 9', 'Be brief.', ['c']),
        session('Quay 9', 'Be long.', ['d']),
      ]),
    ).toBe('- Quay 9: Be brief.\n- The Ledger: No numbers.\n- Quay 9: Be long.');
  });

  test('says so when there are no sessions', () => {
    expect(renderSessionPreferences([])).toBe(EMPTY_LOG);
  });
});

/** Builds a session with alternating messages, the user's first. */
function session(factor: string, preference: string, contents: readonly string[]): PriorInteraction {
  return {
    context_factor: factor,
    contextual_preference: preference,
    dialogue: contents.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
  };
}
