/**
 * How a session comes about. `{name}`, `{who}` (she, he, or the name), `{factor}` with its article, `{topic}`, and the forms of
 * the pronouns. A factor may be one or many: no verb depends on it.
 */
export const STORY_OPENINGS: readonly string[] = [
  'On a rainy morning {name} finds that {topic} can no longer be put off.',
  'Halfway through the week everybody suddenly talks about {factor}.',
  'A short message about {factor} reaches {name} before breakfast.',
  '{name} comes back from a few days off to find {topic} on top of the pile.',
  'After a meeting that ran late, {name} is left with {topic}.',
  'Somebody mentions {factor} in passing, and {name} remembers what is still open.',
  'The month begins with {topic}, as it does every year.',
  'While clearing {their} desk, {name} comes across an old note about {factor}.',
  'A colleague falls ill, and {topic} lands with {name}.',
  'There are nine days left until {topic} has to be settled.',
  '{name} has promised to take care of {topic} and now has to begin.',
  'A telephone call turns {factor} into the subject of the afternoon.',
  'The new season opens with a question about {topic}.',
  'An outsider asks {name} a simple question about {factor} that has no simple answer.',
  'The power is back after an hour, and with it comes the thought of {topic}.',
  'In the corridor {name} is stopped and asked how far {topic} has come.',
  'A visitor is due next week, and suddenly {topic} has to look presentable.',
  'For once the calendar is empty, so {name} takes up {topic}.',
  'An error in an old file reminds {name} that {topic} was never finished.',
  'Over lunch the talk turns to {factor}, and not everyone agrees.',
];

export const STORY_MIDDLES: readonly string[] = [
  'The last time {factor} came up, it took two attempts to get it right.',
  'What is expected with {factor} was never written down anywhere, so {name} goes by experience.',
  '{name} has the facts together but not yet the form.',
  'Others would hand this on, but where {factor} must be considered {name} prefers to do it in person.',
  'A look at what was done before shows how much depends on {factor}.',
  'Nobody else knows enough about both {topic} and {factor}.',
  'Those who know {factor} will notice at once if it is done carelessly.',
  '{name} spreads the papers over the kitchen table and makes a start.',
  'There is enough time, if only just, and no room for a second try with {factor}.',
  'Thinking of {factor}, {name} starts three times and crosses out three beginnings.',
  'It would be an ordinary task if it were not for {factor}.',
  '{name} knows that a word too many, or one too few, would be remembered in connection with {factor}.',
  'The notes from last time are of little use, since they say nothing about {factor}.',
];

export const STORY_ENDINGS: readonly string[] = [
  'So {who} turns to the AI assistant for help with {topic}.',
  'Before anyone else gets involved, {who} tries it with the AI assistant.',
  'With a cup of tea going cold, {who} opens a chat with the assistant.',
  '{Who} decides to go through {topic} with the assistant first.',
  'To get something on paper today, {who} asks the assistant.',
  'It is late, and the assistant is the only one still answering.',
  'Between two appointments {who} puts the question to the assistant.',
  '{Who} types the request with one hand and holds the telephone with the other.',
];

/** Why a preference has changed, in the session in which it does first. */
export const TURNING_POINTS: readonly string[] = [
  'Something happened with {factor} last month: what {name} had always insisted on led to a misunderstanding that took days to clear up.',
  'A blunt conversation about {factor} has shown {name} that the old habit was serving nobody but {themself}.',
  'So much has changed around {factor} that what used to be right has become a hindrance, and {name} has drawn the consequence.',
  'After seeing how a neighbour deals with {factor}, {name} went home and threw the old rule out.',
  "A mistake in connection with {factor}, small but expensive, has turned {name}'s habits upside down.",
  'An evaluation of the past months with {factor} left {name} with a conclusion that surprised everyone, {name} most of all.',
  'A visitor took one look at how things were done for {factor} and asked why; {name} had no answer and has worked differently since.',
  "For weeks {name} did things the usual way for {factor} and watched it fail in front of everyone; a friend's remark on the bus home showed what had to change.",
  'A new colleague, knowing nothing of the old rule, handled {factor} the other way round, and {name} had to admit that it went better.',
];

/** When the changed preference is already familiar. */
export const AFTER_TURNING: readonly string[] = [
  'The new way of dealing with {factor} has proved itself, and {name} does not look back.',
  'By now everyone has got used to how {name} handles {factor} these days.',
  'What was learned about {factor} still holds.',
  '{name} remembers well why {factor} must be treated the way it is done today.',
  'Nothing since the spring has given {name} a reason to go back to the old way with {factor}.',
];

/** How somebody came to know a factor. */
export const ENCOUNTERS: readonly string[] = [
  '{name} has dealt with {factor} nearly every week for {years} years, mostly when it comes to {topic}.',
  "{factor} came into {name}'s working life through {topic} and never left it.",
  "In {name}'s first month nobody explained {factor}, and everything about it had to be learned by watching.",
  'Hardly a season passes in which {name} has nothing to do with {factor}, if only on the margin of {topic}.',
  'The responsibility for {factor} came to {name} from a predecessor, together with {topic} and a box of loose papers.',
  'Whenever {topic} is on the table, there will be talk of {factor} as well.',
  'To {name}, {factor} will always mean the part of the work that cannot be taught in a course.',
  '{name} first heard of {factor} from a colleague who spoke in a lowered voice.',
  'There was a time when {name} tried to avoid {factor}; today {topic} would be unthinkable without it.',
  'Most people know {factor} only from a distance, but for {years} years {name} has had a closer view, thanks to {topic}.',
  'Had it not been for {topic}, {name} would never have come near {factor}.',
];

export const EXPERIENCES: readonly string[] = [
  '{Years} years ago a hasty answer in this matter cost {name} a whole weekend and an apology.',
  'Once a visitor read something {name} had prepared in a hurry and misunderstood every second line.',
  'An early success taught {name} which details people really notice there.',
  'There was one spring in which everything about it went wrong, and {name} remembers exactly why.',
  'An old hand showed {name} how to go about it, with few words and much patience.',
  '{name} once saw a good piece of work rejected over a matter of form and has not forgotten it.',
  'A stranger thanked {name} for the way it was handled, which had never happened before.',
  'The worst afternoon of {their} career had to do with it, and so had one of the best.',
  'Twice the same request came back unread, until {name} changed the way it was put.',
  'After a long dispute about it {name} wrote a page of rules that still hangs above the desk.',
  'What looked like a trifle ended in a letter of complaint {years} pages long.',
  'A misprint in this connection once made {name} famous for a day, and not in a good way.',
  'It was here that {name} learned how differently two people can read the same sentence.',
];

export const EXPECTATIONS: readonly string[] = [
  'Since then {who} checks everything in this context against a very personal standard, also when the help comes from an assistant.',
  'That is why {who} wants help in this context to look a certain way and sends back what does not.',
  'From those days dates a fixed idea of what useful help must look like here.',
  'In this matter {who} no longer accepts answers that would do elsewhere.',
  'What others find fussy is, for {name}, simply the lesson of that time.',
  'Ever since, {who} expects the same of everyone who lends a hand, people and programs alike.',
  'Nobody has to share that view, but whoever helps {name} with it has to respect it.',
];
