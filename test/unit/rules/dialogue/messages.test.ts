import {
  buildAssistantHistory,
  buildOpeningMessage,
  buildUserSimulatorHistory,
  buildUserSimulatorOpening,
} from '../../../../rules/dialogue/messages';
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
