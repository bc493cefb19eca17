import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import { readProvenanceRows } from '../../data/sets/provenance';
import { splitInstances } from '../../rules/instances/split';
import type { Place } from '../../rules/validation/finding';
import type { Instance } from '../../schemas/dataset/instance';
import { personaRecordSchema, type RecordForm } from '../../schemas/dataset/record';
import type { Problem } from './findings';

/** The instances of a data set, remembered so far that a persona's record and the provenance can be held against them. */
export class KnownInstances {
  readonly #places = new Map<string, Place>();
  readonly #hashes = new Map<string, Map<string, string>>();

  /** @param withHashes whether what they hold is remembered as well, a few bytes a field */
  constructor(private readonly withHashes: boolean) {}

  add(instance: Instance, place: Place): void {
    const key = buildInstanceKey(instance);
    this.#places.set(key, place);
    if (this.withHashes) this.#hashes.set(key, computeHashes(instance));
  }

  get places(): ReadonlyMap<string, Place> {
    return this.#places;
  }

  /** Returns the fields in which the known instance of this key differs, or undefined when there is none. */
  differences(instance: Instance): string[] | undefined {
    const digests = this.#hashes.get(buildInstanceKey(instance));
    if (digests === undefined) return undefined;
    return [...computeHashes(instance)]
      .filter(([field, digest]) => digests.get(field) !== digest)
      .map(([field]) => field);
  }
}

/** Whether the instances are those that the records yield (paper, B.5). */
export class RecordAgreement {
  readonly #recorded = new Set<string>();
  /** Their rows are counted through all files. */
  readonly #found: Problem[] = [];

  /**
   * @param seed the run's, by which sessions are left out. Without one, the data may be of another program, or a selection: instances
   *   may be missing, and which prior interactions they have is not compared
   * @param unsound personas with an instance that could not be read
   */
  constructor(
    private readonly index: KnownInstances,
    private readonly seed: number | undefined,
    private readonly unsound: ReadonlySet<string>,
  ) {}

  add(record: RecordForm): void {
    this.#recorded.add(record.persona_id);
    if (this.unsound.has(record.persona_id)) return;
    const instances = buildInstances(record, this.seed ?? 0);
    for (const instance of instances ?? []) this.#compare(instance);
    if (instances !== undefined || this.seed === undefined) return;
    const message =
      "the persona's record yields no instances to compare with. Fix the record, or leave the persona out.";
    this.#found.push({ rule: 'instances-of-record', persona_id: record.persona_id, message });
  }

  /** @param unreadPersonas personas whose record could not be read */
  end(unreadPersonas: ReadonlySet<string>): Problem[] {
    if (this.seed === undefined) return this.#found;
    const instancesWithoutRecord = [...this.index.places.values()].filter(
      ({ persona_id: persona }) => !this.#recorded.has(persona) && !unreadPersonas.has(persona),
    );
    return [
      ...this.#found,
      ...instancesWithoutRecord.map((place): Problem => ({
        ...place,
        rule: 'instances-of-record',
        message:
          'CUPID-Raw has no record of this persona. Leave the row out, or use two data sets of the same run.',
      })),
    ];
  }

  #compare(instance: Instance): void {
    const { persona_id: persona, instance_type: type } = instance;
    const fields = this.index.differences(instance);
    if (fields === undefined) {
      if (this.seed === undefined) return;
      this.#found.push({
        rule: 'instances-of-record',
        persona_id: persona,
        instance_type: type,
        message:
          "the persona's record yields this instance, but the row is missing. Move both data sets away and repeat the cupid synth command of the run, which writes them again.",
      });
      return;
    }
    const place = this.index.places.get(buildInstanceKey(instance));
    for (const field of fields) {
      if (this.seed === undefined && field === 'prior_interactions') continue;
      this.#found.push({
        ...place,
        rule: 'instances-of-record',
        field,
        message:
          "differs from what the persona's record in CUPID-Raw yields. One of the two was changed: undo the change.",
      });
    }
  }
}

/**
 * Checks that `provenance.parquet` has exactly one row for each instance, and none that calls simulated data real.
 * @throws DataError when it cannot be read, or a row is not what this program writes
 */
export async function validateProvenance(
  path: string,
  { index, unsound, simulated }: ProvenanceExpected,
): Promise<{
  readonly ofProvenance: Problem[];
  /** Their rows are counted through all files. */
  readonly ofInstances: Problem[];
}> {
  const rule = 'provenance-of-instance' as const;
  const keys = new Set<string>();
  const ofProvenance: Problem[] = [];
  for await (const { number: row, persona, type, origin } of readProvenanceRows(path)) {
    const problem = (message: string, field?: string) =>
      ofProvenance.push({
        rule,
        row,
        persona_id: persona,
        instance_type: type,
        ...(field !== undefined && { field }),
        message,
      });
    const key = buildInstanceKey({ persona_id: persona, instance_type: type });
    if (keys.has(key)) problem('an earlier row has the same instance. Leave one of the two out.');
    else if (!index.places.has(key) && !unsound.has(persona))
      problem('no instance belongs to this row. Leave the row out.');
    if (simulated && !origin.simulated)
      problem('expected true, as the run or the card says, found false.', 'simulated');
    keys.add(key);
  }
  const missing = [...index.places].filter(([key]) => !keys.has(key));
  return {
    ofProvenance,
    ofInstances: missing.map(([, place]) => ({
      ...place,
      rule,
      message: `${basename(path)} has no row for this instance. Use the file that was written with this data set.`,
    })),
  };
}

interface ProvenanceExpected {
  readonly index: KnownInstances;
  /** Personas with an instance that could not be read. */
  readonly unsound: ReadonlySet<string>;
  /** Whether the run or the card says that the data are simulated. */
  readonly simulated: boolean;
}

/** Returns undefined for a record that is incomplete. */
function buildInstances(record: RecordForm, seed: number): Instance[] | undefined {
  const complete = personaRecordSchema.safeParse({
    ...record,
    sessions: record.sessions.map(({ resource, ...session }) =>
      resource === null || resource === undefined ? session : { ...session, resource },
    ),
  });
  if (!complete.success) return undefined;
  try {
    return splitInstances(complete.data, seed).map(({ instance }) => instance);
  } catch {
    return undefined;
  }
}

/** Computes short hashes of the fields. They have to detect a change, not an attack. */
function computeHashes(instance: Instance): Map<string, string> {
  return new Map(
    Object.entries(instance).map(([field, value]) => [
      field,
      hash('sha256', JSON.stringify(value), 'base64').slice(0, 12),
    ]),
  );
}
