import type { TASK_TYPES } from '../../schemas/factor';

type TaskType = (typeof TASK_TYPES)[number];

/**
 * Opening requests: `{factor}` with its article, `{topic}`, `{detail}` (why it comes up). None says how the answer should be.
 * A factor may be one or many: no verb depends on it.
 */
export const REQUESTS: Readonly<Record<TaskType, readonly string[]>> = {
  'Information seeking': [
    'What should I know about {topic} when I am dealing with {factor}? {detail}',
    '{detail} Which facts about {topic} matter most with regard to {factor}?',
    'Could you find out what usually happens with {topic} in a case like that of {factor}? {detail}',
    'I have to answer questions about {topic} because of {factor}. What is there to know? {detail}',
    'How do others deal with {topic}? I ask because of {factor}. {detail}',
    'What is the current state of things on {topic}? {detail} I need it for {factor}.',
    'Who would normally be responsible for {topic}, and what do they need from me? It is to do with {factor}. {detail}',
  ],
  Learning: [
    'Teach me what I need to understand about {topic}; it is for my work with {factor}. {detail}',
    'I never properly learned how to handle {topic}, and with {factor} it will be expected of me. {detail} Can you help me catch up?',
    '{detail} How can I get better at {topic} before I next deal with {factor}?',
    'Explain {topic} to me so that I can use it in connection with {factor}. {detail}',
    'I would like to understand the basics behind {topic} by the time {factor} will be my responsibility. {detail}',
    'Where do I start if I want to learn about {topic} because of {factor}? {detail}',
  ],
  Reasoning: [
    'Does it make sense to change {topic} because of {factor}? {detail} Help me think it through.',
    '{detail} If {factor} must come first, what follows for {topic}?',
    'I see two explanations for what happened with {topic} and {factor}. {detail} How would you tell which is right?',
    'Why would {factor} have any effect on {topic} at all? {detail}',
    '{detail} Suppose we left out {topic} altogether: what would that mean for {factor}?',
    'Which should give way when {topic} and {factor} collide? {detail}',
  ],
  Planning: [
    'Please plan {topic} for me; it has to fit in with {factor}. {detail}',
    '{detail} How should I go about {topic} with {factor} in mind?',
    'I need a plan for {topic} that also works for {factor}. {detail}',
    'Help me schedule {topic} alongside {factor}. {detail}',
    '{detail} In what order would you do things for {topic}, given {factor}?',
    'By when does what have to be ready for {topic}? Think of {factor}, please. {detail}',
  ],
  'Content creating': [
    'Please write a short text about {topic} that I can use for {factor}. {detail}',
    '{detail} Could you create something on {topic} to go with {factor}?',
    'I need a page on {topic} for {factor}. {detail}',
    'Make me a first version of {topic}, meant for {factor}. {detail}',
    'Something is needed for {factor} that introduces {topic}. {detail} Could you write it?',
    '{detail} Please come up with a text on {topic}; I will present it in connection with {factor}.',
  ],
  Communicating: [
    'How do I bring up {topic} when I talk to people about {factor}? {detail}',
    'Please help me word a message about {topic} that concerns {factor}. {detail}',
    '{detail} What do I say about {topic} when the talk turns to {factor}?',
    'I have to tell everyone about {topic} because of {factor}. {detail} What could I send?',
    '{detail} What would be a good answer when I am asked about {topic} and {factor}?',
    'Please prepare me for a conversation on {topic} that has to do with {factor}. {detail}',
  ],
  'Writing & editing': [
    'Help me write {topic}; it is going to be read in connection with {factor}. {detail}',
    '{detail} Can you put {topic} into words for {factor}?',
    'I am stuck on {topic} and need it for {factor}. {detail} Could you draft it?',
    'How would you write up {topic} so that it can be used with {factor}? {detail}',
    '{detail} I need wording for {topic}, to do with {factor}.',
  ],
  'Coding & debugging': [
    'Could you write a small script that helps me with {topic}? I need it for my work with {factor}. {detail}',
    '{detail} How would I automate {topic}, given what I have from {factor}?',
    'I would like a spreadsheet formula or a bit of code for {topic}, to be used with {factor}. {detail}',
    'The script I use for {topic} stopped working after a change that had to do with {factor}. {detail} What could be the cause?',
    '{detail} Please write me a program that sorts what belongs to {topic}; it is for {factor}.',
  ],
  'Problem solving': [
    'I have a problem with {topic} and it has to do with {factor}. {detail} What can I do?',
    '{detail} How do I get {topic} back on track without causing trouble for {factor}?',
    'Something about {topic} keeps going wrong whenever I have to do with {factor}. {detail}',
    'Help me sort out {topic}; {factor} cannot wait much longer. {detail}',
    '{detail} Two things about {topic} contradict each other, and I have to solve that for {factor}.',
    'What would be a way out with {topic}, now that {factor} must be considered as well? {detail}',
  ],
  'Data analysing': [
    'How should I look at the numbers behind {topic} for {factor}? {detail}',
    '{detail} Which figures on {topic} would tell me something about {factor}?',
    'I want to understand the trend in {topic} since {factor} came into it. {detail} How would you analyse that?',
    'Which comparison would show whether {topic} and {factor} have anything to do with each other? {detail}',
    '{detail} What can be read from {topic} over the past months with regard to {factor}?',
  ],
  'Advise seeking': [
    'What would you advise me to do about {topic}, considering {factor}? {detail}',
    '{detail} Should I go ahead with {topic} in spite of {factor}?',
    'I could use some advice on {topic}. It concerns {factor}. {detail}',
    'Between us: how would you handle {topic} with {factor} in the picture? {detail}',
    '{detail} Would you leave {topic} to somebody else, given {factor}?',
    'I hesitate over {topic} because of {factor}. {detail} What do you think?',
  ],
  Brainstorming: [
    'Give me ideas for {topic} that would work with {factor}. {detail}',
    '{detail} What could we do with {topic} for {factor}?',
    'I am looking for ideas around {topic}, with {factor} as the occasion. {detail}',
    'Let us brainstorm about {topic} and {factor}. {detail}',
    '{detail} How could {topic} be turned into something that surprises people who know {factor}?',
    'I have run out of ideas for {topic}, and it is meant for {factor}. {detail}',
  ],
};

