import type { Axis } from './axis';

/** Formality, clarity, conciseness, vividness, format and tone (paper, table 7: style). */
export const STYLE_AXES: readonly Axis[] = [
  {
    type: 'Formality',
    group: 'people',
    poles: [
      {
        rules: ['address every reader by title and surname', 'use titles for everybody mentioned'],
        hints: [
          'People there would raise an eyebrow at being greeted like that.',
          'My old supervisor would have sent this back for being too familiar with names.',
        ],
        praise: [
          'Good, nobody will feel spoken to out of turn.',
          'The names are handled with proper respect.',
        ],
        shows: [
          'I refer to everyone by title and surname, so Ms. Adeyemi and Mr. Holt can be shown {topic} as it is.',
        ],
      },
      {
        rules: ['address every reader by first name', 'use first names for everybody mentioned'],
        hints: [
          'This makes us sound as if we had never met.',
          'Nobody here has used a title since the day I started.',
        ],
        praise: ['It sounds like we know each other, which we do.', 'The names feel right.'],
        shows: ['I would simply start with "Hi Tolu, hi Sam" and go straight into {topic}.'],
      },
    ],
  },
  {
    type: 'Formality',
    group: 'register',
    poles: [
      {
        rules: ['keep the wording of an official letter', 'hold to formal written language'],
        hints: [
          'I could not hand this over a counter as it stands.',
          'It reads a bit too much like something said in a corridor.',
        ],
        praise: ['That could go on headed paper.', 'The wording would hold up in front of a board.'],
        shows: ['With regard to {topic}, it is recommended that the following arrangement be adopted.'],
      },
      {
        rules: ['keep the wording of a chat between colleagues', 'sound like a relaxed conversation'],
        hints: [
          'Who talks like this over coffee?',
          'I feel as though I should be signing something at the bottom.',
        ],
        praise: ['That is how we actually talk.', 'Easy on the ear, thanks.'],
        shows: ['Honestly, {topic} is simpler than it looks, so here is how I would go about it.'],
      },
    ],
  },
  {
    type: 'Formality',
    group: 'people',
    poles: [
      {
        rules: ['write every abbreviation out in full', 'avoid all abbreviations'],
        hints: [
          'Half of those letters mean something else in the next building.',
          'I had to guess what two of the short forms stood for.',
        ],
        praise: ['Nothing to decode any more.', 'Everything is written out, good.'],
        shows: ['In {topic} I have written "terms of reference" and every other short form out in full.'],
      },
      {
        rules: ['use the usual abbreviations', 'shorten recurring names to their initials'],
        hints: [
          'We would need a wider page for all these long names.',
          'Nobody here says the whole thing, it takes forever.',
        ],
        praise: ['The short forms are the ones we use.', 'Much quicker to read with the usual letters.'],
        shows: ['From here on ToR, QA and KPI carry their usual meaning for {topic}.'],
      },
    ],
  },
  {
    type: 'Formality',
    group: 'people',
    poles: [
      {
        rules: ['stay in the impersonal third person', 'avoid the words "I" and "you"'],
        hints: [
          'It points a finger at somebody in nearly every line.',
          'There is a person speaking in this, and there should not be.',
        ],
        praise: ['It could have been written by anybody, which is the point.', 'Nicely detached.'],
        shows: ['The recommended course for {topic} is set out here without reference to any speaker.'],
      },
      {
        rules: ['speak to the reader directly as "you"', 'speak in the first person plural'],
        hints: [
          'It talks past me, as if I were not in the room.',
          'I cannot tell that this is meant for us.',
        ],
        praise: ['I feel spoken to.', 'It sounds like it comes from the team.'],
        shows: ['You decide how far we take {topic}, and we can settle the rest together.'],
      },
    ],
  },
  {
    type: 'Clarity',
    group: 'vocabulary',
    poles: [
      {
        rules: ['explain each technical term in brackets', 'define every trade word at first use'],
        hints: [
          'My neighbour would stop reading at the second line.',
          'Two of those words I would have to look up for anybody else.',
        ],
        praise: ['Even a newcomer would keep up.', 'The difficult words take care of themselves now.'],
        shows: ['The tolerance (how far a value may drift before it matters) decides most of {topic}.'],
      },
      {
        rules: ['use trade terms without explaining them', 'assume full command of the technical vocabulary'],
        hints: [
          'This walks me through things I learned in my first week.',
          'I do not need to be handed a dictionary with it.',
        ],
        praise: ['It trusts me to know my own trade.', 'No hand-holding with the words, good.'],
        shows: ['Assuming the usual nomenclature, {topic} comes down to tolerance, throughput and drift.'],
      },
    ],
  },
  {
    type: 'Clarity',
    group: 'sentences',
    poles: [
      {
        rules: ['put one single idea in each sentence', 'keep every sentence under twelve words'],
        hints: [
          'I had to read some of it twice to find where one thought stopped.',
          'There is too much packed between one full stop and the next.',
        ],
        praise: ['One thing at a time, that helps.', 'I can take it in while walking.'],
        shows: ['Take {topic} in parts. Start small. Then add the rest.'],
      },
      {
        rules: ['link related ideas into long flowing sentences', 'avoid clipped one-line sentences'],
        hints: ['It rattles along like a telegram.', 'The thoughts sit side by side without holding hands.'],
        praise: ['It flows now.', 'The thoughts lead into each other nicely.'],
        shows: [
          'Because {topic} touches the schedule, and because the schedule in turn touches everyone else, the two are best settled in one and the same movement.',
        ],
      },
    ],
  },
  {
    type: 'Clarity',
    group: 'opening',
    poles: [
      {
        rules: ['open with the conclusion', 'state the verdict in the first sentence'],
        hints: [
          'I had to scroll before I knew where this was going.',
          'If somebody interrupts me after one line, what do I take away?',
        ],
        praise: ['I knew where we stood at once.', 'The first line already tells me enough.'],
        shows: ['In short: {topic} is worth doing, with one change to the plan.'],
      },
      {
        rules: ['hold the conclusion back until the end', 'build up to the verdict step by step'],
        hints: [
          'You gave the ending away before I had followed you there.',
          'I would rather be led to the answer than hit with it.',
        ],
        praise: ['I arrived at it myself, reading along.', 'The order lets the point land.'],
        shows: [
          'Only when these points are put side by side does the answer on {topic} follow, and it is a cautious yes.',
        ],
      },
    ],
  },
  {
    type: 'Clarity',
    group: 'people',
    poles: [
      {
        rules: ['repeat full names instead of pronouns', 'name every item exactly the same way throughout'],
        hints: [
          'By the third line I no longer knew which one "it" was.',
          'The same thing seems to go by several names here.',
        ],
        praise: ['No guessing about what is meant.', 'The names stay put, thank you.'],
        shows: ['The draft of {topic} stays "the draft of {topic}" all the way through, never just "it".'],
      },
      {
        rules: ['vary the wording for recurring items', 'avoid using the same noun twice in a row'],
        hints: [
          'It keeps hitting the same note, do you hear it?',
          'Read it aloud and you will hear the hammering.',
        ],
        praise: ['It reads less like a form now.', 'Pleasant variety in the wording.'],
        shows: ['Call {topic} the plan, the outline or the piece, whichever suits the line.'],
      },
    ],
  },
  {
    type: 'Conciseness',
    group: 'length',
    poles: [
      {
        rules: ['stay within {n} sentences', 'fit on a single index card'],
        hints: [
          'I was called away before I reached the end.',
          'This would not survive being read out between two doors.',
        ],
        praise: ['Short enough to read standing up.', 'That is about as much as I can carry around.'],
        shows: ['In one line: trim {topic} to what is needed this week.'],
      },
      {
        rules: ['spell out every step in full', 'develop each point at length'],
        hints: [
          'It feels like only the label of the box, not what is in it.',
          'There are gaps here that I would have to fill in by myself.',
        ],
        praise: ['Nothing is left for me to guess.', 'I can follow it without asking anybody.'],
        shows: [
          'Going through {topic} in full, first collect what exists, then sort it by date, then mark what is missing, and only then begin to write.',
        ],
      },
    ],
  },
  {
    type: 'Conciseness',
    group: 'ending',
    poles: [
      {
        rules: ['make each point only once', 'avoid any closing summary'],
        hints: ['I think I met the same thought twice.', 'The last bit told me what I had just read.'],
        praise: ['No echo this time.', 'It stops when it is done.'],
        shows: ['That is said once about {topic} and need not be said again.'],
      },
      {
        rules: ['repeat the main point at the end', 'close with a one-line recap'],
        hints: [
          'By the end I had lost sight of what mattered most.',
          'It simply stops, and I am left holding loose threads.',
        ],
        praise: ['The last line ties it together.', 'I know what to remember.'],
        shows: ['To say it once more at the end: {topic} stands or falls with its first week.'],
      },
    ],
  },
  {
    type: 'Conciseness',
    group: 'opening',
    poles: [
      {
        rules: ['skip any greeting or introduction', 'begin with the substance at once'],
        hints: [
          'The first line could go and nobody would miss it.',
          'There is a bit of throat-clearing at the start.',
        ],
        praise: ['Straight in, good.', 'It starts where it should.'],
        shows: ['{topic}: the first thing to settle is the deadline.'],
      },
      {
        rules: ['begin with a courteous word of welcome', 'introduce the subject before going into it'],
        hints: [
          'It falls into the house with the door.',
          'Where I come from one says hello before talking business.',
        ],
        praise: ['A polite way to begin.', 'I knew what it was about before it got going.'],
        shows: [
          'Thank you for bringing this up, it is good to look at {topic} together before going into the details.',
        ],
      },
    ],
  },
  {
    type: 'Vividness',
    group: 'imagery',
    poles: [
      {
        rules: ['explain through one everyday comparison', 'carry the main idea by an analogy'],
        hints: ['I understand it, but I cannot picture it.', 'My father would ask: and what is that like?'],
        praise: ['That picture will stick.', 'I could explain it to a child with that.'],
        shows: ['Think of {topic} as packing a small car: what goes in last must come out first.'],
      },
      {
        rules: ['stay literal without comparisons', 'avoid metaphors altogether'],
        hints: [
          'I am looking for the thing itself, not for a picture of it.',
          'Is it really like that, or does it only sound nice?',
        ],
        praise: ['It says the thing itself.', 'No decoration in the way.'],
        shows: ['Taken literally, {topic} consists of a list, a date and a person responsible.'],
      },
    ],
  },
  {
    type: 'Vividness',
    group: 'imagery',
    poles: [
      {
        rules: ['mention what can be seen or heard', 'describe colours or smells on site'],
        hints: ['I do not feel I am standing there.', 'It could be anywhere, with the curtains drawn.'],
        praise: ['I could almost smell the place.', 'It puts me right on the spot.'],
        shows: [
          'Picture {topic} on a grey morning, with the radiator ticking and the smell of wet coats by the door.',
        ],
      },
      {
        rules: ['leave out all sensory description', 'avoid atmosphere in favour of facts'],
        hints: ['There is more scenery in this than I have room for.', 'I did not ask what it looked like.'],
        praise: ['All substance, no scenery.', 'Dry, as it should be.'],
        shows: ['The facts of {topic} are these: two people, one room, one deadline.'],
      },
    ],
  },
  {
    type: 'Vividness',
    group: 'imagery',
    poles: [
      {
        rules: ['carry the point through a short anecdote', 'tell it as a small story with people in it'],
        hints: ['Nobody I know would remember this tomorrow.', 'Somebody should be doing something in it.'],
        praise: ['I will be retelling that one.', 'There is a person in it, at last.'],
        shows: [
          'A colleague once began {topic} on a Friday afternoon, and by Monday she had learned why one should not.',
        ],
      },
      {
        rules: ['state each point as a plain principle', 'avoid anecdotes'],
        hints: ['But what is the rule in all this?', 'I am not here to be told what happened to whom.'],
        praise: ['A rule I can apply, good.', 'It comes without a tale attached.'],
        shows: ['The principle for {topic} is simple: settle the scope before the schedule.'],
      },
    ],
  },
  {
    type: 'Format',
    group: 'layout',
    poles: [
      {
        rules: ['number every step', 'lay the answer out as a numbered list'],
        hints: [
          'If I am interrupted I cannot say how far I got.',
          'On the phone I would have no way to say which part I mean.',
        ],
        praise: ['I can tick things off as I go.', 'Easy to say over the phone which part I mean.'],
        shows: ['1) collect what there is on {topic}; 2) sort it; 3) decide; 4) write it down.'],
      },
      {
        rules: ['keep everything in running paragraphs', 'avoid lists of any kind'],
        hints: ['It looks like a shopping slip.', 'How does one thing lead to the next?'],
        praise: ['It reads like something a person wrote.', 'I can hear the argument in it.'],
        shows: [
          'The work on {topic} starts with what is there, moves through sorting, and ends, quite naturally, in a decision.',
        ],
      },
    ],
  },
  {
    type: 'Format',
    group: 'layout',
    poles: [
      {
        rules: ['set facts out as a small table', 'line options up in columns'],
        hints: [
          'I keep jumping up and down between the items to compare them.',
          'With everything in one stream I cannot see them next to each other.',
        ],
        praise: ['I see it all at one glance.', 'Comparing is easy like this.'],
        shows: [
          '| part of {topic} | effort | gain |, then one row each: | outline | low | high |, | review | high | medium |.',
        ],
      },
      {
        rules: ['put facts into full sentences', 'avoid tables and columns'],
        hints: ['My screen reader stumbles over this.', 'I cannot read this out to anyone.'],
        praise: ['I could read it aloud as it is.', 'It works on any screen.'],
        shows: [
          'Written out, the outline of {topic} costs little effort for much gain, and the review the other way round.',
        ],
      },
    ],
  },
  {
    type: 'Format',
    group: 'layout',
    poles: [
      {
        rules: ['put a short heading over each part', 'separate the parts by labelled sections'],
        hints: [
          'I could not find the bit I needed a second time.',
          'It is all one grey block from a distance.',
        ],
        praise: ['I find my way around in it.', 'I went straight to the part I wanted.'],
        shows: ['Scope: what {topic} covers. Steps: what to do. Open: what is left.'],
      },
      {
        rules: ['read on without headings or labels', 'hold together as one continuous text'],
        hints: ['It feels chopped into drawers.', 'On the page it looks like a leaflet.'],
        praise: ['One piece, nicely told.', 'It no longer looks like a leaflet.'],
        shows: [
          'What {topic} covers leads directly to what should be done about it, and so to what is left open.',
        ],
      },
    ],
  },
  {
    type: 'Format',
    group: 'layout',
    poles: [
      {
        rules: ['set the key words in bold', 'highlight the decisive words'],
        hints: [
          'My eye slides over it without catching anywhere.',
          'When I glance at it, nothing stands out.',
        ],
        praise: ['The eye lands on the right words.', 'A glance is enough now.'],
        shows: ['For {topic} the **deadline** and the **owner** are what counts.'],
      },
      {
        rules: ['use plain text without any markup', 'avoid bold type and symbols'],
        hints: [
          'Our system turns anything but letters into rubbish, so imagine how this prints.',
          'It shouts at me in places.',
        ],
        praise: ['It pastes cleanly now.', 'Quiet on the page, good.'],
        shows: ['Here is {topic} in plain characters, ready to be pasted anywhere.'],
      },
    ],
  },
  {
    type: 'Tone',
    group: 'tone',
    poles: [
      {
        rules: ['encourage before pointing out a fault', 'praise what works before correcting'],
        hints: [
          'I would have stopped listening after that first remark.',
          'A bit cold towards the one who did the work.',
        ],
        praise: [
          'I would take advice from someone who talks like that.',
          'It leaves people standing upright.',
        ],
        shows: ['The care behind {topic} shows, and that makes the one weak spot easy to mend.'],
      },
      {
        rules: ['name faults at once without softening', 'criticise bluntly'],
        hints: ['You are being polite with me.', 'I have to dig for what is actually wrong.'],
        praise: ['Now we are being honest.', 'That stung in the right place.'],
        shows: ['The weak spot of {topic} is its middle part, which does not work.'],
      },
    ],
  },
  {
    type: 'Tone',
    group: 'register',
    poles: [
      {
        rules: ['include one dry joke', 'allow a wink of humour'],
        hints: ['Everybody will be asleep by the second line.', 'It could do with a smile somewhere.'],
        praise: ['I laughed, once, which is about right.', 'There is a bit of sparkle in it.'],
        shows: ['As with most things, {topic} goes well as long as nobody calls a meeting about it.'],
      },
      {
        rules: ['stay serious throughout', 'avoid jokes and wordplay'],
        hints: [
          'This is not the place for being clever.',
          'Somebody there has just had bad news, and it shows nowhere.',
        ],
        praise: ['The right gravity.', 'Nothing in it would make anyone wince.'],
        shows: ['{topic} deserves to be treated soberly, and is treated so here.'],
      },
    ],
  },
  {
    type: 'Tone',
    group: 'stance',
    poles: [
      {
        rules: ['sound calm and unhurried', 'keep an even tone'],
        hints: ['My pulse went up reading this.', 'It pushes, and pushing does not work there.'],
        praise: ['It takes the heat out of the thing.', 'I could breathe while reading.'],
        shows: ['There is time enough for {topic}, and each part can wait for its turn.'],
      },
      {
        rules: ['press for action today', 'convey real urgency'],
        hints: [
          'Reading this, one could go for lunch first.',
          'Nobody will get out of their chair for that.',
        ],
        praise: ['That will get them moving.', 'One feels the clock.'],
        shows: ['{topic} cannot wait: the first call has to be made before noon.'],
      },
    ],
  },
  {
    type: 'Tone',
    group: 'stance',
    poles: [
      {
        rules: ['sound modest about the advice given', 'phrase advice as suggestions'],
        hints: [
          'It tells me what to do as if it had been there.',
          'It sounds rather sure of itself for a newcomer.',
        ],
        praise: ['It leaves the choice with me.', 'Modest, I like that.'],
        shows: ['One might, for {topic}, perhaps begin with the smaller half; it is only a suggestion.'],
      },
      {
        rules: ['give orders in the imperative', 'tell the reader exactly what to do'],
        hints: [
          'There are many "mights" in this for something I need done.',
          'It leaves me standing at the crossroads.',
        ],
        praise: ['Clear marching orders.', 'I know what I am to do.'],
        shows: ['Start {topic} today, finish the first half by Thursday, and send it off.'],
      },
    ],
  },
];
