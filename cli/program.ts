import { Command, Option } from 'commander';
import { PREFMATCHER_SERVER, PUBLISHED_DATA } from '../data/published-data';
import { requireLimits } from '../data/store/machine-limits';
import { CONTEXT_FORMS, HISTORY_TIERS, MEMORY_BUDGET } from '../schemas/evaluation/context';
import { INSTANCE_TYPES } from '../schemas/dataset/instance-type';
import { MOST_IN_ONE_ANSWER, MOST_SESSIONS } from '../schemas/run/journey-parts';
import { formatNumber } from '../schemas/text/count-text';
import { addDataCommands } from './data-commands';
import { formatUsageError } from './error-text';
import { parseSpecsOption, buildWordsParser } from './eval/parse-options';
import { addStudyOptions } from './eval/study-options';
import type { RunCommand } from './exit';
import {
  addCarryOutOptions,
  addSteeringOptions,
  buildNumberParser,
  buildSharedOption,
  buildWordParser,
  parseAdapterOption,
  parsePath,
  parsePaths,
  parsePersonaNumbers,
  parseSessions,
  parseSpecOption,
  parseTimeOption,
  requireOptions,
} from './options';
import { print, printMessage, setRunFolder } from './output';
import { addRunCommands } from './run-commands';
import { addReview } from './review/declare';
import { addVerify } from './verify/declare';
import { SPEC_HELP } from './spec-help';
import { describeVersion } from './version';

/**
 * Creates the command line `cupid`. Each command is loaded from its own file when it runs.
 * @param exit receives the exit code of the command that ran
 */
export function buildProgram(exit: (code: number) => void): Command {
  // An earlier command of this process may have set it.
  setRunFolder(undefined);
  const program = new Command('cupid')
    .description('Generate CUPID benchmark data and evaluate models on it, durably, on Temporal.')
    .version(describeVersion())
    .exitOverride()
    // Commander ends what it prints with a line break, as these do.
    .configureOutput({
      writeOut: (text) => print(text.replace(/\n$/, '')),
      writeErr: (text) => printMessage(text.replace(/\n$/, '')),
      outputError: (text, write) => write(formatUsageError(text)),
    })
    .hook('preAction', (_, command) => {
      setRunFolder(findNamedRun(command));
      if (ENGINE_COMMANDS.has(command.name())) requireLimits();
    })
    .showHelpAfterError('(add --help for options and examples)')
    .addHelpText('after', PROGRAM_EXAMPLES);
  const run: RunCommand =
    (load) =>
    async (...args) =>
      exit(await (await load())(...args));
  addSynth(program, run);
  addEval(program, run);
  addVerify(program, run);
  addReview(program, run);
  addRunCommands(program, run);
  addDataCommands(program, run);
  addServer(program, run);
  addDoctor(program, run);
  addModels(program, run);
  for (const { options } of program.commands) options.forEach(parseChoices);
  return program;
}

/** Has an option with choices parse them, so that the message about a mistyped one says what it may mean. */
function parseChoices(option: Option): void {
  if (option.argChoices !== undefined) option.argParser(buildWordParser(option.argChoices));
}

/** Commands that run workers or a server, which need more of the machine than those that only read. */
const ENGINE_COMMANDS: ReadonlySet<string> = new Set([
  'synth',
  'eval',
  'verify',
  'retry',
  'worker',
  'server',
]);

/** Finds the run that a command line names: with an option, or as its only argument. */
function findNamedRun(command: Command): string | undefined {
  const { outputDir, resultsDir } =
    command.opts<Readonly<Partial<Record<'outputDir' | 'resultsDir', string>>>>();
  // Elsewhere, --output-dir names a folder to write to. The argument of replay names a bundle or a dialogue.
  if (['synth', 'server', 'replay'].includes(command.name())) return outputDir ?? resultsDir;
  const [run, ...furtherArguments] = command.args;
  return resultsDir ?? (furtherArguments.length === 0 ? run : undefined);
}

