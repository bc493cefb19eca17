import type { ContextFactor } from '../../schemas/dataset/factor';
import type { PersonaTemplate } from '../../schemas/dataset/persona';
import type { JourneyStructure, PlannedSession, SessionRole } from '../../schemas/dataset/session';
import { formatPythonRepr } from './python-repr';
import { formatYamlScalar } from './pyyaml-scalar';

/** Renders `seed_descriptions`: one line a template, `k. ` and the Python `repr` of its dict, k from 1 in each batch. */
export function renderTemplates(templates: readonly PersonaTemplate[]): string {
  return templates.map((template, index) => `${index + 1}. ${renderTemplateDict(template)}`).join('\n');
}

/** Renders `series_structure`: a line for every session that must carry a factor of the pair; none for the free ones. */
export function renderStructure(structure: JourneyStructure): string {
  return structure
    .flatMap((role, index) =>
      role === 'free' ? [] : [`    - Scenario ID ${index + 1}: ${ROLE_TEXTS[role]}`],
    )
    .join('\n');
}

/** Value of `changed_preference` before a session has it. */
export const NOT_CHANGED_YET = 'not written yet';

/** Renders `earlier_sessions`: a line for each session of the parts before, by which later ones continue from it and do not repeat it. */
export function renderEarlierSessions(sessions: readonly PlannedSession[]): string {
  if (sessions.length === 0) return 'None: the journey begins with this part.';
  return sessions
    .map(
      ({ id, context_factor: factor, task_type: task, story, request_with_factor: request }) =>
        `${id}. ${factor} (${task}). Story: ${shortenText(story)} Request: ${shortenText(request)}`,
    )
    .join('\n');
}

/** Shortens a text to its first words, on one line. */
function shortenText(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  if (line.length <= SHOWN_CHARACTERS) return line;
  // Half of a character at the cut is removed, too.
  return `${line.slice(0, SHOWN_CHARACTERS).replace(/ \S*$|\p{Surrogate}$/u, '')}…`;
}

/** Enough to recognize what a request asks for. */
const SHOWN_CHARACTERS = 200;

/**
 * Renders `context_factors`: the output of PyYAML's `yaml.dump` for a list of the factors under the key `factors`, byte for byte, including
 * the final newline.
 */
export function renderFactorsYaml(
  factors: readonly Pick<ContextFactor, 'factor' | 'preference' | 'task_types'>[],
): string {
  return renderYamlList('factors', '', factors.map(renderFactorEntry));
}

/** Renders `checklist`: one line an item, numbered `1. `, `2. ` and so on, or from `first`. */
export function renderChecklist(checklist: readonly string[], first = 1): string {
  return checklist.map((item, index) => `${first + index}. ${item}`).join('\n');
}

function renderTemplateDict(template: PersonaTemplate): string {
  return formatPythonRepr({
    id: template.id,
    seed: template.seed,
    career_level: template.career_level,
    personality_traits: template.personality_traits,
    personal_values: template.personal_values,
    decision_making_styles: template.decision_making_styles,
  });
}

const ROLE_TEXTS: Record<Exclude<SessionRole, 'free'>, string> = {
  A: 'Context factor A with original preference A.',
  "A'": "Context factor A with changed preference A'.",
  B: 'Context factor B with original preference B.',
};

function renderFactorEntry(factor: Pick<ContextFactor, 'factor' | 'preference' | 'task_types'>): string {
  const taskTypes = factor.task_types.map((taskType) => `  -${formatYamlScalar(taskType, '  -'.length)}\n`);
  return [
    `- context_factor:${formatYamlScalar(factor.factor, '- context_factor:'.length)}\n`,
    `  preference:${formatYamlScalar(factor.preference, '  preference:'.length)}\n`,
    renderYamlList('task_types', '  ', taskTypes),
  ].join('');
}

/** Renders a block list whose dashes are aligned with its key, as PyYAML writes it. */
function renderYamlList(key: string, indent: string, entries: readonly string[]): string {
  return entries.length === 0 ? `${indent}${key}: []\n` : `${indent}${key}:\n${entries.join('')}`;
}
