#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { version } from '../package.json';
import { COMMAND, EXIT, exitCodeOf } from './exit';
import { modelSpec, wholeNumber, type SynthOptions } from './options';

/** The command `cupid`: reads the command line, and leaves every command to its own file, loaded when it is wanted. */
async function main(): Promise<number> {
  let code: number = EXIT.done;
  const program = new Command('cupid')
    .description('Synthesizes CUPID benchmark data, durably, on Temporal.')
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
    .option('--seed <n>', 'of every random choice', wholeNumber(0, 2 ** 31 - 1), 42)
    .option('--seeds <file>', "seed sentences: PersonaHub's instruction.jsonl, or text with one a line")
    .option('--prompts <dir>', 'a prompt pack in place of the built-in one')
    .option(
      '--settings <file>',
      'YAML or JSON with what few people change: steps (temperature, maxTokens, asks, samples)',
    )
    .option('--require-satisfied', 'leave out personas with a dialogue that never satisfied its user')
    .option('--profile <name>', "a profile of Temporal's configuration file: runs on that cluster")
    .option('--json', 'print the result as JSON, and no progress')
    .addHelpText('after', SYNTH_EXAMPLES)
    .action(async (options: SynthOptions) => {
      const { synth } = await import('./synth.js');
      code = await synth(options);
    });

  program
    .command('server')
    .description(
      "run the embedded Temporal server in the foreground, with its UI, on a run's database or a new one",
    )
    .option(
      '--output-dir <dir>',
      'the folder of a run that is not being driven; without it, a database that is thrown away',
    )
    .option('--port <n>', 'of the server', wholeNumber(1, 65_535), 7233)
    .option('--ui-port <n>', 'of the UI', wholeNumber(1, 65_535), 8233)
    .addHelpText('after', SERVER_EXAMPLES)
    .action(async (options: { outputDir?: string; port: number; uiPort: number }) => {
      const { server } = await import('./server.js');
      code = await server(options);
    });

  program
    .command('doctor')
    .description(
      'tell what was found here: Node.js, Temporal server, providers and keys; and what to do about each',
    )
    .option('--json', 'print it as JSON')
    .action(async (options: { json?: true }) => {
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
