import { Option, type Command } from 'commander';
import type { OptionalStudyKind } from '../../schemas/evaluation/studies';
import { buildNumberParser, parsePath } from '../options';

/** Adds the options that ask for studies. */
export function addStudyOptions(command: Command): Command {
  for (const build of Object.values(STUDY_OPTIONS)) command.addOption(build());
  return command;
}

/** Builds the option of each study, in the order of the help. */
export const STUDY_OPTIONS: Readonly<Record<OptionalStudyKind, () => Option>> = {
  errors: () =>
    new Option(
      '--errors <n>',
      'classify the errors of n inferences per model with an F1 below 0.2',
    ).argParser(buildNumberParser(1)),
  repeats: () =>
    new Option(
      '--judge-repeats <k>',
      'judge a sample of 50 responses k times each, to measure the agreement of the judge with itself',
    ).argParser(buildNumberParser(2)),
  misapplication: () =>
    new Option(
      '--misapplication',
      'also judge responses to contrastive instances on the preference of the other context',
    ),
  labels: () =>
    new Option(
      '--labels <file>',
      "people's labels for pairs of preference and checklist (JSON lines), to compare with the matchers",
    ).argParser(parsePath),
  stress: () =>
    new Option(
      '--stress <n>',
      'test matchers and judges with preferences and responses known to be right or wrong, of n personas',
    ).argParser(buildNumberParser(1)),
};
