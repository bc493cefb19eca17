import { drawLines, eraseRows, writeText } from '../output';

/** A part of the terminal that is drawn again and again; elsewhere each drawing is a block of its own. */
interface Screen {
  draw(lines: readonly string[]): void;
}

export function createScreen(output: NodeJS.WriteStream): Screen {
  let drawn = 0;
  return {
    draw(lines) {
      if (!output.isTTY) {
        writeText(output, `${lines.join('\n')}\n`);
        return;
      }
      eraseRows(output, drawn);
      // What has left the top of the terminal cannot be drawn over.
      drawn = drawLines(output, lines.slice(0, Math.max(1, (output.rows || 24) - 1)));
    },
  };
}
