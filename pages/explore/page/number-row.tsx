import type { ComponentChildren } from 'preact';

interface NumberRowProps {
  readonly name: ComponentChildren;
  readonly numbers: readonly string[];
}

/** Renders a row of a table: a name and the numbers that belong to it. */
export function NumberRow({ name, numbers }: NumberRowProps) {
  return (
    <tr>
      <th scope="row">{name}</th>
      {numbers.map((text, at) => (
        <td key={at} class="number">
          {text}
        </td>
      ))}
    </tr>
  );
}
