import { keepStudyWork, readPairs, readStudyWork } from '../data/evaluation-plan';
import { keptCalls } from '../data/kept-calls';
import { errorTable, sampleLowF1, type ErrorShares, type LabelledError } from '../rules/analyses/errors';
import {
  judgeReliability,
  sampleForRepeats,
  type JudgeReliability,
  type RepeatedScores,
} from '../rules/analyses/judge-reliability';
import { compareWithLabels, type LabelAnalysis } from '../rules/analyses/labels';
import { answerReading } from '../rules/evaluation-answers';
import { nameAmong, scoreRow } from '../rules/evaluation-rows';
import { lookIn } from '../rules/outcomes';
import {
  numberedMatcher,
  numberOf,
  pairTurn,
  repeatTurn,
  studyWorkflowId,
  type NumberedMatcher,
} from '../rules/trials';
import type { Cell, MatchLabel, ScoreRow } from '../schemas/evaluation';
import type { StudyWork } from '../schemas/evaluation-run';
import { trialRows, type KeptEvaluation, type TrialRows } from './evaluation-rows';

/** Responses of each judge that are judged again. */
const REPEATED_RESPONSES = 50;

/** What the studies come to; each is there when it was asked for. */
export interface StudyResults {
  readonly error_types?: readonly ErrorShares[];
  readonly judge_reliability?: readonly JudgeReliability[];
  readonly human_labels?: LabelAnalysis;
}

/**
 * Draws what the studies look at from how the trials came out, by the evaluation's seed, and keeps it for the engine.
 * Returns how many pieces of work that is.
 */
export async function planStudies(kept: KeptEvaluation): Promise<number> {
  const { errors, judgeRepeats, labels } = kept.inputs.studies;
  const work: StudyWork[] = [];
  if (errors !== undefined || judgeRepeats !== undefined) {
    const rows = await handledRows(kept);
    const { seed } = kept.inputs.settings;
    if (judgeRepeats !== undefined) {
      for (const { handle } of sampleForRepeats(rows, REPEATED_RESPONSES, seed)) {
        work.push({ kind: 'repeats', ...handle.key, ...handle.response, times: judgeRepeats });
      }
    }
    if (errors !== undefined) {
      const labeller = numberOf(kept.inputs.evaluators, errors.labeller);
      const inferences = sampleLowF1(rows, errors.count, seed).map(({ handle }) => handle);
      // The same inference may be low with several matchers: it is labelled once.
      const once = new Map(inferences.map(({ key, inference }) => [JSON.stringify(key), { key, inference }]));
      for (const { key, inference } of once.values())
        work.push({ kind: 'error', ...key, inference, labeller });
    }
  }
  if (labels !== undefined) {
    for (const matcher of matchersOf(kept)) {
      for (let pair = 1; pair <= labels.pairs; pair += 1) work.push({ kind: 'pair', pair, matcher });
    }
  }
  await keepStudyWork(kept.store, work);
  return work.length;
}

