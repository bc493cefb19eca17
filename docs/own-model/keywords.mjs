/**
 * A model without a model: it answers with what the user said before. Of the previous sessions it takes the one whose
 * opening request shares the most telling words with the current request, and of the user's feedback there the sentence
 * whose words the feedback repeats most. It writes no responses worth reading; it is a floor that a model should clear.
 *
 *   --model module:./docs/own-model/keywords.mjs
 */
export default function ask({ system, messages }) {
  const text = messages.map(({ content }) => content).join('\n\n');
  const sentence = repeatedFeedback(closestSession(sessionsIn(text), currentRequest(text)));
  if (!/#+ Most Likely Preference/.test(`${system}\n${text}`)) return sentence;
  const preference = sentence.split(/\s+/).slice(0, 30).join(' ');
  return `### Analysis\n\nThe feedback that was repeated most in the most similar session.\n\n### Most Likely Preference\n\n${preference}`;
}

/** The user's messages of each session in the log. */
function sessionsIn(text) {
  return text
    .split(/^### Session \d+$/m)
    .slice(1)
    .map((session) =>
      [...session.matchAll(/^#### User\n\n(.*?)(?=\n\n#### |\n\n---)/gms)].map(([, said]) => said),
    )
    .filter((said) => said.length > 0);
}

/** What follows the last heading about a request; up to a rule, where the task is described. */
function currentRequest(text) {
  const [request = ''] = text
    .split(/^## .*(?:request|interaction)$/im)
    .at(-1)
    .split(/^---$/m);
  return request;
}

/** The session whose first message shares the words with the request that the fewest sessions have; of equals the last. */
function closestSession(sessions, request) {
  const openings = sessions.map(([opening]) => new Set(words(opening)));
  const telling = (word) => 1 / openings.filter((opening) => opening.has(word)).length;
  const wanted = [...new Set(words(request))];
  const scores = openings.map((opening) => sum(wanted.filter((word) => opening.has(word)).map(telling)));
  return sessions[scores.lastIndexOf(Math.max(...scores))] ?? [];
}

/** The sentence of the feedback with the most repeated words on average. */
function repeatedFeedback([opening = 'The response must do what the request asks for.', ...feedback]) {
  const counts = new Map();
  for (const word of feedback.flatMap(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const weight = (sentence) => sum(words(sentence).map((word) => counts.get(word))) / words(sentence).length;
  const sentences = feedback
    .flatMap((said) => said.split(/(?<=[.!?])\s+/))
    .filter((said) => words(said).length > 2);
  return (
    sentences.toSorted((one, other) => weight(other) - weight(one))[0]?.replaceAll(/\s+/g, ' ') ?? opening
  );
}

/** Words of four letters and more, in lower case. */
function words(text) {
  return text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