export type ResourceKind = 'note' | 'table' | 'code' | 'draft';

/** Requests that hand something over, by the kind of thing; `[resource]` stands for it. */
export const RESOURCE_REQUESTS: Readonly<
  Record<TaskType, readonly { readonly kind: ResourceKind; readonly request: string }[]>
> = {
  'Information seeking': [
    {
      kind: 'note',
      request:
        'These are my notes on {topic} from {factor}. What is missing from them? {detail}\n\n[resource]',
    },
    {
      kind: 'table',
      request:
        '{detail} I have these figures on {topic} and need to know what is usual. They concern {factor}.\n\n[resource]',
    },
  ],
  Learning: [
    {
      kind: 'note',
      request:
        'I wrote this down when we spoke about {factor}. Please explain what it means for {topic}. {detail}\n\n[resource]',
    },
    {
      kind: 'code',
      request:
        'I was given this because of {factor}. {detail} Please teach me what it does and how it relates to {topic}.\n\n[resource]',
    },
  ],
  Reasoning: [
    {
      kind: 'table',
      request: 'Here is what I have on {topic} since {factor}. What follows from it? {detail}\n\n[resource]',
    },
    {
      kind: 'note',
      request:
        '{detail} Given the points below, what should happen to {topic} with a view to {factor}?\n\n[resource]',
    },
  ],
  Planning: [
    {
      kind: 'note',
      request:
        'Please turn these points into a plan for {topic}; I need it for {factor}. {detail}\n\n[resource]',
    },
    {
      kind: 'table',
      request:
        '{detail} Below are the hours we have. How do I plan {topic} with them, considering {factor}?\n\n[resource]',
    },
  ],
  'Content creating': [
    {
      kind: 'note',
      request: 'Please make a text about {topic} for {factor} out of this. {detail}\n\n[resource]',
    },
    {
      kind: 'draft',
      request:
        '{detail} Here is a letter we once sent. Please make a new text on {topic} for {factor} from it.\n\n[resource]',
    },
  ],
  Communicating: [
    {
      kind: 'draft',
      request:
        'I received this in connection with {factor} and have to answer about {topic}. {detail}\n\n[resource]',
    },
    {
      kind: 'draft',
      request:
        '{detail} Below is what I would send about {topic} to those concerned with {factor}. How should it go?\n\n[resource]',
    },
  ],
  'Writing & editing': [
    { kind: 'draft', request: 'Please revise this text on {topic} for {factor}. {detail}\n\n[resource]' },
    {
      kind: 'draft',
      request:
        '{detail} Here is my draft about {topic}; it is meant for {factor}. Please edit it.\n\n[resource]',
    },
    { kind: 'note', request: 'From these notes, write up {topic} for {factor}. {detail}\n\n[resource]' },
  ],
  'Coding & debugging': [
    {
      kind: 'code',
      request:
        'I use this for {topic} with {factor}, and it does not do what it should. {detail}\n\n[resource]\n\nWhat is wrong with it?',
    },
    {
      kind: 'code',
      request:
        'Please look over this before I run it for {factor}; it is about {topic}. {detail}\n\n[resource]',
    },
  ],
  'Problem solving': [
    {
      kind: 'note',
      request:
        '{detail} This is how things stand with {topic} and {factor}. How do I get out of it?\n\n[resource]',
    },
    {
      kind: 'table',
      request:
        'Something in these numbers on {topic} cannot be right, and I need them for {factor}. {detail}\n\n[resource]',
    },
  ],
  'Data analysing': [
    {
      kind: 'table',
      request: 'Please analyse these figures on {topic} for {factor}. {detail}\n\n[resource]',
    },
    {
      kind: 'table',
      request:
        '{detail} What do you see in this table about {topic}? It will be used for {factor}.\n\n[resource]',
    },
  ],
  'Advise seeking': [
    {
      kind: 'draft',
      request:
        'Somebody sent me this about {topic} because of {factor}. What would you advise? {detail}\n\n[resource]',
    },
    {
      kind: 'note',
      request:
        '{detail} These are the points for and against {topic} as I see them, thinking of {factor}. What should I do?\n\n[resource]',
    },
  ],
  Brainstorming: [
    {
      kind: 'note',
      request:
        'Here is what we have so far on {topic} for {factor}. What else could we do? {detail}\n\n[resource]',
    },
  ],
};

