import { buildDialogueId, buildPersonaWorkflowId, buildRefKey } from '../../engine/journal/key';
import type { ContextFactor } from '../../schemas/dataset/factor';
import { isDescribed, type Persona, type PlannedPersona } from '../../schemas/dataset/persona';
import type { Checklist, JourneyStructure, PlannedSession } from '../../schemas/dataset/session';
import { isInParts, listJourneyParts } from '../../schemas/run/journey-parts';
import { OutdatedPlan } from '../../schemas/run/outdated-plan';
import type { JournalEntry } from '../../schemas/run/journal';
import type { StepSettings, SynthesisSettings } from '../../schemas/run/settings';
import { checkChecklist } from '../answers/synthesis/checklist';
import { checkDescriptions } from '../answers/synthesis/describe';
import { checkAssistantTurn, checkUserTurn, type UserTurn } from '../answers/synthesis/dialogue';
import { checkFactors } from '../answers/synthesis/factors';
import { checkJourney, type Journey } from '../answers/synthesis/journey';
import { listSelectedItems } from '../dialogue/ending';
import { buildOpeningMessage } from '../dialogue/messages';
import { listDistinctPreferences } from '../journey/preferences';
import { drawFactorA, drawStructure } from '../journey/structure';
import type { DialogueSubject } from '../quality/user-turn';
import { buildRules, findJudgement, judgeAnswer, type AnswerRules, type JudgedAnswer } from './judge';
import type { CallJudge, ReadAccepted } from './reader';
import type { Attempt } from './script';
import type {
  ChecklistRef,
  JourneyRefs,
  PersonaRefs,
  SessionRefs,
  SynthesisCall,
  TurnRefs,
} from './synthesis-calls';

/** A run of synthesis whose answers are read. */
export interface SynthesisRun {
  readonly id: string;
  readonly settings: SynthesisSettings;
  /** By persona number. */
  readonly templates: ReadonlyMap<number, PlannedPersona>;
}

/** A finished turn of a dialogue: both messages, and the user's whole answer. */
export interface ReadTurn {
  readonly assistant: string;
  readonly user: UserTurn & { readonly text: string };
}

/** Reads the answers of a synthesis run by reference, and builds the rules of each of its calls. */
export class SynthesisAnswers implements CallJudge<SynthesisCall> {
  constructor(
    private readonly run: SynthesisRun,
    private readonly read: ReadAccepted,
  ) {}

  /** Returns the rules that the answers to a call must keep. */
  async rulesOf(call: SynthesisCall): Promise<AnswerRules> {
    const { settings } = this.run;
    const { quality } = settings;
    if (call.step === 'describe')
      return buildRules((text) => checkDescriptions(text, { count: call.count, quality }));
    if (call.step === 'factors') return buildRules((text) => checkFactors(text, settings));
    if (call.step === 'journey') {
      const check = await this.#buildJourneyCheck(call);
      const earlier = await this.readSessions(call, call.earlier);
      return buildRules(
        (text) => check(text, earlier),
        ({ sessions }) => ({
          preferences: numberPreferences([...earlier, ...sessions]).slice(earlier.length),
        }),
      );
    }
    if (call.step === 'checklist') return buildRules(checkChecklist);
    if (call.step === 'assistant') return buildRules(checkAssistantTurn);
    const subject = quality === 'strict' ? await this.readSubject(call) : undefined;
    return buildRules(
      (text) => checkUserTurn(text, subject),
      ({ score, selected }) => ({ score, selected: listSelectedItems(selected) }),
    );
  }

  /** Judges the recorded answer to an attempt of a call. */
  async judge({ call, number: attempt }: Attempt<SynthesisCall>, entry: JournalEntry): Promise<JudgedAnswer> {
    const { maxTokens } = this.limitsOf(call);
    return (
      findJudgement(entry) ??
      judgeAnswer(entry, { step: call.step, attempt }, await this.rulesOf(call), maxTokens)
    );
  }

  limitsOf({ step }: SynthesisCall): StepSettings {
    return this.run.settings.steps[step];
  }

  /** Returns true when the run was given the descriptions that a call would ask for. */
  isGiven(call: SynthesisCall): boolean {
    return call.step === 'describe' && isDescribed(this.getTemplate(call.turn));
  }

  /** Returns the template of a persona, or its description where the run was given one. @throws OutdatedPlan */
  getTemplate(persona: number): PlannedPersona {
    const template = this.run.templates.get(persona);
    if (template === undefined)
      throw new OutdatedPlan(`This process does not know persona ${persona} of run ${this.run.id} yet.`);
    return template;
  }

  async readPersona({ persona, described }: PersonaRefs): Promise<Persona> {
    const template = this.getTemplate(persona);
    if (isDescribed(template)) return template;
    const { first, count, ref } = described;
    const { quality } = this.run.settings;
    const key = buildRefKey(this.run.id, 'describe', first, ref);
    const { value } = await this.read(key, (text) => checkDescriptions(text, { count, quality }));
    const description = value[persona - first];
    if (description === undefined) {
      throw new Error(`The batch of persona ${first} does not describe persona ${persona}.`);
    }
    return { ...template, ...description };
  }

