import { buildRequest } from '../../activities/ask-model';
import { buildQuestion } from '../../activities/synthesis/questions';
import { listSynthesisPrompts } from '../../data/prompts/files';
import { computePackHash, loadPromptPack } from '../../data/prompts/load';
import type { Attempt } from '../../rules/method/script';
import type { SynthesisAnswers } from '../../rules/method/synthesis-answers';
import type { SynthesisCall } from '../../rules/method/synthesis-calls';
import type { Bundle } from '../../schemas/run/bundle';
import type { JournalEntry } from '../../schemas/run/journal';
import { BUILT_IN_PROMPTS, type PromptPack } from '../../schemas/run/prompts';
import { buildAttemptKey, RecordingDamaged, type BundledCalls } from './bundled-calls';

/**
 * Reason why a request differs today. `prompts`: the built-in prompts have changed since the run. `settings`: the version of the program,
 * the prompts or the settings differ. `answers`: an earlier answer that it is built from has changed, or is parsed differently.
 */
export type RequestChange = 'prompts' | 'settings' | 'answers';

/** Compares the request of a recorded attempt with today's; undefined if they are equal. */
export type CompareRequest = (
  attempt: Attempt<SynthesisCall>,
  entry: JournalEntry,
) => Promise<{ readonly change: RequestChange; readonly request: string } | undefined>;

/**
 * Opens the comparison of a bundle's requests with those that this version builds from the same answers.
 * @throws RecordingDamaged when the bundle's prompts are not those of its run
 */
export async function openComparison(
  bundle: Bundle,
  calls: BundledCalls,
  answers: SynthesisAnswers,
): Promise<CompareRequest> {
  const { inputs, prompts } = bundle;
  const { nSessions, taxonomy } = inputs.settings;
  const builtIn = await loadPromptPack(undefined, listSynthesisPrompts(nSessions), taxonomy);
  if (computePackHash(prompts) !== inputs.prompts.hash) {
    throw new RecordingDamaged(bundle, 'its prompts do not match the SHA-256 in its inputs');
  }
  const currentPrompts = inputs.prompts.source === BUILT_IN_PROMPTS ? builtIn : prompts;
  const packs = currentPrompts.hash === prompts.hash ? [prompts] : [currentPrompts, prompts];
  const build = async (pack: PromptPack, attempt: Attempt<SynthesisCall>) => {
    const run = { id: inputs.id, settings: inputs.settings, prompts: pack, journal: calls };
    try {
      return await buildRequest(run, attempt, await buildQuestion({ run, answers }, attempt.call));
    } catch (error) {
      if (error instanceof RecordingDamaged) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new RecordingDamaged(
        bundle,
        `the request ${buildAttemptKey(attempt)} cannot be built: ${reason}`,
        {
          cause: error,
        },
      );
    }
  };
  return async (attempt, entry) => {
    calls.requireTime();
    const [first, runRequest] = await Promise.all(packs.map((pack) => build(pack, attempt)));
    if (first === undefined || first.request === entry.request) return undefined;
    const { request } = first;
    if (runRequest?.request === entry.request) return { change: 'prompts', request };
    const { settings } = runRequest ?? first;
    return { change: settings === entry.settings ? 'answers' : 'settings', request };
  };
}
