import { basename, resolve } from 'node:path';
import type { ComponentChild } from 'preact';
import { RUN_OUTPUT } from '../../data/folders/choose';
import { describePersonaFilter, type PersonaFilter } from '../../data/sets/persona-filter';
import { readVerificationResults } from '../../data/sets/verification';
import { findResults, readStoredResults } from '../../runs/evaluate/read-results';
import type { EvaluationResults } from '../../schemas/evaluation/results';
import { findDataHash } from '../../runs/folder/data-hash';
import { findOpenRun, RunNotFound, type OpenRun } from '../../runs/folder/run-folder';
import { RunFolderError, WrongFolder } from '../../runs/folder/run-folder-error';
import { getPurpose, getVerifier } from '../../schemas/evaluation/purpose';
import { InputError } from '../../schemas/input-error';
import { formatModelName } from '../../schemas/model/model-spec';
import { openPen, type Pen } from '../charts/drawing';
import { compareEvaluations, reportEvaluation } from './evaluation-report';
import { Facts } from '../parts/text';
import { Warning } from './blocks';
import { renderPage, type Report } from './page';
import { buildVerificationPart, reportSynthesis } from './synthesis-report';
import { buildUsageParts, listUsageFacts, readUsage } from './usage-report';

/**
 * Builds one page about runs and results folders, in the order of their names.
 * @param onFolder is called before a folder is read
 * @param filter the personas that the page is about, of evaluations only; absent for all
 * @throws InputError for a filter of another run; and RunNotFound or RunFolderError when a folder holds neither a run nor results, DataError for results that
 * cannot be used
 */
export async function buildReport(
  folders: readonly string[],
  onFolder: (folder: string) => void = () => undefined,
  filter?: PersonaFilter,
): Promise<string> {
  const pen = await openPen();
  const reports: FolderReport[] = [];
  for (const folder of folders) {
    onFolder(folder);
    reports.push(await reportFolder(pen, folder, nameFolder(folder, folders), filter));
  }
  const [first] = reports;
  return renderPage(reports.length === 1 && first !== undefined ? first : combineReports(reports));
}

/** A report, with what the reports beside it are compared with. */
interface FolderReport extends Report {
  /** Present for an evaluation. */
  readonly results?: EvaluationResults;
  /** Present for a synthesis run: the file with its instances, and the hash that it has now. */
  readonly written?: { readonly file: string; readonly sha256: string | undefined };
}

/** Returns the folder's own name, or its path as given if another folder has the same name. */
function nameFolder(folder: string, folders: readonly string[]): string {
  const name = basename(resolve(folder));
  return folders.filter((candidate) => basename(resolve(candidate)) === name).length > 1 ? folder : name;
}

async function reportFolder(
  pen: Pen,
  folder: string,
  name: string,
  filter: PersonaFilter | undefined,
): Promise<FolderReport> {
  const run = await findRunOrResults(folder);
  const isEvaluation = run?.kind === 'evaluation' && getPurpose(run.plan.inputs) === 'evaluation';
  if (filter !== undefined && !isEvaluation) {
    throw new InputError(
      `${folder} is not the folder of an evaluation with its stored answers, of which --split and --where-persona choose rows. Leave them out, or name such folders only.`,
    );
  }
  if (run?.kind === 'synthesis') {
    return {
      title: `Synthesis run ${name}`,
      ...(await reportSynthesis(pen, run, folder)),
      written: { file: resolve(folder, RUN_OUTPUT), sha256: await findDataHash(run.folder) },
    };
  }
  if (run !== undefined && !isEvaluation) return reportVerification(pen, name, run);
  const isDone = run === undefined || (run.holder === undefined && run.folder.run?.state === 'finished');
  const writtenResults = isDone && filter === undefined ? await findResults(folder) : undefined;
  const storedResults =
    writtenResults ?? (run === undefined ? undefined : await readStoredResults(run.folder.store, filter));
  if (storedResults === undefined) {
    throw new RunNotFound(
      `${folder} contains neither a run nor results. Name a folder that cupid synth wrote (--output-dir) or cupid eval (--results-dir).`,
    );
  }
  const report = await reportEvaluation(pen, storedResults, folder);
  const usage = run === undefined ? undefined : await readUsage(run.folder.store, run.holder !== undefined);
  return {
    title: `Evaluation ${name}`,
    ...report,
    results: storedResults.results,
    facts: [
      ...report.facts,
      ...(filter === undefined ? [] : [['Rows', describeFilter(filter)] as const]),
      ...(usage === undefined ? [] : listUsageFacts(usage)),
    ],
    parts: [...report.parts, ...(usage === undefined ? [] : buildUsageParts(pen, usage))],
  };
}

