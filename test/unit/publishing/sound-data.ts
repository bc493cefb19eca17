import { buildOpeningMessage } from '../../../rules/dialogue/messages';
import { splitInstances } from '../../../rules/instances/split';
import { drawStructure } from '../../../rules/journey/structure';
import type { Instance } from '../../../schemas/dataset/instance';
import type { PersonaRecord } from '../../../schemas/dataset/record';
import { buildExampleRecord } from '../rules/examples';

/** Seed of the sound data. */
export const SEED = 42;

export const CANARY = '0f1e2d3c-4b5a-8697-8877-665544332211';

/** Records that no rule finds anything in, not even what people should look at. */
export function buildSoundRecords(count: number, nSessions = 13): PersonaRecord[] {
  return Array.from({ length: count }, (_, index) => buildSoundRecord(index + 1, nSessions));
}

/** Builds the records' instances, three each, in order: persona k's are rows 3k − 2 to 3k. They share no objects. */
export function buildSoundInstances(count: number, nSessions = 13): Instance[] {
  return buildSoundRecords(count, nSessions).flatMap((record) =>
    splitInstances(record, SEED).map(({ instance }) => structuredClone(instance)),
  );
}

/** Builds sound instances whose original preference is always the longest option. */
export function buildLengthyInstances(count: number): Instance[] {
  const instances = buildSoundInstances(count);
  const original = instances[0]?.current_contextual_preference ?? '';
  const lengthen = (preference: string) =>
    preference === original ? `${preference} Count them in every single part.` : preference;
  return instances.map((instance) => ({
    ...instance,
    current_contextual_preference: lengthen(instance.current_contextual_preference),
    prior_interactions: instance.prior_interactions.map((prior) => ({
      ...prior,
      contextual_preference: lengthen(prior.contextual_preference),
    })),
  }));
}

export function buildSoundRecord(id: number, nSessions = 13): PersonaRecord {
  const record = buildExampleRecord(drawStructure({ nSessions, seed: SEED, personaId: id }), id);
  const sessions = record.sessions.map((session) => ({
    ...session,
    request_with_factor: session.request_with_factor.replace('Help me', wordsOf(id, session.id)),
  }));
  return {
    ...record,
    persona: { ...record.persona, description: `${wordsOf(id, 0)}.` },
    sessions,
    interactions: record.interactions.map((interaction, index) => {
      const [session] = sessions.slice(index);
      if (session === undefined) throw new Error('An interaction has no session.');
      const [, ...rest] = interaction.chat;
      return {
        ...interaction,
        chat: [{ role: 'user', content: buildOpeningMessage(session).trim() }, ...rest],
      };
    }),
  };
}

/** Returns unique words, so that texts made of them are not similar. */
function wordsOf(id: number, session: number): string {
  return Array.from({ length: 12 }, (_, index) => `word${id}x${session}x${index}`).join(' ');
}
