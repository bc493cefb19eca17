import type { ModelRequest } from '../../models/model';
import type { Random } from '../../rules/random';
import { withoutCorrections } from '../dialogue-plan';
import { AXES } from '../vocabulary/axes';
import type { Axis, Pole } from '../vocabulary/axis';
import {
  BODY_LINES,
  CODE_LINES,
  CLOSING_LINES,
  FIRST_LINES,
  RESOURCE_LINES,
  REVISED_LINES,
  VAGUE_LINES,
} from '../vocabulary/replies';
import { WORLDS } from '../vocabulary/worlds';
import { fill } from '../words';

/** Most sentences of the assistant's messages (paper, B.4). */
const MOST_SENTENCES = 6;

/** An answer to the request that takes up what the user has missed so far. */
export function answerAssistant(request: ModelRequest, random: Random): string {
  const said = withoutCorrections(request.messages)
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content);
  const [opening = '', ...feedback] = said;
  const topic = topicIn(opening);
  const factor = factorIn(opening);
  const asked = askedFor(feedback);
  const lines = composed({ opening, feedback, asked, random });
  const text = withinLimit(lines)
    .map((line) => line.text)
    .join(' ');
  // Once named, the topic is "this": nobody repeats it in every sentence.
  const [first = '', ...rest] = text.split('{topic}');
  const spoken = rest.length === 0 ? first : `${first}{topic}${rest.join('{this}')}`;
  return sentenceStarts(fill(spoken, { topic, factor, this: 'this' }));
}

interface Line {
  readonly text: string;
  /** May go when the answer grows too long. */
  readonly spare: boolean;
}

interface Asked {
  readonly axis: Axis;
  readonly pole: Pole;
}

function composed(about: {
  opening: string;
  feedback: readonly string[];
  asked: readonly Asked[];
  random: Random;
}): Line[] {
  const { opening, feedback, asked, random } = about;
  const shown = (place: Place) =>
    asked.filter((one) => placeOf(one) === place).map(({ pole }) => kept(random.pick(pole.shows)));
  const start = shown('start');
  const end = shown('end');
  const lead = kept(random.pick(feedback.length === 0 ? FIRST_LINES : REVISED_LINES));
  const length = asked.length > 0 ? 2 : 3 + random.integer(2);
  // Advice stands among the lines twice, so that it is drawn as often as the rest; it is said once.
  const body = [...new Set(random.sample(bodyLines(opening), 2 * length))].slice(0, length).map(spare);
  const aboutResource = opening.includes('\n') ? [spare(random.pick(RESOURCE_LINES))] : [];
  const vague = feedback.length > 0 && asked.length === 0 ? [spare(random.pick(VAGUE_LINES))] : [];
  const closing = random.integer(2) === 0 && end.length === 0 ? [spare(random.pick(CLOSING_LINES))] : [];
  return [
    ...(start.length > 0 ? start : [lead]),
    ...vague,
    ...shown('middle'),
    ...aboutResource,
    ...body,
    ...closing,
    ...end,
  ];
}

/** What can be said about the request: by somebody who knows its world, where it is known, as often as by anybody. */
function bodyLines(opening: string): readonly string[] {
  if (/\b(?:script|code|formula|program|automate|run it)\b/.test(opening)) return CODE_LINES;
  const world = WORLDS.find(({ topics }) => topics.some((topic) => opening.includes(topic)));
  return world === undefined ? BODY_LINES : [...world.advice, ...world.advice, ...BODY_LINES];
}

function kept(text: string): Line {
  return { text, spare: false };
}

function spare(text: string): Line {
  return { text, spare: true };
}

type Place = 'start' | 'middle' | 'end';

/** Choices about how an answer begins or ends are kept there; a conclusion held back comes last. */
function placeOf({ axis, pole }: Asked): Place {
  if (axis.group === 'ending' || pole.rules.some((rule) => rule.endsWith('until the end'))) return 'end';
  return axis.group === 'opening' ? 'start' : 'middle';
}

/** What the user's remarks were about; a remark that is known word for word tells it. */
function askedFor(feedback: readonly string[]): Asked[] {
  const asked = new Map<Pole, Asked>();
  for (const remark of feedback) {
    for (const { hint, axis, pole } of HINTS) if (remark.includes(hint)) asked.set(pole, { axis, pole });
  }
  return [...asked.values()];
}

const HINTS = AXES.flatMap((axis) =>
  axis.poles.flatMap((pole) => pole.hints.map((hint) => ({ hint, axis, pole }))),
);
const TOPICS = WORLDS.flatMap(({ topics }) => topics);

/** What the request is about, as one speaks of it once it has been named. */
function topicIn(request: string): string {
  const topic = TOPICS.find((known) => request.includes(known));
  return topic?.replace(/^an? /, 'the ') ?? 'this';
}

/** The longest run of capitalised words within a sentence: most likely a name. */
function factorIn(request: string): string {
  const [text = ''] = request.split('\n');
  const names =
    text.match(
      /(?<=[\p{Ll},;] )(?:the )?(?:(?:Dr|Mr|Mrs|Ms)\. )?\p{Lu}[\p{L}'’-]+(?: (?:of |for |at |on |and |No\. )*[\p{Lu}\d][\p{L}\d'’-]*)*/gu,
    ) ?? [];
  const [name] = names.toSorted((one, other) => other.length - one.length);
  return name ?? 'everyone involved';
}

/** At most six sentences: what nobody asked for goes first, then what was asked for longest ago. */
function withinLimit(lines: readonly Line[]): readonly Line[] {
  if (lines.reduce((sum, { text }) => sum + sentencesIn(text), 0) <= MOST_SENTENCES) return lines;
  const place = lines.findLastIndex((line) => line.spare);
  return withinLimit(lines.toSpliced(place < 0 ? 1 : place, 1));
}

function sentenceStarts(text: string): string {
  return text.replaceAll(/(?<=[.!?] )\p{Ll}/gu, (letter) => letter.toUpperCase());
}

function sentencesIn(text: string): number {
  return text.split(/(?<=(?<!\b(?:Dr|Mr|Mrs|Ms|No))[.!?])["”)]*\s+/).length;
}
