import { findSides } from '../../../../models/simulated/preference';
import { checkGuess } from '../../../../rules/answers/verification/guess';
import { checkUserTurn } from '../../../../rules/answers/synthesis/dialogue';
import { buildOpeningMessage, USER_SECTIONS, type UserSection } from '../../../../rules/dialogue/messages';
import { listDescriptionProblems } from '../../../../rules/quality/descriptions';
import { listFactorProblems } from '../../../../rules/quality/factors';
import { listJourneyProblems } from '../../../../rules/quality/journey';
import type { DialogueSubject } from '../../../../rules/quality/user-turn';
import type { Model } from '../../../../models/model';
import { type ContextFactor, TASK_TYPES } from '../../../../schemas/dataset/factor';
import type { PersonaDescription } from '../../../../schemas/dataset/persona';
import type { PlannedSession } from '../../../../schemas/dataset/session';
import { matchChecklist } from '../../models/simulated/evaluation';
import { askDialogue, askFor, requestOf, synthesizePersona } from '../../models/simulated/persona';

/** Planned parts of a persona. */
export interface Plan {
  readonly description: PersonaDescription;
  readonly factors: ContextFactor[];
  readonly sessions: PlannedSession[];
  readonly checklists: ReadonlyMap<string, readonly string[]>;
}

/** An answered user's turn, with the data that it is checked against. */
export interface AnsweredTurn {
  readonly text: string;
  readonly subject: DialogueSubject;
}

/** A defect of a plan: its injection, and the problem that the rules report. */
export interface PlanDefect {
  readonly name: string;
  readonly inject: (plan: Plan) => Plan;
  readonly problem: RegExp;
}

/** A defect of a user's turn; undefined if the turn has no place for it. */
export interface TurnDefect {
  readonly name: string;
  readonly inject: (turn: AnsweredTurn) => AnsweredTurn | undefined;
  readonly problem: RegExp;
}

export async function recordPlan(model: Model, id: number): Promise<Plan> {
  const { description, occupation, factors, journey, checklists } = await synthesizePersona(model, id);
  return { description: { description, occupation }, factors, sessions: journey.sessions, checklists };
}

/** Records each user's turn of a plan's dialogues. */
export async function recordTurns(
  model: Model,
  { description: { description }, sessions, checklists }: Plan,
): Promise<AnsweredTurn[]> {
  const turns: AnsweredTurn[] = [];
  for (const session of sessions.slice(0, -1)) {
    const { preference } = session;
    const opening = buildOpeningMessage(session);
    const checklist = checklists.get(preference) ?? [];
    const dialogue = await askDialogue(model, { description, session, checklist });
    const selected = dialogue.turns.map((turn) => turn.selected);
    dialogue.texts.forEach((text, at) => {
      turns.push({ text, subject: { opening, preference, checklist, selected: selected.slice(0, at) } });
    });
  }
  return turns;
}

/** Lists the problems of a plan by the strict rules. */
export function listPlanProblems({ description, factors, sessions }: Plan): string[] {
  return [
    ...listDescriptionProblems([description]),
    ...listFactorProblems(factors),
    ...listJourneyProblems(sessions, factors).map(
      ({ session, field, problem }) => `${session === undefined ? '' : session + 1} ${field} ${problem}`,
    ),
  ];
}

/** Finds the problem of a turn by the strict rules; empty if there is none. */
export function findTurnProblem({ text, subject }: AnsweredTurn): string {
  const checked = checkUserTurn(text, subject);
  return checked.ok ? '' : checked.reason;
}

