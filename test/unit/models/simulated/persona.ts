import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Model, ModelRequest } from '../../../../models/model';
import {
  renderFactorsYaml,
  renderChecklist,
  renderStructure,
  renderTemplates,
} from '../../../../data/prompts/values';
import { checkChecklist } from '../../../../rules/answers/synthesis/checklist';
import { checkDescriptions } from '../../../../rules/answers/synthesis/describe';
import { checkFactors } from '../../../../rules/answers/synthesis/factors';
import { checkJourney } from '../../../../rules/answers/synthesis/journey';
import {
  checkUserTurn,
  type UserTurn,
  checkAssistantTurn,
} from '../../../../rules/answers/synthesis/dialogue';
import type { CheckResult } from '../../../../rules/answers/form/checks';
import {
  buildAssistantHistory,
  buildOpeningMessage,
  buildUserSimulatorHistory,
} from '../../../../rules/dialogue/messages';
import { drawStructure } from '../../../../rules/journey/structure';
import { createRandom } from '../../../../rules/sampling/random';
import type { ContextFactor } from '../../../../schemas/dataset/factor';
import type { Message } from '../../../../schemas/dataset/message';
import {
  CAREER_LEVELS,
  DECISION_MAKING_STYLES,
  PERSONALITY_TRAITS,
  PERSONAL_VALUES,
  type PersonaTemplate,
} from '../../../../schemas/dataset/persona';
import type { JourneyStructure, PlannedSession } from '../../../../schemas/dataset/session';
import type { Step } from '../../../../schemas/run/step';
import { openSimulatedModel } from '../../../../models/simulated/model';

/** Built-in seeds. */
const SEEDS: readonly string[] = readFileSync(
  path.join(__dirname, '../../../../data/seeds/seeds.txt'),
  'utf8',
)
  .split('\n')
  .filter((line) => line.trim() !== '');

export function openSimulated(options: Record<string, string> = {}): Model {
  return openSimulatedModel({ provider: 'simulated', model: 'default', options });
}

export function ask(one: Model, request: ModelRequest) {
  return one.ask(request, new AbortController().signal);
}

export function requestOf(step: Step, values: Record<string, string>, messages?: Message[]): ModelRequest {
  return {
    step,
    values,
    form: messages === undefined ? 'prompt' : 'chat',
    system: `You take part in the step ${step}.`,
    messages: messages ?? [{ role: 'user', content: Object.values(values).join('\n') }],
    temperature: 0.7,
    maxTokens: 8192,
    attempt: 0,
    seed: 7,
  };
}

/** Returns the value of a good answer; throws the reason for a bad or doubtful one. */
function requireAccepted<T>(checked: CheckResult<T>): T {
  if (!checked.ok) throw new Error(checked.reason);
  if (checked.doubt !== undefined) throw new Error(checked.doubt);
  return checked.value;
}

export function sampleTemplate(id: number): PersonaTemplate {
  const random = createRandom('template', id);
  const traits = random
    .shuffle(PERSONALITY_TRAITS)
    .map((trait) => `${random.pick(['High', 'Low'])} ${trait}`);
  const [first, second] = random.shuffle(PERSONAL_VALUES);
  return {
    id,
    seed: SEEDS[(id * 7) % SEEDS.length] ?? '',
    career_level: random.pick(CAREER_LEVELS),
    personality_traits: [traits[0] ?? '', traits[1] ?? ''],
    personal_values: [first ?? 'Power', second ?? 'Security'],
    decision_making_styles: random.pick(DECISION_MAKING_STYLES),
  };
}

/** Returns the value of the model's answer to a request. */
export async function askFor<T>(
  one: Model,
  request: ModelRequest,
  check: (text: string) => CheckResult<T>,
): Promise<T> {
  return requireAccepted(check((await ask(one, request)).text));
}

export function describe(one: Model, templates: readonly PersonaTemplate[]) {
  const request = requestOf('describe', { seed_descriptions: renderTemplates(templates) });
  return askFor(one, request, (text) =>
    checkDescriptions(text, { count: templates.length, quality: 'strict' }),
  );
}

export function buildJourneyRequest(
  description: string,
  factors: readonly ContextFactor[],
  structure: JourneyStructure,
) {
  const [first, second] = factors.slice(-2);
  return requestOf('journey', {
    n_sessions: String(structure.length),
    series_structure: renderStructure(structure),
    first_factor: first?.factor ?? '',
    second_factor: second?.factor ?? '',
    user_persona: description,
    context_factors: renderFactorsYaml(factors),
  });
}

export interface Dialogue {
  readonly messages: readonly Message[];
  readonly turns: readonly UserTurn[];
  /** Answers of the user, turn by turn. */
  readonly texts: readonly string[];
}

/** Simulates a dialogue as the pipeline does, up to the user's END or this many user messages. */
export async function askDialogue(
  one: Model,
  about: { description: string; session: PlannedSession; checklist: readonly string[]; maxTurns?: number },
): Promise<Dialogue> {
  const { description, session, checklist, maxTurns = 16 } = about;
  const opening = buildOpeningMessage(session);
  const values = {
    user_profile: description,
    context_factor: session.context_factor,
    preference: session.preference,
    checklist: renderChecklist(checklist),
  };
  const exchanged: { assistant: string; user: string; message: string }[] = [];
  const turns: UserTurn[] = [];
  for (;;) {
    const history = buildAssistantHistory(
      opening,
      exchanged.map(({ assistant, message }) => ({ assistant, user: message })),
    );
    const assistant = await askFor(one, requestOf('assistant', {}, history), checkAssistantTurn);
    if (exchanged.length + 1 === maxTurns)
      return {
        messages: [...history, { role: 'assistant', content: assistant }],
        turns,
        texts: exchanged.map(({ user }) => user),
      };
    const seen = buildUserSimulatorHistory(opening, [...exchanged, { assistant }]);
    const { text } = await ask(one, requestOf('user', values, seen));
    const { preference } = session;
    const selected = turns.map((earlier) => earlier.selected);
    const turn = requireAccepted(checkUserTurn(text, { opening, preference, checklist, selected }));
    turns.push(turn);
    exchanged.push({ assistant, user: text, message: turn.message });
    if (turn.decision === 'END') {
      return {
        messages: buildAssistantHistory(
          opening,
          exchanged.map((said) => ({ assistant: said.assistant, user: said.message })),
        ),
        turns,
        texts: exchanged.map(({ user }) => user),
      };
    }
  }
}

/** Synthesizes everything for a persona, and checks every answer. */
export async function synthesizePersona(one: Model, id: number, nFactors = 8, nSessions = 13) {
  const [persona] = await describe(one, [sampleTemplate(id)]);
  const description = persona?.description ?? '';
  const planning = requestOf('factors', { n_factors: String(nFactors), user_persona: description });
  const factors = await askFor(one, planning, (text) => checkFactors(text, { nFactors, quality: 'strict' }));
  const structure = drawStructure({ nSessions, seed: 42, personaId: id });
  const journey = await askFor(one, buildJourneyRequest(description, factors, structure), (text) =>
    checkJourney(text, { structure, factors, quality: 'strict' }),
  );
  const checklists = new Map<string, string[]>();
  for (const preferences of new Set(journey.sessions.map(({ preference }) => preference)))
    checklists.set(preferences, await askFor(one, requestOf('checklist', { preferences }), checkChecklist));
  return { description, occupation: persona?.occupation ?? '', factors, structure, journey, checklists };
}
