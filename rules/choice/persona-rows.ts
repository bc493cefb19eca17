import type { InstanceForm } from '../../schemas/dataset/instance';
import { INSTANCE_TYPES, type InstanceType } from '../../schemas/dataset/instance-type';
import type { ChoiceRow } from './options';

/** A row as far as its choice depends on it. */
export type RequestRow = ChoiceRow & Pick<InstanceForm, 'current_request'>;

interface OpenPersonaRows {
  /** Each text of the persona once, since factors and preferences repeat from session to session. */
  readonly texts: Map<string, string>;
  readonly rows: RequestRow[];
}

/** Collects the rows of each persona. A persona is passed on and forgotten once it has an instance of each type; the others at the end. */
export class PersonaRows {
  readonly #open = new Map<string, OpenPersonaRows>();
  readonly #closed = new Set<string>();

  constructor(private readonly pass: (persona: string, rows: readonly RequestRow[]) => void) {}

  add(instance: InstanceForm): void {
    const { persona_id: persona } = instance;
    if (this.#closed.has(persona)) return;
    const open: OpenPersonaRows = this.#open.get(persona) ?? { texts: new Map(), rows: [] };
    this.#open.set(persona, open);
    open.rows.push(selectTexts(instance, open.texts));
    if (INSTANCE_TYPES.every((type) => hasType(open.rows, type))) this.#close(persona, open);
  }

  end(): void {
    for (const [persona, open] of this.#open) this.#close(persona, open);
  }

  #close(persona: string, { rows }: OpenPersonaRows): void {
    this.#open.delete(persona);
    this.#closed.add(persona);
    this.pass(persona, rows);
  }
}

export function hasType(rows: readonly RequestRow[], type: InstanceType): boolean {
  return rows.some((row) => row.instance_type === type);
}

/** Returns the parts of an instance on which its choice depends. @param texts those that its persona already has */
function selectTexts(instance: InstanceForm, texts: Map<string, string>): RequestRow {
  const intern = (text: string): string => {
    const knownText = texts.get(text);
    if (knownText === undefined) texts.set(text, text);
    return knownText ?? text;
  };
  return {
    persona_id: instance.persona_id,
    instance_type: instance.instance_type,
    current_request: intern(instance.current_request),
    current_context_factor: intern(instance.current_context_factor),
    current_contextual_preference: intern(instance.current_contextual_preference),
    prior_interactions: instance.prior_interactions.map((prior) => ({
      context_factor: intern(prior.context_factor),
      contextual_preference: intern(prior.contextual_preference),
    })),
  };
}
