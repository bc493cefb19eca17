import { Option, type Command } from 'commander';
import { PERSONA_HUB_LICENSE } from '../data/card/licenses';
import { EXPORT_FORMATS, HISTORY_FORMATS, RESULT_FORMATS } from '../schemas/dataset/export-format';
import { HISTORY_TIERS } from '../schemas/evaluation/context';
import type { RunCommand } from './exit';
import {
  buildNumberParser,
  buildSharedOption,
  parsePath,
  parsePaths,
  parseWebAddress,
  requireOptions,
} from './options';

/** Adds the commands about data sets. They need no engine and no model. */
export function addDataCommands(program: Command, run: RunCommand): void {
  program
    .command('validate')
    .description('check the form, structure and quality of a data set')
    .argument('<data>', `${DATA}; of a run folder, all data sets`, parsePath)
    .addOption(buildSharedOption('json', 'print the report as JSON'))
    .addHelpText('after', VALIDATE_EXAMPLES)
    .action(run(async () => (await import('./data-sets/validate.js')).validate));

  program
    .command('explore')
    .description('show instances, dialogues and results in your browser')
    .argument('<names...>', `run folder, results folders, or ${DATA}`, parsePaths)
    .addOption(buildSharedOption('port', 'port of the page (default: a free one)'))
    .addOption(buildSharedOption('publicUrl'))
    .option(
      '--temporal-ui <url>',
      "address of Temporal's UI, to link to the workflows of a run on a cluster (default: the UI of cupid server)",
      parseWebAddress,
    )
    .addOption(
      new Option(
        '--bundle <dir>',
        'write the pages and what they show as static files to this new or empty folder, for a web server or a Space of the Hub',
      )
        .argParser(parsePath)
        .conflicts(['port', 'publicUrl', 'temporalUi']),
    )
    .addHelpText('after', EXPLORE_EXAMPLES)
    .action(run(async () => (await import('./explore/explore.js')).explore));

  const exporting = program
    .command('export')
    .description('write a data set, a run or the results of an evaluation in another format')
    .argument(
      '<data>',
      `${DATA}, a run folder, or for ${[...RESULT_FORMATS, 'preference-pairs'].join(', ')} a results folder`,
      parsePath,
    )
    .option('--output-dir <dir>', 'new or empty folder to write to (required)', parsePath)
    .addOption(
      new Option(
        '--format <format>',
        "Parquet shards as on the Hub, Arrow IPC, JSON lines or a JSON list, sessions and labels apart for a memory system, the reference program's folders, a Croissant description, or a benchmark for Inspect or lm-evaluation-harness; training data: judged turns, chats, preference pairs; of results: PrefMatcher training pairs, records of Every Eval Ever, or result files for models on the Hub",
      )
        .choices(EXPORT_FORMATS)
        .default('parquet'),
    )
    .addOption(buildSharedOption('verified'))
    .addOption(
      new Option(
        '--hardest <n>',
        'with --results: only the n personas whose preferences the evaluated models inferred worst',
      )
        .argParser(buildNumberParser(1))
        .conflicts(['verified', 'split', 'wherePersona']),
    )
    .option('--results <dir>', 'with --hardest: results folder of an evaluation of this data set', parsePath)
    .addOption(buildSharedOption('split').conflicts('verified'))
    .addOption(buildSharedOption('wherePersona').conflicts('verified'))
    .addOption(
      new Option(
        '--history <length>',
        `with ${HISTORY_FORMATS.join(', ')}: extend the histories to this many tokens with sessions of other personas, as cupid eval does with its default seed`,
      ).choices(HISTORY_TIERS),
    )
    .option(
      '--repo <owner/name>',
      'with croissant or benchmark: the data set on the Hub that has the files, or will have them',
    )
    .addOption(buildSharedOption('json', 'print the list of files as JSON'))
    .addHelpText('after', EXPORT_EXAMPLES)
    .action(run(async () => (await import('./data-sets/export.js')).exportData));
  requireOptions(exporting, 'outputDir');

  const importing = program
    .command('import')
    .description("convert the reference program's output folders to data sets")
    .argument('<dir>', 'folder with personas.json, data/ and instances/', parsePath)
    .option('--output-dir <dir>', 'new or empty folder to write to (required)', parsePath)
    .option(
      '--license <id>',
      `license id as on the Hub, for the card (default: that of the folder's README.md, else ${PERSONA_HUB_LICENSE})`,
    )
    .addOption(buildSharedOption('json', 'print the list of files as JSON'))
    .addHelpText('after', IMPORT_EXAMPLES)
    .action(run(async () => (await import('./data-sets/import.js')).importData));
  requireOptions(importing, 'outputDir');

  const publishing = program
    .command('publish')
    .description('upload a data set and its card to the Hugging Face Hub in one commit')
    .argument('<data>', 'data set folder with its card (README.md)', parsePath)
    .option('--repo <owner/name>', 'data set on the Hub, created if it does not exist (required)')
    .option('--private', 'create it as private; an existing public data set is rejected')
    .option('--branch <name>', 'branch to commit to, created from main if it does not exist', 'main')
    .option('--create-pr', 'open a pull request instead of committing')
    .option('--license <id>', 'license id as on the Hub, written into the card')
    .option('--prune', 'delete files on the Hub that the data set does not have')
    .option('--replace-kind', 'replace instances on the Hub with records, or records with instances')
    .option(
      '--results <dirs...>',
      'results folders of evaluations of this data set, which the card names (default: those in the run folder)',
      parsePaths,
    )
    .option('--benchmark', 'add the choice and generation tasks for Inspect (inspect eval hf/OWNER/NAME)')
    .addOption(
      new Option(
        '--history <length>',
        'with --benchmark: add both tasks with histories of this many tokens, extended with sessions of other personas',
      ).choices(HISTORY_TIERS),
    )
    .option('--allow-simulated', 'publish data generated by a simulated model')
    .addOption(buildSharedOption('verified'))
    .option('--dry-run', 'print what would be uploaded; only reads from the Hub')
    .addOption(buildSharedOption('json'))
    .addHelpText('after', PUBLISH_EXAMPLES)
    .action(run(async () => (await import('./data-sets/publish.js')).publish));
  requireOptions(publishing, 'repo');
}

