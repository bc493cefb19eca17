#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander';
import { version } from '../package.json';
import { CONTEXTS } from '../schemas/evaluation';
import { INSTANCE_TYPES } from '../schemas/instance';
import { SIMULATED_OPTIONS } from '../workers/models';
import { COMMAND, EXIT, exitCodeOf } from './exit';
import { PREFMATCHER, PUBLISHED_DATA, modelSpecs, severalOf, type EvalOptions } from './eval-options';
import { addDataCommands } from './data-commands';
import { modelSpec, personaNumbers, wholeNumber, type SynthOptions } from './options';
import { addRunCommands } from './run-commands';
import { budgetOption, pricesOption, rateOption } from './steering-options';

/** The command `cupid`: reads the command line, and leaves every command to its own file, loaded when it is wanted. */
async function main(): Promise<number> {
  let code: number = EXIT.done;
  const program = new Command('cupid')
    .description('Synthesizes CUPID benchmark data, and evaluates models on it, durably, on Temporal.')
    .version(version)
    .exitOverride()
    .showHelpAfterError('(run the command with --help for its options and examples)')
    .addHelpText('after', EXIT_CODES);

  program
    .command('synth')
    .description('synthesize personas, journeys, dialogues and benchmark instances into a folder')
    .requiredOption('--output-dir <dir>', "the run's folder; the same command on it continues the run")
    .requiredOption('--model <spec>', 'the model that synthesizes: provider:model', modelSpec)
    .option('--user-model <spec>', 'the model that simulates the user (default: --model)', modelSpec)
    .option(
      '--assistant-model <spec>',
      'the model that simulates the assistant (default: --model)',
      modelSpec,
    )
    .option('--n-personas <n>', 'personas to synthesize, three instances each', wholeNumber(1), 4)
    .option(
      '--n-factors <n>',
      'context factors of a persona, the contrastive pair included',
      wholeNumber(3),
      8,
    )
    .option('--n-sessions <n>', 'sessions of a journey', wholeNumber(9), 13)
    .option('--max-turns <n>', 'most user messages of a dialogue', wholeNumber(1), 16)
    .option('--concurrency <n>', 'model calls in flight', wholeNumber(1, 10_000), 32)
    .addOption(budgetOption())
    .addOption(rateOption())
    .addOption(pricesOption())
    .option('--seed <n>', 'of every random choice', wholeNumber(0, 2 ** 31 - 1), 42)
    .option('--seeds <file>', "seed sentences: PersonaHub's instruction.jsonl, or text with one a line")
    .option('--prompts <dir>', 'a prompt pack in place of the built-in one')
    .option(
      '--settings <file>',
      'YAML or JSON with what few people change: steps (temperature, maxTokens, asks, samples)',
    )
    .option('--only <numbers>', 'with --redo: the personas that are made anew, as in 17,42', personaNumbers)
    .option('--redo', 'make the personas of --only anew, from their descriptions')
    .option('--redescribe', 'with --redo: describe them anew as well')
    .option('--estimate', 'tell what the run will take (calls, tokens, cost); asks nothing, writes nothing')
    .option('--require-satisfied', 'leave out personas with a dialogue that never satisfied its user')
    .option('--profile <name>', "a profile of Temporal's configuration file: runs on that cluster")
    .option('--json', 'print the result as JSON, and no progress')
    .addHelpText('after', SYNTH_EXAMPLES)
    .action(async (options: SynthOptions) => {
      const { synth } = await import('./synth.js');
      code = await synth(options);
    });

  program
    .command('eval')
    .description('evaluate models on a CUPID-form data set: preference inference, and judged generation')
    .requiredOption(
      '--results-dir <dir>',
      'the folder of the results; the same command on it continues, others add to it',
    )
    .option('--model <spec...>', 'the models to evaluate: provider:model, or module:FILE', modelSpecs)
    .option('--evaluator <spec...>', 'the models that decompose, match and judge', modelSpecs)
    .option(
      '--data <data>',
      `a file, a folder, or a data set of the Hub as OWNER/NAME[@REVISION] (default: ${PUBLISHED_DATA})`,
    )
    .addOption(
      new Option('--task <task>', 'what is evaluated (default: inference)').choices([
        'inference',
        'generation',
        'both',
      ]),
    )
    .option(
      '--decomposer <spec>',
      'the model that decomposes inferred preferences (default: the evaluator)',
      modelSpec,
    )
    .option('--use-matcher', 'match with PrefMatcher in place of the evaluator')
    .option('--matcher <spec>', `where PrefMatcher is served (default: ${PREFMATCHER})`, modelSpec)
    .option(
      '--context <contexts...>',
      `the history that models are given: ${CONTEXTS.join(', ')} (default: full)`,
      severalOf(CONTEXTS),
    )
    .option('--oracle-preference', 'generation is given the true preference in place of the history')
    .option('--limit <n>', 'evaluate on the first n instances only', wholeNumber(1))
    .option(
      '--types <types...>',
      `instance types: ${INSTANCE_TYPES.join(', ')} (default: all)`,
      severalOf(INSTANCE_TYPES),
    )
    .option(
      '--errors <n>',
      'have the evaluator name the errors of n inferences of each model with an F1 below 0.2',
      wholeNumber(1),
    )
    .option(
      '--judge-repeats <k>',
      'judge a sample of 50 responses k times each, to see how far the judge agrees with itself',
      wholeNumber(2),
    )
    .option(
      '--labels <file>',
      "people's labels of preference-checklist pairs (JSON lines), to compare the matchers with",
    )
    .option('--compare <dirs...>', 'results of the same models on other data, for the table by synthesizers')
    .option(
      '--rescore',
      'ask no model under test: score again what is kept; with --evaluator, match and judge it anew',
    )
    .option(
      '--reference-compatible',
      "the reference program's own parsing and sums, its dropped instances and zeros included",
    )
    .option('--seed <n>', 'of samples and intervals (default: 42)', wholeNumber(0, 2 ** 31 - 1))
    .option('--prompts <dir>', 'a prompt pack in place of the built-in one')
    .option(
      '--settings <file>',
      'YAML or JSON with what few people change: steps (temperature, maxTokens, asks, samples)',
    )
    .option('--concurrency <n>', 'model calls in flight', wholeNumber(1, 10_000), 32)
    .addOption(budgetOption())
    .addOption(rateOption())
    .addOption(pricesOption())
    .option('--profile <name>', "a profile of Temporal's configuration file: runs on that cluster")
    .option('--json', 'print results.json without its analyses, and no progress')
    .addHelpText('after', EVAL_EXAMPLES)
    .action(async (options: EvalOptions) => {
      const { evaluate } = await import('./eval.js');
      code = await evaluate(options);
    });

  addRunCommands(program, (ended) => (code = ended));
  addDataCommands(program, (ended) => (code = ended));

  program
    .command('server')
    .description(
      "run the embedded Temporal server in the foreground, with its UI, on a run's database or a new one",
    )
    .option(
      '--output-dir <dir>',
      'the folder of a run that is not being driven; without it, a database that is thrown away',
    )
    .option('--results-dir <dir>', 'the folder of an evaluation that is not being driven')
    .option('--port <n>', 'of the server', wholeNumber(1, 65_535), 7233)
    .option('--ui-port <n>', 'of the UI', wholeNumber(1, 65_535), 8233)
    .addHelpText('after', SERVER_EXAMPLES)
    .action(async (options: { outputDir?: string; resultsDir?: string; port: number; uiPort: number }) => {
      const { server } = await import('./server.js');
      code = await server(options);
    });

  program
    .command('doctor')
    .description(
      'tell what was found here: Node.js, Temporal server, providers and keys; and what to do about each',
    )
    .option('--profile <name>', "a profile of Temporal's configuration file: checks that cluster")
    .option('--json', 'print it as JSON')
    .action(async (options: { json?: true; profile?: string }) => {
      const { doctor } = await import('./doctor.js');
      code = await doctor(options);
    });

  await program.parseAsync();
  return code;
}

