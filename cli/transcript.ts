import type { Bundle } from '../schemas/bundle';
import { modelName } from '../schemas/model-spec';
import type { FailedWork } from '../schemas/outcome';
import type { About, Said, TranscriptAsk, TranscriptQuestion } from '../schemas/transcript';
import type { Replayed } from '../workers/replay';
import { wrapped } from './wrapped';

/** Columns that a transcript is told in. */
const WIDTH = 100;

/**
 * What a replayed workflow asked and got, where it ended and why, in lines for a person.
 * @param shown as much of it as is to be shown
 */
export function transcriptLines(
  recording: Bundle,
  shown: Replayed,
  { version, whole }: { readonly version: string; readonly whole: Replayed },
): string[] {
  const { transcript, end, divergence } = shown;
  const left = whole.transcript.questions.length - transcript.questions.length;
  const last = transcript.questions.at(-1);
  return [
    ...headLines(recording, shown),
    '',
    ...aboutLines(transcript.about),
    ...transcript.questions.flatMap((question, at) => [
      ...turnTitle(question, transcript.questions[at - 1]),
      ...questionLines(question),
    ]),
    '',
    ...(left > 0
      ? [`Shown until turn ${last?.turn ?? 0}; the recording goes on.`]
      : endLines(end, recording.failed)),
    ...recording.lacks.flatMap((what) => wrapped(`The bundle lacks something: ${what}`, WIDTH)),
    ...(divergence === undefined
      ? [`Replayed as recorded: the workflows ${version} go the same way through all ${end.events} events.`]
      : divergenceLines(divergence, recording, version)),
  ];
}

function headLines(
  { workflow, simulated, versions }: Bundle,
  { transcript: { about }, end }: Replayed,
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
    ...wrapped(`${NAMES[workflow.type]} ${workflow.id}${of.length === 0 ? '' : `: ${of.join(', ')}`}`, WIDTH),
    `Recorded from ${moment(end.from)} to ${moment(end.to)} with the workflows ${versions.workflows}.`,
  ];
}

const NAMES = { run: 'Run', persona: 'Persona', dialogue: 'Dialogue' } as const;

/** To the second, in UTC. */
function moment(time: string): string {
  return `${time.slice(0, 10)} ${time.slice(11, 19)}Z`;
}

function aboutLines({ persona, session }: About): string[] {
  if (session === undefined) {
    return persona?.description === undefined ? [] : wrapped(persona.description, WIDTH);
  }
  return [
    ...labelled('Context factor', session.context_factor),
    ...labelled('Preference', session.preference),
    ...session.checklist.flatMap((item, at) => labelled(at === 0 ? 'Checklist' : '', `${at + 1}. ${item}`)),
    '',
    'The user opens:',
    ...wrapped(session.opening, WIDTH, '    '),
  ];
}

function labelled(label: string, text: string): string[] {
  const indent = ' '.repeat(16);
  const [first = '', ...rest] = wrapped(text, WIDTH, indent);
  return [`${label.padEnd(16)}${first.slice(16)}`, ...rest];
}

/** A line between two turns of a dialogue. */
function turnTitle({ step, turn }: TranscriptQuestion, before: TranscriptQuestion | undefined): string[] {
  const isNew = before === undefined || before.turn !== turn || !TURNS.has(step);
  return isNew ? ['', ...(TURNS.has(step) ? [`Turn ${turn}`] : [])] : [];
}

const TURNS: ReadonlySet<string> = new Set(['assistant', 'user']);

