import { Option, type Command } from 'commander';
import { ACCEPTANCE_RULES } from '../../schemas/review/acceptance-rule';
import { UsageError, type RunCommand } from '../exit';
import { buildNumberParser, buildSharedOption, parsePath } from '../options';

export function addReview(program: Command, run: RunCommand): void {
  program
    .command('review')
    .description('let people check instances on a local page, and write the accepted ones')
    .argument('<data>', 'run folder, file, folder, or data set on the Hub (OWNER/NAME)', parsePath)
    .option('--rater <name>', 'one of the two raters; give it twice', collectNames)
    .option('--third <name>', 'decides where the two raters differ', parseName)
    .addOption(
      new Option(
        '--accept <rule>',
        'an item counts as expressed or revealed if one rater says so (any), both do (all), or the third decides (third)',
      ).choices(ACCEPTANCE_RULES),
    )
    .option(
      '--results-dir <dir>',
      'folder of the review; repeat the command to continue (default: review in a run folder)',
      parsePath,
    )
    .option(
      '--sample <n>',
      'review n personas, drawn by --seed with types as frequent as in the data (default: all)',
      buildNumberParser(1),
    )
    .addOption(buildSharedOption('seed', "seed for the sample and each rater's order of tasks (default: 42)"))
    .option(
      '--verified <dir>',
      'results folder of cupid verify, whose quotations are shown once all items are answered (default: verification in the run folder)',
      parsePath,
    )
    .addOption(
      buildSharedOption('port', 'port of the page (default: the same one every time, if it is free)'),
    )
    .addOption(buildSharedOption('publicUrl'))
    .option(
      '--auto [dir]',
      'without people: accept what cupid verify accepted, from its results folder (default: verification in the run folder)',
      parsePath,
    )
    .option('--finish', 'end the review now, without the instances that are not decided')
    .addHelpText('after', EXAMPLES)
    .action(run(async () => (await import('./review.js')).review));
}

function collectNames(name: string, names: readonly string[] = []): string[] {
  return [...names, parseName(name)];
}

/** Parses a rater's name, which also names a file. */
function parseName(name: string): string {
  if (/^[a-z0-9][a-z0-9_-]{0,39}$/i.test(name)) return name;
  throw new UsageError(
    `${JSON.stringify(name)} cannot be a rater's name: use letters, digits, "-" and "_" only.`,
  );
}

const EXAMPLES = `
Prints a link for each rater. The review waits, for days if necessary; when every task is decided, it writes the accepted
instances to CUPID/ in its folder. Run cupid verify first: the page then shows the messages that a model
quoted, once a rater has labeled all items of a task.

Examples:
  $ cupid review out --rater anna --rater ben --third carla
  $ cupid review out --rater anna --rater ben --sample 20   # 20 of the personas
  $ cupid review out                # continue
  $ cupid review out --finish       # end it without what is not decided
  $ cupid review out --auto         # without people: what the model accepted

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 instances were left undecided, 130 interrupted.`;
