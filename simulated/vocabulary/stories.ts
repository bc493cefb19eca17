/** How a session comes about. `{name}`, `{factor}` (with article), `{topic}`, `{they}`-forms as in the lives. */
export const STORY_OPENINGS: readonly string[] = [
  'On a rainy morning {name} finds that {topic} can no longer be put off.',
  "Halfway through the week {factor} is suddenly on everybody's mind.",
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
];

export const STORY_MIDDLES: readonly string[] = [
  'The last time {factor} was involved, it took two attempts to get it right.',
  'What {factor} asks for is never written down anywhere, so {name} goes by experience.',
  '{name} has the facts together but not yet the form.',
  'Others would hand this on, but with {factor} in play {name} prefers to do it in person.',
  'A look at what was done before shows how much depends on {factor}.',
  'Nobody else knows both {topic} and {factor} well enough.',
  'The people around {factor} will notice at once if it is done carelessly.',
  '{name} spreads the papers over the kitchen table and makes a start.',
  'There is enough time, if only just, and {factor} leaves little room for a second try.',
];

export const STORY_ENDINGS: readonly string[] = [
  'So {name} turns to the AI assistant for help with {topic}.',
  'Before anyone else gets involved, {name} tries it with the AI assistant.',
  'With a cup of tea going cold, {name} opens a chat with the assistant.',
  '{name} decides to go through {topic} with the assistant first.',
  'To get something on paper today, {name} asks the assistant.',
  'It is late, and the assistant is the only one still answering.',
];

/** Why a preference has changed, in the session in which it does first. */
export const TURNING_POINTS: readonly string[] = [
  'Something happened with {factor} last month: what {name} had always insisted on led to a misunderstanding that took days to clear up.',
  'A blunt conversation about {factor} has shown {name} that the old habit was serving nobody but {themself}.',
  'Since the people around {factor} changed, what used to be right has become a hindrance, and {name} has drawn the consequence.',
  'After seeing how a neighbour deals with {factor}, {name} went home and threw the old rule out.',
  "A mistake in connection with {factor}, small but expensive, has turned {name}'s habits upside down.",
  'An evaluation of the past months with {factor} left {name} with a conclusion that surprised everyone, {name} most of all.',
  'A visitor took one look at how things were done for {factor} and asked why; {name} had no answer and has worked differently since.',
];

/** When the changed preference is already familiar. */
export const AFTER_TURNING: readonly string[] = [
  'The new way of dealing with {factor} has proved itself, and {name} does not look back.',
  'By now everyone has got used to how {name} handles {factor} these days.',
  'What was learned about {factor} still holds.',
  '{name} remembers well why {factor} is treated the way it is today.',
];

/** How somebody came to know a factor. `{shows}`-like parts stand with the name. */
export const ENCOUNTERS: readonly string[] = [
  '{name} has dealt with {factor} nearly every week for {years} years, mostly when it comes to {topic}.',
  "{factor} came into {name}'s working life through {topic} and never left it.",
  "In {name}'s first month nobody explained {factor}, and everything about it had to be learned by watching.",
  "Hardly a season passes in which {factor} does not cross {name}'s path, if only on the margin of {topic}.",
  '{name} inherited {factor} from a predecessor, together with {topic} and a box of loose papers.',
  'Whenever {topic} is on the table, {factor} is not far away.',
  'For {name}, {factor} stands for the part of the work that cannot be taught in a course.',
  '{name} first heard of {factor} from a colleague who spoke of it in a lowered voice.',
];

export const EXPERIENCES: readonly string[] = [
  '{years} years ago a hasty answer concerning it cost {name} a whole weekend and an apology.',
  'Once a visitor read something {name} had prepared in a hurry and misunderstood every second line.',
  'An early success with it taught {name} which details people really notice.',
  'There was one spring in which everything about it went wrong, and {name} remembers exactly why.',
  'An old hand showed {name} how to treat it, with few words and much patience.',
  '{name} once saw a good piece of work rejected over a matter of form and has not forgotten it.',
  'A stranger thanked {name} for the way it was handled, which had never happened before.',
  'The worst afternoon of {their} career had to do with it, and so had one of the best.',
  'Twice the same request came back unread, until {name} changed the way it was put.',
  'After a long dispute about it {name} wrote a page of rules for {themself} that still hangs above the desk.',
];

export const EXPECTATIONS: readonly string[] = [
  'Since then {name} checks anything that touches it against a very personal standard, also when the help comes from an assistant.',
  'That is why {name} wants help in this context to look a certain way and sends back what does not.',
  'From those days dates a fixed idea of what useful help must look like here.',
  'Where it is concerned, {name} no longer accepts answers that would do elsewhere.',
  'What others find fussy is, for {name}, simply the lesson of that time.',
  'Ever since, {name} expects the same of everyone who lends a hand, people and programs alike.',
];
