import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealJson } from '../../data/store/stored-json';
import { startStandIn, type StandIn } from '../stand-in/chat-server';
import { createTemporaryFolder } from '../temporary-folder';
import { hashDataSets, startCupid, type Ended } from './command';
import { readJournalSnapshot, listRepeated, untilJournalHas } from './journal';
import { runLoaded } from './loaded-command';
import { endLeftovers, kill } from './processes';

const folder = createTemporaryFolder();
const inFolder = (name: string) => join(folder, name);
/** A run that was killed amid its dialogues, and one that came to its end. */
const KILLED = 'killed';
const FINISHED = 'finished';

let standIn: StandIn;

beforeAll(async () => {
  standIn = await startStandIn();
  expect(await runLoaded(synthOf(FINISHED))).toMatchObject({ code: 0 });
  standIn.latency = 200;
  const running = startCupid(synthOf(KILLED));
  await untilJournalHas(inFolder(KILLED), 38, running);
  await kill(running);
  await endLeftovers();
  standIn.latency = 0;
});
afterEach(() => {
  standIn.variant = 0;
});
afterAll(() => standIn.goDown());

describe('a damaged or lost journal entry', () => {
  test('fails the persona that needs it, and names the file, what is wrong and the command', async () => {
    const name = copied(KILLED, 'damaged');
    const { file, key, persona } = early(name, 'assistant');
    changeLetter(join(inFolder(name), '.cupid', file));
    const ended = await runLoaded([...synthOf(name), '--json']);
    expect(ended.code).toBe(3);
    const { failures } = JSON.parse(ended.stdout);
    expect(failures).toMatchObject([
      {
        persona,
        kind: 'journal-damaged',
        cause: `The journal entry .cupid/${file} is damaged: its content does not match its SHA-256. To ask the model again from that call on, run: cupid retry ${inFolder(name)} --damaged`,
      },
    ]);
    // A plain retry would only come to the same entry again.
    expect(await runLoaded(['retry', inFolder(name)])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        `failed because the journal is damaged. Run cupid retry ${inFolder(name)} --damaged: it finds`,
      ),
    });
    const before = await stateOf(name);
    const repaired = await repair(name);
    expect(repaired).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
    expect(repaired.stderr).toContain(
      `(.cupid/${file}): its content does not match its SHA-256. The call and everything`,
    );
    await expectPaidOnce(name, before, [key]);
    expect(existsSync(join(inFolder(name), '.cupid', `${file.replace('journal/', 'damaged/')}.1`))).toBe(
      true,
    );
  });

  test('is found by the repair alone, also when the file is gone and the engine with it', async () => {
    const name = copied(KILLED, 'lost');
    const { file, key } = early(name, 'journey');
    rmSync(join(inFolder(name), '.cupid', file));
    rmSync(join(inFolder(name), '.cupid', 'engine'), { recursive: true });
    const before = await stateOf(name);
    const repaired = await repair(name);
    expect(repaired).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
    expect(repaired.stderr).toContain(
      `Missing: ${key}. The call and everything built on its answer are repeated.`,
    );
    await expectPaidOnce(name, before, []);
  });

  test('that was asked for again in its place shows as a changed answer, which is repaired in turn', async () => {
    const name = copied(KILLED, 'changed');
    const { file } = early(name, 'factors');
    rmSync(join(inFolder(name), '.cupid', file));
    rmSync(join(inFolder(name), '.cupid', 'engine'), { recursive: true });
    standIn.variant = 1;
    const ended = await runLoaded([...synthOf(name), '--json']);
    expect(ended.code).toBe(3);
    expect(JSON.parse(ended.stdout).failures[0]).toMatchObject({
      kind: 'answer-changed',
      cause: expect.stringContaining('an earlier answer that its request was built from has changed since'),
    });
    const before = await stateOf(name);
    expect(await repair(name)).toMatchObject({ code: 0, stdout: expect.stringContaining('no failures') });
    await expectPaidOnce(name, before, []);
  });

  test('of a finished persona is moved out of the journal, and nothing is asked or changed', async () => {
    const hashes = await hashDataSets(inFolder(FINISHED));
    const [pack = ''] = readdirSync(join(inFolder(FINISHED), '.cupid', 'packs'));
    const file = `packs/${pack}`;
    const [header = ''] = readFileSync(join(inFolder(FINISHED), '.cupid', file), 'utf8').split('\n');
    const [key] = JSON.parse(header).keys;
    const before = await stateOf(FINISHED);
    changeLetter(join(inFolder(FINISHED), '.cupid', file));
    const from = standIn.received.length;
    const repaired = await repair(FINISHED);
    expect(repaired).toMatchObject({ code: 0, stdout: expect.stringContaining('has to be repeated') });
    expect(repaired.stderr).toContain(
      `Damaged: ${key} (.cupid/${file}): its content does not match its SHA-256.`,
    );
    expect(standIn.received).toHaveLength(from);
    expect(await hashDataSets(inFolder(FINISHED))).toEqual(hashes);
    expect((await repair(FINISHED)).stderr).toContain('0 damaged, 0 missing.');
    // The other entries of its pack stay in the journal.
    await expectPaidOnce(FINISHED, before, [key]);
  });
});