function addSynth(program: Command, run: RunCommand): void {
  const synth = program
    .command('synth')
    .description('generate personas, dialogues and benchmark instances')
    .option('--output-dir <dir>', 'run folder; repeat the command to continue the run (required)', parsePath)
    .option('--model <spec>', 'model that generates the data, as provider:model (required)', parseSpecOption)
    .option('--user-model <spec>', 'model that plays the user (default: --model)', parseSpecOption)
    .option('--assistant-model <spec>', 'model that plays the assistant (default: --model)', parseSpecOption)
    .option(
      '--n-personas <n>',
      'number of personas; each yields three instances (default: those of the run; of a new one 4, or all of --personas)',
      buildNumberParser(1),
    )
    .option(
      '--n-factors <n>',
      'context factors per persona, including the contrastive pair',
      buildNumberParser(3),
      8,
    )
    .option(
      '--n-sessions <n>',
      `sessions per persona, up to ${MOST_SESSIONS}; journeys of more than ${MOST_IN_ONE_ANSWER} are planned in parts`,
      parseSessions,
      13,
    )
    .option('--max-turns <n>', 'maximum user messages per dialogue', buildNumberParser(1), 16)
    .addOption(buildSharedOption('concurrency', 'maximum model calls in flight in this process').default(32));
  addSteeringOptions(synth);
  synth
    .addOption(buildSharedOption('seed').default(42))
    .option(
      '--seeds <file>',
      "seed sentences: PersonaHub's instruction.jsonl, or a text file with one sentence per line (default: built in)",
      parsePath,
    )
    .addOption(
      new Option(
        '--personas <file>',
        'ready persona descriptions instead of seeds: JSON lines, CSV, Parquet or Arrow with description and occupation',
      )
        .argParser(parsePath)
        .conflicts('seeds'),
    )
    .option(
      '--taxonomy <file>',
      "YAML file with your own factor_types, task_types and preference_types (default: the paper's)",
      parsePath,
    )
    .addOption(buildSharedOption('prompts'))
    .addOption(buildSharedOption('settings'))
    .option(
      '--only <numbers>',
      'with --regenerate: the personas to regenerate, for example 17,42',
      parsePersonaNumbers,
    )
    .option('--regenerate', 'regenerate the personas named by --only from their descriptions')
    .option('--redescribe', 'with --regenerate: regenerate their descriptions as well')
    .addOption(buildSharedOption('estimate'))
    .addOption(
      new Option(
        '--require-satisfied [dialogues]',
        'leave out personas with a dialogue that never satisfied the user: any dialogue, or only one whose preference an instance tests',
      )
        .choices(['all', 'relevant'])
        .preset('all'),
    )
    .addOption(buildSharedOption('store'))
    .addOption(buildSharedOption('batch').preset('25h'))
    .addOption(buildSharedOption('check'))
    .addOption(buildSharedOption('profile'))
    .addOption(buildSharedOption('trust'))
    .addOption(buildSharedOption('telemetry'))
    .addOption(buildSharedOption('json', 'print the result as JSON, without progress'))
    .addHelpText('after', SYNTH_EXAMPLES)
    .action(run(async () => (await import('./synth/synth.js')).runSynth));
  requireOptions(synth, 'outputDir', 'model');
}

