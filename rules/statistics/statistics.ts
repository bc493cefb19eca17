import type { DataStatistics } from '../../schemas/dataset/data-statistics';
import type { MessageForm } from '../../schemas/dataset/message';
import type { RecordForm } from '../../schemas/dataset/record';
import { PAPER_TAXONOMY, type Taxonomy } from '../../schemas/dataset/taxonomy';
import { listDistinctPreferences } from '../journey/preferences';
import { Mean, Tally } from './tally';
import { countTokens, TOKENIZER } from './tokens';

interface CountedInstance {
  readonly persona_id: string;
  readonly current_contextual_preference: string;
  readonly current_checklist: readonly string[];
  readonly prior_interactions: readonly {
    readonly contextual_preference: string;
    readonly dialogue: readonly MessageForm[];
  }[];
}

/** Counts a data set, row by row. A persona's record must be added before its instances. */
export interface DataStatisticsCounter {
  addRecord(record: RecordForm): void;
  /** Adds an instance. If its persona has no record, its preferences and dialogues count too, each once per persona. */
  addInstance(instance: CountedInstance): void;
  end(): DataStatistics;
}

/** @param taxonomy types that are listed even if none occurs */
export function createStatisticsCounter(taxonomy: Taxonomy = PAPER_TAXONOMY): DataStatisticsCounter {
  const recorded = new Set<string>();
  /** Parts of instances counted so far, by persona. */
  const brought = new Map<string, Set<string>>();
  const preferences = new Mean();
  const items = new Mean();
  const dialogues = { userMessages: new Mean(), messages: new Mean(), tokens: new Mean() };
  const prior = new Mean();
  const types = {
    factor: new Tally(taxonomy.factor_types),
    preference: new Tally(taxonomy.preference_types),
    task: new Tally(taxonomy.task_types),
  };
  let unsatisfied = 0;

  function addDialogue(dialogue: readonly MessageForm[]): void {
    dialogues.userMessages.add(dialogue.filter(({ role }) => role === 'user').length);
    dialogues.messages.add(dialogue.length);
    dialogues.tokens.add(countDialogueTokens(dialogue));
  }

  function isNew(persona: string, ...parts: readonly (string | number)[]): boolean {
    const seenKeys = brought.get(persona) ?? new Set();
    brought.set(persona, seenKeys);
    const key = JSON.stringify(parts);
    return seenKeys.size < seenKeys.add(key).size;
  }

  return {
    addRecord({ persona_id: persona, context_factors: factors, sessions, interactions }) {
      recorded.add(persona);
      for (const { factor_type: factorType, preference_type: preferenceType } of factors) {
        types.factor.add(factorType);
        types.preference.add(preferenceType);
      }
      for (const { task_type: taskType } of sessions) types.task.add(taskType);
      for (const preference of listDistinctPreferences(sessions)) {
        preferences.add(countTokens(preference));
        items.add(sessions.find((session) => session.preference === preference)?.checklist.length ?? 0);
      }
      for (const { chat, is_satisfied: satisfied } of interactions) {
        addDialogue(chat);
        if (!satisfied) unsatisfied += 1;
      }
    },

    addInstance(instance) {
      const {
        persona_id: persona,
        current_contextual_preference: current,
        prior_interactions: sessions,
      } = instance;
      prior.add(sessions.reduce((sum, { dialogue }) => sum + countDialogueTokens(dialogue), 0));
      if (recorded.has(persona)) return;
      for (const preference of [current, ...sessions.map((session) => session.contextual_preference)]) {
        if (isNew(persona, 'preference', preference)) preferences.add(countTokens(preference));
      }
      if (isNew(persona, 'checklist', current)) items.add(instance.current_checklist.length);
      for (const { contextual_preference: preference, dialogue } of sessions) {
        const opening = (dialogue[0]?.content ?? '').slice(0, TELLING);
        if (isNew(persona, 'dialogue', preference, opening, dialogue.length)) addDialogue(dialogue);
      }
    },

    end() {
      return {
        personas: new Set([...recorded, ...brought.keys()]).size,
        instances: prior.count,
        preferences: preferences.count,
        preferenceTokens: preferences.value(),
        checklistItems: items.value(),
        dialogues: dialogues.messages.count,
        userMessages: dialogues.userMessages.value(),
        messages: dialogues.messages.value(),
        dialogueTokens: dialogues.tokens.value(),
        priorTokens: prior.value(),
        ...(recorded.size > 0 && {
          unsatisfiedDialogues: unsatisfied,
          factorTypes: types.factor.distribution(),
          preferenceTypes: types.preference.distribution(),
          taskTypes: types.task.distribution(),
        }),
        tokenizer: TOKENIZER,
      };
    },
  };
}

/** This many characters at the beginning distinguish a dialogue from the persona's others. */
const TELLING = 400;

/** Tokens of counted dialogues, because a record's dialogue occurs in up to three instances. */
const tokenCounts = new WeakMap<readonly MessageForm[], number>();

/** Counts the tokens of a dialogue's messages, once. */
export function countDialogueTokens(dialogue: readonly MessageForm[]): number {
  const knownTokens = tokenCounts.get(dialogue);
  if (knownTokens !== undefined) return knownTokens;
  const tokens = dialogue.reduce((sum, { content }) => sum + countTokens(content ?? ''), 0);
  tokenCounts.set(dialogue, tokens);
  return tokens;
}

/** Spares counting the tokens of a dialogue, which were stored with it. */
export function rememberTokens(dialogue: readonly MessageForm[], tokens: number): void {
  tokenCounts.set(dialogue, tokens);
}
