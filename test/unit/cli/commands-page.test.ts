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

test('examples fit into a terminal of 80 columns', () => {
  const helps: string[] = [];
  const { commands } = buildProgram(() => undefined);
  for (const command of commands) {
    command.configureOutput({ writeOut: (text) => helps.push(text) });
    command.outputHelp();
  }
  const examples = helps.flatMap((help) => help.split(/^Examples?:$/m)[1]?.split('\n') ?? []);
  expect(examples.filter((line) => line.startsWith('  ') && line.length > 80)).toEqual([]);
  expect(examples.length).toBeGreaterThan(commands.length);
});
