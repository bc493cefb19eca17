import type { ModelRequest } from '../../models/model';
import type { Random } from '../../rules/sampling/random';
import { withoutCorrections } from '../dialogue-plan';
import { bodyLines, kept, placeOf, spare, spoken, type Line, type Place } from '../reply';
import type { Pole } from '../vocabulary/axis';
import {
  CLOSING_LINES,
  FIRST_LINES,
  RESOURCE_LINES,
  REVISED_LINES,
  VAGUE_LINES,
} from '../vocabulary/replies';
import { hintsIn } from '../wishes';

/** Most sentences of the assistant's messages (paper, B.4). */
const MOST_SENTENCES = 6;

/** An answer to the request that takes up what the user has missed so far. */
export function answerAssistant(request: ModelRequest, random: Random): string {
  const said = withoutCorrections(request.messages)
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content);
  const [opening = '', ...feedback] = said;
  const lines = composed({ opening, feedback, asked: askedFor(feedback), random });
  return spoken(withinLimit(lines), opening);
}

type Asked = ReturnType<typeof hintsIn>[number];

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

/** What the user's remarks were about. */
function askedFor(feedback: readonly string[]): Asked[] {
  const asked = new Map<Pole, Asked>();
  for (const remark of feedback) for (const hint of hintsIn(remark)) asked.set(hint.pole, hint);
  return [...asked.values()];
}

/** At most six sentences: what nobody asked for goes first, then what was asked for longest ago. */
function withinLimit(lines: readonly Line[]): readonly Line[] {
  if (lines.reduce((sum, { text }) => sum + sentencesIn(text), 0) <= MOST_SENTENCES) return lines;
  const place = lines.findLastIndex((line) => line.spare);
  return withinLimit(lines.toSpliced(place < 0 ? 1 : place, 1));
}

function sentencesIn(text: string): number {
  return text.split(/(?<=(?<!\b(?:Dr|Mr|Mrs|Ms|No))[.!?])["”)]*\s+/).length;
}