const DATA = 'file (Parquet, Arrow, JSON), folder, or data set on the Hub (OWNER/NAME)';

const VALIDATE_EXAMPLES = `
Examples:
  $ cupid validate out                        every data set of a run
  $ cupid validate data.parquet --json
  $ cupid validate kixlab/CUPID

Exit codes: 0 valid (perhaps with warnings), 1 failed, 2 wrong usage or not readable, 3 errors found, 130 interrupted.`;

const EXPLORE_EXAMPLES = `
Prints a link to open; the page is served to this machine only, until you press Ctrl-C. Over ssh, it also prints the
ssh -L command for your own machine, which stays the same if you choose the port with --port. If a proxy shows you the
page, such as JupyterHub's, name its address with --public-url.

Examples:
  $ cupid explore out                         # a run, also in progress
  $ cupid explore results                     # an evaluation, its instances
  $ cupid explore out results-a results-b     # a run and two evaluations of it
  $ cupid explore out \\
      --public-url 'https://hub.example.org/user/ann/proxy/{port}/'
  $ cupid explore out --temporal-ui https://temporal.example.org
  $ cupid explore kixlab/CUPID
  $ cupid explore out results --bundle site   # static files, to publish`;

const EXPORT_EXAMPLES = `
Examples:
  $ cupid export out/CUPID-Unverified --output-dir shards
  $ cupid export out --verified --output-dir accepted
  $ cupid export kixlab/CUPID --format memory --output-dir replay
  $ cupid export kixlab/CUPID --format memory --history 128k --output-dir long
  $ cupid export out --format reference --output-dir reference
  $ cupid export out --split train --output-dir train
  $ cupid export out/CUPID-Raw --hardest 64 --results results \\
      --output-dir hardest
  $ cupid export out/CUPID-Unverified --format croissant \\
      --repo me/my-cupid --output-dir paper
  $ cupid export out/CUPID-Unverified --format benchmark --output-dir benchmark
  $ cupid export out/CUPID-Unverified --format lm-eval --output-dir harness
  $ cupid export results --format prefmatcher --output-dir training
  $ cupid export out --format turns --output-dir turns
  $ cupid export out --format sft --output-dir chats
  $ cupid export out --format preference-pairs --output-dir pairs
  $ cupid export results --format preference-pairs --output-dir responses
  $ cupid export results --format every-eval-ever --output-dir records`;

const IMPORT_EXAMPLES = `
Example:
  $ cupid import outputs --output-dir imported && cupid validate imported`;

const PUBLISH_EXAMPLES = `
The token comes from HF_TOKEN or from the file that "hf auth login" writes.

Examples:
  $ cupid publish out/CUPID-Unverified --repo me/my-cupid --dry-run
  $ cupid publish out/CUPID-Unverified --repo me/my-cupid --private
  $ cupid publish out --verified --repo me/my-cupid --private
  $ cupid publish out/CUPID-Raw --repo me/my-cupid-raw --create-pr

Exit codes: 0 published or nothing to do, 1 failed, 2 wrong usage, 3 the data set has errors, 130 interrupted.`;
