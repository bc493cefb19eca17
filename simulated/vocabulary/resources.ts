/** What the things are made of that users hand over with a request. `{n}` numbers, `{name}` names, `{topic}`. */

export const NOTE_LINES: readonly string[] = [
  'spoke to {name} on Tuesday, wants an answer by {n} May',
  '{n} people have said yes so far',
  'room is free only in the afternoon',
  'last year this took {n} hours',
  '{name} offered to help with the first part',
  'open: who pays for the extra material?',
  'the old version had {n} pages, nobody read past page 3',
  'check with {name} whether the date still holds',
  'budget left: about {n}0 a head',
  '{n} questions came in, mostly about the start',
  'two of the boxes are still missing',
  'do not forget the people from the other site',
  'photo would be good, {name} has a camera',
  'the second half went better than the first',
  'ask again about parking',
  '{name} thinks it is too early',
  'list of addresses is from {n} years ago',
  'weather: need a plan in case of rain',
  'last time we ran out after {n} minutes',
  'the key is with {name}',
  'three of {n} replies were critical',
  'somebody has to open up at seven',
];

export const DRAFT_LINES: readonly string[] = [
  'I am writing to you because of {topic}.',
  'As you may have heard, there have been some changes.',
  'We have looked into it and there are {n} points left.',
  '{name} has kindly agreed to help.',
  'Unfortunately the first date could not be kept.',
  'It would be good to know by {n} May whether this suits you.',
  'The costs will be a bit higher than we thought at first.',
  'In the past this was always done by {name}, and it was done well.',
  'We would like to try something different this time.',
  'There were {n} of us at the last meeting and not all agreed.',
  'Please let me know what you think about it.',
  'I am sorry that it has taken so long.',
  'Some of you have asked how to go on from here.',
  'The material is ready and can be collected any morning.',
  'If there are questions, {name} or I can be reached most days.',
  'What is still missing is a decision about the second part.',
  'Nobody should have to pay for this out of their own pocket.',
  'I thought that the answer was clear, but it was not.',
];

/** Column heads of small tables: a label and two or three figures. */
export const TABLE_HEADS: readonly (readonly string[])[] = [
  ['week', 'planned', 'done'],
  ['month', 'requests', 'answered', 'open'],
  ['site', 'hours', 'cost'],
  ['day', 'morning', 'afternoon'],
  ['group', 'members', 'absent'],
  ['item', 'in stock', 'used', 'ordered'],
  ['year', 'visitors', 'returns'],
  ['team', 'cases', 'average days'],
  ['quarter', 'income', 'expenses'],
  ['batch', 'weight (g)', 'loss (g)'],
  ['room', 'seats', 'booked'],
  ['round', 'first try', 'second try'],
];

export const ROW_LABELS: Readonly<Record<string, readonly string[]>> = {
  week: ['12', '13', '14', '15', '16'],
  month: ['January', 'February', 'March', 'April', 'May'],
  site: ['north', 'harbour', 'old town', 'hill', 'east'],
  day: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'],
  group: ['A', 'B', 'C', 'D', 'E'],
  item: ['boxes', 'sheets', 'filters', 'labels', 'cards'],
  year: ['2019', '2020', '2021', '2022', '2023'],
  team: ['red', 'blue', 'green', 'grey', 'late shift'],
  quarter: ['Q1', 'Q2', 'Q3', 'Q4', 'Q1 next'],
  batch: ['0417', '0418', '0421', '0502', '0503'],
  room: ['1', '2', '4a', '4b', 'attic'],
  round: ['first', 'second', 'third', 'fourth', 'final'],
};

/** Small programs with one thing wrong or unfinished; `{n}` numbers. */
export const CODE_PIECES: readonly string[] = [
  'import csv\n\ntotal = 0\nwith open("entries.csv") as file:\n    for row in csv.reader(file):\n        total += row[{d}]\nprint("total:", total)',
  'def average(values):\n    result = 0\n    for value in values:\n        result += value\n    return result / len(values) - {d}\n\nprint(average([]))',
  'names = open("names.txt").read().split("\\n")\nfor i in range(1, len(names)):\n    if names[i] = "":\n        del names[i]\nprint(len(names), "of {n}")',
  'function daysUntil(date) {\n  const difference = new Date(date) - new Date();\n  return difference / (1000 * 60 * 60 * 24 * {d});\n}\n\nconsole.log(daysUntil("2024-05-{n}"));',
  'SELECT site, COUNT(*) AS visits\nFROM visits\nWHERE month > {d}\nORDER BY visits DESC\nLIMIT {n};',
  'limit = {n}\nreadings = [12, 15, 11, 48, 13]\nfor r in readings:\n    if r > limit:\n        print("check", r)\n    else:\n        readings.remove(r)',
  'const parts = text.split(";");\nconst rows = parts.map((part) => part.trim);\nif (rows.length > {n}) {\n  console.log("too many rows");\n}',
  '=IF(B{n}>C{n};"over";IF(B{n}=C{n};"even")',
  'for f in *.txt; do\n  mv $f "backup/$f-{n}"\ndone\nls backup | wc -l',
  'seen = set()\nfor line in open("log.txt"):\n    key = line[:{d}]\n    if key in seen:\n        print(key)\n    seen.add(line)',
];
