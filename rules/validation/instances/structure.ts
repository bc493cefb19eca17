import type { Instance } from '../../../schemas/dataset/instance';
import { INSTANCE_TYPES, type InstanceType } from '../../../schemas/dataset/instance-type';
import { type FileFinding, mergeFindings, type Place } from '../finding';
import { validatePersona } from './persona';
import { readInstance, type ReadInstance } from './read-instance';

/** Prior interactions of an instance out of a journey of 13 sessions, the default (paper, B.5). */
const USUAL_PRIOR_COUNT = 8;

/**
 * Rules of structure over the instances of a data set (paper, B.5): those of each persona's three, wherever they stand, and one number of
 * prior interactions everywhere. There is one finding for a persona and rule. A second row of a key is left out; dialogues are not kept.
 */
export class InstanceStructure {
  private readonly open = new Map<string, OpenPersonaInstances>();
  /** The personas whose three instances have been judged, which a further row does not change. */
  private readonly judged = new Set<string>();
  private readonly found: FileFinding[] = [];
  private readonly byPriorCount = new Map<number, Place[]>();

  /**
   * @param priorCount of each instance; undefined when it is not known, and most rows decide
   * @param isSelection whether instances were left out on purpose, so that a persona may lack some
   */
  constructor(
    private readonly priorCount?: number,
    private readonly isSelection = false,
  ) {}

  add(instance: Instance, row: number): void {
    const { persona_id, instance_type, prior_interactions: prior } = instance;
    if (this.judged.has(persona_id)) return;
    const persona = this.open.get(persona_id) ?? { texts: new Map(), instances: new Map() };
    if (persona.instances.has(instance_type)) return;
    const places = this.byPriorCount.get(prior.length) ?? [];
    places.push({ row, persona_id, instance_type });
    this.byPriorCount.set(prior.length, places);
    persona.instances.set(instance_type, readInstance(instance, row, persona.texts));
    this.open.set(persona_id, persona);
    const [consistent, contrastive, changing] = INSTANCE_TYPES.map((type) => persona.instances.get(type));
    if (consistent === undefined || contrastive === undefined || changing === undefined) return;
    this.found.push(...validatePersona({ consistent, contrastive, changing }));
    this.judged.add(persona_id);
    this.open.delete(persona_id);
  }

  end(): FileFinding[] {
    const { deviating, findings } = this.validateCounts();
    const lackingFindings = this.isSelection
      ? []
      : [...this.open].map(([id, persona]) => createLackingFinding(id, persona));
    // A row with too few or too many sessions lacks some, or has others.
    const unexplained = this.found.filter(
      ({ row, field }) => field !== 'prior_interactions' || !deviating.has(row),
    );
    return mergeFindings([...findings, ...lackingFindings, ...unexplained]);
  }

  /** Finds the rows that have another number than expected, else than most rows; of two equally common counts the usual one is right. */
  private validateCounts(): { deviating: Set<number>; findings: FileFinding[] } {
    const maxPlaces = Math.max(0, ...[...this.byPriorCount.values()].map((places) => places.length));
    const common = [...this.byPriorCount].filter(([, places]) => places.length === maxPlaces);
    const usualCount = common.some(([count]) => count === USUAL_PRIOR_COUNT)
      ? USUAL_PRIOR_COUNT
      : common[0]?.[0];
    const expected = this.priorCount ?? usualCount;
    const reason =
      this.priorCount === undefined ? 'as most rows have' : 'which the length of the journey gives';
    const deviating = [...this.byPriorCount].filter(([count]) => count !== expected);
    const findings = deviating.flatMap(([count, places]) =>
      places.map((place): FileFinding => ({
        ...place,
        rule: 'prior-count',
        field: 'prior_interactions',
        message: `expected ${expected}, ${reason}, found ${count}. Give the row all of its sessions and no others.`,
      })),
    );
    return { deviating: new Set(findings.map(({ row }) => row)), findings };
  }
}

interface OpenPersonaInstances {
  /** Each text of the persona once. */
  readonly texts: Map<string, string>;
  readonly instances: Map<InstanceType, ReadInstance>;
}

function createLackingFinding(persona_id: string, { instances }: OpenPersonaInstances): FileFinding {
  const missingTypes = INSTANCE_TYPES.filter((type) => !instances.has(type));
  const rows = [...instances.values()].map(({ place }) => place);
  const row = Math.min(...rows.map((place) => place.row));
  const type = rows.find((place) => place.row === row)?.instance_type;
  return {
    rule: 'one-of-each-type',
    row,
    persona_id,
    ...(type === undefined ? {} : { instance_type: type }),
    field: 'instance_type',
    message: `expected one ${INSTANCE_TYPES.join(', one ')} of this persona, found no ${missingTypes.join(' and no ')}. Add what is missing, or leave the persona out.`,
  };
}
