/** What the assistant says of its own accord; `{topic}` and `{factor}`. */
export const FIRST_LINES: readonly string[] = [
  'Here is a first proposal for {topic}.',
  'For {topic} I would look at three things.',
  'There are several ways to approach {topic} with {factor} in mind.',
  'Let me take {topic} first and {factor} second.',
  'With {factor} involved, {topic} needs a bit of preparation.',
  '{topic} can be managed if it is divided sensibly.',
  'A good starting point for {topic} is what you already have.',
  'I suggest treating {topic} as a small project of its own.',
  'Generally speaking, {topic} depends on three or four decisions.',
];

export const REVISED_LINES: readonly string[] = [
  'Here is {topic} again, reworked.',
  'I have gone over {topic} once more.',
  'Thank you, that helps; this is the new version for {topic}.',
  'Understood, I have changed the approach to {topic}.',
  'With that in mind, {topic} could look like this.',
  'Let me put {topic} differently.',
  'That is a fair point, so I have started {topic} afresh.',
];

export const BODY_LINES: readonly string[] = [
  'Begin by collecting what exists, and set aside whatever is older than a year.',
  'Decide early who has the last word, because {factor} will raise the question anyway.',
  'A draft after two days is worth more than a finished piece after two weeks.',
  'Allow some slack in the middle, where most of the delays occur.',
  'It helps to agree on one contact person for {factor}.',
  'The part that takes longest is usually the one that looks simplest.',
  'Keep a short record of what was decided and when.',
  'Ask two people who were there last time what they would change.',
  'Where {factor} is concerned, small misunderstandings grow quickly.',
  'If something has to be left out, leave out what nobody asked about.',
  'Most of the effort goes into the first third.',
  'Compare the result with what was agreed at the outset.',
  'For {factor} it is useful to have an example at hand.',
  'One round of comments should be enough if the questions are put well.',
  'I would settle the date before the details.',
  'It is worth checking whether part of it has been done before.',
  'Try it on a small scale first and extend it when it holds.',
  'The people concerned should see it before anyone else does.',
  'Write down what counts as finished, so that everyone stops at the same place.',
  'What has to be said about {factor} can be put on a single page.',
  'There may be a quicker route, but it would cost goodwill.',
  'Once the outline stands, the remainder is mostly diligence.',
];

/** When the user handed something over. */
export const RESOURCE_LINES: readonly string[] = [
  'In what you sent, the second part needs the most attention.',
  'I have gone through what you pasted line by line.',
  'The material below your question already holds most of the answer.',
  'Two places in your material do not agree with each other.',
  'I would keep the beginning of what you sent and rework the end.',
  'One entry in your material stands out from the others and should be checked.',
];

/** When the request is about a program. */
export const CODE_LINES: readonly string[] = [
  'A dozen lines of Python will do: read the file, skip empty rows, and add up by the first column.',
  'Convert the column to numbers before adding it up, since it arrives as text.',
  'Loop over a copy of the list when entries are removed from it.',
  'Print the first three rows before doing anything with the remaining ones.',
  'In the spreadsheet, SUMIF over the second column gives the same without any program.',
  'Handle the empty file first, because it will come sooner or later.',
  'A comparison needs two equal signs there, while one assigns.',
  'Group by the label first and sort afterwards; the other order loses rows.',
];

/** When the feedback was about something the assistant can only guess. */
export const VAGUE_LINES: readonly string[] = [
  'I have reworked the place you pointed at.',
  'The part you mentioned now reads differently from beginning to end.',
  'I took your remark as the guide for this version.',
  'What you missed should be there now.',
];

export const CLOSING_LINES: readonly string[] = [
  'Tell me which part to go on with.',
  'From here, the remainder follows almost by itself.',
  'That should carry you through to the next step.',
  'I can go further into any of these parts.',
  'With this, {factor} should be well served.',
];

/** Keeps to a wish in another model's words; `{words}` is a verb phrase. */
export const HEEDING_LINES: readonly string[] = [
  'One thing I held to all the way through: {words}.',
  'I took care of this in every part: {words}.',
  'It was important to me to {words}.',
];
