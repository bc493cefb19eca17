import type { Model } from '../../../models/model';
import { buildPersonaWorkflowId } from '../../../engine/journal/key';
import { simulated, startRun } from '../../engine/workflows/synthesis/in-process';

/** Simulates a user who is never satisfied. Answers and messages have this many characters, so only the number of turns differs. */
const createStubbornModel = (characters: number): Model => ({
  async ask(request, signal) {
    const answer = await simulated.ask(request, signal);
    if (request.step === 'assistant') return { ...answer, text: 'a'.repeat(characters) };
    if (request.step !== 'user') return answer;
    const text = [
      "#### Evaluation of AI Assistant's Response\n\nNot yet.",
      '#### Evaluation Score\n\n5',
      '#### Continue or End?\n\nCONTINUE',
      '#### Selected Checklist Items\n\n1 (Dissatisfied)',
      '#### Thinking\n\nLet me hint at it.',
      `#### Your Message\n\n${'u'.repeat(characters)}`,
    ].join('\n\n');
    return { ...answer, text };
  },
});

async function measureHistory(maxTurns: number, characters: number): Promise<number> {
  await using started = await startRun({ nPersonas: 1, maxTurns, model: createStubbornModel(characters) });
  await started.run.result();
  const persona = started.client.workflow.getHandle(buildPersonaWorkflowId(started.runId, 1));
  const description = await persona.describe();
  expect(description.status.name).toBe('COMPLETED');
  return description.historySize ?? Number.NaN;
}

test("a persona's history stays small, whatever the text of its dialogues", async () => {
  const characters = 8_000;
  const maxTurns = 16;
  // 3 MB of text. A slow machine takes more activities for it, so the size is no exact number.
  expect(await measureHistory(maxTurns, characters)).toBeLessThan((12 * maxTurns * 2 * characters) / 10);
});
