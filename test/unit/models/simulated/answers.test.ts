import { formatRepairRequest } from '../../../../rules/answers/form/checks';
import { buildAssistantHistory, buildUserSimulatorHistory } from '../../../../rules/dialogue/messages';
import { planVerdict } from '../../../../models/simulated/dialogue-plan';
import {
  type Dialogue,
  ask,
  describe as describePersonas,
  askDialogue,
  openSimulated,
  requestOf,
  synthesizePersona,
  sampleTemplate,
} from './persona';

const PERSONAS = 200;

type Synthesized = Awaited<ReturnType<typeof synthesizePersona>>;

let personas: Synthesized[];
let dialogues: Dialogue[];

beforeAll(async () => {
  const one = openSimulated();
  personas = [];
  for (let id = 1; id <= PERSONAS; id += 1)
    personas.push(await synthesizePersona(one, id, 3 + (id % 8), 9 + (id % 7)));
  dialogues = [];
  for (const { description, journey, checklists } of personas.slice(0, 40)) {
    for (const session of journey.sessions.slice(0, -1)) {
      const checklist = checklists.get(session.preference) ?? [];
      dialogues.push(await askDialogue(one, { description, session, checklist }));
    }
  }
});

describe('every answer passes the checker of its step', () => {
  test('for 200 personas with 3 to 10 factors and 9 to 15 sessions', () => {
    expect(new Set(personas.map(({ factors }) => factors.length))).toEqual(
      new Set([3, 4, 5, 6, 7, 8, 9, 10]),
    );
    expect(new Set(personas.map(({ structure }) => structure.length))).toEqual(
      new Set([9, 10, 11, 12, 13, 14, 15]),
    );
  });

  test('for batches of any size, in their order', async () => {
    const templates = [3, 1, 4, 15, 9].map(sampleTemplate);
    const described = await describePersonas(openSimulated(), templates);
    for (const [place, { description }] of described.entries()) {
      expect(description).toContain(templates[place]?.seed.replace(/\.$/, ''));
    }
  });
});

describe('a persona', () => {
  test('is described in six sentences that begin with name, age and pronouns', () => {
    for (const { description } of personas) {
      expect(description).toMatch(/^\p{Lu}\S* [^,]+, \d\d, (?:she\/her|he\/him|they\/them), is an? /u);
      const quoted = description.replace(/“[^”]*”/, '');
      expect(quoted.match(/\.(?= |$)/g)).toHaveLength(6);
    }
  });

  test('leaves no slot unfilled', () => {
    for (const persona of personas) {
      // Code in a resource has braces of its own.
      const sessions = persona.journey.sessions.map((session) => ({ ...session, resource: '' }));
      expect(JSON.stringify([persona.description, persona.factors, sessions])).not.toMatch(
        /\{\w+\}|undefined/,
      );
    }
  });

  test('shares its description with nobody', () => {
    expect(new Set(personas.map(({ description }) => description)).size).toBe(PERSONAS);
    const middle = personas.map(({ description }) => description.split('. ').slice(1, 4).join('. '));
    expect(new Set(middle).size).toBe(PERSONAS);
    expect(new Set(personas.map(({ description }) => description.split(',')[0])).size).toBeGreaterThan(
      PERSONAS * 0.97,
    );
  });
});

describe('a checklist', () => {
  test('is found for preferences in the words of other models', async () => {
    const request = requestOf('checklist', {
      preferences:
        'Summaries must cite at least two studies, flag open questions and avoid marketing language.',
    });
    const { text } = await ask(openSimulated(), request);
    expect(text).toContain('cite at least two studies?');
    expect(text).toContain('flag open questions?');
    expect(text).toContain('avoid marketing language?');
  });
});

describe('a dialogue', () => {
  test('keeps the user short and the assistant within six sentences', () => {
    for (const { messages } of dialogues) {
      for (const { role, content } of messages.slice(1)) {
        const sentences = content.split(/(?<=(?<!\b(?:Dr|Mr|Mrs|Ms|No))[.!?])["”)]*\s+/).length;
        expect(sentences).toBeLessThanOrEqual(role === 'user' ? 5 : 6);
      }
    }
  });

  test('never has the same message of the user twice, not even when nothing satisfies the user', async () => {
    const [persona] = personas;
    const session = persona?.journey.sessions.find(({ resource }) => resource === undefined);
    if (persona === undefined || session === undefined) throw new Error('no persona');
    const checklist = (persona.checklists.get(session.preference) ?? []).slice(0, 2);
    const requests = Array.from({ length: 2000 }, (_, day) => `Help me plan day ${day}.`);
    const endless = requests.filter(
      (opening) =>
        planVerdict(
          buildUserSimulatorHistory(opening, [])[0]?.content ?? '',
          persona.description,
          checklist,
          15,
        ).raised !== undefined,
    );
    expect(endless.length).toBeGreaterThan(0);
    for (const request of endless) {
      const plain = { ...session, request_with_factor: request };
      const { description } = persona;
      const { turns } = await askDialogue(openSimulated(), { description, session: plain, checklist });
      const messages = turns.map(({ message }) => message);
      expect(messages).toHaveLength(15);
      expect(new Set(messages).size).toBe(15);
    }
  });

  test('continues as planned when a bad answer had to be corrected', async () => {
    const one = openSimulated();
    const history = buildAssistantHistory('Please plan a season plan for me. It is due on Thursday.', []);
    const corrected = [
      ...history,
      { role: 'assistant' as const, content: 'Hm.' },
      { role: 'user' as const, content: formatRepairRequest('it was too short.') },
    ];
    const { text } = await ask(one, requestOf('assistant', {}, corrected));
    expect(text).toContain('season plan');
    expect(text).not.toMatch(/rework|once more|again/);
  });

  test('works with a checklist in the words of other models', async () => {
    const persona = personas[0];
    const session = persona?.journey.sessions[0];
    if (persona === undefined || session === undefined) throw new Error('no persona');
    const checklist = ['Is every figure checked twice?', 'Is the tone suitable for neighbours?'];
    const dialogue = await askDialogue(openSimulated(), {
      description: persona.description,
      session,
      checklist,
    });
    expect(dialogue.turns.length).toBeGreaterThan(0);
  });
});
