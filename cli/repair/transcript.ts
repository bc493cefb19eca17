import type { Bundle } from '../../schemas/run/bundle';
import { formatCount } from '../../schemas/text/count-text';
import { listPresent } from '../../schemas/text/list-present';
import { formatModelName } from '../../schemas/model/model-spec';
import { modelSpecSchema } from '../../schemas/model/model-spec-schema';
import type { FailedWork } from '../../schemas/run/outcome';
import { formatCallNumber } from '../../schemas/run/step';
import type { RecordedHistory } from '../../schemas/run/bundle';
import type { WorkReference } from '../../engine/journal/work';
import { version } from '../../package.json';
import type { HistoryReplay } from '../../workers/replay/history';
import type {
  ReplayedAttempt,
  ReplayDifference,
  ReplayedCall,
  ReplayResult,
  Subject,
} from '../../workers/replay/replay';
import type { AnswerContent } from '../../workers/replay/answer-content';
import { getWidth } from '../terminal/width';
import { wrapText } from '../terminal/wrap';

/** Columns of a transcript. */
const WIDTH = Math.min(100, getWidth(100));

/**
 * Renders the calls and answers of replayed work, where it ended and why.
 * @param hidden number of questions that are not shown
 */
export function renderTranscript(recording: Bundle, result: ReplayResult, hidden: number): string[] {
  const { subject, questions, differences, damaged } = result;
  const last = questions.at(-1);
  const visibleKeys = new Set(questions.flatMap(({ attempts }) => attempts.map(({ key }) => key)));
  const isSame = differences.length === 0 && damaged.size === 0;
  return listPresent(
    ...renderHead(recording, result),
    '',
    ...renderSubject(subject),
    ...questions.flatMap((question, at) => [
      ...turnTitle(question, questions[at - 1]),
      ...renderQuestion(question),
    ]),
    '',
    ...(hidden > 0
      ? [`Turns after turn ${last?.turn ?? 0} are not shown.`]
      : endLines(result, recording.failure)),
    ...recording.missingParts.flatMap((gap) => wrap(`The recording is incomplete: ${gap}`)),
    ...[...damaged].flatMap(([key, problem]) =>
      visibleKeys.has(key)
        ? []
        : wrap(`The journal entry ${key} of the bundle is damaged: ${problem}. Nothing of it is shown.`),
    ),
    ...differences.slice(0, MOST_DIFFERENCES).flatMap((difference) => wrap(formatDifference(difference))),
    differences.length > MOST_DIFFERENCES &&
      `${formatCount(differences.length - MOST_DIFFERENCES, 'more difference')}: see --json.`,
    ...(isSame ? wrap(`The replay matches the recording (cupid ${version}).`) : []),
    ...(differences.length > 0
      ? wrap(`It was recorded with cupid ${recording.versions.program} and replayed with cupid ${version}.`)
      : []),
  );
}

function wrap(text: string): string[] {
  return wrapText(text, WIDTH);
}

/** Further differences rarely have another cause. */
const MOST_DIFFERENCES = 5;

function formatDifference({
  step,
  turn,
  attempt,
  kind,
  recordedBehavior,
  replayedBehavior,
}: ReplayDifference): string {
  const answer = kind === 'failure' ? '' : `, answer ${attempt + 1}`;
  const does = `the recording ${trimStop(recordedBehavior)}, this version ${trimStop(replayedBehavior)}`;
  return `The replay differs from the recording at ${formatPlace({ step, turn })}${answer}: ${does}.`;
}

/** Removes the full stop of a cause, which becomes a part of a sentence. */
function trimStop(text: string): string {
  return text.replace(/\.$/, '');
}

/** Renders whether the history of a workflow replays, or the event at which it deviates. */
export function renderHistoryReplay(
  replayed: HistoryReplay & {
    readonly work: WorkReference;
    readonly recordingVersions: { readonly code: string };
    readonly replayVersions: { readonly code: string };
    readonly events: number;
  },
  history: RecordedHistory,
): string[] {
  const { work, events, recordingVersions, replayVersions } = replayed;
  const code = replayVersions.code;
  if (replayed.isReplayable) {
    return wrapText(
      `The history of ${work.id} replays in all ${events} events (workflow code ${code}).`,
      WIDTH,
    );
  }
  const type = history.events[replayed.event - 1]?.eventType.replace(/^EVENT_TYPE_/, '') ?? '';
  const reason =
    recordingVersions.code === code
      ? `The workflow code ${code} is the recorded one, so the history was changed or the code is not deterministic.`
      : `It was recorded with workflow code ${recordingVersions.code} and replayed with ${code}.`;
  return wrapText(
    `The history of ${work.id} does not replay: at event ${replayed.event} (${type}) the workflow does something else. ${replayed.reason}\n${reason}`,
    WIDTH,
  );
}

/** Formats the place of a call, such as `step user, turn 2`. */
function formatPlace({ step, turn }: { readonly step: string; readonly turn: number | string }): string {
  if (TURNS.has(step)) return `step ${step}, turn ${turn}`;
  return `step ${step}${formatCallNumber(step, turn)}`;
}

function renderHead(
  { simulated, versions }: Bundle,
  { work: { id, type }, subject }: ReplayResult,
): string[] {
  const { persona, session } = subject;
  const facts = listPresent(
    persona !== undefined &&
      `persona ${persona.number}${persona.occupation === undefined ? '' : ` (${persona.occupation})`}`,
    session !== undefined && `session ${session.number}`,
    simulated && 'simulated',
  );
  return [
    ...wrapText(`${NAMES[type]} ${id}${facts.length === 0 ? '' : `: ${facts.join(', ')}`}`, WIDTH),
    `Recorded with cupid ${versions.program}, workflow code ${versions.code}.`,
  ];
}