const EXIT_CODES = `
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 finished with failures, 130 interrupted.`;

const SYNTH_EXAMPLES = `
A SPEC is provider:model, where provider is openai, bedrock, together, anthropic, gemini,
openai-compatible (NAME@http://host:8000/v1) or simulated.

Examples:
  $ ${COMMAND} synth --output-dir out --model simulated:default
  $ ${COMMAND} synth --output-dir out --n-personas 250 --concurrency 64 \\
      --model bedrock:anthropic.claude-3-5-sonnet-20241022-v2:0 \\
      --user-model openai:gpt-4o-2024-11-20 \\
      --assistant-model together:meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo
  $ ${COMMAND} synth --output-dir out --model 'simulated:default?latency=200ms&malformed=0.05'

Options of the simulated model, after a ? and with & between, in quotes (the shell takes an & for its own):
${Object.entries(SIMULATED_OPTIONS)
  .map(([name, meaning]) => `  ${name.padEnd(10)} ${meaning}`)
  .join('\n')}
${EXIT_CODES}`;

const EVAL_EXAMPLES = `
A SPEC is provider:model, where provider is openai, bedrock, together, anthropic, gemini,
openai-compatible (NAME@http://host:8000/v1), module (a file of one's own) or simulated
(${COMMAND} synth --help has its options).

Examples:
  $ ${COMMAND} eval --results-dir results --data out --task both \\
      --model simulated:default --evaluator simulated:default
  $ ${COMMAND} eval --results-dir results --model openai:gpt-4.1-nano-2025-04-14 \\
      --evaluator openai:gpt-4o-2024-11-20 --concurrency 64 --context full oracle
  $ ${COMMAND} eval --results-dir results --rescore               # the same numbers again, asking nobody
  $ ${COMMAND} eval --results-dir results --rescore --evaluator openai:gpt-4o-2024-11-20 --use-matcher
${EXIT_CODES}`;

const SERVER_EXAMPLES = `
Examples:
  $ ${COMMAND} server                        a server to try things on, UI at http://127.0.0.1:8233
  $ ${COMMAND} server --output-dir out       look at a stopped run's workflows in the UI`;

async function exit(): Promise<void> {
  // A terminal that is gone cannot be told anything; the run goes on, or stops as it should, all the same.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    process.exitCode = await main();
  } catch (error) {
    const reason = firstReason(error);
    process.exitCode = exitCodeOf(reason);
    // Commander has printed its own.
    if (reason instanceof CommanderError) return;
    process.stderr.write(`cupid: ${reason instanceof Error ? reason.message : String(reason)}\n`);
  }
}

/** Where giving things back failed as well, what went wrong first. */
function firstReason(error: unknown): unknown {
  return error instanceof Error && 'suppressed' in error ? firstReason(error.suppressed) : error;
}

void exit();
