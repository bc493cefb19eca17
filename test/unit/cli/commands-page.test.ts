import { buildProgram } from '../../../cli/program';
import { expectGolden } from '../../golden';

const INTRODUCTION = `# Commands

Every command with its arguments and options, as \`cupid COMMAND --help\` prints them, which also has examples. The other
pages explain them. A test writes this page: do not edit it.
`;

test('docs/commands.md lists every command with its options', () => {
  const { commands } = buildProgram(() => undefined);
  const sections = commands.map(
    (command) => `\n## ${command.name()}\n\n\`\`\`text\n${command.helpInformation().trimEnd()}\n\`\`\`\n`,
  );
  expectGolden('../../docs/commands.md', `${INTRODUCTION}${sections.join('')}`);
});

test('the help fits into a terminal of 80 columns, with its examples', () => {
  const helps: string[] = [];
  const { commands } = buildProgram(() => undefined);
  for (const command of commands) {
    command.configureOutput({ writeOut: (text) => helps.push(text) });
    command.outputHelp();
  }
  expect(commands.flatMap((command) => command.helpInformation().split('\n')).filter(isWide)).toEqual([]);
  const examples = helps.flatMap((help) => help.split(/^Examples?:$/m)[1]?.split('\n') ?? []);
  expect(examples.filter((line) => line.startsWith('  ') && isWide(line))).toEqual([]);
  expect(examples.length).toBeGreaterThan(commands.length);
});

function isWide(line: string): boolean {
  return line.length > 80;
}
