import type { PriorInteraction } from '../../schemas/dataset/instance';
import { renderInteractionLog } from './evaluation-values';
import { renderChecklist } from './values';

interface ListedPreference {
  readonly preference: string;
  readonly checklist: readonly string[];
}

/**
 * Renders `checklists` and `interaction_log` of the expression finder: every session once, and for each checklist the numbers of the
 * sessions that should express its items. Items are numbered through all checklists.
 */
export function renderExpressionQuestions(
  questions: readonly (ListedPreference & { readonly sessions: readonly PriorInteraction[] })[],
): { checklists: string; interaction_log: string } {
  const numbers = new Map<string, number>();
  const sessions: PriorInteraction[] = [];
  const numberOf = (session: PriorInteraction): number => {
    const key = JSON.stringify(session);
    const number = numbers.get(key) ?? sessions.push(session);
    numbers.set(key, number);
    return number;
  };
  let items = 0;
  const checklists = questions.map(({ checklist, sessions: questionSessions }) => {
    const lines = renderChecklist(checklist, items + 1);
    items += checklist.length;
    return `### Sessions ${questionSessions.map(numberOf).join(', ')}\n\n${lines}`;
  });
  return {
    checklists: checklists.join('\n\n'),
    interaction_log: renderInteractionLog(sessions.map(shortenResponses)),
  };
}

/**
 * Shortens the responses. Only the user's messages count, as for the paper's annotators (E and figure 11), and the beginning of each
 * response is enough to understand them. Whole responses would make up most of the cost of a verification.
 */
function shortenResponses(session: PriorInteraction): PriorInteraction {
  return {
    ...session,
    dialogue: session.dialogue.map(({ role, content }) => ({
      role,
      content: role === 'user' ? content : shorten(content),
    })),
  };
}

function shorten(text: string): string {
  if (text.length <= SHOWN_CHARACTERS) return text;
  return `${text
    .slice(0, SHOWN_CHARACTERS)
    .replace(/\p{Surrogate}$/u, '')
    .trimEnd()} […]`;
}

/** Length of a shortened response: two or three sentences. */
const SHOWN_CHARACTERS = 300;

/** Renders `pairs` of the contradiction finder, numbered from 1: both preferences of each, with their checklists. */
export function renderPairs(
  pairs: readonly { readonly first: ListedPreference; readonly second: ListedPreference }[],
): string {
  const render = (name: string, { preference, checklist }: ListedPreference) =>
    `#### ${name} preference\n\n${preference}\n\nIts checklist:\n\n${renderChecklist(checklist)}`;
  return pairs
    .map(
      ({ first, second }, index) =>
        `### Pair ${index + 1}\n\n${render('First', first)}\n\n${render('Second', second)}`,
    )
    .join('\n\n');
}
