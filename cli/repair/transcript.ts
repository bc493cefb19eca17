import type { Bundle } from '../../schemas/run/bundle';
import { formatCount, pluralize } from '../../schemas/text/count-text';
import { formatModelName } from '../../schemas/model/model-spec';
import { modelSpecSchema } from '../../schemas/model/model-spec-schema';
import type { FailedWork } from '../../schemas/run/outcome';
import type {
  TranscriptSubject,
  TranscriptMessage,
  TranscriptAsk,
  TranscriptQuestion,
} from '../../schemas/run/transcript';
import type { ReplayResult } from '../../workers/replay/replay';
import { wrapText } from '../terminal/wrap';

/** Columns of a transcript. */
const WIDTH = 100;

/**
 * What replayed work asked and was answered, where it ended and why, as lines of text.
 * @param shown the part of it that is to be shown
 */
export function renderTranscript(
  recording: Bundle,
  shown: ReplayResult,
  { version, full }: { readonly version: string; readonly full: ReplayResult },
): string[] {
  const { transcript, end, divergence } = shown;
  const left = full.transcript.questions.length - transcript.questions.length;
  const last = transcript.questions.at(-1);
  return [
    ...renderHead(recording, shown),
    '',
    ...renderSubject(transcript.about),
    ...transcript.questions.flatMap((question, at) => [
      ...turnTitle(question, transcript.questions[at - 1]),
      ...renderQuestion(question),
    ]),
    '',
    ...(left > 0
      ? [`Turns after turn ${last?.turn ?? 0} are not shown.`]
      : endLines(shown, recording.failed)),
    ...recording.lacks.flatMap((what) => wrapText(`The bundle is incomplete: ${what}`, WIDTH)),
    ...renderConflicts(full),
    ...(divergence === undefined
      ? wrapText(
          `The replay matches the recording in all ${end.events} events (workflow code ${version}).`,
          WIDTH,
        )
      : renderDivergence(divergence, recording, version)),
  ];
}

/** The answers of a replay whose journal entry is damaged, or is not what the history holds. */
export function listConflicts({ transcript }: ReplayResult): readonly TranscriptAsk[] {
  return transcript.questions.flatMap(({ asks }) => asks.filter(({ conflict }) => conflict !== undefined));
}

function renderConflicts(full: ReplayResult): string[] {
  const conflicts = listConflicts(full);
  const shown = new Set(conflicts.map(({ key }) => key));
  const others = [...full.damaged].filter(([key]) => !shown.has(key));
  const [first] = full.transcript.questions.filter(({ asks }) => asks.some((one) => conflicts.includes(one)));
  return [
    ...others.flatMap(([key, problem]) =>
      wrapText(
        `The journal entry ${key} of the bundle is damaged: ${problem}. Nothing of it is shown.`,
        WIDTH,
      ),
    ),
    ...(first === undefined
      ? []
      : wrapText(
          `${formatCount(conflicts.length, 'answer')} of the journal ${pluralize(conflicts.length, 'does', 'do')} not match the history, the first at ${formatPlace(first)}. The texts above are the history's. The bundle was changed after it was recorded, or this version reads answers differently: copy the bundle again from the folder of its run.`,
          WIDTH,
        )),
  ];
}

/** Where a call is: `step user, turn 2`. */
function formatPlace({ step, turn }: { readonly step: string; readonly turn: number | string }): string {
  if (TURNS.has(step)) return `step ${step}, turn ${turn}`;
  return step === 'checklist' ? `step checklist ${turn}` : `step ${step}`;
}

function renderHead(
  { simulated, versions }: Bundle,
  { work: { id, type }, transcript: { about }, end }: ReplayResult,
): string[] {
  const { persona, session } = about;
  const of = [
    ...(persona === undefined
      ? []
      : [`persona ${persona.number}${persona.occupation === undefined ? '' : ` (${persona.occupation})`}`]),
    ...(session === undefined ? [] : [`session ${session.number}`]),
    ...(simulated ? ['simulated'] : []),
  ];
  return [
    ...wrapText(`${NAMES[type]} ${id}${of.length === 0 ? '' : `: ${of.join(', ')}`}`, WIDTH),
    `Recorded from ${formatTime(end.from)} to ${formatTime(end.to)} with workflow code ${versions.workflows}.`,
  ];
}

const NAMES = { run: 'Run', persona: 'Persona', dialogue: 'Dialogue' } as const;

