import { createScreen } from '../../../../cli/status/screen';

test('the last drawing is printed in full when it ends, and nothing if nothing was drawn', () => {
  let written = '';
  const output = {
    isTTY: true,
    columns: 80,
    rows: 3,
    write: (text: string | Uint8Array) => (written += String(text)) !== '',
  };
  const screen = createScreen(output, 'cupid status out');
  screen.end();
  expect(written).toBe('');
  screen.draw(['a', 'b', 'c']);
  screen.end();
  expect(written).toBe('a\n… and 2 more lines (cupid status out)\n\r\u001B[2A\u001B[Ja\nb\nc\n');
});

test('without a terminal, each drawing is a block in full', () => {
  let written = '';
  const write = (text: string | Uint8Array) => (written += String(text)) !== '';
  const screen = createScreen({ isTTY: false, columns: 80, write }, 'cupid status out');
  screen.draw(['a', 'b']);
  screen.end();
  expect(written).toBe('a\nb\n\n');
});
