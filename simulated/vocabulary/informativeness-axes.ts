import type { Axis } from './axis';

/** Relevance, depth, creativity, efficiency and practicality (paper, table 7: informativeness). */
export const INFORMATIVENESS_AXES: readonly Axis[] = [
  {
    type: 'Relevance',
    group: 'scope',
    poles: [
      {
        rules: ['stay strictly within the question asked', 'leave neighbouring subjects aside'],
        hints: ['I only wanted the one thing.', 'Some of this belongs to another conversation.'],
        praise: ['Nothing in it that I had not come for.', 'It keeps to the matter.'],
        shows: ['Only {topic} is dealt with here, nothing to the left or right of it.'],
      },
      {
        rules: ['point out neighbouring matters worth knowing', 'add one thing nobody asked about'],
        hints: [
          'It answers me like a ticket machine.',
          'What would you have told me that I did not think of?',
        ],
        praise: ['I would not have thought of that other thing.', 'Good that it looked over the fence.'],
        shows: ['Beside {topic}, it may interest you that the same applies to the spring order.'],
      },
    ],
  },
  {
    type: 'Relevance',
    group: 'place',
    poles: [
      {
        rules: ['refer to local rules and habits', 'build on how things are done on the spot'],
        hints: [
          'This could have been written for any town on earth.',
          'They have never heard of that where we are.',
        ],
        praise: ['One notices that it is meant for here.', 'That is how it is done with us.'],
        shows: ['In your region {topic} is usually settled before market day, and I have kept to that.'],
      },
      {
        rules: ['draw on practice from other countries', 'bring in an example from abroad'],
        hints: [
          'All of this I could have heard from my neighbour.',
          'The world does not end at our ring road.',
        ],
        praise: ['Refreshing to hear how others do it.', 'A view from outside, that was missing.'],
        shows: [
          'In Denmark and in Uruguay {topic} is handled by a small rotating group, which works surprisingly well.',
        ],
      },
    ],
  },
  {
    type: 'Relevance',
    group: 'past',
    poles: [
      {
        rules: ['tie advice to earlier decisions', 'mention what was tried before'],
        hints: [
          'As if we had started only yesterday.',
          'There is a history to this that I cannot see anywhere.',
        ],
        praise: ['It goes on from where we stopped.', 'It remembers what we went through.'],
        shows: ['Since you chose the slower route last year, {topic} should go on from there.'],
      },
      {
        rules: ['judge the matter afresh', 'disregard how it was done before'],
        hints: ['Old tracks again.', 'I was hoping for somebody who had not been here for years.'],
        praise: ['A fresh pair of eyes.', 'No ballast from former times.'],
        shows: ['Looked at as if for the first time, {topic} needs a new order of steps.'],
      },
    ],
  },
  {
    type: 'Depth',
    group: 'reasons',
    poles: [
      {
        rules: ['give the reason behind each recommendation', 'justify every step'],
        hints: ['And when they ask me why?', 'I am to take this on trust, it seems.'],
        praise: ['I could defend that before anybody.', 'The why is there.'],
        shows: ['{topic} comes before the rest because everything else has to wait for it.'],
      },
      {
        rules: ['give recommendations without reasons', 'leave out all justification'],
        hints: ['I did not ask to be convinced.', 'There is a lecture hidden in this.'],
        praise: ['Just the thing to do, good.', 'No sermon.'],
        shows: ['For {topic}: two pages, four people, one week.'],
      },
    ],
  },
  {
    type: 'Depth',
    group: 'past',
    poles: [
      {
        rules: ['start from the historical background', 'explain how things came to be as they are'],
        hints: ['It begins in the middle of the film.', 'Nothing comes from nothing, as they say.'],
        praise: ['Now I see where it all comes from.', 'The long view does it good.'],
        shows: ['{topic} goes back to a compromise of the nineties, and that explains its odd form.'],
      },
      {
        rules: ['deal only with the present state', 'skip all history'],
        hints: ['Do I need to know what was before my time?', 'We live in this year.'],
        praise: ['It stays with what is.', 'Here and now, thank you.'],
        shows: ['As matters stand today, {topic} has one open question.'],
      },
    ],
  },
  {
    type: 'Depth',
    group: 'exceptions',
    poles: [
      {
        rules: ['cover the rare exceptions too', 'name {n} cases in which it fails'],
        hints: ['Life has more corners than that.', 'I can think of somebody to whom it does not apply.'],
        praise: ['Even the odd cases are thought of.', 'It knows where it ends.'],
        shows: ['This does not hold for {topic} in leap years, in mixed groups, or when two dates collide.'],
      },
      {
        rules: ['cover only the usual case', 'leave special cases out'],
        hints: [
          'By the third "unless" I had forgotten the rule.',
          'I will not meet most of this in a lifetime.',
        ],
        praise: ['The normal case, plain and usable.', 'No forest of conditions.'],
        shows: ['In the usual case {topic} takes its normal course and needs nothing else.'],
      },
    ],
  },
  {
    type: 'Depth',
    group: 'levels',
    poles: [
      {
        rules: ['move from overview to detail in {n} stages', 'show the whole before any part'],
        hints: ['I see trees.', 'I do not know where on the map I am.'],
        praise: ['First the map, then the street, good.', 'I know which part belongs where.'],
        shows: [
          'Seen from above {topic} has two halves; one step closer, each of them has a hinge; and there lies the detail that counts.',
        ],
      },
      {
        rules: ['pick one detail to examine closely', 'treat a single aspect instead of the whole'],
        hints: ['A mile wide and an inch deep.', 'It touches everything and holds nothing.'],
        praise: [
          'It stays with one thing and really looks.',
          'Finally somebody goes to the bottom of one thing.',
        ],
        shows: ['I look at just one joint of {topic}: the moment when it changes hands.'],
      },
    ],
  },
  {
    type: 'Creativity',
    group: 'route',
    poles: [
      {
        rules: ['propose at least one untested idea', 'include a suggestion nobody has tried'],
        hints: ['I could have found all of that in the drawer.', 'Surprise me a little.'],
        praise: ['I have never heard of that, and I like it.', 'Somebody dared something.'],
        shows: [
          'Something nobody has tried with {topic}: let the youngest person in the room decide the order.',
        ],
      },
      {
        rules: ['propose only methods with a track record', 'stay with what has been proven'],
        hints: ['I am not a laboratory.', 'Who has ever done that and lived to tell?'],
        praise: ['Tried and tested, that lets me sleep.', 'No experiments, good.'],
        shows: ['For {topic} this has held up for twenty years and in more than one house.'],
      },
    ],
  },
  {
    type: 'Creativity',
    group: 'route',
    poles: [
      {
        rules: ['borrow an approach from an unrelated field', 'look at it through another profession'],
        hints: [
          'We have been stewing in our own juice with this.',
          'What would a sailor or a baker say to it?',
        ],
        praise: [
          'The view from that other trade opens a window.',
          'Who would have thought that they know the answer there.',
        ],
        shows: ['Beekeepers would treat {topic} like a swarm: offer a better place and wait.'],
      },
      {
        rules: ["stay with the field's own methods", 'use the standard approach of the trade'],
        hints: [
          'My colleagues would smile at where this comes from.',
          'We do have a way of doing this in our trade.',
        ],
        praise: ['That is good craft as we understand it.', 'My teachers would nod.'],
        shows: [
          'By the book of the trade, {topic} calls for a survey, an estimate and a sign-off, in this order.',
        ],
      },
    ],
  },
  {
    type: 'Creativity',
    group: 'naming',
    poles: [
      {
        rules: ['give each idea a memorable name', 'invent a catchphrase for the main idea'],
        hints: [
          'Nobody will be able to refer to that in a meeting.',
          'It slips out of my head as soon as I look away.',
        ],
        praise: ['That name will stay.', 'I already heard myself using the phrase.'],
        shows: ['Let us call this way of handling {topic} the Two-Basket Rule.'],
      },
      {
        rules: ['label each idea plainly', 'avoid slogans and coined names'],
        hints: ['It sounds like a poster.', 'I would blush saying that aloud.'],
        praise: ['Called by what it is.', 'No slogans, thank you.'],
        shows: ['The method for {topic} is a comparison in pairs and is called just that.'],
      },
    ],
  },
  {
    type: 'Creativity',
    group: 'number-of-ideas',
    poles: [
      {
        rules: ['offer exactly {n} options', 'lay several alternatives side by side'],
        hints: ['It leaves me nothing to decide.', 'I like to choose for myself.'],
        praise: ['Now I can choose.', 'Enough to pick from, not more.'],
        shows: ['For {topic} there are three options: do it by hand, share it out, or drop the second half.'],
      },
      {
        rules: ['commit to a single recommendation', 'decide on one option only'],
        hints: ['And which of them, if you please?', 'I came with a question and left with more.'],
        praise: ['One word, one direction.', 'It sticks its neck out.'],
        shows: ['My one recommendation on {topic}: do it by hand, this once.'],
      },
    ],
  },
  {
    type: 'Efficiency',
    group: 'figures',
    poles: [
      {
        rules: ['attach a time estimate to every step', 'say how many minutes each part takes'],
        hints: [
          'How am I to fit that between two appointments?',
          'I cannot see whether I will be home for supper.',
        ],
        praise: [
          'I know how long I will sit there.',
          'It fits into my afternoon, and I can see that it does.',
        ],
        shows: ['For {topic} reckon twenty minutes to sort, forty to write, and ten to read it over.'],
      },
      {
        rules: ['leave the timing open', 'avoid durations and deadlines'],
        hints: ['I feel the stopwatch in my neck.', 'Things take as long as they take.'],
        praise: ['No clock in it.', 'It lets me go at my own speed.'],
        shows: ['{topic} may take whatever it needs; the order matters, not the clock.'],
      },
    ],
  },
  {
    type: 'Efficiency',
    group: 'route',
    poles: [
      {
        rules: ['point to the quickest workable shortcut', 'prefer the fastest route to the result'],
        hints: ['That is the scenic route.', 'There must be a door at the back.'],
        praise: ['That saves me half a day.', 'The back door, there it is.'],
        shows: [
          'The shortcut for {topic} is to copy the last version and change the three lines that differ.',
        ],
      },
      {
        rules: ['follow the complete official procedure', 'avoid shortcuts even where they would do'],
        hints: [
          'Somebody will ask for the stamp that is missing here.',
          'I have seen what becomes of clever short ways.',
        ],
        praise: ['By the book, from the first page to the last.', 'Every stamp in its place.'],
        shows: ['{topic} goes through all its stations: request, review, approval, record.'],
      },
    ],
  },
  {
    type: 'Efficiency',
    group: 'time',
    poles: [
      {
        rules: ['group similar tasks into one sitting', 'bundle the work into a single block'],
        hints: [
          'I would be starting and stopping all week.',
          'That is a lot of putting on and taking off of shoes.',
        ],
        praise: ['One go and done.', 'Everything of a kind in one place.'],
        shows: ['Do all the calls for {topic} in one sitting and all the writing in another.'],
      },
      {
        rules: ['spread the work over several days', 'divide the work into short daily portions'],
        hints: ['Who has a whole day in one piece?', 'By the afternoon of that my head would be a pumpkin.'],
        praise: ['A little each day, I can do that.', 'Portions for human beings.'],
        shows: ['Give {topic} a quarter of an hour each morning until Friday.'],
      },
    ],
  },
  {
    type: 'Efficiency',
    group: 'reuse',
    poles: [
      {
        rules: ['build on a reusable template', 'come in a form that can be used again'],
        hints: [
          'And next month I begin again from nothing?',
          'It is a nice single piece, but I need the mould.',
        ],
        praise: ['I can use that again next month.', 'The mould is worth more than the cake.'],
        shows: ['I have left the names and dates of {topic} as gaps, so that it can be used again.'],
      },
      {
        rules: ['be made from scratch for the case', 'avoid anything that smells of a template'],
        hints: ['I have the feeling others got the same letter.', 'It fits like a rented suit.'],
        praise: ['Made to measure.', 'One sees that nobody else got this.'],
        shows: ['Nothing here is taken over from elsewhere; {topic} is treated as the single case it is.'],
      },
    ],
  },
  {
    type: 'Practicality',
    group: 'means',
    poles: [
      {
        rules: ['use only tools already at hand', 'get by without buying anything'],
        hints: ['I looked around the room and had none of that.', 'We are not a catalogue company.'],
        praise: ['I have all of that in the cupboard.', 'No shopping needed.'],
        shows: ['For {topic} a pencil, the old list and the kitchen timer will do.'],
      },
      {
        rules: ['recommend the best tool at any price', 'suggest new equipment where it helps'],
        hints: ['Patching again, are we?', 'We have made do for long enough.'],
        praise: ['Finally the proper tool for it.', 'That is worth the money.'],
        shows: ['For {topic} it pays to get the proper device, even if it costs a month of coffee.'],
      },
    ],
  },
  {
    type: 'Practicality',
    group: 'figures',
    poles: [
      {
        rules: ['put a price beside each suggestion', 'state what everything costs'],
        hints: ['The treasurer will look at me and wait.', 'Free of charge, I suppose?'],
        praise: ['I know what it comes to.', 'The treasurer will be pleased.'],
        shows: ['{topic} costs about 40 for paper, 120 for the room, and nothing for the goodwill.'],
      },
      {
        rules: ['leave money out of the discussion', 'avoid prices and budgets'],
        hints: ['It smells of invoices.', 'Must it be about that again?'],
        praise: ['For once it is not about cash.', 'It keeps the till closed.'],
        shows: ['What {topic} is worth to people decides, whatever the bill.'],
      },
    ],
  },
  {
    type: 'Practicality',
    group: 'ending',
    poles: [
      {
        rules: ['end on one action for today', 'close with a single next step'],
        hints: [
          'Fine, and what do I do when I get up from this chair?',
          'I am nodding, but my hands are idle.',
        ],
        praise: ['I know what to do when I get up.', 'The last line sends me off.'],
        shows: ['The one thing to do today for {topic}: ring the person with the key.'],
      },
      {
        rules: ['end on a long-term direction', 'close with a view of the years ahead'],
        hints: ['And where does that lead in the end?', 'It stops at the garden gate.'],
        praise: ['It lifts the eyes at the end.', 'Now I see where it is going.'],
        shows: ['In five years {topic} should run without you, and that is the direction.'],
      },
    ],
  },
  {
    type: 'Practicality',
    group: 'who',
    poles: [
      {
        rules: ['name who should do each part', 'assign every task to somebody'],
        hints: ['Somebody should, but which somebody?', 'Everyone will look at everyone else.'],
        praise: ['Each one knows their part.', 'Nobody can hide behind anybody.'],
        shows: [
          'The first part of {topic} is for whoever opens up, the second for the office, the last for you.',
        ],
      },
      {
        rules: ['leave the division of work open', 'describe tasks without assigning them'],
        hints: ['They will not like being told who carries what.', 'We share things out by ourselves here.'],
        praise: ['They can sort that out among themselves.', 'It does not hand out orders.'],
        shows: [
          'What {topic} needs is listed; who takes which piece can be settled among those who are there.',
        ],
      },
    ],
  },
  {
    type: 'Practicality',
    group: 'checks',
    poles: [
      {
        rules: ['add a check after every step', 'include {n} checkpoints along the way'],
        hints: [
          'By the time I notice a slip, it will be everywhere.',
          'How do I know halfway that I am still right?',
        ],
        praise: ['I would notice a slip at once.', 'There is a handrail all along.'],
        shows: ['After each part of {topic}, count once and compare with the list before going on.'],
      },
      {
        rules: ['run straight through without interim checks', 'check once at the very end'],
        hints: ['Stop and go, stop and go.', 'I would never get into a rhythm with that.'],
        praise: ['One sweep and then one look.', 'It lets me work.'],
        shows: ['Go through {topic} in one sweep and look it over once when it is done.'],
      },
    ],
  },
  {
    type: 'Practicality',
    group: 'risk',
    poles: [
      {
        rules: ['include a fallback plan', 'say what to do when it fails'],
        hints: ['And if it rains?', 'It has only one leg to stand on.'],
        praise: ['Even rain would not spoil it.', 'There is a second leg.'],
        shows: ['If {topic} falls through, the old arrangement can be revived within a day.'],
      },
      {
        rules: ['keep to one plan without a fallback', 'avoid talking about failure'],
        hints: ['With two plans they will follow neither.', 'It hedges like a fortune teller.'],
        praise: ['One plan, all in.', 'It believes in what it says.'],
        shows: ['There is one plan for {topic}, and it is going to be carried out.'],
      },
    ],
  },
  {
    type: 'Practicality',
    group: 'examples',
    poles: [
      {
        rules: ['illustrate every point by a worked example', 'show at least one filled-in sample'],
        hints: ['I am still in the clouds with it.', 'Show me one, then I can make the others.'],
        praise: ['I can copy that and go.', 'Once seen, understood.'],
        shows: ['A sample for {topic}: "Tuesday, 14:00, room 2, bring the blue list".'],
      },
      {
        rules: ['state general rules without examples', 'avoid worked examples'],
        hints: ['They will copy the one case and stop thinking.', 'That one case is not mine.'],
        praise: ['General enough to think along.', 'It leaves the applying to me.'],
        shows: ['In general, whatever {topic} requires first should be visible first.'],
      },
    ],
  },
];
