import { mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { renderFrontMatter } from '../../data/card/front-matter';
import { deriveLicense, UNKNOWN_LICENSE } from '../../data/card/licenses';
import { PROGRAM_FOLDER } from '../../data/program-folder';
import { DataError } from '../../data/store/data-error';
import { CARD } from '../../data/folders/folder';
import type { OpenOptions } from '../../data/sets/open';
import { requireEmptyPlace, writeNewFolder } from '../../data/store/new-folder';
import { writeSynced } from '../../data/store/store';
import type { Watch } from '../../publishing/watch';
import { formatCount, formatNumber } from '../../schemas/text/count-text';
import type { DialogueView, Exploration, Progress } from './answers';
import {
  type BundledInstance,
  type BundledList,
  LIST_FILE,
  nameAnswerFile,
  nameDialoguesFile,
  nameInstanceFile,
  nameTextsFile,
} from './bundle-files';
import { openSnapshot, type Snapshot } from './snapshot';

/** A bundle that was written. */
export interface BundleReport {
  readonly instances: number;
  readonly files: number;
  readonly bytes: number;
  readonly simulated: boolean;
}

/**
 * Writes the pages of the explorer, with all their answers, as files that any web server serves. The folder appears complete or not at all, and
 * the same sources give the same bytes.
 * @param folder new or empty
 * @throws DataError when a name is no source, there are too many instances, or the folder is not empty; PartialBundle when a part of the
 * sources cannot be read
 */
export async function writeBundle(
  names: readonly string[],
  folder: string,
  { signal, progress, ...options }: OpenOptions & Watch,
): Promise<BundleReport> {
  await requireEmptyPlace(folder);
  const snapshot = await openSnapshot(names, options);
  try {
    requireFewInstances(names, snapshot.sources.instances.total);
    await readAll(snapshot, signal);
    requireFewInstances(names, snapshot.index.rows.length);
    requireWhole(names, snapshot.index.progress().problems);
    return await writeNewFolder(folder, (newFolder) => {
      const files = new BundleFolder(newFolder, signal);
      return fillBundle(snapshot, files, progress);
    });
  } finally {
    await snapshot.close();
  }
}

/** Instances of a bundle: each is a file, with the results of its models. */
const MOST_INSTANCES = 5_000;

function requireFewInstances(names: readonly string[], count = 0): void {
  if (count <= MOST_INSTANCES) return;
  throw new DataError(
    `${names.join(', ')}: a bundle holds at most ${formatNumber(MOST_INSTANCES)} instances, because each is a file and the page loads the whole list, and these are ${formatNumber(count)}. Write a part of the data: cupid export DATA --split test --output-dir PART. Then name it instead: cupid explore PART RESULTS --bundle DIR`,
  );
}

/** A bundle that was not written, because it would not show one whole state of its sources. */
class PartialBundle extends Error {
  override readonly name = 'PartialBundle';
}

/** @throws PartialBundle if something could not be read, because those who see a bundle do not know what it lacks */
function requireWhole(names: readonly string[], problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new PartialBundle(`A bundle of ${names.join(', ')} would be incomplete:\n${problems.join('\n')}`);
}

/** @throws PartialBundle if a file was replaced while the bundle was written, because a bundle shows one state */
async function requireUnchanged(names: readonly string[], snapshot: Snapshot): Promise<void> {
  if (!(await snapshot.readState()).hasChanged) return;
  throw new PartialBundle(
    `Files of ${names.join(', ')} changed while the bundle was written, so its parts would not fit together. Nothing was written. Repeat the command.`,
  );
}

async function readAll({ index }: Snapshot, signal: AbortSignal | undefined): Promise<void> {
  while (index.progress().reading) {
    signal?.throwIfAborted();
    await index.waitFor(index.rows.length + 1);
  }
}

async function fillBundle(
  snapshot: Snapshot,
  files: BundleFolder,
  progress: (() => void) | undefined,
): Promise<BundleReport> {
  const { index } = snapshot;
  const exploration = await snapshot.whole.about();
  const failures = await snapshot.whole.failures();
  const answers = {
    ...snapshot.whole,
    about: async () => ({ ...exploration, progress: settleProgress(exploration.progress) }),
    failures: async () => failures.map(withoutWorkflow),
  };
  for (const [name, read] of Object.entries(answers))
    await files.writeJson(nameAnswerFile(name), await read());

  const unfinished = await snapshot.whole.unfinished();
  const personas = new Set([...failures, ...unfinished].flatMap(({ persona }) => persona ?? []));
  const instances: BundledInstance[] = [];
  for (const [number, instance] of index.rows.entries()) {
    const view = await snapshot.findView(instance.persona, instance.type);
    if (view === undefined) continue;
    // The order of the rows' arrival is not that of the files.
    const listed = { ...view.listed, version: FIRST_VERSION };
    await files.writeJson(nameInstanceFile(number), withoutWorkflow({ ...view, listed }));
    const { row, scores, verdicts, labels } = index.getKnown(instance);
    instances.push({ row: { ...row, version: FIRST_VERSION }, scores, verdicts, labels });
    if (view.persona !== undefined) personas.add(view.persona.number);
    progress?.();
  }
  const textFiles = await writeTexts(index.search.read(), files);
  await files.writeJson(LIST_FILE, { instances, textFiles } satisfies BundledList);
  for (const persona of personas) {
    await files.writeJson(nameDialoguesFile(persona), await readDialogues(snapshot, persona));
  }
  await requireUnchanged(exploration.names, snapshot);

  for (const name of (await readdir(PAGE)).toSorted())
    await files.write(name, await readFile(join(PAGE, name), 'utf8'));
  await files.write(CARD, renderBundleCard(exploration, await snapshot.sources.instances.findLicense()));
  const { count, bytes } = files;
  return { instances: instances.length, files: count, bytes, simulated: exploration.simulated };
}

/** Directory of the page that `npm run build` writes. */
const PAGE = join(PROGRAM_FOLDER, 'pages', 'explore', 'bundle');
const FIRST_VERSION = 1;

/** Returns the progress of sources to which nothing is added. */
function settleProgress(progress: Progress): Progress {
  return { ...progress, version: FIRST_VERSION, live: false, reading: false };
}

/** Leaves out a link that leads to this machine only. */
function withoutWorkflow<View extends { readonly workflow?: string }>(view: View): Omit<View, 'workflow'> {
  const { workflow: _workflow, ...publicView } = view;
  return publicView;
}

async function readDialogues(snapshot: Snapshot, persona: number): Promise<Record<string, DialogueView>> {
  const sessions = snapshot.sources.run?.plan.inputs.settings.nSessions ?? 0;
  const dialogues: Record<string, DialogueView> = {};
  for (let session = 1; session <= sessions; session += 1) {
    const dialogue = await snapshot.readDialogue(persona, session);
    if (dialogue.turns.length > 0) dialogues[session] = dialogue;
  }
  return dialogues;
}

/** Writes the texts that are searched, and returns the number of their files. */
async function writeTexts(texts: AsyncIterable<string>, files: BundleFolder): Promise<number> {
  let fileCount = 0;
  let buffer: string[] = [];
  let characters = 0;
  const write = async () => {
    await files.writeJson(nameTextsFile(fileCount), buffer);
    fileCount += 1;
    buffer = [];
    characters = 0;
  };
  for await (const text of texts) {
    buffer.push(text);
    characters += text.length;
    if (characters >= TEXT_CHARACTERS) await write();
  }
  if (buffer.length > 0) await write();
  return fileCount;
}

const TEXT_CHARACTERS = 2_000_000;

/** The files of a bundle, as far as they are written. */
class BundleFolder {
  count = 0;
  bytes = 0;
  readonly #made = new Set<string>();

  constructor(
    private readonly folder: string,
    private readonly signal: AbortSignal | undefined,
  ) {}

  async writeJson(name: string, value: unknown): Promise<void> {
    await this.write(name, JSON.stringify(value));
  }

  async write(name: string, text: string): Promise<void> {
    this.signal?.throwIfAborted();
    const file = join(this.folder, name);
    if (!this.#made.has(dirname(file))) await mkdir(dirname(file), { recursive: true });
    this.#made.add(dirname(file));
    await writeSynced(file, text);
    this.count += 1;
    this.bytes += Buffer.byteLength(text);
  }
}

/** Renders the README.md, whose front matter makes the folder a static Space of the Hub. */
function renderBundleCard({ names, simulated, progress }: Exploration, license = UNKNOWN_LICENSE): string {
  const cardLicense = deriveLicense(license);
  const title = `cupid explore: ${names.map((name) => basename(name)).join(', ')}`;
  const front = {
    title,
    emoji: '🔎',
    colorFrom: 'blue',
    colorTo: 'gray',
    sdk: 'static',
    app_file: 'index.html',
    pinned: false,
    ...(cardLicense === UNKNOWN_LICENSE ? {} : { license: cardLicense }),
  };
  const lines = [
    `# ${title.replaceAll(/[`<[\]*_]/g, (mark) => `\\${mark}`)}`,
    ...(simulated ? ['**Simulated:** the data or a model is simulated. Use it for testing only.'] : []),
    `${formatCount(progress.indexed, 'instance')} with their dialogues and results, as \`cupid explore\` shows them.`,
    'Any web server can serve this folder: `index.html` is the page, and `data/` is what it shows.',
  ];
  return `${renderFrontMatter(front)}\n${lines.join('\n\n')}\n`;
}
