const path = require('node:path');

/** May be imported anywhere. */
const TYPES = ['schemas'];
const PURE = [...TYPES, 'engine', 'rules'];
const STEPS = [...PURE, 'data', 'models'];

/**
 * For each directory, the directories that it may import besides itself. The longest matching prefix of a path counts. A directory after `type `
 * may only be imported for its types.
 */
const LAYERS = {
  schemas: [],
  engine: TYPES,
  rules: [...TYPES, 'engine'],
  data: TYPES,
  models: [...TYPES, 'engine'],
  'models/simulated': STEPS,
  activities: STEPS,
  workflows: [...PURE, 'type activities'],
  workers: [...STEPS, 'models/simulated', 'activities'],
  publishing: [...PURE, 'data'],
  runs: [...PURE, 'data', 'workers', 'workflows', 'type activities'],
  pages: [...PURE, 'data', 'publishing', 'runs', 'workers'],
  cli: [...PURE, 'data', 'publishing', 'runs', 'workers', 'pages', 'type activities', 'type workflows'],
};

/**
 * The directories inside each directory, from the bottom to the top: each may import itself and those before it. Files directly in a directory
 * may import all of them, and be imported by all.
 */
const ORDER = {
  schemas: [
    'text',
    'model',
    'matching',
    'dataset',
    'run',
    'evaluation',
    'training',
    'verification',
    'review',
  ],
  engine: ['model-facts', 'journal', 'costs', 'limits'],
  rules: [
    'texts',
    'sampling',
    'dialogue',
    'journey',
    'instances',
    'history',
    'quality',
    'answers',
    'choice',
    'method',
    'statistics',
    'scores',
    'trials',
    'verification',
    'validation',
    'analyses',
    'review',
  ],
  data: [
    'store',
    'marks',
    'outputs',
    'readers',
    'tables',
    'card',
    'folders',
    'hub',
    'sets',
    'prompts',
    'run',
  ],
  models: ['errors', 'providers', 'batches', 'memory', 'simulated'],
  activities: ['batch', 'synthesis', 'evaluation'],
  workflows: ['control', 'synthesis', 'evaluation', 'batch'],
  workers: ['telemetry', 'server', 'replay'],
  publishing: ['import', 'validation', 'export', 'review', 'benchmark', 'training', 'publication'],
  runs: [
    'folder',
    'plan',
    'tables',
    'estimate',
    'control',
    'leases',
    'drive',
    'synthesize',
    'evaluate',
    'failures',
    'steer',
    'status',
    'review',
  ],
  pages: ['charts', 'parts', 'report', 'explore', 'review'],
  cli: [
    'terminal',
    'estimate',
    'run',
    'status',
    'steer',
    'synth',
    'eval',
    'verify',
    'repair',
    'data-sets',
    'report',
    'explore',
    'review',
    'operate',
  ],
};

/** Returns the longest prefix of a path that is a layer, or undefined. */
function findLayer(file) {
  for (let prefix = file; prefix !== '.'; prefix = path.posix.dirname(prefix)) {
    if (Object.hasOwn(LAYERS, prefix)) return prefix;
  }
  return undefined;
}

/** Explains why a file may not import another one of the same directory; undefined if it may. */
function findOrderProblem(file, target) {
  const [directory, folder, ...below] = file.split('/');
  const [targetDirectory, targetFolder, ...targetBelow] = target.split('/');
  const order = ORDER[directory];
  const isBetween =
    directory === targetDirectory && folder !== targetFolder && below.length > 0 && targetBelow.length > 0;
  if (order === undefined || !isBetween) return undefined;
  const unlisted = [folder, targetFolder].find((name) => !order.includes(name));
  if (unlisted !== undefined)
    return `${directory}/${unlisted} has no place in the order of ${directory}/. Add it above the directories that it imports (ORDER in build/layers.js).`;
  if (order.indexOf(targetFolder) < order.indexOf(folder)) return undefined;
  return `${directory}/${folder} imports ${directory}/${targetFolder}, which is above it. Move what both need into the lower one, or below both (ORDER in build/layers.js).`;
}

function createRule(context) {
  const file = path.relative(context.cwd, context.filename).replaceAll(path.sep, '/');
  const layer = findLayer(file);
  if (layer === undefined) return {};
  const allowed = LAYERS[layer];

  const check = (source, isType) => {
    if (source?.type !== 'Literal' || !String(source.value).startsWith('.')) return;
    const imported = path.posix.join(path.posix.dirname(file), source.value);
    const orderProblem = findOrderProblem(file, imported);
    if (orderProblem !== undefined) context.report({ node: source, message: orderProblem });
    const target = findLayer(imported);
    if (target === undefined || target === layer || allowed.includes(target)) return;
    if (isType && allowed.includes(`type ${target}`)) return;
    const kind = allowed.includes(`type ${target}`) ? 'only types of ' : 'nothing of ';
    context.report({ node: source, message: `${layer} imports ${kind}${target} (build/layers.js).` });
  };
  const checkDeclaration = (node) => check(node.source, isTypeOnly(node));
  return {
    ImportDeclaration: checkDeclaration,
    ExportNamedDeclaration: checkDeclaration,
    ExportAllDeclaration: checkDeclaration,
    ImportExpression: checkDeclaration,
    TSImportType: (node) => check(node.source ?? node.argument?.literal, true),
    CallExpression: (node) => node.callee.name === 'require' && check(node.arguments[0], false),
  };
}

const isType = ({ importKind, exportKind }) => importKind === 'type' || exportKind === 'type';

function isTypeOnly(node) {
  const { specifiers = [] } = node;
  return isType(node) || (specifiers.length > 0 && specifiers.every(isType));
}

/** The linter's rule `cupid/layers`: no directory imports from one above it, outside or inside the same directory. */
module.exports = { ORDER, meta: { name: 'cupid' }, rules: { layers: { create: createRule } } };
