import type { Instance } from '../../../schemas/dataset/instance';
import { INSTANCE_TYPES, type InstanceType } from '../../../schemas/dataset/instance-type';
import { normalizeSpelling } from '../../answers/form/checks';
import type { FileFinding, Place } from '../finding';
import { validatePersona } from './persona-instances';
import type { PersonaInstances, ReadInstance } from './read-instance';
import { hashText } from '../text-hash';

/** Prior interactions of an instance out of a journey of 13 sessions, the default (paper, B.5). */
const USUAL_PRIOR_COUNT = 8;

/**
 * The rules of structure over the instances of a data set (paper, B.5): of each persona's three, wherever they stand, and the same
 * number of prior interactions everywhere. A second row of the same key is left out. Dialogues are not kept.
 */
export class InstanceStructure {
  private readonly open = new Map<string, OpenPersona>();
  /** The personas whose three instances have been judged, which a further row does not change. */
  private readonly judged = new Set<string>();
  private readonly found: FileFinding[] = [];
  /** What a row's lack of prior interactions explains, if it turns out to lack any. */
  private readonly explained: FileFinding[] = [];
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
    this.judge(persona_id, persona);
  }

  end(): FileFinding[] {
    const { deviating, found } = this.priorCounts();
    const lacking = this.isSelection
      ? []
      : [...this.open].map(([id, persona]) => createLackingFinding(id, persona));
    const unexplained = this.explained.filter(({ row }) => !deviating.has(row));
    return [...this.found, ...found, ...lacking, ...unexplained].toSorted(
      (one, other) => one.row - other.row,
    );
  }

  private judge(id: string, { instances }: OpenPersona): void {
    const three = findThree(instances);
    if (three === undefined) return;
    const { found, explainedByCount } = validatePersona(three);
    this.found.push(...found);
    this.explained.push(...explainedByCount);
    this.judged.add(id);
    this.open.delete(id);
  }

  /**
   * The rows that have another number of prior interactions than they should, or than most; where two counts are equally common, the usual
   * one is right.
   */
  private priorCounts(): { deviating: Set<number>; found: FileFinding[] } {
    const most = Math.max(0, ...[...this.byPriorCount.values()].map((places) => places.length));
    const common = [...this.byPriorCount].filter(([, places]) => places.length === most);
    const usual = common.some(([count]) => count === USUAL_PRIOR_COUNT) ? USUAL_PRIOR_COUNT : common[0]?.[0];
    const expected = this.priorCount ?? usual;
    const why = this.priorCount === undefined ? 'as most rows have' : 'which the length of the journey gives';
    const deviating = [...this.byPriorCount].filter(([count]) => count !== expected);
    const found = deviating.flatMap(([count, places]) =>
      places.map((place): FileFinding => ({
        ...place,
        rule: 'prior-count',
        field: 'prior_interactions',
        message: `expected ${expected}, ${why}, found ${count}. Give the row all of its sessions and no others.`,
      })),
    );
    return { deviating: new Set(found.map(({ row }) => row)), found };
  }
}

interface OpenPersona {
  /** Each text of the persona once: factors and preferences repeat from session to session. */
  readonly texts: Map<string, string>;
  readonly instances: Map<InstanceType, ReadInstance>;
}

function readInstance(instance: Instance, row: number, texts: Map<string, string>): ReadInstance {
  const once = (text: string): string => {
    const spelled = normalizeSpelling(text);
    const known = texts.get(spelled);
    if (known === undefined) texts.set(spelled, spelled);
    return known ?? spelled;
  };
  return {
    place: { row, persona_id: instance.persona_id, instance_type: instance.instance_type },
    request: hashText(instance.current_request),
    factor: once(instance.current_context_factor),
    preference: once(instance.current_contextual_preference),
    checklist: instance.current_checklist.map(once),
    sessions: instance.prior_interactions.map((prior, at) => ({
      at,
      factor: once(prior.context_factor),
      preference: once(prior.contextual_preference),
      dialogue: hashDialogue(prior.dialogue),
    })),
  };
}

function hashDialogue(dialogue: Instance['prior_interactions'][number]['dialogue']): number {
  let hash = 0;
  for (const { role, content } of dialogue) hash = hashText(content, hashText(role, hash));
  return hash;
}

function findThree(instances: ReadonlyMap<InstanceType, ReadInstance>): PersonaInstances | undefined {
  const consistent = instances.get('consistent');
  const contrastive = instances.get('contrastive');
  const changing = instances.get('changing');
  return consistent === undefined || contrastive === undefined || changing === undefined
    ? undefined
    : { consistent, contrastive, changing };
}

function createLackingFinding(persona_id: string, { instances }: OpenPersona): FileFinding {
  const lacking = INSTANCE_TYPES.filter((type) => !instances.has(type));
  const rows = [...instances.values()].map(({ place }) => place);
  const row = Math.min(...rows.map((place) => place.row));
  const type = rows.find((place) => place.row === row)?.instance_type;
  return {
    rule: 'one-of-each-type',
    row,
    persona_id,
    ...(type === undefined ? {} : { instance_type: type }),
    field: 'instance_type',
    message: `expected one ${INSTANCE_TYPES.join(', one ')} of this persona, found no ${lacking.join(' and no ')}. Add what is missing, or leave the persona out.`,
  };
}
