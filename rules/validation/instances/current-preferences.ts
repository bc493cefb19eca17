import { quoteAnswer, isSameText } from '../../answers/form/checks';
import { ORIGINAL_SESSIONS } from '../journey-counts';
import { findMostCommon } from '../most-common';
import type { CollectedFindings } from './persona-findings';
import { type PersonaInstances, type ReadInstance, withFactor } from './read-instance';
import { computeCommonShare, splitIntoWords } from '../words';

/** What the current factor's sessions carry, before and after the change. */
export interface Preferences {
  readonly original: string;
  /** Undefined when nothing differs from the original one. */
  readonly changed: string | undefined;
}

/** The current factor's two preferences, as most of what carries each has it. */
export function getPreferences(instances: PersonaInstances, factor: string): Preferences {
  const { consistent, contrastive, changing } = instances;
  const before = [...withFactor(consistent, factor), ...withFactor(contrastive, factor)];
  const later = withFactor(changing, factor);
  const original =
    findMostCommon(
      [consistent, contrastive, ...before, ...later.slice(0, ORIGINAL_SESSIONS)].map(
        ({ preference }) => preference,
      ),
    ) ?? '';
  const changed = findMostCommon(
    [changing, ...later.slice(ORIGINAL_SESSIONS)]
      .map(({ preference }) => preference)
      .filter((preference) => !isSameText(preference, original)),
  );
  return { original, changed };
}

/** The consistent and the contrastive instance carry the original preference, the changing one the changed one. */
export function findPreferences(
  instances: PersonaInstances,
  preferences: Preferences,
  findings: CollectedFindings,
): void {
  const { consistent, contrastive, changing } = instances;
  const { original, changed } = preferences;
  for (const row of [consistent, contrastive]) {
    if (row.preference === original) continue;
    findings.add(
      'original-preference',
      row,
      'current_contextual_preference',
      `expected the original preference, which the earlier sessions of the context factor carry: ${quoteAnswer(original)}; found ${quoteAnswer(row.preference)}. Use the original preference.`,
    );
  }
  if (isSameText(changing.preference, original)) {
    findings.add(
      'changed-preference',
      changing,
      'current_contextual_preference',
      `expected the changed preference${changed === undefined ? '' : `: ${quoteAnswer(changed)}`}; found that of the consistent instance. ${TAKE_CHANGED}`,
    );
  } else if (changing.preference !== changed) {
    findings.add(
      'changed-preference',
      changing,
      'current_contextual_preference',
      `expected the changed preference, which the later sessions of the context factor carry: ${quoteAnswer(changed ?? '')}; found ${quoteAnswer(changing.preference)}. ${TAKE_CHANGED}`,
    );
  }
}

const TAKE_CHANGED = "Use the preference of the journey's last session.";

/** Equal preferences have equal checklists, different ones different ones. What is said of a row's preference says it of its checklist. */
export function findChecklists(
  instances: PersonaInstances,
  preferences: Preferences,
  findings: CollectedFindings,
): void {
  const { consistent, contrastive, changing } = instances;
  const sound = [consistent, contrastive].filter((row) => !findings.has(row, 'original-preference'));
  const [one, other] = sound;
  if (one === undefined) return;
  if (other !== undefined && !isSameChecklist(one, other)) {
    const [wrong, right] = separateWrongFromRight(one, other, { changing, preferences });
    findings.add(
      'original-preference',
      wrong,
      'current_checklist',
      `expected the checklist of the ${right.place.instance_type} instance, as the preference is the same, found a different one. Use the same checklist in both.`,
    );
  } else if (isSameChecklist(one, changing) && !findings.has(changing, 'changed-preference')) {
    findings.add(
      'changed-preference',
      changing,
      'current_checklist',
      `expected the checklist of the changed preference, found that of the ${one.place.instance_type} instance. Use the checklist of the changed preference.`,
    );
  }
}

function isSameChecklist(one: ReadInstance, other: ReadInstance): boolean {
  return (
    one.checklist.length === other.checklist.length &&
    one.checklist.every((item, at) => item === other.checklist[at])
  );
}

/**
 * Which of two checklists of one preference is the wrong one: that of the changed preference, else the one that has less in common
 * with the preference's words, since nothing else distinguishes them.
 */
function separateWrongFromRight(
  one: ReadInstance,
  other: ReadInstance,
  { changing, preferences }: { changing: ReadInstance; preferences: Preferences },
): [wrong: ReadInstance, right: ReadInstance] {
  if (isSameChecklist(one, changing)) return [one, other];
  if (isSameChecklist(other, changing)) return [other, one];
  const likeness = ({ checklist }: ReadInstance) =>
    computeCommonShare(
      new Set(splitIntoWords(checklist.join(' '))),
      new Set(splitIntoWords(preferences.original)),
    );
  return likeness(one) < likeness(other) ? [one, other] : [other, one];
}
