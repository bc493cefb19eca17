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

test("a persona's history grows linearly with its dialogues' turns, and not with their text", async () => {
  const four = await measureHistory(4, 1_000);
  const eight = await measureHistory(8, 1_000);
  const sixteen = await measureHistory(16, 1_000);
  const firstTurns = (eight - four) / 4 / 12;
  const lastTurns = (sixteen - eight) / 8 / 12;
  expect(firstTurns).toBeGreaterThan(20);
  expect(firstTurns).toBeLessThan(400);
  expect(lastTurns / firstTurns).toBeGreaterThan(0.8);
  expect(lastTurns / firstTurns).toBeLessThan(1.2);
  const withLongTexts = await measureHistory(16, 8_000);
  // The answers have 1.3 MB more.
  expect(Math.abs(withLongTexts - sixteen)).toBeLessThan(2_000);
});
