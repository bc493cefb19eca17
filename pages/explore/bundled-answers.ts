import type { DialogueView, Exploration, SourceState } from './answers';
import {
  type BundledList,
  LIST_FILE,
  nameAnswerFile,
  nameDialoguesFile,
  nameInstanceFile,
  nameTextsFile,
} from './bundle-files';
import { type IndexedInstance, type KnownInstance, readFilter } from './filter';
import { buildPage, computeSpread, describeMissing, readCount, selectInstances } from './list';

/** Reads the content of a file of a bundle. */
type ReadFile = (file: string) => Promise<unknown>;

/** Creates a function that answers the page's requests from the files of a bundle, as the server does from its sources. */
export function createBundledAnswers(readFile: ReadFile): (path: string) => Promise<unknown> {
  const files = new BundledFiles(readFile);
  return async (path) => {
    const { pathname, searchParams } = new URL(path, 'http://bundle');
    const query = Object.fromEntries(searchParams);
    const name = pathname.replace(/^\/api\//, '');
    switch (name) {
      case 'progress':
        return readProgress(files);
      case 'instances':
        return list(files, query);
      case 'instance':
        return readInstanceFile(files, query);
      case 'dialogue':
        return readDialogue(files, query);
      default:
        return files.keep(nameAnswerFile(name));
    }
  };
}

type Query = Readonly<Record<string, string>>;

async function readProgress(files: BundledFiles): Promise<SourceState> {
  const { progress, snapshot } = await files.keep<Exploration>(nameAnswerFile('about'));
  return { ...progress, snapshot, hasChanged: false };
}

async function list(files: BundledFiles, query: Query) {
  const { columns, progress } = await files.keep<Exploration>(nameAnswerFile('about'));
  const { instances, textFiles } = await files.keep<BundledList>(LIST_FILE);
  const instancesByRow = new Map(instances.map((instance) => [instance.row, instance]));
  const findKnown = (row: IndexedInstance): KnownInstance => {
    const { scores = [], verdicts, labels } = instancesByRow.get(row) ?? {};
    return {
      row,
      verdicts,
      labels,
      scores,
      spread: (columnNumbers) => computeSpread(scores, columns, columnNumbers),
    };
  };
  const filter = readFilter(query, columns);
  const texts = filter.q === undefined ? undefined : await findTexts(files, filter.q, textFiles);
  const matching = selectInstances([...instancesByRow.keys()], filter, texts, findKnown);
  return buildPage(matching, readCount(query['from']), progress, findKnown);
}

/** Finds the texts that contain this one, ignoring case. The first search loads all texts. */
async function findTexts(files: BundledFiles, text: string, count: number): Promise<ReadonlySet<number>> {
  const names = Array.from({ length: count }, (_, number) => nameTextsFile(number));
  const texts = (await Promise.all(names.map((name) => files.keep<readonly string[]>(name)))).flat();
  const query = text.toLowerCase();
  return new Set(texts.flatMap((entry, number) => (entry.includes(query) ? [number] : [])));
}

async function readInstanceFile(files: BundledFiles, { persona = '', type = '' }: Query) {
  const { instances } = await files.keep<BundledList>(LIST_FILE);
  const number = instances.findIndex(({ row }) => row.persona === persona && row.type === type);
  if (number < 0) throw new Error(describeMissing(persona, type));
  return files.read(nameInstanceFile(number));
}

async function readDialogue(files: BundledFiles, { persona, session = '' }: Query): Promise<DialogueView> {
  const file = nameDialoguesFile(readCount(persona));
  const dialogues = await files.read<Readonly<Record<string, DialogueView>>>(file);
  return dialogues[session] ?? { turns: [] };
}

/** The files of a bundle. Those of the whole data are kept in memory, and those of instances are not. */
class BundledFiles {
  readonly #kept = new Map<string, Promise<unknown>>();

  constructor(private readonly readFile: ReadFile) {}

  async keep<T>(file: string): Promise<T>;
  async keep(file: string): Promise<unknown> {
    const reading = this.#kept.get(file) ?? this.readFile(file);
    this.#kept.set(file, reading);
    // A request that failed is made again.
    reading.catch(() => this.#kept.delete(file));
    return reading;
  }

  async read<T>(file: string): Promise<T>;
  async read(file: string): Promise<unknown> {
    return this.readFile(file);
  }
}
