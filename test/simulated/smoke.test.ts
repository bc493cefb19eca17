import { dialogueOf, model, synthesize } from './persona';

test('smoke', async () => {
  const one = model();
  const out: string[] = [];
  for (let id = 1; id <= 60; id += 1) {
    const persona = await synthesize(one, id, 3 + (id % 8), 9 + (id % 7));
    if (id > 4) continue;
    out.push(
      persona.occupation,
      persona.description,
      JSON.stringify(persona.factors, null, 1),
      JSON.stringify(persona.journey.sessions, null, 1),
    );
    for (const session of persona.journey.sessions.slice(0, 4)) {
      const checklist = persona.checklists.get(session.preference) ?? [];
      const dialogue = await dialogueOf(one, { description: persona.description, session, checklist });
      out.push(
        session.preference,
        JSON.stringify(checklist),
        ...dialogue.messages.map((m) => `${m.role.toUpperCase()}: ${m.content}`),
        dialogue.turns.map((t) => t.score).join(' '),
        '',
      );
    }
  }
  require('node:fs').writeFileSync('/tmp/smoke.txt', out.join('\n'));
});
