import type { Command } from 'commander';
import {
  addCarryOutOptions,
  buildNumberParser,
  buildSharedOption,
  parsePath,
  parseSpecOption,
  requireOptions,
} from '../options';
import type { RunCommand } from '../exit';

export function addVerify(program: Command, run: RunCommand): void {
  const verify = program
    .command('verify')
    .description('have a model check instances: solvable, challenging, contrasting')
    .argument('<data>', 'run folder, file, folder, or data set on the Hub (OWNER/NAME)', parsePath)
    .option('--model <spec>', 'model that verifies, as provider:model (required)', parseSpecOption)
    .option(
      '--results-dir <dir>',
      'results folder; repeat the command to continue (default: verification in a run folder)',
      parsePath,
    )
    .addOption(buildSharedOption('store'))
    .option('--sample <n>', 'verify n personas, drawn by --seed (default: all)', buildNumberParser(1))
    .addOption(buildSharedOption('split'))
    .addOption(buildSharedOption('wherePersona'))
    .addOption(buildSharedOption('repeatChanged'))
    .addOption(buildSharedOption('seed', 'seed for samples (default: 42)'))
    .addOption(buildSharedOption('prompts'))
    .addOption(buildSharedOption('settings'));
  addCarryOutOptions(verify, 'print verification.json, without progress')
    .addHelpText('after', EXAMPLES)
    .action(run(async () => (await import('./verify.js')).verify));
  requireOptions(verify, 'model');
}

const EXAMPLES = `
An instance is accepted if it is solvable (the user's messages express every relevant preference), challenging (the current
request does not reveal the preference) and contrasting (no response satisfies both preferences of a contrastive or changing
instance). A tenth of the personas is verified twice, to measure how far the model agrees with itself.

Examples:
  $ cupid verify out --model simulated:default
  $ cupid verify out --model openai:gpt-6.1-terra --sample 20 --budget 5usd
  $ cupid verify kixlab/CUPID --model openai:gpt-6-luna --results-dir verified
  $ cupid export out --verified --output-dir accepted    # only the accepted

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 finished with unknown verdicts, 130 interrupted.`;