export const PLAN_DEFECTS: readonly PlanDefect[] = [
  {
    name: 'a description of one sentence',
    inject: (plan) => withDescription(plan, (text) => text.split('. ')[0] ?? ''),
    problem: /the description has \d+ words/,
  },
  {
    name: 'a name that most runs have',
    inject: (plan) => withDescription(plan, (text) => text.replace(/^[^,]+,/, 'Sarah Chen,')),
    problem: /the name Sarah Chen is too common/,
  },
  {
    name: 'a contrastive pair of two factor types',
    inject: (plan) =>
      withFactor(plan, 7, ({ factor_type: type }) => ({
        factor_type: type === 'Event/Time' ? 'Content/Media' : 'Event/Time',
      })),
    problem: /must have one factor_type/,
  },
  {
    name: 'a contrastive pair without a common task type',
    inject: (plan) =>
      withFactor(plan, 7, () => ({
        task_types: TASK_TYPES.filter((task) => plan.factors[6]?.task_types.includes(task) === false),
      })),
    problem: /at least one task type in common/,
  },
  {
    name: 'a preference that negates another one',
    inject: (plan) => withFactor(plan, 2, () => ({ preference: negate(plan.factors[0]?.preference ?? '') })),
    problem: /factor 3: preference .* is nearly that of factor 1, or its negation/,
  },
  {
    name: 'a preference that mentions its factor',
    inject: (plan) =>
      withFactor(plan, 1, ({ factor, preference }) => ({ preference: `For ${factor}: ${preference}` })),
    problem: /factor 2: the preference must not mention its own factor/,
  },
  {
    name: 'a changed preference that is the one of the contrastive factor',
    inject: (plan) => withSession(plan, 12, () => ({ preference: partnerOf(plan)?.preference ?? '' })),
    problem: /the changed preference .* is nearly the preference of/,
  },
  {
    name: 'a changed preference that negates the original one',
    inject: (plan) =>
      withSession(plan, 12, () => ({ preference: negate(originalOf(plan)?.preference ?? '') })),
    problem: /the changed preference .* is nearly the preference of/,
  },
  {
    name: 'a request without its factor',
    inject: (plan) =>
      withSession(plan, 4, ({ context_factor: factor, request_with_factor: request }) => ({
        request_with_factor: request.replaceAll(factor, 'it'),
      })),
    problem: /5 request_with_factor must mention/,
  },
  {
    name: 'a story without its factor',
    inject: (plan) => withSession(plan, 4, () => ({ story: 'A quiet week came to an end.' })),
    problem: /5 story must mention/,
  },
  {
    name: 'a request that states its preference',
    inject: (plan) =>
      withSession(plan, 4, (session) => ({
        request_with_factor: `${session.request_with_factor} ${session.preference}`,
      })),
    problem: /5 request_with_factor reveals the preference/,
  },
  {
    name: 'one text for both requests',
    inject: (plan) =>
      withSession(plan, 4, (session) => ({
        request_with_factor_and_preference: session.request_with_factor,
      })),
    problem: /5 request_with_factor reveals the preference/,
  },
  {
    name: 'a request that comes again',
    inject: (plan) =>
      withSession(plan, 9, () => ({
        request_with_factor: `${plan.sessions[3]?.request_with_factor ?? ''} Thanks.`,
      })),
    problem: /10 request_with_factor asks for nearly the same as session 4/,
  },
  {
    name: 'a factor that no session has',
    inject: (plan) => withoutFactor(plan, plan.factors[0]?.factor ?? '', plan.factors[1]?.factor ?? ''),
    problem: /no session has/,
  },
];

/** Requests that reveal the current preference: the rules compare words, so only a model finds paraphrases. */
export const LEAKS: readonly Pick<PlanDefect, 'name' | 'inject'>[] = [
  { name: 'the preference itself', inject: (plan) => withLeak(plan, ({ preference }) => preference) },
  {
    name: 'an item, in words that have nothing in common with it',
    inject: (plan) =>
      withLeak(plan, ({ preference }) => {
        const [item = ''] = plan.checklists.get(preference) ?? [];
        const [remark] = findSides(item)[0]?.asks ?? [];
        if (remark === undefined) throw new Error(`The item is not in the vocabulary: ${item}`);
        return remark;
      }),
  },
];

/** Returns whether the rules find that the last session's request reveals its preference. */
export function isLeakByRules({ factors, sessions }: Plan): boolean {
  return listJourneyProblems(sessions, factors).some(
    ({ session, problem }) => session === sessions.length - 1 && problem.startsWith('reveals'),
  );
}

/** Returns whether a model finds it with the prompt of `cupid verify`. */
export async function isLeakByModel(model: Model, { sessions, checklists }: Plan): Promise<boolean> {
  const last = sessions.at(-1);
  if (last === undefined) return false;
  const request = requestOf('guess', { curr_request: last.request_with_factor });
  const guess = await askFor(model, request, checkGuess);
  if (guess === '') return false;
  const labels = await matchChecklist(model, guess, checklists.get(last.preference) ?? []);
  return labels.includes('Fully Covered');
}

function withLeak(plan: Plan, leak: (session: PlannedSession) => string): Plan {
  return withSession(plan, plan.sessions.length - 1, (session) => ({
    request_with_factor: `${session.request_with_factor} ${leak(session)}`,
  }));
}

