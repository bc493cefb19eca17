import { isDeepStrictEqual } from 'node:util';
import type { EvaluationProgress } from '../../workflows/messages';
import type { EvaluationResult, EvaluationWork } from '../../workflows/evaluation/evaluation';
import { driveEvaluation } from '../../evaluations/drive';
import { evaluationUses } from '../../model-facts/uses';
import { isSimulated } from '../../evaluations/results';
import type { KeptEvaluation } from '../../evaluations/outcomes';
import { evaluationWarnings } from '../../runs/plan/model-warnings';
import { writeRunFile } from '../../runs/folder/run-folder';
import { keepEvaluationPlan, type EvaluationPlan } from '../../data/run/evaluation-plan';
import { counted, number } from '../../schemas/count-text';
import type { EvaluationFile, StudyKind, Todo } from '../../schemas/evaluation-run';
import { EVALUATION_WORK } from '../../workers/world';
import { carryOut, type Host } from '../run/carry-out';
import { EXIT } from '../exit';
import type { CarryOutOptions } from '../options';
import type { ProgressView, Status } from '../run/progress';
import { evaluationInputsOf, printResults, writeEvaluation, type EvaluationFolder } from './rescore';
import { steeringOf } from '../steer/steering';

/** What is to be evaluated: what the folder held, what it is to hold, and what this command asks of it. */
export interface EvaluationWanted {
  readonly before: EvaluationPlan | undefined;
  readonly plan: EvaluationPlan;
  /** Of a new evaluation: keeps the instances of its data set, under the folder's lock, and returns how many there are. */
  readonly keepInstances?: () => Promise<number>;
  readonly told: Todo;
  /** The SPECs that are asked, and those of them that the command line names. */
  readonly asked: readonly string[];
  readonly named: readonly string[];
  /** Those that still have something to be asked. */
  readonly called: readonly string[];
  /** Opens again what was done before, under the folder's lock; true when there is some, and the engine must be told anew. */
  readonly reopen?: () => Promise<boolean>;
  /** The studies to be done, looked for once the trials are. */
  readonly studies: () => Promise<readonly StudyKind[]>;
  /** Evaluations that the results are compared with. */
  readonly compared: readonly KeptEvaluation[];
}

/** Carries an evaluation out, and writes its results. Returns the exit code. */
export async function carryOn(
  options: CarryOutOptions,
  folder: EvaluationFolder,
  { before, plan, keepInstances, told, asked, called, named, reopen, studies, compared }: EvaluationWanted,
  view: ProgressView,
): Promise<number> {
  const { store, run: known } = folder;
  let { inputs } = plan;
  const fileAt = (host: Host): EvaluationFile => ({
    format: 1,
    ...inputs,
    ...host,
    told,
    state: 'running',
    simulated: isSimulated(inputs),
  });
  let file: EvaluationFile | undefined;
  const done = await carryOut(
    {
      folder,
      before,
      id: inputs.id,
      models: [...inputs.models, ...inputs.evaluators],
      uses: options.check ? evaluationUses(inputs, called) : [],
      consent: { asked, named, trust: options.trust === true },
      concurrency: options.concurrency,
      steering: await steeringOf(options, [...inputs.models, ...inputs.evaluators]),
      profile: options.profile,
      view,
      observe: view.observe,
      async keep(host) {
        if (keepInstances !== undefined) {
          inputs = { ...inputs, data: { ...inputs.data, instances: await keepInstances() } };
        }
        await keepEvaluationPlan(store, { ...plan, inputs });
        file = fileAt(host);
        if (before === undefined) {
          await writeRunFile(folder, file);
          for (const line of await evaluationWarnings(store, inputs.evaluators)) view.say(line);
        }
        const reopened = (await reopen?.()) ?? false;
        // Other code, other work, or another engine than was told of the evaluation last: it starts again, from the journal.
        const current =
          known !== undefined &&
          !reopened &&
          isDeepStrictEqual(inputs, evaluationInputsOf(known)) &&
          isDeepStrictEqual(told, known.told) &&
          known.codeVersion === host.codeVersion &&
          known.engine === host.engine;
        return { afresh: before !== undefined && !current };
      },
      told: (host) => writeRunFile(folder, fileAt(host)),
      read: () => EVALUATION_WORK.readFiles(store),
      activities: EVALUATION_WORK.activities,
    },
    async ({ engine, follow }) => {
      const { cells, onlyStored, onlyRetried } = told;
      const run = async (todo: EvaluationWork): Promise<EvaluationResult> => {
        await using driven = await driveEvaluation(engine, inputs, todo, options.concurrency);
        return await follow(driven, statusOf);
      };
      const trials = await run({ phase: 'trials', cells, onlyStored, onlyRetried });
      const kinds = trials.broken > 0 ? [] : await studies();
      const ended = kinds.length === 0 ? trials : await run({ phase: 'studies', kinds, onlyRetried });
      const written = await writeEvaluation(folder, compared, view);
      const open = written.results.cells.some(({ all }) => all.counts.open > 0);
      if (file !== undefined && !open && ended.broken === 0) {
        const parameters = await EVALUATION_WORK.readParameters(store, inputs);
        await writeRunFile(folder, { ...file, state: 'finished', parameters });
      }
      return { ended, written };
    },
  );
  if (done === 'interrupted') return EXIT.interrupted;
  view.hide();
  const code = printResults(options, folder, done.written, view);
  // Reported last: the other results are worth having.
  refuseBroken(done.ended);
  return code;
}

function refuseBroken({ broken, causes }: EvaluationResult): void {
  if (broken === 0) return;
  throw new Error(
    [
      `${counted(broken, 'instance')} failed for reasons unrelated to the models' answers:`,
      ...causes.map((cause) => `- ${cause}`),
      'Nothing is lost. Fix these causes, then repeat the same command.',
    ].join('\n'),
  );
}

function statusOf(progress: EvaluationProgress): Status {
  const { phase, total, done, passed, missing, open, misconfigured } = progress;
  const unusable = missing === 0 ? '' : `, ${counted(missing, 'call')} without a usable answer`;
  return {
    phase,
    summary: `${phase} ${number(done + passed)}${total === undefined ? '' : ` of ${number(total)}`} done, ${number(open)} in progress${unusable}`,
    inProgress: [],
    done,
    ...(total === undefined ? {} : { left: total - done - passed }),
    ...(misconfigured === undefined ? {} : { misconfigured }),
  };
}
