import { buildOpeningMessage } from '../../rules/dialogue/messages';
import { DialogueTexts } from '../../rules/validation/dialogue-texts';
import type { InstanceStructure } from '../../rules/validation/instances/structure';
import type { FileFinding, Place } from '../../rules/validation/finding';
import { NearDuplicates } from '../../rules/texts/near-duplicates';
import { computePreferenceShare, TELLING_SHARE } from '../../rules/texts/preference-in-request';
import { validateQuality } from '../../rules/validation/records/quality';
import type { RecordStructure } from '../../rules/validation/records/structure';
import type { Instance } from '../../schemas/dataset/instance';
import type { RecordForm } from '../../schemas/dataset/record';
import type { ValidationRule } from '../../schemas/dataset/validation';

/** A finding, with its strength (0 to 1) if people should look at it. */
export interface RankedFinding extends FileFinding {
  readonly weight?: number;
}

/** The structure of the instances, and what their requests reveal. */
export class InstanceWatch {
  readonly #requests = new NearDuplicates<Place>();
  readonly #personas = new Set<string>();
  readonly #revealing: RankedFinding[] = [];
  readonly #texts = new DialogueTexts();

  /** @param structure undefined where the instances are compared with what the records yield */
  constructor(private readonly structure: InstanceStructure | undefined) {}

  add(instance: Instance, place: Place): void {
    this.structure?.add(instance, place.row);
    this.#checkRequest(instance, place);
    const dialogues = instance.prior_interactions.map(({ dialogue: messages }, index) => ({
      field: `prior_interactions[${index}].dialogue`,
      messages,
    }));
    this.#texts.add(instance, dialogues, place);
    // The three of a persona have one request.
    if (this.#personas.has(instance.persona_id)) return;
    this.#personas.add(instance.persona_id);
    this.#requests.add(instance.current_request, place);
  }

  end(): RankedFinding[] {
    return [
      ...(this.structure?.end() ?? []),
      ...this.#revealing,
      ...this.#texts.end(),
      ...listSimilarRequests(this.#requests, 'current_request'),
    ];
  }

  #checkRequest(instance: Instance, place: Place): void {
    const share = computePreferenceShare(
      instance.current_request,
      instance.current_contextual_preference,
      instance.current_context_factor,
    );
    if (share < TELLING_SHARE) return;
    this.#revealing.push({
      ...place,
      rule: 'preference-in-request',
      field: 'current_request',
      message: `contains ${formatPercent(share)} of the words of the preference that a model must infer. Read both: does the request reveal the preference?`,
      weight: share,
    });
  }
}

/** The structure of the records, their quality, and which personas are alike. */
export class RecordWatch {
  readonly #quality: RankedFinding[] = [];
  readonly #texts = new DialogueTexts();
  readonly #descriptions = new NearDuplicates<Place>();
  readonly #requests: NearDuplicates<Place> | undefined;

  /** @param withRequests whether their requests are compared as well, which those of their instances are anyway */
  constructor(
    private readonly structure: RecordStructure,
    withRequests: boolean,
  ) {
    this.#requests = withRequests ? new NearDuplicates<Place>() : undefined;
  }

  add(record: RecordForm, place: Place): void {
    // Problems of the structure would show in the quality again.
    if (this.structure.add(record, place.row)) {
      for (const lapse of validateQuality(record)) this.#quality.push({ ...place, ...lapse });
    }
    const dialogues = record.interactions.map(({ chat: messages }, index) => ({
      field: `interactions[${index}].chat`,
      messages,
    }));
    this.#texts.add(record, dialogues, place);
    this.#descriptions.add(record.persona.description, place);
    const last = record.sessions.at(-1);
    if (last !== undefined) this.#requests?.add(buildOpeningMessage(last), place);
  }

  end(): RankedFinding[] {
    return [
      ...this.structure.end(),
      ...this.#quality,
      ...this.#texts.end(),
      ...listSimilar(this.#descriptions, 'near-duplicate-persona', 'persona.description', 'description'),
      ...(this.#requests === undefined ? [] : listSimilarRequests(this.#requests, 'sessions')),
    ];
  }
}

function listSimilarRequests(requests: NearDuplicates<Place>, field: string): RankedFinding[] {
  return listSimilar(requests, 'near-duplicate-request', field, 'last request');
}

function listSimilar(
  texts: NearDuplicates<Place>,
  rule: ValidationRule,
  field: string,
  noun: string,
): RankedFinding[] {
  return texts.end().map(({ place, earlierPlace, likeness }): RankedFinding => ({
    ...place,
    rule,
    field,
    message: `the ${noun} is ${formatPercent(likeness)} similar to that of ${earlierPlace.persona_id}. Compare the two, and consider leaving one out.`,
    weight: likeness,
  }));
}

function formatPercent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
