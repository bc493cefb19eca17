import { splitCommandLine } from '../../../../schemas/model/command-line';
import { formatModelName, parseModelSpec } from '../../../../schemas/model/model-spec';

test.each<[string, string[]]>([
  ['python my_memory.py', ['python', 'my_memory.py']],
  ['  python   a.py\t--k=2 ', ['python', 'a.py', '--k=2']],
  ['python a.py --note="a b"', ['python', 'a.py', '--note=a b']],
  ["python a.py --note='a b' c", ['python', 'a.py', '--note=a b', 'c']],
  ['python a.py "--note=a b"', ['python', 'a.py', '--note=a b']],
  ['python a.py a"b c"d\'e f\'', ['python', 'a.py', 'ab cde f']],
  ['"/opt/my memory/run" x', ['/opt/my memory/run', 'x']],
  ['sh -c "python a.py \'b c\'"', ['sh', '-c', "python a.py 'b c'"]],
  ['python a.py "don\'t" \'"\'', ['python', 'a.py', "don't", '"']],
  ['python a.py "" x', ['python', 'a.py', '', 'x']],
  ['C:\\memory\\run.exe a\\b', ['C:\\memory\\run.exe', 'a\\b']],
])('%s has the words %j', (line, words) => {
  expect(splitCommandLine(line)).toEqual(words);
});

test.each(['python a.py --note="a b', "python a.py don't", 'python "a\' b', 'python a.py --note=a"'])(
  '%s has a quote that is not closed',
  (line) => {
    expect(splitCommandLine(line)).toBeUndefined();
    expect(() => parseModelSpec(`memory:command:${line}`)).toThrow(/has a quote that is not closed.*Quote/);
  },
);

test('the name of a command has no folders, also of quoted paths', () => {
  expect(formatModelName('memory:command:python "/home/kim/my memory/bm25.py" --note="a b"')).toBe(
    'memory:python bm25.py --note=a b',
  );
});

test('the path of a module is no command line', () => {
  expect(formatModelName("memory:module:./kim's memory/my memory.mjs")).toBe('memory:my memory.mjs');
});
