import { renderInteractionLog } from '../../data/prompts/evaluation-values';
import { renderPrompt } from '../../data/prompts/render';
import { listSelectedItems } from '../../rules/dialogue/ending';
import { splitInstances } from '../../rules/instances/split';
import { isStale } from '../../rules/journey/preferences';
import { readVerdicts } from '../../rules/quality/user-turn';
import type { Message } from '../../schemas/dataset/message';
import type { Interaction, PersonaRecord, StoredPersona } from '../../schemas/dataset/record';
import type { AnswerPairRow, ChatRow, TurnRow } from '../../schemas/training/training';
import type { PromptPack } from '../../schemas/run/prompts';
import type { UserReply } from './run';

/** The prompt of the evaluation that asks for a preference. */
export const INFERENCE_PROMPT = 'evaluation/preference_inferrer';

/** Builds a row of each answer of the assistant. @param replies those of the user, by dialogue */
export function buildTurnRows(
  record: PersonaRecord,
  replies: readonly (readonly Pick<UserReply, 'score' | 'evaluation' | 'selected'>[])[],
): TurnRow[] {
  return record.interactions.flatMap((interaction, dialogue) =>
    listAnswers(interaction).map(({ prompt, answer }, at): TurnRow => {
      const { session_id: session, checklist } = interaction;
      const reply = replies[dialogue]?.[at];
      return {
        persona_id: record.persona_id,
        session,
        turn: at + 1,
        prompt,
        completion: [answer],
        score: reply?.score ?? null,
        checklist,
        satisfied: reply === undefined ? null : listSatisfied(reply.evaluation, checklist),
        raised:
          reply === undefined
            ? null
            : listSelectedItems(reply.selected).flatMap((item) => checklist[item - 1] ?? []),
        stale: isStaleSession(record, session),
      };
    }),
  );
}

/** Builds the chats up to each accepted answer, then the questions for the preferences of the persona's instances with the true answers. */
export function buildChatRows(record: PersonaRecord, seed: number, prompts: PromptPack): ChatRow[] {
  const { persona_id } = record;
  const accepted = record.interactions.filter(({ is_satisfied: satisfied }) => satisfied);
  return [
    ...accepted.map(({ session_id: session, chat }): ChatRow => {
      // The last message accepts the answer.
      return { kind: 'assistant', persona_id, session, instance_type: null, messages: chat.slice(0, -1) };
    }),
    ...splitInstances(record, seed).map(({ instance }): ChatRow => {
      const { instance_type, current_request, current_contextual_preference, prior_interactions } = instance;
      const { system, user = '' } = renderPrompt(prompts, INFERENCE_PROMPT, {
        curr_request: current_request,
        interaction_log: renderInteractionLog(prior_interactions),
      });
      const preference = current_contextual_preference.replaceAll(/\s+/g, ' ').trim();
      return {
        kind: 'inference',
        persona_id,
        session: null,
        instance_type,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: user },
          { role: 'assistant', content: `### Most Likely Preference\n\n${preference}` },
        ],
      };
    }),
  ];
}

/**
 * Builds pairs of answers to the opening request of a dialogue: the accepted one, and each different one before it. The user's messages between them
 * are left out, since they ask for the same request to be answered better.
 */
export function buildAnswerPairs({
  record,
  scores,
}: Pick<StoredPersona, 'record' | 'scores'>): AnswerPairRow[] {
  return record.interactions.flatMap((interaction) => {
    const { session_id: session, is_satisfied: satisfied } = interaction;
    const answers = listAnswers(interaction);
    const sessionScores = scores.find((entry) => entry.session === session)?.scores ?? [];
    const [accepted, score] = [answers.at(-1), sessionScores[answers.length - 1]];
    if (!satisfied || accepted === undefined || score === undefined) return [];
    return answers.flatMap(({ answer }, at): AnswerPairRow[] => {
      const lower = sessionScores[at];
      if (lower === undefined || lower >= score || answer.content === accepted.answer.content) return [];
      return [
        {
          prompt: answers[0]?.prompt ?? [],
          chosen: [accepted.answer],
          rejected: [answer],
          chosen_score: score,
          rejected_score: lower,
          persona_id: record.persona_id,
          session,
          chosen_turn: answers.length,
          rejected_turn: at + 1,
          stale: isStaleSession(record, session),
        },
      ];
    });
  });
}

/** Lists the answers of the assistant, each with the dialogue before it. */
function listAnswers({ chat }: Interaction): { readonly prompt: Message[]; readonly answer: Message }[] {
  return chat.flatMap((message, at) =>
    message.role === 'assistant' ? [{ prompt: chat.slice(0, at), answer: message }] : [],
  );
}

function listSatisfied(evaluation: string, checklist: readonly string[]): string[] | null {
  const verdicts = readVerdicts(evaluation, checklist.length);
  return verdicts.size < checklist.length ? null : checklist.filter((_, at) => verdicts.get(at + 1));
}

function isStaleSession({ sessions }: PersonaRecord, id: number): boolean {
  const session = sessions.find((candidate) => candidate.id === id);
  return session !== undefined && isStale(session, sessions);
}