test('settings that were edited are distinguished from a changed answer, and stop the run', async () => {
  const name = copied(KILLED, 'edited');
  const file = join(inFolder(name), '.cupid', 'inputs', 'prompts.json');
  const { sha256: _, ...pack } = JSON.parse(readFileSync(file, 'utf8'));
  pack.prompts['synthesis/persona_generator'].user_prompt += ' Be brief.';
  pack.hash = 'another';
  writeFileSync(file, sealJson(pack));
  rmSync(join(inFolder(name), '.cupid', 'engine'), { recursive: true });
  expect(await runLoaded(synthOf(name))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('it was requested with other settings, prompts or models'),
  });
});

function synthOf(name: string): string[] {
  return [
    'synth',
    `--output-dir=${inFolder(name)}`,
    `--model=${standIn.spec}`,
    '--n-personas=1',
    '--n-sessions=9',
    '--max-turns=3',
    '--concurrency=8',
  ];
}

/** Runs the one documented command, with a model that answers differently the second time. */
async function repair(name: string): Promise<Ended> {
  standIn.variant = 7;
  return runLoaded(['retry', inFolder(name), '--damaged', '--trust']);
}

function copied(from: string, name: string): string {
  cpSync(inFolder(from), inFolder(name), { recursive: true });
  return name;
}

/** Finds the entry of an answer of that step on which others were built. */
function early(name: string, step: string): { file: string; key: string; persona: number } {
  const journal = join(inFolder(name), '.cupid', 'journal');
  const files = readdirSync(journal).flatMap((workflow) =>
    readdirSync(join(journal, workflow)).map((entry) => ({ workflow, entry })),
  );
  for (const { workflow, entry } of files) {
    const dialogue = files.filter((one) => one.workflow === workflow).length;
    if (!entry.startsWith(`r0.${step}.`) || !entry.includes('.a0.')) continue;
    if (['assistant', 'user'].includes(step) && (dialogue < 3 || !entry.includes('.t1.'))) continue;
    const id = decodeURIComponent(workflow);
    return {
      file: `journal/${workflow}/${entry}`,
      key: `${id}#${entry.replace('.json', '')}`,
      persona: Number(/\/p(\d+)/.exec(id)?.[1]),
    };
  }
  throw new Error(`No answer of step ${step} was given before the kill.`);
}

function changeLetter(file: string): void {
  const text = readFileSync(file, 'utf8');
  const at = text.indexOf('"text":"') + 12;
  writeFileSync(file, `${text.slice(0, at)}${text[at] === 'e' ? 'a' : 'e'}${text.slice(at + 1)}`);
}

async function stateOf(name: string) {
  return { journal: await readJournalSnapshot(inFolder(name)), received: standIn.received.length };
}

/** Expects an entry for every request since then, and no other entry changed. @param gone keys of entries that were moved away */
async function expectPaidOnce(
  name: string,
  before: Awaited<ReturnType<typeof stateOf>>,
  gone: readonly string[],
): Promise<void> {
  const after = await stateOf(name);
  expect(listRepeated(before.journal, after.journal)).toEqual(gone);
  const added = [...after.journal.keys()].filter((key) => !before.journal.has(key));
  expect(after.received - before.received).toBe(added.length);
}
