import { Option, type Command } from 'commander';
import { PERSONA_HUB_LICENSE } from '../data/card/licenses';
import { EXPORT_FORMATS } from '../schemas/export';
import { COMMAND } from './exit';
import type { ExportOptions } from './export';
import type { ImportOptions } from './import';
import type { PublishOptions } from './publish';
import type { ValidateOptions } from './validate';

/** Adds the commands about data sets, which need no engine and no model. */
export function addDataCommands(program: Command, exit: (code: number) => void): void {
  program
    .command('validate')
    .description('check a data set: its form, its structure, and what people should look at')
    .argument('<data>', `${DATA}, or a run's folder for all of its data sets`)
    .option('--json', 'print the report as JSON')
    .addHelpText('after', VALIDATE_EXAMPLES)
    .action(async (data: string, options: ValidateOptions) => {
      const { validate } = await import('./validate.js');
      exit(await validate(data, options));
    });

  program
    .command('export')
    .description("write a data set in another form, or an evaluation's judgements as training data")
    .argument('<data>', `${DATA}, a run's folder, or for prefmatcher an evaluation's folder`)
    .requiredOption('--output-dir <dir>', 'where to, a new or empty folder')
    .addOption(
      new Option(
        '--format <form>',
        "the Hub's Parquet shards, Arrow IPC, JSON lines, the reference program's folders, or PrefMatcher's training pairs",
      )
        .choices(EXPORT_FORMATS)
        .default('parquet'),
    )
    .option('--json', 'print what was written as JSON')
    .addHelpText('after', EXPORT_EXAMPLES)
    .action(async (data: string, options: ExportOptions) => {
      const { exportData } = await import('./export.js');
      exit(await exportData(data, options));
    });

  program
    .command('import')
    .description("bring the reference program's folders into data sets: CUPID-Raw, and its instances")
    .argument('<dir>', 'the folder with personas.json, data/ and instances/')
    .requiredOption('--output-dir <dir>', 'where to, a new or empty folder')
    .option('--license <id>', 'as the Hub names it', PERSONA_HUB_LICENSE)
    .option('--json', 'print what was written as JSON')
    .addHelpText('after', IMPORT_EXAMPLES)
    .action(async (folder: string, options: ImportOptions) => {
      const { importData } = await import('./import.js');
      exit(await importData(folder, options));
    });

  program
    .command('publish')
    .description('bring a data set to the Hugging Face Hub: all its files and its card in one commit')
    .argument('<data>', "the data set's folder, with its card (README.md)")
    .requiredOption('--repo <owner/name>', 'the data set on the Hub; made when it is not there')
    .option('--private', 'make it private, when it is made; a public one that is there is refused')
    .option('--branch <name>', 'commit to this branch, made from main when it is not there', 'main')
    .option('--create-pr', 'open a pull request in place of committing')
    .option('--license <id>', 'as the Hub names it: written into the card')
    .option('--prune', 'remove files from the Hub that the data set does not have')
    .option('--allow-simulated', 'publish data made with a simulated model')
    .option('--dry-run', 'tell what would be done; the Hub is only read')
    .option('--json', 'print what was done as JSON')
    .addHelpText('after', PUBLISH_EXAMPLES)
    .action(async (data: string, options: PublishOptions) => {
      const { publish } = await import('./publish.js');
      exit(await publish(data, options));
    });
}

const DATA = 'a file (Parquet, JSON lines, Arrow), a folder, or an id of the Hub';

const VALIDATE_EXAMPLES = `
Examples:
  $ ${COMMAND} validate out                        every data set of a run
  $ ${COMMAND} validate data.parquet --json
  $ ${COMMAND} validate kixlab/CUPID

Exit codes: 0 sound (there may be warnings), 1 failed, 2 cannot be read, 3 errors found, 130 interrupted.`;

const EXPORT_EXAMPLES = `
Examples:
  $ ${COMMAND} export out/CUPID-Unverified --output-dir shards
  $ ${COMMAND} export out --format reference --output-dir reference
  $ ${COMMAND} export results --format prefmatcher --output-dir training`;

const IMPORT_EXAMPLES = `
Example:
  $ ${COMMAND} import outputs --output-dir imported && ${COMMAND} validate imported`;

const PUBLISH_EXAMPLES = `
The token is read from HF_TOKEN, or from the file that "hf auth login" writes.

Examples:
  $ ${COMMAND} publish out/CUPID-Unverified --repo me/my-cupid --dry-run
  $ ${COMMAND} publish out/CUPID-Unverified --repo me/my-cupid --private
  $ ${COMMAND} publish out/CUPID-Raw --repo me/my-cupid-raw --create-pr

Exit codes: 0 published, or nothing to do, 1 failed, 2 wrong usage, 3 the data set has errors, 130 interrupted.`;
