import { formatWorkflowLink } from '../../../../pages/explore/workflow-link';

test.each([
  ['embedded', 'http://127.0.0.1:8233/namespaces/default/workflows/cupid-1a2b3c4d%2Fp3'],
  [undefined, 'http://127.0.0.1:8233/namespaces/default/workflows/cupid-1a2b3c4d%2Fp3'],
  [
    'cluster.example:7233 prod.a1b2',
    'http://127.0.0.1:8233/namespaces/prod.a1b2/workflows/cupid-1a2b3c4d%2Fp3',
  ],
])('the workflow of a run on %j is in its namespace', (engine, expected) => {
  expect(formatWorkflowLink('http://127.0.0.1:8233', engine, 'cupid-1a2b3c4d/p3')).toBe(expected);
});
