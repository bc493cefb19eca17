import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Metrics } from '../../../../workers/telemetry/metrics';

const ROOT = join(__dirname, '..', '..', '..', '..');

test('every metric is described, and the dashboard, the alerts and the documentation name no other', async () => {
  const text = await new Metrics().render();
  const known = new Set([...text.matchAll(/^# TYPE (cupid_\w+)/gm)].map(([, name]) => name));
  const used = (file: string) =>
    new Set(
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bcupid_[a-z_]*[a-z]\b/g)].map(([name]) =>
        name.replace(/_(?:bucket|count|sum)$/, ''),
      ),
    );
  const documented = used('docs/telemetry.md');
  documented.delete('cupid_run');
  expect([...documented].toSorted()).toEqual([...known].toSorted());
  for (const file of ['deploy/grafana/cupid.json', 'deploy/alerts.yaml']) {
    expect(used(file).size).toBeGreaterThan(4);
    expect([...used(file)].filter((name) => !known.has(name))).toEqual([]);
  }
});