/** To the second, in UTC. */
function formatTime(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)}Z`;
}

function renderSubject({ persona, session }: TranscriptSubject): string[] {
  if (session === undefined) {
    return persona?.description === undefined ? [] : wrapText(persona.description, WIDTH);
  }
  return [
    ...renderLabelled('Context factor', session.context_factor),
    ...renderLabelled('Preference', session.preference),
    ...session.checklist.flatMap((item, at) =>
      renderLabelled(at === 0 ? 'Checklist' : '', `${at + 1}. ${item}`),
    ),
    '',
    'First user message:',
    ...wrapText(session.opening, WIDTH, '    '),
  ];
}

function renderLabelled(label: string, text: string): string[] {
  const indent = ' '.repeat(16);
  const [first = '', ...rest] = wrapText(text, WIDTH, indent);
  return [`${label.padEnd(16)}${first.slice(16)}`, ...rest];
}

/** A line between two turns of a dialogue. */
function turnTitle({ step, turn }: TranscriptQuestion, before: TranscriptQuestion | undefined): string[] {
  const isNew = before === undefined || before.turn !== turn || !TURNS.has(step);
  return isNew ? ['', ...(TURNS.has(step) ? [`Turn ${turn}`] : [])] : [];
}

const TURNS: ReadonlySet<string> = new Set(['assistant', 'user']);

function renderQuestion({ step, turn, revision, asks, said }: TranscriptQuestion): string[] {
  const used = asks.find(({ verdict }) => verdict === 'used');
  const others = asks.filter((one) => one !== used);
  const title = [
    `${TITLES[step] ?? step}${step === 'checklist' ? ` ${turn}` : ''}`,
    ...(revision === 0 ? [] : [`revision ${revision}`]),
    ...(said?.form === 'user turn' ? [`score ${said.score}`, said.decision] : []),
    ...(used === undefined ? [] : renderCost(used)),
    ...(asks.length > 1 ? [formatCount(asks.length, 'answer')] : []),
  ];
  return [
    ...wrapText(title.join(' · '), WIDTH, '  '),
    ...others.flatMap(renderAttempt),
    ...(used?.conflict === undefined ? [] : wrapText(used.conflict, WIDTH, '    ')),
    ...(said === undefined ? [] : renderMessage(said)),
  ];
}

const TITLES: Readonly<Record<string, string>> = {
  describe: 'Descriptions',
  factors: 'Context factors',
  journey: 'Journey',
  checklist: 'Checklist',
  assistant: 'Assistant',
  user: 'User',
};

/** Model, tokens and time of an answer. */
function renderCost({ entry }: TranscriptAsk): string[] {
  if (entry === undefined) return [];
  const { input, output } = entry.answer.usage;
  const spec = modelSpecSchema.safeParse(entry.spec);
  return [
    spec.success ? formatModelName(spec.data) : entry.spec,
    `${input ?? 'unknown'} in, ${output ?? 'unknown'} out`,
    `${(entry.milliseconds / 1000).toFixed(1)} s`,
  ];
}

/** An answer that does not count. */
function renderAttempt(one: TranscriptAsk): string[] {
  const { ask, verdict, problem, conflict, entry } = one;
  const { text = '', raw = text } = entry?.answer ?? {};
  const begins = raw.replaceAll(/\s+/g, ' ').trim();
  const excerpt = begins.length > EXCERPT ? `${begins.slice(0, EXCERPT)}…` : begins;
  return [
    ...wrapText([`answer ${ask + 1}: ${VERDICTS[verdict]}`, ...renderCost(one)].join(' · '), WIDTH, '    '),
    ...(problem === undefined ? [] : wrapText(problem, WIDTH, '      ')),
    ...(conflict === undefined ? [] : wrapText(conflict, WIDTH, '      ')),
    ...(excerpt === '' || conflict !== undefined
      ? []
      : wrapText(`text in the journal: ${excerpt}`, WIDTH, '      ')),
  ];
}

/** Characters of an answer that does not count; `--json` has all of it. */
const EXCERPT = 240;

const VERDICTS: Readonly<Record<TranscriptAsk['verdict'], string>> = {
  used: 'used',
  doubted: 'in doubt',
  bad: 'rejected',
  unanswered: 'none',
  other: 'the answer of another call',
  open: 'not received before the recording ends',
};

function renderMessage(said: TranscriptMessage): string[] {
  if (said.form === 'message') return wrapText(said.message, WIDTH, '    ');
  if (said.form === 'user turn') {
    const raised = said.raised === '' ? 'nothing' : said.raised;
    return [...wrapText(`raises: ${raised}`, WIDTH, '    '), ...wrapText(said.message, WIDTH, '    ')];
  }
  return listItems(said).flatMap((item) => wrapText(item, WIDTH, '    '));
}

function listItems(said: Exclude<TranscriptMessage, { readonly message: string }>): string[] {
  if (said.form === 'factors')
    return said.factors.map(({ factor, preference }) => `${factor}: ${preference}`);
  if (said.form === 'descriptions') {
    return said.personas.map(({ occupation, description }) => `${occupation}: ${description}`);
  }
  if (said.form === 'checklist') return said.items.map((item, at) => `${at + 1}. ${item}`);
  return said.sessions.map(({ id, context_factor: factor, preference }) => `${id}. ${factor}: ${preference}`);
}

function endLines({ end, work: { type } }: ReplayResult, failed: FailedWork | undefined): string[] {
  const place =
    failed?.step === undefined ? '' : ` at ${formatPlace({ step: failed.step, turn: failed.turn ?? 0 })}`;
  const why = failed === undefined ? (end.cause ?? '') : failed.cause;
  const kind = failed === undefined ? '' : ` (${failed.kind})`;
  const failure = wrapText(`Failed${place}${kind}: ${why}`, WIDTH);
  if (end.state === 'failed') return failure;
  const known = failed === undefined ? [] : failure;
  if (end.state !== 'open') return [`The ${type} ended: ${end.state}.`, ...known];
  const waiting = end.waitingFor.length === 0 ? '' : `, waiting for ${end.waitingFor.join(', ')}`;
  return [
    ...known,
    ...wrapText(
      // A persona has its failure kept as its last act but one.
      end.waitingFor.includes('keepFailure')
        ? 'The recording ends where the workflow saves this failure.'
        : `The recording ends while the ${type} is still open${waiting}.`,
      WIDTH,
    ),
  ];
}

function renderDivergence(
  { event, call, recorded, replayed }: NonNullable<ReplayResult['divergence']>,
  { versions }: Bundle,
  version: string,
): string[] {
  const dialogue = call?.session === undefined ? '' : `session ${call.session}, `;
  const place = call === undefined ? '' : ` at ${dialogue}${formatPlace(call)}`;
  const code =
    versions.workflows === version
      ? `the same workflow code ${version}, so the recording was changed or the code is not deterministic`
      : `workflow code ${version} instead of ${versions.workflows}`;
  return wrapText(
    `The replay differs from the recording${place} (event ${event.id}): the recording ${recorded}, this version ${replayed}. It was replayed with ${code}.`,
    WIDTH,
  );
}
