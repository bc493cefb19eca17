import { getReason } from '../../data/store/data-error';
import { buildInstanceKey, INSTANCE_TYPES } from '../../schemas/dataset/instance-type';
import type { Instance } from '../../schemas/dataset/instance';
import { quotePath } from '../../schemas/text/shell-text';
import { LABELLED_STATE_TEXTS } from '../../schemas/review/label-texts';
import { mapValues } from '../../schemas/map-values';
import type { ReviewNumbers } from './summary';
import type { Facets, Progress } from './answers';
import { hasLabels, type Filter, type IndexedInstance, type KnownInstance } from './filter';
import { RaterLabels } from './labels';
import { computeSpread, selectInstances } from './list';
import { ResultsIndex } from './results';
import { SearchFile } from './search-file';
import type { Sources } from './sources';
import { computePreferenceShare } from '../../rules/texts/preference-in-request';
import { endedAtFirstAnswer, endedSatisfied } from '../../rules/dialogue/ending';
import { Verdicts } from './verdicts';

/**
 * An index of every instance, with about a kilobyte of memory each. It fills while the page is in use: by one pass over
 * the sources, and by further passes while a run that was in progress when they were opened adds to them.
 */
export class InstanceIndex {
  readonly rows: IndexedInstance[] = [];
  readonly #byKey = new Map<string, IndexedInstance>();
  readonly verdicts: Verdicts;
  readonly labels: RaterLabels;
  /** Warnings that scores or verdicts belong to other data than the page shows. */
  warnings: readonly string[] = [];
  readonly #problems: string[] = [];
  #problemCount = 0;
  #version = 1;
  #isLive = false;
  #reading: Promise<void> | undefined;
  #readAt = 0;
  #waiting: (() => void)[] = [];

  private constructor(
    private readonly sources: Sources,
    readonly results: ResultsIndex,
    readonly search: SearchFile,
  ) {
    this.verdicts = new Verdicts(sources.verification, sources.files);
    this.labels = new RaterLabels(sources.review);
    for (const problem of sources.problems) this.#addProblem(problem);
  }

  static async open(sources: Sources): Promise<InstanceIndex> {
    const results = await ResultsIndex.open(sources.results, sources.files);
    return new InstanceIndex(sources, results, await SearchFile.create());
  }

  /** Returns the numbers of the review by people. Undefined if none was started. */
  get review(): ReviewNumbers | undefined {
    const { summary } = this.labels;
    if (summary === undefined) return undefined;
    const labels = this.rows.map((row) => this.labels.get(row));
    const instances = mapValues(
      LABELLED_STATE_TEXTS,
      (_, state) => labels.filter((label) => hasLabels(label, state)).length,
    );
    return { summary, instances };
  }

