import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { buildMarks, MANIFEST } from '../../data/marks/marks';
import { buildJsonConfigurations } from '../../data/card/dataset-info';
import { withCanary, withLicenseOf } from '../../data/card/edit';
import { renderFrontMatter } from '../../data/card/front-matter';
import { formatLicenseSentence, UNKNOWN_LICENSE } from '../../data/card/licenses';
import { formatCode } from '../../data/card/markdown';
import { describeHistory } from '../../data/card/history';
import type { DataSet } from '../../data/sets/data-set';
import { CARD } from '../../data/folders/folder';
import { getSplit, SPLIT_RULE, SPLIT_SALT } from '../../data/sets/persona-split';
import { hashText, writeHashed } from '../../data/store/files';
import { LABEL_COLUMNS, REPLAY_COLUMNS } from '../../data/tables/columns';
import { RowFile } from '../../data/store/row-file';
import { writeTextPart } from '../../data/store/new-folder';
import { version } from '../../package.json';
import { groupBy } from '../../rules/group-by';
import { type EvidenceRow, findEvidence, type PriorSession } from '../../rules/instances/relevance';
import { formatSessionId, replaySessions } from '../../rules/instances/replay';
import type { WrittenPart } from '../../schemas/dataset/export';
import type { Instance, PriorInteraction } from '../../schemas/dataset/instance';
import { buildInstanceKey } from '../../schemas/dataset/instance-type';
import type { LabelRow, ReplayRow } from '../../schemas/dataset/replay';
import { SPLITS } from '../../schemas/dataset/split';
import type { LongHistory } from './history';
import { SIMULATED_NOTE } from './reference';
import type { ExportSource } from './source';

/**
 * Writes instances for memory systems: in `sessions.jsonl` all that a system may read, in `labels.jsonl` what its answers are compared with. Ids are
 * hashes, and rows are sorted by them, so that neither reveals a type.
 */
export async function writeMemoryData(
  folder: string,
  source: ExportSource<Instance>,
  { source: name, commit, sha256 }: DataSet,
  history: LongHistory | undefined,
): Promise<{ readonly rows: number; readonly parts: WrittenPart[] }> {
  const replays = new RowFile();
  try {
    const rows: LabelledRow[] = [];
    const selectLabels = createLabelSelector();
    for await (const instance of source.rows()) {
      const shownInstance = (await history?.extend(instance)) ?? instance;
      rows.push({
        ...instance,
        prior_interactions: instance.prior_interactions.map(selectLabels),
        shownSessions: shownInstance.prior_interactions.map(selectLabels),
        replay: await replays.add(buildReplay(shownInstance)),
      });
    }
    const sorted = rows.toSorted((a, b) => (getId(a) < getId(b) ? -1 : 1));
    const files = [
      await writeLines(folder, SESSIONS.path, sorted, ({ replay }) => replays.read(replay)),
      await writeLines(folder, LABELS.path, sorted, createLabeller(rows)),
    ];
    const manifest = {
      ...buildMarks(source),
      ...(source.simulated === false && { simulated: false }),
      cupid: version,
      data: { source: name, commit, sha256 },
      ...(history !== undefined && { history: { tokens: history.tier, seed: history.seed } }),
      files,
      split: { rule: SPLIT_RULE, salt: SPLIT_SALT, splits: countSplits(rows) },
    };
    return {
      rows: rows.length,
      parts: [
        ...files.map(({ path, rows: count, bytes }) => ({ path, files: 1, rows: count, bytes })),
        await writeTextPart(folder, CARD, renderMemoryCard(source, name, history)),
        await writeTextPart(folder, MANIFEST, `${JSON.stringify(manifest, null, 2)}\n`),
      ],
    };
  } finally {
    await replays.close();
  }
}

const SESSIONS = { name: 'sessions', path: 'sessions.jsonl', columns: REPLAY_COLUMNS };
const LABELS = { name: 'labels', path: 'labels.jsonl', columns: LABEL_COLUMNS };

