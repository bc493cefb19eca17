import type { ModelRequest } from '../../models/model';
import { USER_SECTIONS, type UserSection } from '../../rules/dialogue/messages';
import type { Random } from '../../rules/sampling/random';
import { planEvaluation, withoutCorrections, type Evaluation } from '../dialogue-plan';
import { namedInSentence } from '../factor-names';
import { clausesIn, poleOf } from '../preference';
import {
  AGAIN_LEADS,
  FACTOR_REMARKS,
  LAST_THINKING,
  LAST_WORDS,
  OTHER_HINTS,
  OTHER_PRAISE,
  THINKING,
} from '../vocabulary/remarks';
import { fill, pointOf } from '../words';

/** A turn of the user simulator in its six sections (paper, B.4). */
export function answerUser(request: ModelRequest, random: Random): string {
  const messages = withoutCorrections(request.messages);
  const own = messages.filter(({ role }) => role === 'assistant');
  const items = itemsIn(request.values['checklist'] ?? '');
  const evaluation = planEvaluation(
    own[0]?.content ?? '',
    request.values['user_profile'] ?? '',
    items,
    Math.max(own.length, 1),
  );
  const factor = namedInSentence(request.values['context_factor'] ?? 'this');
  const contents: Record<UserSection, string> = {
    "Evaluation of AI Assistant's Response": items
      .map((item, place) => judged(item, place, evaluation, random))
      .join('\n'),
    'Evaluation Score': String(evaluation.score),
    'Continue or End?': evaluation.raised === undefined ? 'END' : 'CONTINUE',
    'Selected Checklist Items': selection(evaluation),
    Thinking: thinking(evaluation, random),
    'Your Message': message({ items, evaluation, factor, random }),
  };
  return USER_SECTIONS.map((section) => `#### ${section}\n\n${contents[section]}`).join('\n\n');
}

function itemsIn(checklist: string): string[] {
  const lines = checklist.split('\n').map((line) => line.replace(/^\s*(?:\d+[.)]|-)\s*/, '').trim());
  const items = lines.filter((line) => line !== '');
  return items.length > 0 ? items : ['Is the answer useful?'];
}

function judged(item: string, place: number, evaluation: Evaluation, random: Random): string {
  const dissatisfied = evaluation.dissatisfied.includes(place);
  const remark = dissatisfied ? hintOn(item, evaluation.voice, random) : praiseOn(item, random);
  return `${place + 1}. **${item}** ${dissatisfied ? 'Dissatisfied' : 'Satisfied'}: ${remark}`;
}

function selection(evaluation: Evaluation): string {
  const { raised } = evaluation;
  const satisfied = praisedItems(evaluation).map((item) => `${item + 1} (satisfied)`);
  return (
    [...(raised === undefined ? [] : [`${raised + 1} (dissatisfied)`]), ...satisfied].join(', ') ||
    'None left'
  );
}

/** Beside the one complaint, nothing new is praised before the end: what was never raised is kept for the last message. */
function praisedItems({ raised, unmentioned, satisfied }: Evaluation): readonly number[] {
  if (raised !== undefined) return [];
  return unmentioned.length > 0 ? unmentioned : satisfied.slice(0, 1);
}

function thinking({ raised }: Evaluation, random: Random): string {
  if (raised === undefined) return random.pick(LAST_THINKING);
  return fill(random.pick(THINKING), { raised: String(raised + 1) });
}

function message(turn: {
  items: readonly string[];
  evaluation: Evaluation;
  factor: string;
  random: Random;
}): string {
  const { items, evaluation, factor, random } = turn;
  const { raised, raisedBefore, voice } = evaluation;
  if (raised === undefined) {
    const praise = praisedItems(evaluation).map((item) => praiseOn(items[item] ?? '', random));
    return [...praise, ...(random.integer(2) === 0 ? [random.pick(LAST_WORDS)] : [])].join(' ');
  }
  const parts = [hintOn(items[raised] ?? '', raisedBefore + voice, random)];
  if (raisedBefore > 0) parts.unshift(random.pick(AGAIN_LEADS));
  if (random.integer(100) < 30) parts.push(fill(random.pick(FACTOR_REMARKS), { factor }));
  return parts.join(' ');
}

function hintOn(item: string, choice: number, random: Random): string {
  const [clause] = clausesIn(item);
  if (clause === undefined) return fill(random.pick(OTHER_HINTS), { point: pointOf(item) });
  const { hints } = poleOf(clause);
  return hints[choice % hints.length] ?? random.pick(hints);
}

function praiseOn(item: string, random: Random): string {
  const [clause] = clausesIn(item);
  if (clause === undefined) return fill(random.pick(OTHER_PRAISE), { point: pointOf(item) });
  return random.pick(poleOf(clause).praise);
}
