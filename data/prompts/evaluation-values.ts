import type { SessionSummary } from '../../schemas/evaluation/evaluation';
import type { PriorInteraction } from '../../schemas/dataset/instance';
import type { Message } from '../../schemas/dataset/message';
import type { MatcherExample } from '../../schemas/run/prompts';
import { formatPythonJson } from './python-json';

/** Replaces the log when a model is shown no history. */
export const EMPTY_LOG = '(There are no previous sessions.)';

/**
 * Renders `interaction_log` in the reference's layout: the sessions' dialogues in order, numbered from 1. Messages are not stripped;
 * neither factor nor preference is shown.
 * @returns `EMPTY_LOG` for no sessions; the reference has no setting without history, and would render nothing
 */
export function renderInteractionLog(sessions: readonly PriorInteraction[]): string {
  return renderLog(sessions.map(({ dialogue }) => dialogue.map(renderTurn).join('')));
}

/**
 * Renders `interaction_log` from the model's own summaries. The paper gives no layout for it, so it is that of the log, with the lists
 * `#### Context` and `#### Preferences` in place of the messages.
 * @returns `EMPTY_LOG` for no sessions
 */
export function renderSummaryLog(summaries: readonly SessionSummary[]): string {
  return renderLog(
    summaries.map(
      ({ context, preferences }) =>
        `#### Context\n\n${renderBullets(context)}\n\n#### Preferences\n\n${renderBullets(preferences)}\n\n`,
    ),
  );
}

/** Renders `checklist` of the judge, one item a line. */
export function renderJudgeChecklist(checklist: readonly string[]): string {
  return checklist.map((item) => `- ${item}`).join('\n');
}

/**
 * Renders `examples` of the matcher in the reference's layout. Their answers are JSON in Python's default format, with an indent of two
 * spaces and non-ASCII escaped: nothing says that the reference formats them otherwise.
 */
export function renderMatcherExamples(examples: readonly MatcherExample[]): string {
  return examples.map(renderMatcherExample).join('\n\n');
}

/** Renders `session_preferences`: a line for every distinct pair of context factor and preference, in order of appearance. */
export function renderSessionPreferences(sessions: readonly PriorInteraction[]): string {
  if (sessions.length === 0) return EMPTY_LOG;
  const pairs = sessions.map(
    ({ context_factor: factor, contextual_preference: preference }) => `${factor}: ${preference}`,
  );
  return renderBullets([...new Set(pairs)]);
}

/** Joins sessions as the reference does, which writes a blank line after each closing rule and strips the whole. */
function renderLog(sessions: readonly string[]): string {
  if (sessions.length === 0) return EMPTY_LOG;
  return sessions.map((content, index) => `### Session ${index + 1}\n\n${content}---`).join('\n\n');
}

function renderTurn({ role, content }: Message): string {
  return `#### ${role === 'user' ? 'User' : 'AI Assistant'}\n\n${content}\n\n`;
}

/** Renders a list; a line break within an item becomes a space, so that every item stays on its line. */
function renderBullets(items: readonly string[]): string {
  return items.map((item) => `- ${item.replaceAll(/\s+/g, ' ').trim()}`).join('\n');
}

function renderMatcherExample({ preference, checklist }: MatcherExample): string {
  const results = checklist.map(({ entry, label }, index) => ({ index: index + 1, entry, label }));
  const output = `\`\`\`json\n${formatPythonJson({ results })}\n\`\`\``;
  return `#### Preference\n\n${preference}\n\n#### Output\n\n${output}\n\n---`;
}