function addEval(program: Command, run: RunCommand): void {
  const evaluation = program
    .command('eval')
    .description('evaluate models on a data set: preference inference, judged generation, and choice')
    .option(
      '--results-dir <dir>',
      'results folder; repeat the command to continue, or add to it with another command (required)',
      parsePath,
    )
    .option('--model <spec...>', 'models to evaluate, as provider:model or module:FILE', parseSpecsOption)
    .option('--evaluator <spec...>', 'models that decompose, match and judge', parseSpecsOption)
    .option(
      '--data <data>',
      `file, folder, or data set on the Hub as OWNER/NAME[@REVISION] (default: ${PUBLISHED_DATA})`,
      parsePath,
    )
    .addOption(
      new Option('--task <task>', 'task to evaluate (default: inference)').choices([
        'inference',
        'generation',
        'both',
        'choice',
      ]),
    )
    .option(
      '--decomposer <spec>',
      'model that decomposes inferred preferences (default: the evaluator)',
      parseSpecOption,
    )
    .option('--use-matcher', 'match with PrefMatcher instead of the evaluator')
    .option(
      '--matcher <spec>',
      `server that runs PrefMatcher (default: ${PREFMATCHER_SERVER.model} at ${PREFMATCHER_SERVER.url})`,
      parseSpecOption,
    )
    .option(
      '--context <contexts...>',
      `history that the models see: ${CONTEXT_FORMS.join(', ')} (default: full)`,
      buildWordsParser(CONTEXT_FORMS),
    )
    .option(
      '--history <lengths...>',
      `length of the history: own, ${HISTORY_TIERS.join(', ')} tokens, with sessions of other personas (default: own)`,
      buildWordsParser(['own', ...HISTORY_TIERS] as const),
    )
    .option(
      '--memory <adapter>',
      'memory system to evaluate: http://HOST:PORT/PATH, "command:python my_memory.py" or module:FILE (contexts: full, oracle, memory and none, unless --context names others)',
      parseAdapterOption,
    )
    .option(
      '--memory-budget <tokens>',
      `tokens of the memory system's context that the models see (default: ${formatNumber(MEMORY_BUDGET)})`,
      buildNumberParser(1),
    )
    .option(
      '--memory-timeout <time>',
      'time limit of each message to the memory system, for example 30m (default: 10m)',
      parseTimeOption,
    )
    .option('--oracle-preference', 'generation sees the true preference instead of the history')
    .option('--limit <n>', 'evaluate only the first n instances', buildNumberParser(1))
    .option(
      '--types <types...>',
      `instance types: ${INSTANCE_TYPES.join(', ')} (default: all)`,
      buildWordsParser(INSTANCE_TYPES),
    )
    .addOption(buildSharedOption('split'))
    .addOption(buildSharedOption('wherePersona'))
    .addOption(buildSharedOption('repeatChanged'));
  addStudyOptions(evaluation)
    .option(
      '--compare <dirs...>',
      'results of the same models on other data, to compare the data sets and their synthesizers',
      parsePaths,
    )
    .option(
      '--rescore',
      'recompute scores from the stored answers; with --evaluator, match and judge them again',
    )
    .option(
      '--reference-compatible',
      'parse and average as the reference program does, with its dropped instances and zeros',
    )
    .addOption(buildSharedOption('seed', 'seed for samples and intervals (default: 42)'))
    .addOption(buildSharedOption('prompts'))
    .addOption(buildSharedOption('settings'))
    .addOption(buildSharedOption('store'))
    .addOption(buildSharedOption('batch').preset('25h'));
  addCarryOutOptions(evaluation, 'print results.json without its analyses, and no progress')
    .addHelpText('after', EVAL_EXAMPLES)
    .action(run(async () => (await import('./eval/eval.js')).evaluate));
  requireOptions(evaluation, 'resultsDir');
}

function addServer(program: Command, run: RunCommand): void {
  program
    .command('server')
    .description("run the embedded Temporal server and its UI, to look at a stopped run's workflows")
    .option('--output-dir <dir>', 'run folder of a stopped run (default: a temporary database)', parsePath)
    .addOption(
      new Option('--results-dir <dir>', 'results folder of a stopped evaluation')
        .argParser(parsePath)
        .conflicts('outputDir'),
    )
    .addOption(buildSharedOption('port', 'port of the server').default(7233))
    .option('--ui-port <n>', 'port of the UI', buildNumberParser(1, 65_535), 8233)
    .addHelpText('after', SERVER_EXAMPLES)
    .action(run(async () => (await import('./operate/server.js')).runServer));
}

