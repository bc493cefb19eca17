import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Metrics } from '../../../../workers/telemetry/metrics';

const ROOT = join(__dirname, '..', '..', '..', '..');

test('every metric is described, and the dashboard, the alerts and the documentation name no other', async () => {
  const text = await new Metrics().render();
  const known = new Set([...text.matchAll(/^# TYPE (cupid_\w+)/gm)].map(([, name = '']) => name));
  const documented = readUsedNames('docs/telemetry.md');
  documented.delete('cupid_run');
  expect([...documented].toSorted()).toEqual([...known].toSorted());
  for (const file of ['deploy/grafana/cupid.json', 'deploy/alerts.yaml']) {
    expect(readUsedNames(file).size).toBeGreaterThan(4);
    expect([...readUsedNames(file)].filter((name) => !known.has(name))).toEqual([]);
  }
});

test('a paused run is shown as paused, and by what', async () => {
  const metrics = new Metrics();
  const state = {
    spent: { usd: 2, tokens: 900 },
    steering: {},
    pause: { by: 'budget' },
    workers: [],
  } as const;
  metrics.measure({ run: 'cupid-1', models: [], waiting: () => 0, state: async () => state });
  const text = await metrics.render();
  expect(text).toContain('cupid_run_paused{run="cupid-1",by="budget"} 1');
  expect(text).toContain('cupid_run_paused{run="cupid-1",by="user"} 0');
});

/** Reads the names of our metrics in a file; the parts of a histogram count as its name. */
function readUsedNames(file: string): Set<string> {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const names = [...text.matchAll(/\bcupid_[a-z_]*[a-z]\b/g)];
  return new Set(names.map(([name]) => name.replace(/_(?:bucket|count|sum)$/, '')));
}
