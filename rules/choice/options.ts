import type { Instance } from '../../schemas/dataset/instance';
import type { InstanceType } from '../../schemas/dataset/instance-type';
import { type ChoiceResult, formatLetter, type OptionKind } from '../../schemas/evaluation/choice';
import { isSameText } from '../texts/spelling';
import { type EvidenceRow, findContrastive, isSameSession, type PriorSession } from '../instances/relevance';
import { createRandom } from '../sampling/random';

/** One of the preferences between which a model chooses. */
export interface ChoiceOption {
  readonly kind: OptionKind;
  /** On one line, as every model reads it. */
  readonly preference: string;
}

/** A row of a data set, as far as options depend on it. */
export type ChoiceRow = EvidenceRow & Pick<Instance, 'persona_id'>;

/**
 * Returns the options of a persona, the same texts in the same order for each of its rows. Without the history, its
 * consistent and its changing row are then the same request, and the same answer is wrong in one of them. Preferences that the rows do not show, or that equal another one, are
 * left out.
 * @param rows every row of the persona in the data set
 */
export function listOptions(rows: readonly ChoiceRow[], seed: number): ChoiceOption[] {
  const [first] = rows;
  if (first === undefined) return [];
  const find = (type: InstanceType) => rows.find((row) => row.instance_type === type);
  const current = (find('consistent') ?? find('contrastive'))?.current_contextual_preference;
  const contrastive = findContrastive(rows);
  const knownOptions: ChoiceOption[] = [
    ...toOption('original', current),
    ...toOption('changed', find('changing')?.current_contextual_preference),
    ...toOption('contrastive', contrastive?.contextual_preference),
  ];
  const distinct = knownOptions.filter(
    (option, at) => !includes(knownOptions.slice(0, at), option.preference),
  );
  const candidates = listShared(rows).filter(
    ({ context_factor: factor, contextual_preference: preference }) =>
      !isSameText(factor, first.current_context_factor) &&
      (contrastive === undefined || !isSameText(factor, contrastive.context_factor)) &&
      !includes(knownOptions, preference),
  );
  const random = createRandom(seed, 'choice', first.persona_id);
  const otherPreference = candidates.length === 0 ? undefined : random.pick(candidates).contextual_preference;
  return random.shuffle([...distinct, ...toOption('other', otherPreference)]);
}

/** Renders the options as a model reads them: a line for each, after its letter. */
export function renderOptions(options: readonly ChoiceOption[]): string {
  return options.map(({ preference }, at) => `${formatLetter(at)}. ${preference}`).join('\n');
}

/** Returns the index of a row's right option; undefined if the options of its persona lack it, or are fewer than two. */
export function findRightOption(
  options: readonly ChoiceOption[],
  { current_contextual_preference: preference }: Pick<ChoiceRow, 'current_contextual_preference'>,
): number | undefined {
  const at = findOption(options, preference);
  return at < 0 || options.length < 2 ? undefined : at;
}

/** Classifies the chosen option of a row. An answer is stale only where the preference has changed. */
export function classifyChoice(
  options: readonly ChoiceOption[],
  row: ChoiceRow,
  chosen: number,
): ChoiceResult {
  if (chosen === findRightOption(options, row)) return 'right';
  const kind = options[chosen]?.kind;
  if (kind === 'original' && row.instance_type === 'changing') return 'stale';
  return kind === 'contrastive' ? 'wrong-context' : 'other';
}

function toOption(kind: OptionKind, preference: string | undefined): ChoiceOption[] {
  return preference === undefined ? [] : [{ kind, preference: formatOnOneLine(preference) }];
}

function includes(options: readonly ChoiceOption[], preference: string): boolean {
  return findOption(options, preference) >= 0;
}

function findOption(options: readonly ChoiceOption[], preference: string): number {
  const text = formatOnOneLine(preference);
  return options.findIndex((option) => isSameText(option.preference, text));
}

/**
 * Formats a preference on one line. Otherwise, a line of it could look like another option or like an answer. Control characters are
 * included, because some readers also break lines at them.
 */
function formatOnOneLine(preference: string): string {
  return preference.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** Returns a session of each factor and preference that every row has in the same number of sessions. */
function listShared(rows: readonly ChoiceRow[]): PriorSession[] {
  const sessions = rows[0]?.prior_interactions ?? [];
  const count = ({ prior_interactions }: ChoiceRow, target: PriorSession) =>
    prior_interactions.filter((session) => isSameSession(session, target)).length;
  return sessions.filter(
    (session, at) =>
      sessions.findIndex((candidate) => isSameSession(candidate, session)) === at &&
      new Set(rows.map((row) => count(row, session))).size === 1,
  );
}