function addDoctor(program: Command, run: RunCommand): void {
  program
    .command('doctor')
    .description('check Node.js, the Temporal server, providers and keys, and say how to fix what is missing')
    .option(
      '--check <spec...>',
      'call these models once each, as a run does before it starts',
      parseSpecsOption,
    )
    .addOption(buildSharedOption('profile', "profile in Temporal's configuration file: check that cluster"))
    .addOption(buildSharedOption('json'))
    .addHelpText('after', DOCTOR_EXAMPLES)
    .action(run(async () => (await import('./operate/doctor.js')).runDoctor));
}

function addModels(program: Command, run: RunCommand): void {
  program
    .command('models')
    .description('show prices, parameters and retirement of models, with the source and day of each fact')
    .argument('[spec]', 'model as provider:model (default: a table of all known models)', parseSpecOption)
    .addOption(buildSharedOption('models'))
    .addOption(buildSharedOption('json', 'print the facts as JSON'))
    .addHelpText('after', MODELS_EXAMPLES)
    .action(run(async () => (await import('./operate/models.js')).showModels));
}

const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 finished with failures, 130 interrupted.`;

const PROGRAM_EXAMPLES = `
Examples:
  $ cupid synth --output-dir out --model simulated:default
  $ cupid eval --results-dir results --data out \\
      --model simulated:default --evaluator simulated:default
  $ cupid status out --watch
${EXIT_CODES}`;

const SYNTH_EXAMPLES = `${SPEC_HELP}

Examples:
  $ cupid synth --output-dir out --model simulated:default
  $ cupid synth --output-dir out --n-personas 250 --concurrency 64 \\
      --model anthropic:claude-sonnet-5-5 --user-model openai:gpt-6.1-terra \\
      --assistant-model together:Qwen/Qwen3.5-9B --tier flex --tier-fallback 30m
  $ cupid synth --output-dir out --n-personas 250 \\
      --model openai:gpt-6-luna --estimate  # what it would cost; no call
  $ cupid synth --output-dir out --n-personas 250 \\
      --model openai:gpt-6-luna --batch     # plans for half the price
  $ cupid synth --output-dir out \\
      --model 'simulated:default?latency=200ms&malformed=0.05'
${EXIT_CODES}`;

const EVAL_EXAMPLES = `${SPEC_HELP}

Examples:
  $ cupid eval --results-dir results --data out --task both \\
      --model simulated:default --evaluator simulated:default
  $ cupid eval --results-dir results --model anthropic:claude-haiku-5-5 \\
      --evaluator openai:gpt-6.1-terra --concurrency 64 --context full oracle
  $ cupid eval --results-dir results --data out --task choice \\
      --model simulated:default --context full none       # no judge
  $ cupid eval --results-dir results --model openai:gpt-6-luna \\
      --evaluator openai:gpt-6.1-terra --batch 12h        # half the price
  $ cupid eval --results-dir results --rescore            # calls no model
  $ cupid eval --results-dir results --rescore \\
      --stress 100                           # test its matchers and judges
  $ cupid eval --results-dir results --rescore \\
      --evaluator openai:gpt-6.1-terra --use-matcher
${EXIT_CODES}`;

const SERVER_EXAMPLES = `
Examples:
  $ cupid server                     # temporary, UI at http://127.0.0.1:8233
  $ cupid server --output-dir out    # workflows of the stopped run in out`;

const DOCTOR_EXAMPLES = `
Examples:
  $ cupid doctor
  $ cupid doctor --check openai:gpt-6-luna anthropic:claude-sonnet-5-5
  $ TEMPORAL_ADDRESS=temporal.example:7233 cupid doctor --json`;

const MODELS_EXAMPLES = `
Examples:
  $ cupid models
  $ cupid models openai:gpt-6-luna
  $ cupid models anthropic:claude-sonnet-5-5 --models my-models.yaml --json

Facts come from tables, not from the providers: a fact that was checked more than 180 days ago is marked as old.`;
