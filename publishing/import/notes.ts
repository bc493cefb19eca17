import { listPresent } from '../../schemas/text/list-present';
import { formatCount, pluralize } from '../../schemas/text/count-text';
import { computeCompressionRatio } from '../../data/sets/compression';
import { buildStoredOpening } from '../../rules/dialogue/messages';
import { DataSetCounter, type CountedDataSet } from '../../rules/statistics/run-statistics';
import type { InstanceForm } from '../../schemas/dataset/instance';
import type { RecordForm } from '../../schemas/dataset/record';
import { LAYOUT, normalizeName } from '../reference-layout';
import type { OtherKeys } from './json-file';
import { type Watch, watchRows } from '../watch';
import type { Personas } from './records';

/** Counts for the cards and notes for the reader, gathered as the rows pass. */
export class ImportNotes {
  readonly #counted: DataSetCounter;
  readonly #strangers = new Set<string>();
  /** By persona, what the records say that the instances ask. */
  readonly #requests = new Map<string, string>();
  readonly #contradicted = new Set<string>();
  #unanswered = 0;

  /** @param watch its signal ends the rows, each of which is reported */
  constructor(
    private readonly personas: Personas | undefined,
    private readonly watch: Watch,
  ) {
    this.#counted = new DataSetCounter({
      withRecords: personas !== undefined && personas.withData.length > 0,
    });
  }

  async *records(rows: AsyncIterable<RecordForm>): AsyncGenerator<RecordForm> {
    for await (const record of watchRows(rows, this.watch)) {
      this.#counted.addRecord(record);
      const last = record.sessions.at(-1);
      if (last !== undefined) {
        this.#requests.set(normalizeName(record.persona_id), buildStoredOpening(last));
      }
      yield record;
    }
  }

  async *instances(rows: AsyncIterable<InstanceForm>): AsyncGenerator<InstanceForm> {
    for await (const instance of watchRows(rows, this.watch)) {
      this.#counted.addInstance(instance);
      const request = this.#requests.get(normalizeName(instance.persona_id));
      if (request !== undefined && request !== instance.current_request.trim()) {
        this.#contradicted.add(instance.persona_id);
      }
      if (this.personas?.has(instance.persona_id) === false) this.#strangers.add(instance.persona_id);
      for (const { dialogue } of instance.prior_interactions) {
        this.#unanswered += dialogue.filter(({ content }) => content === null).length;
      }
      yield instance;
    }
  }

  counted(): CountedDataSet {
    return this.#counted.end(computeCompressionRatio);
  }

  /** Returns a sentence for each unexpected thing. */
  notes({ fields }: OtherKeys): string[] {
    return listPresent(
      fields.length > 0 && `These keys of the files have no column and are left out: ${fields.join(', ')}.`,
      this.#strangers.size > 0 &&
        `${formatCount(this.#strangers.size, 'persona')} with instances ${pluralize(this.#strangers.size, 'is', 'are')} not in ${LAYOUT.personas}. Such instances are kept.`,
      this.#contradicted.size > 0 &&
        `The instances of ${formatCount(this.#contradicted.size, 'persona')} (such as ${[...this.#contradicted].slice(0, 3).join(', ')}) do not ask what the last session of their persona asks. ` +
          `Their current_request was probably taken from an earlier session, because the last interaction was missing in ${LAYOUT.data}/. Make the instances again from complete files.`,
      this.#unanswered > 0 &&
        `${formatCount(this.#unanswered, 'message')} in the instances' dialogues ${pluralize(this.#unanswered, 'is', 'are')} null, because the reference program got no answer. ` +
          'They are kept, but evaluation rejects their instances. Fix these or leave them out before you evaluate.',
    );
  }
}
