/**
 * Returns an answer found by keywords, with no model. From the previous sessions, it takes the one whose opening shares the most
 * distinctive words with the current request. The answer is the sentence of the feedback there whose words that feedback repeats most. It
 * writes no useful responses; it is a floor that a model should clear.
 *
 * Use it with `--model module:./docs/own-model/keywords.mjs`.
 */
export default function ask({ system, messages }) {
  const text = messages.map(({ content }) => content).join('\n\n');
  const sentence = repeatedFeedback(closestSession(sessionsIn(text), currentRequest(text)));
  if (!/#+ Most Likely Preference/.test(`${system}\n${text}`)) return sentence;
  const preference = sentence.split(/\s+/).slice(0, 30).join(' ');
  return `### Analysis\n\nThe feedback that was repeated most in the most similar session.\n\n### Most Likely Preference\n\n${preference}`;
}

/** Returns the user's messages of each session in the log. */
function sessionsIn(text) {
  return text
    .split(/^### Session \d+$/m)
    .slice(1)
    .map((session) =>
      [...session.matchAll(/^#### User\n\n(.*?)(?=\n\n#### |\n\n---)/gms)].map(([, said]) => said),
    )
    .filter((said) => said.length > 0);
}

/** Returns the text between the last heading about a request and a rule, after which the task is described. */
function currentRequest(text) {
  const [request = ''] = text
    .split(/^## .*(?:request|interaction)$/im)
    .at(-1)
    .split(/^---$/m);
  return request;
}

/**
 * Finds the session whose first message has most in common with the request. A word counts more the fewer sessions have it. Among equals,
 * the last one wins.
 */
function closestSession(sessions, request) {
  const openings = sessions.map(([opening]) => new Set(words(opening)));
  const telling = (word) => 1 / openings.filter((opening) => opening.has(word)).length;
  const wanted = [...new Set(words(request))];
  const scores = openings.map((opening) => sum(wanted.filter((word) => opening.has(word)).map(telling)));
  return sessions[scores.lastIndexOf(Math.max(...scores))] ?? [];
}

/** Finds the sentence of the feedback whose words repeat most on average. */
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

/** Splits a text into words of four or more letters, in lower case. */
function words(text) {
  return text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
