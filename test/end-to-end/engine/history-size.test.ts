import type { Model } from '../../../models/model';
import { buildPersonaWorkflowId } from '../../../engine/journal/key';
import { simulated, startRun } from '../../engine/workflows/synthesis/in-process';

/** A user who is never satisfied, and texts that are all of one length: what grows is only the number of turns. */
const stubborn: Model = {
  async ask(request, signal) {
    const answer = await simulated.ask(request, signal);
    if (request.step === 'assistant') return { ...answer, text: 'a'.repeat(3_000) };
    if (request.step !== 'user') return answer;
    const text = [
      "#### Evaluation of AI Assistant's Response\n\nNot yet.",
      '#### Evaluation Score\n\n5',
      '#### Continue or End?\n\nCONTINUE',
      '#### Selected Checklist Items\n\n1 (Dissatisfied)',
      '#### Thinking\n\nLet me hint at it.',
      `#### Your Message\n\n${'u'.repeat(1_000)}`,
    ].join('\n\n');
    return { ...answer, text };
  },
};

async function historyBytes(maxTurns: number): Promise<number> {
  await using started = await startRun({ nPersonas: 1, maxTurns, model: stubborn });
  await started.run.result();
  const persona = started.client.workflow.getHandle(buildPersonaWorkflowId(started.runId, 1));
  const description = await persona.describe();
  expect(description.status.name).toBe('COMPLETED');
  return description.historySize ?? Number.NaN;
}

test("a persona's history grows linearly with the text of its twelve dialogues, over 4, 8 and 16 turns", async () => {
  const four = await historyBytes(4);
  const eight = await historyBytes(8);
  const sixteen = await historyBytes(16);
  const firstTurns = (eight - four) / 4 / 12;
  const lastTurns = (sixteen - eight) / 8 / 12;
  expect(firstTurns).toBeGreaterThan(4_000);
  expect(lastTurns / firstTurns).toBeGreaterThan(0.9);
  expect(lastTurns / firstTurns).toBeLessThan(1.1);
});
