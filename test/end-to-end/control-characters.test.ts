import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryFolder } from '../temporary-folder';
import type { Ended } from './command';
import { runLoaded } from './loaded-command';
import { ScriptedServer } from './scripted-server';

/** Sets the clipboard, clears the screen (as two characters and as one), reverses the line. */
const HOSTILE = '\u001B]52;c;aGk=\u0007\u001B[2J\u009B2J\u202E';
const ESCAPED = String.raw`\u001b]52;c;aGk=\u0007\u001b[2J\u009b2J\u202e`;

const folder = createTemporaryFolder();
const out = join(folder, 'out');
let server: ScriptedServer;
let synthesis: Ended;

beforeAll(async () => {
  // Its first answer breaks the rules, its second is a refusal: the persona fails.
  server = await ScriptedServer.start(({ messages }) =>
    messages.length < 3
      ? `answer ${HOSTILE}`
      : { status: 400, code: 'content_filter', message: `refused ${HOSTILE}` },
  );
  const model = ['--model', server.spec('hostile'), '--n-personas', '1'];
  synthesis = await runLoaded(['synth', '--output-dir', out, ...model], { OPENAI_COMPATIBLE_API_KEY: 'key' });
});
afterAll(() => server[Symbol.asyncDispose]());

test('the failure that ends a run is printed without control characters', () => {
  expect(synthesis).toMatchObject({ code: 3 });
  expectEscaped(synthesis, `refused ${ESCAPED}`);
});

test('so are the failures and replay of the run', async () => {
  expectEscaped(await runLoaded(['failures', out]), `refused ${ESCAPED}`);
  const replayed = await runLoaded(['replay', '1', '--output-dir', out]);
  expectEscaped(replayed, `refused ${ESCAPED}`);
  expectEscaped(replayed, `answer ${ESCAPED}`);
});

test('JSON is free of them too, and holds what was said', async () => {
  const listed = await runLoaded(['failures', out, '--json']);
  expectEscaped(listed, ESCAPED);
  expect(JSON.parse(listed.stdout)).toMatchObject({
    failures: [{ cause: expect.stringContaining(`refused ${HOSTILE}`) }],
  });
});

test('so are the values of a data set that validate finds fault with', async () => {
  const file = join(folder, 'instances.jsonl');
  const instance = { persona_id: `1${HOSTILE}`, instance_type: HOSTILE, current_request: HOSTILE };
  writeFileSync(file, `${JSON.stringify(instance)}\n`);
  expectEscaped(await runLoaded(['validate', file]), ESCAPED);
});

test('so is a wrong word on the command line', async () => {
  expectEscaped(await runLoaded([HOSTILE]), ESCAPED);
  expectEscaped(await runLoaded(['status', `no-run${HOSTILE}`]), ESCAPED);
});

function expectEscaped({ stdout, stderr }: Ended, text: string): void {
  const printed = stdout + stderr;
  expect(printed).toContain(text);
  expect(printed).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
}
