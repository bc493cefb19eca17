import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { openPen, placeLabels, SHORT_LABEL, shortenNames } from '../../../../pages/charts/drawing';
import { FigureBlock } from '../../../../pages/parts/figure';

test('labels keep to the right of their marks where there is room, and off other marks and labels', () => {
  expect(placeLabels([{ x: 0, y: 0, label: 'alone' }], 400)).toEqual(['right']);
  const marks = [
    { x: 150, y: 0, label: 'covers the next' },
    { x: 190, y: 0, label: 'next' },
    { x: 450, y: 0, label: 'far' },
  ];
  expect(placeLabels(marks, 600)).toEqual(['left', 'right', 'right']);
  // A label beyond the edge would cover the next chart.
  expect(placeLabels(marks, 460)).toEqual(['left', 'right', 'left']);
});

test('a cell with quotes, commas and line breaks stays one cell of the file', async () => {
  const pen = await openPen();
  const figure = {
    name: 'figure',
    title: 'Title',
    note: 'Note',
    drawing: pen.draw('Title', { marks: [] }),
    columns: ['model', 'value'],
    rows: [
      ['a "b", c\nd', 0.123_456_789],
      ['plain', null],
    ],
  };
  const markup = renderToString(h(FigureBlock, { figure }));
  const csv = /text\/csv;charset=utf-8,(?<csv>[^"]*)/.exec(markup)?.groups?.['csv'] ?? '';
  expect(decodeURIComponent(csv)).toBe('model,value\r\n"a ""b"", c\nd",0.123456789\r\nplain,\r\n');
  expect(markup).toContain('<data value="0.123456789">0.1235</data>');
});

test.each([
  [
    ['openai:a', 'openai:b'],
    ['openai:a', 'openai:b'],
  ],
  [
    ['together:meta-llama/Llama-3.3-70B-Instruct-Turbo', 'openai:gpt-5'],
    ['together:met….3-70B-Instruct-Turbo', 'openai:gpt-5'],
  ],
  // All are of one provider, and the usual length does not distinguish them.
  [
    [
      'together:meta/Llama-3.1-70B-Instruct-quantized-w8a8',
      'together:meta/Llama-3.1-8B-Instruct-quantized-w8a8',
    ],
    ['meta/Llama-3…70B-Instruct-quantized-w8a8', 'meta/Llama-3…8B-Instruct-quantized-w8a8'],
  ],
])('the names %j have different labels on an axis', (names, labels) => {
  expect(names.map(shortenNames(names))).toEqual(labels);
});

test('names that differ in their first letter only have different labels beside marks, too', () => {
  const names = ['a', 'b'].map((letter) => `${letter}${'-long'.repeat(20)}`);
  expect(names.map(shortenNames(names, SHORT_LABEL))).toEqual(names);
  expect(shortenNames(['openai:gpt-5-with-a-long-name'], SHORT_LABEL)('openai:gpt-5-with-a-long-name')).toBe(
    '…-5-with-a-long-name',
  );
});
