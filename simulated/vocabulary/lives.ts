/**
 * Sentence parts of persona descriptions. `{name}` is the given name; `{their}`, `{them}` and `{themself}` follow the pronouns;
 * every verb stands with the name, so that it is third person singular for everyone.
 */

/** What somebody with a value wants, after "{name} wants". */
export const WANTS: Readonly<Record<string, readonly string[]>> = {
  'Self-Direction': [
    'to run {their} own day without asking anyone',
    'to choose which work to take and which to turn down',
    'room to try {their} own way before hearing the usual one',
    'a working life in which nobody else fills in the calendar',
  ],
  Achievement: [
    'to be the one who gets called for the hard cases',
    'results that can be counted at the end of the year',
    'to be better in May than in April',
    'a finished piece of work with {their} name on it every season',
  ],
  Universalism: [
    'work that leaves strangers a little better off',
    'to see the neighbours from the new estate treated like everyone else',
    'to waste less of what the earth gave',
    'fair shares for the people who come last',
  ],
  Power: [
    'a seat at the table where the budget is cut',
    'to lead the whole operation one day',
    'people to act on {their} word without a second e-mail',
    'the corner office, and says so',
  ],
  Stimulation: [
    'never to do the same day twice',
    'a new country, tool or problem at least every year',
    'projects that make {their} stomach flutter',
    'to be thrown into things before they are ready',
  ],
  Benevolence: [
    "to be of use to the people within arm's reach",
    'nobody in {their} circle to carry a burden alone',
    'newcomers to have it easier than {name} had it',
    'to be remembered for having had time',
  ],
  Security: [
    'a roof, a pension and no surprises',
    'procedures that still hold when somebody is ill',
    "two months of savings and a spare key at the neighbour's",
    'to know on Friday what Monday will bring',
  ],
  Tradition: [
    'to hand on the craft the way it was handed down',
    'the old names and feast days to stay in use',
    'to keep a promise made to {their} grandparents',
    'things done as they have always been done here, for good reason',
  ],
  Conformity: [
    'to give nobody cause for complaint',
    'to do what was agreed, on the day it was agreed',
    'the same rules for everyone, {themself} included',
    'to fit in without being noticed',
  ],
  Hedonism: [
    'good food, long evenings and work that ends at five',
    'to enjoy the doing as much as the having done',
    'at least one thing to look forward to every day',
    'a job that leaves room for the lake in summer',
  ],
};

/** How success is measured, after the value's want. */
export const MEASURES: readonly string[] = [
  'counts it a good week when {trouble} did not get in the way',
  'measures success by the number of people who come back',
  'keeps a small list of things that went well and reads it in December',
  'would trade a raise for two more hours of unbroken work',
  'believes that a thing is done when someone else can use it',
  'judges the year by whether {their} family saw enough of {them}',
  'looks at one figure only, and has it on a note above the desk',
  'calls it success when nobody had to ask twice',
  'hopes to have something to show by the next birthday',
  'thinks that good work is work one can explain at the dinner table',
];

/** What stands in the way, after "{name}". */
export const PAINS: readonly string[] = [
  'is worn down by {trouble} and by {trouble2}',
  'fears most of all being found out as less able than people think, and {trouble} does not help',
  'loses patience over {trouble}, less often over people',
  'has twice come close to giving up because of {trouble}',
  'can work through almost anything except {trouble} and a ringing phone',
  'dreads the day on which {trouble} will cost more than a weekend',
  'finds {trouble} easier to bear than the silence after a mistake',
  'complains about {trouble} at home and about nothing at work',
  'has learned to live with {trouble}, but not with {trouble2}',
  'sleeps badly before important days, and {trouble} makes those days frequent',
];

/** What shows a trait, after "{name}" (the trait itself is never named: paper, figure 13). */
export const SHOWS: Readonly<Record<string, readonly string[]>> = {
  'High Openness to Experience': [
    'signs up for evening classes in things nobody asked for',
    'collects odd questions in a notebook',
    'takes a different way home most days',
    'reads far outside the trade',
  ],
  'Low Openness to Experience': [
    'orders the same lunch as ten years ago',
    'distrusts anything that is called a game changer',
    'prefers the method that has worked since the first year',
    'changes a tool only when it breaks',
  ],
  'High Conscientiousness': [
    'answers every message before going home',
    'labels even the boxes of labels',
    'starts on deadlines a week early',
    'checks figures once more on the train',
  ],
  'Low Conscientiousness': [
    'begins four things for each one finished',
    'keeps important papers in coat pockets',
    'meets deadlines at the very last train',
    'remembers birthdays a week late',
  ],
  'High Extroversion': [
    "knows the names of all the neighbours' dogs",
    'thinks best out loud, with others in the room',
    'turns any queue into a conversation',
    'fills silences before they can form',
  ],
  'Low Extroversion': [
    'goes for a walk alone after every long meeting',
    'writes rather than calls',
    'sits near the door at parties',
    'says little and is listened to',
  ],
  'High Agreeableness': [
    'covers shifts that nobody wants',
    'finds a kind word even for bad drafts',
    'gives away the better half of the sandwich',
    'apologises to furniture',
  ],
  'Low Agreeableness': [
    'tells the boss when the numbers do not add up',
    'haggles on principle',
    'does not soften bad news',
    'wins arguments and sometimes loses the evening',
  ],
  'High Neuroticism': [
    'goes back to check the lock',
    'replays conversations at night',
    'has a plan for the plan going wrong',
    'reads a short answer as an angry one',
  ],
  'Low Neuroticism': [
    'shrugs at alarms that make others run',
    'sleeps soundly before inspections',
    'takes criticism like weather',
    'stays on the sofa when the stock market falls',
  ],
};

