/** A part of the terminal that is drawn again and again; elsewhere each drawing is a block of its own. */
export interface Screen {
  draw(lines: readonly string[]): void;
}

export function screenOn(output: NodeJS.WriteStream): Screen {
  let drawn = 0;
  return {
    draw(lines) {
      if (!output.isTTY) {
        output.write(`${lines.join('\n')}\n\n`);
        return;
      }
      // What has left the top of the terminal cannot be drawn over.
      const shown = lines.slice(0, Math.max(1, (output.rows || 24) - 1));
      const width = Math.max(20, (output.columns || 80) - 1);
      const erased = drawn === 0 ? '' : `\r\u001B[${drawn}A\u001B[J`;
      output.write(`${erased}${shown.map((line) => `${line.slice(0, width)}\n`).join('')}`);
      drawn = shown.length;
    },
  };
}
