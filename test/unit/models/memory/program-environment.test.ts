import { buildProgramEnvironment } from '../../../../models/memory/program-environment';

const KEYS = {
  OPENAI_API_KEY: 'k',
  ANTHROPIC_API_KEY: 'k',
  TOGETHER_API_KEY: 'k',
  GOOGLE_API_KEY: 'k',
  GEMINI_API_KEY: 'k',
  OPENAI_COMPATIBLE_API_KEY: 'k',
  AWS_BEARER_TOKEN_BEDROCK: 'k',
  AWS_ACCESS_KEY_ID: 'k',
  AWS_SECRET_ACCESS_KEY: 'k',
  AWS_SESSION_TOKEN: 'k',
  HF_TOKEN: 'k',
  HUGGING_FACE_HUB_TOKEN: 'k',
  TEMPORAL_API_KEY: 'k',
  OTEL_EXPORTER_OTLP_HEADERS: 'k',
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'k',
};
const OTHERS = {
  PATH: '/bin',
  HOME: '/home/kim',
  LC_ALL: 'C.UTF-8',
  VIRTUAL_ENV: '/home/kim/.venv',
  HTTPS_PROXY: 'http://proxy:3128',
  CUDA_VISIBLE_DEVICES: '0',
  OPENAI_BASE_URL: 'http://localhost:8000/v1',
  HF_HOME: '/cache',
  AWS_REGION: 'us-east-1',
  PINECONE_API_KEY: 'own',
};

test.each<[string | undefined, string[]]>([
  [undefined, []],
  ['', []],
  ['OPENAI_API_KEY', ['OPENAI_API_KEY']],
  ['OPENAI_API_KEY,HF_TOKEN', ['OPENAI_API_KEY', 'HF_TOKEN']],
  [' OPENAI_API_KEY,  HF_TOKEN ', ['OPENAI_API_KEY', 'HF_TOKEN']],
  ['NO_SUCH_KEY', []],
])('with CUPID_MEMORY_KEYS=%s, of the keys of cupid a program receives %j', (named, passed) => {
  const given = { ...OTHERS, ...KEYS, ...(named === undefined ? {} : { CUPID_MEMORY_KEYS: named }) };
  const { variables, withheldKeys } = buildProgramEnvironment(given);
  expect(Object.keys(variables).filter((name) => name in KEYS)).toEqual(passed);
  expect(withheldKeys).toEqual(Object.keys(KEYS).filter((name) => !passed.includes(name)));
  expect(variables).toMatchObject(OTHERS);
});

test('the output of a Python program is not held back, unless the user wants it', () => {
  expect(buildProgramEnvironment({}).variables).toEqual({ PYTHONUNBUFFERED: '1' });
  expect(buildProgramEnvironment({ PYTHONUNBUFFERED: '' }).variables).toEqual({ PYTHONUNBUFFERED: '' });
});
