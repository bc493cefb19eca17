import { writeFileSync } from 'node:fs';
import { dialogueOf, model, synthesize } from './persona';
import { simulatedModel } from '../../simulated/model';

test('timing and look', async () => {
  const times: Record<string, number[]> = {};
  const inner = simulatedModel({ provider: 'simulated', model: 'default', options: {} });
  const one: ReturnType<typeof model> = { ask: async (request, signal) => { const s = performance.now(); const a = await inner.ask(request, signal); (times[request.step] ??= []).push(performance.now() - s); return a; } };
  const out: string[] = []; const text: string[] = []; const subj: Record<string, number> = {};
  const occ: Record<string, number> = {};
  for (let id = 1; id <= 400; id += 1) {
    const p = await synthesize(one, id);
    occ[p.occupation] = (occ[p.occupation] ?? 0) + 1;
    if (id % 40 === 0) {
      out.push(p.description, '', ...p.factors.map((f) => `${f.factor_type} | ${f.factor} | ${f.preference_type} | ${f.preference} | ${f.background}`), '', ...p.journey.sessions.map((s) => `${s.id} ${s.task_type} | ${s.story} | ${s.request_with_factor.replaceAll('\n', '/')} | ${s.resource ?? ''}`), '', "A': " + p.journey.changedPreference + '  A: ' + p.journey.preferenceA, '');
    }
    if (id <= 30) for (const s of p.journey.sessions.slice(0, -1)) { const d = await dialogueOf(one, { description: p.description, session: s, checklist: p.checklists.get(s.preference) ?? [] }); text.push(...d.messages.map((m) => m.content)); }
  }
  out.push(JSON.stringify(occ));
  for (const [k, v] of Object.entries(times)) { v.sort((a, b) => a - b); out.push(`${k} n=${v.length} mean=${(v.reduce((a, b) => a + b, 0) / v.length).toFixed(3)} p50=${v[v.length >> 1]?.toFixed(3)} max=${v.at(-1)?.toFixed(2)}`); }
  writeFileSync('/tmp/look.txt', out.join('\n'));
});
