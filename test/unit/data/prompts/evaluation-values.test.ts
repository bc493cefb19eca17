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
import { readGolden } from './golden/read-golden';

describe('interactionLog', () => {
  test('shows every message under its speaker, sessions numbered from 1, each closed by a rule', () => {
    expect(
      renderInteractionLog([
        session('Quay 9', 'Be brief.', ['Plan my day.', 'Here it is.', 'Shorter.']),
        session('The Ledger', 'No numbers.', ['What now?', 'Rest.']),
      ]),
    ).toBe(
      '### Session 1\n\n#### User\n\nPlan my day.\n\n#### AI Assistant\n\nHere it is.\n\n#### User\n\nShorter.\n\n---\n\n' +
        '### Session 2\n\n#### User\n\nWhat now?\n\n#### AI Assistant\n\nRest.\n\n---',
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
      '### Session 1\n\n#### Context\n\n- At Quay 9.\n- Loading was late.\n\n#### Preferences\n\n- Wants it brief.\n\n---\n\n' +
        '### Session 2\n\n#### Context\n\n- c\n\n#### Preferences\n\n- p\n- q\n\n---',
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
    expect(renderMatcherExamples([example('Keep it {short}. ', 'Is it "naïve"?'), example('b', 'c')])).toBe(
      `#### Preference\n\nKeep it {short}. \n\n${output('"Is it \\"na\\u00efve\\"?"')}\n\n#### Preference\n\nb\n\n${output('"c"')}`,
    );
  });

  // Python 3.11's `json.dumps(value, indent=2)`.
  test.each(readGolden('python-json.jsonl', z.object({ value: z.looseObject({}), text: z.string() })))(
    'writes JSON as Python does: $text',
    ({ value, text }) => expect(formatPythonJson(value)).toBe(text),
  );
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

function example(preference: string, entry: string) {
  return { preference, checklist: [{ entry, label: 'Not Covered' as const }] };
}

/** Returns the output that is shown for an example, with its entry in JSON. */
function output(entry: string): string {
  const result = `    {\n      "index": 1,\n      "entry": ${entry},\n      "label": "Not Covered"\n    }`;
  return `#### Output\n\n\`\`\`json\n{\n  "results": [\n${result}\n  ]\n}\n\`\`\`\n\n---`;
}

/** Builds a session with alternating messages, the user's first. */
function session(factor: string, preference: string, contents: readonly string[]): PriorInteraction {
  return {
    context_factor: factor,
    contextual_preference: preference,
    dialogue: contents.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
  };
}
