import { EMPTY_LOG, renderInteractionLog } from '../../../../data/prompts/evaluation-values';
import type { Model } from '../../../../models/model';
import { openSimulatedModel } from '../../../../models/simulated/model';
import { readHistory } from '../../../../models/simulated/notes';
import { SIMULATED_MODELS } from '../../../../models/simulated/options';
import { checkChoice } from '../../../../rules/answers/evaluation/choice';
import { findRightOption, listOptions, renderOptions } from '../../../../rules/choice/options';
import { groupBy } from '../../../../rules/group-by';
import type { Instance, PriorInteraction } from '../../../../schemas/dataset/instance';
import type { Message } from '../../../../schemas/dataset/message';
import { DEFAULT_SEED } from '../../../../schemas/run/settings';
import { synthesizeInstances, synthesizeShortInstances } from './evaluation';
import { askFor, openSimulated, requestOf } from './persona';

type Render = (sessions: readonly PriorInteraction[]) => string;

const open = (model: string, options: Record<string, string> = {}) =>
  openSimulatedModel({ provider: 'simulated', model, options });

/** Counts the right choices of the rows of pairs, and the pairs with both right. */
async function countRight(reader: Model, instances: readonly Instance[], render: Render) {
  const right = { rows: 0, pairs: 0 };
  for (const rows of groupBy(instances, ({ persona_id }) => persona_id).values()) {
    const options = listOptions(rows, DEFAULT_SEED);
    const texts = options.map(({ preference }) => preference);
    const pair = rows.filter(({ instance_type: type }) => type !== 'contrastive');
    expect(pair).toHaveLength(2);
    const results = [];
    for (const [seed, row] of pair.entries()) {
      const values = {
        curr_request: row.current_request,
        interaction_log: render(row.prior_interactions),
        options: renderOptions(options),
      };
      // Each row has a seed of its own, as in an evaluation.
      const request = { ...requestOf('choose', values), temperature: 0, seed };
      const chosen = await askFor(reader, request, (text) => checkChoice(text, texts));
      results.push(chosen === findRightOption(options, row));
    }
    right.rows += results.filter(Boolean).length;
    right.pairs += results.every(Boolean) ? 1 : 0;
  }
  return right;
}

describe('without the history', () => {
  const PERSONAS = 200;
  let instances: Instance[];
  beforeAll(async () => {
    instances = await synthesizeShortInstances(openSimulated(), PERSONAS);
  });

  test.each([
    ...Object.keys(SIMULATED_MODELS).map((model) => [model, {}] as const),
    ...['none', 'first', 'last', 'all'].map((reads) => ['default', { reads }] as const),
  ])('simulated:%s with the options %j is right in one row of a pair at most', async (model, options) => {
    const right = await countRight(open(model, options), instances, () => EMPTY_LOG);
    expect(right.pairs).toBe(0);
    // It guesses one of four options.
    expect(Math.abs(right.rows / (2 * PERSONAS) - 1 / 4)).toBeLessThan(0.08);
  });
});

const eachMessage =
  (between: string, write: (message: Message) => string, sessionsBetween = '\n\n'): Render =>
  (sessions) =>
    sessions.map(({ dialogue }) => dialogue.map(write).join(between)).join(sessionsBetween);
const eachSession =
  (write: (session: PriorInteraction, number: number) => string, between = '\n'): Render =>
  (sessions) =>
    sessions.map((session, at) => write(session, at + 1)).join(between);

describe('with what a memory system returns', () => {
  let instances: Instance[];
  let expected: { rows: number; pairs: number };
  beforeAll(async () => {
    instances = await synthesizeInstances(openSimulated(), 10);
    expected = await countRight(open('careful'), instances, renderInteractionLog);
    expect(expected.pairs).toBeGreaterThan(5);
  });

  test.each<[string, Render]>([
    ['the template of the documentation', eachMessage('\n', ({ role, content }) => `${role}: ${content}`)],
    [
      'numbered sessions with names in bold',
      eachSession(
        ({ dialogue }, number) =>
          `## Session s${number} (2026-05-0${number % 10})\n\n${dialogue.map(({ role, content }) => `**${role === 'user' ? 'Human' : 'Assistant'}**: ${content}`).join('\n\n')}`,
        '\n\n',
      ),
    ],
    [
      'the layout of the full history with other numbers',
      (sessions) => renderInteractionLog(sessions).replaceAll(/(?<=^### Session )\d+$/gm, '1$&'),
    ],
    ['times before names', eachMessage('\n', ({ role, content }) => `[10:15] ${role}: ${content}`)],
    ['messages without names', eachMessage('\n\n', ({ content }) => content)],
    ['JSON lines', eachMessage('\n', (message) => JSON.stringify(message), '\n')],
    ['JSON', (sessions) => JSON.stringify(sessions.map(({ dialogue }) => ({ messages: dialogue })))],
    ['indented JSON', (sessions) => JSON.stringify(sessions, ['dialogue', 'role', 'content'], 2)],
    [
      'facts, one a line',
      eachSession((session) => `- ${session.context_factor}: ${session.contextual_preference}`),
    ],
    [
      'facts in sentences',
      eachSession(
        (session) => `With ${session.context_factor}, the user said: ${session.contextual_preference}`,
      ),
    ],
    [
      'facts below headings',
      eachSession((session) => `### ${session.context_factor}\n* ${session.contextual_preference}\n`),
    ],
  ])('simulated:careful finds as much in %s as in the full history', async (_layout, render) => {
    expect(await countRight(open('careful'), instances, render)).toEqual(expected);
  });
});

test.each([EMPTY_LOG, '', '\n', 'Nothing.', '[]', 'No relevant memories were found.'])(
  'there is no session in %j',
  (text) => {
    expect(readHistory(text)).toEqual([]);
  },
);
