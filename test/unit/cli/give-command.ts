import { runCommandLine } from '../../../cli/command';

/** Runs a command line of `cupid` in this process, as `cli/main` does. */
export async function giveCommand(
  ...line: readonly string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    jest.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text);
      return true;
    }),
  );
  try {
    const code = await runCommandLine(['node', 'cupid', ...line]);
    return { code, ...written };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
