import { renderExport } from '../../../../cli/data-sets/export';
import { EXPORT_FORMATS, type ExportFormat } from '../../../../schemas/dataset/export-format';

/** Lists the commands that are printed after an export. */
function listCommands(format: ExportFormat, folder: string): string[] {
  const lines = renderExport({ format, folder, source: 'out', parts: [], notes: [] });
  return lines.slice(1).filter((line) => /cupid|mlcroissant|lm_eval|cd |load_dataset/.test(line));
}

test.each(EXPORT_FORMATS)(
  'the commands that follow an export as %s name its folder as one word',
  (format) => {
    const commands = listCommands(format, 'data').map((line) =>
      line.replace(/\bdata(\/croissant\.json)?(?= |$)/, "'my data; ls$1'").replace('"data"', '"my data; ls"'),
    );
    expect(listCommands(format, 'my data; ls')).toEqual(commands);
  },
);

test('the call that loads training data is one of Python, whatever the name of its folder', () => {
  expect(listCommands('sft', 'the "best" one')).toEqual([
    String.raw`Load it: load_dataset("the \"best\" one")`,
  ]);
});