export const TURN_DEFECTS: readonly TurnDefect[] = [
  {
    name: 'a 10 with an open item',
    inject: (turn) => whereEnding(turn, (text) => text.replace(/ Satisfied$/m, ' Dissatisfied')),
    problem: /the score is 10, but an item is dissatisfied/,
  },
  {
    name: 'a 9 with no open item',
    inject: (turn) =>
      whereEnding(turn, (text) =>
        withSection(withSection(text, 'Evaluation Score', '9'), 'Continue or End?', 'CONTINUE'),
      ),
    problem: /the score must be 10, not 9/,
  },
  {
    name: 'an end below 10',
    inject: (turn) => whereContinuing(turn, (text) => withSection(text, 'Continue or End?', 'END')),
    problem: /END belongs to a score of 10/,
  },
  {
    name: 'two open items raised at once',
    inject: (turn) =>
      turn.text.match(/ Dissatisfied$/gm)?.length === turn.subject.checklist.length &&
      turn.subject.checklist.length > 1
        ? {
            ...turn,
            text: withSection(turn.text, 'Selected Checklist Items', '1 (Dissatisfied), 2 (Dissatisfied)'),
          }
        : undefined,
    problem: /may raise one dissatisfied item, but items 1 and 2/,
  },
  {
    name: 'an item that there is not',
    inject: (turn) =>
      whereContinuing(turn, (text) => withSection(text, 'Selected Checklist Items', '99 (Dissatisfied)')),
    problem: /names item 99, but the checklist has none/,
  },
  {
    name: 'a message with the preference in it',
    inject: (turn) => ({ ...turn, text: withSection(turn.text, 'Your Message', turn.subject.preference) }),
    problem: /the message quotes the preference/,
  },
  {
    name: 'a message with an item in it',
    inject: (turn) => ({
      ...turn,
      text: withSection(turn.text, 'Your Message', `One thing: ${turn.subject.checklist.at(-1) ?? ''}`),
    }),
    problem: /the message quotes the preference/,
  },
  {
    name: 'an end with an item that was never selected',
    inject: ({ text, subject }) =>
      whereEnding({ text, subject: { ...subject, selected: [] } }, (ending) =>
        withSection(ending, 'Selected Checklist Items', 'None'),
      ),
    problem: /(was|were) never selected/,
  },
];

function withDescription(plan: Plan, change: (text: string) => string): Plan {
  const { description, occupation } = plan.description;
  return { ...plan, description: { description: change(description), occupation } };
}

function whereEnding(turn: AnsweredTurn, change: (text: string) => string): AnsweredTurn | undefined {
  return /^END$/m.test(turn.text) ? { ...turn, text: change(turn.text) } : undefined;
}

function whereContinuing(turn: AnsweredTurn, change: (text: string) => string): AnsweredTurn | undefined {
  return /^CONTINUE$/m.test(turn.text) ? { ...turn, text: change(turn.text) } : undefined;
}

/** Returns the text with another content of one of its six sections. */
function withSection(text: string, section: UserSection, content: string): string {
  const at = text.indexOf(`#### ${section}`);
  const next = USER_SECTIONS[USER_SECTIONS.indexOf(section) + 1];
  const end = next === undefined ? text.length : text.indexOf(`#### ${next}`);
  return `${text.slice(0, at)}#### ${section}\n\n${content}\n\n${text.slice(end)}`;
}

function withFactor(
  plan: Plan,
  index: number,
  change: (factor: ContextFactor) => Partial<ContextFactor>,
): Plan {
  return {
    ...plan,
    factors: plan.factors.map((factor, at) => (at === index ? { ...factor, ...change(factor) } : factor)),
  };
}

function withSession(
  plan: Plan,
  index: number,
  change: (session: PlannedSession) => Partial<PlannedSession>,
): Plan {
  return {
    ...plan,
    sessions: plan.sessions.map((session, at) =>
      at === index ? { ...session, ...change(session) } : session,
    ),
  };
}

function withoutFactor(plan: Plan, factor: string, other: string): Plan {
  return {
    ...plan,
    sessions: plan.sessions.map((session) =>
      session.context_factor === factor ? { ...session, context_factor: other } : session,
    ),
  };
}

function originalOf({ sessions, factors }: Plan): ContextFactor | undefined {
  return factors.find(({ factor }) => factor === sessions.at(-1)?.context_factor);
}

function partnerOf(plan: Plan): ContextFactor | undefined {
  return plan.factors.slice(-2).find((factor) => factor !== originalOf(plan));
}

function negate(preference: string): string {
  return preference.replace(/\b(must|should|has to|have to|needs? to)\b/, '$1 never');
}
