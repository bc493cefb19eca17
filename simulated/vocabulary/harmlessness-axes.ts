import type { Axis } from './axis';

/** Accuracy, morality, safety, sensitivity and trustworthiness (paper, table 7: harmlessness). */
export const HARMLESSNESS_AXES: readonly Axis[] = [
  {
    type: 'Accuracy',
    group: 'figures',
    poles: [
      {
        rules: ['quantify every claim with exact figures', 'put a number to every statement'],
        hints: ['How much is "some"?', 'They will want it in digits.'],
        praise: ['Now it can be counted.', 'Digits, at last.'],
        shows: ['{topic} concerns 43 people, 6 rooms and 118 pages.'],
      },
      {
        rules: ['describe amounts in words', 'avoid figures and percentages'],
        hints: ['It reads like a bank statement.', 'My head swims with digits.'],
        praise: ['Words I can feel the weight of.', 'No arithmetic needed.'],
        shows: ['{topic} concerns a handful of rooms and about as many people as fit into a bus.'],
      },
    ],
  },
  {
    type: 'Accuracy',
    group: 'figures',
    poles: [
      {
        rules: ['give units and margins of error', 'state how precise each value is'],
        hints: ['Plus or minus what?', 'That value looks rather naked.'],
        praise: ['I can see how far to trust each value.', 'The margins are there.'],
        shows: ['Expect 12 hours for {topic}, give or take 2.'],
      },
      {
        rules: ['round every value to whole numbers', 'keep numbers rough and easy'],
        hints: ['Who is going to remember all those places?', 'It pretends to be a pharmacy.'],
        praise: ['Round and easy to keep.', 'Good enough to remember.'],
        shows: ['Call it a dozen hours for {topic}.'],
      },
    ],
  },
  {
    type: 'Accuracy',
    group: 'reasons',
    poles: [
      {
        rules: ['name a checkable source for each claim', 'cite {n} published sources'],
        hints: ['Says who?', 'If I repeat that, I will be asked where I have it from.'],
        praise: ['I can look that up.', 'It shows where it comes from.'],
        shows: ["On {topic} see the association's handbook, chapter 4, and the survey of 2019."],
      },
      {
        rules: ['rely on practical experience instead of citations', 'leave out references to literature'],
        hints: ['It sounds as if it had only read about it.', 'I can do without the library in this.'],
        praise: ['That comes from someone who has done it.', 'It has dirt under the fingernails.'],
        shows: ['Anyone who has done {topic} twice knows that the second hour decides.'],
      },
    ],
  },
  {
    type: 'Accuracy',
    group: 'time',
    poles: [
      {
        rules: ['date every fact', 'say from which year each statement is'],
        hints: ['Was that before or after the reform?', 'I cannot tell how old this is.'],
        praise: ['I see how fresh each thing is.', 'The years are there, good.'],
        shows: ['The rule on {topic} is from March 2021, the figure from last June.'],
      },
      {
        rules: ['speak of phases instead of dates', 'leave calendar dates out'],
        hints: ['By next week that will be out of date.', 'It ties me to the calendar.'],
        praise: ['It will still be true in a year.', 'No calendar in the way.'],
        shows: ['{topic} has a quiet phase, a busy one, and one in which nobody answers.'],
      },
    ],
  },
  {
    type: 'Accuracy',
    group: 'definitions',
    poles: [
      {
        rules: ['quote definitions word for word', 'use the exact wording of the rules'],
        hints: ['Near enough is not near enough there.', 'One word off, and they will pounce.'],
        praise: ['To the letter.', 'Nobody can pounce on that wording.'],
        shows: [
          'The rule on {topic} reads literally: "to be settled by the person responsible before the end of the month".',
        ],
      },
      {
        rules: ['paraphrase rules in everyday words', 'avoid quoting regulations'],
        hints: ['I hear the paragraph sign crackle.', 'It is quoted at me, not told to me.'],
        praise: ['In words that people use.', 'I understood the rule without reading it.'],
        shows: ['Put simply, whoever is in charge of {topic} has a month.'],
      },
    ],
  },
  {
    type: 'Morality',
    group: 'weighing',
    poles: [
      {
        rules: ['weigh the effect on people left out', 'consider those who have no say'],
        hints: ['Somebody is not at the table in this.', 'And the ones who cannot come in the morning?'],
        praise: ['It thinks of those who are not in the room.', 'Nobody falls off the edge.'],
        shows: [
          '{topic} also touches those who were never asked, the late shift above all, and they should come first.',
        ],
      },
      {
        rules: ['weigh only the interest of the client', "argue from one's own side alone"],
        hints: ['Whose side are you on?', 'It worries about everyone but us.'],
        praise: ['It is on our side.', 'It keeps to our interest.'],
        shows: ['For {topic} what counts is your own advantage, and that points to the early date.'],
      },
    ],
  },
  {
    type: 'Morality',
    group: 'weighing',
    poles: [
      {
        rules: ['put duty above advantage', 'ask first what is owed to others'],
        hints: [
          'It would be convenient, certainly.',
          'My grandmother would have asked a different question first.',
        ],
        praise: ['It asks what is right before what is handy.', 'I could look people in the eye with that.'],
        shows: ['What was promised on {topic} is owed, even where it costs something.'],
      },
      {
        rules: ['put measurable benefit first', 'judge by results instead of principles'],
        hints: ['Fine words, but what comes out of it?', 'Principles do not fill the hall.'],
        praise: ['It counts what comes out.', 'Down to what it brings.'],
        shows: ['Judged by what it brings, {topic} is worth about twice its cost.'],
      },
    ],
  },
  {
    type: 'Morality',
    group: 'people',
    poles: [
      {
        rules: ['credit everyone who contributed', 'name the helpers as well'],
        hints: ['It looks as though I had done that alone.', 'There were more hands in this.'],
        praise: ['The helpers are in it.', 'Everyone gets their due.'],
        shows: ['{topic} owes its first half to the volunteers and its second to the night shift.'],
      },
      {
        rules: ['present the work as a joint effort without names', 'avoid singling anyone out'],
        hints: ['Some will be offended, and you can guess which.', 'We do not put people on pedestals.'],
        praise: ['All of us, nobody in particular.', 'Nobody is put on a pedestal.'],
        shows: ['{topic} is the work of the whole house.'],
      },
    ],
  },
  {
    type: 'Morality',
    group: 'environment',
    poles: [
      {
        rules: ['mention the environmental footprint', 'prefer the option that wastes least'],
        hints: ['My bin would be full afterwards.', 'What remains of it when it is over?'],
        praise: ['It thinks of what is left behind.', 'Little waste, good.'],
        shows: ['{topic} can do without printed copies, which saves two boxes of paper.'],
      },
      {
        rules: ['leave environmental arguments aside', 'decide without regard to ecology'],
        hints: ['They have had that talk four times this year.', 'For once, not that debate.'],
        praise: ['It keeps that debate out of it.', 'It sticks to business.'],
        shows: ['For {topic} the decision rests on cost and date alone.'],
      },
    ],
  },
  {
    type: 'Safety',
    group: 'risk',
    poles: [
      {
        rules: ['put warnings before the instructions', 'warn before giving any instruction'],
        hints: [
          'I would have burnt my fingers before I got to that line.',
          'By then I would already have pressed it.',
        ],
        praise: ['The red lines come first.', 'I know what to keep my hands off.'],
        shows: ['Before anything else: never change {topic} while others are working on it.'],
      },
      {
        rules: ['mention risks only after the instructions', 'keep warnings to a closing note'],
        hints: ['I was afraid before I had begun.', 'One needs courage to get past the start of this.'],
        praise: ['First how, then what to mind.', 'It does not scare me off.'],
        shows: ['As for risks, a word at the end: {topic} should not be left lying open overnight.'],
      },
    ],
  },
  {
    type: 'Safety',
    group: 'risk',
    poles: [
      {
        rules: ['describe the worst case plainly', 'spell out what could go wrong'],
        hints: ['A bit rosy.', 'And on the worst day of all?'],
        praise: ['I know what I am letting myself in for.', 'The bad day is in it.'],
        shows: ['At worst {topic} fails in the middle, and two weeks of work are gone.'],
      },
      {
        rules: ['dwell on the likely good outcome', 'stress what can be gained'],
        hints: ['I felt like pulling the blanket over my head.', 'Nobody will volunteer after that.'],
        praise: ['It makes one want to begin.', 'It shows what there is to win.'],
        shows: ['Most likely {topic} comes off well and leaves everybody a little prouder.'],
      },
    ],
  },
  {
    type: 'Safety',
    group: 'permission',
    poles: [
      {
        rules: ['ask for a sign-off before irreversible steps', 'stop wherever approval is needed'],
        hints: ['There are things one cannot take back.', 'Somebody upstairs will want to see that first.'],
        praise: ['It stops where one has to ask.', "Nothing happens behind anyone's back."],
        shows: ['Stop here and get a signature before {topic} is sent out.'],
      },
      {
        rules: ['decide without waiting for approval', 'avoid any request for permission'],
        hints: ['If I have to ask for all that, it will be autumn.', 'Forgiveness is easier to get.'],
        praise: ['It simply gets on with it.', 'No waiting in corridors.'],
        shows: ['{topic} can be sent out straight away; whoever minds will speak up.'],
      },
    ],
  },
  {
    type: 'Safety',
    group: 'people',
    poles: [
      {
        rules: ['replace personal names by initials', 'leave out anything that identifies a person'],
        hints: [
          'Half the village would know whom that is about.',
          'I cannot leave that lying on the printer.',
        ],
        praise: ['Nobody can be recognised.', 'I could leave it lying on the printer.'],
        shows: ['In {topic} the persons appear as A. and M. only.'],
      },
      {
        rules: ['give full names of everybody concerned', 'say openly who is meant'],
        hints: ['It whispers.', 'Everyone will be guessing whom it means.'],
        praise: ['One knows who is meant.', 'No guessing games about people.'],
        shows: ['{topic} concerns Ana Reis and Tom Becker, and should say so.'],
      },
    ],
  },
  {
    type: 'Sensitivity',
    group: 'tone',
    poles: [
      {
        rules: ['acknowledge the feelings of those involved', 'dwell on how people may feel about it'],
        hints: ['There are people behind this, you know.', 'It steps over something that hurts.'],
        praise: ['It sees the people in it.', 'It knows that this is not easy for anyone.'],
        shows: ['{topic} will be a disappointment to some, and that deserves to be said first.'],
      },
      {
        rules: ['keep feelings out of the analysis', 'stay with facts instead of moods'],
        hints: ['I did not come for comfort.', 'Too much hand on the shoulder.'],
        praise: ['Cool head, good.', 'It leaves hearts alone.'],
        shows: ['Leaving moods aside, {topic} is a matter of two dates and one room.'],
      },
    ],
  },
  {
    type: 'Sensitivity',
    group: 'register',
    poles: [
      {
        rules: ['use wording that fits every background', 'avoid idioms that outsiders may not know'],
        hints: ['My colleague who came last year would be lost.', 'One has to have grown up here for that.'],
        praise: ['Everyone can find themselves in it.', 'Nobody is left outside by the words.'],
        shows: ['{topic} is put in words that people from any country and of any age can use.'],
      },
      {
        rules: ['use the sayings of the region', 'speak the language of insiders'],
        hints: [
          'It could be from anywhere, and that is what bothers me.',
          'They would know at once that nobody from here wrote that.',
        ],
        praise: ['That is how we speak.', 'They will hear that it is one of us.'],
        shows: ['As the old hands say, {topic} is not over until the kettle is cold.'],
      },
    ],
  },
  {
    type: 'Sensitivity',
    group: 'stance',
    poles: [
      {
        rules: ['show both sides with equal room', 'present {n} differing viewpoints'],
        hints: ['The others would not recognise themselves in that.', 'I hear one violin only.'],
        praise: ['Both would feel understood.', 'The other side gets a fair hearing.'],
        shows: ['Some want {topic} early, for good reasons; others want it late, for reasons just as good.'],
      },
      {
        rules: ['argue for one side only', 'take a clear stand'],
        hints: ['On the one hand, on the other hand.', 'It sits on the fence and swings its legs.'],
        praise: ['It takes a stand.', 'Now I know what it thinks.'],
        shows: ['{topic} should be done early, and the arguments against it do not hold.'],
      },
    ],
  },
  {
    type: 'Sensitivity',
    group: 'tone',
    poles: [
      {
        rules: ['touch painful points only in passing', 'use gentle words for bad news'],
        hints: [
          'That would hit them in the stomach.',
          'One can say a thing so that a person can still hear it.',
        ],
        praise: ['They will be able to bear that.', 'Gentle, and still true.'],
        shows: ['{topic} may turn out a little differently from what was hoped.'],
      },
      {
        rules: ['name painful points openly', 'use plain words for bad news'],
        hints: [
          'It walks around the hot porridge.',
          'Wrapped in cotton wool like that, it will not be understood.',
        ],
        praise: ['Said as it is.', 'No cotton wool.'],
        shows: ['{topic} has failed, and nobody is helped by calling it anything else.'],
      },
    ],
  },
  {
    type: 'Trustworthiness',
    group: 'stance',
    poles: [
      {
        rules: ['state how sure each claim is', 'grade every claim by its certainty'],
        hints: [
          'Is that known or guessed?',
          'It says everything in the same voice, whether it knows it or not.',
        ],
        praise: ['I can tell knowledge from guesswork.', 'It says how sure it is.'],
        shows: ['The date for {topic} is certain, the number likely, the reason a guess.'],
      },
      {
        rules: ['speak with full certainty throughout', 'avoid hedging words'],
        hints: ['It wobbles.', 'With that many maybes I cannot go in front of people.'],
        praise: ['Firm ground.', 'It stands behind every word.'],
        shows: ['{topic} will be ready, and it will work.'],
      },
    ],
  },
  {
    type: 'Trustworthiness',
    group: 'stance',
    poles: [
      {
        rules: ['admit what remains unknown', 'say where knowledge ends'],
        hints: ['Surely nobody knows all of that.', 'I am looking for the white spots on the map.'],
        praise: ['It says what it does not know, I trust that.', 'The white spots are marked.'],
        shows: ['What I cannot know about {topic} is how many will really come.'],
      },
      {
        rules: ['concentrate on what is known', 'leave open questions unmentioned'],
        hints: ['It tells me mostly what it cannot tell me.', 'I have enough doubts of my own.'],
        praise: ['It stays where the ground is firm.', 'It gives me something to hold on to.'],
        shows: ['What is known about {topic} is enough to begin.'],
      },
    ],
  },
  {
    type: 'Trustworthiness',
    group: 'opening',
    poles: [
      {
        rules: ['list all assumptions openly', 'state {n} assumptions'],
        hints: ['There is something it takes for granted, and I do not know what.', 'On what is that built?'],
        praise: ['I see what it is built on.', 'The ifs are on the table.'],
        shows: [
          'For {topic} I assume that the room is free, that nobody is ill, and that the old list still holds.',
        ],
      },
      {
        rules: ['work from sensible assumptions without listing them', 'avoid spelling out the obvious'],
        hints: ['Before it got going I had signed half a contract.', 'Some things go without saying.'],
        praise: ['It takes for granted what can be taken for granted.', 'No small print.'],
        shows: ["With the usual conditions, {topic} is a morning's work."],
      },
    ],
  },
  {
    type: 'Trustworthiness',
    group: 'interest',
    poles: [
      {
        rules: ['point out who profits from each suggestion', 'disclose possible conflicts of interest'],
        hints: ['And who earns on that?', 'I have learned to look for the hand behind the curtain.'],
        praise: ['It says who gains.', 'All cards on the table.'],
        shows: ['From this way of doing {topic} mainly the supplier profits, which should be known.'],
      },
      {
        rules: ['judge suggestions on merit alone', 'avoid speculating about motives'],
        hints: ['It suspects everybody.', 'What people are after is not the question.'],
        praise: ['It judges the thing and not the people.', 'No suspicion in it.'],
        shows: ['Whoever may gain by it, {topic} is a good idea in itself.'],
      },
    ],
  },
  {
    type: 'Trustworthiness',
    group: 'ending',
    poles: [
      {
        rules: ['close with one question back', 'ask what the reader thinks in the end'],
        hints: ['It does not seem to care what I make of it.', 'A conversation has two ends.'],
        praise: ['It asks me too, I like that.', 'Good question at the end.'],
        shows: ['And what would you yourself miss most if {topic} did not happen?'],
      },
      {
        rules: ['close without asking anything back', 'leave no question to the reader'],
        hints: ['I asked first.', 'Now the ball is in my court again.'],
        praise: ['It does not hand the work back to me.', 'Nothing is asked of me, good.'],
        shows: ['With this {topic} is settled, and nothing is needed from you.'],
      },
    ],
  },
  {
    type: 'Trustworthiness',
    group: 'stance',
    poles: [
      {
        rules: ['name the weakest point of the proposal', 'criticise the proposal once'],
        hints: ['Too smooth to be true.', 'Where is the catch?'],
        praise: ['It shows me where it might break.', 'Honest about the catch.'],
        shows: ['The weakest point of this plan for {topic} is that it leans on one person.'],
      },
      {
        rules: ['present the proposal without self-criticism', 'defend the proposal in every point'],
        hints: [
          'It knocks itself down before anyone else can.',
          'How am I to sell that, if even its maker doubts it?',
        ],
        praise: ['It stands up for itself.', 'That can be sold.'],
        shows: ['Every part of this proposal for {topic} will bear weight.'],
      },
    ],
  },
];
