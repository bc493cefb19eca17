import { buildTextTable, type Table } from '../../../../schemas/text/table';
import { renderTable } from '../../../../schemas/text/text-table';

test('aligns numbers right, keeps groups together, and leaves no spaces at the ends of lines', () => {
  const columns = [
    { title: 'P', group: 'Inference' },
    { title: 'R', group: 'Inference' },
    { title: 'F1', group: 'Inference' },
    { title: 'score', group: 'Judge' },
    { title: 'n' },
  ];
  const rows = [
    { name: 'full', cells: ['36.6', '52.1', '43.0', '6.46', '9'] },
    { name: 'a line across all columns', cells: [] },
    { name: 'none', cells: ['1.0', '–'] },
  ];
  expect(renderTable({ columns, rows })).toEqual([
    '      Inference ────  Judge',
    '         P    R   F1  score  n',
    'full  36.6 52.1 43.0   6.46  9',
    'a line across all columns',
    'none   1.0    –',
  ]);
});

test('stands between its lines; a row has its details above, and a number its interval, sign, mark and n', () => {
  const table: Table = {
    title: 'A table',
    lines: ['what it shows'],
    names: 'model',
    columns: [{ title: 'F1' }, { title: '%', group: 'To full' }, { title: 'scored' }],
    rows: [
      { name: 'context full', cells: [] },
      {
        name: 'a',
        depth: 1,
        detail: '12 of 12 scored',
        cells: [
          { value: 0.5, form: 'percent', interval: { low: 0.25, high: 1 }, mark: 'own data' },
          { value: 0.1, form: 'percent', isSigned: true, interval: { low: -0.1, high: 0.3 }, n: 10 },
          { value: 1200 },
        ],
      },
      {
        name: 'b',
        depth: 1,
        cells: [
          { value: null, form: 'percent', interval: null, mark: 'own data' },
          { value: 0, text: 'best' },
          { value: 9 },
        ],
      },
    ],
    notes: ['what it does not show'],
  };
  expect(renderTable(table)).toEqual([
    'A table',
    'what it shows',
    '                          To full ───────────────',
    'model     F1        95 %      %           95 %  n  scored',
    'context full',
    '  a: 12 of 12 scored',
    '       *50.0  25.0–100.0  +10.0 -10.0 to +30.0 10   1,200',
    '  b        –           –   best                         9',
    'what it does not show',
  ]);
});

test("a group's title that is longer than its columns widens them", () => {
  const columns = [
    { title: 'x', group: 'Contrastive' },
    { title: 'y', group: 'All' },
  ];
  expect(renderTable({ columns, rows: [{ name: 'a', cells: ['1', '2'] }] })).toEqual([
    '   Contrastive  All',
    '             x    y',
    'a            1    2',
  ]);
});

test('that is too wide becomes several, each with the names; groups stay together, and nothing is lost', () => {
  const columns = [
    { title: 'F1' },
    { title: '%', group: 'To full' },
    { title: '95 %', group: 'To full' },
    { title: 'scored' },
  ];
  const rows = [
    { name: 'context full', cells: [] },
    { name: 'a', cells: ['99.2', '+1.5', '-2 to +4', '12'] },
    { name: 'a-long-name', cells: ['9.1', '-3.0', '-9 to +1', '8'] },
  ];
  expect(renderTable({ columns, rows }, 24)).toEqual([
    '               F1',
    'context full',
    'a            99.2',
    'a-long-name   9.1',
    '',
    '   To full ─────',
    '      %     95 %',
    'context full',
    'a  +1.5 -2 to +4',
    'a-long-name',
    '   -3.0 -9 to +1',
    '',
    '             scored',
    'context full',
    'a                12',
    'a-long-name       8',
  ]);
});

test('that is too wide leaves out rows, and the line above them, where they have no cells', () => {
  const columns = [{ title: 'calls' }, { title: 'model' }];
  const rows = [
    { name: 'infer', cells: ['12', 'simulated:default'] },
    { name: '', cells: [] },
    { name: 'likely total', cells: ['12'] },
  ];
  expect(renderTable({ columns, rows }, 24)).toEqual([
    '              calls',
    'infer            12',
    '',
    'likely total     12',
    '',
    '                   model',
    'infer  simulated:default',
  ]);
});

test('that is too wide has intervals below their numbers, if it fits then', () => {
  const table: Table = {
    columns: [{ title: 'F1' }, { title: '%', group: 'To full' }, { title: 'scored' }],
    rows: [
      { name: 'context full', cells: [] },
      {
        name: 'a-long-name',
        cells: [
          { value: 0.5, form: 'percent', interval: { low: 0.25, high: 1 } },
          { value: 0.1, form: 'percent', isSigned: true, interval: { low: -0.1, high: 0.3 } },
          { value: 12 },
        ],
      },
      {
        name: 'b',
        cells: [{ value: 0.4, form: 'percent', interval: null }, { value: 0, text: 'best' }, { value: 9 }],
      },
    ],
  };
  expect(renderTable(table, 40)).toEqual([
    'Below a number: its 95 % interval',
    '               To full ──────',
    '           F1               %  scored',
    'context full',
    'a-long-name',
    '         50.0           +10.0      12',
    '   25.0–100.0  -10.0 to +30.0',
    'b        40.0            best       9',
    '            –',
  ]);
});

test('has no line of groups without groups', () => {
  expect(renderTable(buildTextTable(['model', 'n'], [['a', '12']]))).toEqual(['model   n', 'a      12']);
});

test('of a given width puts apart only the names that do not fit', () => {
  const table: Table = {
    columns: [{ title: 'n' }, { title: 'F1' }],
    rows: [
      { name: 'simulated:a', cells: ['1', '50.0'] },
      { name: 'a line as long as it likes to be, of any width', cells: [] },
      { name: 'a longer name', cells: ['2', '3.0'] },
    ],
  };
  expect(renderTable(table, 21)).toEqual([
    '             n    F1',
    'simulated:a  1  50.0',
    'a line as long as it likes to be, of any width',
    'a longer name',
    '             2   3.0',
  ]);
  expect(renderTable(table)).toContain('a longer name  2   3.0');
});
