import type { Model } from '../../../../models/model';
import { renderChecklist } from '../../../../data/prompts/values';
import { checkInference } from '../../../../rules/answers/evaluation/inference';
import { checkMatch } from '../../../../rules/answers/evaluation/match';
import { buildOpeningMessage } from '../../../../rules/dialogue/messages';
import { splitInstances } from '../../../../rules/instances/split';
import type { MatchLabel } from '../../../../schemas/matching/match-label';
import type { Instance } from '../../../../schemas/dataset/instance';
import type { Message } from '../../../../schemas/dataset/message';
import type { PlannedSession } from '../../../../schemas/dataset/session';
import { askDialogue, askFor, requestOf, sampleTemplate, synthesizePersona } from './persona';

/** Returns the instances of this many personas, synthesized by the simulated model as in the pipeline. */
export async function synthesizeInstances(one: Model, personas: number): Promise<Instance[]> {
  return listInstances(one, personas, async (description, session, checklist) => {
    const { messages, turns } = await askDialogue(one, { description, session, checklist });
    return { chat: [...messages], is_satisfied: turns.at(-1)?.decision === 'END' };
  });
}

/** Returns the same with dialogues of one message, which saves most of the time. */
export async function synthesizeShortInstances(one: Model, personas: number): Promise<Instance[]> {
  return listInstances(one, personas, (_description, session) =>
    Promise.resolve({
      chat: [{ role: 'user', content: buildOpeningMessage(session) }],
      is_satisfied: true,
    }),
  );
}

export function inferText(one: Model, instance: Instance, log: string): Promise<string> {
  const values = { curr_request: instance.current_request, interaction_log: log };
  return askFor(one, { ...requestOf('infer', values), temperature: 0 }, checkInference);
}

export function matchChecklist(
  one: Model,
  preference: string,
  checklist: readonly string[],
): Promise<MatchLabel[]> {
  const values = { preference, checklist: renderChecklist(checklist), examples: 'Eight examples.' };
  const request = { ...requestOf('match', values), temperature: 0 };
  return askFor(one, request, (text) => checkMatch(text, checklist));
}

type Converse = (
  description: string,
  session: PlannedSession,
  checklist: readonly string[],
) => Promise<{ chat: Message[]; is_satisfied: boolean }>;

async function listInstances(one: Model, personas: number, converse: Converse): Promise<Instance[]> {
  const instances: Instance[] = [];
  for (let id = 1; id <= personas; id += 1) instances.push(...(await instancesOfPersona(one, id, converse)));
  return instances;
}

async function instancesOfPersona(one: Model, id: number, converse: Converse): Promise<Instance[]> {
  const { description, occupation, factors, journey, checklists } = await synthesizePersona(one, id);
  const sessions = journey.sessions.map((session) => ({
    ...session,
    checklist: checklists.get(session.preference) ?? [],
  }));
  const interactions = [];
  for (const session of sessions.slice(0, -1)) {
    const { checklist, preference, id: sessionId } = session;
    const dialogue = await converse(description, session, checklist);
    interactions.push({ session_id: sessionId, preference, checklist, ...dialogue });
  }
  const record = {
    persona_id: `${id}+${occupation}`,
    persona: { ...sampleTemplate(id), description, occupation },
    context_factors: factors,
    sessions,
    interactions,
  };
  return splitInstances(record, 42).map(({ instance }) => instance);
}