function questionLines({ step, turn, generation, asks, said }: TranscriptQuestion): string[] {
  const used = asks.find(({ verdict }) => verdict === 'used');
  const others = asks.filter((one) => one !== used);
  const title = [
    `${TITLES[step] ?? step}${step === 'checklist' ? ` ${turn}` : ''}`,
    ...(generation === 0 ? [] : [`restarted (${generation})`]),
    ...(said?.form === 'user turn' ? [`score ${said.score}`, said.decision] : []),
    ...(used === undefined ? [] : cost(used)),
    ...(asks.length > 1 ? [`asked ${asks.length} times`] : []),
  ];
  return [
    ...wrapped(title.join(' · '), WIDTH, '  '),
    ...others.flatMap(askLines),
    ...(said === undefined ? [] : saidLines(said)),
    ...(used !== undefined && said === undefined
      ? [`    (the recording has no answer to show under ${used.key})`]
      : []),
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
function cost({ entry }: TranscriptAsk): string[] {
  if (entry === undefined) return [];
  const { input, output } = entry.answer.usage;
  return [
    modelName(entry.spec),
    `${input ?? 'unknown'} in, ${output ?? 'unknown'} out`,
    `${(entry.milliseconds / 1000).toFixed(1)} s`,
  ];
}

/** An ask whose answer does not count. */
function askLines(one: TranscriptAsk): string[] {
  const { ask, verdict, problem, entry } = one;
  const begins = entry?.answer.text.replaceAll(/\s+/g, ' ').trim() ?? '';
  const excerpt = begins.length > EXCERPT ? `${begins.slice(0, EXCERPT)}…` : begins;
  return [
    ...wrapped([`ask ${ask + 1}: ${VERDICTS[verdict]}`, ...cost(one)].join(' · '), WIDTH, '    '),
    ...(problem === undefined ? [] : wrapped(problem, WIDTH, '      ')),
    ...(excerpt === '' ? [] : wrapped(`it answered: ${excerpt}`, WIDTH, '      ')),
  ];
}

/** Characters of an answer that does not count; `--json` has all of it. */
const EXCERPT = 240;

const VERDICTS: Readonly<Record<TranscriptAsk['verdict'], string>> = {
  used: 'used',
  doubted: 'in doubt',
  bad: 'bad',
  unanswered: 'no answer',
  other: "another call's answer",
  open: 'not answered when the recording ends',
};

function saidLines(said: Said): string[] {
  if (said.form === 'message') return wrapped(said.message, WIDTH, '    ');
  if (said.form === 'user turn') {
    const raised = said.raised === '' ? 'nothing' : said.raised;
    return [...wrapped(`raises: ${raised}`, WIDTH, '    '), ...wrapped(said.message, WIDTH, '    ')];
  }
  return itemsOf(said).flatMap((item) => wrapped(item, WIDTH, '    '));
}

function itemsOf(said: Exclude<Said, { readonly message: string }>): string[] {
  if (said.form === 'factors')
    return said.factors.map(({ factor, preference }) => `${factor}: ${preference}`);
  if (said.form === 'checklist') return said.items.map((item, at) => `${at + 1}. ${item}`);
  return said.sessions.map(({ id, context_factor: factor, preference }) => `${id}. ${factor}: ${preference}`);
}

function endLines(end: Replayed['end'], failed: FailedWork | undefined): string[] {
  const place =
    failed?.step === undefined
      ? ''
      : ` at step ${failed.step}${failed.turn !== undefined && TURNS.has(failed.step) ? `, turn ${failed.turn}` : ''}`;
  const why = failed === undefined ? (end.cause ?? '') : failed.cause;
  const kind = failed === undefined ? '' : ` (${failed.kind})`;
  const text = `Failed${place}${kind}: ${why}`;
  if (end.state === 'failed') return wrapped(text, WIDTH);
  if (end.state !== 'open')
    return [`Ended: ${end.state}.`, ...(failed === undefined ? [] : wrapped(text, WIDTH))];
  return [
    ...(failed === undefined ? [] : wrapped(text, WIDTH)),
    ...wrapped(
      // A persona has its failure kept as its last act but one.
      end.waitingFor.includes('keepFailure')
        ? 'The recording ends where the workflow had it made; after that it tells its run, and fails.'
        : `The recording ends with the workflow still open${end.waitingFor.length === 0 ? '' : `, waiting for ${end.waitingFor.join(', ')}`}.`,
      WIDTH,
    ),
  ];
}

function divergenceLines(
  { event, why }: NonNullable<Replayed['divergence']>,
  { versions }: Bundle,
  version: string,
): string[] {
  const about = event.of === undefined ? event.type : `${event.type} ${event.of}`;
  return wrapped(
    `The workflows ${version} take another way than the recording (${versions.workflows}), at event ${event.id}, ${about}: ${why}`,
    WIDTH,
  );
}
