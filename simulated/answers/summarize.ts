import type { ModelRequest } from '../../models/model';
import type { Random } from '../../rules/sampling/random';
import { happens } from '../chance';
import { readLog, type LoggedSession } from '../log';
import { clauseOn } from '../preference';
import { factorIn, topicIn } from '../reply';
import { NOTHING_ASKED, SUMMARY_ANALYSES } from '../vocabulary/inferences';
import { wishesIn, type Side } from '../wishes';
import { fill, pointOf } from '../words';

/** How much of what remarks want gets into the summary, in percent. */
const UNDERSTOOD = { outright: 95, hinted: 75, praised: 50 } as const;

/** The log's sessions summed up one by one, all in one answer (paper, figure 23). */
export function answerSummarize(request: ModelRequest, random: Random): string {
  const summaries = readLog(request.values['interaction_log'] ?? '').map((session, place) => ({
    session_id: place + 1,
    analysis: analysis(session, random),
    context: contextOf(session),
    preferences: preferencesIn(session, random),
  }));
  return `\`\`\`json\n${JSON.stringify({ summaries }, null, 2)}\n\`\`\``;
}

function analysis({ about, remarks }: LoggedSession, random: Random): string {
  return fill(random.pick(SUMMARY_ANALYSES), {
    factor: factorIn(about),
    messages: remarks.length === 1 ? 'one message' : `${remarks.length} messages`,
  });
}

function contextOf({ about }: LoggedSession): string[] {
  const topic = topicIn(about);
  return [
    `It has to do with ${factorIn(about)}.`,
    `It is about ${topic === 'this' ? pointOf(about) : topic}.`,
  ];
}

function preferencesIn({ remarks }: LoggedSession, random: Random): string[] {
  const noticed = remarks.flatMap(wishesIn).filter(({ told }) => happens(random, UNDERSTOOD[told]));
  const preferences = different(noticed).map(
    ({ axis, side }) => `The answer should ${clauseOn(random, axis, side).rule}.`,
  );
  if (preferences.length > 0) return preferences;
  // In the words of other users' models, a remark is its own summary.
  const quoted = remarks
    .map((remark) => remark.replaceAll(/\s+/g, ' ').trim())
    .filter((remark) => remark !== '');
  return quoted.length > 0 ? quoted.slice(0, 2) : [random.pick(NOTHING_ASKED)];
}

function different(sides: readonly Side[]): Side[] {
  return sides.filter(
    ({ axis, side }, place) =>
      sides.findIndex((other) => other.axis === axis && other.side === side) === place,
  );
}