  /** Returns how far the sources have been read, and reads on if something may have been added. */
  progress(): Progress {
    const elapsedMs = performance.now() - this.#readAt;
    const isDue = this.#readAt === 0 || (this.#isLive && elapsedMs > REFRESH_MS);
    if (this.#reading === undefined && isDue) {
      this.#reading = this.#read().finally(() => {
        this.#readAt = performance.now();
        this.#reading = undefined;
        this.#resume();
      });
    }
    const { total } = this.sources.instances;
    const hiddenCount = this.#problemCount - this.#problems.length;
    return {
      version: this.#version,
      indexed: this.rows.length,
      ...(total === undefined ? {} : { total }),
      live: this.#isLive,
      reading: this.#readAt === 0,
      problems: hiddenCount > 0 ? [...this.#problems, `and ${hiddenCount} more like these`] : this.#problems,
    };
  }

  /** Waits until `count` instances are read, or nothing is left to read for now. */
  async waitFor(count: number): Promise<void> {
    while (this.progress().reading && this.rows.length < count) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  find(persona: string, type: string): IndexedInstance | undefined {
    return this.#byKey.get(buildInstanceKey({ persona_id: persona, instance_type: type }));
  }

  /** Returns the matching instances in the order that the filter names. */
  async select(filter: Filter): Promise<readonly IndexedInstance[]> {
    const texts = filter.q === undefined ? undefined : await this.search.find(filter.q);
    return selectInstances(this.rows, filter, texts, (row) => this.getKnown(row));
  }

  /** Returns what the index knows of an instance. */
  getKnown(row: IndexedInstance): KnownInstance {
    return {
      row,
      verdicts: this.verdicts.get(row.key),
      labels: this.labels.get(row),
      scores: this.results.get(row.key),
      spread: (columns) => computeSpread(this.results.get(row.key), this.results.columns, columns),
    };
  }

  facets(): Facets {
    const distinct = (getValue: (row: IndexedInstance) => string | undefined) =>
      [...new Set(this.rows.flatMap((row) => getValue(row) ?? []))].toSorted();
    return {
      types: INSTANCE_TYPES.filter((type) => this.rows.some((row) => row.type === type)),
      factorTypes: distinct(({ factorType }) => factorType),
      preferenceTypes: distinct(({ preferenceType }) => preferenceType),
      tasks: distinct(({ task }) => task),
    };
  }

  async close(): Promise<void> {
    await this.search.close();
    await this.sources.instances.close?.();
  }

  async #read(): Promise<void> {
    const isFirst = this.#readAt === 0;
    const wasLive = this.#isLive;
    // Each source is read even if another is damaged.
    const attempt = <T>(reading: Promise<T>): Promise<T | undefined> =>
      reading.catch((error: unknown) => {
        this.#addProblem(getReason(error));
        return undefined;
      });
    // Checked before reading, so that one more pass follows a run's end.
    const sourcesLive = [
      await attempt(this.sources.instances.isLive()),
      await attempt(this.results.isLive()),
    ];
    this.#isLive = sourcesLive.includes(true);
    if (isFirst) {
      await attempt(this.verdicts.read());
      await attempt(this.labels.read());
    }
    if (isFirst || wasLive !== this.#isLive) this.warnings = (await attempt(this.#compareData())) ?? [];
    if (isFirst) this.#advance();
    const instances = attempt(this.#readInstances());
    // Both compete for the processor, and the first page comes first.
    const firstPage = new Promise<void>((resolve) => this.#waiting.push(resolve));
    await Promise.race([firstPage, instances]);
    await Promise.all([instances, attempt(this.#readResults())]);
    if (isFirst || wasLive !== this.#isLive) this.#advance();
  }

  async #compareData(): Promise<string[]> {
    const { results, sources } = this;
    const [verified, labelOrigin] = [this.verdicts.origin, this.labels.origin];
    const origins = [
      ...results.origins.map((origin) => ({ ...origin, what: 'scores' as const })),
      ...(verified === undefined ? [] : [{ ...verified, what: 'verdicts' as const }]),
      ...(labelOrigin === undefined ? [] : [{ ...labelOrigin, what: 'labels' as const }]),
    ];
    if (origins.length === 0) return [];
    const sha256 = await sources.instances.findHash();
    return origins.flatMap((origin) =>
      origin.sha256 === sha256 ? [] : describeOtherData(origin, sources.data),
    );
  }

  async #readInstances(): Promise<void> {
    let unseen = 0;
    for await (const scanned of this.sources.instances.scan()) {
      if ('problem' in scanned) {
        this.#addProblem(scanned.problem);
        continue;
      }
      const { instance, place, facts } = scanned;
      const key = buildInstanceKey(instance);
      if (this.#byKey.has(key)) {
        this.#addProblem(
          `${instance.persona_id}, ${instance.instance_type} occurs twice. The first one is shown.`,
        );
        continue;
      }
      const row: IndexedInstance = {
        ...describeInstance(instance),
        ...facts,
        key,
        place,
        version: this.#version + 1,
        texts: await this.#addTexts(instance),
      };
      this.#byKey.set(key, row);
      this.rows.push(row);
      unseen += 1;
      // The first page is shown as soon as it is complete.
      if (unseen % ROWS_PER_STEP === 0) this.#advance();
    }
    if (unseen > 0) this.#advance();
  }

  async #readResults(): Promise<void> {
    const report = (error: unknown) => this.#addProblem(getReason(error));
    if (await this.results.extend(report)) this.#advance();
  }

  async #addTexts(instance: Instance): Promise<number[]> {
    const texts = [await this.search.add(instance.current_request)];
    for (const { dialogue } of instance.prior_interactions) {
      texts.push(await this.search.add(dialogue.map(({ content }) => content).join('\n')));
    }
    return texts;
  }

  #addProblem(problem: string): void {
    // A damaged source is read again in every pass.
    if (this.#problems.includes(problem)) return;
    this.#problemCount += 1;
    this.#version += 1;
    if (this.#problems.length < PROBLEMS_LISTED) this.#problems.push(problem);
  }

  #advance(): void {
    this.#version += 1;
    this.#resume();
  }

  #resume(): void {
    const resolvers = this.#waiting;
    this.#waiting = [];
    for (const resume of resolvers) resume();
  }
}

/** Milliseconds between two passes over what a run may have added. */
const REFRESH_MS = 1_500;
const ROWS_PER_STEP = 50;
const PROBLEMS_LISTED = 10;

function describeOtherData(
  { folder, what }: { readonly folder: string; readonly what: keyof typeof COMMANDS },
  data = 'DATA',
): string {
  const [command, options] = COMMANDS[what];
  return `The ${what} in ${folder} may not fit the texts shown here: they are of other data, or of an earlier state of this data. For ${what} of this data: ${command} ${quotePath(data)} ${options} --results-dir DIR`;
}

const COMMANDS = {
  scores: ['cupid eval --task choice --data', '--model SPEC'],
  verdicts: ['cupid verify', '--model SPEC'],
  labels: ['cupid review', '--rater NAME --rater NAME'],
} as const;

function describeInstance(instance: Instance) {
  const { prior_interactions: prior, current_request: request } = instance;
  const { current_context_factor: factor, current_contextual_preference: preference } = instance;
  const dialogues = prior.map(({ dialogue }) => dialogue);
  return {
    persona: instance.persona_id,
    type: instance.instance_type,
    factor,
    preference,
    request: shortenRequest(request),
    sessions: prior.length,
    unsatisfied: dialogues.filter((dialogue) => !endedSatisfied(dialogue)).length,
    firstAnswers: dialogues.filter(endedAtFirstAnswer).length,
    leakage: computePreferenceShare(request, preference, factor),
    length: prior.reduce(
      (sum, { dialogue }) => sum + dialogue.reduce((length, { content }) => length + content.length, 0),
      0,
    ),
  };
}

/** Cuts a request between two characters: an emoji consists of two of the units that JavaScript counts. */
function shortenRequest(request: string): string {
  if (request.length <= REQUEST_CHARACTERS) return request;
  return `${request.slice(0, REQUEST_CHARACTERS).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** Two lines of the list. */
const REQUEST_CHARACTERS = 160;
