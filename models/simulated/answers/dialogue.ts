import type { ModelRequest } from '../../model';
import { USER_SECTIONS, type UserSection } from '../../../rules/dialogue/messages';
import type { Random } from '../../../rules/sampling/random';
import { planVerdict, removeCorrections, type PlannedEvaluation } from '../dialogue-plan';
import { pickRemark, findRequestedSides } from '../feedback';
import { addArticle } from '../persona';
import { findSides } from '../preference';
import { readChecklist, fill, drawChance, findPoint } from '../text';
import { REPLIES } from '../vocabulary';
import { composeReply } from '../reply';

/** Returns a turn of the user simulator in its six sections (paper, B.4). */
export function answerUser(request: ModelRequest, random: Random): string {
  const answers = removeCorrections(request.messages).filter(({ role }) => role === 'assistant');
  const { checklist = '', user_profile: profile = '', context_factor: factor = 'this' } = request.values;
  const entries = readChecklist(checklist);
  const items = entries.length > 0 ? entries : ['Is the answer useful?'];
  const evaluation = planVerdict(answers[0]?.content ?? '', profile, items, Math.max(answers.length, 1));
  const { raised, unmentioned, score } = evaluation;
  const contents: Record<UserSection, string> = {
    "Evaluation of AI Assistant's Response": items
      .map((_, place) => judgeItem(place, evaluation, random))
      .join('\n'),
    'Evaluation Score': String(score),
    'Continue or End?': raised === undefined ? 'END' : 'CONTINUE',
    'Selected Checklist Items':
      raised === undefined
        ? unmentioned.map((item) => `${item + 1} (satisfied)`).join(', ') || 'None'
        : `${raised + 1} (dissatisfied)`,
    Thinking:
      raised === undefined
        ? random.pick(REPLIES.user.lastThinking)
        : fill(random.pick(REPLIES.user.thinking), { raised: String(raised + 1) }),
    'Your Message':
      raised === undefined
        ? composeClosing(items, unmentioned, random)
        : composeRequest(items[raised] ?? '', evaluation, addArticle(factor), random),
  };
  return USER_SECTIONS.map((section) => `#### ${section}\n\n${contents[section]}`).join('\n\n');
}

function judgeItem(place: number, { dissatisfied }: PlannedEvaluation, random: Random): string {
  return dissatisfied.includes(place)
    ? `${place + 1}. ${random.pick(REPLIES.evaluation['Not Covered'])} Dissatisfied`
    : `${place + 1}. ${random.pick(REPLIES.evaluation['Fully Covered'])} Satisfied`;
}

/** Praises every item that no message has mentioned so far. */
function composeClosing(items: readonly string[], unmentioned: readonly number[], random: Random): string {
  const praise = unmentioned.map((item) => praiseItem(items[item] ?? '', random));
  const thanks = praise.length === 0 || drawChance(random, 50) ? [random.pick(REPLIES.user.last)] : [];
  return [...praise, ...thanks].join(' ');
}

function composeRequest(
  item: string,
  { raisedBefore, remark, voice }: PlannedEvaluation,
  factor: string,
  random: Random,
): string {
  const { again: leads, otherHints, factor: mentions } = REPLIES.user;
  const [side] = findSides(item);
  const request =
    side === undefined
      ? fill(otherHints[(raisedBefore + voice) % otherHints.length] ?? '', { point: findPoint(item) })
      : pickRemark(side, raisedBefore, voice);
  // Chosen by the number of the remark, so that no dialogue repeats a message.
  const lead = raisedBefore > 0 ? [leads[(remark + voice) % leads.length] ?? ''] : [];
  const mention = drawChance(random, 30) ? [fill(random.pick(mentions), { factor })] : [];
  return [...lead, request, ...mention].join(' ');
}

function praiseItem(item: string, random: Random): string {
  const [side] = findSides(item);
  return side === undefined
    ? fill(random.pick(REPLIES.user.otherPraise), { point: findPoint(item) })
    : random.pick(side.praise);
}

/** Returns a response to the opening request that includes what the user has since asked for (paper, B.4). */
export function answerAssistant(request: ModelRequest, random: Random): string {
  const [opening = '', ...remarks] = removeCorrections(request.messages)
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content);
  const carriedOut = [...new Set(remarks.flatMap(findRequestedSides))].map((side) => ({
    words: side.shows,
    side,
  }));
  return composeReply({ request: opening, carriedOut, revised: remarks.length > 0 }, random);
}