/** Renders the card, by which `datasets` loads the sessions, or with the name of their configuration the labels. */
function renderMemoryCard(
  { simulated, canary, card = '', finishCard = (text) => text }: ExportSource<Instance>,
  name: string,
  history: LongHistory | undefined,
): string {
  const cardText = [
    renderFrontMatter({
      tags: ['cupid', 'memory', ...(simulated === true ? ['simulated'] : [])],
      pretty_name: 'CUPID for memory systems',
      ...buildJsonConfigurations([SESSIONS, LABELS]),
    }).trimEnd(),
    ...(simulated === true ? [SIMULATED_NOTE] : []),
    '# CUPID for memory systems',
    `Sessions and labels of ${formatCode(name)}. A memory system reads only the configuration \`sessions\`; its answers are compared with the ` +
      'configuration `labels`. Rows of both with the same `id` belong together.',
    ...(history === undefined ? [] : [describeHistory(history)]),
    `## License\n\n${formatLicenseSentence(UNKNOWN_LICENSE)}\n`,
  ].join('\n\n');
  return withCanary(finishCard(withLicenseOf(cardText, card)), canary);
}

/** A row without its dialogues, which may be too large for memory. */
type LabelledRow = Omit<Instance, 'prior_interactions'> &
  EvidenceRow & {
    /** The sessions that the system sees: its own ones, perhaps with those of other personas. */
    readonly shownSessions: readonly PriorSession[];
    readonly replay: number;
  };

/** Creates a function that returns the labels of a session: each pair once, since long histories repeat thousands. */
function createLabelSelector(): (session: PriorInteraction) => PriorSession {
  const sessions = new Map<string, PriorSession>();
  return ({ context_factor, contextual_preference }) => {
    const key = `${context_factor}\u0000${contextual_preference}`;
    const session = sessions.get(key) ?? { context_factor, contextual_preference };
    sessions.set(key, session);
    return session;
  };
}

function buildReplay(instance: Instance): ReplayRow {
  return {
    id: getId(instance),
    persona: hashId(instance.persona_id),
    split: getSplit(instance.persona_id),
    sessions: replaySessions(instance),
    request: instance.current_request,
  };
}

function getId(row: Pick<Instance, 'persona_id' | 'instance_type'>): string {
  return hashId(buildInstanceKey(row));
}

function hashId(text: string): string {
  return hashText(`${ID_SALT}:${text}`).slice(0, 16);
}

/** It never changes, so that a row keeps its id. */
const ID_SALT = 'cupid-memory-1';

function createLabeller(rows: readonly LabelledRow[]): (row: LabelledRow) => LabelRow {
  const personas = groupBy(rows, (row) => row.persona_id);
  return (row) => {
    const siblings = personas.get(row.persona_id) ?? [];
    const pair = siblings.find(({ instance_type: type }) => type === PARTNERS[row.instance_type]);
    const { evidence, stale, contrastive } = findEvidence(
      { ...row, prior_interactions: row.shownSessions },
      siblings,
    );
    return {
      id: getId(row),
      persona_id: row.persona_id,
      instance_type: row.instance_type,
      context_factor: row.current_context_factor,
      preference: row.current_contextual_preference,
      checklist: row.current_checklist,
      evidence: evidence.map(formatSessionId),
      stale: stale.map(formatSessionId),
      contrastive: contrastive.map(formatSessionId),
      pair: pair === undefined ? null : getId(pair),
    };
  };
}

/** Types whose rows differ only in whether the preference changed. */
const PARTNERS: Readonly<Record<string, string>> = { consistent: 'changing', changing: 'consistent' };

async function writeLines(
  folder: string,
  path: string,
  rows: readonly LabelledRow[],
  build: (row: LabelledRow) => unknown,
) {
  async function* encode(): AsyncGenerator<Uint8Array> {
    for (const row of rows) yield Buffer.from(`${JSON.stringify(await build(row))}\n`);
  }
  const { bytes, digest } = await writeHashed(join(folder, path), encode(), createHash('sha256'));
  return { path, rows: rows.length, bytes, sha256: digest };
}

function countSplits(rows: readonly LabelledRow[]): object {
  return Object.fromEntries(
    SPLITS.map((split) => {
      const splitRows = rows.filter(({ persona_id: persona }) => getSplit(persona) === split);
      return [
        split,
        { personas: new Set(splitRows.map((row) => row.persona_id)).size, rows: splitRows.length },
      ];
    }),
  );
}