/** Reads what the studies were answered. */
export async function studyResults(kept: KeptEvaluation): Promise<StudyResults> {
  const { errors, judgeRepeats, labels } = kept.inputs.studies;
  if (errors === undefined && judgeRepeats === undefined && labels === undefined) return {};
  const reading = answerReading(kept.inputs.settings.referenceCompatible);
  const rows = errors === undefined && judgeRepeats === undefined ? [] : await handledRows(kept);
  const repeats: RepeatedScores[] = [];
  const types = new Map<string, LabelledError['type']>();
  const pairs = labels === undefined ? [] : await readPairs(kept.store);
  const matched = new Map<string, (MatchLabel[] | null)[]>();
  for (const work of await readStudyWork(kept.store)) {
    const look = lookIn(await keptCalls(kept, studyWorkflowId(kept.inputs.id, work)), reading);
    if (work.kind === 'repeats') {
      const row = rows.find(({ handle }) => handle.response.judge === work.judge && isOf(handle, work));
      const again = Array.from({ length: work.times - 1 }, (_, index) => {
        const found = look('judge', repeatTurn(work.judge, index + 2), reading.judgement);
        return found.state === 'given' ? found.value.score : null;
      });
      if (row === undefined) continue;
      const { evaluator, response_tokens } = row;
      repeats.push({ evaluator, scores: [row.score, ...again], response_tokens });
    } else if (work.kind === 'error') {
      const found = look('classify', work.labeller, reading.errorType);
      types.set(keyText(work), found.state === 'given' ? found.value.type : null);
    } else {
      const checklist = pairs[work.pair - 1]?.checklist ?? [];
      const found = look('match', pairTurn(work.matcher), (text) => reading.match(text, checklist));
      const own = matched.get(pairTurn(work.matcher)) ?? [];
      own[work.pair - 1] = found.state === 'given' ? found.value : null;
      matched.set(pairTurn(work.matcher), own);
    }
  }
  return {
    ...(errors === undefined
      ? {}
      : {
          error_types: errorTable(
            sampleLowF1(rows, errors.count, kept.inputs.settings.seed).map((row) => ({
              cell: row,
              type: types.get(keyText(row.handle.key)) ?? null,
            })),
          ),
        }),
    ...(judgeRepeats === undefined ? {} : { judge_reliability: judgeReliability(repeats) }),
    ...(labels === undefined
      ? {}
      : {
          human_labels: compareWithLabels(
            pairs,
            matchersOf(kept).map((matcher) => ({
              evaluator: matcherName(kept, matcher),
              evaluator_form: matcher.form,
              labels: matched.get(pairTurn(matcher)) ?? pairs.map(() => null),
            })),
          ),
        }),
  };
}

type TrialPlace = Pick<Extract<StudyWork, { kind: 'error' }>, 'instance' | 'model' | 'given'>;

/** Where a row's calls stand. */
interface Handle {
  readonly key: TrialPlace;
  readonly inference: string;
  readonly response: { readonly judge: number; readonly response: string };
}

type HandledRow = ScoreRow & { readonly handle: Handle };

/** The rows' numbers, each with where its calls stand. */
async function handledRows(kept: KeptEvaluation): Promise<HandledRow[]> {
  const rows: HandledRow[] = [];
  for await (const one of trialRows(kept)) {
    for (const { cell, row } of one.results) {
      rows.push({ ...scoreRow(row), handle: handleOf(kept, one, cell) });
    }
  }
  return rows;
}

function handleOf({ inputs }: KeptEvaluation, { trial, calls }: TrialRows, cell: Cell): Handle {
  const reading = answerReading(inputs.settings.referenceCompatible);
  const look = lookIn(calls, reading);
  const refOf = (step: 'infer' | 'respond') => {
    const found = look(step, 0, step === 'infer' ? reading.inference : reading.response);
    return found.state === 'given' ? found.ref : '';
  };
  const { instance, model, given } = trial;
  const judge = cell.task === 'generation' ? numberOf(inputs.evaluators, cell.judge) : 0;
  return {
    key: { instance, model, given },
    inference: refOf('infer'),
    response: { judge, response: refOf('respond') },
  };
}

function isOf({ key }: Handle, work: TrialPlace): boolean {
  return keyText(key) === keyText(work);
}

function keyText({ instance, model, given }: TrialPlace): string {
  return `${instance}/${model}/${given}`;
}

/** Every matcher of the evaluation, once. */
function matchersOf({ inputs }: KeptEvaluation): NumberedMatcher[] {
  const matchers = inputs.cells.flatMap((cell) =>
    cell.task === 'inference' ? [numberedMatcher(inputs.evaluators, cell.matcher)] : [],
  );
  return [...new Map(matchers.map((matcher) => [pairTurn(matcher), matcher])).values()];
}

function matcherName({ inputs }: KeptEvaluation, { number }: NumberedMatcher): string {
  const spec = inputs.evaluators[number - 1];
  if (spec === undefined) throw new Error(`The evaluation has no evaluator ${number}.`);
  return nameAmong(inputs.evaluators, spec);
}
