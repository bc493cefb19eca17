import { drawLines, eraseRows, writeText, type Output } from '../output';

/** A part of the terminal that is redrawn. Elsewhere, each drawing is a block of its own. */
interface Screen {
  draw(lines: readonly string[]): void;
  /** Prints the last drawing in full: it stays, and a drawing shows at most what can be erased. */
  end(): void;
}

/** @param command prints all lines of a drawing that is higher than the terminal */
export function createScreen(output: Output, command: string): Screen {
  let drawnRows = 0;
  let lastLines: readonly string[] = [];
  return {
    draw(lines) {
      if (!output.isTTY) {
        writeText(output, `${lines.join('\n')}\n`);
        return;
      }
      eraseRows(output, drawnRows);
      drawnRows = drawLines(output, lines, command);
      lastLines = lines;
    },
    end() {
      if (lastLines.length === 0) return;
      eraseRows(output, drawnRows);
      writeText(output, lastLines.join('\n'));
    },
  };
}