const NAMES = { run: 'Run', persona: 'Persona', dialogue: 'Dialogue' } as const;

function renderSubject({ persona, session }: Subject): string[] {
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
  const [first = '', ...laterLines] = wrapText(text, WIDTH, indent);
  return [`${label.padEnd(16)}${first.slice(16)}`, ...laterLines];
}

/** Renders a blank line, and a heading where a new turn of a dialogue begins. */
function turnTitle({ step, turn }: ReplayedCall, before: ReplayedCall | undefined): string[] {
  const isNew = before === undefined || before.turn !== turn || !TURNS.has(step);
  return isNew ? listPresent('', TURNS.has(step) && `Turn ${turn}`) : [];
}

const TURNS: ReadonlySet<string> = new Set(['assistant', 'user']);

function renderQuestion({ step, turn, revision, attempts, content }: ReplayedCall): string[] {
  const acceptedAttempt = attempts.find(({ verdict }) => verdict === 'used');
  const otherAttempts = attempts.filter((attempt) => attempt !== acceptedAttempt);
  const title = listPresent(
    `${TITLES[step] ?? step}${formatCallNumber(step, turn)}`,
    revision !== 0 && `revision ${revision}`,
    ...(content?.form === 'user turn' ? [`score ${content.score}`, content.decision] : []),
    ...(acceptedAttempt === undefined ? [] : renderCost(acceptedAttempt)),
    attempts.length > 1 && formatCount(attempts.length, 'answer'),
  );
  return [
    ...wrapText(title.join(' · '), WIDTH, '  '),
    ...otherAttempts.flatMap(renderAttempt),
    ...(content === undefined ? [] : renderMessage(content)),
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

/** Renders model, tokens and time of an answer. */
function renderCost({ entry }: ReplayedAttempt): string[] {
  if (entry === undefined) return [];
  const { input, output } = entry.answer.usage;
  const spec = modelSpecSchema.safeParse(entry.spec);
  return [
    spec.success ? formatModelName(spec.data) : entry.spec,
    `${input ?? 'unknown'} in, ${output ?? 'unknown'} out`,
    `${(entry.durationMs / 1000).toFixed(1)} s`,
  ];
}

/** Renders an answer that does not count. */
function renderAttempt(replayedAttempt: ReplayedAttempt): string[] {
  const { attempt, verdict, problem, entry } = replayedAttempt;
  const { text = '', raw = text } = entry?.answer ?? {};
  const begins = raw.replaceAll(/\s+/g, ' ').trim();
  const excerpt = begins.length > EXCERPT ? `${begins.slice(0, EXCERPT)}…` : begins;
  return [
    ...wrapText(
      [`answer ${attempt + 1}: ${VERDICTS[verdict]}`, ...renderCost(replayedAttempt)].join(' · '),
      WIDTH,
      '    ',
    ),
    ...(problem === undefined ? [] : wrapText(problem, WIDTH, '      ')),
    ...(excerpt === '' ? [] : wrapText(`text in the journal: ${excerpt}`, WIDTH, '      ')),
  ];
}

/** Characters of an answer that does not count; `--json` has all of it. */
const EXCERPT = 240;

const VERDICTS: Readonly<Record<ReplayedAttempt['verdict'], string>> = {
  used: 'used',
  doubted: 'in doubt',
  bad: 'rejected',
  unanswered: 'none',
  damaged: 'damaged',
  open: 'not received before the recording ends',
};

function renderMessage(content: AnswerContent): string[] {
  if (content.form === 'message') return wrapText(content.message, WIDTH, '    ');
  if (content.form === 'user turn') {
    const item = content.selection === '' ? 'nothing' : content.selection;
    return [...wrapText(`raises: ${item}`, WIDTH, '    '), ...wrapText(content.message, WIDTH, '    ')];
  }
  return listItems(content).flatMap((item) => wrapText(item, WIDTH, '    '));
}

function listItems(content: Exclude<AnswerContent, { readonly message: string }>): string[] {
  if (content.form === 'factors')
    return content.factors.map(({ factor, preference }) => `${factor}: ${preference}`);
  if (content.form === 'descriptions') {
    return content.personas.map(({ occupation, description }) => `${occupation}: ${description}`);
  }
  if (content.form === 'checklist') return content.items.map((item, at) => `${at + 1}. ${item}`);
  return content.sessions.map(
    ({ id, context_factor: factor, preference }) => `${id}. ${factor}: ${preference}`,
  );
}

function endLines({ end, work: { type } }: ReplayResult, failed: FailedWork | undefined): string[] {
  const { state, cause = '', nextKeys } = end;
  const place =
    failed?.step === undefined ? '' : ` at ${formatPlace({ step: failed.step, turn: failed.turn ?? 0 })}`;
  const kind = failed === undefined ? '' : ` (${failed.kind})`;
  if (state === 'failed') return wrapText(`Failed${place}${kind}: ${cause}`, WIDTH);
  const recordedWork = type === 'persona' ? 'plan of the persona' : type === 'run' ? 'description' : type;
  if (state === 'completed') return [`The ${recordedWork} is complete.`];
  const suffix = nextKeys.length === 0 ? '' : `, waiting for ${nextKeys.join(', ')}`;
  return wrap(`The recording ends while the ${recordedWork} is still open${suffix}.`);
}
