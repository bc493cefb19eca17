import type { AnyExportSource, ExportSource } from './source';

/** The personas of a data set that are exported, where these are not all. */
export interface PersonaSelection {
  readonly has: (personaId: string) => boolean;
  /** Throws DataError if the data set, of which all personas are known, lacks some. */
  readonly check: (ids: ReadonlySet<string>, name: string) => void;
  /** Says by what they were selected: sentences for the card. */
  readonly statement: string;
}

/** Keeps only the rows of the selected personas, and says so in the card. @param name of it, for messages */
export function selectPersonas(
  source: AnyExportSource,
  selection: PersonaSelection | undefined,
  name: string,
): AnyExportSource {
  if (selection === undefined) return source;
  return source.kind === 'instances'
    ? { ...source, ...select(source, selection, name) }
    : { ...source, ...select(source, selection, name) };
}

function select<Row extends { readonly persona_id: string }>(
  source: ExportSource<Row>,
  { has, check, statement }: PersonaSelection,
  name: string,
): Pick<ExportSource<Row>, 'rows' | 'keeps' | 'finishCard'> {
  return {
    async *rows() {
      const ids = new Set<string>();
      for await (const row of source.rows()) {
        ids.add(row.persona_id);
        if (has(row.persona_id)) yield row;
      }
      check(ids, name);
    },
    keeps: ({ persona_id: persona }) => has(persona),
    finishCard: (card) => `${card.trimEnd()}\n\n## Selection\n\n${statement} ${OF_ALL}\n`,
  };
}

const OF_ALL = 'Statistics and figures in this card are of the whole data set.';