/** Why a request comes up; nothing about how the answer should be. */
export const DETAILS: readonly string[] = [
  'It is due on Thursday.',
  'I have about an hour for it.',
  'Two colleagues will work from it.',
  'We did it quite differently last year.',
  'I was asked only this morning.',
  'Until now somebody else took care of it.',
  'There are about forty people concerned.',
  'The last attempt did not go well.',
  'I have most of the material already.',
  'We meet about it on Monday.',
  'It is the first time I do this alone.',
  'The office has asked twice.',
  'I am writing this from the train.',
  'There is a little money left for it.',
  'Half of it is finished.',
  'I am covering for someone who is ill.',
  'The date was moved forward by a week.',
  'I will have to present it myself.',
  'It should be ready before the holidays.',
  'We have three rooms and six helpers.',
  'The previous version is from four years ago.',
  'Nobody else here has time for it.',
  'I already spoke to both sides.',
  'It came up again over lunch.',
  'I said I would have something by tonight.',
  'The old way no longer works since the move.',
  'This time there is an outside guest.',
  'I have nine pages of background.',
  'It concerns mainly the new people.',
  'There was a complaint about it in spring.',
  'My predecessor left no instructions.',
  'I tried it once in winter and gave up.',
  'A neighbour asked me about it in the street.',
  'The decision is mine this time.',
  'We lost a week because of the storm.',
  'It is only for internal use.',
  'A journalist may be there.',
  'It is my third try.',
  'I would rather not ask my boss.',
  'There are twelve of us this time.',
  'The others will see it on Friday.',
  'I have not slept much over this.',
  'It was my idea, so I have to do it.',
  'We share the budget with another team.',
];

/** How the second version of a request goes on to say the preference, which follows in lower case. */
export const PREFERENCE_LEADS: readonly string[] = [
  'One thing matters to me here: ',
  'As always in this matter, ',
  'You should know that in this context ',
  'For me the rule is this: ',
  'Please keep in mind that here ',
  'With this, there is one condition: ',
  'What counts for me is that ',
  'Experience has taught me that here ',
];
