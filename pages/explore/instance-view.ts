import { isRelevant } from '../../rules/instances/relevance';
import { isQuotation } from '../../rules/verification/quotations';
import type { Instance } from '../../schemas/dataset/instance';
import type { Persona } from '../../schemas/dataset/persona';
import { omitUndefined } from '../../schemas/omit-undefined';
import type { VerificationRow } from '../../schemas/verification/verification';
import type { InstanceView, MessagePlace, PersonaView, SessionView, VerificationView } from './answers';
import { readPersonaCost } from './dialogue';
import type { IndexedInstance } from './filter';
import type { InstanceIndex } from './instance-index';
import { describeListed } from './list';
import type { DetailedInstance, Sources } from './sources';
import { linkPersona } from './workflow-link';

/**
 * Reads an instance with everything that is known of it.
 * @throws DataError when a file that has a part of it was replaced
 */
export async function readInstanceView(
  sources: Sources,
  index: InstanceIndex,
  row: IndexedInstance,
  temporalUi: string | undefined,
): Promise<InstanceView> {
  const { run } = sources;
  const detailed = await sources.instances.read(row.place);
  const { instance, stored, provenance } = detailed;
  const persona = stored?.record.persona;
  const verified = await index.verdicts.readRow(row.key);
  return {
    instance,
    sessions: describeSessions(detailed),
    listed: describeListed(index.getKnown(row)),
    results: await index.results.read(row.key),
    labelled: index.labels.list(row),
    ...omitUndefined({
      persona: persona && describePersona(persona),
      provenance,
      cost: run && persona && (await readPersonaCost(run, persona.id)),
      workflow: run && persona && (await linkPersona(run, persona.id, temporalUi)),
      verification: verified && describeVerification(instance, verified),
    }),
  };
}

function describeSessions({ instance, stored, provenance }: DetailedInstance): SessionView[] {
  return instance.prior_interactions.map((prior, at) => {
    const number = provenance?.prior_sessions[at];
    const session = stored?.record.sessions.find(({ id }) => id === number);
    return {
      relation: isRelevant(prior, instance)
        ? 'relevant'
        : prior.context_factor === instance.current_context_factor
          ? 'other-preference'
          : 'other',
      number,
      task: session?.task_type,
      checklist: session?.checklist,
      isSatisfied:
        number === undefined ? undefined : provenance?.unsatisfied_sessions.includes(number) === false,
    };
  });
}

function describePersona({
  id,
  occupation,
  description,
  career_level: level,
  personality_traits: traits,
  personal_values: values,
  decision_making_styles: style,
}: Persona): PersonaView {
  return {
    number: id,
    occupation,
    description,
    traits: [level, ...traits, ...values, style].filter(Boolean),
  };
}

function describeVerification(instance: Instance, row: VerificationRow): VerificationView {
  return { row, first: row.items.map(({ quotations }) => findFirst(instance, quotations)) };
}

/** Finds the first message that contains one of the quotations. */
function findFirst(
  { prior_interactions: prior }: Instance,
  quotations: readonly string[],
): MessagePlace | null {
  for (const [session, { dialogue }] of prior.entries()) {
    const message = dialogue.findIndex((turn) =>
      quotations.some((quotation) => isQuotation(quotation, [turn])),
    );
    if (message >= 0) return { session, message };
  }
  return null;
}