/** What occupies somebody's mind, after "{name} thinks a good deal about". */
export const THOUGHTS: readonly string[] = [
  'who will take over one day',
  'what was promised to {their} parents',
  'whether the town will still be there in thirty years',
  'how much of a working life is left',
  'the one mistake that was never found out',
  'what {their} children will say about it',
  'the difference between being busy and being useful',
  'a plan for a second career that exists only on napkins',
  'a friend who left the trade and seems happier',
  'how to be good at the work without being swallowed by it',
  'the people who were there before',
  'what could be stopped without anyone noticing',
  'moving closer to the sea',
  'the letter that came in spring and is still unanswered',
  'whether experience can be taught at all',
];

/** Where the sentence about the persona is said, before the seed sentence. */
export const SAID_OF: readonly string[] = [
  'A local newsletter once summed {them} up like this: {seed}',
  'Friends who introduce {name} tend to say it in one breath: {seed}',
  'On the notice board at work somebody has pinned a line about {them}: {seed}',
  'What people tell newcomers about {name} is always the same: {seed}',
  "{name}'s own short biography, corrected several times, reads: {seed}",
  'A cousin who likes to exaggerate puts it this way: {seed}',
  'In the staff magazine {name} was portrayed in a single line: {seed}',
  'The reference that a former colleague wrote begins with the words: {seed}',
  'Neighbours would describe {name} in these words: {seed}',
  "The caption under {name}'s photograph in the hall says: {seed}",
];

/** What others think, joined to the sentence above. */
export const OTHERS: readonly string[] = [
  'and colleagues would add that {who} {shows}',
  'though the people closest to {them} mostly notice that {who} {shows}',
  'and those who share a desk with {them} know that {who} {shows}',
  'but {their} sister only smiles and says that {who} {shows}',
  'and the younger ones find it funny that {who} {shows}',
  'while the neighbours have noticed above all that {who} {shows}',
];

/** How decisions are made, after "{name}". */
export const DECIDES: Readonly<Record<string, readonly string[]>> = {
  Analytical: [
    'writes down both columns before choosing',
    'asks for the figures behind the figures',
    'compares three offers and keeps the notes',
    'postpones a choice until the data are in',
  ],
  Directive: [
    'decides on the spot and explains later',
    'hands out tasks before the coffee is cold',
    'prefers a quick rule to a long discussion',
    'ends meetings five minutes early',
  ],
  Conceptual: [
    'sketches the whole before touching a part',
    'asks what it could look like in ten years',
    'keeps several ideas open at once',
    'finds a third way when two are offered',
  ],
  Behavioral: [
    'rings round to hear how everyone feels about it',
    'looks for the choice that nobody has to swallow',
    'decides over a shared meal',
    'asks the quietest person last',
  ],
};

/** What fills the days besides, at the end of a description. */
export const PASTIMES: readonly string[] = [
  "plans the street's summer party",
  'writes long letters to an aunt abroad',
  'teaches a cousin to drive',
  'repairs radios on Sundays',
  'coaches a chess group for beginners',
  'grows tomatoes on a fire escape',
  'sings in a choir without a conductor',
  'keeps the accounts of the allotment club',
  'cooks for eleven on Thursdays',
  "is learning a language from children's books",
  'sorts donations at the parish hall',
  "builds kites with the neighbour's twins",
  'runs a quiz night with unusual rules',
  'edits the newsletter of a hiking club',
  'restores a rowing boat that may never float',
  'volunteers at the repair café',
  'translates recipes for {their} grandmother',
  'draws maps of places that do not exist',
  'referees at the under-tens',
  'records birdsong before breakfast',
  'plays dominoes for absurd stakes',
  'organises lifts for the elderly on market days',
  'takes evening photographs of shop windows',
  'collects sayings from taxi drivers',
  'swims outdoors until November',
];

/** What gets done through the day, after "In a usual week {name}". */
export const DUTIES: readonly string[] = [
  'drafts, sorts and answers until noon and sees people after that',
  'splits the days between {topic} and visits on site',
  'spends more hours on {topic} than on anything in the job description',
  'shows newcomers how to handle {topic}',
  'does the quiet work early and leaves the talking for the afternoon',
  'moves between {topic} and whatever is burning',
  'reserves Wednesdays for {topic} and defends them',
  'writes short notes to everyone and long ones to {themself}',
  'prepares {topic} on paper first and on the screen second',
  'gives half the time to people and half to {topic}',
];

/** How somebody came to the work, after "by way of". */
export const DETOURS: readonly string[] = [
  'a summer job',
  'a wrong turn after school',
  "an uncle's workshop",
  'three other trades',
  'a scholarship',
  'the night shift',
  'a small advertisement',
  'a lost bet',
  'the army',
  'a library book',
  'an illness in the family',
  'a closed-down factory',
];

/** When somebody is alone with their thoughts, before "{name} thinks about". */
export const MOMENTS: readonly string[] = [
  'In quiet moments',
  'On the way home',
  'More than others would guess,',
  'Deep down',
  'Before falling asleep',
  'Over the washing-up',
  'In the minutes before everyone arrives',
];
