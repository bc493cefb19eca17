import type { Message } from '../../schemas/dataset/message';

/** The sections of the user simulator's answers, in order (paper, figure 19). */
export const USER_SECTIONS = [
  "Evaluation of AI Assistant's Response",
  'Evaluation Score',
  'Continue or End?',
  'Selected Checklist Items',
  'Thinking',
  'Your Message',
] as const;
export type UserSection = (typeof USER_SECTIONS)[number];

/** One turn after the opening message: the assistant's message, then the reply of the user's side. */
interface DialogueTurn {
  readonly assistant: string;
  readonly user?: string;
}

/**
 * Returns the user's first message: the request that omits the preference, with the resource filled in. It is sent unchanged and stored stripped,
 * as in the reference.
 */
export function buildOpeningMessage({ request_with_factor: request, resource }: SessionRequest): string {
  // A function, because `$` has a meaning in replacement texts and is common in resources.
  return typeof resource === 'string' ? request.replaceAll('[resource]', () => resource) : request;
}

/** Returns the first message as it is stored in dialogues and as the current request of instances. */
export function buildStoredOpening(session: SessionRequest): string {
  return buildOpeningMessage(session).trim();
}

export interface SessionRequest {
  readonly request_with_factor: string;
  readonly resource?: string | null | undefined;
}

/** Returns the first turn of the user simulator, as if it had answered in its six sections with nothing to evaluate yet. */
export function buildUserSimulatorOpening(request: string): string {
  return USER_SECTIONS.map((section) => `#### ${section}\n\n${getOpeningContent(section, request)}`).join(
    '\n\n',
  );
}

function getOpeningContent(section: UserSection, request: string): string {
  if (section === 'Continue or End?') return 'CONTINUE';
  return section === 'Your Message' ? request.trim() : 'N/A';
}

/**
 * Returns the conversation as the user simulator sees it: roles are mirrored, so it is the assistant of its own chat.
 * @param opening the user's opening message, from `buildOpeningMessage`
 * @param turns the assistant's messages and the simulator's full six-section answers; the last turn has no answer yet
 */
export function buildUserSimulatorHistory(opening: string, turns: readonly DialogueTurn[]): Message[] {
  return [
    { role: 'assistant', content: buildUserSimulatorOpening(opening) },
    ...buildTurnMessages(turns, { assistant: 'user', user: 'assistant' }),
  ];
}

/**
 * Returns the conversation as the assistant sees it, and as it is stored.
 * @param opening the user's opening message, from `buildOpeningMessage`
 * @param turns the assistant's messages and the user's plain messages
 */
export function buildAssistantHistory(opening: string, turns: readonly DialogueTurn[]): Message[] {
  return [
    { role: 'user', content: opening },
    ...buildTurnMessages(turns, { assistant: 'assistant', user: 'user' }),
  ];
}

function buildTurnMessages(
  turns: readonly DialogueTurn[],
  roles: Readonly<Record<keyof DialogueTurn, Message['role']>>,
): Message[] {
  return turns.flatMap(({ assistant, user }): Message[] => [
    { role: roles.assistant, content: assistant.trim() },
    ...(user === undefined ? [] : [{ role: roles.user, content: user.trim() }]),
  ]);
}
