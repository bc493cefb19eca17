import type { DataFigures } from '../../schemas/dataset/data-figures';
import { INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import type { InstanceForm } from '../../schemas/dataset/instance';
import type { MessageForm } from '../../schemas/dataset/message';
import type { RecordForm, StoredPersona } from '../../schemas/dataset/record';
import { PAPER_TAXONOMY, type Taxonomy } from '../../schemas/dataset/taxonomy';
import { ShortcutCounter } from './shortcuts';
import { endedSatisfied } from '../dialogue/ending';
import { listRelevantSessions } from '../instances/split';
import { computeRelevantPosition, isRelevant } from '../instances/relevance';
import { findName } from '../quality/descriptions';
import { listQuotingMessages } from '../quality/dialogue';
import { NearDuplicates } from '../texts/near-duplicates';
import { computePreferenceShare, TELLING_SHARE } from '../texts/preference-in-request';
import { hashText } from '../texts/text-hash';
import { listTouchedItems } from './coverage';
import { ShareCounter } from './share';
import { Mean, Tally } from './tally';
import { MessageSample } from './variety';

/** Counts the quality figures of a data set, row by row. */
export interface FigureCounter {
  addRecord(record: RecordForm): void;
  addInstance(instance: InstanceForm): void;
  /** Adds the items that the users of a persona's dialogues selected, if known. */
  addSelections(persona: Pick<StoredPersona, 'record' | 'selections'>): void;
  /** @param computeCompressionRatio size over compressed size of a text */
  end(computeCompressionRatio: (text: string) => number): DataFigures;
}

/** The data whose figures are counted. */
export interface CountedData {
  /**
   * Whether the records of the instances' personas are added too. These contain all dialogues, each once, so the dialogues of the instances are
   * not counted.
   */
  readonly withRecords: boolean;
  /** The known types; absent for the paper's. */
  readonly taxonomy?: Taxonomy | undefined;
  /** The maximum number of user messages in a dialogue, if known. */
  readonly maxTurns?: number | undefined;
}

export function createFigureCounter({
  withRecords,
  taxonomy = PAPER_TAXONOMY,
  maxTurns,
}: CountedData): FigureCounter {
  const instances = new InstanceFigures();
  const dialogues = new DialogueFigures(maxTurns);
  const personas = new PersonaFigures(taxonomy);
  const shortcuts = new ShortcutCounter();
  const selection = new ShareCounter();
  return {
    addRecord(record) {
      personas.add(record);
      const { persona_id: persona, interactions } = record;
      for (const { preference, checklist, chat, is_satisfied: satisfied } of interactions) {
        dialogues.add(persona, chat, { sources: [preference, ...checklist], satisfied });
      }
    },
    addInstance(instance) {
      instances.add(instance);
      shortcuts.add(instance);
      if (!withRecords) dialogues.addPrior(instance);
    },
    addSelections({ record, selections }) {
      const relevant = new Set(listRelevantSessions(record));
      for (const { session_id: id, checklist } of record.interactions) {
        if (!relevant.has(id)) continue;
        const items = selections.find(({ session }) => session === id)?.items ?? [];
        const validItems = new Set(items.filter((item) => item >= 1 && item <= checklist.length));
        selection.add(record.persona_id, validItems.size, checklist.length);
      }
    },
    end(computeCompressionRatio) {
      return {
        selection: selection.end(),
        ...instances.end(),
        ...shortcuts.end(),
        ...dialogues.end(computeCompressionRatio),
        ...personas.end(),
      };
    },
  };
}

/** Figures of the instances: what their requests reveal, what their histories express, and where (paper, 3.2 and figure 3). */
class InstanceFigures {
  readonly #leakage = new ShareCounter();
  readonly #coverage = new ShareCounter();
  readonly #shares = new Mean();
  #mostShare = 0;
  readonly #positions = new Map<string, Mean>(INSTANCE_TYPES.map((type) => [type, new Mean()]));

  add(instance: InstanceForm): void {
    const { persona_id: persona, current_request: request, current_checklist: checklist } = instance;
    const { current_contextual_preference: preference, current_context_factor: factor } = instance;
    const share = computePreferenceShare(request, preference, factor);
    this.#leakage.add(persona, share >= TELLING_SHARE ? 1 : 0, 1);
    this.#shares.add(share);
    this.#mostShare = Math.max(this.#mostShare, share);
    const relevant = instance.prior_interactions.filter((session) => isRelevant(session, instance));
    const dialogues = relevant.map(({ dialogue }) => dialogue);
    const touched = listTouchedItems(checklist, dialogues, factor);
    if (relevant.length > 0) this.#coverage.add(persona, touched.length, checklist.length);
    const position = computeRelevantPosition(instance);
    if (position !== null) this.#positions.get(instance.instance_type)?.add(position);
  }

  end(): Pick<DataFigures, 'leakage' | 'preferenceInRequest' | 'coverage' | 'relevantPositions'> {
    const mean = this.#shares.value();
    return {
      leakage: this.#leakage.end(),
      preferenceInRequest: mean === undefined ? undefined : { mean, maximum: this.#mostShare },
      coverage: this.#coverage.end(),
      relevantPositions: Object.fromEntries(
        [...this.#positions]
          .filter(([, positions]) => positions.count > 0)
          .map(([type, positions]) => [type, { mean: positions.value(), instances: positions.count }]),
      ),
    };
  }
}

/** Figures of the dialogues: how they end, and what their users say (paper, B.4 and desiderata 1 and 2). */
class DialogueFigures {
  readonly #indirect = new ShareCounter();
  readonly #atFirst = new ShareCounter();
  readonly #unsatisfied = new ShareCounter();
  readonly #atLimit = new ShareCounter();
  readonly #messages = new MessageSample();
  /** Hashes of the dialogues of instances seen so far, by persona. */
  readonly #seen = new Map<string, Set<number>>();

  constructor(private readonly maxTurns: number | undefined) {}

  add(
    persona: string,
    dialogue: readonly MessageForm[],
    { sources, satisfied }: { readonly sources: readonly string[]; readonly satisfied: boolean },
  ): void {
    const replies = dialogue.flatMap(({ role, content }, at) =>
      at > 0 && role === 'user' && content !== null ? [content] : [],
    );
    this.#indirect.add(
      persona,
      replies.length - listQuotingMessages(dialogue, sources).length,
      replies.length,
    );
    this.#atFirst.add(persona, satisfied && replies.length === 1 ? 1 : 0, 1);
    this.#unsatisfied.add(persona, satisfied ? 0 : 1, 1);
    if (this.maxTurns !== undefined) {
      this.#atLimit.add(persona, !satisfied && replies.length + 1 >= this.maxTurns ? 1 : 0, 1);
    }
    const place = hashText(dialogue[0]?.content ?? '', hashText(persona));
    for (const [at, reply] of replies.entries()) this.#messages.add(reply, hashText(`${at}`, place));
  }

  /** Adds the dialogues of an instance that no earlier instance of its persona has. */
  addPrior(instance: InstanceForm): void {
    const { persona_id: persona, current_checklist: checklist } = instance;
    const seenHashes = this.#seen.get(persona) ?? new Set();
    this.#seen.set(persona, seenHashes);
    for (const session of instance.prior_interactions) {
      const { contextual_preference: preference, dialogue } = session;
      const hash = dialogue.reduce(
        (before, { content }) => hashText(content ?? '', before),
        hashText(preference),
      );
      if (seenHashes.size === seenHashes.add(hash).size) continue;
      const sources = isRelevant(session, instance) ? [preference, ...checklist] : [preference];
      this.add(persona, dialogue, { sources, satisfied: endedSatisfied(dialogue) });
    }
  }

  end(
    computeCompressionRatio: (text: string) => number,
  ): Pick<
    DataFigures,
    | 'indirectness'
    | 'endedAtFirstAnswer'
    | 'unsatisfiedDialogues'
    | 'endedAtTurnLimit'
    | 'distinct2'
    | 'compressionRatio'
  > {
    return {
      indirectness: this.#indirect.end(),
      endedAtFirstAnswer: this.#atFirst.end(),
      unsatisfiedDialogues: this.#unsatisfied.end(),
      endedAtTurnLimit: this.#atLimit.end(),
      ...this.#messages.end(computeCompressionRatio),
    };
  }
}

/** Figures of the records: how far personas, and their types, differ from each other (paper, B.1, table 7 and figure 7). */
class PersonaFigures {
  readonly #names = new Map<string, string[]>();
  readonly #descriptions = new NearDuplicates<string>();
  readonly #personas: string[] = [];
  readonly #factorTypes = new Tally();
  readonly #preferenceTypes = new Tally();
  readonly #taskTypes = new Tally();

  constructor(private readonly taxonomy: Taxonomy) {}

  add({
    persona_id: persona,
    persona: { description },
    context_factors: factors,
    sessions,
  }: RecordForm): void {
    this.#personas.push(persona);
    this.#descriptions.add(description, persona);
    const name = findName(description)?.toLowerCase();
    if (name !== undefined) this.#addName(name, persona);
    for (const { factor_type: factorType, preference_type: preferenceType } of factors) {
      this.#factorTypes.add(factorType);
      this.#preferenceTypes.add(preferenceType);
    }
    for (const { task_type: taskType } of sessions) this.#taskTypes.add(taskType);
  }

  #addName(name: string, persona: string): void {
    const personas = this.#names.get(name);
    if (personas === undefined) this.#names.set(name, [persona]);
    else personas.push(persona);
  }

  end(): Pick<DataFigures, 'repeatedNames' | 'nearDuplicatePersonas' | 'entropy'> {
    if (this.#personas.length === 0) return {};
    const repeated = [...this.#names.values()].filter((personas) => personas.length > 1).flat();
    const duplicates = this.#descriptions.end().map(({ place }) => place);
    return {
      repeatedNames: countShare([...this.#names.values()].flat(), repeated),
      nearDuplicatePersonas: countShare(this.#personas, duplicates),
      entropy: {
        factorTypes: this.#factorTypes.normalizedEntropy(this.taxonomy.factor_types.length),
        preferenceTypes: this.#preferenceTypes.normalizedEntropy(this.taxonomy.preference_types.length),
        taskTypes: this.#taskTypes.normalizedEntropy(this.taxonomy.task_types.length),
      },
    };
  }
}

function countShare(
  personas: readonly string[],
  matchingPersonas: readonly string[],
): DataFigures['repeatedNames'] {
  const counter = new ShareCounter();
  const those = new Set(matchingPersonas);
  for (const persona of personas) counter.add(persona, those.has(persona) ? 1 : 0, 1);
  const share = counter.end();
  return share && { ...share, personas: [...those] };
}
