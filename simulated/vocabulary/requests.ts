import type { TASK_TYPES } from '../../schemas/factor';

type TaskType = (typeof TASK_TYPES)[number];

/** Opening requests: `{factor}` with its article, `{topic}`, `{detail}` (why it comes up). None says how the answer should be. */
export const REQUESTS: Readonly<Record<TaskType, readonly string[]>> = {
  'Information seeking': [
    'What should I know about {topic} when {factor} is involved? {detail}',
    '{detail} Which facts about {topic} matter most for {factor}?',
    'Could you find out what usually happens with {topic} in a case like {factor}? {detail}',
    'I have to answer questions about {topic} because of {factor}. What is there to know? {detail}',
    'How do others deal with {topic}? I ask because of {factor}. {detail}',
  ],
  Learning: [
    'Teach me what I need to understand about {topic}; it is for my work with {factor}. {detail}',
    'I never properly learned how {topic} works, and {factor} will expect it of me. {detail} Can you help me catch up?',
    '{detail} How can I get better at {topic} before I next deal with {factor}?',
    'Explain {topic} to me so that I can use it in connection with {factor}. {detail}',
  ],
  Reasoning: [
    'Does it make sense to change {topic} because of {factor}? {detail} Help me think it through.',
    '{detail} If {factor} comes first, what follows for {topic}?',
    'I see two explanations for what happened with {topic} and {factor}. {detail} How would you tell which is right?',
    'Why would {factor} affect {topic} at all? {detail}',
  ],
  Planning: [
    'Please plan {topic} for me; it has to fit in with {factor}. {detail}',
    '{detail} How should I go about {topic} in the weeks around {factor}?',
    'I need a plan for {topic}, and {factor} sets the limits. {detail}',
    'Help me schedule {topic} alongside {factor}. {detail}',
  ],
  'Content creating': [
    'Please write a short text about {topic} that I can use for {factor}. {detail}',
    '{detail} Could you create something on {topic} to go with {factor}?',
    'I need a page on {topic} for {factor}. {detail}',
    'Make me a first version of {topic}, meant for {factor}. {detail}',
  ],
  Communicating: [
    'How do I bring up {topic} when I talk to the people around {factor}? {detail}',
    'Please help me word a message about {topic} that concerns {factor}. {detail}',
    '{detail} What do I say about {topic} when {factor} comes up?',
    'I have to tell everyone about {topic} because of {factor}. {detail} What could I send?',
  ],
  'Writing & editing': [
    'Help me write {topic}; it is going to be read in connection with {factor}. {detail}',
    '{detail} Can you put {topic} into words for {factor}?',
    'I am stuck on {topic} and {factor} is waiting for it. {detail} Could you draft it?',
  ],
  'Coding & debugging': [
    'Could you write a small script that helps me with {topic}? The files come from {factor}. {detail}',
    '{detail} How would I automate {topic}, given what {factor} provides?',
    'I would like a spreadsheet formula or a bit of code for {topic}, to be used with {factor}. {detail}',
  ],
  'Problem solving': [
    'I have a problem with {topic} and it has to do with {factor}. {detail} What can I do?',
    '{detail} How do I get {topic} back on track without upsetting {factor}?',
    'Something about {topic} keeps going wrong whenever {factor} is involved. {detail}',
    'Help me sort out {topic}; {factor} cannot wait much longer. {detail}',
  ],
  'Data analysing': [
    'How should I look at the numbers behind {topic} for {factor}? {detail}',
    '{detail} Which figures on {topic} would tell me something about {factor}?',
    'I want to understand the trend in {topic} since {factor} came into it. {detail} How would you analyse that?',
  ],
  'Advise seeking': [
    'What would you advise me to do about {topic}, considering {factor}? {detail}',
    '{detail} Should I go ahead with {topic} although {factor} is close?',
    'I could use some advice on {topic}. It concerns {factor}. {detail}',
    'Between us: how would you handle {topic} with {factor} in the picture? {detail}',
  ],
  Brainstorming: [
    'Give me ideas for {topic} that would work with {factor}. {detail}',
    '{detail} What could we do with {topic} for {factor}?',
    'I am looking for ideas around {topic}; {factor} is the occasion. {detail}',
    'Let us brainstorm about {topic} and {factor}. {detail}',
  ],
};

export type ResourceKind = 'note' | 'table' | 'code' | 'draft';

/** Requests that hand something over, by the kind of thing; `[resource]` stands for it. */
export const RESOURCE_REQUESTS: Readonly<
  Record<TaskType, readonly { kind: ResourceKind; request: string }[]>
> = {
  'Information seeking': [
    {
      kind: 'note',
      request:
        'These are my notes on {topic} from {factor}. What is missing from them? {detail}\n\n[resource]',
    },
  ],
  Learning: [
    {
      kind: 'note',
      request:
        'I wrote this down while {factor} was the subject. Please explain what it means for {topic}. {detail}\n\n[resource]',
    },
    {
      kind: 'code',
      request:
        'This came to me with {factor}. {detail} Please teach me what it does and how it relates to {topic}.\n\n[resource]',
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
        'Please turn these points into a plan for {topic}; {factor} is what it is for. {detail}\n\n[resource]',
    },
  ],
  'Content creating': [
    {
      kind: 'note',
      request: 'Please make a text about {topic} for {factor} out of this. {detail}\n\n[resource]',
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
        'I use this for {topic} with {factor} and it does not do what it should. {detail}\n\n[resource]\n\nWhat is wrong with it?',
    },
    {
      kind: 'code',
      request:
        'Please look over this before I run it on the files of {factor}; it is about {topic}. {detail}\n\n[resource]',
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
        'Something in these numbers on {topic} cannot be right, and {factor} depends on them. {detail}\n\n[resource]',
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
