import type { SessionSummary } from '../../schemas/evaluation/evaluation';
import type { PriorInteraction } from '../../schemas/dataset/instance';
import type { Message } from '../../schemas/dataset/message';
import type { MatcherExample } from '../../schemas/run/prompts';
import { formatPythonJson } from './python-json';

/** Stands in the place of a log when a model is shown no history. */
export const EMPTY_LOG = '(There are no previous sessions.)';

/**
 * `interaction_log`: the sessions' dialogues in order, numbered from 1, as the reference lays them out. What was said stands as
 * it is, not stripped; neither factor nor preference is shown.
 * @returns `EMPTY_LOG` for no sessions, where the reference, which knows no setting without history, would say nothing.
 */
export function renderInteractionLog(sessions: readonly PriorInteraction[]): string {
  return renderLog(sessions.map(({ dialogue }) => dialogue.map(turn).join('')));
}

/**
 * `interaction_log` where the model works from its own summaries. The layout is ours, as the paper does not give its own: that
 * of the log, with a list each of `#### Context` and `#### Preferences` in place of the messages.
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

/** `checklist` of the judge: a line an item. */
export function renderJudgeChecklist(checklist: readonly string[]): string {
  return checklist.map((item) => `- ${item}`).join('\n');
}

/**
 * `examples` of the matcher, as the reference lays them out. Their answers are JSON as Python writes it by default, with two
 * spaces of indentation and non-ASCII escaped: nothing says that the reference writes them otherwise.
 */
export function renderMatcherExamples(examples: readonly MatcherExample[]): string {
  return examples.map(renderMatcherExample).join('\n\n');
}

/** `session_preferences`: a line for every distinct pair of context factor and preference, in order of appearance. */
export function renderSessionPreferences(sessions: readonly PriorInteraction[]): string {
  if (sessions.length === 0) return EMPTY_LOG;
  const pairs = sessions.map(
    ({ context_factor: factor, contextual_preference: preference }) => `${factor}: ${preference}`,
  );
  return renderBullets([...new Set(pairs)]);
}

/** Returns the reference writes a blank line after each closing rule and strips the whole; every session begins and ends visibly. */
function renderLog(sessions: readonly string[]): string {
  if (sessions.length === 0) return EMPTY_LOG;
  return sessions.map((content, index) => `### Session ${index + 1}\n\n${content}---`).join('\n\n');
}

function turn({ role, content }: Message): string {
  return `#### ${role === 'user' ? 'User' : 'AI Assistant'}\n\n${content}\n\n`;
}

/** Returns every item stays on its line, whatever a model put into it. */
function renderBullets(items: readonly string[]): string {
  return items.map((item) => `- ${item.replaceAll(/\s+/g, ' ').trim()}`).join('\n');
}

function renderMatcherExample({ preference, checklist }: MatcherExample): string {
  const results = checklist.map(({ entry, label }, index) => ({ index: index + 1, entry, label }));
  const output = `\`\`\`json\n${formatPythonJson({ results })}\n\`\`\``;
  return `#### Preference\n\n${preference}\n\n#### Output\n\n${output}\n\n---`;
}
