import type { ModelRequest } from '../../models/model';
import type { Random } from '../../rules/random';
import { withoutCorrections } from '../dialogue-plan';
import { AXES } from '../vocabulary/axes';
import type { Axis, Pole } from '../vocabulary/axis';
import {
  BODY_LINES,
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
  const slots = { topic: topicIn(opening), factor: factorIn(opening) };
  const asked = askedFor(feedback);
  const lines = composed({ opening, feedback, asked, random });
  return withinLimit(lines.map((line) => ({ ...line, text: fill(line.text, slots) })))
    .map(({ text }) => text)
    .join(' ');
}

interface Line {
  readonly text: string;
  /** Answers a hint, so that it stays when something has to go. */
  readonly asked: boolean;
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
  const shown = ({ pole }: Asked): Line => ({ text: random.pick(pole.shows), asked: true });
  const first = asked.filter(({ axis }) => STARTING.has(axis.group));
  const last = asked.filter(({ axis }) => ENDING.has(axis.group));
  const between = asked.filter(({ axis }) => !STARTING.has(axis.group) && !ENDING.has(axis.group));
  const body = random.sample(BODY_LINES, asked.length > 0 ? 2 : 3 + random.integer(2)).map(own);
  const aboutResource = opening.includes('\n') ? [own(random.pick(RESOURCE_LINES))] : [];
  const vague = feedback.length > 0 && asked.length === 0 ? [own(random.pick(VAGUE_LINES))] : [];
  return [
    ...first.map(shown),
    own(random.pick(feedback.length === 0 ? FIRST_LINES : REVISED_LINES)),
    ...vague,
    ...between.map(shown),
    ...aboutResource,
    ...body,
    ...last.map(shown),
    ...(random.integer(2) === 0 && last.length === 0 ? [own(random.pick(CLOSING_LINES))] : []),
  ];
}

function own(text: string): Line {
  return { text, asked: false };
}

/** Choices about how an answer begins or ends are kept there. */
const STARTING: ReadonlySet<string> = new Set(['preface', 'opening']);
const ENDING: ReadonlySet<string> = new Set(['repetition', 'ending']);

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

function topicIn(request: string): string {
  return TOPICS.find((topic) => request.includes(topic)) ?? 'this';
}

/** The longest run of capitalised words within a sentence: most likely a name. */
function factorIn(request: string): string {
  const [text = ''] = request.split('\n');
  const names =
    text.match(
      /(?<=[\p{Ll},;] )(?:the )?\p{Lu}[\p{L}'’.-]+(?: (?:of |for |at |on |and |No\. )*[\p{Lu}\d][\p{L}\d'’-]*)*/gu,
    ) ?? [];
  const [name] = names.toSorted((one, other) => other.length - one.length);
  return name ?? 'everyone involved';
}

/** At most six sentences: what nobody asked for goes first. */
function withinLimit(lines: readonly Line[]): readonly Line[] {
  if (lines.reduce((sum, { text }) => sum + sentencesIn(text), 0) <= MOST_SENTENCES) return lines;
  const place = lines.findLastIndex(({ asked }) => !asked);
  return withinLimit(lines.toSpliced(place < 0 ? 0 : place, 1));
}

function sentencesIn(text: string): number {
  return text.split(/(?<=[.!?])["”)]*\s+/).length;
}
