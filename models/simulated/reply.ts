import type { Random } from '../../rules/sampling/random';
import { findFactor, findTopic } from './log';
import type { Expectation } from './preference';
import { fill } from './text';
import { REPLIES, WORLDS } from './vocabulary';

/** Maximum number of sentences in an assistant's message (paper, B.4). */
const MOST_SENTENCES = 6;

/** Composes a response to the request that carries out the given expectations. */
export function composeReply(
  task: { request: string; carriedOut: readonly Expectation[]; revised: boolean },
  random: Random,
): string {
  const { request, carriedOut, revised } = task;
  const { first, revised: revisedOpenings, resource, closing, carriedOut: otherReplies } = REPLIES.assistant;
  const sentences = [
    random.pick(revised ? revisedOpenings : first),
    ...carriedOut.map(({ words, side }) => side?.shows ?? fill(random.pick(otherReplies), { words })),
  ];
  const further = [
    ...(request.includes('\n') ? [random.pick(resource)] : []),
    ...random.sample(listAdvice(request), 3),
    random.pick(closing),
  ];
  // The text that carries out an expectation may be two sentences long.
  const room = MOST_SENTENCES - sentences.reduce((sum, text) => sum + text.split(/[.!?] /).length, 0);
  return addressTopic(request, [...sentences, ...further.slice(0, Math.max(room, 0))].join(' '));
}

/** Returns advice on the request, specific to its world if that is known. */
function listAdvice(request: string): readonly string[] {
  const { body, code } = REPLIES.assistant;
  if (/\b(?:script|code|formula|automate)\b/.test(request)) return code;
  const world = WORLDS.find(({ topics }) => topics.some((topic) => request.includes(topic)));
  return [...(world?.advice ?? []), ...body];
}

/** Replaces the topic by "it" once it has been named, because nobody repeats it in every sentence. */
function addressTopic(request: string, text: string): string {
  const [first = '', ...laterParts] = text.split('{topic}');
  const shortened = laterParts.length === 0 ? first : `${first}{topic}${laterParts.join('it')}`;
  return fill(shortened, { topic: findTopic(request), factor: findFactor(request) });
}
