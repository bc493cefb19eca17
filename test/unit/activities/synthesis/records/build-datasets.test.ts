import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildDatasets } from '../../../../../activities/synthesis/records/build-datasets';
import { readCard } from '../../../../../data/card/read';
import { writePersona } from '../../../../../data/run/artifacts';
import { writePlan } from '../../../../../data/run/inputs';
import { deriveCanary } from '../../../../../data/marks/canary';
import { readMarks } from '../../../../../data/sets/open';
import { DATASETS } from '../../../../../data/run/outputs';
import { readProvenance } from '../../../../../data/sets/provenance';
import { readWholeProvenance } from '../../../../../data/sets/provenance';
import { createFolderStore } from '../../../../../data/store/store';
import { isSimulatedRun } from '../../../../../engine/model-facts/roles';
import { drawStructure } from '../../../../../rules/journey/structure';
import { readSynthesisFiles } from '../../../../../workers/world';
import { castModel, planSmallRun } from '../../../../planned-run';
import { createTemporaryFolder } from '../../../../temporary-folder';
import { openIdleWorld } from '../../../workers/idle-world';
import { buildSoundRecords } from '../../../publishing/sound-data';
import { buildExampleRecord } from '../../../rules/examples';

const folder = createTemporaryFolder();

test.each([
  ['simulated', true],
  ['synthetic', false],
])(
  'data of other models, with personas of a data set with the tag %s: simulated is %s everywhere',
  async (tag, simulated) => {
    const place = join(folder, tag);
    const file = join(folder, 'people.jsonl');
    writeFileSync(file, JSON.stringify({ description: 'Ana bakes.', occupation: 'Baker' }));
    writeFileSync(join(folder, 'README.md'), `---\nlicense: odc-by\ntags: [${tag}]\n---\n`);
    const plan = await planSmallRun({ models: castModel('openai:gpt-4o') }, { personas: file });
    expect(isSimulatedRun(plan.inputs)).toBe(simulated);
    const store = createFolderStore(place);
    await writePlan(store, plan);
    const [record] = buildSoundRecords(1);
    if (record === undefined) throw new Error('There is no record.');
    await writePersona(store, 1, { ...KEPT, record });
    const run = await readSynthesisFiles(store, { codeVersion: 'test', scratch: join(place, 'scratch') });
    await buildDatasets(openIdleWorld(run, new Set()), { run: run.id });

    for (const name of [DATASETS.unverifiedCard, DATASETS.rawCard]) {
      expect(readCard((await store.read(name)) ?? '')).toMatchObject({
        simulated: simulated || undefined,
        license: 'odc-by',
      });
    }
    const origins = await readProvenance(join(place, DATASETS.provenance));
    expect([...origins.values()].map((origin) => origin.simulated)).toEqual(Array(3).fill(simulated));
  },
);

test('a row has the version of the code that kept its record, and all files the canary of the first one', async () => {
  const store = createFolderStore(join(folder, 'store'));
  const plan = await planSmallRun({ nPersonas: 3 });
  await writePlan(store, plan);
  await keep(1, 'old');
  await keep(2, 'new');
  await keep(3, 'new');

  const run = await readSynthesisFiles(store, { codeVersion: 'new', scratch: join(folder, 'scratch') });
  await buildDatasets(openIdleWorld(run, new Set()), { run: run.id });
  const versions = new Map<string, string>();
  for await (const row of readWholeProvenance(join(folder, 'store', DATASETS.provenance))) {
    versions.set(row.persona_id, row.code_version);
  }
  expect([...versions]).toEqual([
    ['1+baker', 'old'],
    ['2+baker', 'new'],
    ['3+baker', 'new'],
  ]);
  const canary = deriveCanary(buildRecord(1));
  for (const name of [DATASETS.unverified, DATASETS.unverifiedArrow, DATASETS.raw]) {
    const file = { path: join(folder, 'store', name), name };
    expect(await readMarks(file)).toEqual({ simulated: true, canary });
  }
  for (const card of [DATASETS.unverifiedCard, DATASETS.rawCard]) {
    expect(readCard((await store.read(card)) ?? '').canary).toBe(canary);
    expect(await store.read(card)).toContain('Versions of the code: `new`, `old`.');
  }

  function buildRecord(persona: number) {
    const structure = drawStructure({ nSessions: 13, seed: plan.inputs.settings.seed, personaId: persona });
    return buildExampleRecord(structure, persona);
  }

  function keep(persona: number, version: string): Promise<void> {
    const sessions = Array.from({ length: 12 }, (_, index) => index + 1);
    return writePersona(store, persona, {
      ...KEPT,
      record: buildRecord(persona),
      workflow_id: `run/p${persona}`,
      selections: sessions.map((session) => ({ session, items: [] })),
      scores: sessions.map((session) => ({ session, scores: [10] })),
      answered_by: ['simulated:default'],
      code_version: version,
    });
  }
});

const KEPT = {
  workflow_id: 'cupid-1a2b3c4d/p1',
  disagreements: [],
  selections: [],
  scores: [],
  dialogue_tokens: [],
  answered_by: ['gpt-4o'],
  code_version: 'test',
  calls: 1,
  bad_answers: 0,
  input_tokens: null,
  output_tokens: null,
};
