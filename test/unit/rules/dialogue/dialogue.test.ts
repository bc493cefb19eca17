import {
  buildAssistantHistory,
  buildOpeningMessage,
  buildUserSimulatorHistory,
  buildUserSimulatorOpening,
} from '../../../../rules/dialogue/messages';
import { isLastAnswer } from '../../../../rules/dialogue/ending';
import { drawStructure } from '../../../../rules/journey/structure';
import { pickCyclic, buildExampleFactors, buildExampleSessions } from '../examples';

const session = pickCyclic(
  buildExampleSessions(drawStructure({ nSessions: 9, seed: 1, personaId: 1 }), buildExampleFactors(3)),
  0,
);

test('the opening message has the resource in every place that is marked for it, dollar signs and all', () => {
  const resource = "costs $& and $1 and $$ and $` and $' [resource]";
  expect(
    buildOpeningMessage({
      ...session,
      request_with_factor: ' Compare [resource] with [resource]. ',
      resource,
    }),
  ).toBe(` Compare ${resource} with ${resource}. `);
  expect(buildOpeningMessage({ ...session, request_with_factor: 'Help me.' })).toBe('Help me.');
});

test("the user simulator's opening has the six sections, nothing evaluated, CONTINUE and the request", () => {
  expect(buildUserSimulatorOpening(' Help me.\n')).toBe(
    [
      "#### Evaluation of AI Assistant's Response\n\nN/A",
      '#### Evaluation Score\n\nN/A',
      '#### Continue or End?\n\nCONTINUE',
      '#### Selected Checklist Items\n\nN/A',
      '#### Thinking\n\nN/A',
      '#### Your Message\n\nHelp me.',
    ].join('\n\n'),
  );
});

test('the user simulator sees the roles mirrored, from its own opening to the answer it is to judge', () => {
  const history = buildUserSimulatorHistory('Help me.', [
    { assistant: 'First answer.\n', user: 'Full sections 1' },
    { assistant: 'Second answer.' },
  ]);
  expect(history).toEqual([
    { role: 'assistant', content: buildUserSimulatorOpening('Help me.') },
    { role: 'user', content: 'First answer.' },
    { role: 'assistant', content: 'Full sections 1' },
    { role: 'user', content: 'Second answer.' },
  ]);
});

test('the assistant sees plain messages, from the opening to the one it is to answer', () => {
  expect(buildAssistantHistory('Help me.', [])).toEqual([{ role: 'user', content: 'Help me.' }]);
  expect(buildAssistantHistory('Help me.', [{ assistant: 'Answer.', user: ' Shorter.' }])).toEqual([
    { role: 'user', content: 'Help me.' },
    { role: 'assistant', content: 'Answer.' },
    { role: 'user', content: 'Shorter.' },
  ]);
});

const reply = (score: number, ...items: readonly number[]) => ({ score, selected: items });
const isLast = (replies: Parameters<typeof isLastAnswer>[1], stallTurns = 4) =>
  isLastAnswer({ maxTurns: 16, stallTurns }, replies);

describe('the end of a dialogue', () => {
  /** Turns without progress on item 1 after a score of 6. */
  const STILL = [reply(6, 1, 2), reply(6, 1), reply(5, 1), reply(6, 2), reply(4, 1)];

  test('the answer to the message with which the limit is reached is the last', () => {
    const replies = Array.from({ length: 14 }, (_, turn) => reply(Math.min(9, turn), turn));
    expect(isLast(replies)).toBe(false);
    expect(isLast([...replies, reply(9, 99)])).toBe(true);
  });

  test('so is the one after four turns without a higher score or another item, and none sooner', () => {
    expect(isLast(STILL)).toBe(true);
    for (let length = 0; length < STILL.length; length += 1)
      expect(isLast(STILL.slice(0, length))).toBe(false);
  });

  test('a higher score or another item in any of them goes on', () => {
    for (let turn = 1; turn < STILL.length; turn += 1) {
      expect(isLast(STILL.with(turn, reply(7, 1)))).toBe(false);
      expect(isLast(STILL.with(turn, reply(6, 3)))).toBe(false);
    }
  });

  test('what was reached before the last four turns counts, however long ago', () => {
    expect(isLast([reply(3, 1), reply(8, 2), reply(7, 1), ...STILL.slice(1)])).toBe(true);
  });

  test('0 turns are never a stall', () => {
    expect(isLast([...STILL, ...STILL], 0)).toBe(false);
  });
});
