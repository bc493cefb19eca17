import { poleOf } from './preference';
import { BODY_LINES, CODE_LINES } from './vocabulary/replies';
import { WORLDS } from './vocabulary/worlds';
import type { Side } from './wishes';
import { fill } from './words';

/** A sentence or two of a reply; `{topic}` and `{factor}` stand for what the request is about. */
export interface Line {
  readonly text: string;
  /** May go when the reply grows too long. */
  readonly spare: boolean;
}

export function kept(text: string): Line {
  return { text, spare: false };
}

export function spare(text: string): Line {
  return { text, spare: true };
}

/** The lines as one text about what the request is about. */
export function spoken(lines: readonly Line[], request: string): string {
  const text = lines.map((line) => line.text).join(' ');
  // Once named, the topic is "this": nobody repeats it in every sentence.
  const [first = '', ...rest] = text.split('{topic}');
  const once = rest.length === 0 ? first : `${first}{topic}${rest.join('{this}')}`;
  return sentenceStarts(fill(once, { topic: topicIn(request), factor: factorIn(request), this: 'this' }));
}

export type Place = 'start' | 'middle' | 'end';

/** Choices about how an answer begins or ends are kept there; a conclusion held back comes last. */
export function placeOf(one: Side): Place {
  const { group } = one.axis;
  if (group === 'ending' || poleOf(one).rules.some((rule) => rule.endsWith('until the end'))) return 'end';
  return group === 'opening' ? 'start' : 'middle';
}

/** What can be said about the request: by somebody who knows its world, where it is known, as often as by anybody. */
export function bodyLines(request: string): readonly string[] {
  if (/\b(?:script|code|formula|program|automate|run it)\b/.test(request)) return CODE_LINES;
  const world = WORLDS.find(({ topics }) => topics.some((topic) => request.includes(topic)));
  return world === undefined ? BODY_LINES : [...world.advice, ...world.advice, ...BODY_LINES];
}

/** What the request is about, as one speaks of it once it has been named. */
export function topicIn(request: string): string {
  const topic = TOPICS.find((known) => request.includes(known));
  return topic?.replace(/^an? /, 'the ') ?? 'this';
}

/** The longest run of capitalised words within a sentence: most likely a name. */
export function factorIn(request: string): string {
  const [text = ''] = request.split('\n');
  const names =
    text.match(
      /(?<=[\p{Ll},;] )(?:the )?(?:(?:Dr|Mr|Mrs|Ms)\. )?\p{Lu}[\p{L}'’-]+(?: (?:of |for |at |on |and |No\. )*[\p{Lu}\d][\p{L}\d'’-]*)*/gu,
    ) ?? [];
  const [name] = names.toSorted((one, other) => other.length - one.length);
  return name ?? 'everyone involved';
}

const TOPICS = WORLDS.flatMap(({ topics }) => topics);

function sentenceStarts(text: string): string {
  return text.replaceAll(/(?<=[.!?] )\p{Ll}/gu, (letter) => letter.toUpperCase());
}