function describeFilter(filter: PersonaFilter): string {
  return `Only ${describePersonaFilter(filter)}. Studies are left out; calls, tokens and costs are of the whole evaluation.`;
}

/** Finds the run of a folder. Undefined for a results folder that was copied without its run. */
async function findRunOrResults(folder: string): Promise<OpenRun | undefined> {
  try {
    return await findOpenRun(folder);
  } catch (error) {
    const isOurs = [RunNotFound, RunFolderError, WrongFolder].some((kind) => error instanceof kind);
    if (isOurs && (await findResults(folder)) !== undefined) return undefined;
    throw error;
  }
}

async function reportVerification(
  pen: Pen,
  name: string,
  { folder, plan, holder }: Extract<OpenRun, { readonly kind: 'evaluation' }>,
): Promise<Report> {
  const usage = await readUsage(folder.store, holder !== undefined);
  const results = await readVerificationResults(folder.path);
  const simulated = folder.run?.simulated === true;
  return {
    title: `Verification ${name}`,
    ...(simulated
      ? { simulated: 'The data or the verifier is simulated: use these verdicts for testing only.' }
      : {}),
    facts: [
      ['Data', plan.inputs.data.source],
      ['Verifier', formatModelName(getVerifier(plan.inputs))],
      ...listUsageFacts(usage),
    ],
    parts: [
      results === undefined
        ? { title: 'Verification by a model', blocks: [<p>No results are written yet.</p>] }
        : buildVerificationPart(results),
      ...buildUsageParts(pen, usage),
    ],
  };
}

/** Says if results are of an earlier state of the data of a run on the same page. The path in the results is only compared, and never read. */
function describeEarlierData({ results }: FolderReport, reports: readonly FolderReport[]): ComponentChild[] {
  return reports.flatMap(({ title, written }) => {
    if (results === undefined || written === undefined) return [];
    const { source, sha256 } = results.data;
    if (resolve(source) !== written.file || sha256 === written.sha256) return [];
    return [
      <Warning
        title="Earlier data."
        text={`These results are of an earlier state of the data of ${title}. To evaluate its present state, repeat the cupid eval command when the run is finished.`}
      />,
    ];
  });
}

/** Combines reports into one page, with a part for each. */
function combineReports(reports: readonly FolderReport[]): Report {
  const evaluations = reports.flatMap(({ title, results }) =>
    results === undefined ? [] : [{ name: title, results }],
  );
  const simulated = reports.filter((report) => report.simulated !== undefined);
  return {
    title: `Report of ${reports.map(({ title }) => title).join('; ')}`,
    ...(simulated.length === 0
      ? {}
      : {
          simulated: `${simulated.map(({ title }) => title).join('; ')}: the data or a model is simulated, so these numbers say nothing about a real model.`,
        }),
    facts: [],
    parts: [
      ...compareEvaluations(evaluations),
      ...reports.map((report) => ({
        title: report.simulated === undefined ? report.title : `${report.title} (simulated)`,
        blocks: [<Facts facts={report.facts} />, ...describeEarlierData(report, reports)],
        parts: report.parts,
      })),
    ],
  };
}
