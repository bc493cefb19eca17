import { formatRepairRequest } from '../../../../rules/answers/form/checks';
import { buildAssistantHistory, buildUserSimulatorHistory } from '../../../../rules/dialogue/messages';
import { FACTOR_TYPES, TASK_TYPES } from '../../../../schemas/dataset/factor';
import { planVerdict } from '../../../../models/simulated/dialogue-plan';
import { findSides } from '../../../../models/simulated/preference';
import { NAMES } from '../../../../models/simulated/vocabulary';
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
let dialogues: { checklist: readonly string[]; dialogue: Dialogue }[];

beforeAll(async () => {
  const one = openSimulated();
  personas = [];
  for (let id = 1; id <= PERSONAS; id += 1)
    personas.push(await synthesizePersona(one, id, 3 + (id % 8), 9 + (id % 7)));
  dialogues = [];
  for (const { description, journey, checklists } of personas.slice(0, 40)) {
    for (const session of journey.sessions.slice(0, -1)) {
      const checklist = checklists.get(session.preference) ?? [];
      dialogues.push({ checklist, dialogue: await askDialogue(one, { description, session, checklist }) });
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

  test('has the occupation that its seed sentence mentions', async () => {
    const seeds = {
      'Two years before retirement, the sole accountant of a Welsh slate quarry teaches his owner.':
        'accountant',
      'This bankruptcy judge in Delaware restores pianos in her basement.': 'judge',
      'A contractor who once was no actor at all.': 'contractor',
      'Between lectures a student in Graz writes letters to nobody.': 'student',
      'Nobody knows what this one does all winter.': 'professional',
    };
    for (const [seed, occupation] of Object.entries(seeds)) {
      const [persona] = await describePersonas(openSimulated(), [{ ...sampleTemplate(1), seed }]);
      expect(persona?.occupation).toBe(occupation);
    }
  });

  test('has a name that fits the places of its seed sentence', async () => {
    const templates = ['Windhoek', 'Osaka', 'Grimsby', 'Saskatoon'].map((place, id) => ({
      ...sampleTemplate(id + 1),
      seed: `A nurse in ${place} who keeps his garden.`,
    }));
    for (const [place, { description }] of (await describePersonas(openSimulated(), templates)).entries()) {
      const [given = ''] = description.split(' ');
      const origin = NAMES.origins.find(({ places }) =>
        templates[place]?.seed.split(' ').some((word) => places.includes(word)),
      );
      expect(origin?.he).toContain(given);
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

describe('context factors', () => {
  test('come in all types before any type comes twice', () => {
    for (const { factors } of personas) {
      const types = factors.slice(0, -1).map(({ factor_type: type }) => type);
      expect(new Set(types).size).toBe(Math.min(types.length, FACTOR_TYPES.length));
    }
  });

  test('carry preferences all different within a persona and mostly between personas', () => {
    for (const { factors } of personas) {
      expect(new Set(factors.map(({ preference }) => preference)).size).toBe(factors.length);
    }
    const all = personas.flatMap(({ factors }) => factors.map(({ preference }) => preference));
    expect(new Set(all).size).toBeGreaterThan(all.length * 0.98);
  });

  test('end on a pair of one type whose preferences demand opposite things', () => {
    for (const { factors } of personas) {
      const [one, other] = factors.slice(-2);
      expect(one?.factor_type).toBe(other?.factor_type);
      expect(contradict(one?.preference ?? '', other?.preference ?? '')).toBe(true);
    }
  });

  test('have preferences as long as the published ones', () => {
    const words = personas.flatMap(({ factors }) =>
      factors.map(({ preference }) => preference.split(/\s+/).length),
    );
    expect(mean(words)).toBeGreaterThan(14);
    expect(mean(words)).toBeLessThan(22);
  });
});

describe('a journey', () => {
  test('asks without telling the preference', () => {
    for (const { journey } of personas) {
      for (const { request_with_factor: request, preference, context_factor: factor } of journey.sessions) {
        expect(request).not.toContain(preference);
        expect(request).toContain(factor);
      }
    }
  });

  test('reports it in the other version of the request', () => {
    for (const { request_with_factor_and_preference: request, preference } of allSessions()) {
      expect(request.toLowerCase()).toContain(preference.toLowerCase());
    }
  });

  test('hands something over about once in four sessions', () => {
    const share =
      allSessions().filter(({ resource }) => resource !== undefined).length / allSessions().length;
    expect(share).toBeGreaterThan(0.2);
    expect(share).toBeLessThan(0.32);
  });

  test('uses every task type', () => {
    expect(new Set(allSessions().map(({ task_type: type }) => type))).toEqual(new Set(TASK_TYPES));
  });

  test('seldom asks the same thing twice', () => {
    const requests = allSessions().map(({ request_with_factor: request }) => request);
    expect(new Set(requests).size).toBeGreaterThan(requests.length * 0.99);
  });

  test("changes the preference to one that is no other factor's", () => {
    for (const { journey, factors } of personas) {
      const last = journey.sessions.at(-1);
      const changed = last?.preference ?? '';
      const original = factors.find(({ factor }) => factor === last?.context_factor)?.preference ?? '';
      expect(factors.map(({ preference }) => preference)).not.toContain(changed);
      expect(contradict(original, changed)).toBe(true);
      expect(changed).not.toMatch(/\b(?:now|instead of before|no longer)\b/);
    }
  });
});

describe('a checklist', () => {
  test('has 2.9 questions in the mean, none of them twice', () => {
    const counts = personas.flatMap(({ checklists }) => [...checklists.values()].map(({ length }) => length));
    expect(mean(counts)).toBeGreaterThan(2.7);
    expect(mean(counts)).toBeLessThan(3.1);
    expect(new Set(counts)).toEqual(new Set([1, 2, 3, 4]));
  });

  test('asks in the words of its preference', () => {
    for (const { checklists } of personas) {
      for (const [preference, questions] of checklists) {
        for (const question of questions) {
          const rule = question.replace(/^Does the answer (.*)\?$/, '$1');
          expect(preference).toContain(rule);
        }
      }
    }
  });

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
  test('has as many user messages as one of the planned lengths, or reaches the limit', () => {
    const lengths = dialogues.map(
      ({ dialogue }) => dialogue.messages.filter(({ role }) => role === 'user').length,
    );
    for (const length of lengths) expect([2, 3, 4, 5, 6, 7, 16]).toContain(length);
  });

  test('ends with a score of 10 and only with it, the scores before never falling', () => {
    for (const { dialogue } of dialogues) {
      const scores = dialogue.turns.map(({ score }) => score);
      if (dialogue.turns.at(-1)?.decision !== 'END') {
        expect(scores).not.toContain(10);
        continue;
      }
      expect(scores).toEqual(scores.toSorted((one, other) => one - other));
      expect(scores.filter((score) => score === 10)).toEqual([10]);
    }
  });

  test('raises one dissatisfied item at a time and leaves none unmentioned in the end', () => {
    for (const { checklist, dialogue } of dialogues) {
      const selected = dialogue.turns.map((turn) => turn.selected);
      for (const turn of selected.slice(0, -1)) expect(turn.match(/dissatisfied/g)).toHaveLength(1);
      const mentioned = new Set(selected.flatMap((turn) => turn.match(/\d+/g) ?? []));
      if (dialogue.turns.at(-1)?.decision === 'END') expect(mentioned.size).toBe(checklist.length);
    }
  });

  test('keeps the user short and the assistant within six sentences', () => {
    for (const { dialogue } of dialogues) {
      for (const { role, content } of dialogue.messages.slice(1)) {
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

  test('never shows the assistant an item word for word', () => {
    for (const { checklist, dialogue } of dialogues) {
      const said = dialogue.turns.map(({ message }) => message).join(' ');
      for (const item of checklist)
        expect(said).not.toContain(item.replace(/^Does the answer (.*)\?$/, '$1'));
    }
  });

  test('changes the answer when an item is raised for the first time', () => {
    for (const { dialogue } of dialogues) {
      const answers = dialogue.messages
        .filter(({ role }) => role === 'assistant')
        .map(({ content }) => content);
      const raised = dialogue.turns.map(({ selected }) => /(\d+) \(dissatisfied\)/.exec(selected)?.[1]);
      for (const [turn, item] of raised.entries()) {
        if (item === undefined || raised.indexOf(item) < turn) continue;
        expect(answers[turn + 1]).not.toBe(answers[turn]);
      }
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

function allSessions() {
  return personas.flatMap(({ journey }) => journey.sessions);
}

/** Returns whether the two take different sides of the same choice at least once. */
function contradict(one: string, other: string): boolean {
  const others = findSides(other);
  return findSides(one).some((side) =>
    others.some(({ choice }, place) => choice === side.choice && others[place] !== side),
  );
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
