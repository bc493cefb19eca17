import { createAdaptingModel, createKnowledge, type Knowledge } from '../../../models/adapting-model';
import { openModel } from '../../../models/open';
import type { ModelRequest } from '../../../models/model';
import { fitTemplate } from '../../../models/opening';
import { parseModelSpec } from '../../../schemas/model/model-spec';
import type { ModelFacts } from '../../../schemas/model/model-table';
import * as z from 'zod';
import { ProviderServer } from './providers/provider-server';
import { ASSISTANT_FIRST, PROVIDER_CASES, requestOf, UNHURRIED } from './providers/providers';

const compatible = PROVIDER_CASES['openai-compatible'];
const server = ProviderServer.inEachTest();

const sentSchema = z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) });

function readSent(body: unknown) {
  return sentSchema.parse(body).messages;
}

const ALTERNATE = 'Conversation roles must alternate user/assistant/user/assistant/...';

/** Returns a template's error about the roles of a conversation; undefined if it accepts them. */
type Template = (roles: readonly string[]) => string | undefined;

function alternate(roles: readonly string[]): boolean {
  return roles.every((role, at) => role === (at % 2 === 0 ? 'user' : 'assistant'));
}

const TEMPLATES: Readonly<Record<string, Template>> = {
  'Mistral 7B, which knows no system message': (roles) => (alternate(roles) ? undefined : ALTERNATE),
  'Mistral Small, which may have one': (roles) =>
    alternate(roles[0] === 'system' ? roles.slice(1) : roles)
      ? undefined
      : 'After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.',
  'Gemma 2': (roles) => {
    if (roles[0] === 'system') return 'System role not supported';
    return alternate(roles) ? undefined : ALTERNATE;
  },
  Ministral: (roles) => {
    if (roles.includes('system')) return 'Only user, assistant and tool roles are supported, got system';
    return alternate(roles) ? undefined : ALTERNATE;
  },
};

function watch(): { readonly learned: ModelFacts[]; readonly knowledge: Knowledge } {
  const learned: ModelFacts[] = [];
  const known = createKnowledge();
  const learn: Knowledge['learn'] = (facts, said) => {
    learned.push(facts);
    known.learn(facts, said);
  };
  return { learned, knowledge: { ...known, learn } };
}

/** Responses of servers with a template's error. */
const SERVERS: Readonly<Record<string, (message: string) => { status: number; body: unknown }>> = {
  vLLM: (message) => ({
    status: 400,
    body: { object: 'error', message, type: 'BadRequestError', code: 400 },
  }),
  'llama.cpp': (message) => ({
    status: 500,
    body: {
      error: {
        code: 500,
        message: `While executing CallExpression: Error: Jinja Exception: ${message}`,
        type: 'server_error',
      },
    },
  }),
};

const CASES = Object.keys(TEMPLATES).flatMap((template) =>
  Object.keys(SERVERS).flatMap((name) =>
    [requestOf(), ASSISTANT_FIRST].map((request) => ({ template, name, request, form: request.form })),
  ),
);

test.each(CASES)(
  '$template behind $name takes a $form after it was learned once',
  async ({ template, name, request }) => {
    server.reply = {
      find: ({ body }) => {
        const said = TEMPLATES[template]?.(readSent(body).map(({ role }) => role));
        const rejected = said === undefined ? undefined : SERVERS[name]?.(said);
        return rejected ?? { body: compatible.answer('Hi.') };
      },
    };
    const { learned, knowledge } = watch();
    const model = await openModel(parseModelSpec(compatible.spec(server.url)), {}, { knowledge });
    await expect(model.ask(request, UNHURRIED)).resolves.toMatchObject({ text: 'Hi.' });
    const sent = readSent(server.received.at(-1)?.body);
    // No text of the request is lost.
    for (const text of [request.system, ...request.messages.map(({ content }) => content)])
      expect(sent.filter(({ content }) => content.includes(text))).toHaveLength(1);
    const [asked, lessons] = [server.received.length, learned.length];
    await model.ask(request, UNHURRIED);
    expect([server.received.length, learned.length]).toEqual([asked + 1, lessons]);
  },
);

test('a template that still rejects the conversation is an error that does not pass', async () => {
  const refusal = SERVERS['llama.cpp']?.(ALTERNATE);
  server.reply = { status: refusal?.status ?? 0, body: refusal?.body };
  const model = await openModel(parseModelSpec(compatible.spec(server.url)), {});
  await expect(model.ask(ASSISTANT_FIRST, UNHURRIED)).rejects.toMatchObject({ kind: 'bad-request' });
  expect(server.received).toHaveLength(3);
});

test('what goes out is well-formed Unicode, whatever an earlier answer held', async () => {
  const sent: ModelRequest[] = [];
  const model = createAdaptingModel(async (request) => {
    sent.push(request);
    return { text: 'Hi.', finish: 'complete', model: 'any', usage: {} };
  }, createKnowledge());
  const broken = 'half a pair \ud83d, a whole one \ud83d\ude00';
  await model.ask(requestOf({ system: broken, messages: [{ role: 'user', content: broken }] }), UNHURRIED);
  const whole = 'half a pair \ufffd, a whole one \ud83d\ude00';
  expect(sent).toEqual([requestOf({ system: whole, messages: [{ role: 'user', content: whole }] })]);
});

test('a request that a template takes stays as it is', () => {
  expect(fitTemplate(ASSISTANT_FIRST, {})).toEqual(ASSISTANT_FIRST);
});
