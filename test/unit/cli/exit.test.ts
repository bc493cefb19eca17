import { CommanderError } from 'commander';
import { PromptPackError } from '../../../data/prompts/load';
import { SeedsExhausted } from '../../../rules/sampling/templates';
import { RunNotFound } from '../../../runs/folder/run-folder';
import { RunFolderError } from '../../../runs/folder/run-folder-error';
import { getExitCode, UsageError } from '../../../cli/exit';
import { BundleError } from '../../../data/run/bundles';
import { InputError } from '../../../schemas/input-error';
import { LockedError } from '../../../data/store/lock';
import { DataError } from '../../../data/store/data-error';
import { HubError } from '../../../data/hub/hub-error';
import { HubUnreachable } from '../../../data/hub/fetch';
import { HubBrokeOff, HubRefusal, PublishError } from '../../../publishing/publication/error';
import { TemporalNotFound } from '../../../workers/server/temporal-binary';

test.each<[string, number, Error]>([
  ['the help that was asked for', 0, new CommanderError(0, 'commander.help', '')],
  ['an option that does not exist', 2, new CommanderError(1, 'commander.unknownOption', '')],
  ['options that contradict each other', 2, new UsageError('')],
  ['an input that cannot be used', 2, new InputError('')],
  ['a run that does not exist', 2, new RunNotFound('')],
  ['a data file that cannot be used', 2, new DataError('')],
  ['fewer seeds than personas', 2, new SeedsExhausted(2, 1, 1)],
  ['a prompt pack that cannot be used', 2, new PromptPackError('pack', [''])],
  ['a bundle that is damaged', 1, new BundleError('')],
  ['a missing token for publishing', 1, new PublishError('')],
  ['a rejected token', 1, new HubError('')],
  ['an unreachable Hub', 1, new HubUnreachable('')],
  ['a Hub that broke off an upload', 1, new HubBrokeOff('')],
  ['a Hub that refuses', 1, new HubRefusal('', { status: 403, code: undefined, atHub: true })],
  ['a folder that cannot be worked in', 1, new RunFolderError('')],
  [
    'a folder in use',
    1,
    new LockedError('lock', { pid: 1, host: 'here', since: '2026-01-01T00:00:00.000Z' }),
  ],
  ['no Temporal server', 1, new TemporalNotFound('')],
  ['anything unforeseen', 1, new Error('')],
])('%s exits with %i', (_, code, error) => {
  expect(getExitCode(error)).toBe(code);
});