  async readFactors(refs: PersonaRefs & { readonly factors: string }): Promise<ContextFactor[]> {
    const key = buildRefKey(this.#ofPersona(refs), 'factors', 0, refs.factors);
    return (await this.read(key, (text) => checkFactors(text, this.run.settings))).value;
  }

  async readJourney(refs: JourneyRefs): Promise<Journey> {
    return { sessions: await this.readSessions(refs, refs.journey) };
  }

  /** Reads the sessions of the first parts of a journey. */
  async readSessions(
    refs: PersonaRefs & { readonly factors: string },
    parts: readonly string[],
  ): Promise<PlannedSession[]> {
    const check = await this.#buildJourneyCheck(refs);
    const sessions: PlannedSession[] = [];
    for (const [at, { turn }] of listJourneyParts(this.run.settings.nSessions).entries()) {
      const ref = parts[at];
      if (ref === undefined) break;
      const earlier = [...sessions];
      const key = buildRefKey(this.#ofPersona(refs), 'journey', turn, ref);
      sessions.push(...(await this.read(key, (text) => check(text, earlier))).value.sessions);
    }
    return sessions;
  }

  async readChecklist(refs: PersonaRefs, { index, ref }: ChecklistRef): Promise<Checklist> {
    const key = buildRefKey(this.#ofPersona(refs), 'checklist', index, ref);
    return (await this.read(key, checkChecklist)).value;
  }

  async readSession(refs: SessionRefs): Promise<PlannedSession> {
    const session = (await this.readJourney(refs)).sessions[refs.session - 1];
    if (session === undefined) {
      throw new Error(`The journey of persona ${refs.persona} has no session ${refs.session}.`);
    }
    return session;
  }

  /** Returns the turns of a dialogue so far, in order. */
  async readTurns(
    refs: Pick<SessionRefs, 'persona' | 'session'>,
    turns: readonly TurnRefs[],
  ): Promise<ReadTurn[]> {
    return Promise.all(
      turns.map(async ([assistant, user], index) => ({
        assistant: await this.readAssistant(refs, index + 1, assistant),
        user: await this.#readUser(refs, index + 1, user),
      })),
    );
  }

  async readAssistant(
    refs: Pick<SessionRefs, 'persona' | 'session'>,
    turn: number,
    ref: string,
  ): Promise<string> {
    return (await this.read(buildRefKey(this.#ofDialogue(refs), 'assistant', turn, ref), checkAssistantTurn))
      .value;
  }

  /** Reads the texts that strict rules compare a user's answer with. */
  async readSubject(refs: SessionRefs & { readonly turns: readonly TurnRefs[] }): Promise<DialogueSubject> {
    const session = await this.readSession(refs);
    const turns = await this.readTurns(refs, refs.turns);
    return {
      opening: buildOpeningMessage(session),
      preference: session.preference,
      checklist: await this.readChecklist(refs, refs.checklist),
      selected: turns.map(({ user }) => user.selected),
    };
  }

  getStructure(persona: number): JourneyStructure {
    const { nSessions, seed } = this.run.settings;
    return drawStructure({ nSessions, seed, personaId: persona });
  }

  /** Returns the contrastive pair of a persona whose journey is planned in parts: factor A, then factor B. */
  getDrawnPair(persona: number, factors: readonly ContextFactor[]): [ContextFactor, ContextFactor] {
    const pair = factors.slice(-2);
    const [a, b] =
      drawFactorA({ seed: this.run.settings.seed, personaId: persona }) === 0 ? pair : pair.toReversed();
    if (a === undefined || b === undefined) throw new Error(`Persona ${persona} has no contrastive pair.`);
    return [a, b];
  }

  /** Builds the check of an answer that continues a journey. */
  async #buildJourneyCheck(refs: PersonaRefs & { readonly factors: string }) {
    const { nSessions, quality, taxonomy } = this.run.settings;
    const structure = this.getStructure(refs.persona);
    const factors = await this.readFactors(refs);
    if (!isInParts(nSessions))
      return (text: string) => checkJourney(text, { structure, factors, quality, taxonomy });
    const [{ factor: factorA }] = this.getDrawnPair(refs.persona, factors);
    return (text: string, earlier: readonly PlannedSession[]) => {
      const end = listJourneyParts(nSessions).find(({ first }) => first === earlier.length + 1)?.last;
      const part = { earlier, factorA };
      return checkJourney(text, { structure: structure.slice(0, end), factors, quality, taxonomy, part });
    };
  }

  async #readUser(
    refs: Pick<SessionRefs, 'persona' | 'session'>,
    turn: number,
    ref: string,
  ): Promise<ReadTurn['user']> {
    // It was compared with its subject when it was accepted.
    const { value, text } = await this.read(
      buildRefKey(this.#ofDialogue(refs), 'user', turn, ref),
      (answer) => checkUserTurn(answer),
    );
    return { ...value, text: text.trim() };
  }

  #ofPersona({ persona }: Pick<PersonaRefs, 'persona'>): string {
    return buildPersonaWorkflowId(this.run.id, persona);
  }

  #ofDialogue({ persona, session }: Pick<SessionRefs, 'persona' | 'session'>): string {
    return buildDialogueId(this.run.id, persona, session);
  }
}

/** Returns for each session the number of its preference among the distinct ones, from 1. */
function numberPreferences(sessions: readonly PlannedSession[]): number[] {
  const distinct = listDistinctPreferences(sessions);
  return sessions.map(({ preference }) => distinct.indexOf(preference) + 1);
}
