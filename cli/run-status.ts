import type { RunProgress } from '../client/drive-run';
import type { SynthesisStep } from '../schemas/step';
import type { WorldEvent } from '../workers/world';
import type { Status } from './progress';

/** Puts into words how far a synthesis run is, from what the run tells and from the answers that come in. */
export function runStatus(): {
  readonly observe: (event: WorldEvent) => void;
  readonly of: (progress: RunProgress) => Status;
} {
  const stages = new Map<number, { stage: string; turns: number }>();
  return {
    observe(event) {
      if (event.type !== 'answer') return;
      const persona = Number(/\/p(\d+)/.exec(event.workflowId)?.[1] ?? Number.NaN);
      const stage = Object.entries(STAGES).find(([step]) => step === event.step)?.[1];
      if (Number.isNaN(persona) || stage === undefined) return;
      const turns = (stages.get(persona)?.turns ?? 0) + (event.step === 'user' ? 1 : 0);
      stages.set(persona, { stage, turns });
    },
    of({ personas, finished, failed, open, building, misconfigured }) {
      const atWorkNow = new Set(open);
      for (const persona of stages.keys()) if (!atWorkNow.has(persona)) stages.delete(persona);
      const writing = building ? ', writing data sets' : '';
      return {
        summary: `personas ${finished} of ${personas} done, ${failed} failed, ${open.length} at work${writing}`,
        atWork: atWork(open, stages),
        closed: finished + failed,
        open: open.length,
        total: personas,
        ...(misconfigured === undefined ? {} : { misconfigured }),
      };
    },
  };
}

const STAGES: Readonly<Record<SynthesisStep, string>> = {
  describe: 'description',
  factors: 'context factors',
  journey: 'journey',
  checklist: 'checklists',
  assistant: 'dialogues',
  user: 'dialogues',
};

/** The personas at work by stage; as many as fit. */
function atWork(
  open: readonly number[],
  stages: ReadonlyMap<number, { stage: string; turns: number }>,
): string[] {
  const shown = open.slice(0, 8).map((persona) => {
    const at = stages.get(persona);
    if (at === undefined) return `  persona ${persona}: starting`;
    const turns = at.turns > 0 ? `, ${at.turns} turn${at.turns === 1 ? '' : 's'}` : '';
    return `  persona ${persona}: ${at.stage}${turns}`;
  });
  return open.length > 8 ? [...shown, `  and ${open.length - 8} more`] : shown;
}
